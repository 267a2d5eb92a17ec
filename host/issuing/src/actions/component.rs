//! The component that an operation on a finished note uses.

use crate::Issuing;
use base::errors::Failure;
use flow::component::description::{goes_on, has_operation};
use flow::contract::Context;
use store::Readable as _;
use store::tables::flows::{self, FlowOperation};
use store::tables::notas::NotaRow;

/// Digest of the component that new flows take now under the name of that of the note's
/// last flow. A note may be cancelled months after it was issued, and its adapter may have
/// been mended meanwhile.
///
/// None: that of the note's last flow goes on, because the note is not finished, nothing
/// is in use under that name, or the new component cannot go on ([`goes_on`]).
///
/// # Errors
/// The database fails, or the note's context cannot be read.
pub async fn digest(
    app: &Issuing,
    nota: &NotaRow,
    operation: FlowOperation,
) -> Result<Option<String>, Failure> {
    if nota.is_open() {
        return Ok(None);
    }
    let mut conn = app.db.read().await?;
    let last = flows::last_of(&mut conn, &nota.id).await?;
    drop(conn);
    let Some(last) = last else {
        return Ok(None);
    };
    let Some(now) = app.catalog.chosen(&last.component, &nota.emitter_id) else {
        return Ok(None);
    };
    // A cancellation that is not understood is followed by a look at the note, which
    // must not become impossible.
    let look = FlowOperation::ConsultarNota.as_str();
    let before = app.catalog.known(&last.digest);
    let looks = before.is_some_and(|before| has_operation(&before.description, look));
    let operations: &[&str] = if looks {
        &[operation.as_str(), look]
    } else {
        &[operation.as_str()]
    };
    let context: Context =
        serde_json::from_str(&nota.context).readable("context of a note", &nota.id)?;
    let fits = goes_on(&now.description, operations, &context);
    Ok(fits.then(|| now.digest.clone()))
}
