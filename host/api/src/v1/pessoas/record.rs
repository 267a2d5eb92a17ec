//! A person as the API shows it.

use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::request::etag;
use axum::http::HeaderMap;
use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::emitters::party::{self, Papel, Telefone};
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::{EmitterId, PessoaId};
use store::tables::pessoas::PessoaRow;

/// Uma pessoa do cadastro: cliente, fornecedor ou outro papel.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pessoa {
    id: PessoaId,
    /// O emitente de cujo cadastro ela é.
    emitente_id: EmitterId,
    /// Sem máscara.
    cpf_cnpj: String,
    nome: String,
    email: Option<String>,
    ie: Option<String>,
    im: Option<String>,
    papeis: Vec<Papel>,
    enderecos: Vec<EnderecoDaPessoa>,
    telefones: Vec<Telefone>,
    criada_em: String,
    atualizada_em: String,
}

/// Endereço no Brasil.
#[derive(Debug, Serialize, JsonSchema)]
struct EnderecoDaPessoa {
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

impl From<party::Endereco> for EnderecoDaPessoa {
    fn from(endereco: party::Endereco) -> EnderecoDaPessoa {
        EnderecoDaPessoa {
            rotulo: endereco.rotulo,
            principal: endereco.principal == Some(true),
            cep: endereco.cep,
            logradouro: endereco.logradouro,
            numero: endereco.numero,
            complemento: endereco.complemento,
            bairro: endereco.bairro,
            cidade: endereco.cidade,
            codigo_ibge: endereco.codigo_ibge,
            uf: endereco.uf,
        }
    }
}

/// The record of a person.
///
/// # Errors
/// The row is damaged.
pub fn pessoa(row: &PessoaRow) -> Result<Pessoa, Failure> {
    let pessoa = party::de(row)?;
    Ok(Pessoa {
        id: row.id.clone(),
        emitente_id: row.emitter_id.clone(),
        cpf_cnpj: row.documento.clone(),
        nome: pessoa.nome,
        email: pessoa.email,
        ie: pessoa.ie,
        im: pessoa.im,
        papeis: pessoa.papeis,
        enderecos: pessoa.enderecos.into_iter().map(Into::into).collect(),
        telefones: pessoa.telefones,
        criada_em: when::rfc3339(row.created_at_ms),
        atualizada_em: when::rfc3339(row.updated_at_ms),
    })
}

/// The record as an answer, with its version.
///
/// # Errors
/// The row is damaged.
pub fn respond(call: &Call, row: &PessoaRow) -> ApiAnswer<Pessoa> {
    call.about(&row.id);
    Ok(call.ok(pessoa(row)?)?.version(row.version))
}

/// Carries out a change, if the row is still the one the customer read.
///
/// # Errors
/// 404, 412, or 422 with everything to correct.
pub async fn change(
    call: &Call,
    id: &PessoaId,
    headers: &HeaderMap,
    mudanca: party::Mudanca,
) -> ApiAnswer<Pessoa> {
    let headers = headers.clone();
    let expected = move |version| match etag::check(&headers, version) {
        Ok(()) => Ok(()),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(Failure::Internal(_)) => Err(Box::new(Refusal::new(Code::ErroInterno))),
    };
    let row = party::mudar(&call.app, &call.caller.account_id, id, expected, mudanca).await?;
    respond(call, &row)
}
