//! How a service is asked: its message and the request that carries it.

use crate::embedded::{self, Files};
use crate::sections::Entry;
use crate::source::Call;
use crate::template::{Escape, Mistake, Names, Rendering, Template};
use sdk::{
    Algorithm, Canonicalization, Context, Effect, Failure, Placement, Request, SignOptions, host,
};
use sha1::{Digest, Sha1};

/// What carries a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Body {
    #[default]
    Xml,
    Json,
    Form,
    Multipart,
    Nothing,
}

const BODIES: [(&str, Body); 5] = [
    ("xml", Body::Xml),
    ("json", Body::Json),
    ("form", Body::Form),
    ("multipart", Body::Multipart),
    ("nenhum", Body::Nothing),
];

/// A field of a form, or a file of a multipart body.
#[derive(Clone, Debug)]
enum Part {
    Field {
        name: String,
        value: Template,
    },
    /// The message as a file.
    File {
        name: String,
        filename: Template,
        media: String,
    },
}

/// Where the signature refers to.
#[derive(Clone, Debug)]
enum Signed {
    Document,
    /// The element whose attribute has this value.
    Element {
        attribute: String,
        id: String,
    },
}

/// All that `pedido` and the section of a service say.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    /// Name of the operation: label of the request, and `${operacao}`.
    operation: String,
    message: Option<&'static str>,
    message_json: bool,
    envelope: Option<&'static str>,
    method: Option<String>,
    path: Template,
    body: Body,
    media: Option<String>,
    headers: Vec<(String, Template)>,
    parts: Vec<Part>,
    signed: Option<Signed>,
    sha256: bool,
    exclusive: bool,
    placement: Option<Placement>,
    certificate: bool,
    /// The request holds the token of a session.
    session: bool,
    /// The body is ISO-8859-1, else UTF-8.
    latin: bool,
    /// Names that the layout has no place for.
    absent: Vec<String>,
    /// A text of its own that is signed, and its name: `${assinatura}`.
    signed_text: Option<&'static str>,
    /// That text is not signed: its digest stands for it.
    digested: bool,
    /// Names of the files, for the messages about mistakes.
    names: [String; 3],
}

impl Sending {
    /// # Errors
    /// The first line that cannot be read.
    pub fn read(entries: &[&Entry], files: Files, names: &dyn Names) -> Result<Self, Mistake> {
        let mut sending = Sending::default();
        for entry in entries {
            sending.entry(entry, files, names)?;
        }
        Ok(sending)
    }

    fn entry(&mut self, entry: &Entry, files: Files, names: &dyn Names) -> Result<(), Mistake> {
        let line = entry.line;
        let value = entry.value.as_str();
        let wrong = || Mistake::new(line, format!("{}: valor desconhecido: {value}", entry.key));
        let file = || self::file(files, value, line);
        let template = |text: &str| Template::line(text, line, names);
        match entry.key.as_str() {
            "operacao" => self.operation = value.to_owned(),
            "mensagem" => {
                self.message = Some(file()?);
                self.message_json = value.ends_with(".json");
                value.clone_into(&mut self.names[0]);
            }
            "envelope" => {
                self.envelope = Some(file()?);
                value.clone_into(&mut self.names[1]);
            }
            "metodo" => self.method = Some(value.to_owned()),
            "caminho" => self.path = template(value)?,
            "corpo" => self.body = named(&BODIES, value).ok_or_else(wrong)?,
            "tipo" => self.media = Some(value.to_owned()),
            "cabecalho" => {
                let (name, text) = value.split_once(": ").ok_or_else(wrong)?;
                self.headers.push((name.to_owned(), template(text)?));
            }
            "parte" => {
                let (name, text) = value.split_once(": ").ok_or_else(wrong)?;
                self.parts.push(Part::Field {
                    name: name.to_owned(),
                    value: template(text)?,
                });
            }
            "arquivo" => {
                let mut pieces = value.split(';').map(str::trim);
                let mut next = || pieces.next().filter(|piece| !piece.is_empty());
                let (name, filename, media) =
                    (next(), next().ok_or_else(wrong)?, next().ok_or_else(wrong)?);
                self.parts.push(Part::File {
                    name: name.ok_or_else(wrong)?.to_owned(),
                    filename: template(filename)?,
                    media: media.to_owned(),
                });
            }
            "certificado_tls" => {
                self.certificate =
                    named(&[("sim", true), ("nao", false)], value).ok_or_else(wrong)?;
            }
            "sessao" => {
                self.session = named(&[("sim", true), ("nao", false)], value).ok_or_else(wrong)?;
            }
            "codificacao" => {
                let encodings = [("utf-8", false), ("iso-8859-1", true)];
                self.latin = named(&encodings, value).ok_or_else(wrong)?;
            }
            "sem_campo" => {
                let unknown = |name: &&str| names.kind(name).is_none();
                if let Some(name) = value.split_whitespace().find(unknown) {
                    return Err(Mistake::new(line, format!("campo desconhecido: {name}")));
                }
                let absent = value.split_whitespace().map(str::to_owned);
                self.absent.extend(absent);
            }
            _ => return self.of_signature(entry, files),
        }
        Ok(())
    }

    /// The keys of the signatures.
    fn of_signature(&mut self, entry: &Entry, files: Files) -> Result<(), Mistake> {
        let line = entry.line;
        let value = entry.value.as_str();
        let wrong = || Mistake::new(line, format!("{}: valor desconhecido: {value}", entry.key));
        match entry.key.as_str() {
            "assinatura" => {
                self.signed_text = Some(self::file(files, value, line)?);
                value.clone_into(&mut self.names[2]);
            }
            "assinatura.forma" => {
                let forms = [("assinada", false), ("resumo", true)];
                self.digested = named(&forms, value).ok_or_else(wrong)?;
            }
            "assina" if value == "documento" => self.signed = Some(Signed::Document),
            "assina" if value == "nada" => self.signed = None,
            "assina" => {
                let (attribute, id) = value.split_once('=').ok_or_else(wrong)?;
                self.signed = Some(Signed::Element {
                    attribute: attribute.trim().to_owned(),
                    id: id.trim().to_owned(),
                });
            }
            "algoritmo" => {
                self.sha256 =
                    named(&[("sha1", false), ("sha256", true)], value).ok_or_else(wrong)?;
            }
            "canonicalizacao" => {
                let forms = [("inclusiva", false), ("exclusiva", true)];
                self.exclusive = named(&forms, value).ok_or_else(wrong)?;
            }
            "colocacao" => {
                let places = [
                    ("depois", Placement::AfterReference),
                    ("dentro", Placement::InsideReference),
                    ("fim", Placement::LastChildOfRoot),
                ];
                self.placement = Some(named(&places, value).ok_or_else(wrong)?);
            }
            other => return Err(Mistake::new(line, format!("chave desconhecida: {other}"))),
        }
        Ok(())
    }

    /// The request holds the token of a session.
    pub fn needs_session(&self) -> bool {
        self.session
    }

    /// Name of the operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The templates of the files.
    ///
    /// # Errors
    /// The file and its first mistake.
    pub fn check(&self, names: &dyn Names) -> Result<(), (String, Mistake)> {
        let texts = [self.message, self.envelope, self.signed_text];
        for (text, name) in texts.into_iter().zip(&self.names) {
            if let Some(text) = text {
                Template::parse(text, names).map_err(|mistake| (name.clone(), mistake))?;
            }
        }
        Ok(())
    }

    /// The signature of the text that the layout wants signed by itself, in
    /// base64, or its digest in hexadecimal; None: it wants none.
    ///
    /// # Errors
    /// Every problem of the fields in the text, no certificate.
    pub fn signature_of_text(
        &self,
        mut rendering: Rendering<'_>,
        names: &dyn Names,
    ) -> Result<Option<String>, Failure> {
        let Some(text) = self.signed_text else {
            return Ok(None);
        };
        let template = Template::parse(text, names).map_err(broken)?;
        let text = rendering.text(&template, Escape::Plain);
        rendering.end()?;
        if self.digested {
            return Ok(Some(hex(&Sha1::digest(text.as_bytes()))));
        }
        let signature = host::sign_bytes(text.as_bytes(), self.algorithm())?;
        Ok(Some(sdk::b64::encode(&signature)))
    }

    fn algorithm(&self) -> Algorithm {
        if self.sha256 {
            Algorithm::RsaSha256
        } else {
            Algorithm::RsaSha1
        }
    }

    /// The message, filled and signed.
    ///
    /// # Errors
    /// Every problem of the content, a missing secret, no certificate.
    pub fn message(
        &self,
        mut rendering: Rendering<'_>,
        names: &dyn Names,
    ) -> Result<String, Failure> {
        let Some(text) = self.message else {
            rendering.end()?;
            return Ok(String::new());
        };
        let template = Template::parse(text, names).map_err(broken)?;
        let escape = if self.message_json {
            Escape::Json
        } else {
            Escape::Xml
        };
        for name in &self.absent {
            rendering.refuse(name);
        }
        let mut message = rendering.text(&template, escape);
        rendering.end()?;
        if self.message_json {
            message = without_loose_commas(&message);
        }
        let Some(signed) = &self.signed else {
            return Ok(message);
        };
        let (id, attribute) = match signed {
            Signed::Document => ("", ""),
            Signed::Element { attribute, id } => (id.as_str(), attribute.as_str()),
        };
        Ok(host::sign_xml(&message, id, self.signature(id, attribute))?)
    }

    fn signature(&self, id: &str, attribute: &str) -> SignOptions {
        let usual = if id.is_empty() {
            Placement::LastChildOfRoot
        } else {
            Placement::AfterReference
        };
        SignOptions {
            algorithm: self.algorithm(),
            canonicalization: if self.exclusive {
                Canonicalization::ExclusiveC14n
            } else {
                Canonicalization::C14n
            },
            placement: self.placement.unwrap_or(usual),
            id_attribute: attribute.to_owned(),
            include_chain: false,
            empty_uri: false,
        }
    }

    /// The request that carries a message.
    ///
    /// # Errors
    /// A missing secret, or a value that the request needs.
    pub fn request(
        &self,
        ctx: &Context,
        endpoint: &str,
        effect: Effect,
        call: &Call<'_>,
        message: &str,
        names: &dyn Names,
    ) -> Result<Request, Failure> {
        let mut rendering = Rendering::new(call);
        let path = rendering.text(&self.path, Escape::Url);
        let method = self.method.as_deref().unwrap_or("POST");
        let label = &self.operation;
        let mut request = Request::new(label, effect, method, endpoint, &path);
        for (name, value) in &self.headers {
            let value = rendering.text(value, Escape::Plain);
            request = request.header(name, &value);
        }
        let carried = match self.envelope {
            None => message.to_owned(),
            Some(text) => {
                let template = Template::parse(text, names).map_err(broken)?;
                let escape = if self.body == Body::Json {
                    Escape::Json
                } else {
                    Escape::Xml
                };
                rendering.text(&template, escape)
            }
        };
        request = match self.body {
            Body::Nothing => request,
            Body::Xml if self.latin => {
                request.body(self.media("text/xml; charset=iso-8859-1"), latin(&carried))
            }
            Body::Xml => request.body(self.media("text/xml; charset=utf-8"), carried),
            Body::Json => request.body(self.media("application/json; charset=utf-8"), carried),
            Body::Form => {
                let body = self.form(&mut rendering);
                request.body(self.media("application/x-www-form-urlencoded"), body)
            }
            Body::Multipart => {
                let boundary = boundary(ctx);
                let body = self.multipart(&mut rendering, &boundary, &carried);
                let media = format!("multipart/form-data; boundary={boundary}");
                request.body(&media, body)
            }
        };
        rendering.end()?;
        if self.certificate || ctx.option_flag("certificado_tls", false) {
            request = request.client_certificate();
        }
        Ok(request)
    }

    fn media<'a>(&'a self, usual: &'a str) -> &'a str {
        self.media.as_deref().unwrap_or(usual)
    }

    fn form(&self, rendering: &mut Rendering<'_>) -> String {
        let mut pairs = Vec::new();
        for part in &self.parts {
            if let Part::Field { name, value } = part {
                pairs.push(format!("{name}={}", rendering.text(value, Escape::Url)));
            }
        }
        pairs.join("&")
    }

    /// A body of RFC 7578.
    fn multipart(&self, rendering: &mut Rendering<'_>, boundary: &str, message: &str) -> String {
        let mut out = String::with_capacity(message.len() + 512);
        for part in &self.parts {
            out.push_str(&format!("--{boundary}\r\n"));
            match part {
                Part::Field { name, value } => {
                    let value = rendering.text(value, Escape::Plain);
                    out.push_str(&format!(
                        "Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
                    ));
                }
                Part::File {
                    name,
                    filename,
                    media,
                } => {
                    let filename = rendering.text(filename, Escape::Url);
                    out.push_str(&format!(
                        "Content-Disposition: form-data; name=\"{name}\"; filename=\"{filename}\"\r\n\
                         Content-Type: {media}\r\n\r\n{message}\r\n"
                    ));
                }
            }
        }
        out.push_str(&format!("--{boundary}--\r\n"));
        out
    }
}

fn file(files: Files, name: &str, line: usize) -> Result<&'static str, Mistake> {
    embedded::file(files, name)
        .ok_or_else(|| Mistake::new(line, format!("o arquivo {name} não está no leiaute")))
}

fn broken(mistake: Mistake) -> Failure {
    Failure::other(&format!(
        "leiaute, linha {}: {}",
        mistake.line, mistake.text
    ))
}

fn named<T: Copy>(values: &[(&str, T)], name: &str) -> Option<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An XML text in ISO-8859-1; what that has no byte for is a character
/// reference.
fn latin(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c)) {
            Ok(byte) => out.push(byte),
            Err(_) => out.extend(format!("&#{};", u32::from(c)).bytes()),
        }
    }
    out
}

/// The same at every step of a flow, and in no message.
fn boundary(ctx: &Context) -> String {
    let mut out = "----hub".to_owned();
    for byte in ctx.entropy.iter().take(16) {
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

/// A JSON text without the commas that stand before a closing bracket: what is
/// left out leaves them.
fn without_loose_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    let mut escaped = false;
    for c in text.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            quoted = true;
        } else if matches!(c, '}' | ']') && out.ends_with(',') {
            out.pop();
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{latin, without_loose_commas};

    #[test]
    fn what_has_no_byte_is_a_reference() {
        assert_eq!(latin("<a>ção</a>"), b"<a>\xe7\xe3o</a>");
        assert_eq!(latin("R\u{20ac} 1"), b"R&#8364; 1");
    }

    #[test]
    fn commas_before_closing_brackets_go() {
        for (text, expected) in [
            (r#"{"a":1,}"#, r#"{"a":1}"#),
            (r#"{"a":[1,],"b":",}",}"#, r#"{"a":[1],"b":",}"}"#),
            (r#"{"a":"\",}"}"#, r#"{"a":"\",}"}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(without_loose_commas(text), expected);
        }
    }
}
