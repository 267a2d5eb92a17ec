//! Paths and messages with placeholders: `/ConsultarDPS/{documento}/{serie}/{numero}`.

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

    /// The value of a placeholder. None: there is no such placeholder.
    fn value(&self, name: &str, ctx: &Context) -> Option<String> {
        // DPS, municipality (7), kind of inscription, inscription (14),
        // series (5), number (15).
        let part = |from: usize, to: usize| self.dps.get(from..to).unwrap_or_default().to_owned();
        let number = |from, to| part(from, to).trim_start_matches('0').to_owned();
        Some(match name {
            "id" => self.dps.clone(),
            "chave" => self.chave.clone(),
            "protocolo" => self.protocol.clone(),
            "documento" => ctx.emitente.documento.clone(),
            "serie" => or_zero(number(25, 30)),
            "numero" => or_zero(number(30, 45)),
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

fn or_zero(digits: String) -> String {
    if digits.is_empty() {
        "0".to_owned()
    } else {
        digits
    }
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

/// Fills a pattern; the values are escaped as text of XML, which changes none
/// that a path may have. None: it names something else.
pub fn fill(pattern: &str, names: &Names, ctx: &Context) -> Option<String> {
    let mut filled = String::with_capacity(pattern.len() + 64);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}')?;
        filled.push_str(before);
        filled.push_str(&escape_text(&names.value(name, ctx)?));
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
    use super::protocol;

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
