//! A place in a request: coordinates, or a municipality by its code or by a CEP.

use super::local;
use crate::lookup;
use base::errors::{Code, Failure, Refusal};
use data::{cities, postal};
use gate::Call;
use lookups::Question;
use lookups::answers::Coordinates;
use markup::decimal::Exact;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::geo::{GeoError, Point};

/// Um lugar: `lat` e `lon`, ou `codigo_ibge`, ou `cep`, ou `endereco`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "Lugar")]
#[serde(default)]
pub(super) struct PlaceIn {
    /// Graus, de -90 a 90.
    #[schemars(range(min = -90, max = 90))]
    pub lat: Option<f64>,
    /// Graus, de -180 a 180.
    #[schemars(range(min = -180, max = 180))]
    pub lon: Option<f64>,
    /// O centro do município.
    pub codigo_ibge: Option<String>,
    /// Com ou sem traço: o centro do município dele.
    pub cep: Option<String>,
    /// Em uma linha, com a cidade: das bases importadas, senão das fontes de coordenadas.
    #[schemars(length(min = 3, max = 200))]
    pub endereco: Option<String>,
}

/// Most characters of an address.
const ADDRESS_CHARS: usize = 200;

/// Quão perto do lugar estão as coordenadas.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PrecisaoDoLugar")]
#[serde(rename_all = "snake_case")]
pub(super) enum Precision {
    /// As do pedido.
    Informada,
    /// O centro do município.
    Cidade,
    /// O que uma base importada ou uma fonte achou do endereço.
    Endereco,
}

/// A place that was found, and how near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub point: Point,
    pub precision: Precision,
}

/// As [`find`]; a place given by its address is asked for at the sources.
///
/// # Errors
/// As [`find`]; or no source knows the address, or none answered.
pub(super) async fn locate(call: &Call, place: &PlaceIn, field: &str) -> Result<Place, Failure> {
    let alone = PlaceIn {
        endereco: None,
        ..place.clone()
    };
    let Some(address) = &place.endereco else {
        return Ok(find(place, field)?);
    };
    let fits = (3..=ADDRESS_CHARS).contains(&address.trim().chars().count());
    if alone != PlaceIn::default() || !fits {
        let message = "O lugar vem de um jeito só; o endereço tem de 3 a 200 caracteres.";
        return Err(wrong(field, message).into());
    }
    let degrees = |value: Decimal| value.to_string().parse::<f64>().unwrap_or(f64::NAN);
    let local = local::of_address(call, address.trim(), None).await?;
    let local = local.ok().map(|found| found.street);
    let (latitude, longitude) = match local.and_then(|one| one.latitude.zip(one.longitude)) {
        Some((latitude, longitude)) => (latitude.0, longitude.0),
        None => {
            let question = Question::coordinates(address.trim());
            let found = lookup::found::<Coordinates>(call, &question).await?;
            (found.answer.latitude, found.answer.longitude)
        }
    };
    let point = Point::new(degrees(latitude), degrees(longitude))
        .map_err(|_| Refusal::new(Code::FonteIndisponivel))?;
    let precision = Precision::Endereco;
    Ok(Place { point, precision })
}

/// The place, or what is wrong with it. `field` is its path in the body.
///
/// # Errors
/// 400 naming the member.
pub(super) fn find(place: &PlaceIn, field: &str) -> Result<Place, Box<Refusal>> {
    let PlaceIn {
        lat,
        lon,
        codigo_ibge,
        cep,
        endereco: None,
    } = place
    else {
        return Err(wrong(field, "Aqui o lugar não vem por endereço."));
    };
    match (lat, lon, codigo_ibge, cep) {
        (Some(lat), Some(lon), None, None) => told(*lat, *lon, field),
        (None, None, Some(code), None) => {
            let found = code
                .parse()
                .ok()
                .filter(|_| code.len() == 7)
                .and_then(centre);
            found.ok_or_else(|| {
                wrong(
                    &format!("{field}.codigo_ibge"),
                    "Este município não existe.",
                )
            })
        }
        (None, None, None, Some(cep)) => {
            let digits: String = cep.chars().filter(char::is_ascii_digit).collect();
            let number = digits.parse().ok().filter(|_| digits.len() == 8);
            let city = number.and_then(postal::city_of);
            let found = city.and_then(|range| centre(range.municipality));
            found.ok_or_else(|| wrong(&format!("{field}.cep"), "O CEP não é de município nenhum."))
        }
        _ => Err(wrong(
            field,
            "O lugar vem de um jeito só, e inteiro: lat com lon, ou codigo_ibge, ou cep.",
        )),
    }
}

fn told(lat: f64, lon: f64, field: &str) -> Result<Place, Box<Refusal>> {
    let point = Point::new(lat, lon).map_err(|error| match error {
        GeoError::Latitude => wrong(&format!("{field}.lat"), "A latitude vai de -90 a 90."),
        GeoError::Longitude => wrong(&format!("{field}.lon"), "A longitude vai de -180 a 180."),
    })?;
    let precision = Precision::Informada;
    Ok(Place { point, precision })
}

fn centre(ibge: u32) -> Option<Place> {
    let (latitude, longitude) = cities::get(ibge)?.coordinates()?;
    let point = Point::new(latitude, longitude).ok()?;
    let precision = Precision::Cidade;
    Some(Place { point, precision })
}

fn wrong(field: &str, message: &str) -> Box<Refusal> {
    Box::new(Refusal::field(
        Code::ParametroInvalido,
        field,
        message,
        "Informe lat e lon em graus, ou codigo_ibge, ou cep; rota e distancia também aceitam endereco.",
    ))
}

/// Metres as kilometres, exact.
pub(super) fn kilometres(metres: u64) -> Exact {
    Exact(
        Decimal::from(metres)
            .checked_div(Decimal::ONE_THOUSAND)
            .unwrap_or_default()
            .normalize(),
    )
}

/// Seconds as minutes, one place.
pub(super) fn minutes(seconds: u64) -> Exact {
    let minutes = Decimal::from(seconds)
        .checked_div(Decimal::from(60))
        .unwrap_or_default();
    Exact(minutes.round_dp(1).normalize())
}
