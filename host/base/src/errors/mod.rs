//! What can go wrong, in one catalogue. No HTTP types here.

mod catalogue;
pub mod place;

pub use catalogue::{Code, Entry};

use markup::field::Field;
use serde::Serialize;

/// What the authority said when it refused: passed on as it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Rejection {
    /// `nacional` or `prefeitura`.
    pub origem: String,
    pub codigo: String,
    pub motivo: String,
    pub correcao: String,
}

/// A refusal as the customer sees it, before it becomes an HTTP answer.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: Code,
    /// Replaces the catalogue's sentence when there is more to say.
    pub message: Option<String>,
    pub hint: Option<String>,
    pub fields: Vec<Field>,
    pub rejection: Vec<Rejection>,
    pub nota_id: Option<String>,
    pub retry_after_s: Option<u64>,
    /// Further members of the body.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Refusal {
    pub fn new(code: Code) -> Refusal {
        Refusal {
            code,
            message: None,
            hint: None,
            fields: Vec::new(),
            rejection: Vec::new(),
            nota_id: None,
            retry_after_s: None,
            extra: serde_json::Map::new(),
        }
    }

    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Refusal {
        self.message = Some(message.into());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn nota(mut self, id: impl Into<String>) -> Refusal {
        self.nota_id = Some(id.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Refusal {
        self.retry_after_s = Some(seconds);
        self
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Refusal {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// The list of everything to correct (422 `validacao_previa`).
    pub fn fields(fields: Vec<Field>) -> Refusal {
        let message = match fields.len() {
            1 => "A nota tem 1 ponto a corrigir.".to_owned(),
            n => format!("A nota tem {n} pontos a corrigir."),
        };
        Refusal {
            fields,
            ..Refusal::new(Code::ValidacaoPrevia).message(message)
        }
    }

    /// One field that is wrong.
    pub fn field(code: Code, field: &str, message: &str, correction: &str) -> Refusal {
        let mut refusal = Refusal::new(code);
        refusal.fields.push(Field {
            campo: field.to_owned(),
            codigo: code.as_str().to_owned(),
            mensagem: message.to_owned(),
            correcao: correction.to_owned(),
            valor: None,
        });
        refusal
    }
}

/// The body of an error, the same wherever it is made. `base_url` is where the
/// documentation of codes lives.
pub fn body(refusal: &Refusal, request_id: &str, base_url: &str) -> serde_json::Value {
    let entry = refusal.code.entry();
    let mut body = refusal.extra.clone();
    let mut set = |key: &str, value: serde_json::Value| {
        body.insert(key.to_owned(), value);
    };
    set("sucesso", false.into());
    set("codigo", entry.codigo.into());
    set(
        "mensagem",
        refusal.message.as_deref().unwrap_or(entry.message).into(),
    );
    set("dica", refusal.hint.as_deref().unwrap_or(entry.hint).into());
    set(
        "campos",
        serde_json::to_value(&refusal.fields).unwrap_or_default(),
    );
    if let Some(first) = refusal.rejection.first() {
        set("rejeicao", serde_json::to_value(first).unwrap_or_default());
        set(
            "rejeicoes",
            serde_json::to_value(&refusal.rejection).unwrap_or_default(),
        );
    }
    if let Some(id) = &refusal.nota_id {
        set("nota_id", id.as_str().into());
    }
    set("consumiu_numero_fiscal", false.into());
    set("consumiu_credito", false.into());
    set("request_id", request_id.into());
    set("documentacao", page(base_url, entry.codigo).into());
    body.into()
}

/// Where a code is explained.
pub fn page(base_url: &str, code: &str) -> String {
    format!("{base_url}/docs/erros#{code}")
}

/// How an operation fails: the customer can mend it, or we must.
#[derive(Debug)]
pub enum Failure {
    Refused(Box<Refusal>),
    Internal(anyhow::Error),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(Box::new(refusal))
    }
}

impl From<Box<Refusal>> for Failure {
    fn from(refusal: Box<Refusal>) -> Self {
        Failure::Refused(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Internal(error)
    }
}

/// What a panic said; empty when it said nothing that is text.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default()
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        if is_full(&error) {
            tracing::error!(%error, "the disk of the database is full");
            return full().into();
        }
        if took_too_long(&error) {
            tracing::error!(%error, "a statement took too long and was stopped");
            return Refusal::new(Code::Manutencao)
                .message("A consulta demorou demais e foi interrompida.")
                .hint("Peça menos de uma vez: um período menor, mais filtros ou um limite menor.")
                .retry_after(5)
                .into();
        }
        if !passes(&error) {
            return Failure::Internal(error.into());
        }
        tracing::error!(%error, "the database does not work at the moment");
        Refusal::new(Code::Manutencao)
            .message("O banco de dados está ocupado ou indisponível.")
            .hint("Repita depois do tempo indicado em Retry-After, com a mesma Idempotency-Key.")
            .retry_after(5)
            .into()
    }
}

/// The refusal of what needs room on a disk that has none.
pub fn full() -> Refusal {
    Refusal::new(Code::EspacoEsgotado).retry_after(60)
}

/// Whether the database failed because its disk is full.
pub fn is_full(error: &sqlx::Error) -> bool {
    /// SQLite's FULL; PostgreSQL's `disk_full`.
    const CODES: [&str; 2] = ["13", "53100"];
    match error {
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::StorageFull,
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| CODES.contains(&code.as_ref())),
        _ => false,
    }
}

/// Whether a statement was stopped because it took longer than any may: SQLite's INTERRUPT,
/// PostgreSQL's `query_canceled`.
fn took_too_long(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(code.as_deref(), Some("9" | "57014"))
}

/// Whether a failure of the database may be over when the call is repeated: the
/// database is held, the disk failed, the server restarts.
fn passes(error: &sqlx::Error) -> bool {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut};
    /// SQLite's BUSY, LOCKED and IOERR.
    const SQLITE: [u32; 3] = [5, 6, 10];
    /// PostgreSQL's classes: connection, resources, operator; lock, conflict.
    const POSTGRES: [&str; 6] = ["08", "53", "57P", "55P03", "40001", "40P01"];
    let code = match error {
        Io(_) | PoolClosed | PoolTimedOut => return true,
        Database(error) => error.code().unwrap_or_default(),
        _ => return false,
    };
    if code.len() == 5 {
        return POSTGRES.iter().any(|class| code.starts_with(class));
    }
    // The low byte of an extended result code is the code.
    code.parse::<u32>()
        .is_ok_and(|code| SQLITE.contains(&(code & 0xff)))
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::Internal(error.into())
    }
}
