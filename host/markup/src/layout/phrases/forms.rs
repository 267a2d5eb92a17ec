//! What a pattern expects, in words, where its shape is simple.

use crate::layout::pattern::{Node, Span, read};
use crate::layout::table::TablePattern;

/// Alternatives beyond this are no help.
const MAX_BRANCHES: usize = 4;

/// «de 2 a 60 caracteres».
pub(super) fn characters(min: Option<u32>, max: Option<u32>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min == max => format!("{min} caracteres"),
        (Some(min), Some(max)) => format!("de {min} a {max} caracteres"),
        (None, Some(max)) => format!("no máximo {max} caracteres"),
        (Some(min), None) => format!("no mínimo {min} caracteres"),
        (None, None) => "outro tamanho".to_owned(),
    }
}

/// Is it a number with decimal places?
pub(super) fn decimal(pattern: &str) -> bool {
    pattern.contains("\\.[0-9]")
        && pattern
            .chars()
            .all(|c| c.is_ascii_digit() || "[]{}|().?\\,-".contains(c))
}

/// To follow «deve ter»; none when the pattern says it better than words.
pub(super) fn describe(automaton: &TablePattern) -> Option<String> {
    let pattern = automaton.text;
    if decimal(pattern) {
        return number(automaton);
    }
    if pattern.contains("-ÿ") {
        return Some(
            "texto de uma linha, sem espaços no início ou no fim, só com caracteres latinos"
                .to_owned(),
        );
    }
    if pattern.contains("-02-29") {
        let time = pattern.contains(")T(");
        return Some(
            if time {
                "data e hora no formato AAAA-MM-DDThh:mm:ss-03:00"
            } else {
                "data no formato AAAA-MM-DD"
            }
            .to_owned(),
        );
    }
    if pattern == "[\\s\\S]*[^\\s][\\s\\S]*" {
        return Some("algum texto além de espaços".to_owned());
    }
    let branches = match read(pattern).ok()? {
        Node::Choice(branches) => branches,
        other => vec![other],
    };
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    let forms: Vec<Vec<Piece>> = branches.iter().map(pieces).collect::<Option<_>>()?;
    // «2 ou 8 dígitos» rather than «2 dígitos ou 8 dígitos».
    if let Some(counts) = only_digits(&forms) {
        return Some(counts);
    }
    let texts: Vec<String> = forms.iter().map(|form| in_words(form)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(super::list(texts.into_iter(), "ou"))
}

/// «número com até 13 dígitos inteiros e 2 casas decimais, com ponto».
fn number(automaton: &TablePattern) -> Option<String> {
    // Asks the automaton rather than the text: patterns say the same in many ways.
    let greatest =
        |makes: &dyn Fn(usize) -> String| (1..=15).rev().find(|n| automaton.matches(&makes(*n)));
    let decimals: Vec<usize> = (0..=10)
        .filter(|places| match places {
            0 => automaton.matches("1"),
            places => automaton.matches(&format!("1.{}", "1".repeat(*places))),
        })
        .collect();
    let max = *decimals.last()?;
    let integers = match max {
        0 => greatest(&|n| "1".repeat(n))?,
        places => greatest(&|n| format!("{}.{}", "1".repeat(n), "1".repeat(places)))?,
    };
    let places: Vec<usize> = decimals
        .iter()
        .copied()
        .filter(|places| *places > 0)
        .collect();
    let strip = match (places.first(), places.last()) {
        (Some(a), Some(b)) if a == b => format!("{a} casas decimais"),
        (Some(a), Some(b)) => format!("de {a} a {b} casas decimais"),
        _ => return None,
    };
    let positive = if automaton.matches("0") || automaton.matches(&format!("0.{}", "0".repeat(max)))
    {
        ""
    } else {
        " maior que zero"
    };
    Some(format!(
        "número{positive} com até {integers} dígitos inteiros e {strip}, separadas por ponto"
    ))
}

/// A run of one kind of character, or a text.
enum Piece {
    Class(&'static str, u32, Option<u32>),
    Text(String),
}

fn pieces(node: &Node) -> Option<Vec<Piece>> {
    let mut output: Vec<Piece> = Vec::new();
    let parts = match node {
        Node::Sequence(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for part in parts {
        let (spans, min, max) = match part {
            Node::Symbol(spans) => (spans, 1, Some(1)),
            Node::Times(within, min, max) => match &**within {
                Node::Symbol(spans) => (spans, *min, *max),
                _ => return None,
            },
            _ => return None,
        };
        if let [(from, to)] = spans.as_slice()
            && from == to
            && Some(min) == max
        {
            let letter = char::from_u32(*from)?;
            let text: String = std::iter::repeat_n(letter, min as usize).collect();
            match output.last_mut() {
                Some(Piece::Text(before)) => before.push_str(&text),
                _ => output.push(Piece::Text(text)),
            }
            continue;
        }
        let class = class(spans)?;
        match output.last_mut() {
            Some(Piece::Class(before, minus, more)) if *before == class => {
                *minus += min;
                *more = more.zip(max).map(|(a, b)| a + b);
            }
            _ => output.push(Piece::Class(class, min, max)),
        }
    }
    Some(output)
}

fn class(spans: &[Span]) -> Option<&'static str> {
    const ZERO: Span = (0x30, 0x39);
    const UPPERCASE: Span = (0x41, 0x5A);
    Some(match spans {
        [ZERO | (0x31, 0x39)] => "dígitos",
        [ZERO, UPPERCASE] => "dígitos ou letras maiúsculas",
        [UPPERCASE] => "letras maiúsculas",
        [ZERO, UPPERCASE, (0x61, 0x7A)] => "letras ou dígitos",
        [ZERO, (0x41, 0x46)] => "dígitos ou letras de A a F",
        // `\d`: digits of every script begin with the usual ones.
        [ZERO, (0x660, _), ..] => "dígitos",
        _ => return None,
    })
}

fn times(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) if max == min => min.to_string(),
        Some(max) if min == 0 => format!("até {max}"),
        Some(max) => format!("de {min} a {max}"),
        None => format!("{min} ou mais"),
    }
}

fn only_digits(forms: &[Vec<Piece>]) -> Option<String> {
    let mut counts = Vec::new();
    for form in forms {
        match form.as_slice() {
            [Piece::Class("dígitos", 0, Some(0))] => counts.push("nenhum".to_owned()),
            [Piece::Class("dígitos", min, max)] => counts.push(times(*min, *max)),
            _ => return None,
        }
    }
    let one = counts == ["1"];
    let counts = super::list(counts.iter().map(String::as_str), "ou");
    Some(format!(
        "{counts} {}",
        if one { "dígito" } else { "dígitos" }
    ))
}

fn in_words(form: &[Piece]) -> String {
    let pieces: Vec<String> = form
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => format!("\"{text}\""),
            Piece::Class(class, min, max) => format!("{} {class}", times(*min, *max)),
        })
        .collect();
    match pieces.as_slice() {
        [] => "nada".to_owned(),
        _ => pieces.join(" e "),
    }
}
