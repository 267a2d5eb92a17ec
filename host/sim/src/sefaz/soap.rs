//! Envelopes of the services: SOAP 1.2 (and 1.1, which most servers still
//! take), `nfeDadosMsg` in, `nfeResultMsg` out, with the oddities of some;
//! likewise of CT-e and MDF-e, whose documents come compressed.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

use super::cstat::Refusal;
use crate::documents::abbreviation_of;
use crate::request::{Answer, SimRequest};
use crate::sefaz::family::MDFE;
use crate::sefaz::services::{Op, Service};
use crate::xml::{Element, escape, parse};

/// Largest document after decompression (MOC CT-e 4.00, 4.1.5).
const MAX_UNPACKED: u64 = 512 * 1024;
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
    let family = service.family;
    if data.name != format!("{}DadosMsg", family.data) || data.ns != space {
        return fault("the message is not found in the namespace of the service");
    }
    if family.name == MDFE.name {
        header(&envelope)?;
    }
    if service.packed() {
        let text = unpacked(&data.text())?;
        let root = parse(&text).map_err(|_| Problem::from("243"))?;
        return freight(service, &text, &root);
    }
    let inner = data.elements().next();
    if !family.is_nfe() {
        return freight(service, text, inner.ok_or_else(|| Problem::from("215"))?);
    }
    let Some(inner) = inner else {
        return Err("516".into());
    };
    document(service, text, data, inner)
}

/// The SOAP header of MDF-e (MOC MDF-e 3.00, 2.1.5).
fn header(envelope: &Element) -> Result<(), Problem> {
    let header = envelope
        .at("Header/mdfeCabecMsg")
        .ok_or_else(|| Problem::from("242"))?;
    match header.text_at("cUF") {
        None => return Err("409".into()),
        Some(code) if abbreviation_of(&code).is_none() => return Err("410".into()),
        Some(_) => {}
    }
    match header.text_at("versaoDados").as_deref() {
        None => Err("411".into()),
        Some("3.00") => Ok(()),
        Some(_) => Err("239".into()),
    }
}

/// The document of a compressed message (MOC CT-e 4.00, rules B00 and B01).
fn unpacked(text: &str) -> Result<String, Problem> {
    let broken = || Problem::from("244");
    let gzip = STANDARD.decode(text.trim()).map_err(|_| broken())?;
    let mut xml = Vec::new();
    let read = GzDecoder::new(gzip.as_slice())
        .take(MAX_UNPACKED + 1)
        .read_to_end(&mut xml)
        .map_err(|_| broken())?;
    if read as u64 > MAX_UNPACKED {
        return Err("214".into());
    }
    String::from_utf8(xml).map_err(|_| "402".into())
}

/// Form of a message of CT-e or MDF-e (MOC CT-e 4.00, rules C01 to C06).
fn freight(service: &Service, text: &str, inner: &Element) -> Result<Extracted, Problem> {
    if has_prefix(inner) {
        return Err("404".into());
    }
    if inner.ns != service.family.ns {
        return Err("598".into());
    }
    if inner.name != service.root() {
        return Err("215".into());
    }
    match version(service, inner) {
        None => return Err("215".into()),
        Some(v) if v != service.version() => return Err("239".into()),
        Some(_) => {}
    }
    let text = alone(inner.source(text), inner);
    if edited(&text) {
        return Err("599".into());
    }
    let root = parse(&text).map_err(|_| Problem::from("243"))?;
    Ok(Extracted { text, root })
}

/// `versao` of a message: a document has it on its signed part.
fn version<'a>(service: &Service, inner: &'a Element) -> Option<&'a str> {
    if service.packed() {
        inner.child(service.family.inf)?.attr("versao")
    } else {
        inner.attr("versao")
    }
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
    if inner.ns != service.family.ns {
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
        _ if !service.family.is_nfe() => {
            let method = service.names.1;
            format!("<{method}Result xmlns=\"{space}\">{document}</{method}Result>")
        }
        _ => format!("<nfeResultMsg xmlns=\"{space}\">{document}</nfeResultMsg>"),
    };
    envelope(req, 200, &inside)
}
