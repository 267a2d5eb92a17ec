//! QR code of the DAMDFE and the group that carries it (`infMDFeSupl`).
//!
//! Source: MOC MDF-e 3.00, annex of the DAMDFE, "QR Code": one address for all
//! states and both environments. The group is outside of the signed part.

use compose::frame::Ambiente;
use markup::ids::chave::Chave;
use markup::tree::Node;

/// The authority of all states.
pub(super) const ADDRESS: &str = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode";

/// Text of the QR code. `sign` is what a document in contingency has beside:
/// the signature of its key by the emitter's certificate (RSA-SHA1, base64).
pub fn address(ambiente: Ambiente, chave: &Chave, sign: Option<&str>) -> String {
    let tp_amb = ambiente.codigo();
    let sign = sign.map(|sign| format!("&sign={sign}")).unwrap_or_default();
    format!("{ADDRESS}?chMDFe={}&tpAmb={tp_amb}{sign}", chave.as_str())
}

/// `infMDFeSupl`, to be put beside `infMDFe`.
pub fn supplement(ambiente: Ambiente, chave: &Chave, sign: Option<&str>) -> Node {
    Node::group("infMDFeSupl").with("qrCodMDFe", address(ambiente, chave, sign))
}
