//! Envelopes of the services: SOAP 1.2 (and 1.1, which most servers still
//! take), `nfeDadosMsg` in, `nfeResultMsg` out, with the oddities of some.

use super::NS;
use super::cstat::Refusal;
use crate::request::{Answer, SimRequest};
use crate::sefaz::services::{Op, Service};
use crate::xml::{Element, escape, parse};

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

/// A request document taken out of its envelope.
#[derive(Debug)]
pub(super) struct Extracted {
    /// The document alone, with its namespace written on the root.
    pub text: String,
    pub root: Element,
}

/// Why there is no document.
#[derive(Debug)]
pub(super) enum Problem {
    /// The server's own answer.
    Http(Answer),
    /// A refusal in the service's return document.
    Refusal(Refusal),
}

impl From<&str> for Problem {
    fn from(code: &str) -> Self {
        Problem::Refusal(code.into())
    }
}

fn soap_12(req: &SimRequest) -> bool {
    !req.header("content-type")
        .is_some_and(|t| t.to_ascii_lowercase().starts_with("text/xml"))
}

/// Takes the document out of the envelope and checks what the front ends
/// check: content type, action, namespace of the service, root, version,
/// prefixes and editing characters.
pub(super) fn open(req: &SimRequest, service: &Service) -> Result<Extracted, Problem> {
    let http = |status, text: &str| {
        Err(Problem::Http(Answer::new(
            status,
            "text/plain; charset=utf-8",
            text.to_owned(),
        )))
    };
    if req.method != "POST" {
        return http(405, "");
    }
    let kind = req.header("content-type").unwrap_or_default();
    let kind_lower = kind.to_ascii_lowercase();
    if !kind_lower.starts_with("application/soap+xml") && !kind_lower.starts_with("text/xml") {
        return http(415, "Unsupported Media Type");
    }
    let Ok(text) = std::str::from_utf8(&req.body) else {
        return Err("402".into());
    };
    let fault = |text: &str| Err(Problem::Http(fault(req, text)));
    let Ok(envelope) = parse(text) else {
        return fault("Unable to read the request message");
    };
    let expected = if soap_12(req) { SOAP_12 } else { SOAP_11 };
    if envelope.name != "Envelope" || envelope.ns != expected {
        return fault("Possible SOAP version mismatch");
    }
    let space = service.namespace();
    if let Some(action) = action(req, kind)
        && !action.starts_with(&format!("{space}/"))
    {
        return fault("Server did not recognize the value of HTTP Header SOAPAction");
    }
    let Some(mut data) = envelope.child("Body").and_then(|b| b.elements().next()) else {
        return fault("Body without content");
    };
    if let Some(wrapper) = wrapper(service) {
        if data.name != wrapper || data.ns != space {
            return fault("The message does not name the operation of the service");
        }
        let Some(inner) = data.elements().next() else {
            return fault("nfeDadosMsg not found");
        };
        data = inner;
    }
    if data.name != "nfeDadosMsg" || data.ns != space {
        return fault("nfeDadosMsg not found in the namespace of the service");
    }
    let Some(inner) = data.elements().next() else {
        return Err("516".into());
    };
    document(service, text, data, inner)
}

fn document(
    service: &Service,
    text: &str,
    data: &Element,
    inner: &Element,
) -> Result<Extracted, Problem> {
    if !data.text().is_empty() {
        return Err("588".into());
    }
    if has_prefix(inner) {
        return Err("404".into());
    }
    let batch = service.op == Op::Authorize;
    if inner.name != service.root() {
        return Err(if batch { "565" } else { "516" }.into());
    }
    if inner.ns != NS {
        return Err("587".into());
    }
    match inner.attr("versao") {
        None => return Err(if batch { "568" } else { "517" }.into()),
        Some(v) if v != service.version() => return Err("239".into()),
        Some(_) => {}
    }
    let written = alone(inner.source(text), inner);
    if edited(&written) {
        return Err("588".into());
    }
    let root = parse(&written).map_err(|_| Problem::from("243"))?;
    Ok(Extracted {
        text: written,
        root,
    })
}

/// The element's own text as a document: the default namespace written on it
/// when it was inherited. `source` is what the element was read from.
///
/// # Panics
/// When `source` is another text and has no boundary of characters where the
/// element's name ends.
pub fn alone(source: &str, element: &Element) -> String {
    if element.declared.iter().any(|(p, _)| p.is_empty()) {
        return source.to_owned();
    }
    let name_end = 1 + element.name.len();
    let (before, after) = source.split_at(name_end.min(source.len()));
    format!("{before} xmlns=\"{}\"{after}", element.ns)
}

fn has_prefix(element: &Element) -> bool {
    !element.prefix.is_empty() || element.elements().any(has_prefix)
}

/// Spaces or line breaks between tags (rule D03a, 588). Between an opening
/// tag and its closing one they are content.
pub fn edited(text: &str) -> bool {
    let mut rest = text;
    while let Some(end) = rest.find('>') {
        let after = rest.get(end + 1..).unwrap_or_default();
        let trimmed = after.trim_start_matches([' ', '\t', '\r', '\n']);
        let spaces = after.len() > trimmed.len();
        let opening_then_closing = trimmed.starts_with("</")
            && rest
                .get(..end)
                .and_then(|t| t.rfind('<').and_then(|i| t.get(i..)))
                .is_some_and(|t| !t.starts_with("</") && !t.ends_with('/'));
        if spaces && trimmed.starts_with('<') && !opening_then_closing {
            return true;
        }
        rest = after;
    }
    false
}

fn action(req: &SimRequest, content_type: &str) -> Option<String> {
    let parameter = content_type.split(';').find_map(|p| {
        let (name, value) = p.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("action")
            .then(|| value.trim().trim_matches('"').to_owned())
    });
    parameter
        .or_else(|| {
            req.header("soapaction")
                .map(|v| v.trim_matches('"').to_owned())
        })
        .filter(|a| !a.is_empty())
}

/// Element around `nfeDadosMsg`: the distribution has one, and the register
/// of MT.
fn wrapper(service: &Service) -> Option<&'static str> {
    match service.op {
        Op::Distribute => Some("nfeDistDFeInteresse"),
        Op::Register if service.is("MT") => Some("consultaCadastro"),
        _ => None,
    }
}

fn envelope(req: &SimRequest, status: u16, inside: &str) -> Answer {
    let (space, kind) = if soap_12(req) {
        (SOAP_12, "application/soap+xml; charset=utf-8")
    } else {
        (SOAP_11, "text/xml; charset=utf-8")
    };
    Answer::new(
        status,
        kind,
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{space}\"><soap:Body>{inside}</soap:Body></soap:Envelope>"
        ),
    )
}

/// Protocol error: HTTP 500 with a Fault.
pub(super) fn fault(req: &SimRequest, text: &str) -> Answer {
    let text = escape(text);
    let inside = if soap_12(req) {
        format!(
            "<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>\
             <soap:Reason><soap:Text xml:lang=\"en\">{text}</soap:Text></soap:Reason></soap:Fault>"
        )
    } else {
        format!(
            "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>{text}</faultstring></soap:Fault>"
        )
    };
    envelope(req, 500, &inside)
}

/// The return document in the service's envelope.
pub(super) fn answer(req: &SimRequest, service: &Service, document: &str) -> Answer {
    let space = service.namespace();
    let inside = match service.op {
        Op::Distribute => format!(
            "<nfeDistDFeInteresseResponse xmlns=\"{space}\"><nfeDistDFeInteresseResult>{document}\
             </nfeDistDFeInteresseResult></nfeDistDFeInteresseResponse>"
        ),
        Op::Register if service.is("MT") => format!(
            "<consultaCadastroResponse xmlns=\"{space}\"><nfeResultMsg>{document}</nfeResultMsg></consultaCadastroResponse>"
        ),
        // Seen in recorded traffic of the national environment.
        Op::Event if service.is("AN") => format!(
            "<nfeRecepcaoEventoNFResult xmlns=\"{space}\">{document}</nfeRecepcaoEventoNFResult>"
        ),
        _ => format!("<nfeResultMsg xmlns=\"{space}\">{document}</nfeResultMsg>"),
    };
    envelope(req, 200, &inside)
}
