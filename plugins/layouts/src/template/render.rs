//! Fills a template for a call. All problems of a content are found at once.

use super::condition::{Term, Test};
use super::{Condition, Field, Format, Group, Piece, Template};
use rps::Fields;
use sdk::xml::escape_text;
use sdk::{Decimal, Encoding, Failure, Mensagem, host};

/// What a name stands for in a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Decimal(Decimal),
    Flag(bool),
    /// The customer's secret of this name.
    Secret(String),
    /// The value of `Authorization` for user and password.
    BasicAuth,
    /// A finished message.
    Document(String),
    /// A group that is there.
    Group,
}

/// Where the values of a call are.
pub trait Source {
    /// What a name stands for; None: it is not there.
    fn value(&self, name: &str) -> Option<Value>;

    /// The path of the API's body that a name is about.
    fn path(&self, name: &str) -> String;
}

/// How values are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    Xml,
    Json,
    /// Of a query or a form: percent encoding.
    Url,
    /// As they are.
    Plain,
}

impl Escape {
    fn text(self, text: &str, attribute: bool) -> String {
        match self {
            Escape::Xml if attribute => escape_text(text).replace('"', "&quot;"),
            Escape::Xml => escape_text(text),
            Escape::Json => {
                let quoted = serde_json::Value::from(text).to_string();
                let inside = quoted.get(1..quoted.len().saturating_sub(1));
                inside.unwrap_or_default().to_owned()
            }
            Escape::Url => percent(text),
            Escape::Plain => text.to_owned(),
        }
    }

    fn encoding(self) -> Encoding {
        match self {
            Escape::Xml => Encoding::XmlText,
            Escape::Json => Encoding::JsonText,
            Escape::Url => Encoding::Url,
            Escape::Plain => Encoding::Plain,
        }
    }
}

/// Percent encoding of all but the unreserved characters (RFC 3986, 2.3).
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Stands around the name of what is counted until the text is finished; no
/// text of XML may have it.
const COUNT: char = '\u{1}';

/// The text with its counts in their places.
fn counted(text: String) -> String {
    let parts: Vec<&str> = text.split(COUNT).collect();
    if parts.len() < 3 {
        return text;
    }
    let count = |name: &str| {
        let open = format!("<{name}");
        let after = text.split(&open).skip(1);
        after
            .filter(|rest| rest.starts_with(['>', '/', ' ']))
            .count()
    };
    let mut out = String::with_capacity(text.len());
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 {
            out.push_str(&count(part).to_string());
        } else {
            out.push_str(part);
        }
    }
    out
}

/// Filling of one or more templates of the same call.
pub struct Rendering<'s> {
    source: &'s dyn Source,
    fields: Fields,
    failure: Option<Failure>,
}

impl<'s> Rendering<'s> {
    pub fn new(source: &'s dyn Source) -> Self {
        Rendering {
            source,
            fields: Fields::default(),
            failure: None,
        }
    }

    /// The text of a template; what does not fit is kept for [`Self::end`].
    pub fn text(&mut self, template: &Template, escape: Escape) -> String {
        let mut out = String::new();
        self.pieces(&template.pieces, escape, &mut out);
        match escape {
            Escape::Xml => counted(out),
            _ => out,
        }
    }

    /// A name that the layout has no place for must be absent, blank or zero.
    pub fn refuse(&mut self, name: &str) {
        if !self.present(name) {
            return;
        }
        let path = self.source.path(name);
        if !self.fields.has(&path) {
            self.fields.error(
                &path,
                "sem_equivalente",
                "O leiaute da prefeitura não tem este campo.",
            );
        }
    }

    fn present(&self, name: &str) -> bool {
        match self.source.value(name) {
            None => false,
            Some(Value::Text(text)) => !text.trim().is_empty(),
            Some(Value::Decimal(value)) => !value.is_zero(),
            Some(Value::Flag(yes)) => yes,
            Some(_) => true,
        }
    }

    /// Whether a condition holds for the call.
    pub fn holds(&self, condition: &Condition) -> bool {
        condition.holds(|term| self.test(term))
    }

    /// Problems that the layout states itself.
    pub fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    /// # Errors
    /// `invalid-input` with every problem of the content; else a secret that
    /// the customer has not given.
    pub fn end(self) -> Result<(), Failure> {
        self.fields.result(String::new())?;
        self.failure.map_or(Ok(()), Err)
    }

    fn pieces(&mut self, pieces: &[Piece], escape: Escape, out: &mut String) {
        // The depth is bounded by the parser.
        for piece in pieces {
            match piece {
                Piece::Literal(text) => out.push_str(text),
                Piece::Field(field) => {
                    let text = self.field(field, escape);
                    out.push_str(&text);
                }
                Piece::Group(group) => self.group(group, escape, out),
                Piece::Count(name) => {
                    out.push_str(&format!("{COUNT}{name}{COUNT}"));
                }
            }
        }
    }

    fn group(&mut self, group: &Group, escape: Escape, out: &mut String) {
        let pieces = if self.holds(&group.condition) {
            &group.then
        } else {
            &group.otherwise
        };
        self.pieces(pieces, escape, out);
    }

    fn test(&self, term: &Term) -> bool {
        match &term.test {
            Test::Present => self.present(&term.name),
            Test::Equal(expected) => match self.source.value(&term.name) {
                Some(Value::Text(text)) => text == *expected,
                Some(Value::Decimal(value)) => expected.parse() == Ok(value),
                Some(Value::Flag(yes)) => word(yes) == expected,
                _ => false,
            },
        }
    }

    fn field(&mut self, field: &Field, escape: Escape) -> String {
        let given = self.source.value(&field.name);
        let given = given.filter(|value| match value {
            Value::Text(text) => !text.trim().is_empty(),
            _ => true,
        });
        match given {
            Some(Value::Secret(name)) => self.secret(&name, encoding(field, escape)),
            Some(Value::BasicAuth) => self.basic_auth(),
            Some(Value::Document(text)) => document(text, field, escape),
            Some(Value::Decimal(value)) => {
                let text = decimal(value, &field.formats);
                self.written(field, text, escape)
            }
            Some(Value::Flag(yes)) => {
                let text = texts(word(yes).to_owned(), &field.formats);
                self.written(field, text, escape)
            }
            Some(Value::Text(text)) => {
                let text = texts(text.trim().to_owned(), &field.formats);
                self.written(field, text, escape)
            }
            Some(Value::Group) | None => self.absent(field, escape),
        }
    }

    fn written(
        &mut self,
        field: &Field,
        text: Result<String, super::formats::Misfit>,
        escape: Escape,
    ) -> String {
        match text {
            // A telephone without an area code has none.
            Ok(text) if text.is_empty() => self.absent(field, escape),
            Ok(text) if field.formats.contains(&Format::Raw) => text,
            Ok(text) => escape.text(&text, field.attribute),
            Err(misfit) => {
                let path = self.source.path(&field.name);
                if !self.fields.has(&path) {
                    self.fields.error(&path, misfit.rule, &misfit.text);
                }
                String::new()
            }
        }
    }

    fn absent(&mut self, field: &Field, escape: Escape) -> String {
        let default = field.formats.iter().find_map(|format| match format {
            Format::Default(text) => Some(text),
            _ => None,
        });
        if let Some(text) = default {
            return escape.text(text, field.attribute);
        }
        if field.optional {
            return String::new();
        }
        if field.name == "sessao" {
            self.fail(Failure::other("leiaute usa sessao sem abrir uma"));
            return String::new();
        }
        if let Some(name) = field.name.strip_prefix("opcao.") {
            self.fail(Failure::other(&format!("opcao {name} ausente no cadastro")));
            return String::new();
        }
        let path = self.source.path(&field.name);
        if !self.fields.has(&path) {
            self.fields.error(
                &path,
                "obrigatorio",
                "O leiaute da prefeitura exige este campo.",
            );
        }
        String::new()
    }

    /// A placeholder: the host writes the value while it sends.
    fn secret(&mut self, name: &str, encoding: Encoding) -> String {
        if let Some(placeholder) = host::secret(name, encoding) {
            return placeholder;
        }
        self.fail(missing(&format!("a credencial {name}")));
        String::new()
    }

    fn basic_auth(&mut self) -> String {
        if let Some(value) = host::basic_auth("usuario", "senha") {
            return value;
        }
        self.fail(missing("usuário e senha"));
        String::new()
    }

    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }
}

/// How the host writes a secret: its digest, or escaped as its place wants.
fn encoding(field: &Field, escape: Escape) -> Encoding {
    let digest = field.formats.iter().find_map(|format| match format {
        Format::Digest(encoding) => Some(*encoding),
        _ => None,
    });
    digest.unwrap_or_else(|| escape.encoding())
}

fn missing(what: &str) -> Failure {
    Failure::credentials(vec![Mensagem::new(
        "",
        &format!("A prefeitura exige {what} do webservice."),
    )])
}

fn word(yes: bool) -> &'static str {
    if yes { "sim" } else { "nao" }
}

fn texts(text: String, formats: &[Format]) -> Result<String, super::formats::Misfit> {
    formats
        .iter()
        .try_fold(text, |text, format| format.text(text))
}

fn decimal(value: Decimal, formats: &[Format]) -> Result<String, super::formats::Misfit> {
    let mut value = value;
    for (at, format) in formats.iter().enumerate() {
        match format {
            Format::Fraction => value = value.percent_to_fraction(),
            Format::Places(..) => {
                let text = format.decimal(value)?;
                return texts(text, formats.get(at + 1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    Ok(value.to_string())
}

/// A message inside another: escaped, unless a format says otherwise.
fn document(text: String, field: &Field, escape: Escape) -> String {
    let mut text = text;
    let mut raw = false;
    for format in &field.formats {
        match format {
            Format::Raw => raw = true,
            Format::Base64 => text = sdk::b64::encode(text.as_bytes()),
            Format::Cdata => {
                text = sdk::soap::Wrapper::Cdata.wrap(&text);
                raw = true;
            }
            _ => {}
        }
    }
    if raw {
        sdk::soap::without_declaration(&text).to_owned()
    } else {
        escape.text(&text, field.attribute)
    }
}
