//! Ids that go from the answer of one request into the next one, as variables of a
//! collection: an example id says by its beginning what it is the id of.

use super::model::Op;
use serde_json::Value;

/// How an example id begins, and the variable that the real one is kept in.
pub const VARIABLES: [(&str, &str); 14] = [
    ("emi", "emitente_id"),
    ("nfe", "nfe_id"),
    ("nfce", "nfce_id"),
    ("nfse", "nfse_id"),
    ("cte", "cte_id"),
    ("mdfe", "mdfe_id"),
    ("pes", "pessoa_id"),
    ("whk", "webhook_id"),
    ("ent", "entrega_id"),
    ("cmp", "compra_id"),
    ("key", "chave_id"),
    ("exp", "exportacao_id"),
    ("der", "evento_dere_id"),
    ("dlo", "lote_id"),
];

/// What all example ids have behind their prefix.
const EXAMPLE: &str = "_01KAEXEMPL";

/// The variable that stands for an example id.
pub fn variable(text: &str) -> Option<&'static str> {
    let (prefix, _) = text.split_once(EXAMPLE)?;
    let found = VARIABLES.iter().find(|(known, _)| *known == prefix);
    found.map(|(_, variable)| *variable)
}

/// What a variable holds until a request set it: an example id.
pub fn initial(prefix: &str) -> String {
    format!("{prefix}{EXAMPLE}0000000000000001")
}

/// The variable that the `id` of an operation's answer is kept in: of operations that
/// make something.
pub fn kept(op: &Op) -> Option<&'static str> {
    let makes = matches!(op.method.as_str(), "POST" | "PUT");
    op.shown_id.as_deref().filter(|_| makes).and_then(variable)
}

/// A text with the variable in its place, if it is an example id.
pub fn linked(text: &str) -> String {
    match variable(text) {
        Some(name) => format!("{{{{{name}}}}}"),
        None => text.to_owned(),
    }
}

/// A body with variables in the place of example ids.
pub fn linked_body(value: &Value) -> Value {
    match value {
        Value::String(text) => linked(text).into(),
        Value::Array(items) => items.iter().map(linked_body).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, member)| (name.clone(), linked_body(member)));
            members.collect::<serde_json::Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
