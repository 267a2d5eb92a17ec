use datasets::ImportError;
use datasets::check::{Checked, Seen, check};
use datasets::files::{Files, text};
use datasets::formats::Options;
use datasets::progress::Progress;
use std::sync::Arc;
use store::tables::editions::DatasetKind;

fn judged(name: &str, bytes: &[u8]) -> Result<Checked, ImportError> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let files = Files::open(&[path])?;
    assert_eq!(files.bytes, bytes.len() as u64);
    let progress = Arc::new(Progress::default());
    let options = Options {
        today: "2026-11-26".to_owned(),
        ..Options::default()
    };
    let checked = check(DatasetKind::Products, &files, &options, &progress)?;
    let (_, done, total) = progress.now();
    assert_eq!((done, total), (files.bytes, files.bytes));
    Ok(checked)
}

#[test]
fn lists_of_products() {
    let list = "nome,gtin,peso_kg,ncm\nAçúcar,7891000100103,\"1,5\",1701.99.00\nCafé,96385074,,\n";
    for list in [
        list.to_owned(),
        list.replace(',', ";").replace("\"1;5\"", "1,5"),
        format!("\u{feff}{list}"),
    ] {
        let checked = judged("lista.csv", list.as_bytes()).expect("read");
        assert_eq!(
            (checked.report.lines, checked.report.wrong),
            (2, 0),
            "{:?}",
            checked.report
        );
        let part = &checked.parts[0];
        assert_eq!(part.label.version, "2026-11-26");
        let Seen::Products(rows) = &part.seen else {
            panic!("no products");
        };
        let gtins: Vec<(i64, i64)> = rows.iter().map(|row| (row.gtin, row.place)).collect();
        assert_eq!(gtins, [(96_385_074, 1), (7_891_000_100_103, 0)], "by GTIN");
    }
}

#[test]
fn lines_of_products_that_are_wrong() {
    let list = "gtin;nome;ncm;imagem_url;peso_kg\n7891000100104;a;;;\n2000123015750;a;;;\n7891000100103;;;;\n7891000100103;a;123;;\n7891000100103;a;;http://a;\n7891000100103;a;;;x\n7891000100103;a;;;\n07891000100103;b;;;\n";
    let checked = judged("lista.csv", list.as_bytes()).expect("read");
    let told: Vec<(u64, &str)> = checked
        .report
        .shown
        .iter()
        .map(|one| (one.line, one.reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (2, "gtin: check digit 4, expected 3"),
            (
                3,
                "gtin: a number of a shop, which means another product elsewhere"
            ),
            (4, "nome is empty"),
            (5, "ncm has not 8 digits"),
            (6, "imagem_url does not begin with https://, or is too long"),
            (7, "peso_kg is no number"),
            (
                9,
                "gtin 07891000100103 is there already; the first one counts"
            ),
        ]
    );
    assert!(checked.report.too_many());
}

#[test]
fn headers_that_are_refused() {
    for (header, why) in [
        ("gtin;nome;preco\n7891000100103;a;1\n", "\"preco\""),
        ("gtin;marca\n7891000100103;a\n", "lacks gtin or nome"),
        ("", "is empty"),
        ("gtin;nome\n", "no rows"),
        (
            "gtin;nome\n7891000100103;a\n96385074",
            "ends in the middle of line 3",
        ),
    ] {
        let error = judged("lista.csv", header.as_bytes()).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_last_line_without_end_is_told() {
    let list = "gtin;nome\n7891000100103;a\n96385074;b";
    let cut = judged("lista.csv", list.as_bytes()).expect("read").report;
    let told: Vec<u64> = cut.unended.iter().map(|one| one.line).collect();
    assert_eq!((told, cut.lines, cut.wrong), (vec![3], 2, 0));
    let whole = judged("lista.csv", format!("{list}\n").as_bytes()).expect("read");
    assert_eq!(whole.report.unended, []);
}

#[test]
fn texts_in_their_encodings() {
    assert_eq!(text("Açúcar".as_bytes()).as_deref(), Ok("Açúcar"));
    assert_eq!(text(b"A\xe7\xfacar").as_deref(), Ok("Açúcar"));
    assert!(text("AÃ§Ãºcar".as_bytes()).is_err());
    assert!(text(b"a\0b").is_err());
}

#[test]
fn a_few_wrong_lines_are_borne() {
    let mut list = "gtin;nome\n".to_owned();
    for n in 0..300 {
        let payload = format!("789{n:09}");
        let check = tools::barcode::check_digit(&payload).expect("a payload");
        list.push_str(&format!("{payload}{check};Produto {n}\n"));
    }
    let wrong = |count: usize| {
        judged(
            "lista.csv",
            (list.clone() + &"1;x\n".repeat(count)).as_bytes(),
        )
        .expect("read")
        .report
    };
    assert!(!wrong(3).too_many());
    let many = wrong(30);
    assert!(many.too_many());
    assert_eq!(
        (many.wrong, many.shown.len()),
        (30, 20),
        "the first are shown"
    );
}
