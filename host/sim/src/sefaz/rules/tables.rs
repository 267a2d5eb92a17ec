//! Codes that the rules look up: NCM, CFOP, cClassTrib.

use std::collections::HashSet;
use std::sync::LazyLock;

fn read(text: &'static str) -> HashSet<String> {
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .flat_map(|(first, rest)| rest.split(' ').map(move |r| format!("{first}{r}")))
        .collect()
}

static NCM: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("../tabelas/ncm.txt")));
static CFOP: LazyLock<HashSet<String>> =
    LazyLock::new(|| read(include_str!("../tabelas/cfop.txt")));
static CLASS: LazyLock<HashSet<String>> =
    LazyLock::new(|| read(include_str!("../tabelas/cclasstrib.txt")));

pub(super) fn ncm(code: &str) -> bool {
    NCM.contains(code)
}

pub(super) fn cfop(code: &str) -> bool {
    CFOP.contains(code)
}

pub(super) fn class(code: &str) -> bool {
    CLASS.contains(code)
}

/// CST of IBS/CBS that have tax classifications.
pub(super) fn cst_reforma(cst: &str) -> bool {
    cst.len() == 3 && CLASS.iter().any(|c| c.starts_with(cst))
}

/// CFOP of a devolution of goods (annex XI.01 of NT 2013.005 and later
/// additions, second-hand).
pub(super) fn devolution(cfop: &str) -> bool {
    const INCOMING: [&str; 23] = [
        "201", "202", "203", "204", "208", "209", "212", "213", "214", "215", "216", "410", "411",
        "503", "504", "505", "506", "553", "660", "661", "662", "918", "919",
    ];
    const FROM_ABROAD: [&str; 6] = ["201", "202", "211", "212", "503", "553"];
    const OUTGOING: [&str; 23] = [
        "201", "202", "208", "209", "210", "213", "214", "215", "216", "410", "411", "412", "413",
        "503", "553", "555", "556", "660", "661", "662", "918", "919", "921",
    ];
    const TO_ABROAD: [&str; 7] = ["201", "202", "210", "211", "212", "553", "556"];
    let list: &[&str] = match cfop.get(..1) {
        Some("1" | "2") => &INCOMING,
        Some("3") => &FROM_ABROAD,
        Some("5" | "6") => &OUTGOING,
        Some("7") => &TO_ABROAD,
        _ => return false,
    };
    list.contains(&cfop.get(1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        assert!(ncm("01012100") && !ncm("01012101") && NCM.len() > 10_000);
        assert!(cfop("5102") && !cfop("5999") && CFOP.len() == 619);
        assert!(class("000001") && !class("000999") && cst_reforma("200") && !cst_reforma("999"));
        assert!(devolution("5202") && devolution("1411") && !devolution("5102"));
        // A purchase, and goods on their way to be exported.
        assert!(devolution("5556") && !devolution("1556") && !devolution("5504"));
    }
}
