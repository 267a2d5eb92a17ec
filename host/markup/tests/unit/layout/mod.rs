//! Reading tables, writing trees, words. Verdicts are in `tests/layouts`.

mod pattern;

use markup::layout::{Layout, normalize_text};
use markup::tree::{ElementContent, Node};
use markup::xml::{C14n, Document, canonicalize};
use markup::xmldsig::{Algorithm, Placement, SignSpec, prepare};
use serde_json::json;
use time::macros::date;

fn layout(name: &str) -> &'static Layout {
    Layout::get(name).unwrap_or_else(|| panic!("{name} is not there"))
}

fn voiding() -> Node {
    // Wrong order on purpose.
    let request = Node::group("infInut")
        .attribute("Id", "ID3526123456780001955500100000000100000001 ".trim())
        .with("xJust", "Falha de numeração & \"teste\" <de> sistema")
        .with("ano", "26")
        .with("tpAmb", "2")
        .with("xServ", "INUTILIZAR")
        .with("cUF", "35")
        .with("CNPJ", "12345678000195")
        .with("mod", "55")
        .with("nNFFin", "1")
        .with("serie", "1")
        .with("nNFIni", "1");
    Node::group("inutNFe")
        .attribute("versao", "4.00")
        .child(request)
}

#[test]
fn every_table_reads_and_every_pattern_compiles() {
    for name in Layout::names() {
        let layout = layout(name);
        let bad = layout
            .bad_patterns()
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(bad.is_empty(), "{name}");
        assert!(layout.text().contains(&format!("\nL\t{name}\t")), "{name}");
    }
}

#[test]
fn the_calendar_picks_the_package() {
    let from = |data| Layout::nfe(data).name();
    assert_eq!(from(date!(2020 - 01 - 01)), "nfe-010b");
    assert_eq!(from(date!(2026 - 06 - 30)), "nfe-010b");
    assert_eq!(from(date!(2026 - 07 - 01)), "nfe-010d");
    assert_eq!(from(date!(2026 - 08 - 03)), "nfe-010e");
    assert_eq!(from(date!(2026 - 11 - 02)), "nfe-010e");
    assert_eq!(from(date!(2026 - 11 - 03)), "nfe-010f");
    assert_eq!(
        Layout::nfe_homologacao(date!(2026 - 06 - 15)).name(),
        "nfe-010d"
    );
    assert_eq!(
        Layout::nfe_homologacao(date!(2026 - 09 - 01)).name(),
        "nfe-010f"
    );
}

#[test]
fn what_is_written_is_canonical_and_in_order() {
    let layout = layout("inutNFe-4.00");
    let written = layout.write(&voiding()).expect("a document");
    assert!(written.xml.starts_with(
        "<inutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infInut Id=\"ID35"
    ));
    let doc = Document::parse(&written.xml).expect("XML");
    assert_eq!(
        canonicalize(&doc, doc.document(), C14n::Inclusive, None),
        written.xml
    );
    let inf_inut = doc.root().child("infInut").expect("a group");
    let names: Vec<&str> = inf_inut.children().map(|e| e.name()).collect();
    assert_eq!(
        names,
        [
            "tpAmb", "xServ", "cUF", "ano", "CNPJ", "mod", "serie", "nNFIni", "nNFFin", "xJust"
        ]
    );
}

/// Valid but for its order: put right, and judged while that is done.
#[test]
fn one_walk_writes_and_judges() {
    let layout = layout("inutNFe-4.00");
    let changed = |change: fn(&mut Node)| {
        let mut tree = voiding();
        if let ElementContent::Children(children) = &mut tree.content {
            // The Id there is one digit short.
            children[0].attributes[0].1.push('1');
            children.iter_mut().for_each(change);
        }
        tree
    };
    let right = changed(|_| ());
    let written = layout.write(&right).expect("a document");
    assert_eq!(layout.validate_without_signature(&written.xml), []);
    assert_eq!(layout.accepts_while_writing(&right), Some(written));
    let wrong: [fn(&mut Node); 12] = [
        |group| group.put(Node::field("xPto", "1")),
        |group| group.put(Node::field("mod", "55")),
        |group| group.put(Node::field("ano", "x")),
        |group| group.content = ElementContent::Text("1".to_owned()),
        |group| group.content = ElementContent::Children(Vec::new()),
        |group| group.attributes.clear(),
        |group| group.attributes.push(("Id".into(), "ID1".to_owned())),
        |group| group.attributes.push(("versao".into(), "4.00".to_owned())),
        |group| group.attributes[0].1.push('0'),
        |group| group.name = "infInutx".into(),
        |group| drop(without_first(group)),
        |group| {
            let mut first = without_first(group);
            first.put(Node::field("a", "1"));
            group.put(first);
        },
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        let tree = changed(change);
        assert_eq!(layout.accepts_while_writing(&tree), None, "{number}");
        let slow = layout.write(&tree).map(|written| {
            let errors = layout.validate_without_signature(&written.xml);
            assert!(!errors.is_empty(), "{number}");
            (written, errors)
        });
        assert_eq!(layout.validate_and_write(&tree), slow, "{number}");
    }
}

fn without_first(group: &mut Node) -> Node {
    match &mut group.content {
        ElementContent::Children(children) => children.remove(0),
        ElementContent::Text(_) => panic!("{} has no children", group.name),
    }
}

#[test]
fn the_fast_signature_is_the_slow_one() {
    for algorithm in [Algorithm::RsaSha1, Algorithm::RsaSha256] {
        let written = layout("inutNFe-4.00")
            .write(&voiding())
            .expect("a document");
        let signed = written.signed.clone().expect("something to sign");
        let spec = SignSpec {
            algorithm,
            canonicalization: C14n::Inclusive,
            placement: Placement::LastChildOfRoot,
            id_attribute: "Id".to_owned(),
            empty_uri: false,
        };
        let slow = prepare(&written.xml, &signed.id, &spec).expect("the slow way");
        let fast = written.prepare(algorithm).expect("the fast way");
        assert_eq!(fast.to_sign(), slow.to_sign());
        let certificate = vec![vec![1, 2, 3]];
        assert_eq!(
            fast.finish(b"assinatura", &certificate),
            slow.finish(b"assinatura", &certificate)
        );
    }
}

#[test]
fn what_has_no_place_is_said() {
    let layout = layout("inutNFe-4.00");
    let mut root = voiding();
    root.put(Node::field("xPto", "1"));
    let errors = layout.write(&root).expect_err("an unknown child");
    assert_eq!(
        (errors[0].caminho.as_str(), errors[0].regra),
        ("xPto", "desconhecido")
    );
    let errors = layout
        .write(&voiding().with("infInut", "\u{1}"))
        .expect_err("a value in a group");
    assert!(
        errors.iter().any(|error| error.regra == "estrutura"),
        "{errors:?}"
    );
    assert!(layout.write(&Node::group("NFe")).is_err());
}

#[test]
fn json_goes_both_ways() {
    let layout = layout("inutNFe-4.00");
    let written = layout.write(&voiding()).expect("a document");
    let doc = Document::parse(&written.xml).expect("XML");
    let value = layout.to_json(&doc);
    assert_eq!(value["inutNFe"]["infInut"]["ano"], "26");
    assert_eq!(value["inutNFe"]["@versao"], "4.00");
    let back = layout.from_json("inutNFe", &value).expect("a tree");
    assert_eq!(layout.write(&back).expect("a document"), written);
}

#[test]
fn json_takes_numbers_lists_and_plain_attributes() {
    let layout = layout("nfe-010f");
    let body = json!({
        "versao": "4.00",
        "det": [
            {"nItem": 1, "prod": {"vProd": 10.5, "qCom": 2, "cProd": "A", "xProd": null}},
            {"@nItem": "2", "prod": {"cProd": "B"}},
        ],
        "ide": {"cUF": 35},
    });
    let tree = layout.from_json("infNFe", &body).expect("a tree");
    let items = tree.list().iter().filter(|e| e.name == "det");
    assert_eq!(items.count(), 2);
    assert_eq!(tree.value(&["det", "prod", "vProd"]), Some("10.50"));
    assert_eq!(tree.value(&["det", "prod", "qCom"]), Some("2"));
    let errors = layout
        .from_json("infNFe", &json!({"det": [{"prod": {"ncm": "1"}}, 3]}))
        .expect_err("an unknown member");
    let paths: Vec<&str> = errors.iter().map(|error| error.caminho.as_str()).collect();
    assert_eq!(paths, ["det[1]/prod/ncm", "det[2]"]);
}

#[test]
fn text_is_made_what_the_layout_takes() {
    for (came, stays) in [
        ("  a\t b\r\n c ", "a b c"),
        ("“aspas” – e… €", "\"aspas\" - e... EUR"),
        ("olá\u{a0}mundo 😀", "olá mundo"),
        ("\u{1}", ""),
    ] {
        assert_eq!(normalize_text(came), stays);
    }
}

/// Forms whose verdict was asked of libxml2 2.9.14, one by one.
#[test]
fn lexical_forms_are_judged_as_libxml2_does() {
    use markup::layout::lexical::{Base, accepts, compare};
    let cases: &[(Base, &[&str], &[&str])] = &[
        (
            Base::Base64,
            &[
                "",
                "AAA=",
                "AA==",
                "AAAA",
                "AA A=",
                "AA!AA",
                "AAAA AAAA",
                "é",
            ],
            &[
                "AA", "AB==", "AAB=", "A===", "AAAA=", "=AAA", "AAA=AAAA", "AAA==", "AA=A",
            ],
        ),
        (
            Base::AnyUri,
            &[
                "",
                "a b",
                "#a",
                "a:b",
                "%41",
                "http://[::1]/",
                "é",
                "//a:99",
                "a{b}",
                "http://x y",
            ],
            &[
                "a#b#c",
                "1a:b",
                "%zz",
                "[",
                "a[b",
                "://",
                ":",
                "http://a:b/",
            ],
        ),
        (
            Base::Date,
            &[
                "2025-01-01Z",
                "2024-02-29",
                "2025-01-01+14:00",
                "20250-01-01",
            ],
            &[
                " 2025-01-01",
                "2025-01-01 ",
                "2025-01-01Z ",
                "2025-02-30",
                "2023-02-29",
                "2025-01-01+15:00",
                "02025-01-01",
                "2025-01-01T00:00:00",
            ],
        ),
        (
            Base::DateTime,
            &[
                "2025-01-01T24:00:00",
                "2025-01-01T00:00:00.5Z",
                "2025-01-01T00:00:00-03:00 ",
            ],
            &[
                " 2025-01-01T00:00:00",
                "2025-01-01T00:00:00 ",
                "2025-01-01T24:00:01",
                "2025-01-01T00:00:60",
                "2025-01-01T00:00:00.",
                "2025-01-01T00:00",
            ],
        ),
        (
            Base::Integer(None, None),
            &["+1", "-0", "001", "123456789012345678901234"],
            &["1.0", "", "1234567890123456789012345"],
        ),
        (Base::Id, &["a1", "_a.b-c"], &["1a", "a b", "", "a:b"]),
    ];
    for (base, sim, node) in cases {
        for text in *sim {
            assert!(accepts(*base, text), "{base:?} {text:?}");
        }
        for text in *node {
            assert!(!accepts(*base, text), "{base:?} {text:?}");
        }
    }
    let since = |month: &str| {
        accepts(Base::GYearMonth, month)
            && compare(Base::GYearMonth, month, "2025-01").is_some_and(std::cmp::Ordering::is_ge)
    };
    for month in ["2025-01", "2025-02Z", "2025-01+03:00", "12025-01"] {
        assert!(since(month), "{month}");
    }
    for month in [
        "2024-12",
        "2025-01Z",
        "2025-01-03:00",
        "2025-1",
        "0000-01",
        "-2025-01",
        "2025-13",
    ] {
        assert!(!since(month), "{month}");
    }
}

/// A text with a tab before it is gone through letter by letter; one that may stay as it is
/// is not.
#[test]
fn a_text_that_stays_as_it_is_is_the_one_that_would_be_made() {
    let letters = ('\0'..='\u{2FFF}').chain('\u{FA00}'..='\u{101FF}');
    let mut stay = 0;
    for c in letters.chain([char::MAX]) {
        for text in [
            format!("{c}"),
            format!("a{c}b"),
            format!("{c}b"),
            format!("a{c}"),
            format!("a{c}{c}b"),
        ] {
            let made = normalize_text(&format!("\t{text}"));
            assert_eq!(normalize_text(&text), made, "{text:?}");
            stay += u32::from(made == text);
        }
    }
    // What is seen of ASCII, U+00A1 to U+00FF; one space within.
    assert_eq!(stay, (94 + 95) * 5 + 1);
    assert_eq!(normalize_text(""), "");
}
