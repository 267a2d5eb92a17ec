//! SOAP 1.1 and 1.2 around the messages, or none.

use super::profiles::{Envelope, Op, Profile};
use crate::request::{Answer, SimRequest};
use crate::xml::escape;

pub(super) const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
pub(super) const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

/// Version of SOAP, taken from the request's content type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V11,
    V12,
    /// The message came in JSON; answers have no envelope.
    Bare,
}

impl Version {
    pub fn of(req: &SimRequest) -> Self {
        let kind = req.header("content-type").unwrap_or_default();
        let kind = kind.to_ascii_lowercase();
        if kind.starts_with("application/json") {
            Version::Bare
        } else if kind.starts_with("application/soap+xml") {
            Version::V12
        } else {
            Version::V11
        }
    }

    pub fn namespace(self) -> &'static str {
        match self {
            Version::V11 => SOAP_11,
            Version::V12 => SOAP_12,
            Version::Bare => "",
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Version::V11 => "text/xml; charset=utf-8",
            Version::V12 => "application/soap+xml; charset=utf-8",
            Version::Bare => "application/xml; charset=utf-8",
        }
    }
}

fn envelope(version: Version, status: u16, inside: &str) -> Answer {
    if version == Version::Bare {
        let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{inside}");
        return Answer::new(status, version.content_type(), body);
    }
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{}\"><soap:Body>{inside}</soap:Body></soap:Envelope>",
        version.namespace()
    );
    Answer::new(status, version.content_type(), body)
}

/// Protocol error: HTTP 500 with a Fault.
pub(super) fn fault(version: Version, text: &str) -> Answer {
    let text = escape(text);
    let inside = match version {
        Version::V11 => format!(
            "<soap:Fault><faultcode>soap:Server</faultcode><faultstring>{text}</faultstring></soap:Fault>"
        ),
        Version::V12 => format!(
            "<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>\
             <soap:Reason><soap:Text xml:lang=\"pt-BR\">{text}</soap:Text></soap:Reason></soap:Fault>"
        ),
        Version::Bare => format!("<erro>{text}</erro>"),
    };
    envelope(version, 500, &inside)
}

/// The answer of an operation, the way the vendor puts it in the body.
pub(super) fn wrap(profile: &Profile, version: Version, op: Op, xml: &str) -> Answer {
    let name = op.service_name();
    let declared = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{xml}");
    let inside = match &profile.envelope {
        Envelope::Texts {
            service, output, ..
        } => {
            let (output, space) = if output.is_empty() {
                (format!("{name}Result"), "")
            } else {
                ((*output).to_owned(), " xmlns=\"\"")
            };
            format!(
                "<{name}Response xmlns=\"{service}\"><{output}{space}>{}</{output}></{name}Response>",
                escape(&declared)
            )
        }
        Envelope::Elements { service } => {
            // JAX-WS names begin with a small letter.
            let small: String = name
                .chars()
                .take(1)
                .map(|c| c.to_ascii_lowercase())
                .chain(name.chars().skip(1))
                .collect();
            format!("<ns3:{small}Response xmlns:ns3=\"{service}\">{xml}</ns3:{small}Response>")
        }
        Envelope::Any if version == Version::Bare => xml.to_owned(),
        Envelope::Any => format!(
            "<{name}Response xmlns=\"http://nfse.abrasf.org.br\"><outputXML xmlns=\"\">{}</outputXML></{name}Response>",
            escape(&declared)
        ),
    };
    envelope(version, 200, &inside)
}
