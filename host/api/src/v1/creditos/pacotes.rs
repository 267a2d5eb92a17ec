//! GET /api/v1/creditos/pacotes: what can be bought, and how.

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use issuing::answer::Reais;
use payments;
use payments::{MAX_CREDITOS, MAX_PARCELAS, MIN_CREDITOS, Meio, PACOTES};
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "creditos.pacotes",
        route: |method| on(method, get),
        docs: Docs::new(
            "Lista os pacotes de créditos; qualquer valor entre o mínimo e o máximo pode ser comprado.",
        )
        .success::<PacotesOut>(),
    }
}

/// O que pode ser comprado, e como.
#[derive(Serialize, JsonSchema)]
struct PacotesOut {
    /// `false`: esta instalação não vende créditos.
    oferecida: bool,
    pacotes: Vec<Pacote>,
    /// Menor valor de uma compra, em R$.
    minimo: Reais,
    /// Maior valor de uma compra, em R$.
    maximo: Reais,
    meios: [MeioOferecido; 3],
}

/// Um pacote de créditos.
#[derive(Serialize, JsonSchema)]
struct Pacote {
    creditos: i64,
    /// R$.
    valor: Reais,
}

/// Um meio de pagamento.
#[derive(Serialize, JsonSchema)]
struct MeioOferecido {
    meio: Meio,
    parcelas_max: i64,
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<PacotesOut> {
    only(&query, &[])?;
    let pacotes = PACOTES.iter().map(|creditos| Pacote {
        creditos: *creditos,
        valor: Reais::of_cents(*creditos),
    });
    let meio = |meio: Meio, parcelas_max: i64| MeioOferecido { meio, parcelas_max };
    call.ok(PacotesOut {
        oferecida: payments::offered(&call.app).is_some(),
        pacotes: pacotes.collect(),
        minimo: Reais::of_cents(MIN_CREDITOS),
        maximo: Reais::of_cents(MAX_CREDITOS),
        meios: [
            meio(Meio::Pix, 1),
            meio(Meio::Boleto, 1),
            meio(Meio::Cartao, MAX_PARCELAS),
        ],
    })
}
