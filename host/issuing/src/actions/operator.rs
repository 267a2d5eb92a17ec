//! An operator has the authority asked, now, about a note whose result is not known: the
//! question a customer may ask (`query`), at nobody's cost. A "not found" ends nothing:
//! only the hub's own questions, with their pauses, count towards that.

use super::query;
use crate::Issuing;
use crate::issue::Answer;
use accounts::caller::Caller;
use accounts::ledger::Payer;
use accounts::operator::{self, Done, Operator};
use authority::way::Way;
use base::errors::{Code, Failure, Refusal};
use flow::contract::Context;
use store::ids::{NotaId, RequestId};
use store::tables::notas::{self, NotaRow};
use store::tables::{eventos, flows};
use store::words::{Ambiente, KeyKind};
use store::{TxError, stored};

/// Least time between what was last sent about a note, by the hub or on somebody's demand,
/// and the question: authorities punish who asks more often (cStat 656).
pub const LEAST_MS: i64 = 60_000;

/// Asks, and waits for the answer as a call does. The reason is in the account's audit.
///
/// # Errors
/// There is no such note, its result is known, it was sent or asked about a moment ago, or
/// its company must wait; the database failed.
pub async fn ask(
    app: &Issuing,
    id: &NotaId,
    reason: &str,
    operator: &Operator,
) -> Result<Answer, Failure> {
    let nota = asked_about(app, id).await?;
    let input = (nota.clone(), reason.to_owned(), operator.clone());
    let written = app.db.write(input, |(nota, reason, operator), conn| {
        Box::pin(async move {
            let done = Done {
                account: Some(&nota.account_id),
                action: "nota.consulta_pedida",
                target: &nota.id,
                detail: reason,
            };
            operator::record(conn, &done, operator).await?;
            Ok::<_, TxError<Refusal>>(())
        })
    });
    written.await?;
    let is_test = nota.ambiente == Ambiente::Simulated;
    let caller = Caller {
        account_id: nota.account_id.clone(),
        kind: if is_test {
            KeyKind::Test
        } else {
            KeyKind::Live
        },
        request_id: RequestId::new(operator.now_ms),
        payer: Payer::default(),
    };
    query::query(app, caller, nota, 0).await
}

/// The note, if it may be asked about now.
async fn asked_about(app: &Issuing, id: &NotaId) -> Result<NotaRow, Failure> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let unknown = || Refusal::new(Code::NaoEncontrado).message("Nenhuma nota tem este id.");
    let nota = notas::by_id(&mut conn, id).await?.ok_or_else(unknown)?;
    if !nota.is_open() {
        let refusal = Refusal::new(Code::EstadoInvalido).message(format!(
            "A nota está {}: o resultado dela é conhecido.",
            nota.status.in_words()
        ));
        return Err(refusal.into());
    }
    let demanded_ms = eventos::last_question_ms(&mut conn, id).await?;
    // Of the note itself: its transmission, which may ask by itself, or a question of the hub.
    let last = flows::last_of(&mut conn, id).await?;
    drop(conn);
    let Some(last) = last else {
        let refusal = Refusal::new(Code::EstadoInvalido)
            .message("A nota não foi transmitida por nenhum fluxo: não há por onde perguntar.")
            .hint("Rode hub doctor: ele diz o que está errado com ela.");
        return Err(refusal.into());
    };
    let since_ms = now_ms - demanded_ms.max(last.updated_at_ms);
    if (0..LEAST_MS).contains(&since_ms) {
        let left_ms = u64::try_from(LEAST_MS - since_ms).unwrap_or(0);
        let refusal = Refusal::new(Code::EstadoInvalido)
            .message("A nota foi transmitida ou consultada há menos de um minuto.")
            .hint("Espere um minuto: quem consulta mais vezes é bloqueado pela autoridade.")
            .retry_after(left_ms.div_ceil(1_000));
        return Err(refusal.into());
    }
    // Asked in spite of its pause, an authority makes it longer.
    let way: Way = stored(&last.way, "way of a flow", &last.id)?;
    let context: Context = stored(&last.context, "context of a flow", &last.id)?;
    let checked = app.breaker.check(&way, &context.emitente.documento, now_ms);
    match checked {
        Err(refusal) if refusal.code == Code::ConsumoIndevidoBloqueado => Err((*refusal).into()),
        _ => Ok(nota),
    }
}
