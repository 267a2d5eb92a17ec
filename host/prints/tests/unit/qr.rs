use std::fmt::Write;

use judges::tool;
use prints::qr::{MAX_BYTES, QrCode, TooLong};

#[test]
fn the_smallest_version_that_fits_is_taken() {
    for (bytes, size) in [
        (0, 21),
        (14, 21),
        (15, 25),
        (106, 41),
        (107, 45),
        (MAX_BYTES, 97),
    ] {
        let code = QrCode::encode(&vec![b'x'; bytes]).expect("fits");
        assert_eq!(code.size(), size, "{bytes} bytes");
    }
    assert_eq!(
        QrCode::encode(&[0; MAX_BYTES + 1]),
        Err(TooLong {
            bytes: MAX_BYTES + 1
        })
    );
}

#[test]
fn outside_the_square_is_light() {
    let code = QrCode::encode(b"x").expect("fits");
    assert!(code.is_dark(0, 0));
    assert!(!code.is_dark(21, 0));
    assert!(!code.is_dark(0, 21));
    assert!(!code.is_dark(usize::MAX, 3));
    assert!(!code.is_dark(3, usize::MAX));
    assert_eq!(code.rows_one_bit().len(), 21 * 3);
    assert_eq!(
        code.rows_one_bit().first(),
        Some(&0b0000_0001 /* finder: seven dark, then light */)
    );
}

/// Every version, read back by a decoder that is not ours.
#[test]
fn a_foreign_decoder_reads_every_version() {
    if tool("zbarimg", &["--version"]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut seen = std::collections::BTreeSet::new();
    for bytes in (1..=MAX_BYTES).step_by(11).chain([MAX_BYTES]) {
        let content: String = (0..bytes)
            .map(|at| char::from(b'!' + ((at * 7 + bytes) % 94) as u8))
            .collect();
        let code = QrCode::encode(content.as_bytes()).expect("fits");
        seen.insert(code.size());
        let file = folder.path().join(format!("{bytes}.pgm"));
        std::fs::write(&file, picture(&code)).expect("write picture");
        let file = file.to_str().expect("path");
        let only_qr = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file];
        let read = tool("zbarimg", &only_qr).expect("the tool was there");
        let text = String::from_utf8(read.stdout).expect("text");
        assert_eq!(text.trim_end_matches('\n'), content, "{bytes} bytes");
    }
    assert_eq!(seen.len(), 20, "not every version was drawn");
}

/// A grey picture, six pixels a module, with the quiet zone.
fn picture(code: &QrCode) -> String {
    const SCALE: usize = 6;
    let side = (code.size() + 8) * SCALE;
    let mut out = format!("P2\n{side} {side}\n255\n");
    for y in 0..side {
        for x in 0..side {
            let dark = (x / SCALE)
                .checked_sub(4)
                .zip((y / SCALE).checked_sub(4))
                .is_some_and(|(column, row)| code.is_dark(column, row));
            write!(out, "{} ", if dark { 0 } else { 255 }).expect("write");
        }
        out.push('\n');
    }
    out
}

/// Read back chunk by chunk: sums, size, and the middle of every module.
#[test]
fn the_picture_shows_the_code_in_its_quiet_zone() {
    use std::io::Read as _;
    let code = QrCode::encode(b"https://exemplo.com.br/qrcode?p=1").expect("fits");
    let file = code.png(3).expect("written");
    let mut rest = file
        .strip_prefix(b"\x89PNG\r\n\x1a\n".as_slice())
        .expect("a PNG");
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[..4].try_into().expect("four")) as usize;
        let mut sum = flate2::Crc::new();
        sum.update(&rest[4..8 + length]);
        assert_eq!(rest[8 + length..12 + length], sum.sum().to_be_bytes());
        chunks.push((rest[4..8].to_vec(), rest[8..8 + length].to_vec()));
        rest = &rest[12 + length..];
    }
    let kinds: Vec<&[u8]> = chunks.iter().map(|(kind, _)| kind.as_slice()).collect();
    assert_eq!(kinds, [b"IHDR", b"IDAT", b"IEND"]);
    let side = (code.size() + 8) * 3;
    let measure = (side as u32).to_be_bytes();
    assert_eq!(
        chunks[0].1,
        [&measure[..], &measure, &[1, 0, 0, 0, 0]].concat()
    );
    let mut raw = Vec::new();
    flate2::read::ZlibDecoder::new(&*chunks[1].1)
        .read_to_end(&mut raw)
        .expect("deflated");
    let line = side.div_ceil(8) + 1;
    assert_eq!(raw.len(), line * side);
    for row in 0..code.size() + 8 {
        for column in 0..code.size() + 8 {
            let (x, y) = (column * 3 + 1, row * 3 + 1);
            let light = raw[y * line + 1 + x / 8] >> (7 - x % 8) & 1 == 1;
            let inside = row >= 4 && column >= 4;
            let dark = inside && code.is_dark(column - 4, row - 4);
            assert_eq!(light, !dark, "column {column}, row {row}");
        }
    }
}
