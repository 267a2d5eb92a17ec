//! `hub registry diff`: what a change to the registry does, by municipality.

use flow::registry::{Change, Difference};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Names shown of a group; the rest are counted.
const SHOWN: usize = 12;

/// For people: each group of municipalities with what changes in all of them.
///
/// # Errors
/// None in practice: text is written to memory.
pub fn as_text(differences: &[Difference]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let all: usize = differences.iter().map(|d| d.municipalities.len()).sum();
    writeln!(out, "{all} municipalities differ")?;
    for difference in differences {
        let places = &difference.municipalities;
        let names = places.iter().take(SHOWN);
        let names: Vec<String> = names
            .map(|(ibge, city, uf)| format!("{ibge} {city}/{uf}"))
            .collect();
        write!(out, "\n{}: {}", places.len(), names.join(", "))?;
        if let Some(more) = places.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            write!(out, " and {more} more")?;
        }
        writeln!(out)?;
        for Change {
            field,
            before,
            after,
        } in &difference.changes
        {
            let [before, after] = [before, after].map(|value| value.as_deref().unwrap_or("-"));
            writeln!(out, "  {field}: {before} -> {after}")?;
        }
    }
    Ok(out)
}

/// For programs: the same with all municipalities.
///
/// # Errors
/// None in practice: text is written to memory.
pub fn as_json(differences: &[Difference]) -> serde_json::Result<String> {
    let groups: Vec<Value> = differences
        .iter()
        .map(|difference| {
            let places = difference.municipalities.iter().map(
                |(ibge, city, uf)| json!({ "codigo_ibge": ibge.to_string(), "cidade": city, "uf": uf }),
            );
            let changes = difference.changes.iter().map(|change| {
                json!({ "campo": change.field, "antes": value(&change.before), "depois": value(&change.after) })
            });
            json!({
                "municipios": places.collect::<Vec<_>>(),
                "mudancas": changes.collect::<Vec<_>>(),
            })
        })
        .collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&groups)?))
}

fn value(text: &Option<String>) -> Value {
    let read = text.as_deref().map(serde_json::from_str);
    read.and_then(Result::ok).unwrap_or_default()
}
