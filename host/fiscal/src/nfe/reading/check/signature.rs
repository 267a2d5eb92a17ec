//! The signature of a document against its content.

use super::Achados;
use crate::nfe::reading::signature::Assinatura;
use markup::xml::Element;
use markup::xmldsig::{DSIG_NAMESPACE, SignatureParts};

/// What an authority answers to a signature that is not right.
pub(crate) struct Codigos {
    /// It is not of the accepted shape, or over something else.
    pub forma: &'static str,
    /// The content is not the signed one, or the key is another.
    pub conteudo: &'static str,
}

/// Of SEFAZ.
pub(crate) const DA_SEFAZ: Codigos = Codigos {
    forma: "298",
    conteudo: "297",
};

/// `Reference` of the signature that an element carries.
pub(super) fn referencia(dono: Element<'_>) -> Option<Element<'_>> {
    assinatura_de(dono)?.find(&["SignedInfo", "Reference"])
}

fn assinatura_de(dono: Element<'_>) -> Option<Element<'_>> {
    dono.children()
        .find(|filho| filho.name() == "Signature" && filho.namespace() == DSIG_NAMESPACE)
}

/// Is the content of `corpo` the one that was signed in `dono`, by the key of the
/// certificate inside? That there is a signature at all is the layout's to tell.
pub(crate) fn confere(
    xml: &str,
    (dono, corpo): (Element<'_>, Element<'_>),
    codigos: &Codigos,
    rsa: impl FnOnce(&SignatureParts) -> bool,
    achados: &mut Achados,
) {
    if assinatura_de(dono).is_none() {
        return;
    }
    let id = corpo.attribute("Id").unwrap_or("");
    let alheia = |assina: Element<'_>| {
        let uri = assina.attribute("URI");
        uri.is_none_or(|uri| uri.strip_prefix('#') != Some(id))
    };
    if referencia(dono).is_some_and(alheia) {
        achados.erro(
            "Signature/SignedInfo/Reference/@URI",
            codigos.forma,
            format!(
                "A assinatura não é deste documento: a referência não é o Id de {}.",
                corpo.name()
            ),
            "Assine o documento outra vez.",
        );
        return;
    }
    let assinatura = Assinatura::sobre(xml, corpo.name(), &dono.span());
    let Some(partes) = assinatura.a_verificar else {
        let problema = assinatura.problema;
        achados.erro(
            "Signature",
            codigos.forma,
            problema.unwrap_or_else(|| format!("A assinatura não é de {}.", corpo.name())),
            "Assine o documento outra vez, no padrão do leiaute.",
        );
        return;
    };
    if !assinatura.digest_confere {
        achados.erro(
            "Signature/SignedInfo/Reference/DigestValue",
            codigos.conteudo,
            "O conteúdo do documento não é o que foi assinado: o digest difere.",
            "Envie o XML como foi assinado: não altere, formate nem reescreva o arquivo.",
        );
    } else if partes.certificate_der.is_some() && !rsa(&partes) {
        achados.erro(
            "Signature/SignatureValue",
            codigos.conteudo,
            "A assinatura não foi feita com a chave do certificado que a acompanha, ou SignedInfo foi alterado.",
            "Envie o XML como foi assinado, ou assine o documento outra vez.",
        );
    }
}
