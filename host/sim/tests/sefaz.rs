//! NF-e at a state's authorizer: authorize, ask, cancel.

mod common;

use common::sefaz::*;
use common::*;

fn consulta(key: &str) -> String {
    format!(
        "<consSitNFe xmlns=\"{NFE}\" versao=\"4.00\"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ><chNFe>{key}</chNFe></consSitNFe>"
    )
}

#[tokio::test]
async fn the_notes_of_these_tests_are_valid() {
    for nota in [Nota::nfe(1), Nota::nfce(1)] {
        xmllint(
            "schemas/nfe/nfelib-3.2.0/nfe_v4.00.xsd",
            &nota.assinada(&COMPANY_A1),
        );
    }
}

#[tokio::test]
async fn status_authorize_ask_cancel() {
    let world = World::new();
    let document = format!(
        "<consStatServ xmlns=\"{NFE}\" versao=\"4.00\"><tpAmb>2</tpAmb><cUF>35</cUF><xServ>STATUS</xServ></consStatServ>"
    );
    assert_eq!(
        cstat(&world.sefaz("NFeStatusServico4", &document).await, ""),
        "107"
    );

    let nota = Nota::nfe(1);
    let key = nota.chave();
    let before = world.sefaz("NFeConsultaProtocolo4", &consulta(&key)).await;
    assert_eq!(cstat(&before, ""), "217");

    let protocol = world.autorizada(&nota).await;
    let after = world.sefaz("NFeConsultaProtocolo4", &consulta(&key)).await;
    assert_eq!(cstat(&after, ""), "100");
    assert_eq!(tag(&after, "nProt"), protocol);

    let again = world.autoriza(&nota).await;
    assert_eq!(cstat(&again, "infProt"), "204", "{again}");
    assert!(tag(&again, "xMotivo").contains("processado"));
    assert!(again.contains("[nRec:"));
    let mut other = nota.clone();
    other.cnf = "48213958";
    let other = world.autoriza(&other).await;
    assert_eq!(cstat(&other, "infProt"), "539");
    assert!(other.contains(&key), "{other}");

    world.advance(3_600_000);
    let event = cancelamento(&key, &protocol, NOW + 3_500_000).assinado(&COMPANY_A1);
    let cancelled = world
        .sefaz("NFeRecepcaoEvento4", &envio(std::slice::from_ref(&event)))
        .await;
    assert_eq!(cstat(&cancelled, ""), "128");
    assert_eq!(cstat(&cancelled, "retEvento"), "135", "{cancelled}");
    let twice = world.sefaz("NFeRecepcaoEvento4", &envio(&[event])).await;
    assert_eq!(cstat(&twice, "retEvento"), "573");
    let after = world.sefaz("NFeConsultaProtocolo4", &consulta(&key)).await;
    assert_eq!(cstat(&after, ""), "101");
    assert!(after.contains("<procEventoNFe"));
    assert_eq!(cstat(&world.autoriza(&nota).await, "infProt"), "218");
}
