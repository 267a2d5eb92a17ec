//! Signature and protocol against the note they are about.

use super::nota::texto;
use super::{Achados, Nota};
use crate::nfe::leitura::assinatura::Assinatura;
use crate::nfe::leitura::nota::filho;
use crate::xmldsig::{DSIG_NAMESPACE, SignatureParts};

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let id = nota.inf.attribute("Id").unwrap_or("");
    let assinatura = nota
        .nfe
        .children()
        .find(|filho| filho.name() == "Signature" && filho.namespace() == DSIG_NAMESPACE);
    let referencia =
        assinatura.and_then(|assinatura| assinatura.find(&["SignedInfo", "Reference"]));
    if let Some(referencia) = referencia
        && referencia
            .attribute("URI")
            .is_none_or(|uri| uri.strip_prefix('#') != Some(id))
    {
        achados.erro(
            "Signature/SignedInfo/Reference/@URI",
            "298",
            "A assinatura não é desta nota: a referência não é o Id de infNFe.",
            "Assine a nota outra vez.",
        );
    }
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
    let digest = referencia.and_then(|referencia| texto(referencia, &["DigestValue"]));
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

/// Is the content the one that was signed, by the key of the certificate
/// inside? That there is a signature at all is the layout's to tell.
pub(super) fn assinatura(
    xml: &str,
    nota: &Nota<'_>,
    rsa: impl FnOnce(&SignatureParts) -> bool,
    achados: &mut Achados,
) {
    let tem = nota
        .nfe
        .children()
        .any(|filho| filho.name() == "Signature" && filho.namespace() == DSIG_NAMESPACE);
    if !tem || achados.tem("298") {
        return;
    }
    let assinatura = Assinatura::de(xml);
    let Some(partes) = assinatura.a_verificar else {
        let problema = assinatura.problema;
        achados.erro(
            "Signature",
            "298",
            problema.unwrap_or_else(|| "A assinatura não é de infNFe.".to_owned()),
            "Assine a nota outra vez, no padrão da NF-e.",
        );
        return;
    };
    if !assinatura.digest_confere {
        achados.erro(
            "Signature/SignedInfo/Reference/DigestValue",
            "297",
            "O conteúdo da nota não é o que foi assinado: o digest difere.",
            "Envie o XML como foi assinado: não altere, formate nem reescreva o arquivo.",
        );
    } else if partes.certificate_der.is_some() && !rsa(&partes) {
        achados.erro(
            "Signature/SignatureValue",
            "297",
            "A assinatura não foi feita com a chave do certificado que a acompanha, ou SignedInfo foi alterado.",
            "Envie o XML como foi assinado, ou assine a nota outra vez.",
        );
    }
}

fn sem_brancos(texto: &str) -> String {
    texto.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
