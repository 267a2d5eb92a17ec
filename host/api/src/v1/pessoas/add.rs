//! POST /api/v1/pessoas/{id}/enderecos and /telefones: one more of either.

use super::record::{self, Person};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::only;
use gate::request::{body, etag};
use issuing::emitters::party::{Address, Change, Telefone};
use store::ids::PessoaId;

const IF_MATCH: &str = "ETag lido antes; 412 se a pessoa mudou desde então.";

pub fn built_enderecos() -> Built {
    Built {
        operation: "pessoas.enderecos",
        route: |method| on(method, enderecos),
        docs: Docs::new("Acrescenta um endereço a uma pessoa (até 20) e a mostra.")
            .body::<Address>()
            .requires(&["cep", "logradouro", "numero", "bairro", "codigo_ibge"])
            .header("If-Match", IF_MATCH, etag::schema())
            .sends("ETag", &[200])
            .success::<Person>(),
    }
}

pub fn built_telefones() -> Built {
    Built {
        operation: "pessoas.telefones",
        route: |method| on(method, telefones),
        docs: Docs::new("Acrescenta um telefone a uma pessoa (até 20) e a mostra.")
            .body::<Telefone>()
            .requires(&["numero"])
            .header("If-Match", IF_MATCH, etag::schema())
            .sends("ETag", &[200])
            .success::<Person>(),
    }
}

async fn enderecos(
    call: Call,
    Path(id): Path<PessoaId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Person> {
    only(&call.query, &[])?;
    let value = body::parse(&call, &headers, &bytes)?;
    let address: Address = body::read(value, call.tolerant)?;
    record::change(&call, &id, &headers, Change::Address(address)).await
}

async fn telefones(
    call: Call,
    Path(id): Path<PessoaId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Person> {
    only(&call.query, &[])?;
    let value = body::parse(&call, &headers, &bytes)?;
    let telefone: Telefone = body::read(value, call.tolerant)?;
    record::change(&call, &id, &headers, Change::Telefone(telefone)).await
}
