//! A wrong entry names its line and what is accepted.

use flow::registry::{Registry, Snapshot};
use std::fmt::Write as _;

use super::{SMALL, small_with};

/// Line of the first place where `needle` begins.
fn line_of(text: &str, needle: &str) -> usize {
    let at = text.find(needle).expect("the needle is in the text");
    text[..at].matches('\n').count() + 1
}

/// Reads a text with one mistake: one error, on the line of `needle`, with
/// all the words expected.
pub(super) fn refused(text: &str, needle: &str, words: &[&str]) {
    let errors = Registry::parse(text).expect_err("the text has a mistake");
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1, "{shown:#?}");
    assert_eq!(errors[0].line, line_of(text, needle), "{shown:#?}");
    for word in words {
        assert!(
            errors[0].message.contains(word),
            "\"{word}\" is not in {shown:#?}"
        );
    }
}

#[test]
fn the_small_registry_is_right() {
    assert!(Registry::parse(SMALL).is_ok());
}

#[test]
fn unknown_system_suggests_a_name() {
    let text = small_with(r#"sistema = "outro" }"#, r#"sistema = "outor" }"#);
    refused(
        &text,
        "1100023",
        &["\"outor\"", "did you mean \"outro\"", "[systems]"],
    );
}

#[test]
fn unknown_fields_list_the_accepted_ones() {
    let text = small_with(r#"nome = "Calada","#, r#"nome = "Calada", prefeito = "x","#);
    refused(
        &text,
        "1100031",
        &["\"prefeito\"", "emissor_nacional", "recusas"],
    );
    let text = small_with(
        r#"{ sistema = "outro" }"#,
        r#"{ sistema = "outro", desde = 2026-01-01 }"#,
    );
    refused(&text, "1100023", &["\"desde\"", "de, ate, regimes"]);
    let text = small_with("padrao = \"ABRASF 2.02\"", "layout = \"ABRASF 2.02\"");
    refused(&text, "layout", &["\"layout\"", "padrao"]);
    let text = small_with("[conflitos.dois]", "[conflitoss.dois]");
    let errors = Registry::parse(&text).expect_err("unknown section");
    assert!(
        errors
            .iter()
            .any(|e| e.message.contains("unknown section \"conflitoss\""))
    );
}

#[test]
fn dates_are_days_without_quotes() {
    for bad in ["\"2026-11-01\"", "2026-11-01T10:00:00Z", "20261101", "true"] {
        let text = small_with("de = 2026-11-01", &format!("de = {bad}"));
        refused(&text, "de = ", &["such as 2026-11-01"]);
    }
    let text = small_with("de = 2026-11-01", "de = 2026-02-30");
    let errors = Registry::parse(&text).expect_err("no such day");
    assert_eq!(errors[0].line, line_of(&text, "de = 2026-02-30"));
}

#[test]
fn a_period_does_not_end_before_it_begins() {
    let text = small_with(
        r#""outro" }"#,
        r#""outro", de = 2026-05-01, ate = 2026-04-30 }"#,
    );
    refused(&text, "1100023", &["ate 2026-04-30", "de 2026-05-01"]);
}

#[test]
fn overlapping_routes_are_refused_unless_for_a_regime() {
    let two = r#"[{ sistema = "outro" }, { sistema = "nacional", de = 2026-09-01 }]"#;
    let text = small_with(r#"{ sistema = "outro" }"#, two);
    refused(&text, "1100023", &["overlap", "outro", "nacional"]);
    let special = two.replace("de =", "regimes = [\"mei\"], de =");
    assert!(Registry::parse(&small_with(r#"{ sistema = "outro" }"#, &special)).is_ok());
}

#[test]
fn options_are_known_and_typed() {
    let cases = [
        (
            r#"aliquota = "percentual""#,
            r#"aliquota = "promil""#,
            vec!["fracao, percentual"],
        ),
        (
            r#"aliquota = "percentual""#,
            "aliquota = 5",
            vec!["text between quotes"],
        ),
        (
            r#"aliquota = "percentual""#,
            r#"alicota = "percentual""#,
            vec!["\"alicota\"", "certificado_tls"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            r#"assina = ["rps", "nota"]"#,
            vec!["lote, rps"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "certificado_tls = 1",
            vec!["true or false"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "intervalo_ms = \"15\"",
            vec!["whole number"],
        ),
        // An adapter that read it as none would ask without a pause.
        (
            r#"assina = ["rps", "lote"]"#,
            "intervalo_ms = -15000",
            vec!["intervalo_ms is -15000", "from 1 to 86400000"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "intervalo_ms = 0",
            vec!["from 1 to 86400000"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "intervalo_ms = 86400001",
            vec!["from 1 to 86400000"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "maximo = -1",
            vec!["a whole number from 0"],
        ),
        (
            r#"assina = ["rps", "lote"]"#,
            "limite = \"0,05\"",
            vec!["0.05"],
        ),
    ];
    for (old, new, words) in cases {
        refused(&small_with(old, new), new, &words);
    }
    let text = small_with(
        r#"nome = "Outro""#,
        "nome = \"Outro\"\noptions = { aliquota = \"fracao\" }",
    );
    refused(
        &text,
        "options = { aliquota = \"fracao\" }\nfonte",
        &["adapter", "notas"],
    );
}

#[test]
fn a_mistake_of_a_parent_is_said_once() {
    let text = small_with(
        r#"aliquota = "fracao", namespace"#,
        r#"aliquota = "x", namespace"#,
    );
    refused(&text, "aliquota = \"x\"", &["fracao, percentual"]);
}

#[test]
fn the_same_municipality_twice() {
    let line = "1100031 = { nome = \"Calada\", uf = \"RO\" }\n";
    let text = small_with(line, &format!("{line}{line}"));
    let errors = Registry::parse(&text).expect_err("duplicate");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].line, line_of(&text, "1100031") + 1);
    assert!(errors[0].message.contains("duplicate"), "{errors:?}");
}

#[test]
fn ibge_codes_are_checked() {
    for bad in ["1100032", "110003", "abc", "11000310"] {
        let text = small_with("1100031 =", &format!("{bad} ="));
        refused(&text, &format!("{bad} ="), &[bad, "seven digits"]);
    }
    let text = small_with(
        r#"nome = "Calada", uf = "RO""#,
        r#"nome = "Calada", uf = "SP""#,
    );
    refused(&text, "1100031", &["\"SP\"", "state"]);
    // One of the codes whose last digit IBGE itself gets wrong.
    let text = small_with(
        r#"1100031 = { nome = "Calada", uf = "RO" }"#,
        r#"2201919 = { nome = "Calada", uf = "PI" }"#,
    );
    assert!(Registry::parse(&text).is_ok());
}

#[test]
fn addresses_are_http() {
    for bad in [
        "ftp://alta.example/ws",
        "alta.example",
        "https://",
        "https://a b/",
        "https://u:p@h/",
        "https://h:99999/",
    ] {
        let text = small_with("https://alta.example/ws", bad);
        refused(&text, "1100015", &["https://"]);
    }
}

#[test]
fn an_adapter_needs_its_address() {
    let text = small_with(r#", producao = "https://alta.example/ws""#, "");
    refused(
        &text,
        "1100015",
        &["\"filho\"", "production endpoint \"nfse\""],
    );
    let text = small_with(
        r#"producao = "https://alta.example/ws""#,
        r#"producao = { outra = "https://alta.example/ws" }"#,
    );
    refused(&text, "1100015", &["production endpoint \"nfse\""]);
}

#[test]
fn the_national_environment_has_no_address_of_a_municipality() {
    let text = small_with(
        r#"{ sistema = "outro" }"#,
        r#"{ sistema = "nacional", producao = "https://ws.example/nfse" }"#,
    );
    refused(&text, "1100023", &["national environment", "no address"]);
}

#[test]
fn inheritance_is_not_long() {
    let mut text = SMALL.to_owned();
    for n in 1..=10 {
        let parent = if n == 1 {
            "base".to_owned()
        } else {
            format!("neto{}", n - 1)
        };
        write!(text, "\n[systems.neto{n}]\nherda = \"{parent}\"\n").expect("text");
    }
    let errors = Registry::parse(&text).expect_err("a long chain");
    assert!(
        errors
            .iter()
            .all(|error| error.message.contains("more than 8 ancestors")),
        "{errors:?}"
    );
    assert_eq!(errors.len(), 2, "of the ninth and the tenth: {errors:?}");
}

#[test]
fn inheritance_makes_no_cycle() {
    let text = small_with(
        "[systems.base]\nnome = \"Base\"",
        "[systems.base]\nherda = \"filho\"",
    );
    let errors = Registry::parse(&text).expect_err("cycle");
    let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
    assert_eq!(
        lines,
        [
            line_of(&text, "herda = \"filho\""),
            line_of(&text, "herda = \"base\"")
        ]
    );
    assert!(
        errors.iter().all(|e| e.message.contains("cycle")),
        "{errors:?}"
    );
    let text = small_with("herda = \"base\"", "herda = \"bases\"");
    refused(&text, "herda", &["unknown system \"bases\""]);
}

#[test]
fn sources_and_conflicts_exist() {
    let text = small_with(
        r#"uf = "RO", rota = { sistema = "filho", producao = "https://alta.example/ws" }, fonte = "lei""#,
        r#"uf = "RO", rota = { sistema = "filho", producao = "https://alta.example/ws" }"#,
    );
    refused(&text, "1100015", &["route", "fonte"]);
    let text = small_with(r#"conflito = "dois""#, r#"conflito = "tres""#);
    refused(&text, "1100023", &["\"tres\"", "dois"]);
    let text = small_with(
        r#"emissor_nacional_fonte = "lista""#,
        r#"emissor_nacional_fonte = "boato""#,
    );
    refused(&text, "emissor_nacional_fonte", &["lei, lista"]);
}

#[test]
fn refusals_name_a_known_operation_and_a_source() {
    let with = |refusal: &str| {
        small_with(
            r#"nome = "Calada", uf = "RO""#,
            &format!(r#"nome = "Calada", uf = "RO", recusas = {{ {refusal} }}"#),
        )
    };
    refused(
        &with(r#"apagar = { motivo = "m", fonte = "lei" }"#),
        "1100031",
        &["\"apagar\"", "cancelar"],
    );
    refused(
        &with(r#"cancelar = { motivo = "m" }"#),
        "1100031",
        &["recusas.cancelar", "fonte"],
    );
    assert!(Registry::parse(&with(r#"cancelar = { motivo = "m", fonte = "lei" }"#)).is_ok());
}

#[test]
fn public_view_templates_are_checked() {
    let with = |template: &str| {
        small_with(
            r#"{ sistema = "outro" }"#,
            &format!(r#"{{ sistema = "outro", consulta = "{template}" }}"#),
        )
    };
    for good in ["{origem}/ver?n={numero}", "https://h.example/{cnpj}", ""] {
        assert!(Registry::parse(&with(good)).is_ok(), "{good}");
    }
    for bad in [
        "{origem}",
        "{origem}.evil.example/",
        "https://h.example/{senha}",
        "javascript:x",
        "https://h/{cnpj",
    ] {
        refused(&with(bad), "1100023", &["{origem}", "codigo_verificacao"]);
    }
}

#[test]
fn all_mistakes_at_once_in_the_order_of_lines() {
    let text = small_with(r#"sistema = "outro" }"#, r#"sistema = "nenhum" }"#)
        .replace("1100031", "1100032")
        .replace("data = 2025-01-16", "data = \"2025\"");
    let errors = Registry::parse(&text).expect_err("three mistakes");
    let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
    assert!(lines.is_sorted(), "{errors:?}");
    // Who refers to the broken source is not to blame.
    let expected = ["data = \"2025\"", "1100023", "1100032"].map(|needle| line_of(&text, needle));
    assert_eq!(lines, expected, "{errors:?}");
}

#[test]
fn a_broken_line_does_not_hide_the_others() {
    let text = small_with("nome = \"Lei\"", "nome = \"Lei").replace("1100031", "1100032");
    let errors = Registry::parse(&text).expect_err("two mistakes");
    let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
    assert!(
        lines.contains(&line_of(&text, "nome = \"Lei")),
        "{errors:?}"
    );
    assert!(lines.contains(&line_of(&text, "1100032")), "{errors:?}");
}

#[test]
fn who_took_the_registry_before_still_has_it() {
    let snapshot = Snapshot::new(Registry::parse(SMALL).expect("right"));
    let before = snapshot.load();
    let text = small_with("nome = \"Calada\"", "nome = \"Falante\"");
    snapshot.replace(Registry::parse(&text).expect("right"));
    assert_eq!(
        snapshot.load().municipality(1_100_031).expect("there").name,
        "Falante"
    );
    assert_eq!(
        before.municipality(1_100_031).expect("there").name,
        "Calada"
    );
}
