//! IBSCBS: what the group of the tax reform (LC 214/2025) has beside plain
//! fields.

use crate::assembly::group::Group;
use crate::assembly::party::person;
use sdk::nfse::IbsCbs;

/// Completes IBSCBS.
pub fn ibs_cbs(g: &mut Group, given: &IbsCbs) {
    // 0, regular: the only purpose the current schema has.
    g.text("finNFSe", "0");
    person(g, "dest", given.destinatario.as_ref());
    g.text("indDest", if g.has("dest") { "1" } else { "0" });
}
