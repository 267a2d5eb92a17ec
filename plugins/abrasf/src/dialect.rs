//! What a system changes in the model's messages: elements it does not have or
//! has besides, names of its own, an order of its own. The changes are data of
//! the registry.

use sdk::xml::{self, Element, escape_text};
use sdk::{Context, Encoding, Failure, Mensagem, host};
use serde_json::Value;

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

/// An element at the end of a group, unless the group has an order.
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
        let content = serde_json::from_str(json).unwrap_or_default();
        let source = Source { content, ctx };
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
    /// `{=ItemListaServico}` is the text of that element.
    fn added_to(&self, root: &Element) -> Vec<Addition> {
        let taken = self.added.iter().filter_map(|addition| {
            let mut text = String::new();
            let mut rest = addition.text.as_str();
            while let Some((before, after)) = rest.split_once("{=") {
                let (name, tail) = after.split_once('}')?;
                text.push_str(before);
                text.push_str(&escape_text(root.descendant(name)?.text()));
                rest = tail;
            }
            text.push_str(rest);
            Some(Addition {
                text,
                ..addition.clone()
            })
        });
        taken.collect()
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

    fn name(&self, path: &[&str], written: &str, prefix: &str) -> String {
        match self.renamed.iter().find(|(end, _)| ends_with(path, end)) {
            Some((_, name)) if prefix.is_empty() => name.clone(),
            Some((_, name)) => format!("{prefix}:{name}"),
            None => written.to_owned(),
        }
    }

    /// What stands in an element, in this system's order; what it does not
    /// name follows in the order it had.
    fn pieces<'p>(&'p self, element: &'p Element, path: &[&str]) -> Vec<Piece<'p>> {
        let added = self.added.iter().filter(|addition| {
            ends_with(path, &addition.group) && element.child(&addition.name).is_none()
        });
        let mut pieces: Vec<Piece<'p>> = element.children().iter().map(Piece::Element).collect();
        pieces.extend(added.map(Piece::Addition));
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

/// What fills the fields of an addition.
struct Source<'s> {
    content: Value,
    ctx: &'s Context,
}

impl Source<'_> {
    /// A text with its fields, as markup. `Ok(None)`: a field is not there.
    ///
    /// # Errors
    /// The customer has not given a secret.
    fn fill(&self, text: &str) -> Result<Option<String>, Failure> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, tail)) = after.split_once('}') else {
                return Ok(None);
            };
            out.push_str(before);
            if inside.starts_with('=') {
                // Of the message: it is not there yet.
                out.push_str(&format!("{{{inside}}}"));
                rest = tail;
                continue;
            }
            match self.value(inside)? {
                Some(value) => out.push_str(&value),
                None => return Ok(None),
            }
            rest = tail;
        }
        out.push_str(rest);
        Ok(Some(out))
    }

    /// `servico.codigo_nbs` of the content, `emitente.documento` and
    /// `emitente.inscricao_municipal` of the call, `segredo.senha`; after a
    /// colon the codes of words: `codigo_motivo:erro_emissao=1,duplicidade=9`.
    fn value(&self, inside: &str) -> Result<Option<String>, Failure> {
        let (path, codes) = inside.split_once(':').unwrap_or((inside, ""));
        if let Some(name) = path.strip_prefix("segredo.") {
            // A placeholder: the host writes the value while it sends.
            return match host::secret(name, Encoding::XmlText) {
                Some(placeholder) => Ok(Some(placeholder)),
                None => Err(Failure::credentials(vec![Mensagem::new(
                    "",
                    &format!("A prefeitura exige a credencial {name} do webservice."),
                )])),
            };
        }
        let found = match path {
            "emitente.documento" => Some(self.ctx.emitente.documento.clone()),
            "emitente.inscricao_municipal" => self.ctx.emitente.inscricao_municipal.clone(),
            "homologacao" => Some((!self.ctx.in_production()).to_string()),
            _ => self.field(path),
        };
        let coded = found.and_then(|value| coded(value, codes));
        Ok(coded.map(|value| escape_text(&value)))
    }

    fn field(&self, path: &str) -> Option<String> {
        let mut names = path.split('.');
        let value = names.try_fold(&self.content, |value, name| value.get(name))?;
        match value {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(yes) => Some(yes.to_string()),
            _ => None,
        }
    }
}

/// The code of a word; without codes the word itself.
fn coded(word: String, codes: &str) -> Option<String> {
    if codes.is_empty() {
        return Some(word);
    }
    let pairs = codes.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(word, code)| (word.trim(), code.trim()))
        .find(|(known, _)| *known == word)
        .map(|(_, code)| code.to_owned())
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
