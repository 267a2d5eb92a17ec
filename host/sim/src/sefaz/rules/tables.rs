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

/// Codes of the NCM.
pub static NCM: LazyLock<HashSet<String>> =
    LazyLock::new(|| read(include_str!("../tabelas/ncm.txt")));
/// Codes of operations.
pub static CFOP: LazyLock<HashSet<String>> =
    LazyLock::new(|| read(include_str!("../tabelas/cfop.txt")));
static CLASS: LazyLock<HashSet<String>> =
    LazyLock::new(|| read(include_str!("../tabelas/cclasstrib.txt")));

/// True when the NCM has this code.
pub fn ncm(code: &str) -> bool {
    NCM.contains(code)
}

/// True when there is such a CFOP.
pub fn cfop(code: &str) -> bool {
    CFOP.contains(code)
}

/// True when there is such a tax classification (`cClassTrib`).
pub fn class(code: &str) -> bool {
    CLASS.contains(code)
}

/// True for a CST of IBS/CBS that has tax classifications.
pub fn cst_reforma(cst: &str) -> bool {
    cst.len() == 3 && CLASS.iter().any(|c| c.starts_with(cst))
}

/// True for a CFOP of a devolution of goods (annex XI.01 of NT 2013.005 and later
/// additions, second-hand).
pub fn devolution(cfop: &str) -> bool {
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
