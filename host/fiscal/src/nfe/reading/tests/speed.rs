//! How fast: printed, not judged, for machines are busy. Release builds only.

use std::time::Instant;

use super::*;
use crate::nfe::reading::tests::loss::NOTA;

/// The best of many rounds: what the machine does when nobody else is at it.
fn mede(nome: &str, bytes: usize, mut uma: impl FnMut()) {
    const RODADAS: usize = 60;
    let vezes = (1_000_000 / bytes).max(1);
    let melhor = (0..RODADAS)
        .map(|_| {
            let inicio = Instant::now();
            for _ in 0..vezes {
                uma();
            }
            inicio.elapsed()
        })
        .min()
        .unwrap_or_default();
    let por_segundo = u32::try_from(vezes * bytes).map_or(0.0, f64::from) / melhor.as_secs_f64();
    eprintln!("{nome}: {:.1} MB/s", por_segundo / 1e6);
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
    mede("conferir, parsed already", nota.len(), || {
        std::hint::black_box(check(&doc, time::macros::date!(2026 - 11 - 20), |_| true).unwrap());
    });
}
