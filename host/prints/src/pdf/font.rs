//! Standard fonts every PDF reader has: encoding, widths, line breaks.

/// Fonts of the documents. NT 008, item 2.4.2, asks for Arial in the DANFSe;
/// Helvetica is the standard font of the same widths and needs no file. So is
/// Times for Times New Roman, which the MOC (Anexo II) names for the DANFE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Font {
    /// Helvetica.
    Normal,
    /// Helvetica-Bold.
    Bold,
    /// Times-Roman.
    Times,
    /// Times-Bold.
    TimesBold,
}

impl Font {
    pub(crate) const ALL: [Font; 4] = [Font::Normal, Font::Bold, Font::Times, Font::TimesBold];

    /// Name among the standard fonts of PDF.
    pub(crate) fn base(self) -> &'static [u8] {
        match self {
            Font::Normal => b"Helvetica",
            Font::Bold => b"Helvetica-Bold",
            Font::Times => b"Times-Roman",
            Font::TimesBold => b"Times-Bold",
        }
    }
}

/// Text in WinAnsi (Windows-1252): tabs and control characters become spaces, a
/// letter followed by a combining accent becomes one, and what the encoding
/// does not have becomes a question mark.
pub fn win_ansi(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        if let Some(composed) = out.last().copied().and_then(|base| compose(base, c)) {
            out.pop();
            out.push(composed);
        } else if let Some(byte) = code(c) {
            out.push(byte);
        }
    }
    out
}

/// Width in points of a text in WinAnsi, `size` points high.
pub fn width(text: &[u8], font: Font, size: f32) -> f32 {
    let thousandths: u32 = text
        .iter()
        .map(|byte| u32::from(advance(*byte, font)))
        .sum();
    thousandths as f32 * size / 1000.0
}

/// Lines no wider than `limit` points, broken at spaces; a word wider than
/// that is broken where it must be. At least one line, each at least one
/// character.
pub fn wrap(text: &[u8], font: Font, size: f32, limit: f32) -> Vec<&[u8]> {
    let limit = (limit * 1000.0 / size) as u32;
    let mut lines = Vec::new();
    let mut start = 0;
    let mut used = 0;
    // Where the line may end, and the width up to there.
    let mut space: Option<(usize, u32)> = None;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let step = u32::from(advance(*byte, font));
        if used + step > limit && at > start && *byte != b' ' {
            let (end, to) = space.take().unwrap_or((at, used));
            lines.push(trim(text, start, end));
            start = end;
            used -= to;
            // The space that broke the line belongs to neither.
            while start < at && text.get(start) == Some(&b' ') {
                used -= u32::from(advance(b' ', font));
                start += 1;
            }
            continue;
        }
        if *byte == b' ' && at > start {
            space = Some((at, used));
        }
        used += step;
        at += 1;
    }
    lines.push(trim(text, start, text.len()));
    lines
}

/// The size, or a smaller one in which the text is no wider than the limit.
pub(crate) fn fit_size(text: &[u8], font: Font, size: f32, limit: f32) -> f32 {
    let takes = width(text, font, size);
    if takes > limit && takes > 0.0 {
        size * limit / takes
    } else {
        size
    }
}

fn trim(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end).unwrap_or(&[]).trim_ascii_end()
}

/// Thousandths of the size.
fn advance(byte: u8, font: Font) -> u16 {
    let table = match font {
        Font::Normal => &NORMAL,
        Font::Bold => &BOLD,
        Font::Times => &TIMES,
        Font::TimesBold => &TIMES_BOLD,
    };
    byte.checked_sub(b' ')
        .and_then(|at| table.get(usize::from(at)))
        .copied()
        .unwrap_or(0)
}

/// None for a character that has no width of its own.
fn code(c: char) -> Option<u8> {
    Some(match c {
        ' '..='~' => c as u8,
        '\u{a0}'..='\u{ff}' if c != '\u{ad}' => c as u32 as u8,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{300}'..='\u{36f}' => return None,
        '\u{2010}' | '\u{2011}' | '\u{2212}' => b'-',
        '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => b' ',
        c if c.is_control() => b' ',
        '€' => 0x80,
        '‚' => 0x82,
        'ƒ' => 0x83,
        '„' => 0x84,
        '…' => 0x85,
        '†' => 0x86,
        '‡' => 0x87,
        'ˆ' => 0x88,
        '‰' => 0x89,
        'Š' => 0x8A,
        '‹' => 0x8B,
        'Œ' => 0x8C,
        'Ž' => 0x8E,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        '˜' => 0x98,
        '™' => 0x99,
        'š' => 0x9A,
        '›' => 0x9B,
        'œ' => 0x9C,
        'ž' => 0x9E,
        'Ÿ' => 0x9F,
        _ => b'?',
    })
}

/// The accented letter of a letter and a combining mark, as Portuguese uses.
fn compose(base: u8, mark: char) -> Option<u8> {
    let (bases, composed): (&[u8], &[u8]) = match mark {
        '\u{300}' => (b"AEIOUaeiou", b"\xC0\xC8\xCC\xD2\xD9\xE0\xE8\xEC\xF2\xF9"),
        '\u{301}' => (b"AEIOUaeiou", b"\xC1\xC9\xCD\xD3\xDA\xE1\xE9\xED\xF3\xFA"),
        '\u{302}' => (b"AEIOUaeiou", b"\xC2\xCA\xCE\xD4\xDB\xE2\xEA\xEE\xF4\xFB"),
        '\u{303}' => (b"AONaon", b"\xC3\xD5\xD1\xE3\xF5\xF1"),
        '\u{308}' => (b"AEIOUaeiou", b"\xC4\xCB\xCF\xD6\xDC\xE4\xEB\xEF\xF6\xFC"),
        '\u{327}' => (b"Cc", b"\xC7\xE7"),
        _ => return None,
    };
    let at = bases.iter().position(|letter| *letter == base)?;
    composed.get(at).copied()
}

// Widths of the codes 32 to 255, from Adobe's metrics of the core 14 fonts.
#[rustfmt::skip]
const NORMAL: [u16; 224] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 350,
    556, 350, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350,
    350, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 350, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
];
#[rustfmt::skip]
const BOLD: [u16; 224] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, 350,
    556, 350, 278, 556, 500, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350,
    350, 278, 278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944, 350, 500, 667,
    278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556, 278, 278, 278, 278,
    611, 611, 611, 611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611, 556,
];

#[rustfmt::skip]
const TIMES: [u16; 224] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
    921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
    333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
    500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541, 350,
    500, 350, 333, 500, 444, 1000, 500, 500, 333, 1000, 556, 333, 889, 350, 611, 350,
    350, 333, 333, 444, 444, 350, 500, 1000, 333, 980, 389, 333, 722, 350, 444, 722,
    250, 333, 500, 500, 500, 500, 200, 500, 333, 760, 276, 500, 564, 333, 760, 333,
    400, 564, 300, 300, 333, 500, 453, 250, 333, 300, 310, 500, 750, 750, 750, 444,
    722, 722, 722, 722, 722, 722, 889, 667, 611, 611, 611, 611, 333, 333, 333, 333,
    722, 722, 722, 722, 722, 722, 722, 564, 722, 722, 722, 722, 722, 722, 556, 500,
    444, 444, 444, 444, 444, 444, 667, 444, 444, 444, 444, 444, 278, 278, 278, 278,
    500, 500, 500, 500, 500, 500, 500, 564, 500, 500, 500, 500, 500, 500, 500, 500,
];
#[rustfmt::skip]
const TIMES_BOLD: [u16; 224] = [
    250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500,
    930, 722, 667, 722, 722, 667, 611, 778, 778, 389, 500, 778, 667, 944, 722, 778,
    611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581, 500,
    333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500,
    556, 556, 444, 389, 333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520, 350,
    500, 350, 333, 500, 500, 1000, 500, 500, 333, 1000, 556, 333, 1000, 350, 667, 350,
    350, 333, 333, 500, 500, 350, 500, 1000, 333, 1000, 389, 333, 722, 350, 444, 722,
    250, 333, 500, 500, 500, 500, 220, 500, 333, 747, 300, 500, 570, 333, 747, 333,
    400, 570, 300, 300, 333, 556, 540, 250, 333, 300, 330, 500, 750, 750, 750, 500,
    722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 389, 389, 389, 389,
    722, 722, 778, 778, 778, 778, 778, 570, 778, 722, 722, 722, 722, 722, 611, 556,
    500, 500, 500, 500, 500, 500, 722, 444, 444, 444, 444, 444, 278, 278, 278, 278,
    500, 556, 500, 500, 500, 500, 500, 570, 500, 556, 556, 556, 556, 500, 556, 500,
];
