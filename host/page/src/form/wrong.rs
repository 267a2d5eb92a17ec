//! What an operation refused, beside the fields of its form and above them.

use crate::frame::error_box;
use crate::reply::plain::{first, plain};
use crate::reply::{joined, refused_for, text};
use api::inside::Reply;
use maud::{Markup, html};
use serde_json::Value;
use store::ids::RequestId;

/// What the reader of bodies says of a member that is not there.
const ABSENT: &str = "Campo obrigatório ausente.";

/// What is wrong: a sentence for the whole, and one for each field.
#[derive(Clone, Debug, Default)]
pub struct Wrongs {
    above: Vec<String>,
    /// Name of the field, path in the API, sentence.
    fields: Vec<(String, String, String)>,
    request_id: RequestId,
}

impl Wrongs {
    /// Those of an answer. `known`: whether the form has a field of this name;
    /// what has no field stands above.
    pub fn of(reply: &Reply, known: impl Fn(&str) -> bool) -> Wrongs {
        let body = reply.json();
        let mut wrong = Wrongs::default();
        for one in body["campos"].as_array().into_iter().flatten() {
            let path = text(one, "campo");
            let message = text(one, "mensagem");
            let name = name(path);
            if known(&name) && message == ABSENT {
                let sentence = "Falta preencher.".to_owned();
                wrong.fields.push((name, path.to_owned(), sentence));
                continue;
            }
            let sentence = sentence(&[message, text(one, "correcao")]);
            if known(&name) {
                wrong.fields.push((name, path.to_owned(), sentence));
            } else {
                wrong.above.push(sentence);
            }
        }
        // What stands beside its field says all: whoever reads it can mend it alone.
        if wrong.fields.is_empty() || reply.status >= 500 {
            let whole = [text(&body, "mensagem"), text(&body, "dica")];
            if wrong.above.is_empty() || whole.iter().any(|one| plain(one).is_some()) {
                wrong.above.insert(0, sentence(&whole));
            }
            wrong.request_id = text(&body, "request_id").into();
        }
        let rejections = &body["rejeicao"];
        let several = rejections.as_array().map_or(&[][..], Vec::as_slice);
        let one = Some(rejections).filter(|one| one.is_object());
        for rejection in several.iter().chain(one) {
            if !wrong.above.iter().any(|said| tells(said, rejection)) {
                wrong.above.extend(refused_for(rejection));
            }
        }
        wrong
    }

    pub fn add(&mut self, field: &str, sentence: &str) {
        self.fields
            .push((field.to_owned(), field.to_owned(), sentence.to_owned()));
    }

    /// Says what another has found, too.
    pub fn append(&mut self, other: Wrongs) {
        self.above.extend(other.above);
        self.fields.extend(other.fields);
    }

    /// Says something of the whole form.
    pub fn add_above(&mut self, sentence: &str) {
        self.above.push(sentence.to_owned());
    }

    /// With the names that the form has for its fields.
    #[must_use]
    pub fn renamed(mut self, name: impl Fn(&str) -> &str) -> Wrongs {
        for field in &mut self.fields {
            field.0 = name(&field.0).to_owned();
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.above.is_empty() && self.fields.is_empty()
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|(name, ..)| name == field)
    }

    /// The ids of what describes a field: what is wrong with it, and its hint.
    pub fn described(&self, field: &str, hint: &str) -> Option<String> {
        let mut ids = Vec::new();
        if self.has(field) {
            ids.push(format!("{field}-falha"));
        }
        if !hint.is_empty() {
            ids.push(format!("{field}-dica"));
        }
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// With the fields in the order of their form. `order`: the place of a field there.
    #[must_use]
    pub fn in_order(mut self, order: impl Fn(&str) -> usize) -> Wrongs {
        self.fields.sort_by_key(|(name, ..)| order(name));
        self
    }

    /// `aria-invalid` of a field.
    pub fn invalid(&self, field: &str) -> Option<&'static str> {
        self.has(field).then_some("true")
    }

    /// `autofocus` of a field: the person goes on with the first that is wrong.
    pub fn focus(&self, field: &str) -> bool {
        let first = self.fields.first();
        first.is_some_and(|(name, ..)| name == field)
    }

    /// Above the form; nothing where nothing is wrong. `label`: what a field is
    /// called, where the box is to say what is wrong with each and lead there.
    pub fn above(&self, label: Option<fn(&str) -> &'static str>) -> Markup {
        let count = self.fields.len();
        html! {
            @if !self.is_empty() {
                (error_box(count == 0, html! {
                    @match label.filter(|_| count > 0) {
                        Some(label) => {
                            p { strong { (corrections(count)) } }
                            ul { @for (name, _, sentence) in &self.fields { li { a href=(format!("#{name}")) { (label(name)) } ": " (first(sentence)) } } }
                        }
                        None if self.above.is_empty() => { p { "Confira os campos marcados." } }
                        None => {}
                    }
                    @for sentence in &self.above { p { (sentence) } }
                    @if !self.request_id.is_empty() { p class="pequeno" { "Código para o suporte: " code { (self.request_id) } } }
                }))
            }
        }
    }

    /// Beside a field.
    pub fn beside(&self, field: &str) -> Markup {
        let all: Vec<_> = self
            .fields
            .iter()
            .filter(|(name, ..)| name == field)
            .collect();
        html! {
            @if !all.is_empty() {
                span class="falha" id=(format!("{field}-falha")) {
                    @for (_, path, sentence) in all { span data-campo=(path) { (sentence) } " " }
                }
            }
        }
    }
}

/// How many fields are to be corrected, of a form that did nothing.
fn corrections(count: usize) -> String {
    match count {
        1 => "Nada foi feito. Corrija um campo:".to_owned(),
        count => format!("Nada foi feito. Corrija {count} campos:"),
    }
}

/// The field of a form, by a path of the API: the last name of it.
fn name(path: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or_default();
    last.split('[').next().unwrap_or_default().to_owned()
}

/// Whether a sentence says what the authority said, code and reason.
fn tells(said: &str, rejection: &Value) -> bool {
    let (code, reason) = (text(rejection, "codigo"), text(rejection, "motivo"));
    !reason.is_empty() && said.contains(code) && said.contains(reason)
}

/// Sentences for people: those that speak of calls and members are left out,
/// unless nothing else is left.
fn sentence(parts: &[&str]) -> String {
    let plain: Vec<String> = parts.iter().filter_map(|part| plain(part)).collect();
    if plain.is_empty() {
        return joined(parts.iter().copied());
    }
    joined(plain.iter().map(String::as_str))
}
