//! Ids of the signed elements of a message.

use sdk::Context;

/// What an id is made of where the system has a form of its own:
/// `rps=ID1{documento}{numero:16}, cancelamento=ID1{documento}{numero:9}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms(Vec<(Kind, String)>);

/// An element with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Rps,
    /// `Rps` inside the declaration.
    InnerRps,
    Batch,
    Cancelamento,
    Replacement,
}

const KINDS: [(&str, Kind); 5] = [
    ("rps", Kind::Rps),
    ("rps_interno", Kind::InnerRps),
    ("lote", Kind::Batch),
    ("cancelamento", Kind::Cancelamento),
    ("substituicao", Kind::Replacement),
];

/// The form of an element without id.
const NOTHING: &str = "nenhum";

impl Forms {
    /// Reads the option. None: it names another element, or a form names
    /// something else than document, number and year. The form `nenhum` is an
    /// element without id.
    pub fn read(text: &str) -> Option<Self> {
        let entries = text.split(',').map(str::trim).filter(|e| !e.is_empty());
        let forms = entries.map(|entry| {
            let (name, form) = entry.split_once('=')?;
            let (_, kind) = KINDS.iter().find(|(known, _)| *known == name.trim())?;
            fill(form, "", "1", "")?;
            Some((*kind, form.trim().to_owned()))
        });
        Some(Forms(forms.collect::<Option<_>>()?))
    }

    /// The id of an element with this number, empty where it has none; None:
    /// the system has no form.
    pub fn id(&self, kind: Kind, ctx: &Context, number: &str) -> Option<String> {
        let (_, form) = self.0.iter().find(|(known, _)| *known == kind)?;
        if form == NOTHING {
            return Some(String::new());
        }
        let year = ctx.now.get(..4).unwrap_or_default();
        fill(form, &ctx.emitente.documento, number, year)
    }
}

/// `{documento}` of the emitter, `{numero}`, also with zeros to a width
/// (`{numero:16}`), and `{ano}` of the call.
fn fill(form: &str, document: &str, number: &str, year: &str) -> Option<String> {
    let mut filled = String::new();
    let mut rest = form.trim();
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, tail) = after.split_once('}')?;
        filled.push_str(before);
        match inside.split_once(':') {
            Some(("numero", width)) => {
                let width = width.parse::<usize>().ok().filter(|width| *width <= 32)?;
                filled.push_str(&format!("{number:0>width$}"));
            }
            None if inside == "numero" => filled.push_str(number),
            None if inside == "documento" => filled.push_str(document),
            None if inside == "ano" => filled.push_str(year),
            _ => return None,
        }
        rest = tail;
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_names_document_number_and_year() {
        let filled = fill(
            "ID1{ano}{documento}{numero:6}-{numero}",
            "90011001000124",
            "57",
            "2026",
        );
        assert_eq!(filled.as_deref(), Some("ID1202690011001000124000057-57"));
        for wrong in ["{outro}", "{numero:x}", "{numero:99}", "{numero"] {
            assert_eq!(fill(wrong, "", "1", ""), None, "{wrong}");
        }
    }

    #[test]
    fn forms_are_of_known_elements() {
        assert!(Forms::read("rps=R{numero}, lote=L{numero}").is_some());
        assert_eq!(Forms::read(""), Some(Forms::default()));
        assert_eq!(Forms::read("nota=R{numero}"), None);
        assert_eq!(Forms::read("rps"), None);
    }
}
