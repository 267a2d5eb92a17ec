use prints::code128::{Code128, Impossible, PATTERNS, START_C, TO_A, TO_C};
use std::fmt::Write as _;

fn symbols(text: &str) -> Vec<u8> {
    Code128::new(text).expect("a bar code").symbols().to_vec()
}

/// Reads symbols back; none if the check fails.
fn decode(symbols: &[u8]) -> Option<String> {
    let (dv, data) = symbols.split_last()?;
    let sum: usize = data
        .iter()
        .enumerate()
        .map(|(at, value)| at.max(1) * usize::from(*value))
        .sum();
    let mut in_c = *data.first()? == START_C;
    let mut out = String::new();
    for value in data.iter().skip(1) {
        match (in_c, *value) {
            (true, TO_A) => in_c = false,
            (false, TO_C) => in_c = true,
            (true, pair @ 0..=99) => write!(out, "{pair:02}").ok()?,
            (false, letter @ 0..64) => out.push(char::from(letter + b' ')),
            _ => return None,
        }
    }
    (sum % 103 == usize::from(*dv)).then_some(out)
}

#[test]
fn the_example_of_the_technical_note() {
    // NT 2025.001 conjunta, §6 (second-hand): the sets and the check.
    assert_eq!(symbols("5225AB83"), [105, 52, 25, 101, 33, 34, 99, 83, 30]);
}

#[test]
fn a_key_of_digits_is_all_in_set_c() {
    let chave = "35261012345678000195550010000015231123456780";
    let code = Code128::new(chave).expect("a bar code");
    assert_eq!(code.symbols().len(), 1 + 22 + 1, "{code:?}");
    assert_eq!(code.modules(), 277);
    assert_eq!(
        code.widths().iter().map(|w| usize::from(*w)).sum::<usize>(),
        277
    );
}

#[test]
fn every_text_comes_back_and_none_is_longer_than_in_one_set() {
    let alphabet = b"0123456789ABCXYZ _-";
    let mut state = 7_u32;
    for size in 1..=60 {
        for _ in 0..40 {
            let text: String = (0..size)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Mostly digits, as in keys.
                    let random = (state >> 24) as usize;
                    let limit = if random.is_multiple_of(5) {
                        alphabet.len()
                    } else {
                        10
                    };
                    char::from(alphabet[(state >> 8) as usize % limit])
                })
                .collect();
            let found = symbols(&text);
            assert_eq!(decode(&found).as_deref(), Some(&*text));
            assert!(found.len() <= text.len() + 2);
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    for text in ["", "abc", "ção", "\n", &"1".repeat(129)] {
        assert_eq!(Code128::new(text), Err(Impossible));
    }
}

#[test]
fn every_pattern_has_eleven_modules_and_is_its_own() {
    let mut seen = std::collections::BTreeSet::new();
    for pattern in PATTERNS {
        let sum: u32 = pattern.bytes().map(|b| u32::from(b - b'0')).sum();
        assert_eq!(sum, 11);
        // Bars of a symbol have an even number of modules.
        let bars: u32 = pattern
            .bytes()
            .step_by(2)
            .map(|b| u32::from(b - b'0'))
            .sum();
        assert_eq!(bars % 2, 0);
        assert!(seen.insert(pattern));
    }
}
