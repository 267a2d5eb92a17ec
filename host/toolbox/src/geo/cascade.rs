//! Who is asked for the street of a CEP, one after the other: the imported bases,
//! our tables for towns with one CEP, outside sources, and then the ranges of the
//! towns and states alone.

use super::local;
use super::street::{self, Reach, StreetOut};
use crate::lookup::{self, Origin};
use base::errors::Failure;
use data::{municipalities, postal};
use gate::Call;
use lookups::Question;
use lookups::answers::Street;

/// The street of a CEP of eight digits.
///
/// # Errors
/// 404 when there is none; 502, 503 or 504 when no source answered and no table
/// has it.
pub(super) async fn street_of(call: &Call, cep: &str) -> Result<StreetOut, Failure> {
    let number: u32 = cep.parse().unwrap_or_default();
    let bases = match local::of_cep(call, number).await? {
        Ok(found) => return Ok(found.street),
        Err(bases) => bases,
    };
    let range = postal::city_of(number);
    if let Some(range) = range
        && !range.by_street
        && range.first == number
        && let Some(city) = municipalities::get(range.municipality)
    {
        return Ok(street::town(cep, city, Reach::Cep));
    }
    let mut asked = lookup::ask::<Street>(call, &Question::cep(cep)).await?;
    if let Some(found) = asked.found.take() {
        let origin = Origin::of(&found);
        return Ok(street::shown(found.answer, origin));
    }
    // What the range says counts unless a source said that there is no such CEP: a
    // base has the CEPs of its day.
    let city = range.and_then(|range| municipalities::get(range.municipality));
    match (city, postal::uf_of(number)) {
        (Some(city), _) if !asked.missing => Ok(street::town(cep, city, Reach::Municipio)),
        (None, Some(uf)) if !asked.missing => Ok(street::in_state(cep, uf)),
        _ => {
            lookup::after_bases(&mut asked, &bases);
            Err(lookup::nothing(&asked).with("erro", true).into())
        }
    }
}
