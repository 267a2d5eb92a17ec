//! GET /api/v1/catalogo/gtin/{ean} and POST /api/v1/catalogo/gtin/batch: products
//! by their bar codes.

use super::product::ProductOut;
use super::{barcode, said};
use axum::body::Bytes;
use axum::extract::{Path, Query as UrlQuery};
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::ufs;
use datasets::catalog;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use gate::request::{batch, body};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use store::Conn;
use tools::barcode::Barcode;

/// Codes of a batch.
const CODES: usize = 100;

pub fn built() -> [Built; 2] {
    [
        Built {
            operation: "catalogo.gtin.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra o produto de um código de barras (GTIN-8, 12, 13 ou 14, DUN-14, ISBN-10 ou ISBN-13); grátis se não está no catálogo.")
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
}

async fn get(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<GtinOut>> {
    only(&query, &["uf"])?;
    let code = barcode("ean", &code)?;
    let uf = query.get("uf").map(|uf| state(uf)).transpose()?;
    let mut conn = call.app.db.read().await?;
    let product = find(&mut conn, &call, &code).await?;
    let product = product.ok_or_else(none)?;
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
    let mut conn = call.app.db.read().await?;
    let (mut items, mut found): (Vec<ItemOut>, _) = (Vec::new(), BTreeSet::new());
    for text in &body.gtins {
        let known = items.iter().find(|item| item.gtin == *text).cloned();
        let item = match known {
            Some(item) => item,
            None => item(&mut conn, &call, text).await?,
        };
        if item.encontrado {
            found.insert(text.clone());
        }
        items.push(item);
    }
    drop(conn);
    let price = call.price()? * i64::try_from(found.len()).unwrap_or(i64::MAX);
    let answer = BatchOut {
        itens: items,
        encontrados: found.len(),
        cobrados: if call.caller.is_test() {
            0
        } else {
            found.len()
        },
    };
    charge::paid_with(&call, 207, answer, price).await
}

async fn item(conn: &mut Conn, call: &Call, text: &str) -> Result<ItemOut, Failure> {
    let mut item = ItemOut {
        gtin: text.to_owned(),
        encontrado: false,
        produto: None,
        tipo_codigo: None,
        erro: None,
    };
    match Barcode::parse(text) {
        Ok(code) => {
            item.produto = find(conn, call, &code).await?;
            item.encontrado = item.produto.is_some();
            item.tipo_codigo = Some(code.kind().name());
        }
        Err(error) => item.erro = Some(said(error).0),
    }
    Ok(item)
}

async fn find(conn: &mut Conn, call: &Call, code: &Barcode) -> Result<Option<ProductOut>, Failure> {
    let account = &call.caller.account_id;
    let known = catalog::get(conn, Some(account), code).await?;
    Ok(known.as_ref().map(ProductOut::of))
}

fn state(text: &str) -> Result<&'static str, Failure> {
    let known = ufs::by_uf(&text.trim().to_ascii_uppercase());
    Ok(known
        .ok_or_else(|| bad("uf", "Informe a sigla do estado, como SP."))?
        .abbreviation)
}

fn none() -> Refusal {
    Refusal::new(Code::SemResultado)
        .message("O catálogo não tem este código; nada foi cobrado.")
        .hint("Confira o código, ou busque pelo nome em GET /api/v1/catalogo/buscar.")
}
