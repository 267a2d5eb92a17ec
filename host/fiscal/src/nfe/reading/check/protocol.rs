//! The protocol against the document it is about.

use super::Findings;
use super::nota::{Called, text};
use crate::nfe::event::Family;
use crate::nfe::reading::check::signature::reference;
use crate::nfe::reading::nota::child_of;
use markup::xml::Element;

/// How the protocol of a family of documents is read.
#[derive(Debug)]
pub struct ProtocolForm {
    pub family: Family,
    pub called: Called,
    /// `cStat` of an authorization.
    pub authorized: &'static [&'static str],
}

/// Of an NF-e or NFC-e.
pub const OF_A_NOTE: ProtocolForm = ProtocolForm {
    family: Family::Nfe,
    called: super::nota::A_NOTE,
    authorized: &["100", "150"],
};

/// The protocol beside a document (`NFe` and its `infNFe`) against its key, the
/// digest of its signature and its environment; nothing of a document that is
/// not joined to one.
pub fn check(
    (document, inf): (Element<'_>, Element<'_>),
    form: &ProtocolForm,
    findings: &mut Findings,
) {
    let (family, of) = (form.family, form.called.of);
    let Some(proc) = document
        .parent()
        .filter(|parent| parent.name() == family.joined())
    else {
        return;
    };
    let name = family.protocol();
    let found = child_of(family, proc, name).and_then(|prot| prot.child("infProt"));
    let Some(protocol) = found else {
        findings.error(
            name,
            "protocolo_ausente",
            "O arquivo não tem o protocolo de autorização.",
            format!("Consulte a situação {of} pela chave para obter o protocolo."),
        );
        return;
    };
    let at = |field: &str| format!("{name}/infProt/{field}");
    let id = inf.attribute("Id").unwrap_or("");
    let chave = text(protocol, &[family.key()]).unwrap_or_default();
    if Some(&*chave) != id.strip_prefix(family.document()) {
        findings
            .error(
                at(family.key()),
                "protocolo_de_outra_nota",
                format!("O protocolo não é {of}: a chave é outra."),
                format!("Junte o protocolo da chave {of}."),
            )
            .value(&chave);
    }
    let digest = reference(document).and_then(|sign| text(sign, &["DigestValue"]));
    if let (Some(digest), Some(authorized)) = (digest, text(protocol, &["digVal"]))
        && without_blanks(&digest) != without_blanks(&authorized)
    {
        findings.error(
            at("digVal"),
            "digest_diferente",
            "O conteúdo autorizado não é o deste arquivo: o digest do protocolo difere do da assinatura.",
            "Obtenha o XML autorizado; este foi alterado ou é de outra tentativa.",
        );
    }
    if text(protocol, &["tpAmb"]) != text(inf, &["ide", "tpAmb"]) {
        findings.error(
            at("tpAmb"),
            "ambiente_diferente",
            format!("O protocolo não é do ambiente {of}."),
            "Junte o protocolo do mesmo ambiente.",
        );
    }
    let status = text(protocol, &["cStat"]).unwrap_or_default();
    if !form.authorized.contains(&&*status) {
        findings
            .aviso(
                at("cStat"),
                "nao_autorizada",
                "O protocolo não é de autorização: o documento não vale.",
                "Veja o motivo em xMotivo.",
            )
            .value(&status);
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
