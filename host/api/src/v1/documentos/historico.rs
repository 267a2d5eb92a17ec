//! GET /api/v1/documentos/{ref}/historico: what happened, in order. No XML
//! and no personal data.

use super::load;
use crate::v1::creditos::entry;
use axum::extract::Path;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use flow::contract::TransportKind;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::answer::filled;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{MailContentId, NotaId, RequestId};
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::flows::{StepRow, TurnNext};
use store::tables::ledger::Transfer;
use store::tables::mails::{MailRow, MailStatus};
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::outbox::ToldRow;
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
        )
        .success::<HistoricoOut>(),
    }
}

/// A linha do tempo de um documento.
#[derive(Serialize, JsonSchema)]
struct HistoricoOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    status: NotaStatus,
    /// Do mais antigo para o mais novo.
    itens: Vec<Item>,
}

/// Algo que aconteceu, com o seu lugar na linha do tempo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemDoHistorico")]
struct Item {
    /// A partir de 1.
    sequencia: usize,
    /// Quando.
    em: String,
    #[serde(flatten)]
    fato: Fact,
}

/// Algo que aconteceu.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Fato")]
struct Fact {
    /// O que aconteceu: um passo da transmissão, um movimento de créditos, um
    /// evento da nota ou um dos tipos de evento de webhooks.
    #[schemars(with = "String")]
    tipo: Kind,
    origem: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    // Of `eventos`; in a line of what webhooks were told, of `outbox`.
    #[serde(skip_serializing_if = "Option::is_none")]
    evento_id: Option<String>,
    /// O envio por e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    envio_id: Option<MailContentId>,
    /// A quantia movida.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditos: Option<i64>,
    /// O nome da requisição enviada à autoridade.
    #[serde(skip_serializing_if = "Option::is_none")]
    requisicao: Option<String>,
    /// O status HTTP da resposta da autoridade.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_http: Option<u16>,
    /// Por que falhou ou espera; `null`: o e-mail não falhou.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    motivo: Option<Reason>,
    /// A requisição sem resposta pode ter chegado à autoridade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pode_ter_chegado: Option<bool>,
    protocolo: Option<String>,
    /// Onde está o XML, relativo ao endereço da API.
    xml_link: Option<String>,
    /// A chamada que o causou.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<RequestId>,
}

/// A word, or what a movement of credits is.
#[derive(Serialize)]
#[serde(untagged)]
enum Kind {
    Word(String),
    Credits(entry::Kind),
}

impl Default for Kind {
    fn default() -> Kind {
        Kind::from("")
    }
}

impl From<&str> for Kind {
    fn from(word: &str) -> Kind {
        Kind::Word(word.to_owned())
    }
}

/// A sentence or word, or the kind of a fault; null where a mail did not fail.
#[derive(Serialize)]
#[serde(untagged)]
enum Reason {
    Text(Option<String>),
    Fault(TransportKind),
}

/// De quem se soube.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OrigemDoFato")]
enum Origin {
    #[default]
    Hub,
    Autoridade,
    Creditos,
    Evento,
}

async fn historico(call: Call, Path(reference): Path<String>) -> ApiAnswer<HistoricoOut> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let account = &call.caller.account_id;
    let mut lines = vec![created(&nota)];
    let events = eventos::of_nota(&mut conn, account, &nota.id).await?;
    // What the statements give is newest first, also within a millisecond.
    let moved = ledger::of_nota(&mut conn, account, &nota.id, STEPS).await?;
    lines.extend(moved.iter().rev().map(credited));
    let steps = flows::steps_of(&mut conn, account, &nota.id, STEPS).await?;
    for step in steps.iter().rev() {
        lines.extend(exchanged(step)?);
    }
    let with_xml = eventos::with_xml(&mut conn, account, &nota.id).await?;
    for evento in &events {
        let xml = with_xml.contains(&evento.id);
        lines.extend(event(evento, xml));
    }
    let told = outbox::told(&mut conn, account, &nota.id).await?;
    lines.extend(told.iter().map(|told| announced(&nota, told)));
    for mail in mails::of_subject(&mut conn, account, &nota.id).await? {
        lines.extend(mailed(&mail));
    }
    drop(conn);
    lines.sort_by_key(|(at_ms, _)| *at_ms);
    let items = lines.into_iter().zip(1..);
    let items = items.map(|((at_ms, fact), sequence)| Item {
        sequencia: sequence,
        em: when::rfc3339(at_ms),
        fato: fact,
    });
    call.ok(HistoricoOut {
        itens: items.collect(),
        id: nota.id.clone(),
        nota_id: nota.id,
        status: nota.status,
    })
}

/// A moment (epoch milliseconds) and what happened.
type Line = (i64, Fact);

fn created(nota: &NotaRow) -> Line {
    let fact = Fact {
        tipo: "criada".into(),
        request_id: Some(nota.request_id.clone()),
        ..Fact::default()
    };
    (nota.created_at_ms, fact)
}

fn credited(transfer: &Transfer) -> Line {
    let fact = Fact {
        tipo: Kind::Credits(entry::Kind::of(transfer.kind)),
        origem: Origin::Creditos,
        creditos: Some(transfer.amount),
        request_id: Some(transfer.request_id.clone()),
        ..Fact::default()
    };
    (transfer.created_at_ms, fact)
}

/// What webhooks were told.
fn announced(nota: &NotaRow, told: &ToldRow) -> Line {
    let issued = outbox::is_authorization(&told.tipo);
    let fact = Fact {
        tipo: told.tipo.as_str().into(),
        origem: Origin::Evento,
        evento_id: Some(told.id.to_string()),
        protocolo: filled(&nota.protocolo).filter(|_| issued),
        xml_link: issued.then(|| format!("/api/v1/documentos/{}/xml", nota.id)),
        ..Fact::default()
    };
    (told.created_at_ms, fact)
}

/// What was asked for and what became of it; `xml` says that its document is
/// kept.
fn event(evento: &EventoRow, xml: bool) -> Vec<Line> {
    let line = |at_ms: i64, status: Option<EventoStatus>| {
        let xml_link = (xml && status == Some(EventoStatus::Registered)).then(|| {
            format!(
                "/api/v1/documentos/{}/xml?evento={}",
                evento.nota_id.as_str(),
                evento.id
            )
        });
        let fact = Fact {
            tipo: evento.tipo.as_str().into(),
            status: Some(status.map_or("pedido", EventoStatus::as_str).to_owned()),
            evento_id: Some(evento.id.to_string()),
            protocolo: filled(&evento.protocolo),
            xml_link,
            request_id: Some(evento.request_id.clone()),
            ..Fact::default()
        };
        (at_ms, fact)
    };
    let mut lines = vec![line(evento.created_at_ms, None)];
    if evento.status != EventoStatus::InTransmission {
        lines.push(line(evento.updated_at_ms, Some(evento.status)));
    }
    lines
}

/// A mail that was asked for, and what became of it. Whom it was for is not
/// kept.
fn mailed(mail: &MailRow) -> Vec<Line> {
    let line = |at_ms: i64, status: &str| {
        let fact = Fact {
            tipo: "email".into(),
            status: Some(status.to_owned()),
            envio_id: Some(mail.content_id.clone()),
            motivo: Some(Reason::Text(filled(&mail.motivo))),
            ..Fact::default()
        };
        (at_ms, fact)
    };
    let mut lines = vec![line(mail.created_at_ms, "pedido")];
    if mail.status != MailStatus::Queued {
        lines.push(line(mail.updated_at_ms, mail.status.as_str()));
    }
    lines
}

/// The event of a flow, as the journal keeps it.
#[derive(Deserialize)]
enum Came {
    #[serde(rename = "response")]
    Response(Head),
    NoResponse(Fault),
    Elapsed,
    Cancelled,
}

#[derive(Deserialize)]
struct Head {
    status: u16,
}

#[derive(Deserialize)]
struct Fault {
    kind: TransportKind,
    maybe_arrived: bool,
}

/// What a step of the adapter received and did next.
///
/// # Errors
/// The step is damaged.
fn exchanged(turn: &StepRow) -> Result<Vec<Line>, Failure> {
    // A flow begins without an event.
    let came = Some(&turn.event).filter(|event| !event.is_empty());
    let came = came.map(|event| serde_json::from_str(event)).transpose()?;
    let came = match came {
        Some(Came::Response(response)) => Some(Fact {
            tipo: "resposta".into(),
            origem: Origin::Autoridade,
            status_http: Some(response.status),
            ..Fact::default()
        }),
        Some(Came::NoResponse(fault)) => Some(Fact {
            tipo: "sem_resposta".into(),
            motivo: Some(Reason::Fault(fault.kind)),
            pode_ter_chegado: Some(fault.maybe_arrived),
            ..Fact::default()
        }),
        Some(Came::Elapsed | Came::Cancelled) | None => None,
    };
    let next = match turn.next {
        TurnNext::Send => Some(Fact {
            tipo: "envio".into(),
            requisicao: Some(turn.label.clone()),
            ..Fact::default()
        }),
        TurnNext::Wait => Some(Fact {
            tipo: "espera".into(),
            motivo: Some(Reason::Text(Some(turn.label.clone()))),
            ..Fact::default()
        }),
        TurnNext::Done => None,
    };
    let lines = came.into_iter().chain(next);
    Ok(lines.map(|fact| (turn.at_ms, fact)).collect())
}
