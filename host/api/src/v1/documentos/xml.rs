//! GET /api/v1/documentos/{ref}/xml: the authority's own bytes.

use super::{arquivo, load, xml_of};
use crate::v1::nfse::documento::{ArquivoOut, file};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use serde_json::json;
use store::Conn;
use store::ids::EventoId;
use store::tables::eventos::EventoRow;
use store::tables::notas::NotaRow;
use store::tables::{artifacts, eventos};

pub fn built() -> Built {
    Built {
        operation: "documentos.xml",
        route: |method| on(method, xml),
        docs: Docs::new("Baixa o XML do documento, byte a byte como a autoridade entregou.")
            .explained("Use para guardar o arquivo que vale por lei e para enviá-lo ao contador; formato=binario devolve o arquivo em vez de base64. Com evento, vem o XML de um cancelamento ou de uma carta de correção; recusa o evento que ainda não foi registrado.")
            .query(
                "formato",
                "base64 (padrão) ou binario.",
                json!({ "type": "string", "enum": ["base64", "binario"] }),
            )
            .query(
                "evento",
                "Em vez do documento, o XML deste evento dele (evento_id do histórico).",
                json!({ "type": "string", "minLength": 1 }),
            )
            .files(&["application/xml"])
            .success::<ArquivoOut>(),
    }
}

async fn xml(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ArquivoOut> {
    only(&query, &["formato", "evento"])?;
    let binary = super::binary(&query)?;
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    if let Some(evento) = query.get("evento") {
        let row = event_of(&mut conn, &nota, &evento.as_str().into()).await?;
        let xml = xml_of_event(&mut conn, &nota, &row).await?;
        let name = format!("{}-{evento}.xml", nota.modelo.name());
        return file(&call, xml, "application/xml", name, binary);
    }
    let xml = xml_of(&mut conn, &nota).await?;
    let name = arquivo(&nota, "xml");
    file(&call, xml.bytes, "application/xml", name, binary)
}

/// An event of this note.
///
/// # Errors
/// 404 when it has none with this id.
pub async fn event_of(
    conn: &mut Conn,
    nota: &NotaRow,
    id: &EventoId,
) -> Result<EventoRow, Failure> {
    let evento = eventos::by_id(conn, id).await?.filter(|evento| {
        evento.nota_id.as_ref() == Some(&nota.id) && evento.account_id == nota.account_id
    });
    Ok(
        evento
            .ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Evento não encontrado."))?,
    )
}

/// The document of an event of this note.
///
/// # Errors
/// 409 before the event is registered.
pub async fn xml_of_event(
    conn: &mut Conn,
    nota: &NotaRow,
    evento: &EventoRow,
) -> Result<Vec<u8>, Failure> {
    let xml = artifacts::get(conn, &nota.account_id, &evento.id, "evento").await?;
    let xml = xml.ok_or_else(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O evento não tem XML.")
            .hint("O XML existe depois do registro do evento.")
            .nota(&nota.id)
    })?;
    Ok(xml.bytes)
}
