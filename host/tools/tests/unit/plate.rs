use crate::{hostile, text};
use tools::plate::{Format, MAX_CANDIDATES, Plate, PlateError, candidates};

fn plate(text: &str) -> Plate {
    Plate::parse(text).expect(text)
}

#[test]
fn worked_examples() {
    let Some(examples) = judges::examples("placa") else {
        return;
    };
    for [given, out] in examples {
        let plate = plate(text(&given, "placa"));
        assert_eq!(plate.to_mercosul().as_str(), text(&out, "mercosul"));
        let format = match plate.format() {
            Format::Old => "antigo",
            Format::Mercosul => "mercosul",
        };
        assert_eq!(format, text(&out, "formato"));
        assert_eq!(plate.first_uf(), out["uf_origem"].as_str());
        assert_eq!(plate.to_mercosul().first_uf(), out["uf_origem"].as_str());
    }
}

#[test]
fn worked_examples_of_misread_plates() {
    for [given, out] in judges::examples("placa_confusao").into_iter().flatten() {
        let found = candidates(text(&given, "entrada")).expect("seven signs");
        let first = found.first().expect("a plate");
        assert_eq!(first.plate.as_str(), text(&out, "corrigida"));
    }
}

#[test]
fn forms_and_conversions() {
    for (written, format, old, mercosul) in [
        ("abc-1234", Format::Old, Some("ABC1234"), "ABC1C34"),
        ("ABC1C34", Format::Mercosul, Some("ABC1234"), "ABC1C34"),
        (" BRA 2E19 ", Format::Mercosul, Some("BRA2419"), "BRA2E19"),
        ("ABC1J34", Format::Mercosul, Some("ABC1934"), "ABC1J34"),
        ("ABC1K34", Format::Mercosul, None, "ABC1K34"),
    ] {
        let plate = plate(written);
        assert_eq!(plate.format(), format, "{written}");
        assert_eq!(plate.to_old().map(|old| old.to_string()).as_deref(), old);
        assert_eq!(plate.to_mercosul().to_string(), mercosul);
    }
    for wrong in [
        "", "ABC123", "ABC12345", "AB11234", "ABC1CC4", "ABC_1234", "ÁBC1234",
    ] {
        assert_eq!(Plate::parse(wrong), Err(PlateError), "{wrong}");
    }
}

/// There and back again, for every letter and digit of the fifth place.
#[test]
fn conversions_are_inverse() {
    for number in 0..10_000 {
        let old = plate(&format!("XYZ{number:04}"));
        let mercosul = old.to_mercosul();
        assert_eq!(mercosul.format(), Format::Mercosul);
        assert_eq!(mercosul.to_old(), Some(old));
        assert_eq!(mercosul.to_mercosul(), mercosul);
    }
}

#[test]
fn states_by_ranges() {
    for (written, uf) in [
        ("AAA0001", Some("PR")),
        ("aaa-0000", Some("PR")),
        ("BEZ9999", Some("PR")),
        ("BFA0001", Some("SP")),
        ("GKJ0001", Some("MG")),
        ("RIN9999", None),
        ("RIO2345", Some("RJ")),
        ("RIO2D45", Some("RJ")),
        ("RIO2K45", None),
        ("ZZZ9999", None),
    ] {
        assert_eq!(plate(written).first_uf(), uf, "{written}");
    }
}

#[test]
fn readings_begin_with_the_fewest_changes() {
    for text in [
        "ABC1234", "ABC1D23", "0BC12O4", "8888888", "OOOOOOO", "1L1Q1Q1",
    ] {
        let found = candidates(text).expect(text);
        assert!(!found.is_empty() && found.len() <= MAX_CANDIDATES, "{text}");
        assert!(found.is_sorted_by_key(|candidate| candidate.changes));
        for (at, candidate) in found.iter().enumerate() {
            let differ = candidate.plate.as_str().bytes().zip(text.bytes());
            let changes = differ.filter(|(a, b)| a != b).count();
            assert_eq!(usize::from(candidate.changes), changes, "{candidate:?}");
            let again = found[..at]
                .iter()
                .any(|other| other.plate == candidate.plate);
            assert!(!again, "{candidate:?} is there twice");
        }
        if let Ok(plate) = Plate::parse(text) {
            assert_eq!(found[0].plate, plate);
            assert_eq!(found[0].changes, 0);
        }
    }
    let first = |text: &str| candidates(text).expect(text)[0].plate.to_string();
    assert_eq!(first("8RA2E19"), "BRA2E19");
    assert_eq!(first("5AB1234"), "SAB1234");
    assert_eq!(first("BRAZEI9"), "BRA2E19");
    assert_eq!(candidates("ABCX234"), Ok(Vec::new()));
    assert_eq!(candidates("ABC12"), Err(PlateError));
}

#[test]
fn hostile_texts_are_answered() {
    for text in hostile() {
        let _plate = Plate::parse(&text);
        let _readings = candidates(&text);
    }
}
