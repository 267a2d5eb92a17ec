//! Official codes and texts, and a refusal made of one.

use std::collections::HashMap;
use std::sync::LazyLock;

static TEXTS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    include_str!("tabelas/cstat.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .collect()
});

/// Most characters of `xMotivo`.
const MAX_MOTIVO: usize = 255;

/// Official text of a code, without "Rejeição: ".
pub(super) fn text(code: &str) -> &'static str {
    TEXTS.get(code).copied().unwrap_or("Erro não catalogado")
}

/// A document that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recusa {
    pub codigo: String,
    /// Behind the official text: `[nItem: 3]`, `[chNFe: …][nRec: …]`.
    pub complemento: String,
    /// In the place of the official text.
    pub texto: Option<String>,
}

impl From<&str> for Recusa {
    fn from(codigo: &str) -> Self {
        Self {
            codigo: codigo.to_owned(),
            complemento: String::new(),
            texto: None,
        }
    }
}

impl Recusa {
    pub fn com(codigo: &str, complemento: impl Into<String>) -> Self {
        Self {
            complemento: complemento.into(),
            ..Self::from(codigo)
        }
    }

    /// With the number of the item, from 1.
    pub fn item(codigo: &str, n: usize) -> Self {
        Self::com(codigo, format!(" [nItem: {n}]"))
    }

    /// `xMotivo`. Some authorizers write without accents.
    pub fn motivo(&self, accents: bool) -> String {
        let text = match &self.texto {
            Some(text) => text.clone(),
            None => format!(
                "{}{}{}",
                prefix(&self.codigo),
                text(&self.codigo),
                self.complemento
            ),
        };
        let text = if accents { text } else { unaccented(&text) };
        printable(&text)
    }
}

/// What stands before the text of a refusal.
fn prefix(codigo: &str) -> &'static str {
    match codigo.parse::<u16>() {
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
        .take(MAX_MOTIVO)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_the_layout() {
        for (code, text) in TEXTS.iter() {
            assert!(text.chars().count() <= 240, "{code}");
            assert!(text.chars().all(|c| (' '..='ÿ').contains(&c)), "{code}");
        }
        assert_eq!(
            Recusa::com("539", " [chNFe: 1][nRec: 2]").motivo(false),
            "Rejeicao: Duplicidade de NF-e com diferenca na Chave de Acesso [chNFe: 1][nRec: 2]"
        );
        assert_eq!(Recusa::from("100").motivo(true), "Autorizado o uso da NF-e");
    }
}
