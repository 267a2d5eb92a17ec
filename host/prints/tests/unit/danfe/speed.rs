//! How long a page takes. Says it; only an optimized build is held to a limit.

use std::time::Instant;

use super::generator::{Generator, notas};
use prints::danfe::{PrintOptions, danfe, nfce, read};

/// The goal, in processor time.
const LIMIT_MS: f64 = 2.0;

/// Processor time of this thread so far, where the system tells: on a busy
/// machine the clock measures the neighbours.
fn processor_ms() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanos / 1e6)
}

#[test]
fn a_page_takes_little_time() {
    let mut cases: Vec<(&str, Generator)> = notas()
        .into_iter()
        .filter(|(name, _)| matches!(*name, "um-item" | "41-itens" | "990-itens" | "reforma-41"))
        .collect();
    cases.push((
        "990-reforma",
        Generator {
            items: 990,
            reforma: true,
            ..Generator::default()
        },
    ));
    for (name, nota) in cases {
        let xml = nota.xml();
        let times = match nota.items {
            _ if cfg!(debug_assertions) => 1,
            101.. => 10,
            _ => 400,
        };
        let mut pdf = Vec::new();
        let (wall, before) = (Instant::now(), processor_ms());
        for _ in 0..times {
            pdf = danfe(&xml, &PrintOptions::default()).expect(name);
        }
        let wall = wall.elapsed().as_secs_f64() * 1000.0 / f64::from(times);
        let processor = before
            .zip(processor_ms())
            .map(|(before, after)| (after - before) / f64::from(times));
        let mean = processor.unwrap_or(wall);
        let pages = read::text(&pdf).expect(name).len();
        let start = Instant::now();
        read(&pdf).expect(name);
        let reading = start.elapsed().as_secs_f64() * 1000.0;
        let per_page = mean / pages as f64;
        println!(
            "{name}: {mean:.2} ms ({wall:.2} on the clock), {pages} pages, {per_page:.2} ms a page, {} bytes; key read in {reading:.2} ms",
            pdf.len()
        );
        let measured = !cfg!(debug_assertions) && processor.is_some();
        assert!(!measured || per_page < LIMIT_MS, "{name}");
    }
    let receipt = Generator {
        model: "65",
        items: 4,
        qr: "https://www.example.com/qrcode?p=35261011222333000181650010000015231123456784|3|1"
            .to_owned(),
        ..Generator::default()
    }
    .xml();
    let start = Instant::now();
    nfce(&receipt, &PrintOptions::default()).expect("a coupon");
    println!("coupon: {:.2} ms", start.elapsed().as_secs_f64() * 1000.0);
}
