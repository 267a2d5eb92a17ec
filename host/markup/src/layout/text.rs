//! Text as the layouts allow it.

/// Text that a field of type `TString` takes: no line breaks or tabs, no space
/// at the ends or doubled, nothing outside of Latin-1 (MOC, Anexo I, TString).
///
/// Typographic characters become their plain equivalents; what has none is left out.
pub fn normalize_text(text: &str) -> String {
    match is_normal(text) {
        true => text.to_owned(),
        false => normalized(text),
    }
}

/// Is it surely such a text already, as nearly all are? Bytes tell: those of a longer character
/// are judged by its first one, and only 0xC3 stands for nothing but letters of Latin-1 (and its
/// two signs of multiplication and division).
fn is_normal(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        let stays = match byte {
            b' ' => before != b' ',
            b'!'..=b'~' | 0x80..=0xBF | 0xC3 => true,
            _ => false,
        };
        if !stays {
            return false;
        }
        before = byte;
    }
    before != b' ' || text.is_empty()
}

fn normalized(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut namespace = false;
    for c in text.chars() {
        let simples: &str = match c {
            '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{2032}' => "'",
            '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{2033}' => "\"",
            '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
            '\u{2026}' => "...",
            '\u{2022}' => "-",
            '\u{20AC}' => "EUR",
            '\u{2122}' => "(TM)",
            '\u{FB01}' => "fi",
            '\u{FB02}' => "fl",
            c if c.is_whitespace() || c == '\u{A0}' => " ",
            '!'..='~' | '\u{A1}'..='\u{FF}' => {
                if namespace && !output.is_empty() {
                    output.push(' ');
                }
                namespace = false;
                output.push(c);
                continue;
            }
            _ => continue,
        };
        if simples == " " {
            namespace = true;
            continue;
        }
        if namespace && !output.is_empty() {
            output.push(' ');
        }
        namespace = false;
        output.push_str(simples);
    }
    output
}
