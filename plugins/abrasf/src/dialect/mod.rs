//! What a system changes in the model's messages: elements it does not have or
//! has besides, names of its own, an order of its own. The changes are data of
//! the registry.

mod source;

use sdk::xml::{self, Element, escape_text};
use sdk::{Context, Failure};
use source::{Source, coded};

/// A system's changes; none is the model itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Paths of elements that are left out.
    omitted: Vec<Vec<String>>,
    /// Paths of elements, and their names here.
    renamed: Vec<(Vec<String>, String)>,
    /// Names of groups, and the order of their elements.
    ordered: Vec<(String, Vec<String>)>,
    /// Elements the model does not have.
    added: Vec<Addition>,
    /// Paths of elements whose content stands in one more element, and its
    /// name.
    wrapped: Vec<(Vec<String>, String)>,
}

/// The options of a dialect, as texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts<'t> {
    /// "Servico/CodigoPais, Status"
    pub omitted: &'t str,
    /// "Servico/ExigibilidadeISS=Exigibilidade"
    pub renamed: &'t str,
    /// "Servico=Valores IssRetido; Valores=ValorServicos"
    pub ordered: &'t str,
    /// "Servico/cNBS={servico.codigo_nbs}", or a whole element as markup:
    /// "Pedido/Login=<Login><Senha>{segredo.senha}</Senha></Login>"
    pub added: &'t str,
    /// "ConsultarNfseRpsEnvio=Pedido"
    pub wrapped: &'t str,
}

/// An element in the place of one of its name that is left out, or at the end
/// of its group, unless the group has an order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Addition {
    group: Vec<String>,
    name: String,
    /// Its text, or the whole element as markup, with fields in braces.
    text: String,
}

/// What is written in a group.
enum Piece<'p> {
    Element(&'p Element),
    Addition(&'p Addition),
}

impl Piece<'_> {
    fn name(&self) -> &str {
        match self {
            Piece::Element(element) => element.name(),
            Piece::Addition(addition) => &addition.name,
        }
    }
}

impl Dialect {
    /// Reads the options. None: a text has another form.
    pub fn read(texts: Texts<'_>) -> Option<Self> {
        let Texts {
            omitted,
            renamed,
            ordered,
            added,
            wrapped,
        } = texts;
        let ordered = list(ordered, ';').map(|entry| {
            let (group, names) = entry.split_once('=')?;
            let names = names.split_whitespace().map(str::to_owned).collect();
            Some((group.trim().to_owned(), names))
        });
        let added = list(added, ';').map(|entry| {
            let (path, text) = entry.split_once('=')?;
            let mut group = segments(path)?;
            let name = group.pop().filter(|_| !group.is_empty())?;
            let text = text.trim().to_owned();
            Some(Addition { group, name, text })
        });
        Some(Dialect {
            added: added.collect::<Option<_>>()?,
            omitted: list(omitted, ',').map(segments).collect::<Option<_>>()?,
            renamed: named(renamed)?,
            wrapped: named(wrapped)?,
            ordered: ordered.collect::<Option<_>>()?,
        })
    }

    /// Fills the added elements with the fields of a call; an element one of
    /// whose fields is not there is not added.
    ///
    /// # Errors
    /// The customer has not given a secret that an element holds.
    pub fn of_call(mut self, ctx: &Context, json: &str) -> Result<Self, Failure> {
        if self.added.is_empty() {
            return Ok(self);
        }
        let source = Source::new(json, ctx);
        let mut added = Vec::with_capacity(self.added.len());
        for addition in self.added {
            if let Some(text) = source.fill(&addition.text)? {
                added.push(Addition { text, ..addition });
            }
        }
        self.added = added;
        Ok(self)
    }

    /// The message as this system wants it. A text that is no message comes
    /// back as it is.
    pub fn apply(&self, message: String) -> String {
        if *self == Dialect::default() {
            return message;
        }
        let Ok(document) = xml::parse(message.as_bytes()) else {
            return message;
        };
        let mut out = String::with_capacity(message.len());
        let here = Dialect {
            added: self.added_to(document.root()),
            ..self.clone()
        };
        here.write(document.text(), document.root(), &mut Vec::new(), &mut out);
        out
    }

    /// The added elements with what they take over from the message:
    /// `{=ItemListaServico}` is the text of that element, also with the codes of
    /// its words. Of several with one name in one group the first that can be
    /// filled is taken.
    fn added_to(&self, root: &Element) -> Vec<Addition> {
        let mut taken: Vec<Addition> = Vec::new();
        for addition in &self.added {
            let known =
                |other: &Addition| other.group == addition.group && other.name == addition.name;
            if taken.iter().any(known) {
                continue;
            }
            if let Some(text) = of_message(&addition.text, root) {
                taken.push(Addition {
                    text,
                    ..addition.clone()
                });
            }
        }
        taken
    }

    /// Writes an element and what is below it; the depth is bounded by the
    /// reader.
    fn write<'e>(
        &'e self,
        text: &str,
        element: &'e Element,
        path: &mut Vec<&'e str>,
        out: &mut String,
    ) {
        path.push(element.name());
        if !self.omitted.iter().any(|end| ends_with(path, end)) {
            self.write_kept(text, element, path, out);
        }
        path.pop();
    }

    fn write_kept<'e>(
        &'e self,
        text: &str,
        element: &'e Element,
        path: &mut Vec<&'e str>,
        out: &mut String,
    ) {
        let raw = &text[element.span()];
        let (start, content) = raw.split_at(raw.find('>').map_or(raw.len(), |at| at + 1));
        let inside = content.rfind("</").map_or("", |end| &content[..end]);
        let written = start
            .trim_start_matches('<')
            .split([' ', '>', '/'])
            .next()
            .unwrap_or_default();
        let prefix = written.split_once(':').map_or("", |(prefix, _)| prefix);
        let name = self.name(path, written, prefix);
        out.push('<');
        out.push_str(&name);
        out.push_str(&start[1 + written.len()..]);
        let wrapper = self.wrapped.iter().find(|(end, _)| ends_with(path, end));
        if let Some((_, name)) = wrapper {
            out.push_str(&format!("<{name}>"));
        }
        let pieces = self.pieces(element, path);
        if pieces.is_empty() {
            out.push_str(inside);
        }
        for piece in pieces {
            match piece {
                Piece::Element(child) => self.write(text, child, path, out),
                Piece::Addition(Addition { text, .. }) if text.starts_with('<') => {
                    out.push_str(text);
                }
                Piece::Addition(Addition { name, text, .. }) => {
                    out.push_str(&format!("<{name}>{text}</{name}>"));
                }
            }
        }
        if let Some((_, name)) = wrapper {
            out.push_str(&format!("</{name}>"));
        }
        out.push_str("</");
        out.push_str(&name);
        out.push('>');
    }

    /// The name an element has here; one after a colon has no prefix.
    fn name(&self, path: &[&str], written: &str, prefix: &str) -> String {
        match self.renamed.iter().find(|(end, _)| ends_with(path, end)) {
            Some((_, name)) if prefix.is_empty() || name.starts_with(':') => {
                name.trim_start_matches(':').to_owned()
            }
            Some((_, name)) => format!("{prefix}:{name}"),
            None => written.to_owned(),
        }
    }

    /// What stands in an element, in this system's order; what it does not
    /// name follows in the order it had.
    fn pieces<'p>(&'p self, element: &'p Element, path: &[&'p str]) -> Vec<Piece<'p>> {
        let here: Vec<&Addition> = self
            .added
            .iter()
            .filter(|addition| ends_with(path, &addition.group))
            .collect();
        let children = element.children().iter();
        let mut pieces: Vec<Piece<'p>> = children
            .map(|child| {
                let mut below = path.to_vec();
                below.push(child.name());
                let replaced = self.omitted.iter().any(|end| ends_with(&below, end));
                let instead = here.iter().find(|added| added.name == child.name());
                match instead {
                    Some(addition) if replaced => Piece::Addition(addition),
                    _ => Piece::Element(child),
                }
            })
            .collect();
        let absent = here
            .into_iter()
            .filter(|addition| element.child(&addition.name).is_none());
        pieces.extend(absent.map(Piece::Addition));
        let order = self
            .ordered
            .iter()
            .find(|(group, _)| group == element.name());
        if let Some((_, names)) = order {
            pieces.sort_by_key(|piece| {
                let place = names.iter().position(|name| name == piece.name());
                place.unwrap_or(names.len())
            });
        }
        pieces
    }
}

/// A text with what it takes over from a message, as markup. None: the message
/// has no such element, or its text has no code.
fn of_message(text: &str, root: &Element) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{=") {
        let (inside, tail) = after.split_once('}')?;
        let (name, codes) = inside.split_once(':').unwrap_or((inside, ""));
        let found = root.descendant(name)?.text().to_owned();
        out.push_str(before);
        out.push_str(&escape_text(&coded(found, codes)?));
        rest = tail;
    }
    out.push_str(rest);
    Some(out)
}

fn list(text: &str, separator: char) -> impl Iterator<Item = &str> {
    text.split(separator)
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// "Servico/ExigibilidadeISS=Exigibilidade, …" as paths and names.
fn named(text: &str) -> Option<Vec<(Vec<String>, String)>> {
    list(text, ',')
        .map(|entry| {
            let (path, name) = entry.split_once('=')?;
            Some((segments(path)?, name.trim().to_owned()))
        })
        .collect()
}

/// "Servico/CodigoPais" as names.
fn segments(path: &str) -> Option<Vec<String>> {
    let names: Vec<String> = path.trim().split('/').map(str::to_owned).collect();
    names.iter().all(|name| !name.is_empty()).then_some(names)
}

fn ends_with(path: &[&str], end: &[String]) -> bool {
    path.len() >= end.len() && path[path.len() - end.len()..] == *end
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::{Ambiente, Emitente};

    const MESSAGE: &str = "<E xmlns=\"urn:e\"><A Id=\"1\"><B>x &amp; y</B><C></C><D>z</D></A></E>";

    const CONTENT: &str = r#"{"a":{"b":"1 < 2","blank":" "},"n":7}"#;

    fn context() -> Context {
        Context {
            flow: "flw_1".into(),
            step: 0,
            now: "2026-10-05T10:15:00-03:00".into(),
            entropy: vec![0; 32],
            ambiente: Ambiente::Homologacao,
            municipio: None,
            uf: None,
            emitente: Emitente {
                documento: "90011001000124".into(),
                inscricao_municipal: None,
                inscricao_estadual: None,
                razao_social: "EMPRESA DE TESTE LTDA".into(),
                extras: Vec::new(),
            },
            endpoints: Vec::new(),
            options: Vec::new(),
            secrets: Vec::new(),
        }
    }

    fn applied(omitted: &str, renamed: &str, ordered: &str, added: &str) -> String {
        let texts = Texts {
            omitted,
            renamed,
            ordered,
            added,
            wrapped: "",
        };
        Dialect::read(texts)
            .expect("dialect")
            .of_call(&context(), CONTENT)
            .expect("filled")
            .apply(MESSAGE.to_owned())
    }

    #[test]
    fn without_changes_the_message_stays_as_it_is() {
        assert_eq!(applied("", "", "", ""), MESSAGE);
    }

    #[test]
    fn elements_are_left_out_renamed_and_ordered() {
        assert_eq!(
            applied("A/C", "A/B=Beta", "A=D B", ""),
            "<E xmlns=\"urn:e\"><A Id=\"1\"><D>z</D><Beta>x &amp; y</Beta></A></E>"
        );
    }

    #[test]
    fn what_the_order_does_not_name_follows() {
        assert_eq!(
            applied("", "", "A=D", ""),
            "<E xmlns=\"urn:e\"><A Id=\"1\"><D>z</D><B>x &amp; y</B><C></C></A></E>"
        );
    }

    #[test]
    fn elements_are_added_with_fields_of_the_content() {
        assert_eq!(
            applied(
                "A/B,A/C",
                "",
                "A=F D",
                "A/F={a.b}-{n}; A/G=k; A/H={a.blank}; A/D=no"
            ),
            "<E xmlns=\"urn:e\"><A Id=\"1\"><F>1 &lt; 2-7</F><D>z</D><G>k</G></A></E>"
        );
    }

    #[test]
    fn an_added_element_may_be_markup_with_codes_of_words() {
        let login = "A/L=<L><D>{emitente.documento}</D><T>{homologacao}</T></L>; A/M={k:x=1,y=2}";
        assert_eq!(
            applied("A", "", "", "E/Z={a.b:1 < 2=9}"),
            "<E xmlns=\"urn:e\"><Z>9</Z></E>"
        );
        assert_eq!(
            applied("A/B,A/C,A/D", "", "", login),
            "<E xmlns=\"urn:e\"><A Id=\"1\"><L><D>90011001000124</D><T>true</T></L></A></E>"
        );
    }

    #[test]
    fn a_missing_secret_is_a_missing_credential() {
        let added = "A/S={segredo.senha}";
        let dialect = Dialect::read(Texts {
            added,
            ..Texts::default()
        })
        .expect("dialect");
        assert!(dialect.of_call(&context(), CONTENT).is_err());
    }

    #[test]
    fn an_added_element_may_take_a_text_of_the_message() {
        assert_eq!(
            applied("A/B,A/C,A/D", "", "", "A/F=<F><G>{=B}</G></F>; A/H={=Z}"),
            "<E xmlns=\"urn:e\"><A Id=\"1\"><F><G>x &amp; y</G></F></A></E>"
        );
    }

    #[test]
    fn the_content_of_an_element_may_stand_in_one_more() {
        let texts = Texts {
            wrapped: "E=P",
            omitted: "A",
            ..Texts::default()
        };
        let dialect = Dialect::read(texts).expect("dialect");
        assert_eq!(
            dialect.apply(MESSAGE.to_owned()),
            "<E xmlns=\"urn:e\"><P></P></E>"
        );
    }

    #[test]
    fn another_form_is_no_dialect() {
        let none = Texts::default();
        for texts in [
            Texts {
                omitted: "A//B",
                ..none
            },
            Texts {
                renamed: "A",
                ..none
            },
            Texts {
                ordered: "A",
                ..none
            },
            Texts {
                added: "A=x",
                ..none
            },
            Texts {
                wrapped: "A",
                ..none
            },
        ] {
            assert_eq!(Dialect::read(texts), None);
        }
    }
}
