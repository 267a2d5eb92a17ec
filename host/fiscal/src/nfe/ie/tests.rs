//! State registrations: published examples, and numbers made here.

use super::*;

/// Examples that the states publish with their rules.
const EXEMPLOS: [(&str, &str); 44] = [
    ("AC", "01.004.823/001-12"),
    ("AL", "240000048"),
    ("AP", "030123459"),
    ("BA", "123456-63"),
    ("BA", "612345-57"),
    ("BA", "1000003-06"),
    ("CE", "06000001-5"),
    ("DF", "07300001001-09"),
    ("ES", "99999999-0"),
    ("GO", "10.987.654-7"),
    ("GO", "110944020"),
    ("GO", "110944021"),
    ("MA", "12000038-5"),
    ("MT", "0013000001-9"),
    ("MT", "13000001-9"),
    ("MG", "062.307.904/0081"),
    ("PA", "15999999-5"),
    ("PB", "06000001-5"),
    ("PR", "123.45678-50"),
    ("PE", "0321418-40"),
    ("PE", "18.1.001.0000004-9"),
    ("PI", "01234567-9"),
    ("RJ", "99.999.99-3"),
    ("RN", "20.040.040-1"),
    ("RN", "20.0.040.040-0"),
    ("RS", "224/365879-2"),
    ("RO", "101.62521-3"),
    ("RO", "0000000062521-3"),
    ("RR", "24006628-1"),
    ("RR", "24001755-6"),
    ("RR", "24003429-0"),
    ("RR", "24001360-3"),
    ("RR", "24008266-8"),
    ("RR", "24006153-6"),
    ("RR", "24007356-2"),
    ("RR", "24005467-4"),
    ("RR", "24004145-5"),
    ("RR", "24001340-7"),
    ("SC", "251.040.852"),
    ("SP", "110.042.490.114"),
    ("SP", "P-01100424.3/002"),
    ("SE", "27123456-3"),
    ("TO", "29.01.022783-6"),
    ("TO", "29.022.783-6"),
];

/// Length, beginning and positions of check digits of each kind of number.
const FORMATOS: [(&str, usize, &str, &[usize]); 33] = [
    ("AC", 13, "01", &[11, 12]),
    ("AL", 9, "24", &[8]),
    ("AP", 9, "030", &[8]),
    ("AM", 9, "04", &[8]),
    ("BA", 8, "1", &[6, 7]),
    ("BA", 8, "7", &[6, 7]),
    ("BA", 9, "10", &[7, 8]),
    ("BA", 9, "19", &[7, 8]),
    ("CE", 9, "06", &[8]),
    ("DF", 13, "07", &[11, 12]),
    ("ES", 9, "08", &[8]),
    ("GO", 9, "101", &[8]),
    ("GO", 9, "20", &[8]),
    ("MA", 9, "12", &[8]),
    ("MT", 11, "0013", &[10]),
    ("MS", 9, "28", &[8]),
    ("MG", 13, "062", &[11, 12]),
    ("PA", 9, "15", &[8]),
    ("PB", 9, "16", &[8]),
    ("PR", 10, "9", &[8, 9]),
    ("PE", 9, "0", &[7, 8]),
    ("PE", 14, "181", &[13]),
    ("PI", 9, "19", &[8]),
    ("RJ", 8, "7", &[7]),
    ("RN", 9, "20", &[8]),
    ("RN", 10, "20", &[9]),
    ("RS", 10, "096", &[9]),
    ("RO", 9, "101", &[8]),
    ("RO", 14, "00000000", &[13]),
    ("RR", 9, "24", &[8]),
    ("SC", 9, "25", &[8]),
    ("SP", 12, "1", &[8, 11]),
    ("TO", 11, "2901", &[10]),
];

/// Repeatable numbers (xorshift).
struct Dados(u64);

impl Dados {
    fn digito(&mut self) -> char {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        char::from_digit((self.0 % 10) as u32, 10).unwrap_or('0')
    }

    fn numero(&mut self, tamanho: usize, inicio: &str) -> Vec<char> {
        let mut ie: Vec<char> = inicio.chars().collect();
        while ie.len() < tamanho {
            ie.push(self.digito());
        }
        ie
    }
}

fn com(ie: &[char], posicoes: &[usize], valor: usize) -> String {
    let mut ie = ie.to_vec();
    let mut resto = valor;
    for posicao in posicoes.iter().rev() {
        ie[*posicao] = char::from_digit((resto % 10) as u32, 10).unwrap_or('0');
        resto /= 10;
    }
    ie.into_iter().collect()
}

#[test]
fn published_examples() {
    for (uf, ie) in EXEMPLOS {
        assert!(valida(uf, ie), "{uf} {ie}");
    }
    let ufs: std::collections::BTreeSet<&str> = EXEMPLOS.iter().map(|(uf, _)| *uf).collect();
    // Amazonas and Mato Grosso do Sul publish no number with digits.
    assert_eq!(ufs.len(), 25);
}

#[test]
fn for_each_body_one_check_digit_and_no_other() {
    let mut dados = Dados(0x05EE_D1E5);
    for (uf, tamanho, inicio, dvs) in FORMATOS {
        for _ in 0..400 {
            let ie = dados.numero(tamanho, inicio);
            let combinacoes = 10_usize.pow(dvs.len() as u32);
            let certas = (0..combinacoes)
                .filter(|valor| valida(uf, &com(&ie, dvs, *valor)))
                .count();
            // Bahia's second digit feeds the first: still one pair.
            assert_eq!(certas, 1, "{uf} {ie:?}");
        }
    }
}

/// In its range of exceptions Goiás writes 1 where others write 0.
#[test]
fn goias_has_a_range_of_its_own() {
    let dv_de = |base: u32| {
        (0..10)
            .find(|dv| valida("GO", &format!("{base:08}{dv}")))
            .expect("one is right")
    };
    let resto = |base: u32| {
        let soma: u32 = format!("{base:08}")
            .bytes()
            .zip((2..=9).rev())
            .map(|(b, peso)| u32::from(b - b'0') * peso)
            .sum();
        soma % 11
    };
    for (base, esperado) in [
        ((10_103_105..=10_119_997).find(|base| resto(*base) == 1), 1),
        ((10_119_998..10_200_000).find(|base| resto(*base) == 1), 0),
        ((10_103_105..=10_119_997).find(|base| resto(*base) == 0), 0),
    ] {
        let base = base.expect("there is one");
        assert_eq!(dv_de(base), esperado, "{base}");
    }
}

/// Amapá's three ranges, by the digits they give to the same rest.
#[test]
fn amapa_has_three_ranges() {
    let dv_de = |base: u32| {
        (0..10)
            .find(|dv| valida("AP", &format!("{base:08}{dv}")))
            .expect("one is right")
    };
    let soma = |base: u32| -> u32 {
        format!("{base:08}")
            .bytes()
            .zip((2..=9).rev())
            .map(|(b, peso)| u32::from(b - b'0') * peso)
            .sum()
    };
    for (faixa, parcela, para_onze) in [
        (3_000_001..=3_017_000, 5, 0),
        (3_017_001..=3_019_022, 9, 1),
        (3_019_023..=3_030_000, 0, 0),
    ] {
        for base in faixa.step_by(7) {
            let certo = match 11 - (soma(base) + parcela) % 11 {
                11 => para_onze,
                10 => 0,
                dv => dv,
            };
            assert_eq!(dv_de(base), certo, "{base}");
        }
    }
}

#[test]
fn a_wrong_digit_is_seen() {
    let mut dados = Dados(0xD1617);
    for (uf, tamanho, inicio, dvs) in FORMATOS {
        let mut mudados = 0_u32;
        let mut vistos = 0_u32;
        for _ in 0..100 {
            let ie = dados.numero(tamanho, inicio);
            let certa = (0..10_usize.pow(dvs.len() as u32))
                .map(|valor| com(&ie, dvs, valor))
                .find(|ie| valida(uf, ie))
                .expect("one is right");
            for posicao in 0..tamanho {
                let mut outra: Vec<char> = certa.chars().collect();
                let novo = dados.digito();
                if outra[posicao] == novo {
                    continue;
                }
                outra[posicao] = novo;
                mudados += 1;
                vistos += u32::from(!valida(uf, &outra.into_iter().collect::<String>()));
            }
        }
        // Rests 0 and 1 share a digit, modulus 10 misses a few, and some
        // positions weigh nothing (RO of nine digits, SP's tenth and eleventh
        // only once): nine in ten are seen, two in three in Rondônia's old form.
        let minimo = if (uf, tamanho) == ("RO", 9) { 60 } else { 80 };
        assert!(
            vistos * 100 >= mudados * minimo,
            "{uf}: {vistos} of {mudados}"
        );
    }
}

#[test]
fn what_is_no_number_is_refused() {
    for uf in ["SP", "MT", "RJ", "BA", "XX", ""] {
        for ie in [
            "",
            "0",
            "000000000",
            "000000000000",
            "ABC",
            "1100424901141",
            "P",
            "é",
            "１１０",
        ] {
            assert!(!valida(uf, ie), "{uf} {ie}");
        }
    }
    assert!(!valida("RJ", "110042490114"), "São Paulo's is not Rio's");
    assert!(
        !valida("SP", "110_042_490_114"),
        "other signs are not punctuation"
    );
    assert!(!valida("SP", &"1".repeat(1_000_000)));
    assert!(!valida("RJ", "P011004243002"));
}

#[test]
fn zeros_in_front_do_not_count() {
    for (uf, cheia, curta) in [
        ("AC", "0100482300112", "100482300112"),
        ("MT", "00130000019", "130000019"),
        ("CE", "060000015", "60000015"),
        ("MG", "0623079040081", "623079040081"),
        ("PE", "032141840", "32141840"),
        ("RO", "00000000625213", "625213"),
    ] {
        assert!(valida(uf, cheia) && valida(uf, curta), "{uf}");
        let dv = curta
            .chars()
            .last()
            .and_then(|dv| dv.to_digit(10))
            .unwrap_or(0);
        let errada = format!("{}{}", &curta[..curta.len() - 1], (dv + 1) % 10);
        assert!(!valida(uf, &errada), "{uf} {errada}");
    }
    assert!(valida("AL", "000240000048"));
    assert!(!valida("AL", "40000048"), "the 2 in front is no zero");
}

#[test]
fn exempt_is_a_word_and_no_number() {
    assert_eq!(le("SP", " isento "), Some(Ie::Isento));
    assert_eq!(le("RJ", "Isenta"), Some(Ie::Isento));
    assert!(!valida("SP", "ISENTO"));
    assert_eq!(
        le("SP", "110.042.490.114"),
        Some(Ie::Numero("110042490114".to_owned()))
    );
    assert_eq!(
        le("SP", "p-01100424.3/002"),
        Some(Ie::Numero("P011004243002".to_owned()))
    );
}
