//! What became of a service note, counted for its municipality: the coverage that is
//! measured. In the transaction that settles the note, so that the counts are those of
//! the notes.

use crate::answer;
use base::errors::Rejection;
use measured::usage;
use store::tables::nfse_outcomes::{self, NfseOutcome, Settled};
use store::tables::notas::{NotaRow, NotaStatus};
use store::words::Model;
use store::{Conn, DbResult, stored};

/// Longest code that is kept, characters.
const CODE: usize = 20;

/// Whether a note is to be counted when it is settled. One of simulated authorities says
/// nothing about the municipality.
pub fn counts(before: &NotaRow) -> bool {
    before.modelo == Model::Nfse && before.simulada != 1 && before.is_open()
}

/// Counts a note that was open before this transaction, if it is settled now.
///
/// # Errors
/// The database failed, or what it keeps of the note cannot be read.
pub async fn count(conn: &mut Conn, nota: &NotaRow, now_ms: i64) -> DbResult<()> {
    let Some((outcome, reason)) = outcome(nota)? else {
        return Ok(());
    };
    let settled = Settled {
        municipality: &nota.municipio,
        ambiente: nota.ambiente,
        day: usage::day(now_ms),
        account_id: &nota.account_id,
        outcome,
        reason: &reason,
        now_ms,
    };
    nfse_outcomes::add(conn, &settled).await
}

/// What became of a note, and the code of the reason. None: nothing yet.
fn outcome(nota: &NotaRow) -> DbResult<Option<(NfseOutcome, String)>> {
    Ok(match nota.status {
        // One that somebody cancelled elsewhere was made before.
        NotaStatus::Authorized | NotaStatus::Cancelled => {
            Some((NfseOutcome::Issued, String::new()))
        }
        NotaStatus::Rejected => {
            let reason: Option<Rejection> = match nota.rejeicao.as_str() {
                "" => None,
                text => answer::read(text)?,
            };
            let code = reason.map_or_else(String::new, |reason| reason.codigo);
            Some((NfseOutcome::Refused, shortened(&code)))
        }
        NotaStatus::NotSent => {
            let told: serde_json::Value = stored(&nota.answer, "answer of a note", &nota.id)?;
            let code = told["codigo"].as_str().unwrap_or_default();
            Some((NfseOutcome::Failed, code.to_owned()))
        }
        NotaStatus::Draft
        | NotaStatus::InTransmission
        | NotaStatus::PendingCity
        | NotaStatus::Validated => None,
    })
}

fn shortened(code: &str) -> String {
    code.trim().chars().take(CODE).collect()
}
