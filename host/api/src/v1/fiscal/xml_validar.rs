//! POST /api/v1/fiscal/xml/validar: a fiscal document against the official
//! layout and the rules the authority would apply. Nothing is transmitted.

use super::judgement::{Judgement, judge};
use crate::Built;
use crate::gate::Call;
use crate::gate::charge;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::upload::{XML, xml_text};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::reading::{Achado, Gravidade};
use markup::xml::Document;
use serde_json::{Value, json as value};
use time::Date;

pub fn built() -> Built {
    Built {
        operation: "fiscal.xml.validar",
        route: |method| on(method, validar),
        docs: Docs::new("Valida o XML de uma NF-e ou NFC-e, de um evento ou inutilização delas ou de uma NFS-e nacional (DPS, NFSe, evento) contra o leiaute oficial e as regras de negócio do dia do documento, sem transmitir.")
            .file(&XML, "XmlIn"),
    }
}

async fn validar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let today = when::utc(call.app.now_ms()).date();
    let checked = tokio::task::spawn_blocking(move || check(&xml, today));
    let body = checked.await.map_err(anyhow::Error::from)??;
    charge::answer(&call, body).await
}

/// Errors of the layout first: what the rules say of a document that is not
/// one may be their consequence.
fn check(xml: &str, today: Date) -> Result<Value, Failure> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.para_cliente()))?;
    let Judgement {
        kind,
        model,
        layout,
        rules,
        found,
    } = judge(&doc, today)?;
    let schema = layout.validar(xml).into_iter().map(|error| {
        value!({
            "tipo": "schema", "caminho": error.caminho, "codigo": error.regra, "mensagem": error.mensagem,
            "correcao": error.correcao, "valor": error.valor, "original": error.original,
        })
    });
    let (wrong, odd): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|achado| achado.gravidade == Gravidade::Erro);
    let rule = |achado: &Achado| {
        value!({
            "tipo": "regra", "caminho": achado.caminho, "codigo": achado.codigo, "mensagem": achado.mensagem,
            "correcao": achado.correcao, "valor": achado.valor, "original": achado.original,
        })
    };
    let mut errors: Vec<Value> = schema.chain(wrong.iter().map(rule)).collect();
    for (index, error) in errors.iter_mut().enumerate() {
        error["ordem"] = (index + 1).into();
    }
    let notices: Vec<Value> = odd.iter().map(rule).collect();
    Ok(value!({
        "valido": errors.is_empty(), "documento": kind, "modelo": model, "layout": layout.nome(), "regras": rules,
        "erros": errors, "avisos": notices,
    }))
}
