//! How a flow ends: document, credit, number, answer and event in one
//! transaction.
//!
//! Only an explicit yes is `autorizada`, only an explicit no is `rejeitada`.
//! Not knowing leaves everything as it is and sets a time to ask again.

mod event;
pub mod impediment;
pub mod manifestation;
mod note;
mod outcome;
pub mod product;
mod record;
pub mod verdict;

pub use verdict::{Verdict, Who, failed};

use flow::contract::Outcome;
use store::tables::eventos::{self, EventKind};
use store::tables::flows::FlowRow;
use store::tables::notas::{self, NotaStatus};
use store::words::Model;
use store::{Conn, DbResult, Present as _, Readable as _};

/// A document is in a queue at the city until the flow wakes. Returns it if
/// that changes what is shown.
pub async fn queued(
    conn: &mut Conn,
    subject: &str,
    wake_at_ms: i64,
    now_ms: i64,
) -> DbResult<Option<String>> {
    let nota = notas::lock(conn, &subject.into()).await?;
    let Some(mut nota) = nota.filter(|nota| nota.is_open()) else {
        return Ok(None);
    };
    let news = nota.status != NotaStatus::PendingCity;
    nota.status = NotaStatus::PendingCity;
    nota.next_check_ms = wake_at_ms;
    nota.updated_at_ms = now_ms;
    notas::save(conn, &nota).await?;
    if news {
        record::event(conn, &nota, "nota.pendente", now_ms).await?;
    }
    Ok(Some(nota.id.into()))
}

/// The document of a flow that has ended: for the calls that wait for it, and
/// for the metrics.
pub struct Settled {
    pub subject: String,
    /// Model of the document; none for what happens to one.
    pub model: Option<Model>,
    /// What became of it.
    pub outcome: &'static str,
    /// When its row was made, epoch milliseconds.
    pub since_ms: i64,
    /// What a call about the note is answered from now on: status and body.
    pub answer: Option<(u16, String)>,
}

/// A flow is over.
pub async fn done(
    conn: &mut Conn,
    flow: FlowRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<Settled> {
    let mut settled = Settled {
        subject: flow.subject_id.clone(),
        model: None,
        outcome: if outcome.is_ok() { "sim" } else { "nao" },
        since_ms: flow.created_at_ms,
        answer: None,
    };
    if let Some(mut nota) = notas::lock(conn, &flow.subject_id.as_str().into()).await? {
        settled.model = Some(nota.modelo);
        settled.since_ms = nota.created_at_ms;
        let counts = outcome::counts(&nota);
        settled.outcome =
            note::settle(conn, &flow, &mut nota, outcome, now_ms, wait_divisor).await?;
        if counts {
            outcome::count(conn, &nota, now_ms).await?;
        }
        settled.answer = (nota.answer_status != 0)
            .then(|| u16::try_from(nota.answer_status).readable("answer of a note", &nota.id))
            .transpose()?
            .map(|status| (status, nota.answer));
    } else {
        let evento = eventos::by_id(conn, &flow.subject_id.as_str().into())
            .await?
            .present("subject of a flow", &flow.id)?;
        if !evento.tipo.has_nota() {
            product::evento(conn, &flow, None, evento, outcome, now_ms).await?;
            return Ok(settled);
        }
        // An event changes only while its note is kept.
        let nota_id = evento.nota_id.as_ref();
        let nota_id = nota_id.present("note of an event", &evento.id)?;
        let nota = notas::lock(conn, nota_id)
            .await?
            .present("note of an event", &evento.id)?;
        let evento = eventos::by_id(conn, &evento.id)
            .await?
            .present("event", &evento.id)?;
        match evento.tipo {
            EventKind::Query => {
                let counts = outcome::counts(&nota).then(|| nota.id.clone());
                event::looked(conn, nota, evento, outcome, now_ms).await?;
                if let Some(id) = counts {
                    let nota = notas::by_id(conn, &id).await?;
                    outcome::count(conn, &nota.present("note", &id)?, now_ms).await?;
                }
            }
            EventKind::Cancelamento if !nota.modelo.goes_to_sefaz() => {
                event::cancellation(conn, &flow, nota, evento, outcome, now_ms, wait_divisor)
                    .await?
            }
            EventKind::Cancelamento
            | EventKind::Cce
            | EventKind::Econf
            | EventKind::EconfUndone
            | EventKind::Reforma
            | EventKind::Epec
            | EventKind::Closing
            | EventKind::Driver
            | EventKind::Documents
            | EventKind::Voiding
            | EventKind::Manifestation => {
                product::evento(conn, &flow, Some(nota), evento, outcome, now_ms).await?
            }
        }
    }
    Ok(settled)
}
