//! Addresses of the authorizers, and the states they serve.

use sim::documents::UFS;
use sim::sefaz::services::{Coverage, Op, all, find, knows};

#[test]
fn every_address_is_found() {
    assert!(all().len() > 250, "{}", all().len());
    for s in all() {
        let found = find(s.host, s.path).expect("found");
        assert_eq!((found.op, found.path), (s.op, s.path));
        assert!(knows(s.host));
    }
    assert!(find("nfe.fazenda.sp.gov.br", "/ws/NFeAutorizacao4.ASMX").is_some());
    assert!(find("nfe.sefaz.mt.gov.br", "/nfews/v2/services/nfeautorizacao4").is_none());
}

#[test]
fn every_state_has_its_authorizer_and_its_contingency() {
    for s in all().iter().filter(|s| s.op == Op::Authorize) {
        let served = UFS
            .iter()
            .filter(|(_, uf)| s.serves(s.models[0], uf) == Coverage::Normal)
            .count();
        assert!(served > 0, "{s:?}");
    }
    let svc = find(
        "www.sefazvirtual.fazenda.gov.br",
        "/NFeAutorizacao4/NFeAutorizacao4.asmx",
    )
    .expect("svc");
    assert_eq!(svc.serves("55", "MA"), Coverage::Normal);
    assert_eq!(svc.serves("55", "SP"), Coverage::Contingency);
    assert_eq!(svc.serves("55", "BA"), Coverage::OtherContingency);
    // Each contingency of CT-e serves the states of the other one.
    let freight = |host| find(host, "/ws/CTeRecepcaoSincV4/CTeRecepcaoSincV4.asmx");
    let svrs = freight("cte.svrs.rs.gov.br").expect("svrs");
    let svsp = find("nfe.fazenda.sp.gov.br", "/CTeWS/WS/CTeRecepcaoSincV4.asmx").expect("svsp");
    for (uf, ordinary, other) in [("PE", svsp, svrs), ("GO", svrs, svsp)] {
        assert_eq!(ordinary.serves("57", uf), Coverage::Normal, "{uf}");
        assert_eq!(other.serves("57", uf), Coverage::Contingency, "{uf}");
    }
    assert_eq!(svsp.serves("57", "MT"), Coverage::OtherContingency);
}
