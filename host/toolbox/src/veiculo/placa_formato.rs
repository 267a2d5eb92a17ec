//! GET /api/v1/veiculo/placa/{placa}/formato: what a plate says by itself.

use super::{Format, no_plate};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use schemars::JsonSchema;
use serde::Serialize;
use tools::plate::Plate;

pub fn built() -> Built {
    Built {
        operation: "veiculo.placa.formato",
        route: |method| on(method, formato),
        docs: Docs::new("Diz a forma de uma placa, a mesma placa na outra forma, e a UF do primeiro emplacamento pela série. Não consulta o veículo.")
            .success::<FormatoOut>(),
    }
}

/// O que a placa diz por si.
#[derive(Serialize, JsonSchema)]
struct FormatoOut {
    placa: String,
    formato: Format,
    /// A mesma placa na forma Mercosul.
    placa_mercosul: String,
    /// A mesma placa na forma antiga; `null` se ela nunca teve.
    placa_antiga: Option<String>,
    /// UF do primeiro emplacamento, pela série; `null`: série sem UF publicada.
    uf_provavel: Option<&'static str>,
    /// As séries da UF são as distribuídas até 2018: depois delas, e depois de
    /// mudança de UF com placa Mercosul, a placa não diz onde o veículo está.
    aviso: &'static str,
}

async fn formato(
    call: Call,
    Path(text): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<FormatoOut> {
    only(&query, &[])?;
    let plate = Plate::parse(&text).map_err(|_| no_plate("placa"))?;
    call.ok(FormatoOut {
        placa: plate.to_string(),
        formato: plate.format().into(),
        placa_mercosul: plate.to_mercosul().to_string(),
        placa_antiga: plate.to_old().map(|old| old.to_string()),
        uf_provavel: plate.first_uf(),
        aviso: "UF do primeiro emplacamento, pelas séries distribuídas até 2018.",
    })
}
