//! The built operations by family, in the order of the table.

use api::openapi::family;
use base::operations::{self, Operation};
use gate::docs::Docs;

/// A family and its operations, with what each says about itself.
pub type Family = (&'static str, Vec<(&'static Operation, &'static Docs)>);

pub fn families() -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for row in operations::all() {
        let mut built = api::built().iter();
        let Some(found) = built.find(|one| one.operation == row.operation) else {
            continue;
        };
        let one = (row, &found.docs);
        let name = family(&row.family);
        match families.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.push(one),
            None => families.push((name, vec![one])),
        }
    }
    families
}

/// What an operation costs, in words.
pub fn price(row: &Operation) -> String {
    match row.charged_when.as_str() {
        "never" => "grátis".to_owned(),
        "authorized" => format!("{} créditos quando registrado", row.credits),
        "found" => format!("{} créditos quando encontrado", row.credits),
        _ => format!("{} créditos", row.credits),
    }
}
