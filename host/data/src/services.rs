//! The national list of services: the codes a DPS may carry.

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub(crate) static TABLE: &str = include_str!("../tables/servicos_nacionais.csv");

/// A service of the national list (cTribNac).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Six digits: item, subitem and split of LC 116/2003.
    pub codigo: String,
    pub description: String,
    /// Where the ISSQN is due: `E` provider, `L` place of the service, `T`
    /// taker; more than one letter where it depends.
    pub incidence: String,
    /// Group of the layout that becomes mandatory; empty when none.
    pub group: String,
}

impl Service {
    /// Item of LC 116/2003, `1.01`.
    pub fn item(&self) -> String {
        let item = self
            .codigo
            .get(..2)
            .unwrap_or_default()
            .trim_start_matches('0');
        format!("{item}.{}", self.codigo.get(2..4).unwrap_or_default())
    }
}

/// The service of a code.
pub fn get(codigo: &str) -> Option<&'static Service> {
    all().get(codigo)
}

/// All services, by code.
pub fn all() -> &'static BTreeMap<String, Service> {
    static SERVICES: OnceLock<BTreeMap<String, Service>> = OnceLock::new();
    SERVICES.get_or_init(|| {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(TABLE.as_bytes());
        // The table is part of the program; a test reads every row.
        reader
            .records()
            .filter_map(|row| {
                let row = row.ok()?;
                let service = Service {
                    codigo: row.get(0)?.to_owned(),
                    description: row.get(1)?.to_owned(),
                    incidence: row.get(2)?.to_owned(),
                    group: row.get(3)?.to_owned(),
                };
                Some((service.codigo.clone(), service))
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(all().len(), rows);
        assert_eq!(rows, 337);
        assert!(
            all()
                .values()
                .all(|service| service.codigo.len() == 6 && !service.description.is_empty())
        );
    }

    #[test]
    fn a_code_gives_its_item() {
        assert_eq!(get("010101").map(Service::item).as_deref(), Some("1.01"));
        assert_eq!(get("140101").map(Service::item).as_deref(), Some("14.01"));
        assert_eq!(get("999998"), None);
    }
}
