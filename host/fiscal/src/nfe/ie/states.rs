//! The rule of each state. Numbers come as digits; every rule looks at the
//! length first.

/// How many digits numbers of a state have; none for no state.
pub(super) fn tamanhos(uf: &str) -> &'static [usize] {
    match uf {
        "RJ" => &[8],
        "BA" => &[8, 9],
        "RN" => &[9, 10],
        "TO" => &[9, 11],
        "PE" | "RO" => &[9, 14],
        "AL" | "AP" | "AM" | "CE" | "ES" | "GO" | "MA" | "MS" | "PA" | "PB" | "PI" | "RR"
        | "SC" | "SE" => &[9],
        "PR" | "RS" => &[10],
        "MT" => &[11],
        "SP" => &[12],
        "AC" | "DF" | "MG" => &[13],
        _ => &[],
    }
}

/// Does the number follow the rule of its state?
pub(super) fn confere(uf: &str, ie: &[u32]) -> bool {
    match (uf, ie.len()) {
        ("AC", 13) => comeca(ie, &[&[0, 1]]) && dois(ie, 2),
        ("AL", 9) => comeca(ie, &[&[2, 4]]) && um(ie),
        ("AP", 9) => comeca(ie, &[&[0, 3]]) && ap(ie),
        ("AM" | "CE" | "ES" | "PB" | "PI" | "SC" | "SE", 9) => um(ie),
        ("BA", 8 | 9) => ba(ie),
        ("DF", 13) => dois(ie, 2),
        ("GO", 9) => go(ie),
        ("MA", 9) => comeca(ie, &[&[1, 2]]) && um(ie),
        ("MT", 11) => um(ie),
        // 50: numbers of the register of 2025 (second-hand).
        ("MS", 9) => comeca(ie, &[&[2, 8], &[5, 0]]) && um(ie),
        ("MG", 13) => mg(ie),
        // 75 to 79: numbers of recent years (second-hand).
        ("PA", 9) => comeca(ie, &[&[1, 5], &[7, 5], &[7, 6], &[7, 7], &[7, 8], &[7, 9]]) && um(ie),
        ("PR", 10) => pr(ie),
        ("PE", 9) => dois(ie, 2),
        ("PE", 14) => sobra(ie, &[5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RJ", 8) => pesos(ie, &[2, 7, 6, 5, 4, 3, 2]),
        ("RN", 9) => comeca(ie, &[&[2, 0]]) && um(ie),
        ("RN", 10) => comeca(ie, &[&[2, 0]]) && pesos(ie, &[10, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RS", 10) => um(ie),
        // Until 2000: three digits of municipality that do not weigh.
        ("RO", 9) => sobra(ie.get(3..).unwrap_or_default(), &[6, 5, 4, 3, 2]),
        ("RO", 14) => sobra(ie, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RR", 9) => comeca(ie, &[&[2, 4]]) && rr(ie),
        ("SP", 12) => sp(ie),
        ("TO", 9) => um(ie),
        ("TO", 11) => to_antiga(ie),
        _ => false,
    }
}

/// São Paulo, rural producers: `P`, then eight digits, a check digit and three
/// digits that are not checked.
pub(super) fn sp_rural(ie: &[u32]) -> bool {
    ie.len() == 12 && ie.first() == Some(&0) && ie.get(8) == Some(&sp_primeiro(ie))
}

fn comeca(ie: &[u32], inicios: &[&[u32]]) -> bool {
    inicios.iter().any(|inicio| ie.starts_with(inicio))
}

/// Weights 2 to 9 from the right, again and again.
fn soma(corpo: &[u32]) -> u32 {
    corpo
        .iter()
        .rev()
        .zip((2..=9).cycle())
        .map(|(d, peso)| d * peso)
        .sum()
}

fn soma_com(corpo: &[u32], pesos: &[u32]) -> u32 {
    corpo.iter().zip(pesos).map(|(d, peso)| d * peso).sum()
}

/// 11 less the rest; 10 and 11 become 0.
fn onze(soma: u32) -> u32 {
    match soma % 11 {
        0 | 1 => 0,
        resto => 11 - resto,
    }
}

/// The last digit checks the others, common weights.
fn um(ie: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, corpo)| *dv == onze(soma(corpo)))
}

/// The last `n` digits check what is before each, common weights.
fn dois(ie: &[u32], n: usize) -> bool {
    let corpo = ie.len().saturating_sub(n);
    (corpo + 1..=ie.len()).all(|fim| ie.get(..fim).is_some_and(um))
}

/// The last digit by weights of the state's own.
fn pesos(ie: &[u32], pesos: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, corpo)| *dv == onze(soma_com(corpo, pesos)))
}

/// Like [`pesos`], but 10 becomes 0 and 11 becomes 1.
fn sobra(ie: &[u32], pesos: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, corpo)| *dv == (11 - soma_com(corpo, pesos) % 11) % 10)
}

/// Number of the first digits, to compare with ranges.
fn numero(ie: &[u32], digitos: usize) -> u32 {
    ie.iter().take(digitos).fold(0, |total, d| total * 10 + d)
}

/// Amapá: two ranges add something to the sum and have their own digit for 11.
fn ap(ie: &[u32]) -> bool {
    let (parcela, para_onze) = match numero(ie, 8) {
        3_000_001..=3_017_000 => (5, 0),
        3_017_001..=3_019_022 => (9, 1),
        _ => (0, 0),
    };
    let Some((dv, corpo)) = ie.split_last() else {
        return false;
    };
    let certo = match (soma(corpo) + parcela) % 11 {
        0 => para_onze,
        1 => 0,
        resto => 11 - resto,
    };
    *dv == certo
}

/// Bahia: eight digits or nine; the last is computed first, and the first (of
/// nine, the second) tells the modulus.
fn ba(ie: &[u32]) -> bool {
    let Some((corpo, [primeiro, segundo])) = ie.split_last_chunk::<2>() else {
        return false;
    };
    let guia = ie.get(ie.len().saturating_sub(8)).copied().unwrap_or(0);
    let digito = |soma: u32| match guia {
        6 | 7 | 9 => onze(soma),
        _ => (10 - soma % 10) % 10,
    };
    let com_segundo: Vec<u32> = corpo.iter().copied().chain([*segundo]).collect();
    // Nine digits are at most: weights never start again.
    *segundo == digito(soma(corpo)) && *primeiro == digito(soma(&com_segundo))
}

/// Goiás: in one range a rest of 1 gives 1; the number 11094402 has two digits.
fn go(ie: &[u32]) -> bool {
    let inicio = numero(ie, 2);
    let Some((dv, corpo)) = ie.split_last() else {
        return false;
    };
    if !matches!(inicio, 10 | 11 | 15 | 20..=29) {
        return false;
    }
    let base = numero(ie, 8);
    if base == 11_094_402 {
        return *dv <= 1;
    }
    let certo = match soma(corpo) % 11 {
        0 => 0,
        1 if (10_103_105..=10_119_997).contains(&base) => 1,
        1 => 0,
        resto => 11 - resto,
    };
    *dv == certo
}

/// Minas Gerais: modulus 10 with a zero put in after the municipality, then
/// modulus 11.
fn mg(ie: &[u32]) -> bool {
    let Some((corpo, [primeiro, segundo])) = ie.split_last_chunk::<2>() else {
        return false;
    };
    let com_zero = corpo.iter().take(3).chain(&[0]).chain(corpo.iter().skip(3));
    let soma: u32 = com_zero
        .zip([1, 2].into_iter().cycle())
        .map(|(d, peso)| d * peso)
        .map(|produto| produto / 10 + produto % 10)
        .sum();
    let com_primeiro = ie.get(..12).unwrap_or_default();
    *primeiro == (10 - soma % 10) % 10
        && *segundo
            == onze(soma_com(
                com_primeiro,
                &[3, 2, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
            ))
}

/// Paraná: weights go up to 7.
fn pr(ie: &[u32]) -> bool {
    ie.get(..9)
        .is_some_and(|ie| pesos(ie, &[3, 2, 7, 6, 5, 4, 3, 2]))
        && pesos(ie, &[4, 3, 2, 7, 6, 5, 4, 3, 2])
}

/// Roraima: weights 1 to 8, the rest by 9 is the digit.
fn rr(ie: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, corpo)| *dv == soma_com(corpo, &[1, 2, 3, 4, 5, 6, 7, 8]) % 9)
}

fn sp_primeiro(ie: &[u32]) -> u32 {
    soma_com(ie, &[1, 3, 4, 5, 6, 7, 8, 10]) % 11 % 10
}

/// São Paulo: the rest itself is the digit (its last figure); the ninth and the
/// last position check.
fn sp(ie: &[u32]) -> bool {
    let corpo = ie.get(..11).unwrap_or_default();
    let ultimo = soma_com(corpo, &[3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11 % 10;
    ie.get(8) == Some(&sp_primeiro(ie)) && ie.last() == Some(&ultimo)
}

/// Tocantins until 2002: the third and fourth digits are the kind of taxpayer
/// and do not weigh.
fn to_antiga(ie: &[u32]) -> bool {
    let tipo = ie.get(2..4).map_or(0, |tipo| numero(tipo, 2));
    let resto: Vec<u32> = ie
        .iter()
        .take(2)
        .chain(ie.iter().skip(4))
        .copied()
        .collect();
    matches!(tipo, 1..=3 | 99) && um(&resto)
}
