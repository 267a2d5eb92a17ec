//! Names and states of municipalities, by IBGE code: some layouts name a city
//! in words where the content has only its code.

/// A line each, sorted: seven digits, a space, the name.
const TABLE: &str = include_str!("cities.txt");

/// States by the first two digits of the IBGE code.
const STATES: [(&str, &str); 27] = [
    ("11", "RO"),
    ("12", "AC"),
    ("13", "AM"),
    ("14", "RR"),
    ("15", "PA"),
    ("16", "AP"),
    ("17", "TO"),
    ("21", "MA"),
    ("22", "PI"),
    ("23", "CE"),
    ("24", "RN"),
    ("25", "PB"),
    ("26", "PE"),
    ("27", "AL"),
    ("28", "SE"),
    ("29", "BA"),
    ("31", "MG"),
    ("32", "ES"),
    ("33", "RJ"),
    ("35", "SP"),
    ("41", "PR"),
    ("42", "SC"),
    ("43", "RS"),
    ("50", "MS"),
    ("51", "MT"),
    ("52", "GO"),
    ("53", "DF"),
];

/// The name of a municipality.
pub fn name(ibge: &str) -> Option<&'static str> {
    let mut lines = TABLE.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(code, _)| *code == ibge).map(|(_, name)| name)
}

/// The state of a municipality.
pub fn state(ibge: &str) -> Option<&'static str> {
    name(ibge)?;
    let found = STATES
        .iter()
        .find(|(digits, _)| ibge.get(..2) == Some(digits));
    found.map(|(_, state)| *state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_city_has_its_name_and_state() {
        let lines: Vec<&str> = TABLE.lines().collect();
        assert!(lines.len() > 5_500, "{}", lines.len());
        assert!(lines.is_sorted());
        for line in lines {
            let (code, _) = line.split_once(' ').expect("two columns");
            assert!(
                STATES.iter().any(|(digits, _)| code.starts_with(digits)),
                "{line}"
            );
        }
        assert_eq!(name("4106902"), Some("Curitiba"));
        assert_eq!(state("4106902"), Some("PR"));
        assert_eq!(name("9999999"), None);
        assert_eq!(state("3599999"), None);
        assert_eq!(name(""), None);
    }
}
