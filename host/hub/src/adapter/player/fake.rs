//! The customer of a player: signs nothing real, and always the same way, so
//! that bodies come out equal here and in an adapter's native test.

use flow::contract::SignError;
use flow::contract::signer::{Algorithm, Canonicalization, Certificate, Options, Placement};
use flow::{Allow, Customer, Signing};
use markup::xml::{Document, Element};

/// As `CASSETTES.md` asks, section "The fake host of a player".
pub struct FakeCustomer {
    /// CPF or CNPJ of the certificate; None: there is none.
    pub documento: Option<String>,
    /// Names of the secrets that exist.
    pub secrets: Vec<String>,
}

impl Customer for FakeCustomer {
    fn sign_xml(
        &self,
        xml: &str,
        reference: &str,
        options: &Options,
        allow: Allow<'_>,
    ) -> Result<String, SignError> {
        if self.documento.is_none() {
            return Err(SignError::NoCertificate);
        }
        let document =
            Document::parse(xml).map_err(|error| SignError::MalformedXml(error.to_string()))?;
        let signed = if reference.is_empty() {
            document.root()
        } else {
            let has_id =
                |element: &Element<'_>| element.attribute(&options.id_attribute) == Some(reference);
            document
                .elements()
                .find(has_id)
                .ok_or_else(|| SignError::ReferenceNotFound(reference.to_owned()))?
        };
        allow(&Signing {
            name: signed.name(),
            namespace: signed.namespace(),
            bytes: xml.as_bytes(),
        })?;
        let at = match options.placement {
            Placement::AfterReference => signed.span().end,
            Placement::InsideReference => end_of_content(signed)?,
            Placement::LastChildOfRoot => end_of_content(document.root())?,
        };
        let (before, after) = xml
            .split_at_checked(at)
            .ok_or_else(|| SignError::Other("position".to_owned()))?;
        Ok([before, &signature(reference, options), after].concat())
    }

    fn sign_bytes(&self, data: &[u8], algorithm: Algorithm) -> Result<Vec<u8>, SignError> {
        if self.documento.is_none() {
            return Err(SignError::NoCertificate);
        }
        Ok([word(algorithm).as_bytes(), b":", data].concat())
    }

    fn certificate(&self) -> Option<Certificate> {
        let documento = self.documento.clone()?;
        Some(Certificate {
            subject: format!("CN=CERTIFICADO DE TESTE:{documento}"),
            documento,
            not_after: "2099-12-31T23:59:59-03:00".to_owned(),
            der: b"certificado de teste".to_vec(),
        })
    }

    fn has_secret(&self, name: &str) -> bool {
        self.secrets.iter().any(|secret| secret == name)
    }
}

fn end_of_content(element: Element<'_>) -> Result<usize, SignError> {
    let content = element
        .content_span()
        .ok_or_else(|| SignError::Unsupported("empty element".to_owned()))?;
    Ok(content.end)
}

/// The signature of the element with this id: it repeats what was asked for, and is
/// accepted by nobody.
pub fn signature(reference: &str, options: &Options) -> String {
    let uri = if options.empty_uri || reference.is_empty() {
        String::new()
    } else {
        format!("#{reference}")
    };
    let canonicalization = match options.canonicalization {
        Canonicalization::C14n => "c14n",
        Canonicalization::ExclusiveC14n => "exclusive-c14n",
    };
    let chain = if options.include_chain {
        r#" chain="true""#
    } else {
        ""
    };
    let algorithm = word(options.algorithm);
    format!(
        r#"<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><Fake URI="{uri}" algorithm="{algorithm}" canonicalization="{canonicalization}"{chain}></Fake></Signature>"#
    )
}

fn word(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::RsaSha1 => "rsa-sha1",
        Algorithm::RsaSha256 => "rsa-sha256",
    }
}
