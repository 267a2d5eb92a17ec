//! The query of a call's address.

use crate::error::suggest;
use axum::extract::Query as UrlQuery;
use axum::http::Uri;
use base::errors::place;
use base::errors::{Code, Failure, Refusal};
use std::collections::{BTreeMap, BTreeSet};

/// Parameters that one answer names: an address may hold thousands.
const MOST_FAULTS: usize = 100;

/// Query parameters by name; none is repeated ([`once`]).
pub type Query = BTreeMap<String, String>;

/// Refuses a parameter that comes twice: one of its values would be lost.
///
/// # Errors
/// 400 with its name.
pub fn once(uri: &Uri) -> Result<(), Failure> {
    let read = UrlQuery::<Vec<(String, String)>>::try_from_uri(uri);
    let Ok(UrlQuery(pairs)) = read else {
        // Whoever reads a parameter of it says what is wrong.
        return Ok(());
    };
    let mut seen = BTreeSet::new();
    let repeated = pairs.iter().find(|(name, _)| !seen.insert(name.as_str()));
    let Some((name, _)) = repeated else {
        return Ok(());
    };
    let (field, message) = place::parameter(name, "O parâmetro veio mais de uma vez.");
    Err(Refusal::field(
        Code::ParametroInvalido,
        &field,
        &message,
        "Envie cada parâmetro uma vez só; onde vários valores são aceitos, separe-os por vírgula.",
    )
    .into())
}

/// Refuses unknown query parameters.
///
/// # Errors
/// 400 with all of them.
pub fn only(query: &Query, known: &[&str]) -> Result<(), Failure> {
    let mut refusal = Refusal::new(Code::CampoDesconhecido)
        .message("A consulta tem parâmetros que a operação não conhece.");
    let unknown = query
        .keys()
        .filter(|name| !known.contains(&name.as_str()) && name.as_str() != "tolerante");
    for name in unknown.take(MOST_FAULTS) {
        let (field, message) = place::parameter(name, "Parâmetro desconhecido.");
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
        refusal
            .fields
            .extend(Refusal::field(Code::CampoDesconhecido, &field, &message, &correction).fields);
    }
    if refusal.fields.is_empty() {
        Ok(())
    } else {
        Err(refusal.into())
    }
}
