//! POST /api/v1/pessoas: registers a customer or supplier, once for each CPF
//! or CNPJ.

use super::record;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use gate::request::list::only;
use issuing::emitters::party::{self, Address, NewPerson, Person, Role, Telefone};
use issuing::issue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "pessoas.create",
        route: |method| on(method, create),
        docs: Docs::new("Cadastra um cliente ou fornecedor de um emitente, uma vez por CPF ou CNPJ; chaves de teste e de produção veem o mesmo cadastro.")
            .body::<PersonIn>()
            .answers(&[
                (200, "A pessoa já estava cadastrada; nada mudou (ja_existia: true)."),
                (201, "Pessoa cadastrada."),
            ])
            .sends("ETag", &[200, 201])
            .success::<PersonOut>(),
    }
}

/// Dados da pessoa a cadastrar.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "PessoaIn")]
struct PersonIn {
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<EmitterId>,
    /// CPF, ou CNPJ numérico ou alfanumérico; aceita máscara.
    cpf_cnpj: String,
    /// Até 300 caracteres (uma NF-e aceita 60).
    nome: String,
    email: Option<String>,
    /// De uma UF em que há endereço, ou "ISENTO".
    ie: Option<String>,
    #[schemars(length(max = 15))]
    im: Option<String>,
    #[serde(default)]
    papeis: Vec<Role>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    enderecos: Vec<Address>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    telefones: Vec<Telefone>,
}

/// A pessoa, e se já estava cadastrada.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PessoaOut")]
struct PersonOut {
    #[serde(flatten)]
    pessoa: record::Person,
    /// Já estava cadastrada: nada mudou.
    ja_existia: bool,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<PersonOut> {
    only(&call.query, &[])?;
    let value = body::parse(&call, &headers, &bytes)?;
    let body: PersonIn = body::read(value, call.tolerant)?;
    let mut conn = call.app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
    drop(conn);
    let fresh = NewPerson {
        cpf_cnpj: body.cpf_cnpj,
        person: Person {
            name: body.nome,
            email: body.email,
            ie: body.ie,
            im: body.im,
            roles: body.papeis,
            enderecos: body.enderecos,
            telefones: body.telefones,
        },
    };
    let account_id = &call.caller.account_id;
    let (row, new) = party::register(&call.app, account_id, &emitter.id, fresh).await?;
    call.about(&row.id);
    let body = PersonOut {
        pessoa: record::person(&row)?,
        ja_existia: !new,
    };
    let answer = call.answer(if new { 201 } else { 200 }, body)?;
    Ok(answer.version(row.version))
}
