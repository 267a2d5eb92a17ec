//! National service codes (cTribNac).

use std::collections::HashMap;
use std::sync::LazyLock;

/// Where the ISS of a service is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incidence {
    /// Where the provider is established.
    Provider,
    /// Where the service is done.
    Place,
    /// Where the customer is.
    Customer,
}

/// Every code of the national list, with where its ISS is due.
pub static SERVICES: LazyLock<HashMap<&'static str, Incidence>> = LazyLock::new(|| {
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
pub const WORKS: [&str; 13] = [
    "070201", "070202", "070401", "070501", "070502", "070601", "070602", "070701", "070801",
    "071701", "071901", "141403", "141404",
];

/// Where the ISS of a service is due; None for a code that is not in the list.
pub fn incidence(code: &str) -> Option<Incidence> {
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
