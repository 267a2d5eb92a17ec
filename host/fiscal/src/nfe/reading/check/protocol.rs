//! The protocol against the note it is about.

use super::nota::text;
use super::{Findings, Nota};
use crate::nfe::reading::check::signature::reference;
use crate::nfe::reading::nota::child;

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    let id = nota.inf.attribute("Id").unwrap_or("");
    let Some(proc) = nota
        .nfe
        .parent()
        .filter(|parent| parent.name() == "nfeProc")
    else {
        return;
    };
    let Some(protocol) = child(proc, "protNFe").and_then(|prot| prot.child("infProt")) else {
        findings.error(
            "protNFe",
            "protocolo_ausente",
            "O arquivo não tem o protocolo de autorização.",
            "Consulte a nota pela chave para obter o protocolo.",
        );
        return;
    };
    let chave = text(protocol, &["chNFe"]).unwrap_or_default();
    if Some(&*chave) != id.strip_prefix("NFe") {
        findings
            .error(
                "protNFe/infProt/chNFe",
                "protocolo_de_outra_nota",
                "O protocolo é de outra nota.",
                "Junte o protocolo da chave desta nota.",
            )
            .value(&chave);
    }
    let digest = reference(nota.nfe).and_then(|sign| text(sign, &["DigestValue"]));
    if let (Some(digest), Some(authorized)) = (digest, text(protocol, &["digVal"]))
        && without_blanks(&digest) != without_blanks(&authorized)
    {
        findings.error(
            "protNFe/infProt/digVal",
            "digest_diferente",
            "O conteúdo autorizado não é o deste arquivo: o digest do protocolo difere do da assinatura.",
            "Obtenha o XML autorizado; este foi alterado ou é de outra tentativa.",
        );
    }
    if text(protocol, &["tpAmb"]) != nota.text(&["ide", "tpAmb"]) {
        findings.error(
            "protNFe/infProt/tpAmb",
            "ambiente_diferente",
            "Nota e protocolo são de ambientes diferentes.",
            "Junte o protocolo do mesmo ambiente.",
        );
    }
    let status = text(protocol, &["cStat"]).unwrap_or_default();
    if !matches!(&*status, "100" | "150") {
        findings
            .aviso(
                "protNFe/infProt/cStat",
                "nao_autorizada",
                "O protocolo não é de autorização: a nota não vale.",
                "Veja o motivo em xMotivo.",
            )
            .value(&status);
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
