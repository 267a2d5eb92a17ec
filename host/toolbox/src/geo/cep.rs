//! GET /api/v1/geo/cep/{cep}, GET /api/v1/geo/cep and POST /api/v1/geo/cep/batch: streets by
//! their CEP, and CEPs by street.

use super::cascade::street_of;
use super::city::state;
use super::local;
use super::street::{self, Reach, StreetOut};
use crate::lookup::{self, FOUND, LookedOut, Origin};
use axum::body::Bytes;
use axum::extract::{Path, Query as UrlQuery};
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure};
use futures::{StreamExt as _, TryStreamExt as _};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use gate::request::{batch, body};
use lookups::Question;
use lookups::answers::Streets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Streets a search shows, as ViaCEP does.
const SHOWN: usize = 50;
/// Fewest and most characters of a name that is searched.
const NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=100;
/// CEPs of a batch, and how many are asked at the same time.
const BATCH: usize = 100;
const AT_ONCE: usize = 8;

pub fn built() -> [Built; 3] {
    let name = json!({ "type": "string", "minLength": 3, "maxLength": 100 });
    let uf = json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" });
    [
        Built {
            operation: "geo.cep.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra o endereço de um CEP, com os nomes do ViaCEP: primeiro as bases que o operador importou e as tabelas do hub, depois as fontes configuradas. Se nenhuma fonte responde, mostra só o município da faixa, ou a UF, e é grátis; também é grátis se o CEP não existe.")
                .success::<Charged<StreetOut>>(),
        },
        Built {
            operation: "geo.cep.list",
            route: |method| on(method, list),
            docs: Docs::new("Procura CEPs por UF, cidade e parte do nome do logradouro: até 50; grátis se não há nenhum.")
                .query("uf", "A sigla.", uf)
                .query("cidade", "O nome inteiro.", name.clone())
                .query("logradouro", "Parte do nome, de 3 letras ou mais.", name)
                .asks_for(&["uf", "cidade", "logradouro"])
                .success::<Charged<StreetsOut>>(),
        },
        Built {
            operation: "geo.cep.batch",
            route: |method| on(method, many),
            docs: Docs::new("Mostra os endereços de até 100 CEPs; cobra cada um que existe, uma vez.")
                .body::<BatchIn>()
                .answers(&[(207, "O resultado de cada um.")])
                .success_at::<Charged<BatchOut>>(207),
        },
    ]
}

/// Ruas.
#[derive(Serialize, JsonSchema)]
struct StreetsOut {
    itens: Vec<StreetOut>,
    /// Onde se procurou.
    procurado_em: Vec<LookedOut>,
}

/// CEPs.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CepsIn")]
struct BatchIn {
    /// De 1 a 100, com ou sem traço.
    #[schemars(length(min = 1, max = 100))]
    ceps: Vec<String>,
}

/// O resultado de cada CEP, na ordem em que vieram.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CepsOut")]
struct BatchOut {
    itens: Vec<CepOut>,
    encontrados: usize,
    /// Quantos foram cobrados: cada CEP encontrado, uma vez.
    cobrados: usize,
}

/// O resultado de um CEP.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "CepDoLote")]
struct CepOut {
    /// Como veio.
    cep: String,
    encontrado: bool,
    /// `null` se não foi encontrado; com precisão `municipio` ou `uf` não é cobrado.
    endereco: Option<StreetOut>,
    /// O código do erro; `null` se foi encontrado.
    codigo: Option<String>,
}

async fn get(
    call: Call,
    Path(cep): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<StreetOut>> {
    only(&query, &[])?;
    let cep = street::digits(&cep, "cep")?;
    charge::affordable(&call).await?;
    let found = street_of(&call, &cep).await?;
    match found.precisao {
        Reach::Cep => charge::paid(&call, found).await,
        Reach::Municipio | Reach::Uf => charge::free(&call, found).await,
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<StreetsOut>> {
    only(&query, &["uf", "cidade", "logradouro"])?;
    let uf = state(query.get("uf").map_or("", String::as_str))?;
    let name = |parameter: &'static str| {
        let text = query.get(parameter).map_or("", |text| text.trim());
        if NAME_CHARS.contains(&text.chars().count()) {
            return Ok(text);
        }
        Err(bad(parameter, "Informe de 3 a 100 caracteres."))
    };
    let (city, part) = (name("cidade")?, name("logradouro")?);
    charge::affordable(&call).await?;
    let bases = match local::with_part(&call, uf.abbreviation, city, part, SHOWN).await? {
        Ok(streets) => {
            let source = streets.first().map(|street| LookedOut {
                fonte: street.fonte.clone(),
                resultado: FOUND,
            });
            let answer = StreetsOut {
                itens: streets,
                procurado_em: source.into_iter().collect(),
            };
            return charge::paid(&call, answer).await;
        }
        Err(bases) => bases,
    };
    let question = Question::streets(uf.abbreviation, city, part);
    let mut asked = lookup::ask::<Streets>(&call, &question).await?;
    lookup::after_bases(&mut asked, &bases);
    let looked = lookup::looked(&asked);
    let Some(found) = asked.found.take() else {
        if !asked.missing {
            return Err(lookup::nothing(&asked).into());
        }
        let answer = StreetsOut {
            itens: Vec::new(),
            procurado_em: looked,
        };
        return charge::free(&call, answer).await;
    };
    let origin = Origin::of(&found);
    let streets = found.answer.itens.into_iter().take(SHOWN);
    let answer = StreetsOut {
        itens: streets
            .map(|street| street::shown(street, origin.clone()))
            .collect(),
        procurado_em: looked,
    };
    if answer.itens.is_empty() {
        return charge::free(&call, answer).await;
    }
    charge::paid(&call, answer).await
}

async fn many(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<BatchOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: BatchIn = body::read(value, call.tolerant)?;
    batch::of(body.ceps.len(), BATCH, "ceps")?;
    let digits = body.ceps.iter();
    let digits = digits.filter_map(|cep| street::digits(cep, "ceps").ok());
    let wanted: BTreeSet<String> = digits.collect();
    charge::affordable_each(&call, wanted.len()).await?;
    let asked = futures::stream::iter(wanted).map(|cep| {
        let call = &call;
        async move {
            let one = one(street_of(call, &cep).await)?;
            Ok::<_, Failure>((cep, one))
        }
    });
    let found: Vec<(String, CepOut)> = asked.buffer_unordered(AT_ONCE).try_collect().await?;
    let found: BTreeMap<String, CepOut> = found.into_iter().collect();
    let charged = found.values().filter(|one| one.is_whole()).count();
    let items = body.ceps.iter().map(|cep| {
        let known = street::digits(cep, "ceps").ok();
        let known = known.and_then(|digits| found.get(&digits).cloned());
        let one = known.unwrap_or_else(|| CepOut::refused(Code::ParametroInvalido));
        CepOut {
            cep: cep.clone(),
            ..one
        }
    });
    let items: Vec<CepOut> = items.collect();
    let answer = BatchOut {
        encontrados: items.iter().filter(|one| one.encontrado).count(),
        cobrados: if call.caller.is_test() { 0 } else { charged },
        itens: items,
    };
    charge::paid_each(&call, answer, charged).await
}

/// What became of a CEP of a batch: a refusal is its answer, a failure of ours
/// is that of the call.
fn one(answer: Result<StreetOut, Failure>) -> Result<CepOut, Failure> {
    match answer {
        Ok(street) => Ok(CepOut {
            cep: String::new(),
            encontrado: true,
            endereco: Some(street),
            codigo: None,
        }),
        Err(Failure::Refused(refusal)) => Ok(CepOut::refused(refusal.code)),
        Err(failure) => Err(failure),
    }
}

impl CepOut {
    fn refused(code: Code) -> CepOut {
        CepOut {
            cep: String::new(),
            encontrado: false,
            endereco: None,
            codigo: Some(code.as_str().to_owned()),
        }
    }

    fn is_whole(&self) -> bool {
        let reach = self.endereco.as_ref().map(|street| street.precisao);
        reach == Some(Reach::Cep)
    }
}
