//! What the PSP answers.

use crate::content::{CHARGE, Means, REEMBOLSO};
use sdk::{Conteudo, Failure, Mensagem, Response, Situacao, Success};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Longest code and sentence taken from a refusal.
const TEXT_CHARS: usize = 300;

/// A charge as the PSP shows it, and as the hub is told.
#[derive(Debug, Deserialize, Serialize)]
pub struct Charge {
    #[serde(rename(deserialize = "id"))]
    cobranca_id: String,
    #[serde(rename(deserialize = "referencia"))]
    compra_id: String,
    valor_centavos: i64,
    meio: Means,
    situacao: State,
    #[serde(default)]
    pago_centavos: i64,
    #[serde(default)]
    pago_em: Option<String>,
    #[serde(default)]
    reembolsado_centavos: i64,
    #[serde(default)]
    pix: Option<Pix>,
    #[serde(default)]
    boleto: Option<Boleto>,
    #[serde(default)]
    cartao: Option<Card>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Aguardando,
    Paga,
    Expirada,
    Cancelada,
}

#[derive(Debug, Deserialize, Serialize)]
struct Pix {
    brcode: String,
}

#[derive(Debug, Deserialize, Serialize)]
struct Boleto {
    linha_digitavel: String,
    codigo_de_barras: String,
    vencimento: String,
}

#[derive(Debug, Deserialize, Serialize)]
struct Card {
    url: String,
}

/// A refund as the PSP shows it, and as the hub is told.
#[derive(Debug, Deserialize, Serialize)]
struct Reembolso {
    #[serde(rename(deserialize = "referencia"))]
    reembolso_id: String,
    valor_centavos: i64,
    situacao: RefundState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum RefundState {
    Concluido,
    Processando,
    Recusado,
}

/// The PSP's own words for a no.
#[derive(Debug, Deserialize)]
struct Problem {
    codigo: String,
    mensagem: String,
}

/// A charge of this purchase; `None` when the answer is anything else.
pub fn charge(response: &Response, purchase_id: &str) -> Option<Success> {
    let read: Charge = object(response)?;
    let complete = match read.meio {
        Means::Pix => read.pix.is_some(),
        Means::Boleto => read.boleto.is_some(),
        Means::Cartao => read.cartao.is_some(),
    };
    let its_own = read.compra_id == purchase_id && !read.cobranca_id.is_empty();
    (complete && its_own).then(|| queried(CHARGE, &read))
}

/// The refund that was asked for; `None` when the answer is anything else.
pub fn reembolso(response: &Response, reembolso_id: &str) -> Option<Success> {
    let read: Reembolso = object(response)?;
    (read.reembolso_id == reembolso_id).then(|| queried(REEMBOLSO, &read))
}

/// A no in the PSP's words, for a status that says one. 408, 409 and 429 do
/// not: the same request may have been, or become, a yes.
pub fn refusal(response: &Response) -> Option<Failure> {
    if matches!(response.status, 401 | 403) {
        let message = Mensagem::new("credencial", "O PSP recusou a credencial.");
        return Some(Failure::credentials(vec![message]));
    }
    let final_ = matches!(response.status, 400..=407 | 410..=428 | 430..=499);
    let said: Problem = object(response).filter(|_| final_)?;
    let short = |text: &str| text.chars().take(TEXT_CHARS).collect::<String>();
    let message = Mensagem::new(&short(&said.codigo), &short(&said.mensagem));
    Some(Failure::rejected(vec![message]))
}

/// The PSP says, as itself, that it has no such charge: a 404 of a proxy is
/// not one.
pub fn not_found(response: &Response) -> bool {
    let said: Option<Problem> = object(response);
    response.status == 404 && said.is_some_and(|said| said.codigo == "cobranca_inexistente")
}

/// An object of the PSP's JSON: serde would also take a list for one.
fn object<T: DeserializeOwned>(response: &Response) -> Option<T> {
    let start = response.body.iter().find(|b| !b.is_ascii_whitespace());
    if start != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&response.body).ok()
}

fn queried(schema: &str, content: &impl Serialize) -> Success {
    let mut success = Success::new(Situacao::Consultado);
    success.conteudo = serde_json::to_string(content).ok().map(|json| Conteudo {
        schema: schema.into(),
        json,
    });
    success
}
