//! POST /api/v1/chaves/{id}/rotacionar: another key with the same settings.

use super::creator;
use super::record::NewChave;
use accounts::api_keys;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::KeyId;
use store::tables;
use store::tables::budgets;

/// Hours the old key goes on when none are given, and at most.
const HOURS: i64 = 24;
const MOST_HOURS: i64 = 168;

pub fn built() -> Built {
    Built {
        operation: "chaves.rotacionar",
        route: |method| on(method, rotacionar),
        docs: Docs::new(
            "Cria uma chave com os mesmos ajustes, também a expiração e o que já foi gasto; a antiga vale mais sobreposicao_horas.",
        )
        .body::<RotacionarIn>()
        .answers(&[(201, "Chave criada no lugar da antiga.")])
        .success::<RotacionarOut>(),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
struct RotacionarIn {
    /// Horas que a chave antiga ainda vale; ausente: 24. 0 a encerra na hora.
    #[schemars(range(min = 0, max = 168))]
    sobreposicao_horas: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct RotacionarOut {
    #[serde(flatten)]
    nova: NewChave,
    anterior: PreviousChave,
}

/// A chave que foi substituída.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChaveAnterior")]
struct PreviousChave {
    id: KeyId,
    /// Os últimos caracteres da chave.
    #[serde(rename = "final")]
    hint: String,
    /// Até quando ainda vale.
    expira_em: String,
}

async fn rotacionar(
    call: Call,
    Path(id): Path<KeyId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<RotacionarOut> {
    let body = if bytes.is_empty() {
        RotacionarIn::default()
    } else {
        body::read(body::parse(&call, &headers, &bytes)?, call.tolerant)?
    };
    let hours = body.sobreposicao_horas.unwrap_or(HOURS);
    if !(0..=MOST_HOURS).contains(&hours) {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "sobreposicao_horas",
            "A sobreposição vai de 0 a 168 horas.",
            "Ajuste o prazo.",
        )
        .into());
    }
    let (fresh, old) = api_keys::rotate(&call.app.people, creator(&call)?, &id, hours).await?;
    call.about(&fresh.row.id);
    let account = &old.account_id;
    let mut conn = call.app.db.read().await?;
    let spent = match fresh.row.budget_id.as_ref() {
        Some(id) => budgets::get(&mut conn, account, id).await?,
        None => None,
    };
    let old = tables::api_keys::get(&mut conn, account, &old.id)
        .await?
        .unwrap_or(old);
    drop(conn);
    let spent = spent.unwrap_or_default();
    call.created(RotacionarOut {
        nova: NewChave::of(&fresh, spent, call.app.now_ms()),
        anterior: PreviousChave {
            expira_em: when::rfc3339(old.expires_at_ms),
            id: old.id,
            hint: old.hint,
        },
    })
}
