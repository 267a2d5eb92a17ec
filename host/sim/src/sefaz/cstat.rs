//! Official codes and texts, and a refusal made of one.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Official texts of NF-e and NFC-e by code, without "Rejeição: ".
pub static TEXTS: Table = LazyLock::new(|| read(include_str!("tabelas/cstat.txt")));
/// The same of CT-e; what they lack is as in NF-e.
pub static CTE_TEXTS: Table = LazyLock::new(|| read(include_str!("tabelas/cstat-cte.txt")));
/// The same of MDF-e.
pub static MDFE_TEXTS: Table = LazyLock::new(|| read(include_str!("tabelas/cstat-mdfe.txt")));

/// Texts that are read when the first of them is asked for.
pub type Table = LazyLock<Texts>;

/// Texts by code.
pub type Texts = HashMap<&'static str, &'static str>;

fn read(table: &'static str) -> Texts {
    let lines = table.lines().filter(|l| !l.starts_with('#'));
    lines.filter_map(|l| l.split_once(' ')).collect()
}

/// Most characters of `xMotivo`.
const MAX_REASON: usize = 255;

/// Official text of a code, without "Rejeição: ".
fn text(texts: &Texts, code: &str) -> &'static str {
    let found = texts.get(code).or_else(|| TEXTS.get(code));
    found.copied().unwrap_or("Erro não catalogado")
}

/// A document that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `cStat`.
    pub code: String,
    /// Behind the official text: `[nItem: 3]`, `[chNFe: …][nRec: …]`.
    pub complement: String,
    /// In the place of the official text.
    pub text: Option<String>,
}

impl From<&str> for Refusal {
    fn from(code: &str) -> Self {
        Self {
            code: code.to_owned(),
            complement: String::new(),
            text: None,
        }
    }
}

impl Refusal {
    /// With what stands behind the official text.
    pub fn with(code: &str, complement: impl Into<String>) -> Self {
        Self {
            complement: complement.into(),
            ..Self::from(code)
        }
    }

    /// With the number of the item, from 1.
    pub fn item(code: &str, n: usize) -> Self {
        Self::with(code, format!(" [nItem: {n}]"))
    }

    /// `xMotivo` by the texts of a family. Some authorizers write without
    /// accents.
    pub fn reason(&self, texts: &Texts, accents: bool) -> String {
        let text = match &self.text {
            Some(text) => text.clone(),
            None => format!(
                "{}{}{}",
                prefix(&self.code),
                text(texts, &self.code),
                self.complement
            ),
        };
        let text = if accents { text } else { unaccented(&text) };
        printable(&text)
    }
}

/// What stands before the text of a refusal.
fn prefix(code: &str) -> &'static str {
    match code.parse::<u16>() {
        Ok(301..=303 | 205) => "",
        Ok(n) if n > 200 => "Rejeição: ",
        _ => "",
    }
}

/// Only what the type of the layout allows: Latin-1 from space on, no space
/// at the ends, not too long.
fn printable(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if (' '..='ÿ').contains(&c) { c } else { ' ' })
        .take(MAX_REASON)
        .collect();
    let clean = clean.trim();
    if clean.is_empty() {
        "-".to_owned()
    } else {
        clean.to_owned()
    }
}

/// The letters without their accents.
pub(super) fn unaccented(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'á' | 'à' | 'â' | 'ã' => 'a',
            'é' | 'ê' => 'e',
            'í' => 'i',
            'ó' | 'ô' | 'õ' => 'o',
            'ú' | 'ü' => 'u',
            'ç' => 'c',
            'Á' | 'À' | 'Â' | 'Ã' => 'A',
            'É' | 'Ê' => 'E',
            'Í' => 'I',
            'Ó' | 'Ô' | 'Õ' => 'O',
            'Ú' => 'U',
            'Ç' => 'C',
            c => c,
        })
        .collect()
}
