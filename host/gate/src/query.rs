//! The query of a call's address.

use crate::error::suggest;
use base::errors::{Code, Failure, Refusal};
use std::collections::BTreeMap;

/// Query parameters by name; the last of a repeated name counts.
pub type Query = BTreeMap<String, String>;

/// Refuses unknown query parameters.
///
/// # Errors
/// 400 with all of them.
pub fn only(query: &Query, known: &[&str]) -> Result<(), Failure> {
    let mut refusal = Refusal::new(Code::CampoDesconhecido)
        .message("A consulta tem parâmetros que a operação não conhece.");
    for name in query
        .keys()
        .filter(|name| !known.contains(&name.as_str()) && name.as_str() != "tolerante")
    {
        let field: String = name.chars().take(60).collect();
        let correction = match suggest::nearest(name, known) {
            Some(meant) => format!("Você quis dizer {meant}? Se não, retire o parâmetro."),
            None if known.is_empty() => {
                "Retire o parâmetro: esta operação não tem nenhum.".to_owned()
            }
            None => format!(
                "Retire o parâmetro. Esta operação tem: {}.",
                known.join(", ")
            ),
        };
        refusal.fields.extend(
            Refusal::field(
                Code::CampoDesconhecido,
                &field,
                "Parâmetro desconhecido.",
                &correction,
            )
            .fields,
        );
    }
    if refusal.fields.is_empty() {
        Ok(())
    } else {
        Err(refusal.into())
    }
}
