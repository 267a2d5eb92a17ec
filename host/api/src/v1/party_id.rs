//! `pessoa_id` in the parties of a note: a registered person fills what the
//! body leaves out.

use base::errors::{Code, Failure, Refusal};
use issuing::issue::Pessoas;
use serde_json::{Value, json};

const NAME: &str = "pessoa_id";

/// Takes the ids out of these members of a body (paths with dots), so that the
/// rest is the content of the note alone.
///
/// # Errors
/// 400: one is no text.
pub fn take(body: &mut Value, members: &[&str]) -> Result<Pessoas, Failure> {
    let mut taken = Pessoas::new();
    for member in members {
        let found = member
            .split('.')
            .try_fold(&mut *body, |value, name| value.get_mut(name));
        let party = found.and_then(Value::as_object_mut);
        match party.and_then(|party| party.remove(NAME)) {
            None | Some(Value::Null) => {}
            Some(Value::String(id)) => {
                taken.insert((*member).to_owned(), id.into());
            }
            Some(_) => {
                return Err(Refusal::field(
                    Code::ParametroInvalido,
                    &format!("{member}.{NAME}"),
                    "O id da pessoa deve ser um texto.",
                    "Use o id de POST /api/v1/pessoas.",
                )
                .into());
            }
        }
    }
    Ok(taken)
}

/// Adds the member to the schema of a party.
pub fn describe(schema: &mut Value, party: &str) {
    if let Some(properties) = schema["$defs"][party]["properties"].as_object_mut() {
        properties.insert(
            NAME.to_owned(),
            json!({
                "type": ["string", "null"], "minLength": 1,
                "description": "Pessoa cadastrada (POST /pessoas): completa o que o corpo deixa de fora; o endereço, por inteiro.",
            }),
        );
    }
}
