//! PATCH /api/v1/emitters/{id}: environment, name, default.

use super::create::alias;
use super::get::respond;
use super::record::{self, Ambiente, EmitterOut};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, etag};
use issuing::emitters::{self, Change, Emitter};
use schemars::JsonSchema;
use serde::Deserialize;
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "emitters.update",
        route: |method| on(method, update),
        docs: Docs::new("Muda o ambiente, o apelido ou o emitente padrão.")
            .explained("Use para passar a empresa de homologação para produção ou para escolher o emitente de quem não informa emitente_id. Os dados da empresa mudam em PUT /api/v1/emitters/{id}/fiscal-profile.")
            .sends("ETag", &[200])
            .success::<EmitterOut>()
            .body::<UpdateIn>()
            .header(
                "If-Match",
                "ETag lido antes; 412 se o emitente mudou desde então.",
                etag::schema(),
            ),
    }
}

/// Os campos ausentes ficam como estão.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct UpdateIn {
    ambiente: Option<Ambiente>,
    #[schemars(length(min = 1, max = 80))]
    apelido: Option<String>,
    padrao: Option<bool>,
}

async fn update(
    call: Call,
    Path(id): Path<EmitterId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<EmitterOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: UpdateIn = body::read(value, call.tolerant)?;
    let change = Change {
        ambiente: body.ambiente.map(Ambiente::stored),
        alias: body.apelido.map(alias).transpose()?,
        default: body.padrao,
    };
    let mut conn = call.app.db.read().await?;
    let Emitter { row, certificate } = record::load(&mut conn, &call.caller, &id).await?;
    drop(conn);
    call.about(&row.id);
    etag::check(&headers, row.version)?;
    let row = emitters::update(&call.app, row, change).await?;
    let mut conn = call.app.db.read().await?;
    respond(&call, &mut conn, &Emitter { row, certificate }).await
}
