//! Paths and messages with placeholders: `/ConsultarDPS/{documento}/{serie}/{numero}`.

use super::NOTHING;
use sdk::Context;
use sdk::xml::escape_text;

/// Longest protocol kept.
const MAX_PROTOCOL: usize = 100;

/// What a pattern may name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Id of the DPS, 45 positions.
    pub dps: String,
    pub chave: String,
    pub protocol: String,
    /// A document as markup, without its declaration.
    pub xml: String,
    /// Id of the request for an event.
    pub event: String,
    /// Reason of a cancellation, in the word of the content.
    pub reason: &'static str,
}

impl Names {
    pub fn of_dps(id: &str) -> Self {
        Names {
            dps: id.to_owned(),
            ..Names::default()
        }
    }

    pub fn of_chave(chave: &str) -> Self {
        Names {
            chave: chave.to_owned(),
            ..Names::default()
        }
    }

    /// The markup of a placeholder. None: there is no such placeholder.
    fn markup(&self, name: &str, ctx: &Context) -> Option<String> {
        let element = |name: &str, text: &str| format!("<{name}>{}</{name}>", escape_text(text));
        let (name, more) = name.split_once(':').unwrap_or((name, ""));
        let provider = ctx.emitente.documento.as_str();
        let registration = ctx.emitente.inscricao_municipal.as_deref().map(str::trim);
        Some(match name {
            "xml" => self.xml.clone(),
            "producao" if ctx.in_production() => more.to_owned(),
            "homologacao" if !ctx.in_production() => more.to_owned(),
            "producao" | "homologacao" => String::new(),
            "CNPJ" if provider.len() == 11 => element("CPF", provider),
            "Cnpj" if provider.len() == 11 => element("Cpf", provider),
            "CNPJ" | "Cnpj" => element(name, provider),
            // Left out with its element where the customer has none.
            "IM" | "InscricaoMunicipal" => registration
                .filter(|text| !text.is_empty())
                .map(|text| element(name, text))
                .unwrap_or_default(),
            "motivo" => coded(more, self.reason).to_owned(),
            _ => escape_text(&self.value(name, ctx)?),
        })
    }

    /// The text of a placeholder. None: there is no such placeholder.
    fn value(&self, name: &str, ctx: &Context) -> Option<String> {
        // DPS, municipality (7), kind of inscription, inscription (14),
        // series (5), number (15).
        let part = |from: usize, to: usize| self.dps.get(from..to).unwrap_or_default();
        Some(match name {
            "id" => self.dps.clone(),
            "id_evento" => self.event.clone(),
            "chave" => self.chave.clone(),
            "protocolo" => self.protocol.clone(),
            "documento" => ctx.emitente.documento.clone(),
            "serie" => number(part(25, 30)),
            "numero" => number(part(30, 45)),
            "numero_nota" => number_of_chave(&self.chave),
            "ambiente" => if ctx.in_production() { "1" } else { "2" }.to_owned(),
            "municipio" => ctx
                .municipio
                .as_ref()
                .map(|municipality| format!("{:07}", municipality.codigo))
                .unwrap_or_default(),
            _ => return None,
        })
    }
}

/// The number of the note in a key: after municipality (7), environment, kind
/// of inscription and inscription (14), 13 digits.
pub fn number_of_chave(chave: &str) -> String {
    number(chave.get(23..36).unwrap_or_default())
}

fn number(digits: &str) -> String {
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    }
}

/// The code of a word in `word=code,other=code`; empty where it has none.
fn coded<'a>(codes: &'a str, word: &str) -> &'a str {
    codes
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == word)
        .map_or("", |(_, code)| code)
}

/// A pattern over the name of an operation: `{metodo}`, in capital letters
/// (`{metodo:maiusculas}`), or what follows its last dot with one capital
/// letter (`{metodo:capital}`).
pub fn named(pattern: &str, operation: &str) -> String {
    if pattern == NOTHING {
        return String::new();
    }
    let last = operation.rsplit('.').next().unwrap_or_default();
    let mut letters = last.to_lowercase().chars().collect::<Vec<_>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    pattern
        .replace("{metodo}", operation)
        .replace("{metodo:maiusculas}", &operation.to_uppercase())
        .replace("{metodo:capital}", &letters.into_iter().collect::<String>())
}

/// A protocol as it may stand in a path; None for anything else.
pub fn protocol(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty()
        && text.len() <= MAX_PROTOCOL
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && text.bytes().any(|b| b.is_ascii_alphanumeric());
    fits.then(|| text.to_owned())
}

/// Fills a pattern; texts are escaped as those of XML, which changes none
/// that a path may have. None: it names something else.
pub fn fill(pattern: &str, names: &Names, ctx: &Context) -> Option<String> {
    let mut filled = String::with_capacity(pattern.len() + 64);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}')?;
        filled.push_str(before);
        filled.push_str(&names.markup(name, ctx)?);
        rest = tail;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Whether a pattern can be filled.
pub fn is_valid(pattern: &str, ctx: &Context) -> bool {
    fill(pattern, &Names::default(), ctx).is_some()
}

#[cfg(test)]
mod tests {
    use super::{named, protocol};

    #[test]
    fn operations_in_every_form() {
        for (pattern, expected) in [
            ("nfse:{metodo}", "nfse:nfse_web.GERARNFSE"),
            ("A{metodo:maiusculas}", "ANFSE_WEB.GERARNFSE"),
            ("nfse:{metodo:capital}request", "nfse:Gerarnfserequest"),
            ("nenhum", ""),
        ] {
            assert_eq!(named(pattern, "nfse_web.GERARNFSE"), expected);
        }
    }

    #[test]
    fn a_protocol_may_not_leave_its_place_in_a_path() {
        assert_eq!(protocol(" 1abc-2.3_4 ").as_deref(), Some("1abc-2.3_4"));
        for odd in [
            "",
            "..",
            "a/b",
            "a?b",
            "a b",
            "ção",
            "<a>",
            &"1".repeat(101),
        ] {
            assert_eq!(protocol(odd), None, "{odd}");
        }
    }
}
