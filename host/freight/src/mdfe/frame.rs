//! What the hub decides about an MDF-e.

use compose::frame::Ambiente;
use markup::layout::Layout;
use time::OffsetDateTime;

/// What the hub decides about an MDF-e: everything of it but its content.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub ambiente: Ambiente,
    /// 0 to 999.
    pub serie: u16,
    /// 1 to 999999999.
    pub number: u32,
    /// Random code of eight digits (`cMDF`), never drawn again for a number.
    pub c_mdf: u32,
    /// `dhEmi`, with the emitter's offset.
    pub dh_emi: OffsetDateTime,
    /// Form of emission: 1 normal, 2 contingency.
    pub tp_emis: u8,
    /// Version of the application, up to 20 characters (`verProc`).
    pub ver_proc: String,
}

/// The layout an MDF-e is written and judged by; none only if its table is
/// missing, which a test excludes.
pub fn layout() -> Option<&'static Layout> {
    Layout::get("mdfe-3.00")
}
