use flow::contract::{Ambiente, Context, Emitente};
use issuing::document::naming::{question_of, ref_of};
use store::tables::notas::NotaRow;

fn nota(documento: &str) -> NotaRow {
    let context = Context {
        flow: String::new(),
        step: 0,
        now: "2026-11-20T09:00:00-03:00".to_owned(),
        entropy: Vec::new(),
        ambiente: Ambiente::Homologacao,
        municipio: None,
        uf: None,
        emitente: Emitente {
            documento: documento.to_owned(),
            inscricao_municipal: None,
            inscricao_estadual: None,
            razao_social: String::new(),
            extras: Vec::new(),
        },
        endpoints: Vec::new(),
        options: Vec::new(),
        secrets: Vec::new(),
    };
    NotaRow {
        id: "nfse_1".into(),
        context: serde_json::to_string(&context).expect("plain JSON"),
        municipio: "3106200".to_owned(),
        serie: "1".to_owned(),
        numero: 7,
        ..NotaRow::default()
    }
}

/// Without its id another question would be asked, or one about number zero.
#[test]
fn a_note_is_named_as_it_was_sent_or_not_at_all() {
    let whole = nota("11222333000181");
    let asked = question_of(&whole).expect("readable");
    assert!(
        asked.contains("310620021122233300018100001000000000000007"),
        "{asked}"
    );
    let lettered = NotaRow {
        serie: "A".to_owned(),
        ..whole.clone()
    };
    let asked = question_of(&lettered).expect("a series may have letters");
    assert!(!asked.contains("31062002"), "{asked}");
    for damaged in [
        nota("11222333000100"),
        NotaRow {
            municipio: "31".to_owned(),
            ..whole.clone()
        },
        NotaRow {
            numero: -1,
            ..whole.clone()
        },
    ] {
        let error = question_of(&damaged).expect_err("damaged").to_string();
        assert!(error.contains("nfse_1"), "{error}");
    }
    let damaged = NotaRow {
        numero: -1,
        ..whole
    };
    assert!(ref_of(&damaged).is_err());
}
