//! JSON answers, with the habits of the running API.

use serde_json::{Map, Value, json};

use super::Ambiente;
use super::codes::Refusal;
use crate::clock;
use crate::engine::Call;
use crate::pki::CertificateProblem;
use crate::request::Answer;

/// `verAplic` and `versaoAplicativo`.
pub(super) const VERSION: &str = "Simulador_1.0";

/// The fields every answer has.
pub(super) fn envelope(call: &Call<'_>, ambiente: Ambiente) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("tipoAmbiente".into(), json!(ambiente.code()));
    map.insert("versaoAplicativo".into(), json!(VERSION));
    map.insert(
        "dataHoraProcessamento".into(),
        json!(clock::date_time(call.now_ms)),
    );
    map
}

/// Refusal with a list `erros`. The running API writes the keys of an error
/// mostly in PascalCase and sometimes in camelCase.
pub(super) fn refuse_list(
    call: &Call<'_>,
    ambiente: Ambiente,
    status: u16,
    id_dps: Option<&str>,
    refusals: &[Refusal],
) -> Answer {
    let what = format!(
        "caixa|{}|{}",
        id_dps.unwrap_or_default(),
        refusals.first().map_or("", |r| &r.code)
    );
    let camel = call.draw(&what, 4) == 0;
    let errors: Vec<Value> = refusals
        .iter()
        .map(|r| {
            if camel {
                json!({"codigo": r.code, "descricao": r.text(), "complemento": r.complement})
            } else {
                json!({"Codigo": r.code, "Descricao": r.text(), "Complemento": r.complement})
            }
        })
        .collect();
    let mut map = envelope(call, ambiente);
    if let Some(id) = id_dps {
        map.insert("idDPS".into(), json!(id));
    }
    map.insert("erros".into(), Value::Array(errors));
    Answer::json(status, &Value::Object(map))
}

/// Refusal with `erro`, which the running API writes as one object or as a list.
pub(super) fn refuse_one(
    call: &Call<'_>,
    ambiente: Ambiente,
    status: u16,
    about: &str,
    refusal: &Refusal,
) -> Answer {
    let one = json!({
        "codigo": refusal.code,
        "descricao": refusal.text(),
        "complemento": refusal.complement,
    });
    let list = call.draw(&format!("erro|{about}|{}", refusal.code), 2) == 0;
    let mut map = envelope(call, ambiente);
    map.insert("erro".into(), if list { json!([one]) } else { one });
    Answer::json(status, &Value::Object(map))
}

/// Code of a transmission certificate that is not accepted.
pub(super) fn transmission_problem(call: &Call<'_>, der: &[u8]) -> Option<&'static str> {
    match call.pki.check(der, call.now_ms) {
        Ok(()) => None,
        Err(CertificateProblem::Expired) => Some("E1203"),
        Err(CertificateProblem::Chain | CertificateProblem::Unreadable) => Some("E1205"),
    }
}
