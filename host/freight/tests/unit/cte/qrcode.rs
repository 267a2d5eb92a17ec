//! Addresses of the QR code.

use super::orders::CTE;
use compose::frame::Ambiente;
use freight::cte::qrcode::address;
use markup::ids::chave::Chave;

#[test]
fn each_state_has_the_address_of_its_authority() {
    let chave = Chave::parse(CTE).expect("a key");
    for (uf, ambiente, expected) in [
        (
            "MG",
            Ambiente::Producao,
            "https://cte.fazenda.mg.gov.br/portalcte/sistema/qrcode.xhtml",
        ),
        (
            "PE",
            Ambiente::Producao,
            "https://nfe.fazenda.sp.gov.br/CTeConsulta/qrCode",
        ),
        (
            "SP",
            Ambiente::Homologacao,
            "https://homologacao.nfe.fazenda.sp.gov.br/CTeConsulta/qrCode",
        ),
        (
            "BA",
            Ambiente::Homologacao,
            "https://dfe-portal.svrs.rs.gov.br/cte/qrCode",
        ),
    ] {
        let tp_amb = ambiente.codigo();
        assert_eq!(
            address(uf, ambiente, &chave),
            format!("{expected}?chCTe={CTE}&tpAmb={tp_amb}")
        );
    }
}
