//! POST /api/v1/chatapp/validar: which telephone numbers have an account of the
//! messaging app. Charged for each that has one.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::area_codes;
use events::messaging;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::{batch, body};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tools::phone::Phone;

/// Most numbers of a call: what one question to the provider takes.
const NUMBERS: usize = 100;

pub fn built() -> Built {
    Built {
        operation: "chatapp.validar",
        route: |method| on(method, validar),
        docs: Docs::new("Diz quais telefones têm conta no aplicativo de mensagens conectado; cobra cada número que tem, uma vez. Sem resposta sobre um número ele é null e grátis. Com chave de teste responde o aplicativo simulado.")
            .body::<ValidarIn>()
            .success::<Charged<ValidarOut>>(),
    }
}

/// Os telefones a conferir.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ChatappValidarIn")]
struct ValidarIn {
    /// Com ou sem +55, com DDD; de outros países com +.
    #[schemars(length(min = 1, max = 100))]
    numeros: Vec<String>,
}

/// O que se sabe de cada telefone, na ordem do pedido.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChatappValidarOut")]
struct ValidarOut {
    itens: Vec<NumberOut>,
    /// Quantos números foram cobrados: os que têm conta, cada um uma vez. Zero com
    /// chave de teste.
    cobrados: usize,
}

/// Um telefone.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NumeroNoChatapp")]
struct NumberOut {
    /// Como veio no pedido.
    numero: String,
    /// Com + e país; `null` se não é um telefone que se alcança de todo lugar.
    e164: Option<String>,
    /// `null`: não se sabe, veja `motivo`.
    tem_conta: Option<bool>,
    /// Por que não se sabe; `null` se se sabe.
    motivo: Option<NumberReason>,
}

/// Por que não se sabe se um número tem conta.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MotivoDoChatapp")]
enum NumberReason {
    /// Não é um telefone; veja POST /api/v1/validate/telefone. Não foi perguntado.
    NumeroInvalido,
    /// Só se disca no Brasil, como 0800. Não foi perguntado.
    SoNacional,
    /// O aplicativo não respondeu, ou não disse deste número.
    SemResposta,
}

async fn validar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ValidarOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ValidarIn = body::read(value, call.tolerant)?;
    batch::of(body.numeros.len(), NUMBERS, "numeros")?;
    let test_key = call.caller.is_test();
    let service = messaging::directory(&call.app, test_key)
        .ok_or_else(|| Refusal::new(Code::ChatappNaoConectado))?;
    let read: Vec<_> = body.numeros.into_iter().map(parsed).collect();
    let mut asked: Vec<String> = read.iter().filter_map(|one| one.1.clone().ok()).collect();
    asked.sort_unstable();
    asked.dedup();
    let price = call.price()?;
    charge::affordable_at(&call, cost(price, asked.len())?).await?;
    let mut known = BTreeMap::new();
    if !asked.is_empty() {
        let account = &call.caller.account_id;
        match messaging::accounts(&call.app, &service, account, &asked).await {
            Ok(told) => known = told,
            Err(error) => {
                tracing::warn!(error = %format!("{error:#}"), "the messaging app told of no number");
            }
        }
    }
    // The provider may say more than it was asked.
    known.retain(|number, _| asked.binary_search(number).is_ok());
    let accounts = known.values().filter(|has| **has).count();
    let answer = ValidarOut {
        itens: read.into_iter().map(|one| shown(one, &known)).collect(),
        cobrados: if test_key { 0 } else { accounts },
    };
    match accounts {
        0 => charge::free(&call, answer).await,
        some => charge::paid_at(&call, answer, cost(price, some)?).await,
    }
}

/// What some numbers cost.
fn cost(price: i64, numbers: usize) -> Result<i64, Failure> {
    let numbers = i64::try_from(numbers).map_err(anyhow::Error::from)?;
    Ok(price.saturating_mul(numbers))
}

/// A number of the request, and how it is asked about.
type Parsed = (String, Result<String, NumberReason>);

fn parsed(number: String) -> Parsed {
    let found = Phone::parse(&number, |ddd| !area_codes::get(ddd).is_empty());
    let asked = match found {
        Ok(phone) => phone.e164.ok_or(NumberReason::SoNacional),
        Err(_) => Err(NumberReason::NumeroInvalido),
    };
    (number, asked)
}

fn shown((number, asked): Parsed, known: &BTreeMap<String, bool>) -> NumberOut {
    let (e164, told) = match asked {
        Ok(e164) => {
            let told = known.get(&e164).copied();
            (Some(e164), told.ok_or(NumberReason::SemResposta))
        }
        Err(reason) => (None, Err(reason)),
    };
    NumberOut {
        numero: number,
        e164,
        tem_conta: told.ok(),
        motivo: told.err(),
    }
}
