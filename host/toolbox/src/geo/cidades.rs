//! GET /api/v1/geo/cidades and /api/v1/geo/cidades/{uf}: municipalities by name and
//! by state.

use super::city::{CityOut, named, state};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::municipalities;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Municipalities an autocompletion shows.
const SHOWN: usize = 20;
/// Most characters of a name: the longest has 32.
const NAME_CHARS: usize = 80;

pub fn built() -> [Built; 2] {
    [
        Built {
            operation: "geo.cidades",
            route: |method| on(method, search),
            docs: Docs::new("Completa o nome de um município: até 20, o melhor primeiro, sem acentos e em qualquer caixa.")
                .query("q", "O começo do nome, ou palavras dele.", json!({ "type": "string", "minLength": 1, "maxLength": NAME_CHARS }))
                .query("uf", "Só os desta UF.", json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }))
                .asks_for(&["q"])
                .success::<Charged<CidadesOut>>(),
        },
        Built {
            operation: "geo.cidades.get",
            route: |method| on(method, of_state),
            docs: Docs::new("Lista todos os municípios de uma UF, por nome.")
                .success::<Charged<CidadesOut>>(),
        },
    ]
}

/// Municípios.
#[derive(Serialize, JsonSchema)]
struct CidadesOut {
    itens: Vec<CityOut>,
}

async fn search(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<CidadesOut>> {
    only(&query, &["q", "uf"])?;
    let words = query
        .get("q")
        .map(|words| words.trim())
        .filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| {
        Failure::from(Refusal::field(
            Code::ParametroAusente,
            "q",
            "Falta o nome.",
            "Informe q, o começo do nome.",
        ))
    })?;
    if words.chars().count() > NAME_CHARS {
        return Err(bad("q", "Informe até 80 caracteres.").into());
    }
    let uf = query.get("uf").map(|uf| state(uf)).transpose()?;
    let cities = named(words).into_iter().filter_map(CityOut::of);
    let of_state = |city: &CityOut| uf.is_none_or(|uf| uf.abbreviation == city.uf);
    let cities: Vec<CityOut> = cities.filter(of_state).take(SHOWN).collect();
    let found = !cities.is_empty();
    let answer = CidadesOut { itens: cities };
    if found {
        charge::paid(&call, answer).await
    } else {
        charge::free(&call, answer).await
    }
}

async fn of_state(
    call: Call,
    Path(uf): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<CidadesOut>> {
    only(&query, &[])?;
    let uf = state(&uf)?;
    let rows = municipalities::all()
        .iter()
        .filter(|row| row.uf() == Some(uf));
    let mut cities: Vec<CityOut> = rows.filter_map(CityOut::of).collect();
    cities.sort_by_cached_key(|city| data::search::fold(city.nome));
    charge::paid(&call, CidadesOut { itens: cities }).await
}
