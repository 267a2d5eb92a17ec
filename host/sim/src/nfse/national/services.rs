//! National service codes (cTribNac).

use std::collections::HashMap;
use std::sync::LazyLock;

/// Where the ISS of a service is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incidence {
    Provider,
    Place,
    Customer,
}

static SERVICES: LazyLock<HashMap<&'static str, Incidence>> = LazyLock::new(|| {
    include_str!("servicos.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .map(|(code, where_due)| {
            let incidence = match where_due {
                "L" => Incidence::Place,
                "T" => Incidence::Customer,
                _ => Incidence::Provider,
            };
            (code, incidence)
        })
        .collect()
});

/// Services of construction: they need the group `obra` (rule E0370).
const WORKS: [&str; 13] = [
    "070201", "070202", "070401", "070501", "070502", "070601", "070602", "070701", "070801",
    "071701", "071901", "141403", "141404",
];

pub(super) fn incidence(code: &str) -> Option<Incidence> {
    SERVICES.get(code).copied()
}

pub(super) fn is_works(code: &str) -> bool {
    WORKS.contains(&code)
}

/// Title for `xTribNac`.
pub(super) fn title(code: &str) -> String {
    let part = |a: usize, b: usize| code.get(a..b).unwrap_or("00").to_owned();
    format!(
        "Serviço {}.{}.{} da lista nacional",
        part(0, 2),
        part(2, 4),
        part(4, 6)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete() {
        assert_eq!(SERVICES.len(), 337);
        assert_eq!(incidence("010101"), Some(Incidence::Provider));
        assert_eq!(incidence("070201"), Some(Incidence::Place));
        assert_eq!(incidence("999999"), None);
        for code in WORKS {
            assert!(incidence(code).is_some(), "{code}");
        }
    }
}
