//! GET /api/v1/documentos/{ref}/historico: what happened, in order. No XML
//! and no personal data.

use super::load;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::creditos::entry;
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use base::when;
use serde_json::{Value, json as value};
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::flows::{StepRow, TurnNext};
use store::tables::mails::{MailRow, MailStatus};
use store::tables::notas::NotaRow;
use store::tables::{eventos, flows, ledger, mails, outbox};

/// Steps and movements of credits shown, the newest ones; a note has about
/// ten. Its events are shown whatever their number.
const STEPS: i64 = 500;

pub fn built() -> Built {
    Built {
        operation: "documentos.historico",
        route: |method| on(method, historico),
        docs: Docs::new(
            "Mostra a linha do tempo do documento: transmissões, eventos, créditos e e-mails.",
        ),
    }
}

async fn historico(call: Call, Path(reference): Path<String>) -> ApiResult<Response> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let account = &call.caller.account_id;
    let mut lines = vec![created(&nota)];
    let events = eventos::of_nota(&mut conn, account, &nota.id).await?;
    // What the statements give is newest first, also within a millisecond.
    for transfer in ledger::of_nota(&mut conn, account, &nota.id, STEPS)
        .await?
        .iter()
        .rev()
    {
        lines.push((transfer.created_at_ms, value!({
            "tipo": entry::Tipo::of(transfer.kind), "origem": "creditos", "creditos": transfer.amount,
            "request_id": transfer.request_id,
        })));
    }
    for step in flows::steps_of(&mut conn, account, &nota.id, STEPS)
        .await?
        .iter()
        .rev()
    {
        lines.extend(exchanged(step));
    }
    let with_xml = eventos::with_xml(&mut conn, account, &nota.id).await?;
    for evento in &events {
        let xml = with_xml.contains(&evento.id);
        lines.extend(event(evento, xml));
    }
    for told in outbox::of_subject(&mut conn, account, &nota.id).await? {
        let issued = told.tipo.ends_with(".emitida") || told.tipo.ends_with(".autorizada");
        let xml_link = issued.then(|| format!("/api/v1/documentos/{}/xml", nota.id));
        let protocolo = if nota.protocolo.is_empty() {
            Value::Null
        } else {
            nota.protocolo.clone().into()
        };
        lines.push((
            told.created_at_ms,
            value!({
                "tipo": told.tipo, "origem": "evento", "evento_id": told.id,
                "protocolo": if issued { protocolo } else { Value::Null }, "xml_link": xml_link,
            }),
        ));
    }
    for mail in mails::of_subject(&mut conn, account, &nota.id).await? {
        lines.extend(mailed(&mail));
    }
    lines.sort_by_key(|(at_ms, _)| *at_ms);
    let items: Vec<Value> = lines
        .into_iter()
        .enumerate()
        .map(|(index, line)| numbered(index, line))
        .collect();
    Ok(json(
        200,
        &value!({
            "sucesso": true, "nota_id": nota.id, "status": nota.status, "itens": items,
            "request_id": call.caller.request_id,
        }),
    ))
}

/// A moment (epoch milliseconds) and what happened.
type Line = (i64, Value);

fn numbered(index: usize, (at_ms, mut what): Line) -> Value {
    if let Some(members) = what.as_object_mut() {
        members.insert("sequencia".to_owned(), (index + 1).into());
        members.insert("em".to_owned(), when::rfc3339(at_ms).into());
        for name in ["protocolo", "xml_link"] {
            members.entry(name).or_insert(Value::Null);
        }
    }
    what
}

fn created(nota: &NotaRow) -> Line {
    (
        nota.created_at_ms,
        value!({ "tipo": "criada", "origem": "hub", "request_id": nota.request_id }),
    )
}

/// What was asked for and what became of it; `xml` says that its document is
/// kept.
fn event(evento: &EventoRow, xml: bool) -> Vec<Line> {
    let line = |at_ms: i64, status: Option<EventoStatus>| {
        let xml_link = (xml && status == Some(EventoStatus::Registrado)).then(|| {
            format!(
                "/api/v1/documentos/{}/xml?evento={}",
                evento.nota_id, evento.id
            )
        });
        let protocolo = if evento.protocolo.is_empty() {
            Value::Null
        } else {
            evento.protocolo.clone().into()
        };
        (
            at_ms,
            value!({
                "tipo": evento.tipo, "origem": "hub", "status": status.map_or("pedido", EventoStatus::as_str), "evento_id": evento.id,
                "protocolo": protocolo, "xml_link": xml_link, "request_id": evento.request_id,
            }),
        )
    };
    let mut lines = vec![line(evento.created_at_ms, None)];
    if evento.status != EventoStatus::EmTransmissao {
        lines.push(line(evento.updated_at_ms, Some(evento.status)));
    }
    lines
}

/// A mail that was asked for, and what became of it. Whom it was for is not
/// kept.
fn mailed(mail: &MailRow) -> Vec<Line> {
    let line = |at_ms: i64, status: &str| {
        let motivo = Some(&mail.motivo).filter(|text| !text.is_empty());
        (
            at_ms,
            value!({ "tipo": "email", "origem": "hub", "status": status, "envio_id": mail.content_id, "motivo": motivo }),
        )
    };
    let mut lines = vec![line(mail.created_at_ms, "pedido")];
    if mail.status != MailStatus::Fila {
        lines.push(line(mail.updated_at_ms, mail.status.as_str()));
    }
    lines
}

/// What a step of the adapter received and did next.
fn exchanged(turn: &StepRow) -> Vec<Line> {
    let mut lines = Vec::new();
    let event: Value = serde_json::from_str(&turn.event).unwrap_or_default();
    if let Some(status) = event.pointer("/response/status").and_then(Value::as_u64) {
        lines.push((
            turn.at_ms,
            value!({ "tipo": "resposta", "origem": "autoridade", "status_http": status }),
        ));
    } else if let Some(fault) = event.get("NoResponse") {
        let arrived = fault["maybe_arrived"] == true;
        lines.push((turn.at_ms, value!({
            "tipo": "sem_resposta", "origem": "hub", "motivo": fault["kind"], "pode_ter_chegado": arrived,
        })));
    }
    match turn.next {
        TurnNext::Send => lines.push((
            turn.at_ms,
            value!({ "tipo": "envio", "origem": "hub", "requisicao": turn.label }),
        )),
        TurnNext::Wait => lines.push((
            turn.at_ms,
            value!({ "tipo": "espera", "origem": "hub", "motivo": turn.label }),
        )),
        TurnNext::Done => {}
    }
    lines
}
