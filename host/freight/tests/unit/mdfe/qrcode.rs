//! Address of the QR code.

use super::orders::MDFE;
use compose::frame::Ambiente;
use freight::mdfe::qrcode::address;
use markup::ids::chave::Chave;

#[test]
fn a_document_in_contingency_has_a_signature_in_its_address() {
    let chave = Chave::parse(MDFE).expect("a key");
    let start = format!("https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode?chMDFe={MDFE}");
    assert_eq!(
        address(Ambiente::Producao, &chave, None),
        format!("{start}&tpAmb=1")
    );
    assert_eq!(
        address(Ambiente::Homologacao, &chave, Some("QUJD")),
        format!("{start}&tpAmb=2&sign=QUJD")
    );
}
