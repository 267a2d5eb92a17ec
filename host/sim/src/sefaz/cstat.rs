//! Official codes and texts, and a refusal made of one.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Official texts by code, without "Rejeição: ".
pub static TEXTS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    include_str!("tabelas/cstat.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .collect()
});

/// Most characters of `xMotivo`.
const MAX_REASON: usize = 255;

/// Official text of a code, without "Rejeição: ".
pub(super) fn text(code: &str) -> &'static str {
    TEXTS.get(code).copied().unwrap_or("Erro não catalogado")
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

    /// `xMotivo`. Some authorizers write without accents.
    pub fn reason(&self, accents: bool) -> String {
        let text = match &self.text {
            Some(text) => text.clone(),
            None => format!(
                "{}{}{}",
                prefix(&self.code),
                text(&self.code),
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
