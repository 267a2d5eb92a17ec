//! `hub registry export`: the records of all municipalities.

use data::population;
use flow::registry::{Municipality, Registry};
use serde_json::{Value, json};

/// Columns of the CSV form: fields of a route, else of its record.
const COLUMNS: [&str; 17] = [
    "codigo_ibge",
    "cidade",
    "uf",
    "desde",
    "ate",
    "regimes",
    "sistema",
    "padrao",
    "via",
    "adaptador",
    "confirmado",
    "fonte",
    "visto_em",
    "producao",
    "homologacao",
    "habitantes",
    "emissor_nacional",
];

/// A list with one record for each municipality: its routes with addresses and
/// options, refusals, source, and inhabitants (the estimate of IBGE for 2020-07-01).
///
/// # Errors
/// None in practice: text is written to memory.
pub fn json(registry: &Registry) -> serde_json::Result<String> {
    let records: Vec<Value> = registry.municipalities().iter().map(record).collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&records)?))
}

/// A line for each route of today and later; a municipality whose system no
/// source knows has one line without a system.
///
/// # Errors
/// None in practice: text is written to memory.
pub fn csv(registry: &Registry) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for municipality in registry.municipalities() {
        let record = record(municipality);
        let routes = record["rotas"].as_array().cloned().unwrap_or_default();
        if routes.is_empty() {
            writer.write_record(line(&record, &json!({})))?;
        }
        for route in &routes {
            writer.write_record(line(&record, route))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn record(municipality: &Municipality) -> Value {
    let mut record = municipality.record();
    record["habitantes"] = json!(population::of(municipality.ibge));
    record
}

fn line(record: &Value, route: &Value) -> Vec<String> {
    COLUMNS
        .iter()
        .map(|column| word(route.get(column).unwrap_or(&record[*column])))
        .collect()
}

/// A value in one cell: lists by spaces; of addresses by name, `name=url`.
fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(word).collect::<Vec<_>>().join(" "),
        Value::Object(members) => {
            let named = members.iter();
            let named = named.map(|(name, value)| format!("{name}={}", word(value)));
            named.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}
