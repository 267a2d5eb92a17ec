use issuing::document::product::{Details, authorization_content, is_ours, query, resending};
use store::tables::flows::FlowRow;
use store::tables::notas::NotaRow;

fn nota(details: &str) -> NotaRow {
    NotaRow {
        id: "nfe_1".into(),
        chave: "nova".to_owned(),
        detalhes: details.to_owned(),
        ..NotaRow::default()
    }
}

#[test]
fn an_earlier_key_is_the_notes_own() {
    let nota = nota("{\"chaves_anteriores\":[\"velha\"]}");
    for (chave, own) in [
        ("nova", true),
        ("velha", true),
        ("outra", false),
        ("", false),
    ] {
        assert_eq!(is_ours(&nota, chave).expect("readable"), own, "{chave}");
    }
}

/// Sent as if it were the first, its refusal would be believed.
#[test]
fn an_event_is_not_sent_again_without_saying_so() {
    let flow = |content: &str| FlowRow {
        id: "flw_1".into(),
        conteudo: content.to_owned(),
        ..FlowRow::default()
    };
    let again = resending(&flow("{\"chave\":\"1\"}")).expect("readable");
    assert_eq!(again, "{\"chave\":\"1\",\"reenvio\":true}");
    for damaged in ["", "{", "[]"] {
        let error = resending(&flow(damaged)).expect_err(damaged).to_string();
        assert!(error.contains("flw_1"), "{error}");
    }
}

/// A note whose earlier keys are unknown is neither asked about nor sent
/// as if it had none.
#[test]
fn details_that_cannot_be_read_are_an_error() {
    for damaged in ["{", "null", "{\"chaves_anteriores\":[1]}"] {
        let nota = nota(damaged);
        let error = Details::of(&nota).expect_err(damaged).to_string();
        assert!(
            error.contains("details of a note") && error.contains("nfe_1"),
            "{error}"
        );
        assert!(is_ours(&nota, "outra").is_err(), "{damaged}");
        assert!(
            authorization_content(&nota).is_err() && query(&nota).is_err(),
            "{damaged}"
        );
    }
    assert!(Details::of(&nota("")).is_ok(), "a service note has none");
}
