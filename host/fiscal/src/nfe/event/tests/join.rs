//! Joined documents keep the bytes of their parts.

use super::*;
use crate::nfe::event::tests::keyring::Chaveiro;
use markup::xml::Document;
use markup::xmldsig::read_signatures;

const NFE: &str = "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe1\" versao=\"4.00\"><x>a &amp; b</x></infNFe></NFe>";

#[test]
fn a_protocol_without_its_namespace_inherits() {
    let junto = nfe_proc(NFE, "<protNFe versao=\"4.00\"><infProt/></protNFe>").unwrap();
    assert_eq!(
        junto,
        format!(
            "<nfeProc xmlns=\"{NAMESPACE}\" versao=\"4.00\">{NFE}<protNFe versao=\"4.00\"><infProt/></protNFe></nfeProc>"
        )
    );
    let doc = Document::parse(&junto).unwrap();
    assert!(
        doc.elements()
            .all(|elemento| elemento.namespace() == NAMESPACE)
    );
}

#[test]
fn a_protocol_out_of_its_envelope() {
    let soap = format!(
        "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"soap\" xmlns:n=\"{NAMESPACE}\"><s:Body><r xmlns=\"x\"><n:protNFe versao=\"4.00\"><n:infProt/></n:protNFe></r></s:Body></s:Envelope>"
    );
    let junto = nfe_proc(
        &format!("\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{NFE}\n"),
        &soap,
    )
    .unwrap();
    assert!(junto.contains(NFE));
    assert!(
        junto.contains(&format!(
            "<n:protNFe xmlns:n=\"{NAMESPACE}\" versao=\"4.00\"><n:infProt/></n:protNFe>"
        )),
        "{junto}"
    );
    Document::parse(&junto).unwrap();
    // The default namespace alone: nothing is added.
    let soap = format!(
        "<s:Envelope xmlns:s=\"soap\"><retEnviNFe xmlns=\"{NAMESPACE}\"><protNFe versao=\"4.00\"><infProt/></protNFe></retEnviNFe></s:Envelope>"
    );
    let junto = nfe_proc(NFE, &soap).unwrap();
    assert!(junto.ends_with("<protNFe versao=\"4.00\"><infProt/></protNFe></nfeProc>"));
}

#[test]
fn what_is_not_there_is_told() {
    assert!(matches!(
        nfe_proc("<a/>", "<protNFe/>"),
        Err(JuntarError::Missing("NFe"))
    ));
    assert!(matches!(
        nfe_proc("<NFe xmlns=\"outro\"/>", "<protNFe/>"),
        Err(JuntarError::Namespace("NFe"))
    ));
    assert!(matches!(
        proc_evento("<evento", ""),
        Err(JuntarError::Xml { .. })
    ));
    assert!(matches!(
        proc_inut("<inutNFe/>", "<x/>"),
        Err(JuntarError::Missing("retInutNFe"))
    ));
}

/// A signed note out of a batch and a protocol out of its envelope: the
/// signature still verifies in the joined file.
#[test]
fn signatures_survive() {
    let Some(chaveiro) = Chaveiro::novo() else {
        return;
    };
    let nota = format!(
        "<NFe xmlns=\"{NAMESPACE}\"><infNFe Id=\"NFe1\" versao=\"4.00\"><x>a &amp; ção</x></infNFe></NFe>"
    );
    let assinada = chaveiro.assina(&nota, "NFe1");
    let lote = format!(
        "<?xml version=\"1.0\"?><enviNFe xmlns=\"{NAMESPACE}\" versao=\"4.00\"><idLote>1</idLote>{}</enviNFe>",
        assinada
    );
    let protocolo = format!(
        "<s:Envelope xmlns:s=\"soap\" xmlns:xsi=\"i\"><s:Body><retEnviNFe xmlns=\"{NAMESPACE}\"><protNFe versao=\"4.00\"><infProt><nProt>1</nProt></infProt></protNFe></retEnviNFe></s:Body></s:Envelope>"
    );
    for origem in [&assinada, &lote] {
        let junto = nfe_proc(origem, &protocolo).unwrap();
        assert!(junto.contains(&assinada));
        chaveiro.confere(&junto, "infNFe");
        let assinaturas = read_signatures(&junto).unwrap();
        assert!(assinaturas.len() == 1 && assinaturas[0].digest_ok);
        let mudada = junto.replace("a &amp;", "b &amp;");
        assert!(!read_signatures(&mudada).unwrap()[0].digest_ok);
    }
}
