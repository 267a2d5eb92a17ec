//! Adapter of a messaging app: short messages to telephone numbers, and which
//! numbers have an account of the app.
//!
//! The hub's id of a message is the provider's idempotency key: a message
//! that was taken already is not sent again.

mod verify;

use sdk::{
    Conteudo, Description, Effect, Encoding, Failure, FieldError, Flow, Mensagem, Operacao,
    Outcome, Permissions, Request, Response, Situacao, Success, host,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Sends a message, once.
const SEND: &str = "mensagem.enviar";
/// Schema of [`SendOrder`].
const CONTENT: &str = "mensagem.enviar/1";
/// Schema of [`SentMessage`].
const SENT: &str = "mensagem.enviada/1";
/// Name of the one endpoint, and of the secret the provider knows the hub by.
const API: &str = "api";
const TOKEN: &str = "token";

const TIMEOUT_MS: u32 = 12_000;
/// Characters of an id, of a message, and of what is taken from a refusal.
const ID_CHARS: usize = 64;
const TEXT_CHARS: usize = 1_000;
const REFUSAL_CHARS: usize = 300;

/// A message to be sent.
#[derive(Debug, Deserialize)]
struct SendOrder {
    mensagem_id: String,
    /// E.164: `+5511999998888`.
    para: String,
    texto: String,
}

/// A message the provider took, as the hub is told.
#[derive(Debug, Serialize)]
struct SentMessage {
    mensagem_id: String,
    /// The provider's own id.
    provedor_id: String,
}

/// The same, as the provider shows it.
#[derive(Debug, Deserialize)]
struct Accepted {
    id: String,
    referencia: String,
}

/// The provider's own words for a no.
#[derive(Debug, Deserialize)]
struct Problem {
    codigo: String,
    mensagem: String,
}

fn describe() -> Description {
    Description::new("chatapp", env!("CARGO_PKG_VERSION"))
        .schema(CONTENT)
        .schema(verify::CONTENT)
        .operation(SEND, true, "POST /v1/mensagens")
        .operation(verify::VERIFY, true, "POST /v1/numeros/verificar")
        .endpoint(API, true, false, "Base address of the provider's API")
}

fn permissions() -> Permissions {
    Permissions::none().secret(TOKEN, &[API], "The provider knows the hub by it")
}

async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        SEND => send(&flow, &op.conteudo).await,
        verify::VERIFY => verify::verify(&flow, &op.conteudo).await,
        other => Err(Failure::not_supported(other)),
    }
}

async fn send(flow: &Flow, content: &Conteudo) -> Outcome {
    let send = read(content)?;
    let token = token()?;
    let body = json!({
        "referencia": send.mensagem_id, "para": send.para, "texto": send.texto,
    });
    let request = Request::post("enviar mensagem", Effect::Idempotent, API, "/v1/mensagens")
        .timeout_ms(TIMEOUT_MS)
        // The token itself never comes here: the host fills its place.
        .header("Authorization", &format!("Bearer {token}"))
        .header("Idempotency-Key", &send.mensagem_id)
        .body("application/json", body.to_string());
    let response = flow.send(request).await?;
    let accepted: Option<Accepted> = object(&response).filter(|_| response.is_success());
    if let Some(accepted) = accepted
        && accepted.referencia == send.mensagem_id
    {
        let mut success = Success::new(Situacao::Consultado);
        let sent_message = SentMessage {
            mensagem_id: accepted.referencia,
            provedor_id: accepted.id,
        };
        success.conteudo = serde_json::to_string(&sent_message)
            .ok()
            .map(|json| Conteudo {
                schema: SENT.into(),
                json,
            });
        return Ok(success);
    }
    Err(refusal(&response).unwrap_or_else(|| unknown(&response).maybe_exists()))
}

/// The place of the provider's token, which the host fills.
fn token() -> Result<String, Failure> {
    host::secret(TOKEN, Encoding::Plain).ok_or_else(|| {
        let text = "O hub não tem o token do provedor de mensagens.";
        Failure::credentials(vec![Mensagem::new("token", text)])
    })
}

/// Nobody knows: the answer is none of the provider's.
fn unknown(response: &Response) -> Failure {
    let text = format!("HTTP {} sem resposta do provedor", response.status);
    Failure::unavailable(response.retry_after_ms(), &text).with_evidence(&response.body)
}

/// A plus and 8 to 15 digits.
fn is_e164(number: &str) -> bool {
    let digits = number.strip_prefix('+').unwrap_or_default();
    (8..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Reads and checks the content.
fn read(content: &Conteudo) -> Result<SendOrder, Failure> {
    let read: SendOrder = sdk::read_conteudo(content, CONTENT)?;
    // It becomes a header: letters, digits, `_` and `-`.
    let simples = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let id = &read.mensagem_id;
    if id.is_empty() || id.len() > ID_CHARS || !id.bytes().all(simples) {
        return Err(wrong("mensagem_id", "Identificador inválido."));
    }
    if !is_e164(&read.para) {
        return Err(wrong("para", "Use E.164, como +5511999998888."));
    }
    if read.texto.is_empty() || read.texto.chars().count() > TEXT_CHARS {
        return Err(wrong("texto", "O texto tem de 1 a 1000 caracteres."));
    }
    Ok(read)
}

/// A no in the provider's words, for a status that says one. 408, 409 and 429
/// do not: the same request may have been, or become, a yes.
fn refusal(response: &Response) -> Option<Failure> {
    if matches!(response.status, 401 | 403) {
        let message = Mensagem::new("credencial", "O provedor recusou a credencial.");
        return Some(Failure::credentials(vec![message]));
    }
    let final_ = matches!(response.status, 400..=407 | 410..=428 | 430..=499);
    let said: Problem = object(response).filter(|_| final_)?;
    let short = |text: &str| text.chars().take(REFUSAL_CHARS).collect::<String>();
    let message = Mensagem::new(&short(&said.codigo), &short(&said.mensagem));
    Some(Failure::rejected(vec![message]))
}

/// An object of the provider's JSON: serde would also take a list for one.
fn object<T: DeserializeOwned>(response: &Response) -> Option<T> {
    let start = response.body.iter().find(|b| !b.is_ascii_whitespace());
    if start != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&response.body).ok()
}

fn wrong(field: &str, text: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(field, "valor", text)])
}

sdk::export_lookup!(describe, permissions, run);
