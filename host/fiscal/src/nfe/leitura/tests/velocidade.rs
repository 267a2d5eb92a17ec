//! How fast: printed, not judged, for machines are busy. Release builds only.

use std::time::Instant;

use super::*;
use crate::nfe::leitura::tests::perda::NOTA;

fn mede(nome: &str, bytes: usize, mut uma: impl FnMut()) {
    let vezes = (20_000_000 / bytes).max(3);
    uma();
    let inicio = Instant::now();
    for _ in 0..vezes {
        uma();
    }
    let segundos = inicio.elapsed().as_secs_f64();
    let megabytes = u32::try_from(vezes * bytes / 1000).map_or(0.0, f64::from) / 1000.0;
    eprintln!("{nome}: {:.1} MB/s", megabytes / segundos);
}

#[test]
fn throughput() {
    if cfg!(debug_assertions) {
        eprintln!("skipped: speed is measured in release builds");
        return;
    }
    let inicio = NOTA.find("<det ").unwrap();
    let fim = NOTA.find("<pag>").unwrap();
    let item = &NOTA[inicio..fim];
    let nota = format!(
        "{}{}{}",
        &NOTA[..inicio],
        item.repeat(69_000 / item.len()),
        &NOTA[fim..]
    );
    eprintln!("{} bytes", nota.len());
    mede("xml::Document::parse", nota.len(), || {
        std::hint::black_box(Document::parse(&nota).unwrap());
    });
    let doc = Document::parse(&nota).unwrap();
    mede("ler, parsed already", nota.len(), || {
        std::hint::black_box(ler(&doc).unwrap());
    });
    mede("parse and ler", nota.len(), || {
        let doc = Document::parse(&nota).unwrap();
        std::hint::black_box(ler(&doc).unwrap());
    });
    let lida = ler(&doc).unwrap();
    mede("to JSON text", nota.len(), || {
        std::hint::black_box(serde_json::to_string(&lida).unwrap());
    });
}
