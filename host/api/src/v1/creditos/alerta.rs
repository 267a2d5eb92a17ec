//! PUT /api/v1/creditos/alerta: when and where to hear of a low balance.

use accounts::ledger::{self, MAX_THRESHOLDS};
use accounts::letters;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use events::messaging;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use store::ids::AccountId;
use store::tables::alertas::{self, AlertaRow};
use store::{DbResult, TxError, stored};

/// Highest threshold: more than anybody buys at once.
const MAX_THRESHOLD: i64 = 100_000_000;

pub fn built() -> Built {
    Built {
        operation: "creditos.alerta",
        route: |method| on(method, put),
        docs: Docs::new("Define os limiares de saldo baixo e por onde avisar. Cada vez que o saldo cai até um limiar, ou abaixo dele, há um evento saldo.baixo; depois que volta a passar dele, pode cair de novo. O canal email avisa donos, administradores e financeiro da conta; chatapp, os telefones informados. Uma lista vazia desliga. Vale para a conta inteira, com qualquer chave; GET /api/v1/creditos mostra o que vale.")
            .body::<AlertaIn>()
            .success::<AlertaOut>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct AlertaIn {
    /// Saldos, em créditos; até 10.
    #[schemars(length(max = 10), inner(range(min = 0, max = 100_000_000)))]
    limiares: Vec<i64>,
    /// Ausente: `webhook`.
    #[schemars(length(max = 3))]
    canais: Option<Vec<Channel>>,
    /// Telefones do canal `chatapp` em E.164, como +5511999998888; até 5.
    #[schemars(length(max = 5))]
    telefones: Option<Vec<String>>,
}

/// Quando e por onde avisar do saldo baixo.
#[derive(Serialize, JsonSchema)]
pub struct AlertaOut {
    /// Saldos, em créditos, do maior para o menor.
    limiares: Vec<i64>,
    canais: Vec<Channel>,
    /// Telefones do canal `chatapp`, em E.164.
    telefones: Vec<String>,
}

/// An alert as it was stored.
///
/// # Errors
/// What is stored cannot be read.
pub fn shown(row: &AlertaRow, account: &AccountId) -> DbResult<AlertaOut> {
    Ok(AlertaOut {
        limiares: ledger::thresholds(&row.limiares, account)?,
        canais: stored(&row.canais, "channels of an alert", account)?,
        telefones: stored(&row.telefones, "telephones of an alert", account)?,
    })
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[schemars(rename = "Canal")]
#[serde(rename_all = "snake_case")]
enum Channel {
    Email,
    Chatapp,
    Webhook,
}

/// Most numbers of the channel `chatapp`.
const MAX_TELEFONES: usize = 5;

/// Numbers to tell; there must be one where somebody is told that way.
fn telefones(mut numbers: Vec<String>, wanted: bool) -> Result<Vec<String>, Failure> {
    numbers.sort_unstable();
    numbers.dedup();
    let is_number = |text: &String| {
        let digits = text.strip_prefix('+').unwrap_or_default();
        (8..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let enough = !wanted || !numbers.is_empty();
    if enough && numbers.len() <= MAX_TELEFONES && numbers.iter().all(is_number) {
        return Ok(numbers);
    }
    Err(Refusal::field(
        Code::ParametroInvalido,
        "telefones",
        "O canal chatapp pede de 1 a 5 telefones em E.164.",
        "Informe, por exemplo, [\"+5511999998888\"].",
    )
    .into())
}

async fn put(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<AlertaOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: AlertaIn = body::read(value, call.tolerant)?;
    let mut thresholds = body.limiares;
    if thresholds.len() > MAX_THRESHOLDS
        || thresholds
            .iter()
            .any(|threshold| !(0..=MAX_THRESHOLD).contains(threshold))
    {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "limiares",
            "São até 10 limiares, de 0 a 100000000 créditos.",
            "Informe, por exemplo, [2000, 500, 0].",
        )
        .into());
    }
    thresholds.sort_unstable_by(|a, b| b.cmp(a));
    thresholds.dedup();
    let mut channels = body.canais.unwrap_or_else(|| vec![Channel::Webhook]);
    channels.sort_unstable();
    channels.dedup();
    let chatapp = channels.contains(&Channel::Chatapp);
    if chatapp && messaging::offered(&call.app).is_none() {
        return Err(Refusal::new(Code::ChatappNaoConectado).into());
    }
    let telefones = telefones(body.telefones.unwrap_or_default(), chatapp)?;
    if channels.contains(&Channel::Email) {
        letters::offered(&call.app)?;
    }
    let input = (
        call.caller.account_id.clone(),
        thresholds.clone(),
        serde_json::to_string(&channels)?,
        serde_json::to_string(&telefones)?,
        call.app.now_ms(),
    );
    let written = call.app.db.write(
        input,
        |(account, thresholds, channels, telefones, now_ms), conn| {
            Box::pin(async move {
                ledger::set_thresholds(conn, account, thresholds).await?;
                alertas::save(conn, account, channels, telefones, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        },
    );
    written.await.map_err(anyhow::Error::from)?;
    call.ok(AlertaOut {
        limiares: thresholds,
        canais: channels,
        telefones,
    })
}
