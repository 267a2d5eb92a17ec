//! Why a note stays in transmission: the authority refuses every question (for
//! example, it does not accept the certificate). The reason is shown with the
//! note, because only a person can remove it.

use crate::document::product::{Details, Impediment};
use authority::breaker::ACCESS_REFUSED;
use base::errors::Code;
use flow::contract::{Failure, FailureReason, Outcome};
use store::DbResult;
use store::tables::notas::NotaRow;

/// What to do about it.
const HINT: &str = "Confira se o certificado A1 é do emitente, está válido e se a empresa está credenciada na SEFAZ; se estiver, peça à SEFAZ a liberação do endereço IP deste servidor. Não emita a nota de novo: ela continua em transmissão, e a SEFAZ volta a ser consultada até responder.";

/// Keeps why the authority could not be asked, or forgets it where it could.
///
/// # Errors
/// What is kept of the note cannot be read; nothing was changed.
pub fn note(nota: &mut NotaRow, outcome: &Outcome) -> DbResult<()> {
    let refused = match outcome {
        Err(Failure {
            reason: FailureReason::Credentials(messages),
            ..
        }) => messages
            .iter()
            .find(|message| message.codigo == ACCESS_REFUSED),
        _ => None,
    };
    set(
        nota,
        refused.map(|message| Impediment {
            codigo: Code::CredenciaisRecusadas.as_str().to_owned(),
            mensagem: message.texto.clone(),
            dica: HINT.to_owned(),
        }),
    )
}

/// The authority answered.
///
/// # Errors
/// What is kept of the note cannot be read; nothing was changed.
pub fn forget(nota: &mut NotaRow) -> DbResult<()> {
    set(nota, None)
}

fn set(nota: &mut NotaRow, impediment: Option<Impediment>) -> DbResult<()> {
    let mut details = Details::of(nota)?;
    if details.impedimento != impediment {
        details.impedimento = impediment;
        nota.detalhes = details.to_json()?;
    }
    Ok(())
}
