use issuing::document::product::Details;
use issuing::model::Model;
use issuing::settle::product::{Said, as_sent};
use serde_json::json;

/// Its moment and QR code would be those of an earlier key.
#[test]
fn a_document_that_was_sent_and_cannot_be_read_is_an_error() {
    let mut details = Details {
        chaves_anteriores: vec!["velha".to_owned()],
        data_emissao: "antes".to_owned(),
        ..Details::default()
    };
    let error = as_sent(&mut details, "<NFe>", &"nfe_1".into()).expect_err("half a document");
    assert!(error.to_string().contains("nfe_1"), "{error}");
    let sent = "<NFe><infNFe><ide><dhEmi>depois</dhEmi></ide></infNFe></NFe>";
    as_sent(&mut details, sent, &"nfe_1".into()).expect("a document");
    assert_eq!(details.data_emissao, "depois");
}

#[test]
fn an_ended_note_says_how_it_ended() {
    let event = |kind: &str, cstat: &str| json!({ "tipo": kind, "cstat": cstat, "motivo": format!("evento {cstat}") });
    for (cstat, eventos, said) in [
        ("101", vec![event("110111", "135")], "101"),
        ("151", vec![], "151"),
        // The authorizer goes on to say that it authorized the note.
        (
            "100",
            vec![event("110110", "135"), event("110111", "155")],
            "155",
        ),
        (
            "100",
            vec![event("110112", "135"), event("110140", "136")],
            "135",
        ),
        ("100", vec![event("110111", "573")], "101"),
        ("150", vec![], "101"),
    ] {
        let said_of = json!({ "cstat": cstat, "motivo": "situação", "chave": null, "recebido_em": null, "eventos": eventos });
        let read: Said = serde_json::from_value(said_of).expect("as the contract says");
        assert_eq!(read.end(Model::Nfe).0, said, "{cstat} {eventos:?}");
        assert!(!read.end(Model::Nfe).1.is_empty());
    }
}
