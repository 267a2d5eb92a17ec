//! How long a page takes. Says it; only an optimized build is held to a limit.

use std::time::Instant;

use crate::danfe::tests::generator::{Gerador, notas};
use crate::danfe::{Opcoes, danfe, nfce, read};

/// The goal, in processor time.
const LIMITE_MS: f64 = 2.0;

/// Processor time of this thread so far, where the system tells: on a busy
/// machine the clock measures the neighbours.
fn processador_ms() -> Option<f64> {
    let texto = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: f64 = texto.split(' ').next()?.parse().ok()?;
    Some(nanos / 1e6)
}

#[test]
fn a_page_takes_little_time() {
    let mut casos: Vec<(&str, Gerador)> = notas()
        .into_iter()
        .filter(|(nome, _)| matches!(*nome, "um-item" | "41-itens" | "990-itens" | "reforma-41"))
        .collect();
    casos.push((
        "990-reforma",
        Gerador {
            itens: 990,
            reforma: true,
            ..Gerador::default()
        },
    ));
    for (nome, nota) in casos {
        let xml = nota.xml();
        let vezes = match nota.itens {
            _ if cfg!(debug_assertions) => 1,
            101.. => 10,
            _ => 400,
        };
        let mut pdf = Vec::new();
        let (parede, antes) = (Instant::now(), processador_ms());
        for _ in 0..vezes {
            pdf = danfe(&xml, &Opcoes::default()).expect(nome);
        }
        let parede = parede.elapsed().as_secs_f64() * 1000.0 / f64::from(vezes);
        let processador = antes
            .zip(processador_ms())
            .map(|(antes, depois)| (depois - antes) / f64::from(vezes));
        let medio = processador.unwrap_or(parede);
        let paginas = read::texto(&pdf).expect(nome).len();
        let inicio = Instant::now();
        read(&pdf).expect(nome);
        let leitura = inicio.elapsed().as_secs_f64() * 1000.0;
        let por_pagina = medio / paginas as f64;
        println!(
            "{nome}: {medio:.2} ms ({parede:.2} on the clock), {paginas} pages, {por_pagina:.2} ms a page, {} bytes; key read in {leitura:.2} ms",
            pdf.len()
        );
        let medido = !cfg!(debug_assertions) && processador.is_some();
        assert!(!medido || por_pagina < LIMITE_MS, "{nome}");
    }
    let cupom = Gerador {
        modelo: "65",
        itens: 4,
        qr: "https://www.example.com/qrcode?p=35261011222333000181650010000015231123456784|3|1"
            .to_owned(),
        ..Gerador::default()
    }
    .xml();
    let inicio = Instant::now();
    nfce(&cupom, &Opcoes::default()).expect("a coupon");
    println!("coupon: {:.2} ms", inicio.elapsed().as_secs_f64() * 1000.0);
}
