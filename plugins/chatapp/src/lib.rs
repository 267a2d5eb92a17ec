//! Adapter of a messaging app: short messages to telephone numbers.
//!
//! The hub's id of a message is the provider's idempotency key: a message
//! that was taken already is not sent again.

use sdk::{
    Conteudo, Description, Effect, Encoding, Failure, FieldError, Flow, Mensagem, Operacao,
    Outcome, Request, Response, Situacao, Success, host,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Sends a message, once.
const ENVIAR: &str = "mensagem.enviar";
/// Schema of [`Enviar`].
const CONTEUDO: &str = "mensagem.enviar/1";
/// Schema of [`Enviada`].
const ENVIADA: &str = "mensagem.enviada/1";
/// Name of the one endpoint, and of the secret the provider knows the hub by.
const API: &str = "api";
const TOKEN: &str = "token";

const TIMEOUT_MS: u32 = 12_000;
/// Characters of an id, of a message, and of what is taken from a refusal.
const ID_CHARS: usize = 64;
const TEXTO_CHARS: usize = 1_000;
const RECUSA_CHARS: usize = 300;

/// A message to be sent.
#[derive(Debug, Deserialize)]
struct Enviar {
    mensagem_id: String,
    /// E.164: `+5511999998888`.
    para: String,
    texto: String,
}

/// A message the provider took, as the hub is told.
#[derive(Debug, Serialize)]
struct Enviada {
    mensagem_id: String,
    /// The provider's own id.
    provedor_id: String,
}

/// The same, as the provider shows it.
#[derive(Debug, Deserialize)]
struct Aceita {
    id: String,
    referencia: String,
}

/// The provider's own words for a no.
#[derive(Debug, Deserialize)]
struct Problema {
    codigo: String,
    mensagem: String,
}

fn describe() -> Description {
    Description::new("chatapp", env!("CARGO_PKG_VERSION"))
        .schema(CONTEUDO)
        .operation(ENVIAR, true, "POST /v1/mensagens")
        .endpoint(API, true, false, "Base address of the provider's API")
}

async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        ENVIAR => enviar(&flow, &op.conteudo).await,
        outra => Err(Failure::not_supported(outra)),
    }
}

async fn enviar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let enviar = lida(conteudo)?;
    let token = host::secret(TOKEN, Encoding::Plain).ok_or_else(|| {
        let texto = "O hub não tem o token do provedor de mensagens.";
        Failure::credentials(vec![Mensagem::new("token", texto)])
    })?;
    let corpo = json!({
        "referencia": enviar.mensagem_id, "para": enviar.para, "texto": enviar.texto,
    });
    let pedido = Request::post("enviar mensagem", Effect::Idempotent, API, "/v1/mensagens")
        .timeout_ms(TIMEOUT_MS)
        // The token itself never comes here: the host fills its place.
        .header("Authorization", &format!("Bearer {token}"))
        .header("Idempotency-Key", &enviar.mensagem_id)
        .body("application/json", corpo.to_string());
    let resposta = flow.send(pedido).await?;
    let aceita: Option<Aceita> = objeto(&resposta).filter(|_| resposta.is_success());
    if let Some(aceita) = aceita
        && aceita.referencia == enviar.mensagem_id
    {
        let mut sucesso = Success::new(Situacao::Consultado);
        let enviada = Enviada {
            mensagem_id: aceita.referencia,
            provedor_id: aceita.id,
        };
        sucesso.conteudo = serde_json::to_string(&enviada).ok().map(|json| Conteudo {
            schema: ENVIADA.into(),
            json,
        });
        return Ok(sucesso);
    }
    Err(recusa(&resposta).unwrap_or_else(|| {
        let texto = format!("HTTP {} sem resposta do provedor", resposta.status);
        Failure::unavailable(resposta.retry_after_ms(), &texto)
            .with_evidence(&resposta.body)
            .maybe_exists()
    }))
}

/// Reads and checks the content.
fn lida(conteudo: &Conteudo) -> Result<Enviar, Failure> {
    let lida: Enviar = sdk::read_conteudo(conteudo, CONTEUDO)?;
    // It becomes a header: letters, digits, `_` and `-`.
    let simples = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let id = &lida.mensagem_id;
    if id.is_empty() || id.len() > ID_CHARS || !id.bytes().all(simples) {
        return Err(errado("mensagem_id", "Identificador inválido."));
    }
    let digitos = lida.para.strip_prefix('+').unwrap_or_default();
    if !(8..=15).contains(&digitos.len()) || !digitos.bytes().all(|b| b.is_ascii_digit()) {
        return Err(errado("para", "Use E.164, como +5511999998888."));
    }
    if lida.texto.is_empty() || lida.texto.chars().count() > TEXTO_CHARS {
        return Err(errado("texto", "O texto tem de 1 a 1000 caracteres."));
    }
    Ok(lida)
}

/// A no in the provider's words, for a status that says one. 408, 409 and 429
/// do not: the same request may have been, or become, a yes.
fn recusa(resposta: &Response) -> Option<Failure> {
    if matches!(resposta.status, 401 | 403) {
        let mensagem = Mensagem::new("credencial", "O provedor recusou a credencial.");
        return Some(Failure::credentials(vec![mensagem]));
    }
    let final_ = matches!(resposta.status, 400..=407 | 410..=428 | 430..=499);
    let dito: Problema = objeto(resposta).filter(|_| final_)?;
    let curto = |texto: &str| texto.chars().take(RECUSA_CHARS).collect::<String>();
    let mensagem = Mensagem::new(&curto(&dito.codigo), &curto(&dito.mensagem));
    Some(Failure::rejected(vec![mensagem]))
}

/// An object of the provider's JSON: serde would also take a list for one.
fn objeto<T: DeserializeOwned>(resposta: &Response) -> Option<T> {
    let inicio = resposta.body.iter().find(|b| !b.is_ascii_whitespace());
    if inicio != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&resposta.body).ok()
}

fn errado(campo: &str, texto: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(campo, "valor", texto)])
}

sdk::export_lookup!(describe, run);
