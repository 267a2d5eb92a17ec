//! Streets of the bases that the operator imported (e-DNE, CNEFE), as sources
//! describe them.

use super::city::{cities_of, named};
use super::street::{self, StreetOut};
use crate::lookup::{self, Origin};
use base::errors::Failure;
use base::when;
use data::municipalities::{self, Municipality};
use data::search::fold;
use data::ufs;
use datasets::bases::streets::{self, Spot, Street as Local, folded_name};
use gate::Call;
use lookups::answers::Street;
use rust_decimal::Decimal;
use store::tables::editions::EditionRow;

/// Kinds of streets as people shorten them.
const SHORT: [(&str, &str); 12] = [
    ("al", "alameda"),
    ("av", "avenida"),
    ("est", "estrada"),
    ("estr", "estrada"),
    ("lg", "largo"),
    ("pc", "praca"),
    ("pca", "praca"),
    ("r", "rua"),
    ("rod", "rodovia"),
    ("trav", "travessa"),
    ("tv", "travessa"),
    ("vl", "vila"),
];
/// Titles in names of streets as people shorten them.
const TITLES: [(&str, &str); 10] = [
    ("cel", "coronel"),
    ("dep", "deputado"),
    ("dr", "doutor"),
    ("eng", "engenheiro"),
    ("gal", "general"),
    ("gov", "governador"),
    ("mal", "marechal"),
    ("pe", "padre"),
    ("pres", "presidente"),
    ("prof", "professor"),
];

/// A street of a base, with who says so.
pub(super) struct OfBase {
    pub street: StreetOut,
    pub municipality: &'static Municipality,
}

/// The street of a CEP; else the bases that do not have it.
///
/// # Errors
/// The database failed.
pub(super) async fn of_cep(
    call: &Call,
    cep: u32,
) -> Result<Result<OfBase, Vec<EditionRow>>, Failure> {
    let mut conn = call.app.db.read().await?;
    let looked = streets::of_cep(&mut conn, cep).await?;
    drop(conn);
    Ok(looked.found.and_then(shown).ok_or(looked.asked))
}

/// Streets of a municipality with a part in their names; else the bases that have
/// none.
///
/// # Errors
/// The database failed.
pub(super) async fn with_part(
    call: &Call,
    uf: &str,
    city: &str,
    part: &str,
    limit: usize,
) -> Result<Result<Vec<StreetOut>, Vec<EditionRow>>, Failure> {
    let Some(city) = in_state(city, uf) else {
        return Ok(Err(Vec::new()));
    };
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let looked = streets::with_part(&mut conn, city.codigo, part, limit).await?;
    drop(conn);
    let found = looked.found.into_iter().filter_map(shown);
    let found: Vec<StreetOut> = found.map(|found| found.street).collect();
    Ok(if found.is_empty() {
        Err(looked.asked)
    } else {
        Ok(found)
    })
}

/// Where the street of an address in one line is, if the address names one street
/// of one municipality; else the bases that were asked.
///
/// # Errors
/// The database failed.
pub(super) async fn of_address(
    call: &Call,
    address: &str,
    city: Option<&'static Municipality>,
) -> Result<Result<OfBase, Vec<EditionRow>>, Failure> {
    let Some((name, city)) = parts(address, city) else {
        return Ok(Err(Vec::new()));
    };
    let mut conn = call.app.db.read().await?;
    let looked = streets::called(&mut conn, city.codigo, &name).await?;
    drop(conn);
    Ok(looked.found.and_then(shown).ok_or(looked.asked))
}

/// The street nearest to a place, in millionths of a degree; else the bases that
/// have none near.
///
/// # Errors
/// The database failed.
pub(super) async fn nearest(
    call: &Call,
    latitude: Decimal,
    longitude: Decimal,
) -> Result<Result<OfBase, Vec<EditionRow>>, Failure> {
    let millionths = |degrees: Decimal| {
        let scaled = degrees.checked_mul(Decimal::from(1_000_000))?;
        scaled.round().to_string().parse::<i64>().ok()
    };
    let Some((latitude, longitude)) = millionths(latitude).zip(millionths(longitude)) else {
        return Ok(Err(Vec::new()));
    };
    let here = Spot {
        latitude,
        longitude,
    };
    let mut conn = call.app.db.read().await?;
    let looked = streets::nearest(&mut conn, here).await?;
    drop(conn);
    Ok(looked.found.and_then(shown).ok_or(looked.asked))
}

/// The municipality of this name in a state.
pub(super) fn in_state(name: &str, uf: &str) -> Option<&'static Municipality> {
    let wanted = fold(name);
    let mut all = named(name).into_iter();
    all.find(|city| {
        city.uf().is_some_and(|state| state.abbreviation == uf) && fold(city.name) == wanted
    })
}

/// None where a base has a municipality that is in no table.
fn shown(local: Local) -> Option<OfBase> {
    let municipality = municipalities::get(local.municipality)?;
    let degrees = |millionths: i64| Decimal::new(millionths, 6).normalize();
    let told = |text: String| Some(text).filter(|text| !text.is_empty());
    let mut name = lookup::base_part(&local.edition);
    if let Some(located) = &local.located {
        name = format!("{name}; coordenadas: {}", lookup::base_part(located));
    }
    let origin = Origin {
        fonte: format!("base local ({name})"),
        consultado_em: when::rfc3339(local.edition.created_at_ms),
    };
    let street = Street {
        cep: local.cep,
        logradouro: told(local.words.street),
        complemento: told(local.words.complement),
        unidade: told(local.words.unit),
        bairro: told(local.words.district),
        localidade: municipality.name.to_owned(),
        uf: municipality.uf()?.abbreviation.to_owned(),
        ibge: Some(municipality.codigo.to_string()),
        latitude: local.spot.map(|spot| degrees(spot.latitude)),
        longitude: local.spot.map(|spot| degrees(spot.longitude)),
        ..Street::default()
    };
    Some(OfBase {
        street: street::shown(street, origin),
        municipality,
    })
}

/// The folded name of the street and the municipality of an address such as
/// `Av. Paulista, 1578, São Paulo - SP`. None where they are not told apart.
fn parts(
    address: &str,
    city: Option<&'static Municipality>,
) -> Option<(String, &'static Municipality)> {
    let mut parts: Vec<&str> = address
        .split([',', ';', '/'])
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let city = match city {
        Some(city) => city,
        None => {
            let last = parts.pop()?;
            match ufs::by_uf(&last.to_uppercase()) {
                Some(uf) => in_state(parts.pop()?, uf.abbreviation)?,
                // A name that only one municipality has.
                None => match cities_of(last).as_slice() {
                    &[only] => only,
                    _ => return None,
                },
            }
        }
    };
    let street = folded_name(parts.first()?);
    let mut words: Vec<&str> = street.split(' ').collect();
    // A number behind the name, and what is written before it.
    while words.len() > 2
        && words.last().is_some_and(|word| {
            word.bytes().all(|byte| byte.is_ascii_digit())
                || matches!(*word, "n" | "no" | "numero" | "sn")
        })
    {
        words.pop();
    }
    let long = |table: &'static [(&str, &str)], word: &str| {
        let found = table.iter().find(|(short, _)| *short == word);
        found.map(|(_, long)| (*long).to_owned())
    };
    let words = words.iter().enumerate().map(|(place, word)| {
        let table: &'static [(&str, &str)] = if place == 0 { &SHORT } else { &TITLES };
        long(table, word).unwrap_or_else(|| (*word).to_owned())
    });
    let name = words.collect::<Vec<_>>().join(" ");
    Some((name, city)).filter(|(name, _)| !name.is_empty())
}
