//! Code 128 bar codes (ISO/IEC 15417), code sets A and C: what access keys need.
//!
//! A key of digits alone is written in set C, two digits a symbol. Letters of an
//! alphanumeric CNPJ need set A; such a key changes sets where that takes fewer
//! symbols, C where it is a tie (NT 2025.001 conjunta, §6, second-hand: hybrid of
//! A and C).

/// Longest text: a bar code of it is a metre wide anyway.
const MAX: usize = 128;

const START_A: u8 = 103;
/// Symbol that starts a bar code in set C.
pub const START_C: u8 = 105;
/// Symbol that changes from set C to set A.
pub const TO_A: u8 = 101;
/// Symbol that changes from set A to set C.
pub const TO_C: u8 = 99;
/// Seven elements: bar, space, bar, space, bar, space, bar.
const END: [u8; 7] = [2, 3, 3, 1, 1, 1, 2];

/// A character that set A does not have, or more characters than are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a text for Code 128: 1 to {MAX} characters from space to underscore")]
pub struct Impossible;

/// A bar code, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code128 {
    symbols: Vec<u8>,
}

impl Code128 {
    /// The shortest bar code of a text of ASCII from space to underscore: digits,
    /// capital letters and punctuation.
    ///
    /// # Errors
    /// Any other character; no character, or more than 128.
    pub fn new(text: &str) -> Result<Code128, Impossible> {
        let text = text.as_bytes();
        if text.is_empty() || text.len() > MAX || !text.iter().all(|b| (b' '..=b'_').contains(b)) {
            return Err(Impossible);
        }
        let mut symbols = choose(text);
        let sum: u32 = symbols
            .iter()
            .enumerate()
            .map(|(at, value)| at.max(1) as u32 * u32::from(*value))
            .sum();
        // Always below 103.
        symbols.push(u8::try_from(sum % 103).unwrap_or(0));
        Ok(Code128 { symbols })
    }

    /// Values of the symbols: start, data, check; without the stop.
    pub fn symbols(&self) -> &[u8] {
        &self.symbols
    }

    /// Widths in modules of bar, space, bar, space… from the start to the stop,
    /// without the quiet zones, which take ten modules on either side.
    pub fn widths(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.symbols.len() * 6 + END.len());
        for symbol in &self.symbols {
            let pattern = PATTERNS.get(usize::from(*symbol)).copied().unwrap_or("");
            out.extend(pattern.bytes().map(|digit| digit.saturating_sub(b'0')));
        }
        out.extend(END);
        out
    }

    /// Modules from the first to the last bar.
    pub fn modules(&self) -> usize {
        self.symbols.len() * 11 + 13
    }
}

/// Symbols from the start on, without the check: for each position counted from
/// the end, how many symbols the rest takes in either set.
fn choose(text: &[u8]) -> Vec<u8> {
    let pair = |at: usize| {
        let [a, b] = *text.get(at..at + 2)? else {
            return None;
        };
        (a.is_ascii_digit() && b.is_ascii_digit()).then(|| (a - b'0') * 10 + (b - b'0'))
    };
    let far = usize::MAX / 2;
    // Symbols left when in set A and when in set C at each position.
    let mut cost = vec![(0, 0); text.len() + 2];
    for at in (0..text.len()).rev() {
        let after = |step: usize| cost.get(at + step).copied().unwrap_or((far, far));
        let in_a = 1 + after(1).0;
        let in_c = pair(at).map_or(far, |_| 1 + after(2).1);
        if let Some(here) = cost.get_mut(at) {
            *here = (in_a.min(1 + in_c), in_c.min(1 + in_a));
        }
    }
    let cost_of = |at: usize| cost.get(at).copied().unwrap_or((0, 0));
    let mut in_c = cost_of(0).1 <= cost_of(0).0;
    let mut symbols = vec![if in_c { START_C } else { START_A }];
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let (a, c) = cost_of(at);
        // Stays in C as long as that is cheapest, changes to C at a tie.
        let continues_in_c = pair(at).is_some() && 1 + cost_of(at + 2).1 == c;
        if in_c && !continues_in_c {
            symbols.push(TO_A);
            in_c = false;
            continue;
        }
        if !in_c && continues_in_c && c < a {
            symbols.push(TO_C);
            in_c = true;
            continue;
        }
        if in_c {
            symbols.extend(pair(at));
            at += 2;
        } else {
            symbols.push(byte - b' ');
            at += 1;
        }
    }
    symbols
}

/// Widths in modules of bar, space, bar, space, bar, space of each value, a
/// digit each (ISO/IEC 15417, table 1).
#[rustfmt::skip]
pub const PATTERNS: [&str; 106] = [
    "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212",
    "221213", "221312", "231212", "112232", "122132", "122231", "113222", "123122", "123221",
    "223211", "221132", "221231", "213212", "223112", "312131", "311222", "321122", "321221",
    "312212", "322112", "322211", "212123", "212321", "232121", "111323", "131123", "131321",
    "112313", "132113", "132311", "211313", "231113", "231311", "112133", "112331", "132131",
    "113123", "113321", "133121", "313121", "211331", "231131", "213113", "213311", "213131",
    "311123", "311321", "331121", "312113", "312311", "332111", "314111", "221411", "431111",
    "111224", "111422", "121124", "121421", "141122", "141221", "112214", "112412", "122114",
    "122411", "142112", "142211", "241211", "221114", "413111", "241112", "134111", "111242",
    "121142", "121241", "114212", "124112", "124211", "411212", "421112", "421211", "212141",
    "214121", "412121", "111143", "111341", "131141", "114113", "114311", "411113", "411311",
    "113141", "114131", "311141", "411131", "211412", "211214", "211232",
];
