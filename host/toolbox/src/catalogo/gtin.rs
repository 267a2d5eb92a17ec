//! GET /api/v1/catalogo/gtin/{ean} and POST /api/v1/catalogo/gtin/batch: products
//! by their bar codes.

use super::product::ProductOut;
use super::source::{self, Sought};
use super::{barcode, said};
use crate::lookup::LookedOut;
use axum::body::Bytes;
use axum::extract::{Path, Query as UrlQuery};
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use data::ufs;
use datasets::catalog;
use futures::{StreamExt as _, TryStreamExt as _};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use gate::request::{batch, body};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use store::Conn;
use tools::barcode::Barcode;

/// Codes of a batch.
const CODES: usize = 100;
/// How many are asked of outside sources at the same time.
const AT_ONCE: usize = 8;

pub fn built() -> [Built; 2] {
    [
        Built {
            operation: "catalogo.gtin.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra o produto de um código de barras (GTIN-8, 12, 13 ou 14, DUN-14, ISBN-10 ou ISBN-13); grátis se ninguém o conhece. O que o catálogo não tem é perguntado às fontes de fora que o operador configurou.")
                .query("uf", "Acrescenta a carga tributária aproximada nesta UF, se a tabela do IBPT dela está carregada.", json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }))
                .success::<Charged<GtinOut>>(),
        },
        Built {
            operation: "catalogo.gtin.batch",
            route: |method| on(method, batch),
            docs: Docs::new("Mostra os produtos de até 100 códigos de barras; cobra cada código encontrado, e o mesmo código repetido igual uma vez só.")
                .body::<BatchIn>()
                .answers(&[(207, "O resultado de cada código, na ordem enviada.")])
                .success_at::<Charged<BatchOut>>(207),
        },
    ]
}

/// O produto de um código.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProdutoDoCodigo")]
struct GtinOut {
    produto: ProductOut,
    /// O que o código é: EAN-13, EAN-8, UPC-A, GTIN-14, ISBN-13, ISBN-10 ou
    /// ISSN.
    tipo_codigo: &'static str,
}

/// Os códigos a procurar.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "LoteDeCodigosPedido")]
struct BatchIn {
    #[schemars(length(min = 1, max = 100))]
    gtins: Vec<String>,
}

/// O resultado de cada código.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LoteDeCodigos")]
struct BatchOut {
    itens: Vec<ItemOut>,
    /// Códigos diferentes que têm produto. O mesmo código escrito de outra
    /// forma (com ou sem zeros à esquerda) conta outra vez.
    encontrados: usize,
    /// Os que foram cobrados; nenhum com uma chave de teste.
    cobrados: usize,
}

/// O resultado de um código.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "ItemDoLoteDeCodigos")]
struct ItemOut {
    /// Como foi enviado.
    gtin: String,
    encontrado: bool,
    produto: Option<ProductOut>,
    tipo_codigo: Option<&'static str>,
    /// O que há de errado com o código; `null`: nada.
    erro: Option<String>,
    /// As fontes de fora que foram consultadas, e o que cada uma disse; vazio se o
    /// catálogo tem o código ou nenhuma é consultada.
    procurado_em: Vec<LookedOut>,
}

async fn get(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<GtinOut>> {
    only(&query, &["uf"])?;
    let code = barcode("ean", &code)?;
    let uf = query.get("uf").map(|uf| state(uf)).transpose()?;
    charge::affordable(&call).await?;
    let product = find(&call, &code).await?.found()?;
    let mut conn = call.app.db.read().await?;
    let product = product.with_burden(&mut conn, uf, call.app.now_ms());
    let answer = GtinOut {
        produto: product.await?,
        tipo_codigo: code.kind().name(),
    };
    drop(conn);
    charge::paid(&call, answer).await
}

async fn batch(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<BatchOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: BatchIn = body::read(value, call.tolerant)?;
    batch::of(body.gtins.len(), CODES, "gtins")?;
    let mut known = BTreeMap::new();
    let mut conn = call.app.db.read().await?;
    for text in &body.gtins {
        if !known.contains_key(text) {
            known.insert(text.clone(), item(&mut conn, &call, text).await?);
        }
    }
    drop(conn);
    ask_sources(&call, &mut known).await?;
    let found = known.values().filter(|item| item.encontrado).count();
    let items = body.gtins.iter();
    let answer = BatchOut {
        itens: items.filter_map(|text| known.get(text).cloned()).collect(),
        encontrados: found,
        cobrados: if call.caller.is_test() { 0 } else { found },
    };
    charge::paid_each(&call, answer, found).await
}

/// What the catalogue has of a code.
async fn item(conn: &mut Conn, call: &Call, text: &str) -> Result<ItemOut, Failure> {
    let mut item = ItemOut {
        gtin: text.to_owned(),
        encontrado: false,
        produto: None,
        tipo_codigo: None,
        erro: None,
        procurado_em: Vec::new(),
    };
    match Barcode::parse(text) {
        Ok(code) => {
            let known = catalog::get(conn, Some(&call.caller.account_id), &code).await?;
            item.produto = known.as_ref().map(ProductOut::of);
            item.encontrado = item.produto.is_some();
            item.tipo_codigo = Some(code.kind().name());
        }
        Err(error) => item.erro = Some(said(error).0),
    }
    Ok(item)
}

/// Asks the sources for what the catalogue does not have, some at a time. All that
/// might be found must be affordable, so that nobody is asked for an answer that
/// is not shown.
async fn ask_sources(call: &Call, items: &mut BTreeMap<String, ItemOut>) -> Result<(), Failure> {
    let unknown = items.values().filter(|item| !item.encontrado);
    let codes = unknown.filter_map(|item| {
        let code = Barcode::parse(&item.gtin).ok();
        let code = code.filter(|code| source::asks(call, code))?;
        Some((item.gtin.clone(), code))
    });
    let codes: Vec<(String, Barcode)> = codes.collect();
    if codes.is_empty() {
        return Ok(());
    }
    let found = items.values().filter(|item| item.encontrado).count();
    charge::affordable_each(call, found + codes.len()).await?;
    let asked = futures::stream::iter(codes).map(|(text, code)| async move {
        let sought = source::ask(call, &code).await?;
        Ok::<_, Failure>((text, sought))
    });
    let asked: Vec<(String, Sought)> = asked.buffer_unordered(AT_ONCE).try_collect().await?;
    for (text, sought) in asked {
        if let Some(item) = items.get_mut(&text) {
            item.encontrado = sought.product.is_some();
            item.produto = sought.product;
            item.procurado_em = sought.looked;
        }
    }
    Ok(())
}

/// The product of a code: of the catalogue, or of a source.
async fn find(call: &Call, code: &Barcode) -> Result<Sought, Failure> {
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    let known = catalog::get(&mut conn, Some(account), code).await?;
    drop(conn);
    match known {
        Some(known) => Ok(Sought::known(&known)),
        None => source::ask(call, code).await,
    }
}

fn state(text: &str) -> Result<&'static str, Failure> {
    let known = ufs::by_uf(&text.trim().to_ascii_uppercase());
    Ok(known
        .ok_or_else(|| bad("uf", "Informe a sigla do estado, como SP."))?
        .abbreviation)
}
