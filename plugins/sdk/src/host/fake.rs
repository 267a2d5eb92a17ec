//! A host for native runs: deterministic, without key or network.

use crate::bindings::diagnostics::Level;
use crate::bindings::secrets::Encoding;
use crate::bindings::signer::{
    Algorithm, Canonicalization, Certificate, Options, Placement, SignError,
};
use crate::xml;
use std::cell::RefCell;

/// What the fake host of this thread knows.
#[derive(Clone, Debug, Default)]
pub struct FakeHost {
    /// Secrets that exist; [`FakeHost::install`] with a cassette's context.
    pub secrets: Vec<String>,
    /// CPF or CNPJ of the certificate; None: there is no certificate, and
    /// every signature is refused with `no-certificate`.
    pub documento: Option<String>,
    /// Lines of the trace.
    pub log: Vec<(Level, String)>,
}

thread_local! {
    static HOST: RefCell<FakeHost> = RefCell::new(FakeHost::default());
}

impl FakeHost {
    /// Makes this the host of the current thread.
    pub fn install(self) {
        HOST.with(|host| *host.borrow_mut() = self);
    }

    /// The host of the current thread as it is now.
    pub fn current() -> FakeHost {
        HOST.with(|host| host.borrow().clone())
    }
}

pub fn sign_xml(xml: &str, reference: &str, options: Options) -> Result<String, SignError> {
    if HOST.with(|host| host.borrow().documento.is_none()) {
        return Err(SignError::NoCertificate);
    }
    let document =
        xml::parse(xml.as_bytes()).map_err(|error| SignError::MalformedXml(error.to_string()))?;
    let signed = if reference.is_empty() {
        document.root()
    } else {
        document
            .root()
            .find_by_attribute(&options.id_attribute, reference)
            .ok_or_else(|| SignError::ReferenceNotFound(reference.into()))?
    };
    let element = match options.placement {
        Placement::AfterReference => signed.span().end,
        Placement::InsideReference => closing_tag(xml, signed.span().end)?,
        Placement::LastChildOfRoot => closing_tag(xml, document.root().span().end)?,
    };
    let (before, after) = xml.split_at(element);
    Ok(format!("{before}{}{after}", signature(reference, &options)))
}

/// Where the closing tag that ends at `end` begins.
fn closing_tag(xml: &str, end: usize) -> Result<usize, SignError> {
    xml.get(..end)
        .and_then(|text| text.rfind("</"))
        .ok_or_else(|| SignError::Unsupported("empty element".into()))
}

/// A signature that anybody can recognize and nobody accepts: it repeats
/// what was asked for.
fn signature(reference: &str, options: &Options) -> String {
    let algorithm = algorithm_name(options.algorithm);
    let canonicalization = match options.canonicalization {
        Canonicalization::C14n => "c14n",
        Canonicalization::ExclusiveC14n => "exclusive-c14n",
    };
    let uri = if options.empty_uri || reference.is_empty() {
        String::new()
    } else {
        format!("#{reference}")
    };
    let chain = if options.include_chain {
        " chain=\"true\""
    } else {
        ""
    };
    format!(
        "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><Fake URI=\"{uri}\" algorithm=\"{algorithm}\" \
         canonicalization=\"{canonicalization}\"{chain}></Fake></Signature>"
    )
}

fn algorithm_name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::RsaSha1 => "rsa-sha1",
        Algorithm::RsaSha256 => "rsa-sha256",
    }
}

pub fn sign_bytes(data: &[u8], algorithm: Algorithm) -> Result<Vec<u8>, SignError> {
    if HOST.with(|host| host.borrow().documento.is_none()) {
        return Err(SignError::NoCertificate);
    }
    let mut signed = format!("{}:", algorithm_name(algorithm)).into_bytes();
    signed.extend_from_slice(data);
    Ok(signed)
}

pub fn customer_certificate() -> Option<Certificate> {
    HOST.with(|host| {
        host.borrow()
            .documento
            .as_ref()
            .map(|documento| Certificate {
                subject: format!("CN=CERTIFICADO DE TESTE:{documento}"),
                documento: documento.clone(),
                not_after: "2099-12-31T23:59:59-03:00".into(),
                der: b"certificado de teste".to_vec(),
            })
    })
}

pub fn secret(name: &str, encoding: Encoding) -> Option<String> {
    let encoding = match encoding {
        Encoding::Plain => "plain",
        Encoding::XmlText => "xml-text",
        Encoding::JsonText => "json-text",
        Encoding::Base64 => "base64",
        Encoding::Url => "url",
        Encoding::Md5Hex => "md5-hex",
        Encoding::Sha1Hex => "sha1-hex",
        Encoding::Sha1Base64 => "sha1-base64",
        Encoding::Sha256Hex => "sha256-hex",
    };
    known(name).then(|| format!("{{{{secret:{name}:{encoding}}}}}"))
}

pub fn basic_auth(user: &str, password: &str) -> Option<String> {
    (known(user) && known(password)).then(|| format!("{{{{basic:{user}:{password}}}}}"))
}

fn known(name: &str) -> bool {
    HOST.with(|host| host.borrow().secrets.iter().any(|secret| secret == name))
}

pub fn log(level: Level, message: &str) {
    HOST.with(|host| host.borrow_mut().log.push((level, message.into())));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(placement: Placement) -> Options {
        Options {
            algorithm: Algorithm::RsaSha1,
            canonicalization: Canonicalization::C14n,
            placement,
            id_attribute: "Id".into(),
            include_chain: false,
            empty_uri: false,
        }
    }

    #[test]
    fn signatures_go_where_they_were_asked() {
        FakeHost {
            documento: Some("00000000000191".into()),
            ..FakeHost::default()
        }
        .install();
        let xml = r#"<r><x Id="a"><y>1</y></x><z></z></r>"#;
        let sign = |placement| {
            sign_xml(xml, "a", options(placement)).expect("signs").replace(
            "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><Fake URI=\"#a\" algorithm=\"rsa-sha1\" canonicalization=\"c14n\"></Fake></Signature>",
            "[S]",
        )
        };
        assert_eq!(
            sign(Placement::AfterReference),
            r#"<r><x Id="a"><y>1</y></x>[S]<z></z></r>"#
        );
        assert_eq!(
            sign(Placement::InsideReference),
            r#"<r><x Id="a"><y>1</y>[S]</x><z></z></r>"#
        );
        assert_eq!(
            sign(Placement::LastChildOfRoot),
            r#"<r><x Id="a"><y>1</y></x><z></z>[S]</r>"#
        );
        assert_eq!(
            sign_xml(xml, "b", options(Placement::AfterReference)),
            Err(SignError::ReferenceNotFound("b".into()))
        );
    }

    #[test]
    fn nothing_without_certificate_or_secret() {
        FakeHost {
            secrets: vec!["senha".into()],
            ..FakeHost::default()
        }
        .install();
        assert_eq!(
            sign_bytes(b"x", Algorithm::RsaSha1),
            Err(SignError::NoCertificate)
        );
        assert_eq!(
            secret("senha", Encoding::XmlText).as_deref(),
            Some("{{secret:senha:xml-text}}")
        );
        assert_eq!(secret("outra", Encoding::Plain), None);
        assert_eq!(basic_auth("usuario", "senha"), None);
    }
}
