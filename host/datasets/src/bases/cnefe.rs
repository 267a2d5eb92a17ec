//! Addresses of the IBGE's census (CNEFE): a csv for each state, `;`, with names
//! of columns. Streets are made of them: of all addresses with one CEP, street,
//! locality and municipality, the mean of their coordinates and how many they
//! are. Of a text, its streets are in memory, and a digest of each of its addresses.

use super::lines::{Layout, Line, Shape, read as read_lines};
use super::streets::{Words, cell, folded_name};
use super::{At, Reading, Row};
use crate::ImportError;
use crate::files::Files;
use crate::progress::Progress;
use data::municipalities;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use store::tables::streets::StreetRow;

const SHAPE: Shape = Shape {
    delimiter: b';',
    quoted: true,
};
/// Columns of the 34 that are used.
const COLUMNS: [&str; 9] = [
    "COD_MUNICIPIO",
    "CEP",
    "DSC_LOCALIDADE",
    "NOM_TIPO_SEGLOGR",
    "NOM_TITULO_SEGLOGR",
    "NOM_SEGLOGR",
    "LATITUDE",
    "LONGITUDE",
    "NV_GEO_COORD",
];
/// Streets of one text that are kept in memory, at some 200 bytes each; São Paulo
/// has about a million.
const MOST_STREETS: usize = 6_000_000;
/// Coordinates of a level are those of the address, of its face of the block or of
/// its locality; those of the last level, of the census tract, say too little.
const TRACT: &str = "6";
/// Largest number of an address' coordinates, millionths of a degree.
const MOST_LATITUDE: i64 = 90_000_000;
const MOST_LONGITUDE: i64 = 180_000_000;

/// What makes a street one: CEP, municipality, street and locality.
type Key = (u32, u32, String, String);

/// Addresses of a street.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    addresses: i64,
    /// Of those with coordinates: how many, and the sums of their millionths of
    /// degrees.
    located: i64,
    latitude: i64,
    longitude: i64,
}

#[derive(Default)]
struct Format {
    places: [usize; COLUMNS.len()],
    streets: BTreeMap<Key, Sum>,
    /// Digests of the lines, at some 10 bytes each. One address may have several
    /// lines: only a line that is the same in all columns is there twice.
    lines: HashSet<u64>,
}

/// Reads the files.
pub(super) fn read(
    files: &Files,
    progress: &Arc<Progress>,
    reading: &mut Reading<'_>,
) -> Result<(), ImportError> {
    let mut known = BTreeSet::new();
    let wanted = |file: &str, inside: &str| {
        super::named(file, inside)
            .to_ascii_lowercase()
            .ends_with(".csv")
    };
    let count = files.each_wanted(progress, &wanted, &mut |file, inside, bytes| {
        let name = super::named(file, inside);
        let mut format = Format::default();
        read_lines(reading, name, bytes, SHAPE, &mut format)?;
        let here: BTreeSet<u32> = format.streets.keys().map(|key| key.1).collect();
        if let Some(twice) = here.intersection(&known).next() {
            let why = format!("a second file of the municipality {twice}");
            return Err(ImportError::of(name, why));
        }
        known.extend(here);
        give(format.streets, reading)
    })?;
    if count == 0 {
        return Err(ImportError::Refused(
            "no csv of the CNEFE among the files".to_owned(),
        ));
    }
    Ok(())
}

/// Gives the streets on: those of a CEP one after the other, that with most
/// addresses first.
fn give(streets: BTreeMap<Key, Sum>, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut of_cep: Vec<(Key, Sum)> = Vec::new();
    for (key, sum) in streets {
        if of_cep.last().is_some_and(|(last, _)| last.0 != key.0) {
            flush(&mut of_cep, reading)?;
        }
        of_cep.push((key, sum));
    }
    flush(&mut of_cep, reading)
}

fn flush(of_cep: &mut Vec<(Key, Sum)>, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    of_cep.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.addresses));
    for ((key, sum), place) in of_cep.drain(..).zip(0_i64..) {
        let row = street(key, sum, place).map_err(ImportError::Refused)?;
        reading.counted(At::default(), Row::Street(row))?;
    }
    Ok(())
}

fn street((cep, city, street, locality): Key, sum: Sum, place: i64) -> Result<StreetRow, String> {
    let mean = |total: i64| (sum.located > 0).then(|| total / sum.located.max(1));
    let (latitude, longitude) = (mean(sum.latitude), mean(sum.longitude));
    // One CEP of a state may be in two municipalities: both have their first place.
    Ok(StreetRow {
        cep: i64::from(cep),
        place: i64::from(city) * 1_000_000 + place,
        municipality: i64::from(city),
        name: folded_name(&street),
        content: Words {
            street,
            district: locality,
            ..Words::default()
        }
        .stored()?,
        addresses: sum.addresses,
        latitude,
        longitude,
        cell: latitude.zip(longitude).map(|(lat, lon)| cell(lat, lon)),
    })
}

impl Layout for Format {
    fn first(&mut self, fields: &[&str]) -> Result<(usize, bool), String> {
        for (place, name) in self.places.iter_mut().zip(COLUMNS) {
            let found = fields
                .iter()
                .position(|field| field.eq_ignore_ascii_case(name));
            *place = found.ok_or_else(|| {
                format!("its header is not that of the CNEFE of 2022: it lacks {name}")
            })?;
        }
        Ok((fields.len(), true))
    }

    fn row(&mut self, fields: &[&str]) -> Result<Line, String> {
        let ordered = self
            .places
            .map(|place| fields.get(place).copied().unwrap_or_default());
        let [
            city,
            cep,
            locality,
            kind,
            title,
            name,
            latitude,
            longitude,
            level,
        ] = ordered;
        let code = city.parse().ok().filter(|_| city.len() == 7);
        let city = code
            .filter(|code| municipalities::get(*code).is_some())
            .ok_or("COD_MUNICIPIO is no municipality")?;
        if cep.is_empty() || cep.bytes().all(|byte| byte == b'0') {
            return Ok(Line::Skipped);
        }
        let digits = cep.len() == 8 && cep.bytes().all(|byte| byte.is_ascii_digit());
        let cep = cep.parse().ok().filter(|_| digits);
        let cep = cep.ok_or("CEP has not 8 digits")?;
        let latitude = degrees("LATITUDE", latitude, MOST_LATITUDE)?;
        let longitude = degrees("LONGITUDE", longitude, MOST_LONGITUDE)?;
        let parts = [kind, title, name];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut hasher = DefaultHasher::new();
        fields.hash(&mut hasher);
        if !self.lines.insert(hasher.finish()) {
            return Err("the same line is there already; the first one counts".to_owned());
        }
        let key = (cep, city, parts.join(" "), locality.to_owned());
        if self.streets.len() >= MOST_STREETS && !self.streets.contains_key(&key) {
            return Err(format!("more than {MOST_STREETS} streets in one file"));
        }
        let sum = self.streets.entry(key).or_default();
        sum.addresses += 1;
        if let (Some(latitude), Some(longitude)) = (latitude, longitude)
            && level != TRACT
        {
            sum.located += 1;
            sum.latitude += latitude;
            sum.longitude += longitude;
        }
        Ok(Line::Gathered)
    }
}

/// Millionths of a degree of decimal text, with a point or a comma; none of an
/// empty column. What follows the sixth place is left out: it is some centimetres.
///
/// # Errors
/// It is no number, or beyond the map.
fn degrees(name: &str, text: &str, most: i64) -> Result<Option<i64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || format!("{name} is no number of degrees");
    let (negative, plain) = match text.strip_prefix('-') {
        Some(plain) => (true, plain),
        None => (false, text),
    };
    let (whole, part) = plain.split_once(['.', ',']).unwrap_or((plain, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 3 || !all_digits(whole) || !all_digits(part) {
        return Err(wrong());
    }
    let part: String = part.chars().chain("000000".chars()).take(6).collect();
    let whole: i64 = whole.parse().map_err(|_| wrong())?;
    let part: i64 = part.parse().map_err(|_| wrong())?;
    let number = whole * 1_000_000 + part;
    if number > most {
        return Err(wrong());
    }
    Ok(Some(if negative { -number } else { number }))
}
