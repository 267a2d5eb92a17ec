//! What the hub decides about a CT-e.

use compose::frame::Ambiente;
use markup::layout::Layout;
use time::OffsetDateTime;

/// What the hub decides about a CT-e: everything of it but its content.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub ambiente: Ambiente,
    /// 0 to 999.
    pub serie: u16,
    /// 1 to 999999999.
    pub number: u32,
    /// Random code of eight digits (`cCT`), never drawn again for a number.
    pub c_ct: u32,
    /// `dhEmi`, with the emitter's offset.
    pub dh_emi: OffsetDateTime,
    /// Form of emission: 1 normal, 4 EPEC, 7 and 8 the contingency authorities.
    pub tp_emis: u8,
    /// Version of the application, up to 20 characters (`verProc`).
    pub ver_proc: String,
    /// Why and since when it is in contingency, where `tp_emis` is not 1.
    pub contingency: Option<Contingency>,
}

/// `dhCont` and `xJust`.
#[derive(Clone, Debug, PartialEq)]
pub struct Contingency {
    pub since: OffsetDateTime,
    /// 15 to 256 characters.
    pub reason: String,
}

/// The layout a CT-e is written and judged by; none only if its table is
/// missing, which a test excludes.
pub fn layout() -> Option<&'static Layout> {
    Layout::get("cte-4.00")
}
