//! GET and DELETE /api/v1/storage/objetos: what is kept, links to it, its end.

use axum::extract::{Path, Query as UrlQuery};
use axum::http::{HeaderValue, StatusCode, header};
use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::{Answer, ApiAnswer};
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::list::{Listing, Query, flag, only, page};
use objects::storage::{self, Caminho, Link};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::tables::objetos::{self, ObjectRow};

pub fn built_list() -> Built {
    Built {
        operation: "storage.objetos.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista os objetos guardados, do mais novo para o mais antigo.")
            .query(
                "prefixo",
                "Só os caminhos que começam assim.",
                json!({ "type": "string", "minLength": 1 }),
            )
            .paged()
            .success::<Listing<ListedObject>>(),
    }
}

pub fn built_get() -> Built {
    Built {
        operation: "storage.objetos.get",
        route: |method| on(method, get),
        docs: Docs::new("Dá um link assinado para baixar um objeto sem chave, por 5 minutos.")
            .query(
                "redirecionar",
                "1 responde 302 para o link.",
                json!({ "type": "string", "enum": ["0", "1"] }),
            )
            .answers(&[(200, "O link."), (302, "O link, em Location.")])
            .sends("Location", &[302])
            .success::<LinkOut>(),
    }
}

pub fn built_delete() -> Built {
    Built {
        operation: "storage.objetos.delete",
        route: |method| on(method, delete),
        docs: Docs::new("Apaga um objeto.").answers(&[(204, "Apagado.")]),
    }
}

/// Um objeto guardado.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Objeto")]
pub struct Object {
    caminho: String,
    bytes: i64,
    /// SHA-256 do conteúdo, em hexadecimal.
    sha256: String,
    /// O Content-Type com que foi guardado.
    tipo: String,
}

impl From<ObjectRow> for Object {
    fn from(row: ObjectRow) -> Object {
        Object {
            caminho: row.caminho,
            bytes: row.bytes,
            sha256: row.sha256,
            tipo: row.tipo,
        }
    }
}

/// Um objeto guardado, e desde quando.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ObjetoListado")]
struct ListedObject {
    #[serde(flatten)]
    objeto: Object,
    criado_em: String,
    /// Quando o conteúdo foi trocado pela última vez.
    atualizado_em: String,
}

/// O link assinado de um objeto.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkOut {
    url: String,
    /// Até quando o link vale.
    expira_em: String,
    #[serde(flatten)]
    objeto: Object,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<ListedObject>> {
    let page = page(&query, &["prefixo"])?;
    let prefix = query.get("prefixo").map_or("", String::as_str);
    let account_id = &call.caller.account_id;
    let mut conn = call.app.db.walk(account_id).await?;
    let rows = objetos::list(&mut conn, account_id, prefix, &page.before, page.rows()).await?;
    drop(conn);
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.into_iter().map(|row| ListedObject {
        criado_em: when::rfc3339(row.created_at_ms),
        atualizado_em: when::rfc3339(row.updated_at_ms),
        objeto: row.into(),
    });
    call.ok(page.listing(items.collect(), ids))
}

async fn get(
    call: Call,
    Path(caminho): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<LinkOut> {
    only(&query, &["redirecionar"])?;
    let redirect = flag(&query, "redirecionar")?;
    let caminho = Caminho::parse(caminho)?;
    let mut conn = call.app.db.read().await?;
    let row = objetos::get(&mut conn, &call.caller.account_id, caminho.as_str()).await?;
    drop(conn);
    let row = row.ok_or_else(storage::nonexistent)?;
    call.about(&row.id);
    let link = Link::to(&call.app.objects, &row);
    if redirect {
        let location = HeaderValue::from_str(&link.url).map_err(anyhow::Error::from)?;
        let headers = [(header::LOCATION, location)];
        return Ok(Answer::other((StatusCode::FOUND, headers)));
    }
    call.ok(LinkOut {
        url: link.url,
        expira_em: when::rfc3339(link.expires_s * 1_000),
        objeto: row.into(),
    })
}

async fn delete(call: Call, Path(caminho): Path<String>) -> ApiResult<Answer<()>> {
    only(&call.query, &[])?;
    let caminho = Caminho::parse(caminho)?;
    storage::delete(&call.app.objects, &call.caller, &caminho).await?;
    Ok(Answer::other(StatusCode::NO_CONTENT))
}
