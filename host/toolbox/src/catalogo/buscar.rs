//! GET /api/v1/catalogo/buscar: products by name, or by a bar code.

use super::product::ProductOut;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use datasets::catalog::search::{Hit, search};
use datasets::catalog::{self, Known};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, page};
use markup::decimal::Exact;
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive as _;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::Conn;
use store::ids::AccountId;
use tools::barcode::Barcode;

/// Most characters of a search.
pub(super) const QUERY_CHARS: usize = 200;

pub fn built() -> Built {
    Built {
        operation: "catalogo.buscar",
        route: |method| on(method, buscar),
        docs: Docs::new("Busca produtos pelo nome, os mais parecidos primeiro, sem acentos e com erros de digitação, ou por um código de barras; grátis sem resultado.")
            .query("q", "Palavras do nome ou da marca, em qualquer ordem, ou um código de barras. Obrigatório.", json!({ "type": "string", "maxLength": QUERY_CHARS }))
            .asks_for(&["q"])
            .paged()
            .success::<Charged<Listing<ItemOut>>>(),
    }
}

/// Um produto encontrado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProdutoEncontrado")]
struct ItemOut {
    #[serde(flatten)]
    produto: ProductOut,
    /// O quanto o nome se parece com a busca: de 0 a 1.
    similaridade: Exact,
}

async fn buscar(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<Listing<ItemOut>>> {
    let page = page(&query, &["q"])?;
    let before = page.offset()?;
    let text = words(&query)?;
    let account = &call.caller.account_id;
    // Reading the index walks more rows than a look-up by key.
    let mut conn = call.app.db.walk(account).await?;
    let hits = find(&mut conn, Some(account), text).await?;
    drop(conn);
    let wanted = usize::try_from(page.rows()).unwrap_or_default();
    let shown = hits.iter().skip(before).take(wanted);
    let shown: Vec<ItemOut> = shown.map(item).collect();
    let nothing = shown.is_empty();
    let places = (before + 1..=before + shown.len()).collect();
    let answer = page.listing(shown, places);
    if nothing {
        charge::free(&call, answer).await
    } else {
        charge::paid(&call, answer).await
    }
}

/// The products that a text finds: of a bar code the one that has it.
///
/// # Errors
/// The database failed.
pub(super) async fn find(
    conn: &mut Conn,
    account: Option<&AccountId>,
    text: &str,
) -> Result<Vec<Hit>, Failure> {
    let Ok(code) = Barcode::parse(text) else {
        return Ok(search(conn, account, text).await?);
    };
    let known: Option<Known> = catalog::get(conn, account, &code).await?;
    let hit = known.map(|known| Hit {
        known,
        similarity: 1.0,
    });
    Ok(hit.into_iter().collect())
}

fn item(hit: &Hit) -> ItemOut {
    let similarity = Decimal::from_f64(hit.similarity).unwrap_or_default();
    ItemOut {
        produto: ProductOut::of(&hit.known),
        similaridade: Exact(similarity.round_dp(3)),
    }
}

/// What is searched.
///
/// # Errors
/// 400 where it is missing or too long.
pub(super) fn words(query: &Query) -> Result<&str, Failure> {
    let words = query.get("q").map(|words| words.trim());
    let words = words.filter(|words| !words.is_empty()).ok_or_else(|| {
        Failure::from(Refusal::field(
            Code::ParametroAusente,
            "q",
            "Falta o que buscar.",
            "Informe q: palavras do nome, ou um código de barras.",
        ))
    })?;
    if words.chars().count() > QUERY_CHARS {
        return Err(bad("q", "Busque por até 200 caracteres."));
    }
    Ok(words)
}
