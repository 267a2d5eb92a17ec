//! A municipality by its name: the operation `nfse.cobertura` knows all of
//! them, and is free.

use super::wrong::Wrong;
use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::Method;
use data::municipalities;
use data::search::fold;
use std::collections::HashMap;

/// Names that an error offers.
const OFFERED: usize = 5;
/// Most characters of a name that is looked for: none is as long.
const LONGEST: usize = 100;
/// Names that the form completes to.
const SUGGESTED: usize = 8;

/// A municipality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct City {
    /// Seven digits of the IBGE.
    pub code: String,
    pub uf: String,
}

/// What was found of names so far, for as long as a request or a file.
#[derive(Default)]
pub struct Cities(HashMap<(String, String), Result<City, Wrong>>);

impl Cities {
    /// The municipality that a form names, by its name or its code.
    ///
    /// # Errors
    /// Outside: it could not be asked. Inside: what to correct.
    pub async fn find(
        &mut self,
        visitor: &Visitor,
        name: &str,
        uf: &str,
    ) -> Result<Result<City, Wrong>, Problem> {
        for (field, text) in [("municipio", name), ("uf", uf)] {
            if text.chars().count() > LONGEST {
                return Ok(Err(Wrong::at(field, "Este texto é longo demais.")));
            }
        }
        let key = (fold(name), uf.to_uppercase());
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let found = find(visitor, name, uf).await?;
        self.0.insert(key, found.clone());
        Ok(found)
    }
}

async fn find(visitor: &Visitor, name: &str, uf: &str) -> Result<Result<City, Wrong>, Problem> {
    let code = name.len() == 7 && name.bytes().all(|byte| byte.is_ascii_digit());
    // "Belo Horizonte/MG", as lists of the panel write it.
    let (name, behind) = name.split_once('/').unwrap_or((name, ""));
    let uf = if behind.trim().is_empty() {
        uf
    } else {
        behind.trim()
    };
    let query = if code {
        format!("codigo_ibge={name}")
    } else if uf.is_empty() {
        format!("cidade={}", encoded(name.trim()))
    } else {
        let uf = encoded(&uf.to_uppercase());
        format!("cidade={}&uf={uf}", encoded(name.trim()))
    };
    let path = format!("/api/v1/nfse/cobertura?{query}");
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let answer = reply.json();
    if reply.ok() {
        return Ok(Ok(City {
            code: text(&answer, "codigo_ibge").to_owned(),
            uf: text(&answer, "uf").to_owned(),
        }));
    }
    if reply.status >= 500 {
        return Err(Problem::of(&reply));
    }
    let several = answer["municipios"]
        .as_array()
        .is_some_and(|all| all.len() > 1);
    if several {
        return Ok(Err(Wrong::at("uf", "Há mais de uma cidade com este nome.")));
    }
    let near = similar(name, uf, OFFERED);
    let sentence = if code {
        "Nenhuma cidade tem este código do IBGE.".to_owned()
    } else if near.is_empty() {
        "Não achamos esta cidade na UF escolhida.".to_owned()
    } else {
        format!("Não achamos esta cidade. Talvez: {}.", near.join(", "))
    };
    Ok(Err(Wrong::at("municipio", &sentence)))
}

/// Names like `Belo Horizonte/MG` that have a text in them, those that begin
/// with it first.
fn similar(name: &str, uf: &str, most: usize) -> Vec<String> {
    let wanted = fold(name);
    if wanted.chars().count() < 3 {
        return Vec::new();
    }
    let mut found: Vec<(bool, String)> = municipalities::all()
        .iter()
        .filter_map(|city| {
            let state = city.uf()?.abbreviation;
            let folded = fold(city.name);
            let fits = uf.is_empty() || uf.eq_ignore_ascii_case(state);
            let like = folded.contains(&wanted) || close(&folded, &wanted);
            (fits && like).then(|| {
                let behind = !folded.starts_with(&wanted);
                (behind, format!("{}/{state}", city.name))
            })
        })
        .collect();
    found.sort();
    found.truncate(most);
    found.into_iter().map(|(_, name)| name).collect()
}

/// One letter wrong, missing or too many.
fn close(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let ends = one.iter().rev().zip(other.iter().rev());
    let behind = ends.take_while(|(a, b)| a == b).count();
    same + behind + 1 >= one.len().max(other.len())
}

/// Names that a text may become, for the form to complete.
pub fn suggestions(name: &str, uf: &str) -> Vec<String> {
    similar(name, uf, SUGGESTED)
}
