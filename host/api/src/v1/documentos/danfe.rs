//! GET /api/v1/documentos/{ref}/danfe: the DANFE of an NF-e or NFC-e, or the
//! printout of one of its correction letters.

use super::xml::{event_of, xml_of_event};
use super::{arquivo, load, xml_of};
use crate::v1::nfse::documento::{ArquivoOut, file};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::document::print;
use serde_json::json;
use store::Conn;
use store::ids::EventoId;
use store::tables::emitters;
use store::tables::eventos::EventKind;
use store::tables::notas::NotaRow;

pub fn built() -> Built {
    Built {
        operation: "documentos.danfe",
        route: |method| on(method, get),
        docs: Docs::new("Baixa o DANFE da NF-e ou da NFC-e em PDF.")
            .explained("Use para imprimir ou enviar a quem comprou; formato=binario devolve o PDF em vez de base64. O de uma nota cancelada leva a marca de cancelada. Quem vale por lei é o XML.")
            .query(
                "formato",
                "base64 (padrão) ou binario.",
                json!({ "type": "string", "enum": ["base64", "binario"] }),
            )
            .query(
                "evento",
                "Em vez do DANFE, a impressão desta carta de correção da nota (evento_id do histórico).",
                json!({ "type": "string", "minLength": 1 }),
            )
            .files(&["application/pdf"])
            .success::<ArquivoOut>(),
    }
}

async fn get(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ArquivoOut> {
    only(&query, &["formato", "evento"])?;
    let binary = super::binary(&query)?;
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let model = nota.modelo;
    if !model.is_product() {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O documento não é NF-e nem NFC-e.")
            .hint("O PDF de uma NFS-e está em GET /api/v1/nfse/{ref}/documento, o de um CT-e em GET /api/v1/cte/{ref}/dacte, o de um MDF-e em GET /api/v1/mdfe/{ref}/documento.")
            .nota(&nota.id)
            .into());
    }
    let xml = xml_of(&mut conn, &nota).await?;
    let letter = match query.get("evento") {
        Some(evento) => Some(letter(&mut conn, &nota, &evento.as_str().into()).await?),
        None => None,
    };
    let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
    drop(conn);
    let logo = emitter.as_ref().map(print::logo).transpose()?.flatten();
    let registry = call.app.registry.load();
    let drawn = tokio::task::spawn_blocking(move || {
        let pdf = match &letter {
            Some(letter) => print::letter(&nota, letter, &xml.bytes, logo.as_deref()),
            None => print::pdf(&registry, &nota, &xml.bytes, logo.as_deref()),
        };
        pdf.map(|pdf| (pdf, nota))
    });
    let (pdf, nota) = drawn
        .await
        .map_err(|error| Failure::Internal(error.into()))??;
    let name = match query.get("evento") {
        Some(evento) => format!("{}-{evento}.pdf", model.name()),
        None => arquivo(&nota, "pdf"),
    };
    file(&call, pdf, "application/pdf", name, binary)
}

/// The XML of a correction letter of the note.
async fn letter(conn: &mut Conn, nota: &NotaRow, id: &EventoId) -> Result<Vec<u8>, Failure> {
    let evento = event_of(conn, nota, id).await?;
    if evento.tipo != EventKind::Cce {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O evento não é uma carta de correção.")
            .hint("Só a carta de correção tem impressão; o XML do evento está em GET /api/v1/documentos/{ref}/xml?evento=…")
            .nota(&nota.id)
            .into());
    }
    xml_of_event(conn, nota, &evento).await
}
