//! GET /api/v1/veiculo/fipe/…: prices of the FIPE table by code, and the lists that
//! lead to a model.

use crate::lookup::{self, Origin};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use lookups::answers::{FipeItem, FipeItems, FipePrice, FipePrices};
use lookups::{Found, Question};
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Kinds of vehicles of the table.
const VEHICLES: [&str; 3] = ["carros", "motos", "caminhoes"];
/// Most characters of a code of a list.
const CODE_CHARS: usize = 20;

pub fn built() -> [Built; 4] {
    let code = || json!({ "type": "string", "minLength": 1, "maxLength": CODE_CHARS });
    [
        Built {
            operation: "veiculo.fipe.get",
            route: |method| on(method, prices),
            docs: Docs::new("Mostra os preços de um modelo da tabela FIPE, por ano; grátis se ninguém tem o código.")
                .query("ano", "Só este ano do modelo, como 2020; 32000 é o zero-quilômetro.", json!({ "type": "integer", "minimum": 1900, "maximum": 32_000 }))
                .success::<Charged<PricesOut>>(),
        },
        Built {
            operation: "veiculo.fipe.marcas",
            route: |method| on(method, makes),
            docs: vehicles("Lista as marcas da tabela FIPE.").success::<Charged<ItemsOut>>(),
        },
        Built {
            operation: "veiculo.fipe.modelos",
            route: |method| on(method, models),
            docs: vehicles("Lista os modelos de uma marca da tabela FIPE.")
                .query("marca", "O código da marca.", code())
                .asks_for(&["tipo", "marca"])
                .success::<Charged<ItemsOut>>(),
        },
        Built {
            operation: "veiculo.fipe.anos",
            route: |method| on(method, years),
            docs: vehicles("Lista os anos de um modelo da tabela FIPE.")
                .query("marca", "O código da marca.", code())
                .query("modelo", "O código do modelo.", code())
                .asks_for(&["tipo", "marca", "modelo"])
                .success::<Charged<ItemsOut>>(),
        },
    ]
}

fn vehicles(summary: &'static str) -> Docs {
    let kind = json!({ "type": "string", "enum": VEHICLES });
    Docs::new(summary)
        .query("tipo", "O tipo de veículo.", kind)
        .asks_for(&["tipo"])
}

/// Os preços de um modelo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PrecosFipe")]
struct PricesOut {
    codigo: String,
    marca: String,
    modelo: String,
    precos: Vec<PriceOut>,
    #[serde(flatten)]
    origem: Origin,
}

/// O preço de um ano do modelo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PrecoFipe")]
struct PriceOut {
    /// 32000 é o zero-quilômetro.
    ano_modelo: Option<i32>,
    combustivel: Option<String>,
    sigla_combustivel: Option<String>,
    valor: Option<Exact>,
    /// `AAAA-MM`.
    mes_referencia: Option<String>,
}

/// Uma lista da tabela.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListaFipe")]
struct ItemsOut {
    itens: Vec<ItemOut>,
    /// `AAAA-MM`; `null` se a fonte não diz.
    mes_referencia: Option<String>,
    #[serde(flatten)]
    origem: Origin,
}

/// Um item da lista.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemFipe")]
struct ItemOut {
    codigo: String,
    nome: String,
}

async fn prices(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<PricesOut>> {
    only(&query, &["ano"])?;
    let code = fipe_code(&code)?;
    let year: Option<i32> = match query.get("ano") {
        None => None,
        Some(text) => {
            let year = text
                .parse()
                .ok()
                .filter(|year| (1_900..=32_000).contains(year));
            Some(year.ok_or_else(|| bad("ano", "Informe um ano, como 2020, ou 32000."))?)
        }
    };
    charge::affordable(&call).await?;
    let found = lookup::found::<FipePrices>(&call, &Question::fipe_prices(&code)).await?;
    let origin = Origin::of(&found);
    let model = found.answer;
    let prices = model.precos.into_iter();
    let prices = prices.filter(|price| year.is_none() || price.ano_modelo == year);
    let answer = PricesOut {
        codigo: model.codigo,
        marca: model.marca,
        modelo: model.modelo,
        precos: prices.map(price).collect(),
        origem: origin,
    };
    if answer.precos.is_empty() {
        let refusal = Refusal::new(Code::SemResultado)
            .message("A tabela FIPE não tem preço deste modelo neste ano.")
            .hint("Consulte sem ano, para ver os anos que há.");
        return Err(refusal.into());
    }
    charge::paid(&call, answer).await
}

fn price(one: FipePrice) -> PriceOut {
    PriceOut {
        ano_modelo: one.ano_modelo,
        combustivel: one.combustivel,
        sigla_combustivel: one.sigla_combustivel,
        valor: one.valor.map(Exact),
        mes_referencia: one.mes_referencia,
    }
}

async fn makes(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<ItemsOut>> {
    only(&query, &["tipo"])?;
    list(&call, &Question::fipe_makes(kind(&query)?)).await
}

async fn models(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<ItemsOut>> {
    only(&query, &["tipo", "marca"])?;
    let make = parameter(&query, "marca")?;
    list(&call, &Question::fipe_models(kind(&query)?, make)).await
}

async fn years(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<ItemsOut>> {
    only(&query, &["tipo", "marca", "modelo"])?;
    let (make, model) = (parameter(&query, "marca")?, parameter(&query, "modelo")?);
    list(&call, &Question::fipe_years(kind(&query)?, make, model)).await
}

async fn list(call: &Call, question: &Question) -> ApiAnswer<Charged<ItemsOut>> {
    charge::affordable(call).await?;
    let found: Found<FipeItems> = lookup::found(call, question).await?;
    let origin = Origin::of(&found);
    let item = |one: FipeItem| ItemOut {
        codigo: one.codigo,
        nome: one.nome,
    };
    let answer = ItemsOut {
        itens: found.answer.itens.into_iter().map(item).collect(),
        mes_referencia: found.answer.mes_referencia,
        origem: origin,
    };
    if answer.itens.is_empty() {
        return charge::free(call, answer).await;
    }
    charge::paid(call, answer).await
}

fn kind(query: &Query) -> Result<&'static str, Failure> {
    let text = query.get("tipo").map_or("", String::as_str);
    let known = VEHICLES.iter().find(|kind| **kind == text);
    Ok(known.ok_or_else(|| bad("tipo", "Use carros, motos ou caminhoes."))?)
}

fn parameter<'q>(query: &'q Query, name: &'static str) -> Result<&'q str, Failure> {
    let text = query.get(name).map_or("", |text| text.trim());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if (1..=CODE_CHARS).contains(&text.len()) && text.bytes().all(plain) {
        return Ok(text);
    }
    Err(bad(
        name,
        "Informe o código, como a lista anterior o mostra.",
    ))
}

/// `999999-9`, with or without the hyphen.
fn fipe_code(text: &str) -> Result<String, Failure> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let (first, last) = digits.split_at_checked(6).unwrap_or_default();
    if digits.len() == 7 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(format!("{first}-{last}"));
    }
    let refusal = Refusal::field(
        Code::ParametroInvalido,
        "codigo",
        "O código FIPE tem 7 dígitos.",
        "Informe o código, como 001004-9.",
    );
    Err(refusal.into())
}
