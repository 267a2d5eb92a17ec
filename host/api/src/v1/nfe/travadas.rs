//! GET /api/v1/nfe/travadas: notes whose result is still not known.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, bad, limit, limit_schema, page};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::when;
use issuing::answer;
use serde_json::{Value, json as value};
use store::tables::notas::{self, Filter, NotaRow, NotaStatus};

pub fn built() -> Built {
    Built {
        operation: "nfe.travadas",
        route: |method| on(method, travadas),
        docs: Docs::new("Lista as NF-e e NFC-e sem resultado depois de uma queda da SEFAZ, com o que o hub fará.")
            .query(
                "modelo",
                "55 (NF-e) ou 65 (NFC-e); ausente: as duas.",
                value!({ "type": "string", "enum": ["55", "65"] }),
            )
            .query(
                "desde",
                "Criadas a partir deste dia de Brasília, ou deste momento (RFC 3339).",
                limit_schema(),
            )
            .paged(),
    }
}

async fn travadas(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &["modelo", "desde"])?;
    let filter = Filter {
        modelo: match query.get("modelo").map(String::as_str) {
            None => "produto".to_owned(),
            Some(modelo @ ("55" | "65")) => modelo.to_owned(),
            Some(_) => return Err(bad("modelo", "Use 55 ou 65.").into()),
        },
        status: NotaStatus::EmTransmissao.as_str().to_owned(),
        from_ms: limit(&query, "desde")?.map_or(0, |desde| desde.from_ms),
        before: page.before.clone(),
        limit: page.rows(),
        unseen: call.caller.unseen(),
        ..Filter::default()
    };
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = notas::list(&mut conn, &call.caller.account_id, &filter).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(item).collect();
    Ok(json(200, &page.body(items, ids, &call.caller.request_id)))
}

fn item(nota: &NotaRow) -> Value {
    let mut record = answer::nota(nota);
    let next = (nota.next_check_ms > 0).then(|| when::rfc3339(nota.next_check_ms));
    record.insert(
        "ultima_tentativa_em".to_owned(),
        when::rfc3339(nota.updated_at_ms).into(),
    );
    record.insert("proxima_consulta_em".to_owned(), value!(next));
    let aguarde = "Aguarde: o hub consulta a chave na SEFAZ e só reenvia os mesmos bytes; não emita outra nota.";
    let acao = record
        .get("impedimento")
        .map_or_else(|| aguarde.into(), |impedimento| impedimento["dica"].clone());
    record.insert("acao_sugerida".to_owned(), acao);
    record.into()
}
