//! The signature of a document against its content.

use super::Findings;
use crate::nfe::reading::signature::Signature;
use markup::xml::Element;
use markup::xmldsig::{DSIG_NAMESPACE, SignatureParts};

/// What an authority answers to a signature that is not right.
pub struct Codes {
    /// It is not of the accepted shape, or over something else.
    pub form: &'static str,
    /// The content is not the signed one, or the key is another.
    pub content: &'static str,
}

/// Of SEFAZ.
pub const OF_SEFAZ: Codes = Codes {
    form: "298",
    content: "297",
};

/// `Reference` of the signature that an element carries.
pub(super) fn reference(owner: Element<'_>) -> Option<Element<'_>> {
    signature_of(owner)?.find(&["SignedInfo", "Reference"])
}

fn signature_of(owner: Element<'_>) -> Option<Element<'_>> {
    owner
        .children()
        .find(|child| child.name() == "Signature" && child.namespace() == DSIG_NAMESPACE)
}

/// Is the content of `corpo` the one that was signed in `dono`, by the key of the
/// certificate inside? That there is a signature at all is the layout's to tell.
pub fn check(
    xml: &str,
    (owner, body): (Element<'_>, Element<'_>),
    codes: &Codes,
    rsa: impl FnOnce(&SignatureParts) -> bool,
    findings: &mut Findings,
) {
    if signature_of(owner).is_none() {
        return;
    }
    let id = body.attribute("Id").unwrap_or("");
    let foreign = |sign: Element<'_>| {
        let uri = sign.attribute("URI");
        uri.is_none_or(|uri| uri.strip_prefix('#') != Some(id))
    };
    if reference(owner).is_some_and(foreign) {
        findings.error(
            "Signature/SignedInfo/Reference/@URI",
            codes.form,
            format!(
                "A assinatura não é deste documento: a referência não é o Id de {}.",
                body.name()
            ),
            "Assine o documento outra vez.",
        );
        return;
    }
    let signature = Signature::over(xml, body.name(), &owner.span());
    let Some(parts) = signature.a_verificar else {
        let problem = signature.problema;
        findings.error(
            "Signature",
            codes.form,
            problem.unwrap_or_else(|| format!("A assinatura não é de {}.", body.name())),
            "Assine o documento outra vez, no padrão do leiaute.",
        );
        return;
    };
    if !signature.digest_confere {
        findings.error(
            "Signature/SignedInfo/Reference/DigestValue",
            codes.content,
            "O conteúdo do documento não é o que foi assinado: o digest difere.",
            "Envie o XML como foi assinado: não altere, formate nem reescreva o arquivo.",
        );
    } else if parts.certificate_der.is_some() && !rsa(&parts) {
        findings.error(
            "Signature/SignatureValue",
            codes.content,
            "A assinatura não foi feita com a chave do certificado que a acompanha, ou SignedInfo foi alterado.",
            "Envie o XML como foi assinado, ou assine o documento outra vez.",
        );
    }
}
