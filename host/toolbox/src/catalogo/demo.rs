//! GET /api/catalogo/public/buscar: one product of the imported catalogues, for
//! whoever asks, a few times a day.

use super::buscar::{QUERY_CHARS, find, words};
use super::product::{DemoProductOut, ProductOut};
use axum::Extension;
use axum::extract::Query as UrlQuery;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::{net, when};
use datasets::catalog::search::Hit;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use gate::server::Peer;
use gate::{Call, caller};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::TxError;
use store::ids::AccountId;
use store::tables::catalog_own;
use tools::barcode::Barcode;

/// Calls of a day from one address.
const A_DAY: i64 = 25;

pub fn built() -> Built {
    Built {
        operation: "demo.buscar",
        route: |method| on(method, buscar),
        docs: Docs::new("Mostra o produto de um código de barras, ou o de nome mais parecido, sem chave de API: 25 consultas por dia de cada endereço.")
            .query("q", "Um código de barras, ou palavras do nome. Obrigatório.", json!({ "type": "string", "maxLength": QUERY_CHARS }))
            .asks_for(&["q"])
            .refuses(&[429])
            .success::<DemoOut>(),
    }
}

/// O produto encontrado.
#[derive(Serialize, JsonSchema)]
struct DemoOut {
    produto: DemoProductOut,
    /// O que o código é, como EAN-13.
    tipo_codigo: &'static str,
    /// Quantas consultas ainda podem ser feitas hoje deste endereço.
    consultas_restantes: i64,
}

async fn buscar(
    call: Call,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<DemoOut> {
    only(&query, &["q"])?;
    let text = words(&query)?;
    let left = counted(&call, peer.map(|Extension(peer)| peer), &headers).await?;
    // All strangers together have one turn.
    let mut conn = call.app.db.walk(&AccountId::default()).await?;
    let hits = find(&mut conn, None, text).await?;
    drop(conn);
    let Some(Hit { known, .. }) = hits.into_iter().next() else {
        return Err(Refusal::new(Code::SemResultado)
            .message("O catálogo não tem este produto.")
            .with("consultas_restantes", left)
            .into());
    };
    // Of a name, what the product's own code is.
    let code = Barcode::parse(text).or_else(|_| Barcode::parse(&known.product.gtin));
    let kind = code.map(|code| code.kind().name());
    call.ok(DemoOut {
        produto: ProductOut::of(&known).demo(),
        tipo_codigo: kind.unwrap_or_default(),
        consultas_restantes: left,
    })
}

/// Counts a call of an address; how many more there may be today. The address is
/// kept as a keyed digest, until the day is over.
async fn counted(call: &Call, peer: Option<Peer>, headers: &HeaderMap) -> Result<i64, Failure> {
    let trusted = &call.app.config.server.trusted_proxies;
    let address = peer.and_then(|peer| caller::address(peer.0, headers, trusted));
    // Those whose address cannot be told share one count.
    let network = address.map(net::neighbourhood).unwrap_or_default();
    let keyed = [&call.app.pepper[..], b"demo.buscar", network.as_bytes()].concat();
    let subject = flow::hex(&Sha256::digest(keyed)[..16]);
    let now_ms = call.app.now_ms();
    let today = when::today(now_ms, "DF");
    let input = (today.to_string(), subject);
    let counted = call.app.db.write(input, |(day, subject), conn| {
        Box::pin(async move { Ok(catalog_own::count_demo(conn, day, subject, A_DAY).await?) })
    });
    let counted = counted
        .await
        .map_err(|error: TxError<Refusal>| Failure::from(error))?;
    if let Some(calls) = counted {
        return Ok(A_DAY - calls);
    }
    let next = today.next_day().map_or(now_ms, when::brasilia);
    let wait = u64::try_from((next - now_ms) / 1_000 + 1).unwrap_or(1);
    Err(Refusal::new(Code::LimiteDiarioDemo)
        .with("reinicia_em", when::format(when::local(next, "DF")))
        .retry_after(wait)
        .into())
}
