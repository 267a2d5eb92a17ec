//! Look-up of streets in the imported bases. The e-DNE says how the street of a
//! CEP is called; the CNEFE where it is.

use data::search::fold;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::tables::editions::{self, DatasetKind, EditionRow};
use store::tables::streets::{self, StreetRow};
use store::{Conn, DbResult, stored};

/// Streets of one CEP that are looked at; of a town with one CEP they are those
/// with most addresses.
const OF_CEP: i64 = 60;
/// Streets of one name in a municipality.
const CALLED: i64 = 500;
/// Streets near a place that are compared.
const NEAR: i64 = 4_000;
/// A CEP is that of a street if so many of a hundred of its addresses are there;
/// otherwise it is that of a town.
const OF_STREET_PERCENT: i64 = 80;
/// Squares of the map are a hundredth of a degree wide: about one kilometre.
const CELL: i64 = 10_000;
/// Squares from pole to pole stand this far apart.
const ROW: i64 = 100_000;
/// The farthest street that still says where a place is, metres.
const NEAR_M: f64 = 1_000.0;
/// How far from their middle streets of one name may be to be taken for one.
const SPREAD_M: f64 = 5_000.0;

/// How a street is written, and what else its base says. Stored as JSON with a
/// letter for each member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    #[serde(rename = "l", skip_serializing_if = "String::is_empty")]
    pub street: String,
    #[serde(rename = "b", skip_serializing_if = "String::is_empty")]
    pub district: String,
    /// Of the street: numbers and side that the CEP is for.
    #[serde(rename = "c", skip_serializing_if = "String::is_empty")]
    pub complement: String,
    /// Whoever has the CEP for himself.
    #[serde(rename = "u", skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

impl Words {
    pub(super) fn stored(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }
}

/// Degrees, millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub latitude: i64,
    pub longitude: i64,
}

/// A street that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Street {
    /// Eight digits.
    pub cep: String,
    /// IBGE code.
    pub municipality: u32,
    pub words: Words,
    pub spot: Option<Spot>,
    /// Who says how it is called.
    pub edition: EditionRow,
    /// Who says where it is, if that is another.
    pub located: Option<EditionRow>,
}

/// Streets that were looked for, and the bases that were asked.
#[derive(Clone, Debug, Default)]
pub struct Looked<T> {
    pub found: T,
    pub asked: Vec<EditionRow>,
}

/// A name without accents, signs and capitals, one space between its words.
pub fn folded_name(name: &str) -> String {
    let folded = fold(name);
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The square of the map that a place is in.
pub(super) fn cell(latitude: i64, longitude: i64) -> i64 {
    (latitude + 90_000_000).div_euclid(CELL) * ROW + (longitude + 180_000_000).div_euclid(CELL)
}

/// The bases that are imported, the one believed most first.
async fn loaded(conn: &mut Conn) -> DbResult<Vec<EditionRow>> {
    let mut found = Vec::new();
    for kind in [DatasetKind::Edne, DatasetKind::Cnefe] {
        found.extend(editions::active(conn, kind, "").await?);
    }
    Ok(found)
}

/// The street of a CEP, or the town that it is of.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn of_cep(conn: &mut Conn, cep: u32) -> DbResult<Looked<Option<Street>>> {
    let asked = loaded(conn).await?;
    let mut found: Option<Street> = None;
    for edition in &asked {
        if found.as_ref().is_some_and(|found| found.spot.is_some()) {
            break;
        }
        let rows = streets::of_cep(conn, edition.id, i64::from(cep), OF_CEP).await?;
        let here = match edition.kind {
            DatasetKind::Edne => match rows.first() {
                Some(row) => Some(street(row, edition)?),
                None => None,
            },
            _ => together(&rows, edition)?,
        };
        match (&mut found, here) {
            (Some(found), Some(here)) if found.municipality == here.municipality => {
                found.spot = here.spot;
                found.located = here.spot.map(|_| edition.clone());
            }
            (found @ None, here) => *found = here,
            _ => {}
        }
    }
    Ok(Looked { found, asked })
}

/// What the addresses of one CEP say together: the street most of them are in, or
/// else the municipality.
fn together(rows: &[StreetRow], edition: &EditionRow) -> DbResult<Option<Street>> {
    let mut totals: BTreeMap<i64, i64> = BTreeMap::new();
    for row in rows {
        *totals.entry(row.municipality).or_default() += row.addresses;
    }
    let most = totals.iter().max_by_key(|(_, total)| **total);
    let Some((municipality, total)) = most else {
        return Ok(None);
    };
    let here = rows.iter().filter(|row| row.municipality == *municipality);
    let here: Vec<&StreetRow> = here.collect();
    // The same street may stand there under several localities.
    let mut names: BTreeMap<&str, i64> = BTreeMap::new();
    for row in &here {
        *names.entry(row.name.as_str()).or_default() += row.addresses;
    }
    let first = names.iter().max_by_key(|(_, addresses)| **addresses);
    let name = first.filter(|(_, addresses)| **addresses * 100 >= total * OF_STREET_PERCENT);
    let name = name.map(|(name, _)| *name);
    let of_street = |row: &&&StreetRow| name.is_none_or(|name| row.name == name);
    let rows: Vec<&StreetRow> = here.iter().filter(of_street).copied().collect();
    let Some(row) = rows.iter().max_by_key(|row| row.addresses) else {
        return Ok(None);
    };
    let mut found = street(row, edition)?;
    found.spot = middle(&rows);
    if name.is_none() {
        found.words = Words::default();
    }
    Ok(Some(found))
}

fn street(row: &StreetRow, edition: &EditionRow) -> DbResult<Street> {
    let cep = format!("{:08}", row.cep);
    Ok(Street {
        words: stored(&row.content, "street", &cep)?,
        municipality: u32::try_from(row.municipality).unwrap_or_default(),
        spot: spot(row),
        edition: edition.clone(),
        located: None,
        cep,
    })
}

fn spot(row: &StreetRow) -> Option<Spot> {
    let (latitude, longitude) = row.latitude.zip(row.longitude)?;
    Some(Spot {
        latitude,
        longitude,
    })
}

/// The middle of some streets, by their addresses.
fn middle(rows: &[&StreetRow]) -> Option<Spot> {
    let (mut addresses, mut latitude, mut longitude) = (0_i128, 0_i128, 0_i128);
    for row in rows {
        if let Some(spot) = spot(row) {
            let weight = i128::from(row.addresses.max(1));
            addresses += weight;
            latitude += weight * i128::from(spot.latitude);
            longitude += weight * i128::from(spot.longitude);
        }
    }
    let mean = |sum: i128| i64::try_from(sum.checked_div(addresses)?).ok();
    Some(Spot {
        latitude: mean(latitude)?,
        longitude: mean(longitude)?,
    })
}

/// Streets of a municipality with a part in their name, by name and CEP: those of
/// the first base that has some.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn with_part(
    conn: &mut Conn,
    municipality: u32,
    part: &str,
    limit: usize,
) -> DbResult<Looked<Vec<Street>>> {
    let mut looked = Looked::default();
    let part = folded_name(part);
    let pattern = format!("%{part}%");
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    for edition in loaded(conn).await? {
        looked.asked.push(edition.clone());
        // Nothing of the part is a sign of a pattern: it is folded.
        let city = i64::from(municipality);
        let mut rows = streets::with_part(conn, edition.id, city, &pattern, most).await?;
        rows.sort_by(|a, b| (&a.name, a.cep, a.place).cmp(&(&b.name, b.cep, b.place)));
        rows.dedup_by(|b, a| (&a.name, a.cep) == (&b.name, b.cep));
        if !rows.is_empty() && !part.is_empty() {
            let found = rows.iter().map(|row| street(row, &edition));
            looked.found = found.collect::<DbResult<_>>()?;
            break;
        }
    }
    Ok(looked)
}

/// Where the streets of one name in a municipality are, if they are one: with the
/// street of most addresses.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn called(
    conn: &mut Conn,
    municipality: u32,
    name: &str,
) -> DbResult<Looked<Option<Street>>> {
    let mut looked = Looked::default();
    let Some(edition) = editions::active(conn, DatasetKind::Cnefe, "").await? else {
        return Ok(looked);
    };
    looked.asked.push(edition.clone());
    let (city, name) = (i64::from(municipality), folded_name(name));
    if name.is_empty() {
        return Ok(looked);
    }
    let rows = streets::called(conn, edition.id, city, &name, CALLED).await?;
    let rows: Vec<&StreetRow> = rows.iter().filter(|row| spot(row).is_some()).collect();
    let Some(centre) = middle(&rows) else {
        return Ok(looked);
    };
    let far = |row: &&StreetRow| spot(row).is_some_and(|spot| metres(centre, spot) > SPREAD_M);
    if rows.iter().any(far) {
        // Streets of one name in several districts: nobody knows which is meant.
        return Ok(looked);
    }
    if let Some(row) = rows.iter().max_by_key(|row| row.addresses) {
        let mut found = street(row, &edition)?;
        found.spot = Some(centre);
        looked.found = Some(found);
    }
    Ok(looked)
}

/// The street nearest to a place.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn nearest(conn: &mut Conn, here: Spot) -> DbResult<Looked<Option<Street>>> {
    let mut looked = Looked::default();
    let Some(edition) = editions::active(conn, DatasetKind::Cnefe, "").await? else {
        return Ok(looked);
    };
    let middle = cell(here.latitude, here.longitude);
    let mut near: Vec<StreetRow> = Vec::new();
    for row in [middle - ROW, middle, middle + ROW] {
        near.extend(streets::in_cells(conn, edition.id, row - 1, row + 1, NEAR).await?);
    }
    let near = near.iter().filter(|row| !row.name.is_empty());
    let near = near.filter_map(|row| Some((row, metres(here, spot(row)?))));
    let near = near.filter(|(_, metres)| *metres <= NEAR_M);
    let first = near.min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((row, _)) = first {
        looked.found = Some(street(row, &edition)?);
    }
    looked.asked.push(edition);
    Ok(looked)
}

/// Metres between two places.
fn metres(a: Spot, b: Spot) -> f64 {
    let point = |spot: Spot| {
        let degrees = |millionths: i64| millionths as f64 / 1e6;
        tools::geo::Point::new(degrees(spot.latitude), degrees(spot.longitude)).ok()
    };
    match (point(a), point(b)) {
        (Some(a), Some(b)) => a.distance_m(b),
        _ => f64::INFINITY,
    }
}
