//! The cities of an action's form: people write names, the operation takes codes.

use super::actions::{Action, Input, InputKind};
use crate::form::Fields;
use crate::form::wrong::Wrongs;
use crate::pages::issue::city::Cities;
use crate::pages::issue::inputs;
use crate::pages::issue::wrong::Wrong;
use crate::reply::Problem;
use crate::visitor::Visitor;
use data::municipalities;
use maud::{Markup, html};

/// Name of the field with the state of the city, in forms that have one.
const UF: &str = "uf";

/// The fields with the codes of their cities in the place of the names, and with the state where
/// only that is missing.
///
/// # Errors
/// Outside: it could not be asked. Inside: what to correct.
pub async fn coded(
    visitor: &Visitor,
    action: &Action,
    fields: &Fields,
) -> Result<Result<Fields, Wrongs>, Problem> {
    let mut coded = fields.clone();
    let mut wrong = Wrongs::default();
    let mut cities = Cities::default();
    let has_uf = action.inputs.iter().any(|input| input.name == UF);
    for input in action.inputs {
        if !matches!(input.kind, InputKind::City) {
            continue;
        }
        let name = fields.get(input.name);
        match cities.find(visitor, name, fields.get(UF)).await? {
            Ok(city) => {
                coded.set(input.name, city.code);
                if has_uf && fields.get(UF).is_empty() {
                    coded.set(UF, city.uf);
                }
            }
            Err(one) if one.field == UF && has_uf => wrong.add(UF, &one.sentence),
            Err(one) => wrong.add(input.name, &told(&one)),
        }
    }
    Ok(if wrong.is_empty() {
        Ok(coded)
    } else {
        Err(wrong)
    })
}

/// What is wrong with a city whose state stands behind its name.
fn told(wrong: &Wrong) -> String {
    let write = inputs::get(&wrong.field).map_or("", |input| input.write);
    let what = wrong.sentence.strip_suffix(write);
    let what = what.unwrap_or(&wrong.sentence).trim_end();
    format!("{what} Escreva o nome com a UF, como Belo Horizonte/MG.")
}

/// The city of a code as people write it; the text itself where none has it.
pub fn named(code: &str) -> String {
    let city = code.parse().ok().and_then(municipalities::get);
    let found = city.and_then(|city| Some((city.name, city.uf()?.abbreviation)));
    found.map_or_else(|| code.to_owned(), |(name, uf)| format!("{name}/{uf}"))
}

/// The field of a city; it completes names while one writes.
pub fn field(input: &Input, value: &str, wrong: &Wrongs) -> Markup {
    let name = input.name;
    let list = format!("cidades-{name}");
    html! {
        input id=(name) name=(name) type="text" value=(value) autocomplete="off" list=(list) data-sugere="/painel/emitir/cidades"
            aria-describedby=[wrong.described(name, input.hint)] aria-invalid=[wrong.invalid(name)] autofocus[wrong.focus(name)];
        datalist id=(list) {}
    }
}
