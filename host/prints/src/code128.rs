//! Code 128 bar codes (ISO/IEC 15417), code sets A and C: what access keys need.
//!
//! A key of digits alone is written in set C, two digits a symbol. Letters of an
//! alphanumeric CNPJ need set A; such a key changes sets where that takes fewer
//! symbols, C where it is a tie (NT 2025.001 conjunta, §6, second-hand: hybrid of
//! A and C).

/// Longest text: a bar code of it is a metre wide anyway.
const MAX: usize = 128;

const INICIO_A: u8 = 103;
const INICIO_C: u8 = 105;
const PARA_A: u8 = 101;
const PARA_C: u8 = 99;
/// Seven elements: bar, space, bar, space, bar, space, bar.
const FIM: [u8; 7] = [2, 3, 3, 1, 1, 1, 2];

/// A character that set A does not have, or more characters than are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a text for Code 128: 1 to {MAX} characters from space to underscore")]
pub struct Impossivel;

/// A bar code, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codigo128 {
    simbolos: Vec<u8>,
}

impl Codigo128 {
    /// The shortest bar code of a text of ASCII from space to underscore: digits,
    /// capital letters and punctuation.
    ///
    /// # Errors
    /// Any other character; no character, or more than 128.
    pub fn novo(texto: &str) -> Result<Codigo128, Impossivel> {
        let texto = texto.as_bytes();
        if texto.is_empty() || texto.len() > MAX || !texto.iter().all(|b| (b' '..=b'_').contains(b))
        {
            return Err(Impossivel);
        }
        let mut simbolos = escolher(texto);
        let soma: u32 = simbolos
            .iter()
            .enumerate()
            .map(|(at, valor)| at.max(1) as u32 * u32::from(*valor))
            .sum();
        // Always below 103.
        simbolos.push(u8::try_from(soma % 103).unwrap_or(0));
        Ok(Codigo128 { simbolos })
    }

    /// Values of the symbols: start, data, check; without the stop.
    pub fn simbolos(&self) -> &[u8] {
        &self.simbolos
    }

    /// Widths in modules of bar, space, bar, space… from the start to the stop,
    /// without the quiet zones, which take ten modules on either side.
    pub fn larguras(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.simbolos.len() * 6 + FIM.len());
        for simbolo in &self.simbolos {
            let padrao = PADROES.get(usize::from(*simbolo)).copied().unwrap_or("");
            out.extend(padrao.bytes().map(|digito| digito.saturating_sub(b'0')));
        }
        out.extend(FIM);
        out
    }

    /// Modules from the first to the last bar.
    pub fn modulos(&self) -> usize {
        self.simbolos.len() * 11 + 13
    }
}

/// Symbols from the start on, without the check: for each position counted from
/// the end, how many symbols the rest takes in either set.
fn escolher(texto: &[u8]) -> Vec<u8> {
    let par = |at: usize| {
        let [a, b] = *texto.get(at..at + 2)? else {
            return None;
        };
        (a.is_ascii_digit() && b.is_ascii_digit()).then(|| (a - b'0') * 10 + (b - b'0'))
    };
    let longe = usize::MAX / 2;
    // Symbols left when in set A and when in set C at each position.
    let mut custo = vec![(0, 0); texto.len() + 2];
    for at in (0..texto.len()).rev() {
        let depois = |passo: usize| custo.get(at + passo).copied().unwrap_or((longe, longe));
        let em_a = 1 + depois(1).0;
        let em_c = par(at).map_or(longe, |_| 1 + depois(2).1);
        if let Some(aqui) = custo.get_mut(at) {
            *aqui = (em_a.min(1 + em_c), em_c.min(1 + em_a));
        }
    }
    let custo_de = |at: usize| custo.get(at).copied().unwrap_or((0, 0));
    let mut em_c = custo_de(0).1 <= custo_de(0).0;
    let mut simbolos = vec![if em_c { INICIO_C } else { INICIO_A }];
    let mut at = 0;
    while let Some(byte) = texto.get(at) {
        let (a, c) = custo_de(at);
        // Stays in C as long as that is cheapest, changes to C at a tie.
        let continua_em_c = par(at).is_some() && 1 + custo_de(at + 2).1 == c;
        if em_c && !continua_em_c {
            simbolos.push(PARA_A);
            em_c = false;
            continue;
        }
        if !em_c && continua_em_c && c < a {
            simbolos.push(PARA_C);
            em_c = true;
            continue;
        }
        if em_c {
            simbolos.extend(par(at));
            at += 2;
        } else {
            simbolos.push(byte - b' ');
            at += 1;
        }
    }
    simbolos
}

/// Bar, space, bar, space, bar, space of each value (ISO/IEC 15417, table 1).
#[rustfmt::skip]
const PADROES: [&str; 106] = [
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn simbolos(texto: &str) -> Vec<u8> {
        Codigo128::novo(texto).expect("a bar code").simbolos
    }

    /// Reads symbols back; none if the check fails.
    fn decodificar(simbolos: &[u8]) -> Option<String> {
        let (dv, dados) = simbolos.split_last()?;
        let soma: usize = dados
            .iter()
            .enumerate()
            .map(|(at, valor)| at.max(1) * usize::from(*valor))
            .sum();
        let mut em_c = *dados.first()? == INICIO_C;
        let mut out = String::new();
        for valor in dados.iter().skip(1) {
            match (em_c, *valor) {
                (true, PARA_A) => em_c = false,
                (false, PARA_C) => em_c = true,
                (true, par @ 0..=99) => write!(out, "{par:02}").ok()?,
                (false, letra @ 0..64) => out.push(char::from(letra + b' ')),
                _ => return None,
            }
        }
        (soma % 103 == usize::from(*dv)).then_some(out)
    }

    #[test]
    fn the_example_of_the_technical_note() {
        // NT 2025.001 conjunta, §6 (second-hand): the sets and the check.
        assert_eq!(simbolos("5225AB83"), [105, 52, 25, 101, 33, 34, 99, 83, 30]);
    }

    #[test]
    fn a_key_of_digits_is_all_in_set_c() {
        let chave = "35261012345678000195550010000015231123456780";
        let codigo = Codigo128::novo(chave).expect("a bar code");
        assert_eq!(codigo.simbolos.len(), 1 + 22 + 1, "{codigo:?}");
        assert_eq!(codigo.modulos(), 277);
        assert_eq!(
            codigo
                .larguras()
                .iter()
                .map(|w| usize::from(*w))
                .sum::<usize>(),
            277
        );
    }

    #[test]
    fn every_text_comes_back_and_none_is_longer_than_in_one_set() {
        let alfabeto = b"0123456789ABCXYZ _-";
        let mut estado = 7_u32;
        for tamanho in 1..=60 {
            for _ in 0..40 {
                let texto: String = (0..tamanho)
                    .map(|_| {
                        estado = estado.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        // Mostly digits, as in keys.
                        let sorte = (estado >> 24) as usize;
                        let limite = if sorte.is_multiple_of(5) {
                            alfabeto.len()
                        } else {
                            10
                        };
                        char::from(alfabeto[(estado >> 8) as usize % limite])
                    })
                    .collect();
                let lidos = simbolos(&texto);
                assert_eq!(decodificar(&lidos).as_deref(), Some(&*texto));
                assert!(lidos.len() <= texto.len() + 2);
            }
        }
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        for texto in ["", "abc", "ção", "\n", &"1".repeat(129)] {
            assert_eq!(Codigo128::novo(texto), Err(Impossivel));
        }
    }

    #[test]
    fn every_pattern_has_eleven_modules_and_is_its_own() {
        let mut vistos = std::collections::BTreeSet::new();
        for padrao in PADROES {
            let soma: u32 = padrao.bytes().map(|b| u32::from(b - b'0')).sum();
            assert_eq!(soma, 11);
            // Bars of a symbol have an even number of modules.
            let barras: u32 = padrao.bytes().step_by(2).map(|b| u32::from(b - b'0')).sum();
            assert_eq!(barras % 2, 0);
            assert!(vistos.insert(padrao));
        }
    }
}
