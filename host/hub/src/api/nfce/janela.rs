//! GET /api/v1/nfce/{ref}/janela-cancelamento: can it still be cancelled?

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, json, produto};
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::modelo::Modelo;
use crate::issuing::produto::Detalhes;
use crate::when;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use fiscal::nfe::evento::janela_de_cancelamento;
use serde_json::json as value;
use time::Duration;

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
    let janela = janela_de_cancelamento(65, &uf);
    let ends = autorizada_em + Duration::minutes(i64::from(janela.minutos));
    let late = autorizada_em + Duration::minutes(i64::from(janela.minutos_com_atraso));
    let now_ms = call.app.now_ms();
    let open = nota.status == "autorizada";
    let body = value!({
        "sucesso": true, "nota_id": nota.id, "status": nota.status, "uf": uf, "prazo_minutos": janela.minutos,
        "dentro_da_janela": open && now_ms <= when::ms(ends), "expira_em": when::format(ends),
        "aceita_com_atraso_ate": (late > ends).then(|| when::format(late)), "fonte": janela.fonte,
        "request_id": call.caller.request_id,
    });
    Ok(json(200, &body))
}
