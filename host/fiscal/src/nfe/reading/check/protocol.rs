//! The protocol against the note it is about.

use super::nota::texto;
use super::{Achados, Nota};
use crate::nfe::reading::check::signature::referencia;
use crate::nfe::reading::nota::filho;

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let id = nota.inf.attribute("Id").unwrap_or("");
    let Some(proc) = nota.nfe.parent().filter(|pai| pai.name() == "nfeProc") else {
        return;
    };
    let Some(protocolo) = filho(proc, "protNFe").and_then(|prot| prot.child("infProt")) else {
        achados.erro(
            "protNFe",
            "protocolo_ausente",
            "O arquivo não tem o protocolo de autorização.",
            "Consulte a nota pela chave para obter o protocolo.",
        );
        return;
    };
    let chave = texto(protocolo, &["chNFe"]).unwrap_or_default();
    if Some(&*chave) != id.strip_prefix("NFe") {
        achados
            .erro(
                "protNFe/infProt/chNFe",
                "protocolo_de_outra_nota",
                "O protocolo é de outra nota.",
                "Junte o protocolo da chave desta nota.",
            )
            .valor(&chave);
    }
    let digest = referencia(nota.nfe).and_then(|assina| texto(assina, &["DigestValue"]));
    if let (Some(digest), Some(autorizado)) = (digest, texto(protocolo, &["digVal"]))
        && sem_brancos(&digest) != sem_brancos(&autorizado)
    {
        achados.erro(
            "protNFe/infProt/digVal",
            "digest_diferente",
            "O conteúdo autorizado não é o deste arquivo: o digest do protocolo difere do da assinatura.",
            "Obtenha o XML autorizado; este foi alterado ou é de outra tentativa.",
        );
    }
    if texto(protocolo, &["tpAmb"]) != nota.texto(&["ide", "tpAmb"]) {
        achados.erro(
            "protNFe/infProt/tpAmb",
            "ambiente_diferente",
            "Nota e protocolo são de ambientes diferentes.",
            "Junte o protocolo do mesmo ambiente.",
        );
    }
    let status = texto(protocolo, &["cStat"]).unwrap_or_default();
    if !matches!(&*status, "100" | "150") {
        achados
            .aviso(
                "protNFe/infProt/cStat",
                "nao_autorizada",
                "O protocolo não é de autorização: a nota não vale.",
                "Veja o motivo em xMotivo.",
            )
            .valor(&status);
    }
}

fn sem_brancos(texto: &str) -> String {
    texto.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
