//! Joined documents keep the bytes of their parts.

use super::*;
use crate::xml::Document;
use crate::xml::tests::shared;
use crate::xmldsig::read_signatures;

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

/// Notes of others taken apart and joined again: same bytes of each part, and
/// the digest still fits.
#[test]
fn joined_samples_keep_their_digest() {
    let Some(pasta) = shared().map(|shared| shared.join("samples/nfe")) else {
        return;
    };
    let mut vistas = 0;
    for nome in [
        "procnfe-55-sc-2021.xml",
        "procnfe-55-sc-2022.xml",
        "procnfe-65-exemplo.xml",
    ] {
        let texto = std::fs::read_to_string(pasta.join(nome)).unwrap();
        let antes: Vec<bool> = read_signatures(&texto)
            .unwrap()
            .iter()
            .map(|s| s.digest_ok)
            .collect();
        let junto = nfe_proc(&texto, &texto).unwrap();
        let depois: Vec<bool> = read_signatures(&junto)
            .unwrap()
            .iter()
            .map(|s| s.digest_ok)
            .collect();
        assert_eq!(antes, depois, "{nome}");
        vistas += 1;
    }
    assert_eq!(vistas, 3);
}
