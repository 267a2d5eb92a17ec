//! POST /api/v1/gnre/calcular: what a sale owes to the state of destination. Free.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use compose::gnre::{GnreIn, GnreOut, gnre};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::wrong_members;
use gate::docs::{Built, Docs};
use gate::request::body;

pub fn built() -> Built {
    Built {
        operation: "gnre.calcular",
        route: |method| on(method, calcular),
        docs: Docs::new("Calcula o ICMS-ST, o DIFAL e o FCP que a venda a outro estado deve ao destino, com código de receita e vencimento; o que falta para o cálculo a resposta diz, e não adivinha. A guia não é emitida.")
            .body::<GnreIn>()
            .success::<GnreOut>(),
    }
}

async fn calcular(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<GnreOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: GnreIn = body::read(value, call.tolerant)?;
    let today = when::today(call.app.now_ms(), "DF");
    let answer = gnre(&body, today).map_err(wrong_members)?;
    call.ok(answer)
}
