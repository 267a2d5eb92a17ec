//! Which states share a border on land.

/// Each border once, the states in alphabetical order.
const BORDERS: &[(&str, &str)] = &[
    ("AC", "AM"),
    ("AC", "RO"),
    ("AL", "BA"),
    ("AL", "PE"),
    ("AL", "SE"),
    ("AM", "MT"),
    ("AM", "PA"),
    ("AM", "RO"),
    ("AM", "RR"),
    ("AP", "PA"),
    ("BA", "ES"),
    ("BA", "GO"),
    ("BA", "MG"),
    ("BA", "PE"),
    ("BA", "PI"),
    ("BA", "SE"),
    ("BA", "TO"),
    ("CE", "PB"),
    ("CE", "PE"),
    ("CE", "PI"),
    ("CE", "RN"),
    ("DF", "GO"),
    ("DF", "MG"),
    ("ES", "MG"),
    ("ES", "RJ"),
    ("GO", "MG"),
    ("GO", "MS"),
    ("GO", "MT"),
    ("GO", "TO"),
    ("MA", "PA"),
    ("MA", "PI"),
    ("MA", "TO"),
    ("MG", "MS"),
    ("MG", "RJ"),
    ("MG", "SP"),
    ("MS", "MT"),
    ("MS", "PR"),
    ("MS", "SP"),
    ("MT", "PA"),
    ("MT", "RO"),
    ("MT", "TO"),
    ("PA", "RR"),
    ("PA", "TO"),
    ("PB", "PE"),
    ("PB", "RN"),
    ("PE", "PI"),
    ("PI", "TO"),
    ("PR", "SC"),
    ("PR", "SP"),
    ("RJ", "SP"),
    ("RS", "SC"),
];

/// Do two states share a border? A place abroad (`EX`) is not judged.
pub(in crate::mdfe) fn touch(one: &str, other: &str) -> bool {
    if one == "EX" || other == "EX" {
        return true;
    }
    BORDERS.contains(&(one.min(other), one.max(other)))
}
