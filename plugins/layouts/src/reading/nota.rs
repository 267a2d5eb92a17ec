//! A note of an answer, by the paths of a layout.

use super::path::Path;
use super::rules::{NotaState, Rules};
use crate::source::amount;
use rps::class::simplify;
use rps::content::{bare_document, is_url};
use rps::{Nota, dates, isolate};
use sdk::xml::{Document, Element};
use sdk::{Context, Documento, Situacao};

/// Longest number of a note, in characters.
const MAX_NUMBER: usize = 20;

/// Stands for any word with a digit.
const DIGITS: &str = "digitos";

/// The note of an element. None without a number: then nothing says that a
/// note exists.
pub fn read(
    rules: &Rules,
    ctx: &Context,
    document: &Document,
    element: &Element,
    original: bool,
) -> Option<Nota> {
    let nota = &rules.nota;
    let text = |path: &Option<Path>| path.as_ref().and_then(|path| path.text(element));
    if let Some((path, words)) = &nota.no
        && path
            .text(element)
            .is_some_and(|text| simplify(&text).contains(words))
    {
        return None;
    }
    let number = text(&nota.number)?;
    let fits = !number.is_empty()
        && number.len() <= MAX_NUMBER
        && number.bytes().all(|b| b.is_ascii_digit())
        && number.bytes().any(|b| b != b'0');
    if !fits {
        return None;
    }
    let mut documento = Documento::new("nfse", state(rules, element)?);
    documento.xml = original.then(|| isolate(document, element).into_bytes());
    documento.numero = Some(number);
    documento.serie = text(&nota.serie);
    documento.codigo_verificacao = text(&nota.verification);
    documento.emitido_em = text(&nota.issued).and_then(|text| dates::moment(&text, ctx));
    documento.chave = text(&nota.key).filter(|key| key.len() == 50);
    documento.url_consulta = text(&nota.link)
        .map(|link| link.trim().to_owned())
        .filter(|link| is_url(link));
    for (name, path) in &nota.amounts {
        let value = path.text(element).and_then(|text| amount(&text));
        documento.value(name, value.map(|value| value.to_string()).as_deref());
    }
    let rps = text(&nota.rps_number).and_then(|number| number.parse().ok());
    Some(Nota {
        documento,
        rps: rps.map(|number| (text(&nota.rps_serie).unwrap_or_default(), number)),
        value: text(&nota.value).and_then(|text| amount(&text)),
        tomador: text(&nota.taker).and_then(|text| bare_document(&text)),
    })
}

/// What the note is; None: a word that is not a note's, or that nobody knows.
fn state(rules: &Rules, element: &Element) -> Option<Situacao> {
    let Some(path) = &rules.nota.state else {
        return Some(Situacao::Autorizado);
    };
    let Some(word) = path.text(element) else {
        return Some(Situacao::Autorizado);
    };
    let states = &rules.nota.states;
    let known = states
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(&word));
    let digit = word.bytes().any(|b| b.is_ascii_digit());
    let digits = || states.iter().find(|(name, _)| digit && name == DIGITS);
    let any = || states.iter().find(|(name, _)| name == "*");
    match known.or_else(digits).or_else(any)?.1 {
        NotaState::Is(status) => Some(status),
        NotaState::NoNota => None,
    }
}
