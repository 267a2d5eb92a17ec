//! How places of the request are written.

use compose::context::Place;

#[test]
fn a_place_reads_as_people_write_it() {
    let items = Place::list("itens", 2);
    let icms = items.at("impostos");
    let st = icms.at("icms");
    assert_eq!(st.at("base").to_string(), "itens[2].impostos.icms.base");
    assert_eq!(Place::ROOT.at("troco").to_string(), "troco");
}
