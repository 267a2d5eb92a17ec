//! Totals are sums, and `vItem` changes with the year.

use super::{complete, d, item, le, today};
use compose::ibs_cbs::{Group, Model, Pair, Sums, Version, group, totals, v_item, v_nf_tot};
use rust_decimal::Decimal;
use time::macros::date;

#[test]
fn totals_are_the_sums_of_the_items() {
    let mut context = today(Model::Nfe);
    let codes = [
        "000001", "200034", "515001", "410004", "620001", "410026", "550001",
    ];
    let groups: Vec<Group> = codes
        .iter()
        .map(|codigo| {
            let item = complete(&mut context, codigo);
            group(&context, &item).expect("a group")
        })
        .collect();
    let total = totals(groups.iter().map(|group| &group.sums)).expect("totals");
    for (no_total, no_item) in [
        ("vBCIBSCBS", "gIBSCBS/vBC"),
        ("gIBS/gIBSUF/vDif", "gIBSCBS/gIBSUF/gDif/vDif"),
        ("gIBS/gIBSUF/vIBSUF", "gIBSCBS/gIBSUF/vIBSUF"),
        ("gIBS/gIBSMun/vIBSMun", "gIBSCBS/gIBSMun/vIBSMun"),
        ("gIBS/vIBS", "gIBSCBS/vIBS"),
        ("gCBS/vDif", "gIBSCBS/gCBS/gDif/vDif"),
        ("gCBS/vCBS", "gIBSCBS/gCBS/vCBS"),
        (
            "gMono/vIBSMono",
            "gIBSCBSMono/gIBSMonoAdRem/gMonoPadrao/vIBSMono",
        ),
        (
            "gMono/vCBSMono",
            "gIBSCBSMono/gCBSMonoAdRem/gMonoPadrao/vCBSMono",
        ),
        ("gEstornoCred/vIBSEstCred", "gEstornoCred/vIBSEstCred"),
    ] {
        let sum: Decimal = groups
            .iter()
            .map(|group| le(&group.element, no_item).parse().unwrap_or(Decimal::ZERO))
            .sum();
        assert_eq!(le(&total, no_total), format!("{sum:.2}"), "{no_total}");
        assert!(
            !sum.is_zero() || no_total.contains("Mun"),
            "{no_total}: the sum says something"
        );
    }
}

#[test]
fn no_group_no_totals() {
    assert_eq!(totals(&[]), None);
    assert_eq!(totals(&[Sums::default()]), None);
    let exempt = group(&today(Model::Nfe), &item("410004")).expect("a group");
    let total = totals([&exempt.sums]).expect("1119: the group is there");
    assert_eq!(le(&total, "vBCIBSCBS"), "0.00");
    assert_eq!(le(&total, "gIBS/vIBS"), "0.00");
}

#[test]
fn from_2027_on_the_new_taxes_are_on_top() {
    let sums = Sums {
        informed: true,
        v_ibs: d("1.00"),
        v_cbs: d("9.00"),
        v_tot_mono: Pair {
            ibs: d("0.10"),
            cbs: d("0.20"),
        },
        ..Sums::default()
    };
    let v = |data| v_item(data, d("1000.00"), &sums, d("5"));
    assert_eq!(v(date!(2026 - 12 - 31)), d("1000.00"));
    assert_eq!(v(date!(2027 - 01 - 01)), d("1015.30"));
}

#[test]
fn the_total_of_the_note_has_no_zero_in_old_layouts() {
    assert_eq!(v_nf_tot(Version::E, [Decimal::ZERO]), None);
    assert_eq!(
        v_nf_tot(Version::F, [Decimal::ZERO]).as_deref(),
        Some("0.00")
    );
    let items = [d("1.10"), d("2.20")];
    assert_eq!(v_nf_tot(Version::B, items).as_deref(), Some("3.30"));
}
