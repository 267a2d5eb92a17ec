//! The municipality of a company: people write its name, the API takes its code.

use crate::form::Fields;
use crate::form::wrong::Wrongs;
use crate::pages::issue::city::Cities;
use crate::pages::issue::wrong::Wrong;
use crate::reply::Problem;
use crate::visitor::Visitor;
use data::municipalities;
use maud::{Markup, html};

/// What stands below the field.
pub const HINT: &str = "O nome da cidade; o código do IBGE também serve.";

/// The name of a municipality by its code of the IBGE; the text itself where none has it.
pub fn named(code: &str) -> String {
    let found = code.parse().ok().and_then(municipalities::get);
    found.map_or_else(|| code.to_owned(), |city| city.name.to_owned())
}

/// The field of the municipality; it completes names while one writes.
pub fn input(value: &str, wrong: &Wrongs) -> Markup {
    html! {
        input id="municipio" name="municipio" type="text" value=(value) autocomplete="off" list="cidades" data-sugere="/painel/emitir/cidades"
            aria-invalid=[wrong.invalid("municipio")] aria-describedby=[wrong.described("municipio", HINT)] autofocus[wrong.focus("municipio")];
        datalist id="cidades" {}
    }
}

/// The fields with the code of the municipality in the place of its name, and with the state
/// where only that is missing. `known`: the code that the company has so far.
///
/// # Errors
/// Outside: it could not be asked. Inside: what to correct.
pub async fn coded(
    visitor: &Visitor,
    fields: &Fields,
    known: &str,
) -> Result<Result<Fields, Wrong>, Problem> {
    let mut coded = fields.clone();
    let name = fields.get("municipio");
    if name.is_empty() {
        return Ok(Ok(coded));
    }
    if name == named(known) {
        coded.set("municipio", known);
        return Ok(Ok(coded));
    }
    let mut cities = Cities::default();
    let found = cities.find(visitor, name, fields.get("uf")).await?;
    Ok(found.map(|city| {
        coded.set("municipio", city.code);
        if fields.get("uf").is_empty() {
            coded.set("uf", city.uf);
        }
        coded
    }))
}

/// The fields without their municipality, which was not found.
pub fn without(fields: &Fields) -> Fields {
    let mut rest = fields.clone();
    rest.take("municipio");
    rest
}
