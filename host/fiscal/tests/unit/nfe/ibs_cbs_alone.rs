//! Which taxes a note may not carry, by what it is for.

use fiscal::nfe::ibs_cbs_alone::Operation;

fn forbidden(purpose: &str, debit: &str, credit: &str, year: i32) -> Vec<&'static str> {
    let operation = Operation {
        purpose,
        debit,
        credit,
        government: "",
        year,
    };
    operation.forbidden().to_vec()
}

#[test]
fn what_is_paid_in_advance_keeps_pis_and_cofins_until_2026() {
    let in_2026 = forbidden("6", "06", "", 2026);
    let stays = ["PIS", "PISST", "COFINS", "COFINSST"];
    assert!(stays.iter().all(|name| !in_2026.contains(name)));
    assert_eq!(in_2026.len(), 6);
    assert_eq!(forbidden("6", "06", "", 2027).len(), 10);
}

#[test]
fn returns_reductions_and_losses_are_free() {
    for (purpose, debit, credit, count) in [
        ("1", "", "", 0),
        ("4", "", "", 0),
        ("5", "", "01", 10),
        ("5", "", "03", 0),
        ("5", "", "04", 0),
        ("5", "", "06", 0),
        ("6", "04", "", 10),
        ("6", "07", "", 0),
    ] {
        assert_eq!(forbidden(purpose, debit, credit, 2026).len(), count);
    }
}
