//! How fast: printed, not judged, for machines are busy. Release builds only.

use std::time::Instant;

use fiscal::nfe::reading::{check, read};
use markup::xml::Document;

use super::loss::NOTA;

/// The best of many rounds: what the machine does when nobody else is at it.
fn measure(name: &str, bytes: usize, mut one: impl FnMut()) {
    const ROUNDS: usize = 60;
    let times = (1_000_000 / bytes).max(1);
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..times {
                one();
            }
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    let per_second = u32::try_from(times * bytes).map_or(0.0, f64::from) / best.as_secs_f64();
    eprintln!("{name}: {:.1} MB/s", per_second / 1e6);
}

#[test]
fn throughput() {
    if cfg!(debug_assertions) {
        eprintln!("skipped: speed is measured in release builds");
        return;
    }
    let start = NOTA.find("<det ").unwrap();
    let end = NOTA.find("<pag>").unwrap();
    let item = &NOTA[start..end];
    let nota = format!(
        "{}{}{}",
        &NOTA[..start],
        item.repeat(69_000 / item.len()),
        &NOTA[end..]
    );
    eprintln!("{} bytes", nota.len());
    measure("xml::Document::parse", nota.len(), || {
        std::hint::black_box(Document::parse(&nota).unwrap());
    });
    let doc = Document::parse(&nota).unwrap();
    measure("ler, parsed already", nota.len(), || {
        std::hint::black_box(read(&doc).unwrap());
    });
    measure("parse and ler", nota.len(), || {
        let doc = Document::parse(&nota).unwrap();
        std::hint::black_box(read(&doc).unwrap());
    });
    let read = read(&doc).unwrap();
    measure("to JSON text", nota.len(), || {
        std::hint::black_box(serde_json::to_string(&read).unwrap());
    });
    measure("conferir, parsed already", nota.len(), || {
        std::hint::black_box(check(&doc, time::macros::date!(2026 - 11 - 20), |_| true).unwrap());
    });
}
