//! What a system changes in the model's messages: elements it does not have or
//! has besides, names of its own, an order of its own. The changes are data of
//! the registry.

mod source;

use rps::Fields;
use sdk::xml::{self, Element, escape_text};
use sdk::{Context, Decimal, Failure};
use source::{Filled, Missing, Source, coded};

/// A system's changes; none is the model itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Paths of elements that are left out.
    omitted: Vec<Vec<String>>,
    /// Paths of elements whose content the system cannot take, and the text
    /// that says nothing more than their absence.
    refused: Vec<(Vec<String>, String)>,
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
    /// "Servico/ExigibilidadeISS=1, Valores/DescontoCondicionado"
    pub refused: &'t str,
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
    /// The field without which no message with its group may be sent.
    missing: Option<Missing>,
}

/// What takes its text from the note a message is about.
const OF_NOTA: &str = "{@";

/// A message as it is written, and the fields it lacks.
struct Written {
    text: String,
    fields: Fields,
}

/// Fields of the elements that a system may refuse and whose name says less.
const FIELDS: [(&str, &str); 9] = [
    ("ConstrucaoCivil", "obra"),
    ("DescontoCondicionado", "valores.desconto_condicionado"),
    ("DescontoIncondicionado", "valores.desconto_incondicionado"),
    ("ExigibilidadeISS", "valores.iss.tributacao"),
    ("Intermediario", "intermediario"),
    ("IntermediarioServico", "intermediario"),
    ("OutrasRetencoes", "valores.retencoes.outras"),
    ("ResponsavelRetencao", "valores.iss.retencao"),
    ("ValorDeducoes", "valores.deducoes"),
];

impl Written {
    /// Notes an element whose loss would change what the note says: anything
    /// but nothing, zero and the text that is harmless.
    fn refuse(&mut self, element: &Element, harmless: &str) {
        let text = element.text().trim();
        let nothing = text.is_empty() || text.parse::<Decimal>().is_ok_and(|n| n.is_zero());
        if element.children().is_empty() && (nothing || text == harmless) {
            return;
        }
        let field = field_of(element.name());
        if !self.fields.has(field) {
            self.fields.error(
                field,
                "sem_equivalente",
                "O leiaute da prefeitura não aceita este valor.",
            );
        }
    }

    fn addition(&mut self, addition: &Addition) {
        let Addition {
            name,
            text,
            missing,
            ..
        } = addition;
        match missing {
            Some(Missing {
                field,
                uncoded: true,
            }) => self.fields.error(
                field,
                "sem_equivalente",
                "A prefeitura não tem código para este valor.",
            ),
            Some(Missing { field, .. }) => {
                self.fields
                    .error(field, "obrigatorio", "A prefeitura exige este campo.");
            }
            None if text.starts_with('<') => self.text.push_str(text),
            None => self.text.push_str(&format!("<{name}>{text}</{name}>")),
        }
    }
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
            refused,
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
            let missing = None;
            Some(Addition {
                group,
                name,
                text,
                missing,
            })
        });
        Some(Dialect {
            added: added.collect::<Option<_>>()?,
            omitted: list(omitted, ',').map(segments).collect::<Option<_>>()?,
            refused: list(refused, ',')
                .map(|entry| {
                    let (path, text) = entry.split_once('=').unwrap_or((entry, ""));
                    Some((segments(path)?, text.trim().to_owned()))
                })
                .collect::<Option<_>>()?,
            renamed: named(renamed)?,
            wrapped: named(wrapped)?,
            ordered: ordered.collect::<Option<_>>()?,
        })
    }

    /// Fills the added elements with the fields of a call; an element one of
    /// whose fields is not there is not added, unless the system demands it
    /// (`{!field}`): then no message with its group may be sent.
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
            match source.fill(&addition.text)? {
                Filled::Text(text) => added.push(Addition { text, ..addition }),
                Filled::Missing(field) => added.push(Addition {
                    text: String::new(),
                    missing: Some(field),
                    ..addition
                }),
                Filled::Absent => {}
            }
        }
        self.added = added;
        Ok(self)
    }

    /// Some element takes a text of the note the message is about
    /// (`{@InfNfse/Id}`).
    pub fn wants_nota(&self) -> bool {
        self.added.iter().any(|added| added.text.contains(OF_NOTA))
    }

    /// Fills what elements take over from a note: `{@InfNfse/Id}` is an
    /// attribute of the element of that name.
    ///
    /// # Errors
    /// The note does not say it.
    pub fn of_nota(mut self, nota: &[u8]) -> Result<Self, Failure> {
        let silent =
            || Failure::unexpected("a NFS-e da prefeitura nao diz o que o pedido exige", nota);
        let document = xml::parse(nota).map_err(|_| silent())?;
        for addition in &mut self.added {
            while let Some((before, after)) = addition.text.split_once(OF_NOTA) {
                let (inside, tail) = after.split_once('}').ok_or_else(silent)?;
                let (name, attribute) = inside.split_once('/').ok_or_else(silent)?;
                let element = document.root().descendant(name);
                let found = element.and_then(|element| element.attribute(attribute));
                let found = found.filter(|text| !text.trim().is_empty());
                let value = escape_text(found.ok_or_else(silent)?);
                addition.text = format!("{before}{value}{tail}");
            }
        }
        Ok(self)
    }

    /// The message as this system wants it. A text that is no message comes
    /// back as it is.
    ///
    /// # Errors
    /// A field the system demands in this message is not there.
    pub fn apply(&self, message: String) -> Result<String, Failure> {
        if *self == Dialect::default() {
            return Ok(message);
        }
        let Ok(document) = xml::parse(message.as_bytes()) else {
            return Ok(message);
        };
        let mut out = Written {
            text: String::with_capacity(message.len()),
            fields: Fields::default(),
        };
        let here = Dialect {
            added: self.added_to(document.root()),
            ..self.clone()
        };
        here.write(document.text(), document.root(), &mut Vec::new(), &mut out);
        out.fields.result(out.text)
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
            // Of no note: the message is about none.
            if addition.text.contains(OF_NOTA) {
                continue;
            }
            let (text, missing) = match of_message(&addition.text, root) {
                Filled::Text(text) => (text, addition.missing.clone()),
                Filled::Missing(missing) => (String::new(), Some(missing)),
                Filled::Absent => continue,
            };
            taken.push(Addition {
                text,
                missing,
                ..addition.clone()
            });
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
        out: &mut Written,
    ) {
        path.push(element.name());
        if let Some((_, harmless)) = self.refused.iter().find(|(end, _)| ends_with(path, end)) {
            out.refuse(element, harmless);
        }
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
        out: &mut Written,
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
        out.text.push('<');
        out.text.push_str(&name);
        out.text.push_str(&start[1 + written.len()..]);
        let wrapper = self.wrapped.iter().find(|(end, _)| ends_with(path, end));
        if let Some((_, name)) = wrapper {
            out.text.push_str(&format!("<{name}>"));
        }
        let pieces = self.pieces(element, path);
        if pieces.is_empty() {
            out.text.push_str(inside);
        }
        for piece in pieces {
            match piece {
                Piece::Element(child) => self.write(text, child, path, out),
                Piece::Addition(addition) => out.addition(addition),
            }
        }
        if let Some((_, name)) = wrapper {
            out.text.push_str(&format!("</{name}>"));
        }
        out.text.push_str("</");
        out.text.push_str(&name);
        out.text.push('>');
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

/// A text with what it takes over from a message, as markup: absent where the
/// message has no such element or its text has no code, missing where the
/// system demands it (`{!=Element}`).
fn of_message(text: &str, root: &Element) -> Filled {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        if !after.trim_start_matches('!').starts_with('=') {
            // The placeholder of a secret.
            out.push('{');
            rest = after;
            continue;
        }
        let Some((inside, tail)) = after.split_once('}') else {
            return Filled::Absent;
        };
        let demanded = inside.starts_with('!');
        let name = inside.trim_start_matches(['!', '=']);
        let (name, codes) = name.split_once(':').unwrap_or((name, ""));
        let found = root.descendant(name);
        let text = found.and_then(|element| coded(element.text().to_owned(), codes));
        match text {
            Some(text) => out.push_str(&escape_text(&text)),
            None if demanded => {
                return Filled::Missing(Missing {
                    field: field_of(name).to_owned(),
                    uncoded: found.is_some(),
                });
            }
            None => return Filled::Absent,
        }
        rest = tail;
    }
    out.push_str(rest);
    Filled::Text(out)
}

/// The field that an element is about, where its name says less.
fn field_of(element: &str) -> &str {
    let known = FIELDS.iter().find(|(name, _)| *name == element);
    known.map_or(element, |(_, field)| field)
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
mod tests;
