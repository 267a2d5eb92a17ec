//! What else is known of a municipality: where it is, its area code, its code
//! at the Receita Federal (SIAFI/TOM) and its time zone.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::places::municipalities::{self, Municipality};
use crate::places::ufs::Uf;
use crate::table::Table;

pub(crate) static TABLE: Table<City> = Table::new(include_str!("../../tables/cidades.tsv"), |c| {
    Some(City {
        codigo: c.number()?,
        latitude: c.text()?,
        longitude: c.text()?,
        ddd: c.number()?,
        siafi: c.text()?,
        capital: c.mark()?,
    })
});

/// A municipality; its name is in [`municipalities`].
#[derive(Debug, PartialEq, Eq)]
pub struct City {
    /// IBGE, seven digits.
    pub codigo: u32,
    /// Degrees, of the seat.
    pub latitude: &'static str,
    pub longitude: &'static str,
    /// Area code of telephones.
    pub ddd: u8,
    /// Four digits: the code of the Receita Federal, in the CNPJ base and in
    /// ViaCEP.
    pub siafi: &'static str,
    /// Capital of its state.
    pub capital: bool,
}

impl City {
    pub fn municipality(&self) -> Option<&'static Municipality> {
        municipalities::get(self.codigo)
    }

    pub fn uf(&self) -> Option<&'static Uf> {
        self.municipality()?.uf()
    }

    /// Latitude and longitude in degrees.
    pub fn coordinates(&self) -> Option<(f64, f64)> {
        Some((self.latitude.parse().ok()?, self.longitude.parse().ok()?))
    }

    /// Name of its time zone in the tz database: that of its state, but for
    /// Fernando de Noronha and the west of Amazonas (Lei 12.876/2013).
    pub fn zone(&self) -> Option<&'static str> {
        let municipality = self.municipality()?;
        let uf = municipality.uf()?;
        Some(match municipality.utc {
            utc if utc == uf.utc => uf.zone,
            -2 => "America/Noronha",
            _ => "America/Eirunepe",
        })
    }
}

/// The municipality of an IBGE code.
pub fn get(codigo: u32) -> Option<&'static City> {
    TABLE.find(|line| line.codigo.cmp(&codigo))
}

/// The municipality of a code of four digits of the Receita Federal.
pub fn by_siafi(siafi: &str) -> Option<&'static City> {
    static CODES: OnceLock<BTreeMap<&str, &City>> = OnceLock::new();
    let codes = CODES.get_or_init(|| all().iter().map(|city| (city.siafi, city)).collect());
    codes.get(siafi).copied()
}

/// All municipalities, by IBGE code.
pub fn all() -> &'static [City] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::ufs;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 5571);
        for (city, municipality) in all().iter().zip(municipalities::all()) {
            assert_eq!(city.codigo, municipality.codigo);
            let (latitude, longitude) = city.coordinates().expect("coordinates");
            assert!((-34.0..6.0).contains(&latitude), "{city:?}");
            assert!((-74.0..-32.0).contains(&longitude), "{city:?}");
            assert!(city.zone().is_some(), "{city:?}");
        }
        let siafi: BTreeSet<&str> = all().iter().map(|city| city.siafi).collect();
        assert_eq!(siafi.len(), 5571);
        for uf in &ufs::UFS {
            let capitals = all().iter().filter(|c| c.capital && c.uf() == Some(uf));
            assert_eq!(capitals.count(), 1, "{uf:?}");
        }
    }

    #[test]
    fn a_city_has_its_codes() {
        let city = get(3_550_308).expect("São Paulo");
        assert_eq!((city.ddd, city.siafi, city.capital), (11, "7107", true));
        assert_eq!(city.zone(), Some("America/Sao_Paulo"));
        assert_eq!(by_siafi("7107"), Some(city));
        assert_eq!(by_siafi("9701").map(|city| city.codigo), Some(5_300_108));
        assert_eq!(by_siafi(""), None);
        assert_eq!(get(2_605_459).and_then(City::zone), Some("America/Noronha"));
        assert_eq!(
            get(1_304_062).and_then(City::zone),
            Some("America/Eirunepe")
        );
        assert_eq!(get(1_302_603).and_then(City::zone), Some("America/Manaus"));
    }
}
