//! What can be told of a document's signature without a key: the digest. The RSA
//! check and the certificate are the host's.

use std::ops::Range;

use serde::Serialize;

use markup::xmldsig::{Algorithm, SignatureParts, read_signatures};

/// The signature of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assinatura {
    /// Whether all checks passed; absent until [`Assinatura::conclui`].
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

impl Assinatura {
    /// The signature over `infNFe` of a document.
    pub fn de(xml: &str) -> Assinatura {
        Assinatura::sobre(xml, "infNFe", &(0..xml.len()))
    }

    /// The signature over an element of that name which stands in a part of the
    /// text: an answer beside a request may carry one over its like.
    pub(crate) fn sobre(xml: &str, elemento: &str, parte: &Range<usize>) -> Assinatura {
        let partes = match read_signatures(xml) {
            Ok(partes) => partes,
            Err(_) => {
                return Assinatura {
                    problema: Some(
                        "A assinatura não pôde ser lida: não tem a forma que o leiaute exige."
                            .to_owned(),
                    ),
                    valida: Some(false),
                    presente: xml.contains("SignatureValue"),
                    ..Assinatura::ausente()
                };
            }
        };
        match partes.into_iter().find(|partes| {
            partes.signed_element == elemento && parte.contains(&partes.signature_span.start)
        }) {
            Some(partes) => Assinatura {
                // A content that is not the signed one settles it.
                valida: (!partes.digest_ok).then_some(false),
                titular: None,
                presente: true,
                digest_confere: partes.digest_ok,
                algoritmo: Some(match partes.algorithm {
                    Algorithm::RsaSha1 => "rsa-sha1",
                    Algorithm::RsaSha256 => "rsa-sha256",
                }),
                problema: None,
                a_verificar: Some(partes),
            },
            None => Assinatura::ausente(),
        }
    }

    /// With the host's verdict on the RSA signature.
    #[must_use]
    pub fn conclui(mut self, rsa_confere: bool, titular: Option<String>) -> Assinatura {
        self.valida = Some(self.digest_confere && rsa_confere);
        self.titular = titular;
        self
    }

    fn ausente() -> Assinatura {
        Assinatura {
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
