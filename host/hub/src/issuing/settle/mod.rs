//! How a flow ends: document, credit, number, answer and event in one
//! transaction.
//!
//! Only an explicit yes is `autorizada`, only an explicit no is `rejeitada`.
//! Not knowing leaves everything as it is and sets a time to ask again.

mod evento;
mod nota;
mod record;
mod verdict;

use crate::db::flows::{self, FlowRow};
use crate::db::{Conn, DbResult, eventos, notas};
use flow::contract::Outcome;

/// A flow sleeps. Returns the document if that changes what is shown.
pub async fn waiting(
    conn: &mut Conn,
    flow_id: &str,
    wake_at_ms: i64,
    pending: bool,
    now_ms: i64,
) -> DbResult<Option<String>> {
    if !pending {
        return Ok(None);
    }
    let flow = flows::get(conn, flow_id)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    let Some(mut nota) = notas::lock(conn, &flow.subject_id).await? else {
        return Ok(None);
    };
    if !matches!(
        nota.status.as_str(),
        "em_transmissao" | "pendente_prefeitura"
    ) {
        return Ok(None);
    }
    nota.status = "pendente_prefeitura".to_owned();
    nota.next_check_ms = wake_at_ms;
    nota.updated_at_ms = now_ms;
    notas::save(conn, &nota).await?;
    Ok(Some(nota.id))
}

/// A flow is over. Returns the id of what it was about.
pub async fn done(
    conn: &mut Conn,
    flow: FlowRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<String> {
    if let Some(nota) = notas::lock(conn, &flow.subject_id).await? {
        nota::settle(conn, &flow, nota, outcome, now_ms, wait_divisor).await?;
    } else {
        let evento = eventos::by_id(conn, &flow.subject_id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        // An event changes only while its note is kept.
        let nota = notas::lock(conn, &evento.nota_id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        let evento = eventos::by_id(conn, &evento.id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        match evento.tipo.as_str() {
            "cancelamento" => {
                evento::cancellation(conn, &flow, nota, evento, outcome, now_ms).await?
            }
            _ => evento::looked(conn, nota, evento, outcome, now_ms).await?,
        }
    }
    Ok(flow.subject_id)
}
