//! Joined documents keep the bytes of their parts.

use fiscal::nfe::event::{Family, JoinError, NAMESPACE, document_proc, proc_evento, proc_voiding};
use markup::xml::Document;
use markup::xmldsig::read_signatures;

use super::keyring::Keyring;

const NFE: &str = "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe1\" versao=\"4.00\"><x>a &amp; b</x></infNFe></NFe>";

#[test]
fn a_protocol_without_its_namespace_inherits() {
    let joined = document_proc(
        Family::Nfe,
        NFE,
        "<protNFe versao=\"4.00\"><infProt/></protNFe>",
    )
    .unwrap();
    assert_eq!(
        joined,
        format!(
            "<nfeProc xmlns=\"{NAMESPACE}\" versao=\"4.00\">{NFE}<protNFe versao=\"4.00\"><infProt/></protNFe></nfeProc>"
        )
    );
    let doc = Document::parse(&joined).unwrap();
    assert!(
        doc.elements()
            .all(|element| element.namespace() == NAMESPACE)
    );
}

#[test]
fn a_protocol_out_of_its_envelope() {
    let soap = format!(
        "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"soap\" xmlns:n=\"{NAMESPACE}\"><s:Body><r xmlns=\"x\"><n:protNFe versao=\"4.00\"><n:infProt/></n:protNFe></r></s:Body></s:Envelope>"
    );
    let joined = document_proc(
        Family::Nfe,
        &format!("\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{NFE}\n"),
        &soap,
    )
    .unwrap();
    assert!(joined.contains(NFE));
    assert!(
        joined.contains(&format!(
            "<n:protNFe xmlns:n=\"{NAMESPACE}\" versao=\"4.00\"><n:infProt/></n:protNFe>"
        )),
        "{joined}"
    );
    Document::parse(&joined).unwrap();
    // The default namespace alone: nothing is added.
    let soap = format!(
        "<s:Envelope xmlns:s=\"soap\"><retEnviNFe xmlns=\"{NAMESPACE}\"><protNFe versao=\"4.00\"><infProt/></protNFe></retEnviNFe></s:Envelope>"
    );
    let joined = document_proc(Family::Nfe, NFE, &soap).unwrap();
    assert!(joined.ends_with("<protNFe versao=\"4.00\"><infProt/></protNFe></nfeProc>"));
}

#[test]
fn what_is_not_there_is_told() {
    assert!(matches!(
        document_proc(Family::Nfe, "<a/>", "<protNFe/>"),
        Err(JoinError::Missing("NFe"))
    ));
    assert!(matches!(
        document_proc(Family::Nfe, "<NFe xmlns=\"outro\"/>", "<protNFe/>"),
        Err(JoinError::Namespace("NFe"))
    ));
    assert!(matches!(
        proc_evento(Family::Nfe, "<evento", ""),
        Err(JoinError::Xml { .. })
    ));
    assert!(matches!(
        proc_voiding("<inutNFe/>", "<x/>"),
        Err(JoinError::Missing("retInutNFe"))
    ));
}

/// A signed note out of a batch and a protocol out of its envelope: the
/// signature still verifies in the joined file.
#[test]
fn signatures_survive() {
    let Some(keyring) = Keyring::new() else {
        return;
    };
    let nota = format!(
        "<NFe xmlns=\"{NAMESPACE}\"><infNFe Id=\"NFe1\" versao=\"4.00\"><x>a &amp; ção</x></infNFe></NFe>"
    );
    let signed = keyring.sign(&nota, "NFe1");
    let batch = format!(
        "<?xml version=\"1.0\"?><enviNFe xmlns=\"{NAMESPACE}\" versao=\"4.00\"><idLote>1</idLote>{}</enviNFe>",
        signed
    );
    let protocol = format!(
        "<s:Envelope xmlns:s=\"soap\" xmlns:xsi=\"i\"><s:Body><retEnviNFe xmlns=\"{NAMESPACE}\"><protNFe versao=\"4.00\"><infProt><nProt>1</nProt></infProt></protNFe></retEnviNFe></s:Body></s:Envelope>"
    );
    for origin in [&signed, &batch] {
        let joined = document_proc(Family::Nfe, origin, &protocol).unwrap();
        assert!(joined.contains(&signed));
        keyring.check(&joined, "infNFe");
        let signatures = read_signatures(&joined).unwrap();
        assert!(signatures.len() == 1 && signatures[0].digest_ok);
        let changed = joined.replace("a &amp;", "b &amp;");
        assert!(!read_signatures(&changed).unwrap()[0].digest_ok);
    }
}
