//! QR code of the DACTE and the group that carries it (`infCTeSupl`).
//!
//! Source: MOC CT-e 4.00, annex II (DACTE), "QR Code"; the addresses as two
//! public programs have them (November 2026), one by one not confirmed by the
//! states. The group is outside of the signed part.

use compose::frame::Ambiente;
use markup::ids::chave::Chave;
use markup::tree::Node;

/// Address of a state's own authority, or of the one that authorizes for it,
/// in production and in homologation.
const OWN: &[(&str, &str, &str)] = &[
    ("AP", SP, SP_TEST),
    ("MG", MG, MG),
    ("MS", MS, MS),
    (
        "MT",
        "https://www.sefaz.mt.gov.br/cte/qrcode",
        "https://homologacao.sefaz.mt.gov.br/cte/qrcode",
    ),
    ("PE", SP, SP_TEST),
    ("PR", PR, PR),
    ("RR", SP, SP_TEST),
    ("SP", SP, SP_TEST),
];
const MG: &str = "https://cte.fazenda.mg.gov.br/portalcte/sistema/qrcode.xhtml";
const MS: &str = "http://www.dfe.ms.gov.br/cte/qrcode";
const PR: &str = "http://www.fazenda.pr.gov.br/cte/qrcode";
const SP: &str = "https://nfe.fazenda.sp.gov.br/CTeConsulta/qrCode";
const SP_TEST: &str = "https://homologacao.nfe.fazenda.sp.gov.br/CTeConsulta/qrCode";
/// SVRS, for all other states.
const SVRS: &str = "https://dfe-portal.svrs.rs.gov.br/cte/qrCode";

/// Text of the QR code of a CT-e. In contingency (EPEC) the signature of the key
/// follows it (`&sign=`), which is made when the document is signed.
pub fn address(uf: &str, ambiente: Ambiente, chave: &Chave) -> String {
    let address = site(uf, ambiente);
    let tp_amb = ambiente.codigo();
    format!("{address}?chCTe={}&tpAmb={tp_amb}", chave.as_str())
}

/// The address of a state, without parameters.
pub(super) fn site(uf: &str, ambiente: Ambiente) -> &'static str {
    let own = OWN.iter().find(|(state, ..)| *state == uf);
    match (own, ambiente) {
        (Some((_, production, _)), Ambiente::Producao) => production,
        (Some((_, _, test)), Ambiente::Homologacao) => test,
        (None, _) => SVRS,
    }
}

/// `infCTeSupl`, to be put beside `infCte`.
pub fn supplement(uf: &str, ambiente: Ambiente, chave: &Chave) -> Node {
    Node::group("infCTeSupl").with("qrCodCTe", address(uf, ambiente, chave))
}
