//! POST /api/v1/veiculo/placa/corrigir: plates a text may stand for.

use super::{Format, no_plate};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::plate::{Candidate, candidates};

pub fn built() -> Built {
    Built {
        operation: "veiculo.placa.corrigir",
        route: |method| on(method, corrigir),
        docs: Docs::new("Corrige confusões comuns de leitura (O e 0, I e 1, B e 8…): as placas que o texto pode ser, a mais provável primeiro.")
            .body::<PlacaIn>()
            .success::<CorrigirOut>(),
    }
}

/// Uma placa lida por uma câmera ou por uma pessoa.
#[derive(Deserialize, JsonSchema)]
struct PlacaIn {
    #[schemars(length(min = 7, max = 20))]
    placa: String,
}

/// As placas que o texto pode ser.
#[derive(Serialize, JsonSchema)]
struct CorrigirOut {
    /// A mais provável; `null`: o texto não pode ser uma placa.
    corrigida: Option<String>,
    /// O texto já é uma placa.
    ja_valida: bool,
    /// Todas, com menos trocas primeiro; até 16.
    sugestoes: Vec<SuggestedPlate>,
}

/// Uma placa possível.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlacaSugerida")]
struct SuggestedPlate {
    placa: String,
    formato: Format,
    /// Quantos sinais foram trocados.
    trocas: u8,
    /// UF do primeiro emplacamento, pela série.
    uf_provavel: Option<&'static str>,
}

async fn corrigir(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<CorrigirOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: PlacaIn = body::read(value, call.tolerant)?;
    let found = candidates(&body.placa).map_err(|_| no_plate("placa"))?;
    call.ok(CorrigirOut {
        corrigida: found.first().map(|first| first.plate.to_string()),
        ja_valida: found.first().is_some_and(|first| first.changes == 0),
        sugestoes: found.into_iter().map(suggested).collect(),
    })
}

fn suggested(candidate: Candidate) -> SuggestedPlate {
    SuggestedPlate {
        placa: candidate.plate.to_string(),
        formato: candidate.plate.format().into(),
        trocas: candidate.changes,
        uf_provavel: candidate.plate.first_uf(),
    }
}
