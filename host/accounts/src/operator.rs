//! What an operator does with an account: blocks it, grants credits, changes its limit,
//! releases documents. Each change is one transaction with its line in the account's
//! audit, where the account's people read it, and its line in what operators did
//! (`operator_actions`).

use crate::ledger::{self, Movement, Payer};
use store::ids::{AccountId, AuditId, OperatorActionId, RequestId};
use store::tables::accounts::{self, Account, Released};
use store::tables::audit::{self, AuditRow};
use store::tables::ledger as table;
use store::tables::operator_actions::{self, OperatorActionRow};
use store::words::Maybe;
use store::{Conn, Db, DbResult, TxError};

/// Most credits of one grant: ten million reais.
pub const MOST_CREDITS: i64 = 1_000_000_000;
/// Highest limit of calls in a minute.
pub const MOST_REQUESTS: i64 = 1_000_000;
/// Longest reason and reference, in characters.
pub const TEXT_CHARS: usize = 200;
/// Grants have references of their own: none is that of the gift of an opening.
const GRANT: &str = "operador:";

/// The door of the command line.
pub const COMMAND_LINE: &str = "hub";

/// Who changes an account, and when.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The door they came by, as the audit names it: `hub` (command line), `admin`
    /// (`/admin/v1`), `operador` (pages).
    pub door: &'static str,
    pub now_ms: i64,
}

/// A change of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its keys are refused and its people change nothing, for a reason they are told.
    Block { reason: String },
    /// Ends a block. Here and below, a reason that is left out is none.
    Unblock { reason: Option<String> },
    /// Credits for nothing. A reference is granted once.
    Credit {
        credits: i64,
        reference: String,
        reason: String,
    },
    /// Calls it may make in a minute.
    Limit {
        requests_per_minute: i64,
        reason: Option<String>,
    },
    /// Documents that are not for everybody: releases them, or takes the release back.
    Release {
        document: Released,
        released: bool,
        reason: Option<String>,
    },
}

/// Why an account was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such account.
    Unknown,
    /// A value cannot be: its name in bodies and forms, and what it must be.
    Wrong(&'static str, Rule),
    /// Another amount was granted with this reference.
    OtherAmount(i64),
}

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One line of 1 to [`TEXT_CHARS`] characters.
    Line,
    /// A whole number from 1 to this.
    UpTo(i64),
}

/// An account after a change.
#[derive(Clone, Debug)]
pub struct Changed {
    pub account: Account,
    /// False: it was so already, and nothing was written.
    pub new: bool,
}

impl Change {
    /// The same with texts without blanks around them: a reference that differs by a
    /// blank is the same.
    fn trimmed(self) -> Change {
        let trim = |text: String| text.trim().to_owned();
        match self {
            Change::Block { reason } => Change::Block {
                reason: trim(reason),
            },
            Change::Credit {
                credits,
                reference,
                reason,
            } => Change::Credit {
                credits,
                reference: trim(reference),
                reason: trim(reason),
            },
            Change::Unblock { reason } => Change::Unblock {
                reason: reason.map(trim),
            },
            Change::Limit {
                requests_per_minute,
                reason,
            } => Change::Limit {
                requests_per_minute,
                reason: reason.map(trim),
            },
            Change::Release {
                document,
                released,
                reason,
            } => Change::Release {
                document,
                released,
                reason: reason.map(trim),
            },
        }
    }

    /// Says what cannot be.
    fn check(&self) -> Result<(), Refused> {
        let text = |name, text: &str| line(name, text).map(drop);
        // A reason that may be left out.
        let maybe = |reason: &Option<String>| {
            let reason = reason.as_deref();
            reason.map_or(Ok(()), |reason| text("motivo", reason))
        };
        let number = |name, number: i64, most: i64| {
            if (1..=most).contains(&number) {
                return Ok(());
            }
            Err(Refused::Wrong(name, Rule::UpTo(most)))
        };
        match self {
            Change::Block { reason } => text("motivo", reason),
            Change::Credit {
                credits,
                reference,
                reason,
            } => {
                number("creditos", *credits, MOST_CREDITS)?;
                text("referencia", reference)?;
                text("motivo", reason)
            }
            Change::Limit {
                requests_per_minute,
                reason,
            } => {
                number(
                    "requisicoes_por_minuto",
                    *requests_per_minute,
                    MOST_REQUESTS,
                )?;
                maybe(reason)
            }
            Change::Unblock { reason } | Change::Release { reason, .. } => maybe(reason),
        }
    }

    /// The action and the detail of its line in the audit.
    fn told(&self) -> (&'static str, String) {
        match self {
            Change::Block { reason } => ("conta.bloqueada", reason.clone()),
            Change::Unblock { reason } => {
                ("conta.desbloqueada", reason.clone().unwrap_or_default())
            }
            Change::Credit {
                credits,
                reference,
                reason,
            } => (
                "creditos.concedidos",
                format!("{credits} créditos ({reference}): {reason}"),
            ),
            Change::Limit {
                requests_per_minute,
                reason,
            } => {
                let limit = format!("{requests_per_minute} requisições por minuto");
                ("conta.limite", with_reason(&limit, reason.as_deref()))
            }
            Change::Release {
                document,
                released,
                reason,
            } => {
                let action = if *released {
                    "conta.liberacao"
                } else {
                    "conta.liberacao_retirada"
                };
                (action, with_reason(document.title(), reason.as_deref()))
            }
        }
    }
}

/// What changed, and why where that was said.
fn with_reason(what: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    }
}

/// A text as an operator gives it, without blanks around it: one line of 1 to
/// [`TEXT_CHARS`] characters. `name`: of the member or field it came in.
///
/// # Errors
/// [`Refused::Wrong`].
pub fn line(name: &'static str, text: &str) -> Result<String, Refused> {
    let text = text.trim();
    let chars = text.chars().count();
    if (1..=TEXT_CHARS).contains(&chars) && !text.contains(breaks_line) {
        return Ok(text.to_owned());
    }
    Err(Refused::Wrong(name, Rule::Line))
}

/// Characters that end a line, or turn its direction and so show another text than it is.
fn breaks_line(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Changes an account.
///
/// # Errors
/// The change is refused, or the database failed.
pub async fn change(
    db: &Db,
    account: &AccountId,
    change: Change,
    operator: &Operator,
) -> Result<Changed, TxError<Refused>> {
    let change = change.trimmed();
    change.check().map_err(TxError::Abort)?;
    let input = (account.clone(), change, operator.clone());
    db.write(input, |(account, change, operator), conn| {
        Box::pin(async move { make(conn, account, change, operator).await })
    })
    .await
}

async fn make(
    conn: &mut Conn,
    account: &AccountId,
    change: &Change,
    operator: &Operator,
) -> Result<Changed, TxError<Refused>> {
    // Two operators come one after the other.
    accounts::lock(conn, account).await?;
    let before = accounts::get(conn, account).await?;
    let before = before.ok_or(TxError::Abort(Refused::Unknown))?;
    let new = match change {
        Change::Block { reason } if before.is_blocked() && before.blocked_reason == *reason => {
            false
        }
        Change::Block { reason } => accounts::block(conn, account, operator.now_ms, reason).await?,
        Change::Unblock { .. } => {
            before.is_blocked() && accounts::block(conn, account, 0, "").await?
        }
        Change::Credit {
            credits, reference, ..
        } => credit(conn, account, *credits, reference, operator.now_ms).await?,
        Change::Limit {
            requests_per_minute,
            ..
        } => {
            before.requests_per_minute != *requests_per_minute
                && accounts::set_requests_per_minute(conn, account, *requests_per_minute).await?
        }
        Change::Release {
            document, released, ..
        } => {
            before.has(*document) != *released
                && accounts::release(conn, account, *document, *released).await?
        }
    };
    if new {
        note(conn, account, change, operator).await?;
    }
    let after = accounts::get(conn, account).await?;
    let account = after.ok_or(TxError::Abort(Refused::Unknown))?;
    Ok(Changed { account, new })
}

/// Grants credits; false when this reference was granted before.
async fn credit(
    conn: &mut Conn,
    account: &AccountId,
    credits: i64,
    reference: &str,
    now_ms: i64,
) -> Result<bool, TxError<Refused>> {
    let reference = format!("{GRANT}{reference}");
    let movement = Movement {
        account_id: account,
        subject_id: "",
        operation: "conta",
        request_id: &RequestId::default(),
        payer: &Payer::default(),
        now_ms,
    };
    if ledger::gift(conn, &movement, credits, &reference).await? {
        return Ok(true);
    }
    match table::gift(conn, account, &reference).await? {
        Some(granted) if granted != credits => Err(TxError::Abort(Refused::OtherAmount(granted))),
        _ => Ok(false),
    }
}

async fn note(
    conn: &mut Conn,
    account: &AccountId,
    change: &Change,
    operator: &Operator,
) -> DbResult<()> {
    let (action, detail) = change.told();
    let done = Done {
        account: Some(account),
        action,
        target: account,
        detail: &detail,
    };
    record(conn, &done, operator).await
}

/// Something that an operator did.
pub struct Done<'a> {
    /// Whose it is: it is in the account's audit then. None: of no account.
    pub account: Option<&'a AccountId>,
    /// `nota.consulta_pedida`.
    pub action: &'a str,
    /// Id or name of what it was done to.
    pub target: &'a str,
    /// The reason that was given, and what changed.
    pub detail: &'a str,
}

/// Writes down what an operator does, in the transaction that does it.
///
/// # Errors
/// The database failed.
pub async fn record(conn: &mut Conn, done: &Done<'_>, operator: &Operator) -> DbResult<()> {
    let at_ms = operator.now_ms;
    let row = OperatorActionRow {
        id: OperatorActionId::new(at_ms),
        at_ms,
        actor: operator.door.to_owned(),
        action: done.action.to_owned(),
        target: done.target.to_owned(),
        account_id: Maybe(done.account.cloned()),
        detail: done.detail.to_owned(),
    };
    operator_actions::insert(conn, &row).await?;
    let Some(account) = done.account else {
        return Ok(());
    };
    let row = AuditRow {
        id: AuditId::new(at_ms),
        account_id: account.clone(),
        at_ms,
        user_id: Maybe(None),
        actor: operator.door.to_owned(),
        ip: String::new(),
        action: done.action.to_owned(),
        target: done.target.to_owned(),
        detail: done.detail.to_owned(),
    };
    audit::insert(conn, &row).await
}
