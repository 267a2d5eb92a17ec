//! POST /api/v1/pix/brcode/ler: what a code of PIX says, and whether banks take it.

use super::told;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::RefusedField;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::Reais;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::brcode::{BrCode, Field, PixKey, read};

pub fn built() -> Built {
    Built {
        operation: "pix.brcode.ler",
        route: |method| on(method, ler),
        docs: Docs::new(
            "Lê um código PIX copia e cola: chave, valor, recebedor, e se o verificador confere.",
        )
        .body::<LerIn>()
        .success::<Charged<LerOut>>(),
    }
}

/// Um código PIX copia e cola.
#[derive(Deserialize, JsonSchema)]
struct LerIn {
    #[schemars(length(min = 1, max = 600))]
    brcode: String,
}

/// O que o código diz.
#[derive(Serialize, JsonSchema)]
struct LerOut {
    /// O código está como os manuais pedem.
    valido: bool,
    /// O verificador CRC16 confere.
    crc_confere: bool,
    tipo: CodeKind,
    chave: Option<String>,
    /// `cpf`, `cnpj`, `email`, `telefone` ou `aleatoria`.
    tipo_chave: Option<&'static str>,
    /// O endereço da cobrança, de um código dinâmico.
    url: Option<String>,
    /// `null`: quem paga diz quanto, ou a cobrança diz.
    valor: Option<Reais>,
    nome: Option<String>,
    cidade: Option<String>,
    cep: Option<String>,
    /// `null` para `***`.
    txid: Option<String>,
    descricao: Option<String>,
    /// O código diz que é de um pagamento só.
    uso_unico: bool,
    /// O que não está como os manuais pedem.
    problemas: Vec<RefusedField>,
    /// Todos os campos do código.
    campos: Vec<TlvField>,
}

/// De onde vem a cobrança.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TipoDeBrCode")]
#[serde(rename_all = "snake_case")]
enum CodeKind {
    /// A chave está no código.
    Estatico,
    /// O código tem o endereço da cobrança.
    Dinamico,
    /// Nem um nem outro.
    Desconhecido,
}

/// Um campo do código.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CampoDoBrCode")]
struct TlvField {
    /// Dois dígitos.
    id: String,
    valor: String,
    /// Os campos dentro dele.
    campos: Vec<TlvField>,
}

impl From<Field> for TlvField {
    fn from(field: Field) -> TlvField {
        TlvField {
            id: field.id,
            valor: field.value,
            campos: field.fields.into_iter().map(TlvField::from).collect(),
        }
    }
}

async fn ler(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<LerOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: LerIn = body::read(value, call.tolerant)?;
    charge::paid(&call, answer(read(&body.brcode))).await
}

fn answer(code: BrCode) -> LerOut {
    let key = code.key.as_deref().and_then(|key| PixKey::parse(key).ok());
    LerOut {
        valido: code.problems.is_empty(),
        crc_confere: code.crc_fits,
        tipo: match (&code.url, &code.key) {
            (Some(_), _) => CodeKind::Dinamico,
            (None, Some(_)) => CodeKind::Estatico,
            (None, None) => CodeKind::Desconhecido,
        },
        tipo_chave: key.map(|key| key.kind()),
        chave: code.key,
        url: code.url,
        valor: code.amount.map(Reais),
        nome: code.name,
        cidade: code.city,
        cep: code.postal_code,
        txid: code.txid,
        descricao: code.description,
        uso_unico: code.once,
        problemas: code
            .problems
            .iter()
            .map(told)
            .map(RefusedField::from)
            .collect(),
        campos: code.fields.into_iter().map(TlvField::from).collect(),
    }
}
