//! GET /api/v1/usage/chamadas: the calls made with the account's keys.

use crate::v1::chaves::record::ApiKeyKind;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::{EmitterId, KeyId, NotaId, RequestId};
use store::tables::requests::{self, RequestRow};

pub fn built() -> Built {
    Built {
        operation: "usage.chamadas.list",
        route: |method| on(method, list),
        docs: Docs::new(
            "Lista as chamadas feitas com as chaves da conta, da mais nova para a mais antiga.",
        )
        .paged()
        .success::<Listing<ListedCall>>(),
    }
}

/// Uma chamada da lista.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChamadaListada")]
struct ListedCall {
    /// O request_id da chamada.
    request_id: RequestId,
    #[serde(flatten)]
    chamada: LoggedCall,
}

/// Uma chamada feita com uma chave da conta.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Chamada")]
pub struct LoggedCall {
    /// O request_id da chamada.
    id: RequestId,
    em: String,
    operacao: String,
    metodo: String,
    caminho: String,
    chave_tipo: ApiKeyKind,
    chave_id: Option<KeyId>,
    /// Os últimos caracteres da chave.
    chave_final: String,
    /// Status HTTP.
    status: i64,
    /// O código do erro, se houve.
    x_error_code: Option<String>,
    duracao_ms: i64,
    /// A nota de que tratou.
    nota_id: Option<NotaId>,
    /// O emitente de que tratou.
    emitente_id: Option<EmitterId>,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<ListedCall>> {
    let page = page(&query, &[])?;
    call.app.request_log.caught_up().await;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = requests::list(
        &mut conn,
        &call.caller.account_id,
        &page.before,
        page.rows(),
    )
    .await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(|row| ListedCall {
        request_id: row.id.clone(),
        chamada: LoggedCall::of(row),
    });
    call.ok(page.listing(items.collect(), ids))
}

impl LoggedCall {
    /// A call as the API shows it.
    pub fn of(row: &RequestRow) -> LoggedCall {
        let about = |is: fn(&str) -> bool| Some(row.subject_id.as_str()).filter(|id| is(id));
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        LoggedCall {
            id: row.id.clone(),
            em: when::rfc3339(row.created_at_ms),
            operacao: row.operation.clone(),
            metodo: row.method.clone(),
            caminho: row.path.clone(),
            chave_tipo: ApiKeyKind::of(row.kind),
            chave_id: row.key_id.0.clone(),
            chave_final: format!("...{}", row.key_hint),
            status: row.status,
            x_error_code: text(&row.error_code),
            duracao_ms: row.duration_ms,
            nota_id: about(Model::is_nota).map(NotaId::from),
            emitente_id: about(EmitterId::is).map(EmitterId::from),
        }
    }
}
