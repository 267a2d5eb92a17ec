//! PUT /api/v1/emitters/{id}/fiscal-profile: what is true of the company on
//! every note.

use super::get::respond;
use super::record::{self, EmitterOut};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, etag};
use issuing::emitters::profile::Perfil;
use issuing::emitters::{self, Emitter};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "emitters.fiscal-profile",
        route: |method| on(method, put),
        docs: Docs::new("Substitui o perfil fiscal; senhas, tokens e CSC guardados ficam até serem trocados e nunca voltam.")
            .explained("Use para informar endereço, inscrições, regime, séries e o que a cidade pede. O perfil é trocado inteiro: leia o atual em GET /api/v1/emitters/{id}, mude e devolva. A resposta lista em pendencias_detalhes o que ainda falta; recusa os campos que nenhuma nota aceitaria.")
            .sends("ETag", &[200])
            .success::<EmitterOut>()
            .body::<Perfil>()
            .header("If-Match", "ETag lido antes; 412 se o emitente mudou desde então.", etag::schema()),
    }
}

async fn put(
    call: Call,
    Path(id): Path<EmitterId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<EmitterOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let perfil: Perfil = body::read(value, call.tolerant)?;
    let mut conn = call.app.db.read().await?;
    let Emitter { row, certificate } = record::load(&mut conn, &call.caller, &id).await?;
    drop(conn);
    call.about(&row.id);
    etag::check(&headers, row.version)?;
    let row = emitters::set_profile(&call.app, row, perfil).await?;
    let mut conn = call.app.db.read().await?;
    respond(&call, &mut conn, &Emitter { row, certificate }).await
}
