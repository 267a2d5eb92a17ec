//! The rule of each state. Numbers come as digits; every rule looks at the
//! length first.

/// How many digits numbers of a state have; none for no state.
pub(super) fn lengths(uf: &str) -> &'static [usize] {
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
pub(super) fn check(uf: &str, ie: &[u32]) -> bool {
    match (uf, ie.len()) {
        ("AC", 13) => begins(ie, &[&[0, 1]]) && two(ie, 2),
        ("AL", 9) => begins(ie, &[&[2, 4]]) && one(ie),
        ("AP", 9) => begins(ie, &[&[0, 3]]) && ap(ie),
        ("AM" | "CE" | "ES" | "PB" | "PI" | "SC" | "SE", 9) => one(ie),
        ("BA", 8 | 9) => ba(ie),
        ("DF", 13) => two(ie, 2),
        ("GO", 9) => go(ie),
        ("MA", 9) => begins(ie, &[&[1, 2]]) && one(ie),
        ("MT", 11) => one(ie),
        // 50: numbers of the register of 2025 (second-hand).
        ("MS", 9) => begins(ie, &[&[2, 8], &[5, 0]]) && one(ie),
        ("MG", 13) => mg(ie),
        // 75 to 79: numbers of recent years (second-hand).
        ("PA", 9) => begins(ie, &[&[1, 5], &[7, 5], &[7, 6], &[7, 7], &[7, 8], &[7, 9]]) && one(ie),
        ("PR", 10) => pr(ie),
        ("PE", 9) => two(ie, 2),
        ("PE", 14) => wrapped_weights(ie, &[5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RJ", 8) => weights(ie, &[2, 7, 6, 5, 4, 3, 2]),
        ("RN", 9) => begins(ie, &[&[2, 0]]) && one(ie),
        ("RN", 10) => begins(ie, &[&[2, 0]]) && weights(ie, &[10, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RS", 10) => one(ie),
        // Until 2000: three digits of municipality that do not weigh.
        ("RO", 9) => wrapped_weights(ie.get(3..).unwrap_or_default(), &[6, 5, 4, 3, 2]),
        ("RO", 14) => wrapped_weights(ie, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]),
        ("RR", 9) => begins(ie, &[&[2, 4]]) && rr(ie),
        ("SP", 12) => sp(ie),
        ("TO", 9) => one(ie),
        ("TO", 11) => to_old(ie),
        _ => false,
    }
}

/// São Paulo, rural producers: `P`, then eight digits, a check digit and three
/// digits that are not checked.
pub(super) fn sp_rural(ie: &[u32]) -> bool {
    ie.len() == 12 && ie.first() == Some(&0) && ie.get(8) == Some(&sp_first(ie))
}

fn begins(ie: &[u32], starts: &[&[u32]]) -> bool {
    starts.iter().any(|start| ie.starts_with(start))
}

/// Weights 2 to 9 from the right, again and again.
fn sum(body: &[u32]) -> u32 {
    body.iter()
        .rev()
        .zip((2..=9).cycle())
        .map(|(d, weight)| d * weight)
        .sum()
}

fn weighted_sum(body: &[u32], weights: &[u32]) -> u32 {
    body.iter().zip(weights).map(|(d, weight)| d * weight).sum()
}

/// 11 less the rest; 10 and 11 become 0.
fn eleven(sum: u32) -> u32 {
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// The last digit checks the others, common weights.
fn one(ie: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, body)| *dv == eleven(sum(body)))
}

/// The last `n` digits check what is before each, common weights.
fn two(ie: &[u32], n: usize) -> bool {
    let body = ie.len().saturating_sub(n);
    (body + 1..=ie.len()).all(|end| ie.get(..end).is_some_and(one))
}

/// The last digit by weights of the state's own.
fn weights(ie: &[u32], weights: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, body)| *dv == eleven(weighted_sum(body, weights)))
}

/// Like [`weights`], but 10 becomes 0 and 11 becomes 1.
fn wrapped_weights(ie: &[u32], weights: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, body)| *dv == (11 - weighted_sum(body, weights) % 11) % 10)
}

/// Number of the first digits, to compare with ranges.
fn number(ie: &[u32], digits: usize) -> u32 {
    ie.iter().take(digits).fold(0, |total, d| total * 10 + d)
}

/// Amapá: two ranges add something to the sum and have their own digit for 11.
fn ap(ie: &[u32]) -> bool {
    let (addend, for_eleven) = match number(ie, 8) {
        3_000_001..=3_017_000 => (5, 0),
        3_017_001..=3_019_022 => (9, 1),
        _ => (0, 0),
    };
    let Some((dv, body)) = ie.split_last() else {
        return false;
    };
    let right = match (sum(body) + addend) % 11 {
        0 => for_eleven,
        1 => 0,
        rest => 11 - rest,
    };
    *dv == right
}

/// Bahia: eight digits or nine; the last is computed first, and the first (of
/// nine, the second) tells the modulus.
fn ba(ie: &[u32]) -> bool {
    let Some((body, [first, second])) = ie.split_last_chunk::<2>() else {
        return false;
    };
    let guide = ie.get(ie.len().saturating_sub(8)).copied().unwrap_or(0);
    let digit = |sum: u32| match guide {
        6 | 7 | 9 => eleven(sum),
        _ => (10 - sum % 10) % 10,
    };
    let with_second: Vec<u32> = body.iter().copied().chain([*second]).collect();
    // Nine digits are at most: weights never start again.
    *second == digit(sum(body)) && *first == digit(sum(&with_second))
}

/// Goiás: in one range a rest of 1 gives 1; the number 11094402 has two digits.
fn go(ie: &[u32]) -> bool {
    let start = number(ie, 2);
    let Some((dv, body)) = ie.split_last() else {
        return false;
    };
    if !matches!(start, 10 | 11 | 15 | 20..=29) {
        return false;
    }
    let base = number(ie, 8);
    if base == 11_094_402 {
        return *dv <= 1;
    }
    let right = match sum(body) % 11 {
        0 => 0,
        1 if (10_103_105..=10_119_997).contains(&base) => 1,
        1 => 0,
        rest => 11 - rest,
    };
    *dv == right
}

/// Minas Gerais: modulus 10 with a zero put in after the municipality, then
/// modulus 11.
fn mg(ie: &[u32]) -> bool {
    let Some((body, [first, second])) = ie.split_last_chunk::<2>() else {
        return false;
    };
    let with_zero = body.iter().take(3).chain(&[0]).chain(body.iter().skip(3));
    let sum: u32 = with_zero
        .zip([1, 2].into_iter().cycle())
        .map(|(d, weight)| d * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    let with_first = ie.get(..12).unwrap_or_default();
    *first == (10 - sum % 10) % 10
        && *second
            == eleven(weighted_sum(
                with_first,
                &[3, 2, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
            ))
}

/// Paraná: weights go up to 7.
fn pr(ie: &[u32]) -> bool {
    ie.get(..9)
        .is_some_and(|ie| weights(ie, &[3, 2, 7, 6, 5, 4, 3, 2]))
        && weights(ie, &[4, 3, 2, 7, 6, 5, 4, 3, 2])
}

/// Roraima: weights 1 to 8, the rest by 9 is the digit.
fn rr(ie: &[u32]) -> bool {
    ie.split_last()
        .is_some_and(|(dv, body)| *dv == weighted_sum(body, &[1, 2, 3, 4, 5, 6, 7, 8]) % 9)
}

fn sp_first(ie: &[u32]) -> u32 {
    weighted_sum(ie, &[1, 3, 4, 5, 6, 7, 8, 10]) % 11 % 10
}

/// São Paulo: the rest itself is the digit (its last figure); the ninth and the
/// last position check.
fn sp(ie: &[u32]) -> bool {
    let body = ie.get(..11).unwrap_or_default();
    let last = weighted_sum(body, &[3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11 % 10;
    ie.get(8) == Some(&sp_first(ie)) && ie.last() == Some(&last)
}

/// Tocantins until 2002: the third and fourth digits are the kind of taxpayer
/// and do not weigh.
fn to_old(ie: &[u32]) -> bool {
    let kind = ie.get(2..4).map_or(0, |kind| number(kind, 2));
    let rest: Vec<u32> = ie
        .iter()
        .take(2)
        .chain(ie.iter().skip(4))
        .copied()
        .collect();
    matches!(kind, 1..=3 | 99) && one(&rest)
}
