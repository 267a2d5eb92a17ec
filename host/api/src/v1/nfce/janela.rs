//! GET /api/v1/nfce/{ref}/janela-cancelamento: can it still be cancelled?

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::product;
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use issuing::actions::event::Prazo;
use issuing::document::product::Detalhes;
use issuing::model::Modelo;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfce.janela-cancelamento",
        route: |method| on(method, janela),
        docs: Docs::new("Diz se a NFC-e ainda está no prazo de cancelamento da UF, e até quando."),
    }
}

async fn janela(call: Call, Path(reference): Path<String>) -> ApiResult<Response> {
    let nota = product::nota(&call, &reference, Modelo::Nfce).await?;
    let Some(autorizada_em) = when::parse(&nota.autorizada_em) else {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("A nota não foi autorizada.")
            .nota(&nota.id)
            .into());
    };
    let uf = Detalhes::of(&nota)?.uf;
    let prazo = Prazo::de(Modelo::Nfce, &uf, autorizada_em)
        .ok_or_else(|| anyhow::anyhow!("no window of {uf}"))?;
    let now_ms = call.app.now_ms();
    let open = nota.status == "autorizada";
    let late = prazo.atrasado.filter(|late| *late > prazo.expira_em);
    let body = value!({
        "sucesso": true, "nota_id": nota.id, "status": nota.status, "uf": uf, "prazo_minutos": prazo.minutos,
        "dentro_da_janela": open && now_ms <= when::ms(prazo.expira_em), "expira_em": when::format(prazo.expira_em),
        "aceita_atraso": prazo.atrasado.is_none() || late.is_some(), "aceita_com_atraso_ate": late.map(when::format),
        "fonte": prazo.fonte, "request_id": call.caller.request_id,
    });
    Ok(json(200, &body))
}
