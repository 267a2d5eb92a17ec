//! A note is judged by the rules of its own day.

use fiscal::nfe::reading::check;
use markup::xml::Document;
use time::{Date, macros::date};

use super::checking::{chave, chave_of, codes, findings, nota};

/// The same note, emitted on another day.
fn issued_on(xml: &str, model: u8, day: Date) -> String {
    let (before, after) = (chave(model, 1), chave_of(model, 1, day));
    xml.replace(before.as_str(), after.as_str())
        .replace(
            &format!("<cDV>{}</cDV>", before.dv()),
            &format!("<cDV>{}</cDV>", after.dv()),
        )
        .replace("2026-11-20", &day.to_string())
}

/// A note that was authorized was judged by the rules of its day.
#[test]
fn a_rule_is_for_notes_emitted_since_it_holds() {
    let v1 = format!(
        "?chNFe={}&amp;nVersao=100&amp;tpAmb=2",
        chave(65, 1).as_str()
    );
    let v3 = format!("?p={}|3|2", chave(65, 1).as_str());
    let in_production = "<tpAmb>2</tpAmb>";
    let cases: [(u8, &str, &str, &str, &str, Date); 7] = [
        (65, &v3, &v1, "", "903", date!(2018 - 10 - 01)),
        (55, "<nFat>1</nFat>", "", "", "905", date!(2019 - 01 - 01)),
        (
            55,
            "nItem=\"2\"",
            "nItem=\"3\"",
            "",
            "927",
            date!(2019 - 07 - 22),
        ),
        (
            55,
            "nItem=\"2\"",
            "nItem=\"3\"",
            in_production,
            "927",
            date!(2019 - 09 - 02),
        ),
        (55, "<tPag>01", "<tPag>99", "", "441", date!(2021 - 05 - 03)),
        (
            55,
            "<tPag>01",
            "<tPag>99",
            in_production,
            "441",
            date!(2021 - 09 - 01),
        ),
        (
            55,
            "<NCM>17019900",
            "<NCM>17019999",
            "",
            "778",
            date!(2022 - 04 - 01),
        ),
    ];
    for (model, before, after, ambiente, codigo, since) in cases {
        let correct = nota(model);
        assert!(
            correct.contains(before) && correct.contains(ambiente),
            "{before}"
        );
        let mut wrong = correct.replacen(before, after, 1);
        if !ambiente.is_empty() {
            wrong = wrong.replace(ambiente, "<tpAmb>1</tpAmb>");
        }
        let find = |day: Date| {
            let findings = findings(&issued_on(&wrong, model, day));
            findings.iter().any(|finding| finding.codigo == codigo)
        };
        let eve = since.previous_day().unwrap();
        assert_eq!((find(eve), find(since)), (false, true), "{codigo} {since}");
    }
    // Of version 1, too, key and environment are those of the note.
    let wrong = nota(65).replacen(&v3, &v1.replace("tpAmb=2", "tpAmb=1"), 1);
    assert_eq!(
        codes(&issued_on(&wrong, 65, date!(2018 - 08 - 07))),
        ["qrcode_ambiente infNFeSupl/qrCode"]
    );
    // And nothing is left of what is of later days.
    for (model, before, after) in [(65, &*v3, &*v1), (55, "<tPag>01", "<tPag>99")] {
        let old = nota(model).replacen(before, after, 1);
        assert_eq!(
            codes(&issued_on(&old, model, date!(2018 - 08 - 07))),
            [""; 0]
        );
    }
}

#[test]
fn the_rules_say_of_which_day_they_are() {
    for (day, name) in [
        (date!(2018 - 08 - 07), "nfe-2017-12-04"),
        (date!(2021 - 12 - 15), "nfe-2021-09-01"),
        (date!(2026 - 11 - 20), "nfe-2026-01-01"),
    ] {
        let xml = issued_on(&nota(55), 55, day);
        let doc = Document::parse(&xml).unwrap();
        let opinion = check(&doc, date!(2026 - 11 - 20), |_| true).unwrap();
        assert_eq!(opinion.regras.name(), name);
    }
}
