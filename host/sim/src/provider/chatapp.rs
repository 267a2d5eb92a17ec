//! A messaging app: short messages to telephone numbers.
//!
//! JSON over HTTP; `plugins/chatapp/README.md` has the protocol. The same
//! `Idempotency-Key` is the same message.

use super::{authorized, idempotent, invalid, problem, read, unknown_route};
use crate::engine::faults::Peek;
use crate::engine::{self, Memory, Outcome};
use crate::request::Answer;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Name of the system in the state and in orders of faults.
pub(crate) const SYSTEM: &str = "chatapp";
/// Host it answers at.
pub const HOST: &str = "chatapp.simulado.test";
/// Most messages kept.
const MAX_MESSAGES: usize = 100_000;
/// Numbers that end so have no account.
const NO_ACCOUNT: &str = "0000";

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

/// Messages by the sender's id.
#[derive(Debug, Default)]
pub(crate) struct MessageMemory {
    messages: BTreeMap<String, Recado>,
}

impl Memory for MessageMemory {
    const SYSTEM: &'static str = SYSTEM;
    type Record = Recado;

    fn apply(&mut self, message: Recado) {
        if self.messages.len() < MAX_MESSAGES {
            self.messages.insert(message.referencia.clone(), message);
        }
    }
}

impl MessageMemory {
    pub fn all(&self) -> Vec<Recado> {
        self.messages.values().cloned().collect()
    }
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

pub(crate) fn peek(host: &str) -> Peek {
    Peek {
        host: host.to_owned(),
        operation: "enviar",
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
    let asked = (call.req.method.as_str(), call.req.plain_path());
    if asked != ("POST", "/v1/mensagens") {
        return Err(unknown_route());
    }
    let new: New = read(call.req)?;
    idempotent(call.req, &new.referencia)?;
    let number = new.para.strip_prefix('+').unwrap_or_default();
    if number.len() < 8 || !number.bytes().all(|b| b.is_ascii_digit()) || new.texto.is_empty() {
        return Err(invalid("para em E.164, e um texto."));
    }
    if new.para.ends_with(NO_ACCOUNT) {
        let text = "O número não tem conta no aplicativo.";
        return Err(problem(422, "numero_sem_conta", text));
    }
    if let Some(known) = call.memory.messages.get(&new.referencia) {
        return Ok(shown(200, known));
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
