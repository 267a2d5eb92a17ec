//! What commands do, among what operators did: `/admin/v1/actions`, `/operador/acoes`.

use ::accounts::operator::{self, COMMAND_LINE, Done, Operator};
use std::convert::Infallible;
use store::{Db, TxError};

/// Who runs this command, now.
pub fn by_command() -> Operator {
    Operator {
        door: COMMAND_LINE,
        now_ms: base::when::system_clock()(),
    }
}

/// Writes down what a command did that is of no account.
///
/// # Errors
/// The database failed.
pub async fn write(
    db: &Db,
    action: &'static str,
    target: &str,
    detail: &str,
) -> anyhow::Result<()> {
    let input = (target.to_owned(), detail.to_owned(), action, by_command());
    let written = db.write(input, |(target, detail, action, operator), conn| {
        Box::pin(async move {
            let done = Done {
                account: None,
                action,
                target,
                detail,
            };
            Ok::<_, TxError<Infallible>>(operator::record(conn, &done, operator).await?)
        })
    });
    Ok(written.await?)
}
