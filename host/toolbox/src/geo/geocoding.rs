//! GET /api/v1/geo/geocoding and /api/v1/geo/geocoding/reverso: coordinates of an
//! address, and the address of coordinates.

use super::cascade::street_of;
use super::city::state;
use super::local::{self, OfBase, in_state as municipality};
use super::street::{self, StreetOut};
use crate::lookup::{self, Origin};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::cities;
use data::municipalities::{self, Municipality};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use lookups::Question;
use lookups::answers::{Address, Coordinates, Place};
use markup::decimal::{self, Exact};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tools::geo::Point;

/// Most characters of an address.
const ADDRESS_CHARS: usize = 200;
/// What the answer of our own tables is called.
const TABLES: &str = "municípios";
/// Decimals of a degree that are asked for: about one metre.
const PLACES: u32 = 5;
/// The farthest seat of a municipality that still says where a place is.
const NEAR_M: f64 = 100_000.0;

pub fn built() -> [Built; 2] {
    let text = json!({ "type": "string", "minLength": 3, "maxLength": ADDRESS_CHARS });
    let degrees =
        |most: u32| json!({ "type": "number", "minimum": -i64::from(most), "maximum": most });
    [
        Built {
            operation: "geo.geocoding",
            route: |method| on(method, geocoding),
            docs: Docs::new("Dá as coordenadas de um endereço ou de um CEP: das bases que o operador importou, senão das fontes configuradas; se só o município se sabe, dá o centro dele e diz que é; grátis sem resultado.")
                .query("endereco", "Rua e número, com a cidade se cidade e uf não vierem.", text.clone())
                .query("cep", "No lugar de endereco.", json!({ "type": "string", "pattern": "^[0-9]{5}-?[0-9]{3}$" }))
                .query("cidade", "Completa endereco.", text)
                .query("uf", "Completa endereco.", json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }))
                .success::<Charged<PointOut>>(),
        },
        Built {
            operation: "geo.geocoding.reverso",
            route: |method| on(method, reverse),
            docs: Docs::new("Dá o endereço de um lugar: a rua mais próxima das bases que o operador importou, senão o que dizem as fontes configuradas e, se nenhuma responde, dá o município de sede mais próxima e diz que é; grátis sem resultado.")
                .query("lat", "Graus.", degrees(90))
                .query("lon", "Graus.", degrees(180))
                .asks_for(&["lat", "lon"])
                .success::<Charged<AddressOut>>(),
        },
    ]
}

/// Quão perto do lugar estão as coordenadas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PrecisaoDoEndereco")]
#[serde(rename_all = "snake_case")]
pub(super) enum Near {
    /// O número da rua.
    Rooftop,
    /// O meio da rua, na cidade ou na parte dela com o CEP.
    Rua,
    Cep,
    Bairro,
    /// O centro do município.
    Cidade,
    Uf,
    /// A fonte não diz.
    Desconhecida,
}

impl Near {
    fn of(word: Option<&str>) -> Near {
        match word {
            Some("numero") => Near::Rooftop,
            Some("rua") => Near::Rua,
            Some("cep") => Near::Cep,
            Some("bairro") => Near::Bairro,
            Some("cidade") => Near::Cidade,
            Some("uf") => Near::Uf,
            _ => Near::Desconhecida,
        }
    }
}

/// Onde fica.
#[derive(Serialize, JsonSchema)]
struct PointOut {
    latitude: Exact,
    longitude: Exact,
    precisao: Near,
    /// Quem respondeu: `base local` e a edição dela, uma fonte, ou a tabela de
    /// municípios.
    fonte: String,
    /// Quando a fonte respondeu ou a base foi importada; `null`: vem das tabelas do hub.
    consultado_em: Option<String>,
    endereco: PlaceOut,
}

/// O que fica lá.
#[derive(Serialize, JsonSchema)]
struct AddressOut {
    /// `rua`, ou `cidade` se só o município se sabe.
    precisao: Near,
    /// Da sede do município até o lugar; `null` com uma fonte.
    distancia_km: Option<Exact>,
    fonte: String,
    consultado_em: Option<String>,
    endereco: PlaceOut,
}

/// Um endereço; `null` é o que não se sabe.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "EnderecoAchado")]
struct PlaceOut {
    /// Em uma linha.
    texto: Option<String>,
    logradouro: Option<String>,
    numero: Option<String>,
    bairro: Option<String>,
    cidade: Option<String>,
    codigo_ibge: Option<String>,
    uf: Option<String>,
    /// Oito dígitos.
    cep: Option<String>,
}

impl PlaceOut {
    fn of(place: Place, text: Option<String>) -> PlaceOut {
        let city = place.cidade.as_deref().zip(place.uf.as_deref());
        let city = city.and_then(|(name, uf)| municipality(name, uf));
        PlaceOut {
            texto: text,
            logradouro: place.logradouro,
            numero: place.numero,
            bairro: place.bairro,
            cidade: place.cidade,
            codigo_ibge: city.map(|city| city.codigo.to_string()),
            uf: place.uf,
            cep: place.cep,
        }
    }

    fn of_base(found: &OfBase) -> PlaceOut {
        let street = &found.street;
        let told = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        PlaceOut {
            logradouro: told(&street.logradouro),
            bairro: told(&street.bairro),
            cep: told(&street.cep.replace('-', "")),
            ..PlaceOut::town(found.municipality)
        }
    }

    fn town(city: &Municipality) -> PlaceOut {
        PlaceOut {
            cidade: Some(city.name.to_owned()),
            codigo_ibge: Some(city.codigo.to_string()),
            uf: city.uf().map(|uf| uf.abbreviation.to_owned()),
            ..PlaceOut::default()
        }
    }
}

async fn geocoding(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<PointOut>> {
    only(&query, &["endereco", "cep", "cidade", "uf"])?;
    charge::affordable(&call).await?;
    let given = |name: &str| query.get(name).map(|text| text.trim());
    let point = match (given("endereco"), given("cep")) {
        (Some(address), None) => {
            let city = town_of(given("cidade"), given("uf"))?;
            of_address(&call, address, city).await?
        }
        (None, Some(cep)) => of_cep(&call, &street::digits(cep, "cep")?).await?,
        _ => {
            let message = "Informe endereco ou cep, um dos dois.";
            return Err(bad("endereco", message).into());
        }
    };
    charge::paid(&call, point).await
}

/// The municipality that the parameters name.
fn town_of(city: Option<&str>, uf: Option<&str>) -> Result<Option<&'static Municipality>, Failure> {
    match (city, uf) {
        (None, None) => Ok(None),
        (Some(name), Some(uf)) => {
            let uf = state(uf)?;
            let found = municipality(name, uf.abbreviation);
            let unknown = || bad("cidade", "Esta cidade não existe nesta UF.");
            Ok(Some(found.ok_or_else(unknown)?))
        }
        _ => Err(bad("cidade", "Informe cidade com uf.")),
    }
}

async fn of_address(
    call: &Call,
    address: &str,
    city: Option<&'static Municipality>,
) -> Result<PointOut, Failure> {
    if !(3..=ADDRESS_CHARS).contains(&address.chars().count()) {
        return Err(bad("endereco", "Informe de 3 a 200 caracteres."));
    }
    let text = match city {
        Some(city) => {
            let uf = city.uf().map_or("", |uf| uf.abbreviation);
            format!("{address}, {}, {uf}", city.name)
        }
        None => address.to_owned(),
    };
    let bases = match local::of_address(call, address, city).await? {
        Ok(found) => {
            let place = PlaceOut::of_base(&found);
            let point = of_street(found.street, Near::Rua, place);
            return Ok(point.ok_or_else(|| Refusal::new(Code::SemResultado))?);
        }
        Err(bases) => bases,
    };
    let mut asked = lookup::ask::<Coordinates>(call, &Question::coordinates(&text)).await?;
    if let Some(found) = asked.found.take() {
        let origin = Origin::of(&found);
        let answer = found.answer;
        return Ok(PointOut {
            latitude: Exact(answer.latitude),
            longitude: Exact(answer.longitude),
            precisao: Near::of(answer.precisao.as_deref()),
            fonte: origin.fonte,
            consultado_em: Some(origin.consultado_em),
            endereco: PlaceOut::of(answer.endereco.unwrap_or_default(), answer.texto),
        });
    }
    let centre = city.and_then(centre).filter(|_| !asked.missing);
    centre.ok_or_else(|| {
        lookup::after_bases(&mut asked, &bases);
        lookup::nothing(&asked).into()
    })
}

/// The point of a street, if it is known where it is.
fn of_street(street: StreetOut, near: Near, place: PlaceOut) -> Option<PointOut> {
    Some(PointOut {
        latitude: street.latitude?,
        longitude: street.longitude?,
        precisao: near,
        fonte: street.fonte,
        consultado_em: street.consultado_em,
        endereco: place,
    })
}

async fn of_cep(call: &Call, cep: &str) -> Result<PointOut, Failure> {
    let found = street_of(call, cep).await?;
    if let (Some(latitude), Some(longitude)) = (found.latitude, found.longitude) {
        return Ok(PointOut {
            latitude,
            longitude,
            precisao: Near::Cep,
            fonte: found.fonte,
            consultado_em: found.consultado_em,
            endereco: PlaceOut {
                texto: None,
                logradouro: Some(found.logradouro).filter(|text| !text.is_empty()),
                numero: None,
                bairro: Some(found.bairro).filter(|text| !text.is_empty()),
                cidade: Some(found.localidade),
                codigo_ibge: Some(found.ibge).filter(|text| !text.is_empty()),
                uf: Some(found.uf),
                cep: Some(cep.to_owned()),
            },
        });
    }
    let city = municipality(&found.localidade, &found.uf);
    let point = city.and_then(centre).ok_or_else(|| {
        Refusal::new(Code::SemResultado).message("Não se sabe onde fica o município deste CEP.")
    })?;
    Ok(PointOut {
        endereco: PlaceOut {
            cep: Some(cep.to_owned()),
            ..point.endereco
        },
        ..point
    })
}

/// The seat of a municipality.
fn centre(city: &'static Municipality) -> Option<PointOut> {
    let known = cities::get(city.codigo)?;
    Some(PointOut {
        latitude: Exact(decimal::parse(known.latitude)?),
        longitude: Exact(decimal::parse(known.longitude)?),
        precisao: Near::Cidade,
        fonte: TABLES.to_owned(),
        consultado_em: None,
        endereco: PlaceOut::town(city),
    })
}

async fn reverse(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Charged<AddressOut>> {
    only(&query, &["lat", "lon"])?;
    let degrees = |name: &'static str, most: i64| {
        let value = query.get(name).and_then(|text| decimal::parse(text.trim()));
        let value = value.filter(|value| value.abs() <= Decimal::from(most));
        let wrong = || bad(name, &format!("Informe graus de -{most} a {most}."));
        value.ok_or_else(wrong)
    };
    let (latitude, longitude) = (degrees("lat", 90)?, degrees("lon", 180)?);
    charge::affordable(&call).await?;
    let bases = match local::nearest(&call, latitude, longitude).await? {
        Ok(found) => {
            let answer = AddressOut {
                precisao: Near::Rua,
                distancia_km: None,
                endereco: PlaceOut::of_base(&found),
                fonte: found.street.fonte,
                consultado_em: found.street.consultado_em,
            };
            return charge::paid(&call, answer).await;
        }
        Err(bases) => bases,
    };
    let asked_for = |value: Decimal| value.round_dp(PLACES).normalize().to_string();
    let question = Question::address(&asked_for(latitude), &asked_for(longitude));
    let mut asked = lookup::ask::<Address>(&call, &question).await?;
    if let Some(found) = asked.found.take() {
        let origin = Origin::of(&found);
        let place = found.answer.place;
        let street = place.logradouro.is_some();
        let answer = AddressOut {
            precisao: if street {
                Near::Rua
            } else {
                Near::Desconhecida
            },
            distancia_km: None,
            fonte: origin.fonte,
            consultado_em: Some(origin.consultado_em),
            endereco: PlaceOut::of(place, Some(found.answer.texto)),
        };
        return charge::paid(&call, answer).await;
    }
    let nearest = nearest(latitude, longitude).filter(|_| !asked.missing);
    let Some((city, metres)) = nearest else {
        lookup::after_bases(&mut asked, &bases);
        return Err(lookup::nothing(&asked).into());
    };
    let answer = AddressOut {
        precisao: Near::Cidade,
        distancia_km: Some(super::place::kilometres(metres)),
        fonte: TABLES.to_owned(),
        consultado_em: None,
        endereco: PlaceOut::town(city),
    };
    charge::paid(&call, answer).await
}

/// The municipality whose seat is nearest, and how far that is, in metres.
fn nearest(latitude: Decimal, longitude: Decimal) -> Option<(&'static Municipality, u64)> {
    let degrees = |value: Decimal| value.to_string().parse::<f64>().ok();
    let here = Point::new(degrees(latitude)?, degrees(longitude)?).ok()?;
    let all = municipalities::all().iter().filter_map(|city| {
        let (latitude, longitude) = cities::get(city.codigo)?.coordinates()?;
        let metres = here.distance_m(Point::new(latitude, longitude).ok()?);
        (metres <= NEAR_M).then_some((city, metres))
    });
    let (city, metres) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((city, metres.round() as u64))
}
