//! What can be told of a document's signature without a key: the digest. The RSA
//! check and the certificate are the host's.

use std::ops::Range;

use serde::Serialize;

use markup::xmldsig::{Algorithm, SignatureParts, read_signatures};

/// The signature of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// Whether all checks passed; absent until [`Signature::conclude`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valida: Option<bool>,
    /// Holder of the certificate, set by the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub titular: Option<String>,
    /// There is a signature over the element in question, `infNFe` of a note.
    pub presente: bool,
    /// The content is the one that was signed.
    pub digest_confere: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algoritmo: Option<&'static str>,
    /// Why it could not be read, in pt-BR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problema: Option<String>,
    /// What is left to verify: the RSA signature over `signed_info` and the
    /// certificate.
    #[serde(skip)]
    pub a_verificar: Option<SignatureParts>,
}

impl Signature {
    /// The signature over `infNFe` of a document.
    pub fn of(xml: &str) -> Signature {
        Signature::over(xml, "infNFe", &(0..xml.len()))
    }

    /// The signature over an element of that name (`infCte`) which stands in a part
    /// of the text: an answer beside a request may carry one over its like.
    pub fn over(xml: &str, element: &str, part: &Range<usize>) -> Signature {
        let parts = match read_signatures(xml) {
            Ok(parts) => parts,
            Err(_) => {
                return Signature {
                    problema: Some(
                        "A assinatura não pôde ser lida: não tem a forma que o leiaute exige."
                            .to_owned(),
                    ),
                    valida: Some(false),
                    presente: xml.contains("SignatureValue"),
                    ..Signature::absent()
                };
            }
        };
        match parts.into_iter().find(|parts| {
            parts.signed_element == element && part.contains(&parts.signature_span.start)
        }) {
            Some(parts) => Signature {
                // A content that is not the signed one settles it.
                valida: (!parts.digest_ok).then_some(false),
                titular: None,
                presente: true,
                digest_confere: parts.digest_ok,
                algoritmo: Some(match parts.algorithm {
                    Algorithm::RsaSha1 => "rsa-sha1",
                    Algorithm::RsaSha256 => "rsa-sha256",
                }),
                problema: None,
                a_verificar: Some(parts),
            },
            None => Signature::absent(),
        }
    }

    /// With the host's verdict on the RSA signature.
    #[must_use]
    pub fn conclude(mut self, rsa_matches: bool, holder: Option<String>) -> Signature {
        self.valida = Some(self.digest_confere && rsa_matches);
        self.titular = holder;
        self
    }

    fn absent() -> Signature {
        Signature {
            valida: Some(false),
            titular: None,
            presente: false,
            digest_confere: false,
            algoritmo: None,
            problema: None,
            a_verificar: None,
        }
    }
}
