//! SOAP as the municipal systems speak it: 1.1 or 1.2, with the message as
//! nodes, as escaped text or as CDATA.

use crate::xml::{self, Document, Element, Writer, XmlError, escape_text};
use std::fmt;

/// How often a text inside an answer may hold yet another document.
const MAX_LAYERS: usize = 4;

/// Version of the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Version {
    #[default]
    V11,
    V12,
}

impl Version {
    pub fn namespace(self) -> &'static str {
        match self {
            Version::V11 => "http://schemas.xmlsoap.org/soap/envelope/",
            Version::V12 => "http://www.w3.org/2003/05/soap-envelope",
        }
    }

    /// `Content-Type` of a request; in 1.2 the action goes into it.
    pub fn content_type(self, action: &str) -> String {
        match self {
            Version::V11 => "text/xml; charset=utf-8".into(),
            Version::V12 if action.is_empty() => "application/soap+xml; charset=utf-8".into(),
            Version::V12 => format!("application/soap+xml; charset=utf-8; action=\"{action}\""),
        }
    }

    /// Value of the `SOAPAction` header, quoted; None in 1.2.
    pub fn action_header(self, action: &str) -> Option<String> {
        (self == Version::V11).then(|| format!("\"{action}\""))
    }
}

/// How a message goes into the parameter that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Wrapper {
    /// As escaped text.
    #[default]
    Escaped,
    /// In a CDATA section.
    Cdata,
    /// As nodes.
    Raw,
}

impl Wrapper {
    /// "esc", "cdata" or "raw", as the registry writes it.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "esc" => Wrapper::Escaped,
            "cdata" => Wrapper::Cdata,
            "raw" => Wrapper::Raw,
            _ => return None,
        })
    }

    /// The message as content of its parameter. Raw nodes lose their XML
    /// declaration, which is only allowed at the start of a document.
    pub fn wrap(self, message: &str) -> String {
        match self {
            Wrapper::Escaped => escape_text(message),
            // A CDATA section cannot hold its own end.
            Wrapper::Cdata => format!("<![CDATA[{}]]>", message.replace("]]>", "]]]]><![CDATA[>")),
            Wrapper::Raw => without_declaration(message).into(),
        }
    }
}

/// The document without `<?xml ...?>` in front.
pub fn without_declaration(xml: &str) -> &str {
    let trimmed = xml.trim_start_matches('\u{feff}').trim_start();
    match trimmed.strip_prefix("<?xml") {
        Some(rest) => rest
            .split_once("?>")
            .map_or(trimmed, |(_, body)| body.trim_start()),
        None => trimmed,
    }
}

/// A whole envelope. `namespaces` are (prefix, URI) declared on it, `header`
/// and `body` are markup.
pub fn envelope(
    version: Version,
    namespaces: &[(&str, &str)],
    header: Option<&str>,
    body: &str,
) -> String {
    let declared: Vec<(String, &str)> = namespaces
        .iter()
        .map(|(prefix, uri)| {
            (
                if prefix.is_empty() {
                    "xmlns".into()
                } else {
                    format!("xmlns:{prefix}")
                },
                *uri,
            )
        })
        .collect();
    let mut attributes = vec![("xmlns:soap", version.namespace())];
    attributes.extend(declared.iter().map(|(name, uri)| (name.as_str(), *uri)));
    let mut w = Writer::with_declaration();
    w.open("soap:Envelope", &attributes);
    if let Some(header) = header {
        w.group("soap:Header", &[], |w| {
            w.raw(header);
        });
    }
    w.group("soap:Body", &[], |w| {
        w.raw(body);
    });
    w.finish()
}

/// A SOAP fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: String,
    pub text: String,
    pub detail: String,
}

/// Why the expected message is not in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SoapError {
    Fault(Fault),
    /// Not XML: a page of a proxy, half a document.
    Xml(XmlError),
    /// XML, but none of the expected messages is in it.
    NotFound,
}

impl fmt::Display for SoapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SoapError::Fault(fault) => write!(f, "SOAP fault {}", fault.code),
            SoapError::Xml(error) => error.fmt(f),
            SoapError::NotFound => f.write_str("expected message not found"),
        }
    }
}

/// Takes the first of the `expected` messages (local names) out of an
/// answer, wherever it is: as nodes, as escaped text or as CDATA, with or
/// without an envelope. The document given back has the message at its root
/// or below it; [`Element::descendant`] finds it.
///
/// # Errors
/// A fault (looked for only when no expected message is there), something
/// that is not XML, or none of the messages.
pub fn unwrap(bytes: &[u8], expected: &[&str]) -> Result<Document, SoapError> {
    let document = xml::parse(bytes).map_err(SoapError::Xml)?;
    if let Some(found) = search(&document, expected, 0) {
        return Ok(found);
    }
    match fault(document.root()) {
        Some(fault) => Err(SoapError::Fault(fault)),
        None => Err(SoapError::NotFound),
    }
}

fn search(document: &Document, expected: &[&str], layer: usize) -> Option<Document> {
    if expected
        .iter()
        .any(|name| document.root().descendant(name).is_some())
    {
        return Some(document.clone());
    }
    if layer >= MAX_LAYERS {
        return None;
    }
    let mut texts = Vec::new();
    inner_documents(document.root(), &mut texts);
    texts
        .into_iter()
        .filter_map(|text| xml::parse(text.as_bytes()).ok())
        .find_map(|inner| search(&inner, expected, layer + 1))
}

/// Texts that look like documents, in document order.
fn inner_documents<'a>(element: &'a Element, found: &mut Vec<&'a str>) {
    if element
        .text()
        .trim_start_matches('\u{feff}')
        .starts_with('<')
    {
        found.push(element.text());
    }
    for child in element.children() {
        inner_documents(child, found);
    }
}

/// The fault of an envelope, in the form of 1.1 or 1.2.
pub fn fault(root: &Element) -> Option<Fault> {
    let fault = root.descendant("Fault")?;
    let first = |paths: [&str; 2]| {
        paths
            .iter()
            .find_map(|path| fault.text_at(path))
            .unwrap_or_default()
            .to_owned()
    };
    Some(Fault {
        code: first(["faultcode", "Code/Value"]),
        text: first(["faultstring", "Reason/Text"]),
        detail: ["detail", "Detail"]
            .iter()
            .find_map(|name| fault.child(name))
            .map(all_text)
            .unwrap_or_default(),
    })
}

/// All text below an element, in one line.
fn all_text(element: &Element) -> String {
    let mut parts = vec![element.text().to_owned()];
    parts.extend(element.children().iter().map(all_text));
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "<?xml version=\"1.0\"?><Resposta><N>1 &amp; 2</N></Resposta>";

    #[test]
    fn every_wrapping_comes_out_again() {
        for wrapper in [Wrapper::Escaped, Wrapper::Cdata, Wrapper::Raw] {
            for version in [Version::V11, Version::V12] {
                let body = format!(
                    "<w:Op xmlns:w=\"urn:w\"><return>{}</return></w:Op>",
                    wrapper.wrap(MESSAGE)
                );
                let soap = envelope(version, &[("w", "urn:w")], Some("<h></h>"), &body);
                let found = unwrap(soap.as_bytes(), &["Outra", "Resposta"]).expect("found");
                let message = found.root().descendant("Resposta").expect("message");
                assert_eq!(message.text_at("N"), Some("1 & 2"));
            }
        }
        assert!(unwrap(MESSAGE.as_bytes(), &["Resposta"]).is_ok());
        let twice = format!(
            "<a>{}</a>",
            escape_text(&format!("<b>{}</b>", escape_text(MESSAGE)))
        );
        assert!(unwrap(twice.as_bytes(), &["Resposta"]).is_ok());
    }

    #[test]
    fn cdata_keeps_its_own_end() {
        let wrapped = format!("<a>{}</a>", Wrapper::Cdata.wrap("x]]>y"));
        assert_eq!(
            xml::parse(wrapped.as_bytes()).expect("reads").root().text(),
            "x]]>y"
        );
    }

    #[test]
    fn faults_of_both_versions() {
        let old = "<s:Envelope xmlns:s='x'><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>Erro</faultstring>\
                   <detail><m>mais</m></detail></s:Fault></s:Body></s:Envelope>";
        let new = "<s:Envelope xmlns:s='x'><s:Body><s:Fault><s:Code><s:Value>s:Client</s:Value></s:Code><s:Reason><s:Text>Erro</s:Text>\
                   </s:Reason><s:Detail><m>mais</m></s:Detail></s:Fault></s:Body></s:Envelope>";
        let expected = Fault {
            code: "s:Client".into(),
            text: "Erro".into(),
            detail: "mais".into(),
        };
        for soap in [old, new] {
            assert_eq!(
                unwrap(soap.as_bytes(), &["Resposta"]).map(|_| ()),
                Err(SoapError::Fault(expected.clone()))
            );
        }
    }

    #[test]
    fn pages_and_other_messages_are_not_answers() {
        assert_eq!(
            unwrap(b"<html><body><br></body>", &["R"]).map(|_| ()),
            Err(SoapError::Xml(XmlError::Malformed))
        );
        assert_eq!(
            unwrap(b"<html></html>", &["R"]).map(|_| ()),
            Err(SoapError::NotFound)
        );
    }
}
