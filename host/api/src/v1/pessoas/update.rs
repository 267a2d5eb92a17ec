//! PATCH /api/v1/pessoas/{id}: name, e-mail, registrations, one role more.

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
use issuing::emitters::party::{Change, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use store::ids::PessoaId;

pub fn built() -> Built {
    Built {
        operation: "pessoas.update",
        route: |method| on(method, update),
        docs: Docs::new("Muda nome, e-mail e inscrições de uma pessoa, ou acrescenta um papel.")
            .sends("ETag", &[200])
            .success::<Person>()
            .body::<UpdateIn>()
            .header(
                "If-Match",
                "ETag lido antes; 412 se a pessoa mudou desde então.",
                etag::schema(),
            ),
    }
}

/// Os campos ausentes ficam como estão; um texto vazio retira e-mail, IE ou IM.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct UpdateIn {
    nome: Option<String>,
    email: Option<String>,
    ie: Option<String>,
    #[schemars(length(max = 15))]
    im: Option<String>,
    adicionar_papel: Option<Role>,
}

async fn update(
    call: Call,
    Path(id): Path<PessoaId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Person> {
    only(&call.query, &[])?;
    let value = body::parse(&call, &headers, &bytes)?;
    let body: UpdateIn = body::read(value, call.tolerant)?;
    let change = Change::Data {
        name: body.nome,
        email: body.email,
        ie: body.ie,
        im: body.im,
        role: body.adicionar_papel,
    };
    record::change(&call, &id, &headers, change).await
}
