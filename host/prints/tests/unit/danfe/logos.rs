//! Logos: PNG of every kind that is read, JPEG, and files that are neither.

use std::io::Write as _;

use super::generator::Generator;
use super::text_of;
use prints::danfe::{DanfeError, PrintOptions, danfe};
use prints::pdf::image;

/// A PNG of random-looking pixels, all five filters in use.
pub(super) fn png(width: u32, height: u32, bits: u8, colour: u8) -> Vec<u8> {
    let channels = match colour {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        _ => 4,
    };
    let line = (width as usize * channels * usize::from(bits)).div_ceil(8);
    let mut raw = Vec::new();
    for y in 0..height {
        raw.push((y % 5) as u8);
        // Palettes have sixteen entries here.
        raw.extend(
            (0..line)
                .map(|x| (x as u32 * 7 + y * 13) as u8 & if colour == 3 { 0x0F } else { 0xFF }),
        );
    }
    if colour == 3 {
        // Filters would lead out of the palette.
        for strip in raw.chunks_mut(line + 1) {
            strip[0] = 0;
        }
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut piece = |kind: &[u8], body: &[u8]| {
        out.extend((body.len() as u32).to_be_bytes());
        out.extend_from_slice(kind);
        out.extend_from_slice(body);
        out.extend([0; 4]);
    };
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([bits, colour, 0, 0, 0]);
    piece(b"IHDR", &header);
    if colour == 3 {
        piece(b"PLTE", &[0x40; 48]);
        piece(b"tRNS", &[0, 128]);
    }
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zip.write_all(&raw).expect("deflate");
    piece(b"IDAT", &zip.finish().expect("deflate"));
    piece(b"IEND", &[]);
    out
}

/// The beginning of a JPEG: all that is looked at.
fn jpeg(components: u8) -> Vec<u8> {
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
        8 + 3 * components,
        8,
    ];
    out.extend([0, 20, 0, 40, components]);
    out.extend(vec![0; 3 * usize::from(components)]);
    out
}

#[test]
fn every_kind_of_logo_gets_onto_the_page() {
    for (bits, colour) in [
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
        let file = png(37, 21, bits, colour);
        let found = image::read(&file).unwrap_or_else(|| panic!("{bits} {colour}"));
        assert_eq!((found.width, found.height), (37, 21));
        assert_eq!(
            found.mask.is_some(),
            matches!(colour, 3 | 4 | 6),
            "{bits} {colour}"
        );
        let options = PrintOptions {
            logo: Some(&file),
            ..PrintOptions::default()
        };
        for tp_imp in [1, 2] {
            let nota = Generator {
                tp_imp,
                ..Generator::default()
            };
            let pdf = danfe(&nota.xml(), &options).expect("a printout");
            assert!(text_of(&pdf).contains("Comércio de Alimentos"));
        }
    }
    for components in [1, 3, 4] {
        let found = image::read(&jpeg(components)).expect("a JPEG");
        assert_eq!(
            (found.width, found.height, found.components),
            (40, 20, components)
        );
    }
}

#[test]
fn broken_and_huge_logos_are_refused() {
    let whole = png(37, 21, 8, 6);
    for cut in 0..whole.len() - 16 {
        assert_eq!(image::read(&whole[..cut]), None, "{cut}");
    }
    for file in [
        &b""[..],
        b"\xFF\xD8",
        b"\xFF\xD8\xFF\xC0\0\x02",
        b"\xFF\xD8\xFF\xDA\0\x02",
        b"RIFF....WEBP",
    ] {
        assert_eq!(image::read(file), None);
    }
    // Four thousand million pixels in thirty bytes.
    let mut bomb = whole.clone();
    bomb[16..24].copy_from_slice(&[0, 0, 255, 255, 0, 0, 255, 255]);
    assert_eq!(image::read(&bomb), None);
    let options = PrintOptions {
        logo: Some(&bomb),
        ..PrintOptions::default()
    };
    assert_eq!(
        danfe(&Generator::default().xml(), &options),
        Err(DanfeError::Logo)
    );
}
