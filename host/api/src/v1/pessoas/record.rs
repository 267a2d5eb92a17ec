//! A person as the API shows it.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::json;
use crate::request::etag;
use axum::http::HeaderMap;
use axum::response::Response;
use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::emitters::party;
use serde_json::{Map, Value, json as value};
use store::tables::pessoas::PessoaRow;

/// The record of a person.
///
/// # Errors
/// The row is damaged.
pub fn pessoa(row: &PessoaRow) -> Result<Map<String, Value>, Failure> {
    let pessoa = party::de(row)?;
    let enderecos = pessoa.enderecos.iter().map(|endereco| {
        value!({
            "rotulo": endereco.rotulo, "principal": endereco.principal == Some(true),
            "cep": endereco.cep, "logradouro": endereco.logradouro, "numero": endereco.numero,
            "complemento": endereco.complemento, "bairro": endereco.bairro, "cidade": endereco.cidade,
            "codigo_ibge": endereco.codigo_ibge, "uf": endereco.uf,
        })
    });
    let record = value!({
        "id": row.id, "emitente_id": row.emitter_id, "cpf_cnpj": row.documento, "nome": pessoa.nome,
        "email": pessoa.email, "ie": pessoa.ie, "im": pessoa.im, "papeis": pessoa.papeis,
        "enderecos": enderecos.collect::<Vec<_>>(), "telefones": pessoa.telefones,
        "criada_em": when::rfc3339(row.created_at_ms), "atualizada_em": when::rfc3339(row.updated_at_ms),
    });
    match record {
        Value::Object(record) => Ok(record),
        _ => Ok(Map::new()),
    }
}

/// The record as an answer, with its version.
///
/// # Errors
/// The row is damaged.
pub fn respond(
    call: &Call,
    status: u16,
    row: &PessoaRow,
    there: Option<bool>,
) -> ApiResult<Response> {
    call.about(&row.id);
    let mut record = pessoa(row)?;
    if let Some(there) = there {
        record.insert("ja_existia".to_owned(), there.into());
    }
    record.insert("sucesso".to_owned(), true.into());
    let request_id = call.caller.request_id.clone();
    record.insert("request_id".to_owned(), request_id.into());
    Ok(etag::with(json(status, &record.into()), row.version))
}

/// Carries out a change, if the row is still the one the customer read.
///
/// # Errors
/// 404, 412, or 422 with everything to correct.
pub async fn change(
    call: &Call,
    id: &str,
    headers: &HeaderMap,
    mudanca: party::Mudanca,
) -> ApiResult<Response> {
    let headers = headers.clone();
    let expected = move |version| match etag::check(&headers, version) {
        Ok(()) => Ok(()),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(Failure::Internal(_)) => Err(Box::new(Refusal::new(Code::ErroInterno))),
    };
    let row = party::mudar(&call.app, &call.caller.account_id, id, expected, mudanca).await?;
    respond(call, 200, &row, None)
}
