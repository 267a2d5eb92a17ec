use flow::contract::{Ambiente, Context, Emitente};
use issuing::document::naming::{question_of, ref_of, ref_of_cancelled};
use serde_json::json;
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
        conteudo: json!({
            "identificacao": { "serie": "1", "numero": 7 },
            "data_emissao": "2026-11-20T09:00:00-03:00",
            "data_competencia": "2026-11-20",
            "codigo_municipio_emissor": "3106200",
            "tomador": { "cpf_cnpj": "11222333000181" },
            "servico": { "codigo_tributacao_nacional": "010101", "descricao": "Serviço" },
            "valores": { "servico": "150.00" },
        })
        .to_string(),
        serie: "1".to_owned(),
        numero: 7,
        ..NotaRow::default()
    }
}

/// Without its id another question would be asked, or one about number zero.
#[test]
fn a_note_is_named_as_it_was_sent_or_not_at_all() {
    let whole = nota("11222333000181");
    let asked = question_of(&whole, None).expect("readable");
    assert!(
        asked.contains("310620021122233300018100001000000000000007"),
        "{asked}"
    );
    let lettered = NotaRow {
        serie: "A".to_owned(),
        ..whole.clone()
    };
    let asked = question_of(&lettered, None).expect("a series may have letters");
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
        let error = question_of(&damaged, None)
            .expect_err("damaged")
            .to_string();
        assert!(error.contains("nfse_1"), "{error}");
    }
    let damaged = NotaRow {
        numero: -1,
        ..whole
    };
    assert!(ref_of(&damaged, None).is_err());
}

/// So that an adapter knows the note of another sale under the same number.
#[test]
fn an_adapter_learns_what_a_note_declared() {
    let asked = question_of(&nota("11222333000181"), None).expect("readable");
    let asked: serde_json::Value = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(asked["valor"], "150.00");
    assert_eq!(asked["tomador"], "11222333000181");
}

/// The emission may be declared days before the note is sent.
#[test]
fn an_adapter_learns_when_a_note_was_sent() {
    let nota = nota("11222333000181");
    let sent_ms = 1_764_200_000_000;
    let sent = base::when::format(base::when::local(sent_ms, ""));
    let asked = question_of(&nota, Some(sent_ms)).expect("readable");
    let asked: fiscal::nfse::RpsRef = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(asked.enviado_em.as_deref(), Some(sent.as_str()));
    assert_eq!(
        asked.emitido_em.as_deref(),
        Some("2026-11-20T09:00:00-03:00")
    );
    let named = ref_of_cancelled(&nota, None, sent_ms).expect("readable");
    assert_eq!(
        named.cancelamento_enviado_em.as_deref(),
        Some(sent.as_str())
    );
    assert_eq!(named.enviado_em, None);
    assert_eq!(
        question_of(&nota, None)
            .expect("readable")
            .find("enviado_em"),
        None
    );
}
