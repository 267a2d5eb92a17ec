//! GET /api/v1/nfce/{ref}/janela-cancelamento: can it still be cancelled?

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, json, produto};
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::evento::Prazo;
use crate::issuing::modelo::Modelo;
use crate::issuing::produto::Detalhes;
use crate::when;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfce.janela-cancelamento",
        route: |method| on(method, janela),
        docs: Docs::new("Diz se a NFC-e ainda está no prazo de cancelamento da UF, e até quando."),
    }
}

async fn janela(call: Call, Path(reference): Path<String>) -> Result<Response, Failure> {
    let nota = produto::nota(&call, &reference, Modelo::Nfce).await?;
    let Some(autorizada_em) = when::parse(&nota.autorizada_em) else {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("A nota não foi autorizada.")
            .nota(&nota.id)
            .into());
    };
    let uf = Detalhes::of(&nota).uf;
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
