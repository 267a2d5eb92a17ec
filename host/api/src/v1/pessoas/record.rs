//! A person as the API shows it.

use axum::http::HeaderMap;
use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::request::etag;
use issuing::emitters::party::{self, Role, Telefone};
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::{EmitterId, PessoaId};
use store::tables::pessoas::PersonRow;

/// Uma pessoa do cadastro: cliente, fornecedor ou outro papel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pessoa")]
pub struct Person {
    id: PessoaId,
    /// O emitente de cujo cadastro ela é.
    emitente_id: EmitterId,
    /// Sem máscara.
    cpf_cnpj: String,
    nome: String,
    email: Option<String>,
    ie: Option<String>,
    im: Option<String>,
    papeis: Vec<Role>,
    enderecos: Vec<PersonAddress>,
    telefones: Vec<Telefone>,
    criada_em: String,
    atualizada_em: String,
}

/// Endereço no Brasil.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EnderecoDaPessoa")]
struct PersonAddress {
    /// Nome do endereço, como "Matriz".
    rotulo: Option<String>,
    /// O que as notas usam.
    principal: bool,
    cep: Option<String>,
    logradouro: Option<String>,
    numero: Option<String>,
    complemento: Option<String>,
    bairro: Option<String>,
    cidade: Option<String>,
    codigo_ibge: Option<String>,
    uf: Option<String>,
}

impl From<party::Address> for PersonAddress {
    fn from(address: party::Address) -> PersonAddress {
        PersonAddress {
            rotulo: address.rotulo,
            principal: address.principal == Some(true),
            cep: address.cep,
            logradouro: address.logradouro,
            numero: address.numero,
            complemento: address.complemento,
            bairro: address.bairro,
            cidade: address.cidade,
            codigo_ibge: address.codigo_ibge,
            uf: address.uf,
        }
    }
}

/// The record of a person.
///
/// # Errors
/// The row is damaged.
pub fn person(row: &PersonRow) -> Result<Person, Failure> {
    let person = party::of(row)?;
    Ok(Person {
        id: row.id.clone(),
        emitente_id: row.emitter_id.clone(),
        cpf_cnpj: row.documento.clone(),
        nome: person.name,
        email: person.email,
        ie: person.ie,
        im: person.im,
        papeis: person.roles,
        enderecos: person.enderecos.into_iter().map(Into::into).collect(),
        telefones: person.telefones,
        criada_em: when::rfc3339(row.created_at_ms),
        atualizada_em: when::rfc3339(row.updated_at_ms),
    })
}

/// The record as an answer, with its version.
///
/// # Errors
/// The row is damaged.
pub fn respond(call: &Call, row: &PersonRow) -> ApiAnswer<Person> {
    call.about(&row.id);
    Ok(call.ok(person(row)?)?.version(row.version))
}

/// Carries out a change, if the row is still the one the customer read.
///
/// # Errors
/// 404, 412, or 422 with everything to correct.
pub async fn change(
    call: &Call,
    id: &PessoaId,
    headers: &HeaderMap,
    change: party::Change,
) -> ApiAnswer<Person> {
    let headers = headers.clone();
    let expected = move |version| match etag::check(&headers, version) {
        Ok(()) => Ok(()),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(Failure::Internal(_)) => Err(Box::new(Refusal::new(Code::ErroInterno))),
    };
    let row = party::alter(&call.app, &call.caller.account_id, id, expected, change).await?;
    respond(call, &row)
}
