//! What was said to an authority and what it answered, so that a customer may
//! read it: the shape and the technical words stay, everything else is hidden.
//!
//! Denied by default. Names of elements, attributes and members are kept; a
//! value only if its name is on the list of [`names`] and it looks as such a
//! value looks. What was hidden in the request is remembered and hidden again
//! where an authority repeats it in a sentence. XML within text or base64,
//! compressed or not, is opened within bounds and hidden like the rest; what
//! is neither XML nor JSON nor a form is not shown at all.

mod address;
mod json;
mod known;
mod names;
mod nested;
mod sentence;
mod xml;

pub use address::path;

use known::Known;
use names::Rule;

/// What stands for a hidden value, whatever its length.
pub const HIDDEN: &str = "•••";

/// Bytes of a body that are looked at; what follows is not.
pub const READ: usize = 256 * 1024;
/// Bytes of a body that are shown.
const SHOWN: usize = 16 * 1024;
/// Bytes all packed documents of an exchange may unpack to.
const UNPACKED: usize = 1024 * 1024;
/// Documents within documents within documents.
const NESTED: usize = 4;

/// How a placeholder of a secret begins.
const SECRET: &str = "@@hub:";
/// The ones that stand for the signed document of the flow, as it is and
/// compressed.
const DOCUMENTO: [&str; 2] = [":plain:documento@@", ":plain:documento_gzip@@"];

/// What is shown of a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// None: it is empty, or neither XML nor JSON nor a form.
    pub text: Option<String>,
    /// There is more than is shown.
    pub cut: bool,
}

/// Hides the exchanges of one document, and learns from each what to hide in
/// the next.
#[derive(Default)]
pub struct Mask {
    known: Known,
    /// The document a placeholder of the request stands for.
    documento: Option<String>,
    /// State of the body that is being masked: whether that document was shown,
    /// and how many bytes were unpacked.
    documento_shown: bool,
    unpacked: usize,
}

/// What becomes of a value.
enum Value {
    /// Shown as it is here.
    Text(String),
    /// A document of its own, still to be hidden.
    Xml(String),
}

impl Mask {
    /// Knows what the document is made of: the XML that was signed, or the
    /// JSON an adapter made one of.
    pub fn of(content: &str) -> Mask {
        let mut mask = Mask::default();
        if xml::is_xml(content) {
            let mut nothing = Output::new(0);
            xml::mask(&mut mask, &mut nothing, content, 0, 0);
            mask.documento = Some(content.to_owned());
        } else if let Some(value) = flow::json::read(content.as_bytes()) {
            mask.learn_json(&value);
        }
        mask
    }

    /// A body as it may be shown; `whole` says that it was not cut before.
    pub fn body(&mut self, media_type: &str, bytes: &[u8], whole: bool) -> Body {
        self.documento_shown = false;
        self.unpacked = 0;
        let mut output = Output::new(SHOWN);
        let read = match Kind::of(media_type, bytes) {
            Kind::Xml => nested::text(media_type, bytes).is_some_and(|text| {
                if !xml::is_xml(&text) {
                    return false;
                }
                if !xml::mask(self, &mut output, &text, 0, 0) {
                    output.line(0, UNREAD);
                }
                true
            }),
            Kind::Json => json::mask(self, &mut output, bytes),
            Kind::Form => json::form(self, &mut output, bytes),
            Kind::Other => false,
        };
        Body {
            text: (read && !bytes.is_empty()).then_some(output.text),
            cut: read && (output.full || !whole),
        }
    }

    fn learn_json(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::String(text) if !is_word_of_ours(text) => {
                self.known.learn(text);
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| self.learn_json(item));
            }
            serde_json::Value::Object(members) => {
                members.values().for_each(|item| self.learn_json(item));
            }
            _ => {}
        }
    }

    /// What may be shown of a value whose name has this rule.
    fn value(&mut self, rule: Option<Rule>, text: &str, depth: usize) -> Value {
        let text = text.trim();
        if text.is_empty() {
            return Value::Text(String::new());
        }
        if text.contains(SECRET) {
            return self.secret(text, depth);
        }
        if xml::is_xml(text) && depth < NESTED {
            return Value::Xml(text.to_owned());
        }
        if let Some(kept) = rule.and_then(|rule| rule.keep(text, &self.known)) {
            return Value::Text(kept);
        }
        if let Some(bytes) = nested::base64(text) {
            let room = UNPACKED.saturating_sub(self.unpacked);
            let plain = nested::unpack(bytes, room.min(READ));
            self.unpacked = self.unpacked.saturating_add(plain.len());
            let inner = nested::text("", &plain).filter(|text| xml::is_xml(text));
            return match inner.filter(|_| depth < NESTED) {
                Some(inner) => Value::Xml(inner),
                None => Value::Text(format!("[{} bytes]", plain.len())),
            };
        }
        self.known.learn(text);
        Value::Text(HIDDEN.to_owned())
    }

    /// Replaces a placeholder that the hub filled when the request left. The
    /// signed document is shown in its place once only: a text of a customer
    /// may look like its placeholder.
    fn secret(&mut self, text: &str, depth: usize) -> Value {
        let document = DOCUMENTO.iter().any(|end| text.ends_with(end));
        if !(text.starts_with(SECRET) && document) {
            return Value::Text("[segredo]".to_owned());
        }
        let shown = std::mem::replace(&mut self.documento_shown, true);
        match &self.documento {
            Some(xml) if !shown && depth < NESTED => Value::Xml(xml.clone()),
            _ => Value::Text("[documento assinado]".to_owned()),
        }
    }
}

/// Shown in place of the rest of a body that was not read.
const UNREAD: &str = "[o resto não foi lido]";

/// Values of our own enumerations, which authorities use as plain words.
fn is_word_of_ours(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

enum Kind {
    Xml,
    Json,
    Form,
    Other,
}

impl Kind {
    /// What a body is, by what it says of itself and how it begins: servers
    /// of municipalities say `text/plain` of XML.
    fn of(media_type: &str, bytes: &[u8]) -> Kind {
        let media_type = media_type.to_ascii_lowercase();
        let media = media_type.split(';').next().unwrap_or_default().trim();
        let said = |words: &[&str]| words.iter().any(|word| media.contains(word));
        if said(&["html", "octet-stream", "multipart", "image", "pdf", "zip"]) {
            return Kind::Other;
        }
        if said(&["x-www-form-urlencoded"]) {
            return Kind::Form;
        }
        let begins = bytes
            .iter()
            .copied()
            .find(|b| !b.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(b));
        match begins {
            Some(b'<') => Kind::Xml,
            Some(b'{' | b'[') => Kind::Json,
            _ => Kind::Other,
        }
    }
}

/// Lines up to a limit; what does not fit is told, not shown.
struct Output {
    text: String,
    limit: usize,
    full: bool,
}

impl Output {
    /// Blanks before a line, however deep it stands.
    const INDENT: usize = 40;

    fn new(limit: usize) -> Output {
        Output {
            text: String::new(),
            limit,
            full: false,
        }
    }

    fn line(&mut self, level: usize, text: &str) {
        let indent = level.saturating_mul(2).min(Output::INDENT);
        if self.full || self.text.len() + indent + text.len() + 1 > self.limit {
            self.full = true;
            return;
        }
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(text);
        self.text.push('\n');
    }
}
