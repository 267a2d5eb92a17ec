//! GET /api/v1/creditos/pacotes: what can be bought, and how.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::answer::Reais;
use payments::{MAX_CREDITOS, MAX_INSTALLMENTS, MIN_CREDITOS, Means, PACOTES};
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
    pacotes: Vec<Package>,
    /// Menor valor de uma compra, em R$.
    minimo: Reais,
    /// Maior valor de uma compra, em R$.
    maximo: Reais,
    meios: [OfferedMeans; 3],
}

/// Um pacote de créditos.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pacote")]
struct Package {
    creditos: i64,
    /// R$.
    valor: Reais,
}

/// Um meio de pagamento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MeioOferecido")]
struct OfferedMeans {
    meio: Means,
    parcelas_max: i64,
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<PacotesOut> {
    only(&query, &[])?;
    let pacotes = PACOTES.iter().map(|creditos| Package {
        creditos: *creditos,
        valor: Reais::of_cents(*creditos),
    });
    let means = |means: Means, max_installments: i64| OfferedMeans {
        meio: means,
        parcelas_max: max_installments,
    };
    call.ok(PacotesOut {
        oferecida: payments::offered(&call.app).is_some(),
        pacotes: pacotes.collect(),
        minimo: Reais::of_cents(MIN_CREDITOS),
        maximo: Reais::of_cents(MAX_CREDITOS),
        meios: [
            means(Means::Pix, 1),
            means(Means::Boleto, 1),
            means(Means::Cartao, MAX_INSTALLMENTS),
        ],
    })
}
