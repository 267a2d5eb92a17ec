//! A messaging app: short messages to telephone numbers, and which numbers have
//! an account.
//!
//! JSON over HTTP; `plugins/chatapp/README.md` has the protocol. The same
//! `Idempotency-Key` is the same message.

use super::{authorized, idempotent, invalid, problem, read, unknown_route};
use crate::engine::faults::Peek;
use crate::engine::{self, Memory, Outcome};
use crate::notes::store::{Json, Store};
use crate::request::{Answer, SimRequest};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Name of the system in the state and in orders of faults.
pub(crate) const SYSTEM: &str = "chatapp";
/// Host it answers at.
pub const HOST: &str = "chatapp.simulado.test";
/// Most messages kept.
const MAX_MESSAGES: u64 = 100_000;
/// Rows are never deleted.
pub(crate) const TABLES: &str = "CREATE TABLE messages (seq INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, content TEXT NOT NULL);";
/// Numbers that end so have no account.
const NO_ACCOUNT: &str = "0000";
/// Of numbers that end so the app does not say whether they have one.
const UNTOLD: &str = "0404";
/// Most numbers of one question.
const MAX_NUMBERS: usize = 100;
const VERIFY: &str = "/v1/numeros/verificar";

/// A message that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recado {
    pub id: String,
    /// The sender's id of it.
    pub referencia: String,
    pub para: String,
    pub texto: String,
}

/// One request being processed by this system.
type Call<'a> = engine::Call<'a, MessageMemory>;

/// Messages by the sender's id: all of it is kept.
#[derive(Debug, Default)]
pub(crate) struct MessageMemory;

impl Memory for MessageMemory {
    type Record = Recado;

    fn apply(store: &Store, message: Recado) {
        if store.number("SELECT max(seq) FROM messages", []) < MAX_MESSAGES {
            store.run(
                "INSERT INTO messages (reference, content) VALUES (?, ?)
                 ON CONFLICT (reference) DO UPDATE SET content = excluded.content",
                [&message.referencia, &store.json(&message)],
            );
        }
    }
}

/// All messages, by the sender's id.
pub(crate) fn all(store: &Store) -> Vec<Recado> {
    let sql = "SELECT content FROM messages ORDER BY reference";
    store.all(sql, [], content)
}

fn content(row: &Row<'_>) -> rusqlite::Result<Recado> {
    row.get(0).map(|Json(message)| message)
}

/// Numbers that somebody asks about.
#[derive(Deserialize)]
struct Asked {
    numeros: Vec<String>,
}

#[derive(Deserialize)]
struct New {
    referencia: String,
    para: String,
    texto: String,
}

pub(crate) fn knows(host: &str) -> bool {
    host == HOST
}

pub(crate) fn peek(req: &SimRequest, host: &str) -> Peek {
    Peek {
        host: host.to_owned(),
        operation: match req.plain_path() {
            VERIFY => "verificar",
            _ => "enviar",
        },
        ..Peek::default()
    }
}

pub(crate) fn process(call: &mut Call<'_>) -> Outcome {
    answer(call).unwrap_or_else(|refusal| refusal).into()
}

pub(crate) fn refuse(code: &str, message: Option<&str>) -> Answer {
    problem(422, code, message.unwrap_or("Recusado pelo provedor."))
}

fn answer(call: &mut Call<'_>) -> Result<Answer, Answer> {
    authorized(call.req)?;
    match (call.req.method.as_str(), call.req.plain_path()) {
        ("POST", "/v1/mensagens") => send(call),
        ("POST", VERIFY) => verify(call.req),
        _ => Err(unknown_route()),
    }
}

/// Says of each number whether it has an account.
fn verify(req: &SimRequest) -> Result<Answer, Answer> {
    let asked: Asked = read(req)?;
    let numbers = &asked.numeros;
    if !(1..=MAX_NUMBERS).contains(&numbers.len()) || !numbers.iter().all(|one| is_e164(one)) {
        return Err(invalid("de 1 a 100 numeros em E.164."));
    }
    let told: Vec<_> = numbers
        .iter()
        .filter(|number| !number.ends_with(UNTOLD))
        .map(|number| json!({ "numero": number, "tem_conta": !number.ends_with(NO_ACCOUNT) }))
        .collect();
    Ok(Answer::json(200, &json!({ "numeros": told })))
}

fn is_e164(number: &str) -> bool {
    let digits = number.strip_prefix('+').unwrap_or_default();
    digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Takes a message.
fn send(call: &mut Call<'_>) -> Result<Answer, Answer> {
    let new: New = read(call.req)?;
    idempotent(call.req, &new.referencia)?;
    if !is_e164(&new.para) || new.texto.is_empty() {
        return Err(invalid("para em E.164, e um texto."));
    }
    if new.para.ends_with(NO_ACCOUNT) {
        let text = "O número não tem conta no aplicativo.";
        return Err(problem(422, "numero_sem_conta", text));
    }
    let sql = "SELECT content FROM messages WHERE reference = ?";
    if let Some(known) = call.store().one(sql, [&new.referencia], content) {
        return Ok(shown(200, &known));
    }
    let drawn = call.draw(&format!("chatapp|{}", new.referencia), 1_000_000_000_000);
    let message = Recado {
        id: format!("msg_{drawn:012}"),
        referencia: new.referencia,
        para: new.para,
        texto: new.texto,
    };
    call.keep(message.clone())?;
    Ok(shown(201, &message))
}

/// As the API shows it.
fn shown(status: u16, message: &Recado) -> Answer {
    Answer::json(
        status,
        &json!({ "id": message.id, "referencia": message.referencia, "situacao": "aceita" }),
    )
}
