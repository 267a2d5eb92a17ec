use panel::pages::coverage::MAP;
use panel::pages::documents::filters::{file_period, titled};
use panel::pages::emitter::facts::{facts, validity};
use panel::pages::emitter::profile::set;
use panel::pages::usage::series;
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn the_map_has_every_state_once() {
    let cells: Vec<&str> = MAP
        .iter()
        .flat_map(|row| row.split(' '))
        .filter(|cell| *cell != ".")
        .collect();
    assert_eq!(
        (cells.len(), cells.iter().collect::<BTreeSet<_>>().len()),
        (27, 27)
    );
    assert!(MAP.iter().all(|row| row.split(' ').count() == 7));
}

#[test]
fn members_are_set_and_taken_away_with_what_they_leave_empty() {
    let mut value = json!({ "a": { "b": 1 }, "c": null });
    set(&mut value, "/a/x/y", Some(json!(2)));
    set(&mut value, "/c/d", Some(json!(3)));
    assert_eq!(
        value,
        json!({ "a": { "b": 1, "x": { "y": 2 } }, "c": { "d": 3 } })
    );
    set(&mut value, "/a/x/y", None);
    set(&mut value, "/c/d", None);
    set(&mut value, "/nothing/here", None);
    assert_eq!(value, json!({ "a": { "b": 1 } }));
}

#[test]
fn days_on_which_nothing_happened_are_days_too() {
    let report = json!({
        "periodo": { "de": "2026-02-27", "ate": "2026-03-02" },
        "itens": [{ "chave_grupo": "2026-03-01", "chamadas": 3, "debitado": 4 }],
    });
    let days: Vec<(String, i64, i64)> = series(&report)
        .into_iter()
        .map(|day| (day.label, day.calls, day.spent))
        .collect();
    let expected = [
        ("27/02", 0, 0),
        ("28/02", 0, 0),
        ("01/03", 3, 4),
        ("02/03", 0, 0),
    ];
    assert_eq!(
        days,
        expected.map(|(label, calls, spent)| (label.to_owned(), calls, spent))
    );
    assert!(series(&json!({})).is_empty());
}

/// The text of a piece of a page.
fn text(html: &str) -> String {
    let parts = html.split('<').map(|part| match part.split_once('>') {
        Some((_, text)) => text,
        None => part,
    });
    parts.collect()
}

#[test]
fn until_when_a_certificate_is_good_is_said_in_words() {
    for (state, days, said) in [
        ("valido", 364, "válido até 02/03/2026 10:00 (364 dias)"),
        (
            "vence_em_breve",
            1,
            "vence em breve: 02/03/2026 10:00 (1 dia)",
        ),
        (
            "vence_em_breve",
            0,
            "vence em breve: 02/03/2026 10:00 (menos de 1 dia)",
        ),
        ("vencido", 0, "vencido em 02/03/2026 10:00"),
    ] {
        let certificate = json!({
            "situacao": state, "valido_ate": "2026-03-02T10:00:00-03:00", "dias_restantes": days,
        });
        assert_eq!(text(&validity(&certificate).0), said);
    }
    assert_eq!(text(&validity(&json!(null)).0), "sem certificado");
}

#[test]
fn what_a_company_lacks_is_said_without_words_of_programs() {
    let lacking = json!({
        "pendencias_detalhes": [
            { "codigo": "certificado_vencido", "campo": "certificado", "mensagem": "O certificado venceu em 2026-03-02T10:00:00-03:00." },
            { "codigo": "perfil_fiscal_incompleto", "campo": "nfse.credenciais.usuario", "mensagem": "Ariquemes pede a credencial usuario." },
        ],
    });
    let shown = facts(&lacking, Some("/painel/emitentes/emi_1")).0;
    for way in ["certificado", "prefeitura_usuario"] {
        let href = format!("href=\"/painel/emitentes/emi_1#{way}\"");
        assert!(shown.contains(&href), "{way}: {shown}");
    }
    assert!(
        !facts(&lacking, None).0.contains("href"),
        "who may not fill it in"
    );
    let shown = facts(&lacking, Some(""));
    let shown = text(&shown.0);
    assert!(
        shown.contains("O certificado venceu em 02/03/2026."),
        "{shown}"
    );
    assert!(
        shown.contains("Ariquemes pede o usuário da empresa no sistema da prefeitura."),
        "{shown}"
    );
}

#[test]
fn names_of_files_tell_the_period() {
    for (from, until, name) in [
        ("2026-11-01", "2026-11-30", "2026-11"),
        ("2024-02-01", "2024-02-29", "2024-02"),
        ("2026-12-01", "2026-12-31", "2026-12"),
        ("2026-11-03", "2026-11-03", "2026-11-03"),
        ("2026-11-01", "2026-11-29", "2026-11-01-a-2026-11-29"),
        ("2025-11-01", "2026-11-30", "2025-11-01-a-2026-11-30"),
        ("2026-11-03", "", "desde-2026-11-03"),
        ("", "2026-11-03", "ate-2026-11-03"),
        // Without a limit until today, which is another day in Brasília.
        ("", "\"; x", "ate-2026-11-03"),
    ] {
        let now_ms = 1_793_757_600_000;
        assert_eq!(file_period(from, until, now_ms), name, "{from} {until}");
    }
}

#[test]
fn a_document_is_found_by_the_name_that_lists_show() {
    for (text, found) in [
        ("NF-e 1", Some(("55", "1"))),
        ("nfe 12", Some(("55", "12"))),
        ("NFC-e 12", Some(("65", "12"))),
        ("NFS-e  3", Some(("nfse", "3"))),
        (" nota 5 ", Some(("", "5"))),
        ("1", None),
        ("NF-e", None),
        ("NF-e 1,50", None),
        ("Rua 7", None),
        ("padaria", None),
    ] {
        assert_eq!(titled(text), found, "{text}");
    }
}
