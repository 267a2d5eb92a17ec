//! Buttons of the forms of companies and customers that fill something in: an address by its
//! CEP, a company by its CNPJ. The form is shown again with it, and nothing is stored.

use super::issue::lookups::{self, price};
use crate::form::Fields;
use crate::form::wrong::Wrongs;
use crate::parts::done;
use crate::reply::Problem;
use crate::visitor::Visitor;
use axum::http::StatusCode;
use maud::{Markup, html};

/// Name of the buttons, and what each looks up.
const ACTION: &str = "acao";
const CEP: &str = "cep";
const CNPJ: &str = "cnpj";

/// What to write in the field of a company's CNPJ.
pub const WRITE_CNPJ: &str = "Escreva as 14 posições do CNPJ, com ou sem pontos.";

/// A form as it is shown: what is filled in, and what is wrong with it.
#[derive(Default)]
pub struct Filled {
    pub fields: Fields,
    pub wrong: Wrongs,
    /// What a button filled in; empty: none was pressed.
    note: String,
    /// The field where the person goes on then.
    focus: &'static str,
}

impl Filled {
    /// As it was sent and refused.
    pub fn refused(fields: &Fields, wrong: Wrongs) -> Filled {
        Filled {
            fields: fields.clone(),
            wrong,
            ..Filled::default()
        }
    }

    /// `autofocus` of a field.
    pub fn focus(&self, field: &str) -> bool {
        self.wrong.focus(field) || self.wrong.is_empty() && self.focus == field
    }

    /// What a button filled in, in a block of fields.
    pub fn told(&self) -> Markup {
        html! { @if !self.note.is_empty() { div class="c6" { (done(&self.note)) } } }
    }

    /// Status of the page that shows it.
    pub fn status(&self) -> StatusCode {
        if self.wrong.is_empty() {
            StatusCode::OK
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        }
    }
}

/// The form after one of these buttons; None where it was sent to be stored. `document`,
/// `name`: what the form calls the CNPJ and the name of a company.
///
/// # Errors
/// It could not be looked up.
pub async fn pressed(
    visitor: &Visitor,
    fields: &Fields,
    (document, name): (&str, &str),
) -> Result<Option<Filled>, Problem> {
    let mut filled = Filled::refused(fields, Wrongs::default());
    let fields = &mut filled.fields;
    let action = fields.get(ACTION).to_owned();
    let found = match action.as_str() {
        CEP => lookups::cep(visitor, fields).await?,
        CNPJ => lookups::cnpj(visitor, fields, (document, name)).await?,
        _ => return Ok(None),
    };
    fields.take(ACTION);
    // The notes are those of the form that issues.
    let note = found.note.replace("antes de emitir", "antes de salvar");
    filled.note = match fields.get("numero") {
        "" => note,
        _ => note.replace(" Falta só o número.", ""),
    };
    filled.focus = "numero";
    if let Some(refused) = found.refused {
        for one in &refused.wrong {
            let how = if one.field == document {
                WRITE_CNPJ
            } else {
                ""
            };
            let sentence = format!("{} {how}", one.sentence);
            filled.wrong.add(&one.field, sentence.trim_end());
        }
        for one in &refused.said {
            filled.wrong.add_above(&one.sentence);
        }
    }
    Ok(Some(filled))
}

/// Enter in a field sends the form as its main button does: stands before the others.
pub fn main_button() -> Markup {
    html! { button class="so-leitor" tabindex="-1" aria-hidden="true" { "Continuar" } }
}

/// Beside the field of a CEP.
pub fn by_cep(visitor: &Visitor) -> Markup {
    let words = format!("Preencher pelo CEP{}", price(visitor, "geo.cep.get"));
    html! { div class="campo c4 alinhado" { div { (button(CEP, &words)) } } }
}

/// Below the field of a CNPJ.
pub fn by_cnpj(visitor: &Visitor) -> Markup {
    let price = price(visitor, "empresa.cnpj");
    let words = format!("Buscar nome e endereço pelo CNPJ{price}");
    html! { div class="campo c6" { div { (button(CNPJ, &words)) } } }
}

fn button(action: &str, words: &str) -> Markup {
    html! { button class="botao secundario mini" name=(ACTION) value=(action) formnovalidate { (words) } }
}
