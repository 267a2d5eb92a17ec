//! The query of a call's address.

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
        refusal.fields.extend(
            Refusal::field(
                Code::CampoDesconhecido,
                &field,
                "Parâmetro desconhecido.",
                "Retire o parâmetro.",
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
