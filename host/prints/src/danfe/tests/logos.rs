//! Logos: PNG of every kind that is read, JPEG, and files that are neither.

use std::io::Write as _;

use super::texto_de;
use crate::danfe::tests::generator::Gerador;
use crate::danfe::{DanfeError, Opcoes, danfe};
use crate::pdf::image;

/// A PNG of random-looking pixels, all five filters in use.
pub(super) fn png(largura: u32, altura: u32, bits: u8, cor: u8) -> Vec<u8> {
    let canais = match cor {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        _ => 4,
    };
    let linha = (largura as usize * canais * usize::from(bits)).div_ceil(8);
    let mut bruto = Vec::new();
    for y in 0..altura {
        bruto.push((y % 5) as u8);
        // Palettes have sixteen entries here.
        bruto.extend(
            (0..linha).map(|x| (x as u32 * 7 + y * 13) as u8 & if cor == 3 { 0x0F } else { 0xFF }),
        );
    }
    if cor == 3 {
        // Filters would lead out of the palette.
        for faixa in bruto.chunks_mut(linha + 1) {
            faixa[0] = 0;
        }
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut pedaco = |tipo: &[u8], corpo: &[u8]| {
        out.extend((corpo.len() as u32).to_be_bytes());
        out.extend_from_slice(tipo);
        out.extend_from_slice(corpo);
        out.extend([0; 4]);
    };
    let mut cabecalho = Vec::new();
    cabecalho.extend(largura.to_be_bytes());
    cabecalho.extend(altura.to_be_bytes());
    cabecalho.extend([bits, cor, 0, 0, 0]);
    pedaco(b"IHDR", &cabecalho);
    if cor == 3 {
        pedaco(b"PLTE", &[0x40; 48]);
        pedaco(b"tRNS", &[0, 128]);
    }
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zip.write_all(&bruto).expect("deflate");
    pedaco(b"IDAT", &zip.finish().expect("deflate"));
    pedaco(b"IEND", &[]);
    out
}

/// The beginning of a JPEG: all that is looked at.
fn jpeg(componentes: u8) -> Vec<u8> {
    let mut out = vec![
        0xFF,
        0xD8,
        0xFF,
        0xE0,
        0,
        4,
        1,
        2,
        0xFF,
        0xC0,
        0,
        8 + 3 * componentes,
        8,
    ];
    out.extend([0, 20, 0, 40, componentes]);
    out.extend(vec![0; 3 * usize::from(componentes)]);
    out
}

#[test]
fn every_kind_of_logo_gets_onto_the_page() {
    for (bits, cor) in [
        (1, 0),
        (2, 0),
        (4, 0),
        (8, 0),
        (16, 0),
        (8, 2),
        (16, 2),
        (4, 3),
        (8, 3),
        (8, 4),
        (8, 6),
        (16, 6),
    ] {
        let arquivo = png(37, 21, bits, cor);
        let lida = image::ler(&arquivo).unwrap_or_else(|| panic!("{bits} {cor}"));
        assert_eq!((lida.largura, lida.altura), (37, 21));
        assert_eq!(
            lida.mascara.is_some(),
            matches!(cor, 3 | 4 | 6),
            "{bits} {cor}"
        );
        let opcoes = Opcoes {
            logo: Some(&arquivo),
            ..Opcoes::default()
        };
        for tp_imp in [1, 2] {
            let nota = Gerador {
                tp_imp,
                ..Gerador::default()
            };
            let pdf = danfe(&nota.xml(), &opcoes).expect("a printout");
            assert!(texto_de(&pdf).contains("Comércio de Alimentos"));
        }
    }
    for componentes in [1, 3, 4] {
        let lida = image::ler(&jpeg(componentes)).expect("a JPEG");
        assert_eq!(
            (lida.largura, lida.altura, lida.componentes),
            (40, 20, componentes)
        );
    }
}

#[test]
fn broken_and_huge_logos_are_refused() {
    let inteiro = png(37, 21, 8, 6);
    for corte in 0..inteiro.len() - 16 {
        assert_eq!(image::ler(&inteiro[..corte]), None, "{corte}");
    }
    for arquivo in [
        &b""[..],
        b"\xFF\xD8",
        b"\xFF\xD8\xFF\xC0\0\x02",
        b"\xFF\xD8\xFF\xDA\0\x02",
        b"RIFF....WEBP",
    ] {
        assert_eq!(image::ler(arquivo), None);
    }
    // Four thousand million pixels in thirty bytes.
    let mut bomba = inteiro.clone();
    bomba[16..24].copy_from_slice(&[0, 0, 255, 255, 0, 0, 255, 255]);
    assert_eq!(image::ler(&bomba), None);
    let opcoes = Opcoes {
        logo: Some(&bomba),
        ..Opcoes::default()
    };
    assert_eq!(
        danfe(&Gerador::default().xml(), &opcoes),
        Err(DanfeError::Logo)
    );
}
