//! POST /api/v1/validate/telefone: a telephone number by its form alone.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use data::area_codes;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::phone::{Kind, Phone, PhoneError};

pub fn built() -> Built {
    Built {
        operation: "validate.telefone",
        route: |method| on(method, telefone),
        docs: Docs::new("Confere um telefone pela numeração do Brasil (Res. Anatel 749/2022): DDD, móvel ou fixo, forma E.164. Não liga para ninguém.")
            .body::<TelefoneIn>()
            .success::<Charged<TelefoneOut>>(),
    }
}

/// Um telefone.
#[derive(Deserialize, JsonSchema)]
struct TelefoneIn {
    /// Com ou sem +55, DDD entre parênteses, traços e espaços.
    #[schemars(length(min = 1, max = 40))]
    telefone: String,
}

/// O telefone pela sua forma.
#[derive(Serialize, JsonSchema)]
struct TelefoneOut {
    valido: bool,
    /// Com + e país; `null` se o número só se disca no Brasil, ou não é válido.
    e164: Option<String>,
    /// Com DDD e traço; `null` se não é válido.
    formatado: Option<String>,
    /// `BR`, ou `null`: outro país, ou número inválido.
    pais: Option<&'static str>,
    /// `null` se o número não tem.
    ddd: Option<String>,
    /// As UFs do DDD: uma, ou duas se ele passa a divisa.
    ufs: Vec<&'static str>,
    /// `movel`, `fixo`, `gratuito`, `tarifa_compartilhada`, `telemarketing`,
    /// `doacao`, `valor_adicionado`, `numero_unico`, `utilidade_publica` ou
    /// `internacional`.
    tipo: Option<&'static str>,
    /// Por que não é válido; `null` se é.
    motivo: Option<PhoneReason>,
    /// O motivo em uma frase.
    explicacao: Option<String>,
}

/// Por que um telefone não é válido.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MotivoDoTelefone")]
#[serde(rename_all = "snake_case")]
enum PhoneReason {
    /// Há algo que não é dígito.
    Caracteres,
    /// Nenhum telefone tem tantos dígitos.
    Tamanho,
    /// O DDD não existe.
    DddInexistente,
    FaltaDdd,
    FaltaNonoDigito,
    /// Nenhum número começa assim.
    PrimeiroDigito,
    /// Números de outros países se escrevem com +.
    FaltaMais,
}

async fn telefone(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<TelefoneOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: TelefoneIn = body::read(value, call.tolerant)?;
    let found = Phone::parse(body.telefone.trim(), |ddd| !area_codes::get(ddd).is_empty());
    charge::paid(&call, answer(found)).await
}

fn answer(found: Result<Phone, PhoneError>) -> TelefoneOut {
    let phone = match found {
        Ok(phone) => phone,
        Err(error) => {
            return TelefoneOut {
                valido: false,
                e164: None,
                formatado: None,
                pais: None,
                ddd: None,
                ufs: Vec::new(),
                tipo: None,
                motivo: Some(reason(error)),
                explicacao: Some(sentence(error)),
            };
        }
    };
    TelefoneOut {
        valido: true,
        formatado: Some(match phone.kind {
            Kind::Mobile | Kind::Landline => markup::format::telephone(&phone.digits),
            _ => phone.digits,
        }),
        pais: (phone.kind != Kind::International).then_some("BR"),
        ufs: phone.ddd.map(ufs).unwrap_or_default(),
        ddd: phone.ddd.map(|ddd| ddd.to_string()),
        tipo: Some(phone.kind.name()),
        e164: phone.e164,
        motivo: None,
        explicacao: None,
    }
}

fn ufs(ddd: u8) -> Vec<&'static str> {
    area_codes::get(ddd).iter().map(|row| row.uf).collect()
}

fn reason(error: PhoneError) -> PhoneReason {
    match error {
        PhoneError::Characters => PhoneReason::Caracteres,
        PhoneError::Length(_) => PhoneReason::Tamanho,
        PhoneError::Ddd(_) => PhoneReason::DddInexistente,
        PhoneError::NoDdd => PhoneReason::FaltaDdd,
        PhoneError::NinthDigit => PhoneReason::FaltaNonoDigito,
        PhoneError::FirstDigit(_) => PhoneReason::PrimeiroDigito,
        PhoneError::NoPlus => PhoneReason::FaltaMais,
    }
}

fn sentence(error: PhoneError) -> String {
    match error {
        PhoneError::Characters => "Há algo que não é dígito.".to_owned(),
        PhoneError::Length(digits) => format!("Nenhum telefone tem {digits} dígitos."),
        PhoneError::Ddd(ddd) => format!("O DDD {ddd:02} não existe."),
        PhoneError::NoDdd => "Falta o DDD.".to_owned(),
        PhoneError::NinthDigit => "Falta o nono dígito do móvel.".to_owned(),
        PhoneError::FirstDigit(digit) => format!("Nenhum número começa com {digit}."),
        PhoneError::NoPlus => "Escreva números de outros países com +.".to_owned(),
    }
}
