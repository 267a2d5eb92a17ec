//! Check digits of state registrations.
//!
//! Source: the calculation rules each state publishes at SINTEGRA, from
//! memory and second-hand descriptions; not confirmed by a state's service.

/// True when the registration has the form and the digits of its state.
pub fn ie_ok(uf: &str, ie: &str) -> bool {
    let d: Vec<u32> = ie.chars().filter_map(|c| c.to_digit(10)).collect();
    let rural_sp = uf == "SP" && ie.starts_with('P') && d.len() + 1 == ie.chars().count();
    if d.len() != ie.chars().count() && !rural_sp {
        return false;
    }
    if d.iter().all(|n| *n == 0) {
        return false;
    }
    let starts = |list: &[&str]| list.iter().any(|p| ie.starts_with(p));
    match uf {
        "AC" => d.len() == 13 && starts(&["01"]) && twelve_and_two(&d),
        "DF" => d.len() == 13 && starts(&["07", "08"]) && twelve_and_two(&d),
        "AL" => d.len() == 9 && starts(&["24"]) && last(&d, times_ten(&d, 9)),
        "RN" => matches!(d.len(), 9 | 10) && starts(&["20"]) && last(&d, times_ten(&d, d.len())),
        "AP" => d.len() == 9 && starts(&["03"]) && amapa(&d),
        "AM" => d.len() == 9 && amazonas(&d),
        "BA" => matches!(d.len(), 8 | 9) && bahia(&d),
        "CE" | "ES" | "PB" | "PI" | "SC" | "SE" => d.len() == 9 && nine(&d),
        "MA" => d.len() == 9 && starts(&["12"]) && nine(&d),
        "MS" => d.len() == 9 && starts(&["28", "50"]) && nine(&d),
        "PA" => d.len() == 9 && starts(&["15", "75", "76", "77", "78", "79"]) && nine(&d),
        "GO" => d.len() == 9 && starts(&["10", "11", "15", "2"]) && goias(&d),
        "MG" => d.len() == 13 && minas(&d),
        "MT" => d.len() == 11 && last(&d, eleven(&d, &[3, 2, 9, 8, 7, 6, 5, 4, 3, 2])),
        "PE" => pernambuco(&d),
        "PR" => {
            d.len() == 10
                && d.get(8) == Some(&eleven(&d, &[3, 2, 7, 6, 5, 4, 3, 2]))
                && last(&d, eleven(&d, &[4, 3, 2, 7, 6, 5, 4, 3, 2]))
        }
        "RJ" => d.len() == 8 && last(&d, eleven(&d, &[2, 7, 6, 5, 4, 3, 2])),
        "RO" => d.len() == 14 && last(&d, minus_ten(&d, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])),
        "RR" => d.len() == 9 && starts(&["24"]) && last(&d, sum(&d, &[1, 2, 3, 4, 5, 6, 7, 8]) % 9),
        "RS" => d.len() == 10 && last(&d, eleven(&d, &[2, 9, 8, 7, 6, 5, 4, 3, 2])),
        "SP" => sao_paulo(&d, rural_sp),
        "TO" => tocantins(&d, ie),
        _ => false,
    }
}

fn sum(d: &[u32], weights: &[u32]) -> u32 {
    d.iter().zip(weights).map(|(d, w)| d * w).sum()
}

fn last(d: &[u32], digit: u32) -> bool {
    d.last() == Some(&digit)
}

/// 11 less the rest; 0 when that has two digits.
fn eleven(d: &[u32], weights: &[u32]) -> u32 {
    match sum(d, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// 11 less the rest, less 10 when that has two digits.
fn minus_ten(d: &[u32], weights: &[u32]) -> u32 {
    (11 - sum(d, weights) % 11) % 10
}

fn nine(d: &[u32]) -> bool {
    last(d, eleven(d, &[9, 8, 7, 6, 5, 4, 3, 2]))
}

fn twelve_and_two(d: &[u32]) -> bool {
    d.get(11) == Some(&eleven(d, &[4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))
        && last(d, eleven(d, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))
}

/// Weights from the length down to 2, sum times ten.
fn times_ten(d: &[u32], length: usize) -> u32 {
    let weights: Vec<u32> = (2..=u32::try_from(length).unwrap_or(0)).rev().collect();
    sum(d, &weights) * 10 % 11 % 10
}

fn amapa(d: &[u32]) -> bool {
    let number = d.iter().take(8).fold(0, |n, d| n * 10 + d);
    let (plus, when_eleven) = match number {
        3_000_001..=3_017_000 => (5, 0),
        3_017_001..=3_019_022 => (9, 1),
        _ => (0, 0),
    };
    let digit = match 11 - (plus + sum(d, &[9, 8, 7, 6, 5, 4, 3, 2])) % 11 {
        10 => 0,
        11 => when_eleven,
        digit => digit,
    };
    last(d, digit)
}

fn amazonas(d: &[u32]) -> bool {
    let total = sum(d, &[9, 8, 7, 6, 5, 4, 3, 2]);
    if total < 11 {
        last(d, 11 - total)
    } else {
        nine(d)
    }
}

fn bahia(d: &[u32]) -> bool {
    let body = d.len() - 2;
    let decides = d.get(d.len() - 8).copied().unwrap_or(0);
    let module = if matches!(decides, 6 | 7 | 9) { 11 } else { 10 };
    let digit = |total: u32| match (module, total % module) {
        (11, 0 | 1) | (_, 0) => 0,
        (module, rest) => module - rest,
    };
    let top = u32::try_from(body).unwrap_or(0) + 1;
    let second_weights: Vec<u32> = (2..=top).rev().collect();
    let second = digit(sum(d.get(..body).unwrap_or_default(), &second_weights));
    let mut with: Vec<u32> = d.get(..body).unwrap_or_default().to_vec();
    with.push(second);
    let first_weights: Vec<u32> = (2..=top + 1).rev().collect();
    let first = digit(sum(&with, &first_weights));
    d.get(body) == Some(&first) && last(d, second)
}

fn goias(d: &[u32]) -> bool {
    let number = d.iter().take(8).fold(0, |n, d| n * 10 + d);
    let digit = match sum(d, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 {
        0 => 0,
        1 if (10_103_105..=10_119_997).contains(&number) => 1,
        1 => 0,
        rest => 11 - rest,
    };
    last(d, digit)
}

/// The first digit is found with a zero put in behind the municipality.
fn minas(d: &[u32]) -> bool {
    let mut wide: Vec<u32> = d.iter().take(3).copied().collect();
    wide.push(0);
    wide.extend(d.iter().skip(3).take(8));
    let total: u32 = wide
        .iter()
        .zip([1, 2].iter().cycle())
        .map(|(d, w)| d * w)
        .map(|p| p / 10 + p % 10)
        .sum();
    d.get(11) == Some(&((10 - total % 10) % 10))
        && last(d, eleven(d, &[3, 2, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]))
}

fn pernambuco(d: &[u32]) -> bool {
    match d.len() {
        9 => d.get(7) == Some(&eleven(d, &[8, 7, 6, 5, 4, 3, 2])) && nine(d),
        14 => last(d, minus_ten(d, &[5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4, 3, 2])),
        _ => false,
    }
}

fn sao_paulo(d: &[u32], rural: bool) -> bool {
    let first = sum(d, &[1, 3, 4, 5, 6, 7, 8, 10]) % 11 % 10;
    if rural {
        return d.len() == 12 && d.get(8) == Some(&first);
    }
    d.len() == 12
        && d.get(8) == Some(&first)
        && last(d, sum(d, &[3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11 % 10)
}

/// Old registrations have the kind of company in the third and fourth place.
fn tocantins(d: &[u32], ie: &str) -> bool {
    match d.len() {
        9 => nine(d),
        11 => {
            let kind = ie.get(2..4).unwrap_or_default();
            let mut short: Vec<u32> = d.iter().take(2).copied().collect();
            short.extend(d.iter().skip(4));
            matches!(kind, "01" | "02" | "03" | "99") && nine(&short)
        }
        _ => false,
    }
}
