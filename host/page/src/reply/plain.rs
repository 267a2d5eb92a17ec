//! Sentences of the API as people read them, who know fields by their labels:
//! without paths, names of members and numbers of rejections.

use super::words::spoken;
use base::money::reais;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// How the engine says that the payments are below the total; two amounts follow.
const PAYMENTS: &str = "A soma dos pagamentos (";
const TOTAL: &str = ") é menor que o total da nota (";
/// How it says that they are above the total, that the change is another, or that the total is
/// too large; one amount follows.
const CHANGE: &[&str] = &[
    "Os pagamentos passam do total da nota em ",
    "O troco deve ser a diferença entre pagamentos e total: ",
    "O total ",
];

/// Signs and words of a sentence that is written for programs.
const OF_PROGRAMS: &[&str] = &[
    "/api/",
    "_",
    "[",
    "=",
    "\"",
    "GET ",
    "PUT ",
    "POST ",
    "JSON",
    "Idempotency",
    "Retry-After",
    "request_id",
    "X-",
    "o campo",
    "parâmetro",
    "em campos",
    "em rejeicao",
    "em recusa",
    "entre aspas",
    "chave de teste",
    " true",
    " false",
    "nas 12 primeiras",
    "mita ",
    " omit",
    "corpo",
    "grupo",
    "código IBGE",
    "base64",
    "Content-Type",
];

/// How the API says that a word is none of those that a member takes; what was given and
/// what is accepted follow, both as programs write them.
const UNKNOWN: &str = "Valor desconhecido: ";
const NOT_ONE: &str = "Não é um dos valores possíveis.";

/// What programs are told to write, and what people are, the longer parts first.
const FOR_PEOPLE: &[(&str, &str)] = &[
    (
        "Escreva o número com ponto decimal, sem R$ e sem separador de milhar, como 1500.00.",
        "Escreva como 1500,00.",
    ),
    (
        "Use ponto como separador decimal e nenhum separador de milhar.",
        "Escreva como 1500,00.",
    ),
    (
        "esperado número ou texto decimal, com ponto",
        "Não é um número.",
    ),
    (
        ", ou busque pelo texto com q.",
        ", ou procure por palavras.",
    ),
    (", com ponto: ", ", com vírgula: "),
    ("NFC-e, 200000 reais", "NFC-e, R$ 200.000,00"),
    // Notices about a note, whose form has no field for a rate.
    ("Informe aliquota se a do produto for outra.", RATE),
    ("Informe aliquota_interna se a do produto for outra.", RATE),
    (
        ": o campo foi ignorado.",
        ": o que foi preenchido ficou fora da nota.",
    ),
    (": o grupo ficou fora da nota.", ": ficaram fora da nota."),
    (", o limite do leiaute: a nota leva \"", ": a nota leva “"),
    ("\".", "”."),
];

/// What becomes of a rate that the hub took from a table.
const RATE: &str = "Confira com o seu contador se vale para o produto.";

/// Words that people know who make keys for programs.
const OF_KEYS: &[&str] = &["escopo"];

/// The sentence without what only programs need; None where nothing else is
/// left.
pub fn plain(sentence: &str) -> Option<String> {
    without(OF_KEYS, sentence)
}

/// As [`plain`], of what is wrong: of keys it may speak, because nothing else says it.
pub fn wrong(sentence: &str) -> Option<String> {
    without(&[], sentence)
}

/// None where a sentence has one of these signs, or one that only programs read.
fn without(signs: &[&str], sentence: &str) -> Option<String> {
    if let Some(said) = payments(sentence).or_else(|| change(sentence)) {
        return Some(said);
    }
    if sentence.starts_with(UNKNOWN) {
        return Some(NOT_ONE.to_owned());
    }
    let text = for_people(without_notes(sentence));
    let text = text.trim();
    let mut signs = OF_PROGRAMS.iter().chain(signs);
    let known = !text.is_empty() && signs.all(|sign| !text.contains(sign));
    known.then(|| spoken(&with_commas(text)))
}

/// With what people are told to write.
fn for_people(sentence: String) -> String {
    let parts = FOR_PEOPLE.iter();
    parts.fold(sentence, |said, (theirs, ours)| said.replace(theirs, ours))
}

/// Payments below the total, with how much they lack; None where an amount is too large for
/// cents. `parts::money` is out of reach: `parts` uses this module.
fn payments(sentence: &str) -> Option<String> {
    let (paid, behind) = sentence.strip_prefix(PAYMENTS)?.split_once(TOTAL)?;
    let (total, after) = behind.split_once(')')?;
    let (paid, total) = (
        paid.parse::<Decimal>().ok()?,
        total.parse::<Decimal>().ok()?,
    );
    let lacking = as_money(total.checked_sub(paid)?)?;
    let (paid_words, total_words) = (as_money(paid)?, as_money(total)?);
    let states = match after.contains("alguns estados") {
        true => " Alguns estados rejeitam a nota.",
        false => "",
    };
    Some(format!(
        "{PAYMENTS}{paid_words}{TOTAL}{total_words}): faltam {lacking}.{states}"
    ))
}

/// What begins with one of [`CHANGE`], with the amount as money.
fn change(sentence: &str) -> Option<String> {
    let mut begins = CHANGE.iter().copied();
    let begin = begins.find(|begin| sentence.starts_with(*begin))?;
    let rest = sentence.strip_prefix(begin)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
    let amount = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.');
    let after = for_people(without_notes(rest.strip_prefix(amount)?));
    let amount = as_money(amount.parse().ok()?)?;
    Some(format!("{begin}{amount}{after}"))
}

/// An amount as money; None where it is too large for cents.
fn as_money(amount: Decimal) -> Option<String> {
    let cents = amount.checked_mul(Decimal::ONE_HUNDRED)?.round().to_i64()?;
    Some(reais(cents))
}

/// Without what stands in parentheses about rejections and rules.
fn without_notes(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, behind)) = rest.split_once('(') {
        let Some((inside, after)) = behind.split_once(')') else {
            break;
        };
        let note = inside.contains("rejei") || inside.starts_with("indicador");
        if note {
            out.push_str(before.trim_end());
        } else {
            out.push_str(before);
            out.push('(');
            out.push_str(inside);
            out.push(')');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Amounts with a comma, as in Brazil: `37.80` is `37,80`.
fn with_commas(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let cents = |at: usize| digit(at + 1) && digit(at + 2) && !digit(at + 3);
    let changed = chars.iter().enumerate().map(|(at, c)| {
        let point = *c == '.' && at > 0 && digit(at - 1) && cents(at);
        if point { ',' } else { *c }
    });
    changed.collect()
}

/// The first sentence of several: what is wrong. What to write stands beside the
/// field.
pub fn first(sentences: &str) -> &str {
    let end = sentences.find(". ").map_or(sentences.len(), |at| at + 1);
    sentences.get(..end).unwrap_or(sentences)
}
