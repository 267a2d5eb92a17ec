//! What the PSP answers.

use crate::content::{COBRANCA, Meio, REEMBOLSO};
use sdk::{Conteudo, Failure, Mensagem, Response, Situacao, Success};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Longest code and sentence taken from a refusal.
const TEXT_CHARS: usize = 300;

/// A charge as the PSP shows it, and as the hub is told.
#[derive(Debug, Deserialize, Serialize)]
pub struct Cobranca {
    #[serde(rename(deserialize = "id"))]
    cobranca_id: String,
    #[serde(rename(deserialize = "referencia"))]
    compra_id: String,
    valor_centavos: i64,
    meio: Meio,
    situacao: Estado,
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
    cartao: Option<Cartao>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Estado {
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
struct Cartao {
    url: String,
}

/// A refund as the PSP shows it, and as the hub is told.
#[derive(Debug, Deserialize, Serialize)]
struct Reembolso {
    #[serde(rename(deserialize = "referencia"))]
    reembolso_id: String,
    valor_centavos: i64,
    situacao: EstadoDoReembolso,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum EstadoDoReembolso {
    Concluido,
    Processando,
    Recusado,
}

/// The PSP's own words for a no.
#[derive(Debug, Deserialize)]
struct Problema {
    codigo: String,
    mensagem: String,
}

/// A charge of this purchase; `None` when the answer is anything else.
pub fn charge(resposta: &Response, compra_id: &str) -> Option<Success> {
    let lida: Cobranca = objeto(resposta)?;
    let completa = match lida.meio {
        Meio::Pix => lida.pix.is_some(),
        Meio::Boleto => lida.boleto.is_some(),
        Meio::Cartao => lida.cartao.is_some(),
    };
    let dela = lida.compra_id == compra_id && !lida.cobranca_id.is_empty();
    (completa && dela).then(|| consultado(COBRANCA, &lida))
}

/// The refund that was asked for; `None` when the answer is anything else.
pub fn reembolso(resposta: &Response, reembolso_id: &str) -> Option<Success> {
    let lido: Reembolso = objeto(resposta)?;
    (lido.reembolso_id == reembolso_id).then(|| consultado(REEMBOLSO, &lido))
}

/// A no in the PSP's words, for a status that says one. 408, 409 and 429 do
/// not: the same request may have been, or become, a yes.
pub fn recusa(resposta: &Response) -> Option<Failure> {
    if matches!(resposta.status, 401 | 403) {
        let mensagem = Mensagem::new("credencial", "O PSP recusou a credencial.");
        return Some(Failure::credentials(vec![mensagem]));
    }
    let final_ = matches!(resposta.status, 400..=407 | 410..=428 | 430..=499);
    let dito: Problema = objeto(resposta).filter(|_| final_)?;
    let curto = |texto: &str| texto.chars().take(TEXT_CHARS).collect::<String>();
    let mensagem = Mensagem::new(&curto(&dito.codigo), &curto(&dito.mensagem));
    Some(Failure::rejected(vec![mensagem]))
}

/// The PSP says, as itself, that it has no such charge: a 404 of a proxy is
/// not one.
pub fn nao_encontrada(resposta: &Response) -> bool {
    let dito: Option<Problema> = objeto(resposta);
    resposta.status == 404 && dito.is_some_and(|dito| dito.codigo == "cobranca_inexistente")
}

/// An object of the PSP's JSON: serde would also take a list for one.
fn objeto<T: DeserializeOwned>(resposta: &Response) -> Option<T> {
    let inicio = resposta.body.iter().find(|b| !b.is_ascii_whitespace());
    if inicio != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&resposta.body).ok()
}

fn consultado(schema: &str, conteudo: &impl Serialize) -> Success {
    let mut sucesso = Success::new(Situacao::Consultado);
    sucesso.conteudo = serde_json::to_string(conteudo).ok().map(|json| Conteudo {
        schema: schema.into(),
        json,
    });
    sucesso
}
