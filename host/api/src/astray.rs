//! What somebody meant who called an address that does not exist, or an address with
//! a method that it does not take.

use base::operations::{self, Operation};

/// Longest address that is looked at, in bytes.
const LOOKED_AT: usize = 200;
/// Letters in which the fixed parts of an address may differ, all together.
const SLIPS: usize = 2;

/// What other services call the first part of an address, and ours for it.
const CALLED: &[(&str, &str)] = &[
    ("cep", "geo/cep"),
    ("cest", "fiscal/cest"),
    ("cfop", "fiscal/cfop"),
    ("clientes", "pessoas"),
    ("cnae", "fiscal/cnae"),
    ("cnpj", "empresa/cnpj"),
    ("companies", "emitters"),
    ("empresas", "emitters"),
    ("emitentes", "emitters"),
    ("gtin", "catalogo/gtin"),
    ("hooks", "webhooks"),
    ("keys", "chaves"),
    ("municipios", "geo/cidades"),
    ("ncm", "fiscal/ncm"),
    ("notas", "documentos"),
    ("nfes", "nfe"),
    ("nfces", "nfce"),
    ("nfses", "nfse"),
    ("produtos", "catalogo"),
    ("saldo", "creditos"),
];

/// What to call instead, as a sentence; None: nothing is near.
pub fn hint(method: &str, path: &str) -> Option<String> {
    if path.len() > LOOKED_AT {
        return None;
    }
    let wanted = parts(path);
    let all = operations::all().iter();
    let measured = all.filter_map(|row| Some((distance(&wanted, &row.path)?, row)));
    let near: Vec<(usize, &Operation)> = measured.collect();
    let least = near.iter().map(|(distance, _)| *distance).min()?;
    let mut near = near.into_iter().filter(|(distance, _)| *distance == least);
    let first = near.next()?.1;
    let rows: Vec<&Operation> = std::iter::once(first)
        .chain(
            near.map(|(_, row)| row)
                .filter(|row| row.path == first.path),
        )
        .collect();
    if path == first.path || rows.iter().all(|row| row.method != method) {
        let methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
        return Some(format!("{} aceita {}.", first.path, methods.join(" e ")));
    }
    Some(format!("Você quis dizer {method} {}?", first.path))
}

/// The parts of an address below the API's own, under our names.
fn parts(path: &str) -> Vec<String> {
    let lower = path.to_lowercase();
    let mut parts: Vec<String> = lower
        .split('/')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    let base = parts
        .iter()
        .take_while(|part| ["api", "v1", "v2"].contains(&part.as_str()))
        .count();
    parts.drain(..base);
    let ours = parts.first().and_then(|first| {
        let called = CALLED.iter().find(|(theirs, _)| theirs == first);
        called.map(|(_, ours)| *ours)
    });
    if let Some(ours) = ours {
        parts.splice(..1, ours.split('/').map(str::to_owned));
    }
    parts
}

/// How far an address is from an operation's: ten for each letter that differs, one for
/// each parameter. None: too far.
fn distance(wanted: &[String], template: &str) -> Option<usize> {
    let known = parts(template);
    if known.len() != wanted.len() {
        return None;
    }
    let mut slips = 0;
    for (wanted, known) in wanted.iter().zip(&known) {
        if !known.starts_with('{') {
            slips += strsim::damerau_levenshtein(wanted, known);
        }
    }
    // A short word that differs in two letters is another word.
    let fixed: usize = known
        .iter()
        .filter(|part| !part.starts_with('{'))
        .map(String::len)
        .sum();
    let most = SLIPS.min(fixed / 4);
    // Where parameters stand in for the words of another address, words are nearer.
    let parameters = known.iter().filter(|part| part.starts_with('{')).count();
    (slips <= most).then_some(slips * 10 + parameters)
}
