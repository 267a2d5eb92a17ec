//! Where a request is told of what the layout refuses.

use compose::rules::in_request;

#[test]
fn what_the_request_has_no_member_for_is_told_by_its_official_names() {
    for (official, place) in [
        ("infNFe/det[2]/prod/NCM", "itens[1].ncm"),
        ("infNFe/dest/xNome", "consumidor.nome"),
        ("infNFe/infSolicNFF/xSolic", "inf_nfe.infSolicNFF.xSolic"),
        ("infNFe/avulsa[1]/CNPJ", "inf_nfe.avulsa.CNPJ"),
        ("", "inf_nfe."),
    ] {
        assert_eq!(in_request(official, "consumidor"), place);
    }
}
