use flow::contract::{Failure, FailureReason, Outcome, Success};
use issuing::model::Model;
use issuing::settle::verdict::{Verdict, Who, failed, verdict};
use serde_json::json;
use store::tables::notas::{NotaRow, Via};

#[test]
fn a_denial_is_final_only_with_the_protocol_of_our_key() {
    let nota = NotaRow {
        modelo: Model::Nfe,
        chave: "ours".to_owned(),
        ..NotaRow::default()
    };
    let of = |kind: &str, chave: &str| {
        let documento = json!({
            "tipo": kind, "situacao": "Denegado", "chave": chave, "xml": [60], "valores": [],
        });
        let success = json!({ "situacao": "Denegado", "documentos": [documento], "mensagens": [] });
        Ok(serde_json::from_value::<Success>(success).expect("a success"))
    };
    let denied = |outcome: Outcome| {
        let verdict = verdict(&outcome, &nota).expect("a readable note");
        matches!(verdict, Verdict::Denied(_))
    };
    assert!(denied(of("protNFe", "ours")));
    assert!(!denied(of("procEventoNFe", "ours")));
    assert!(!denied(of("protNFe", "another")));
}

/// Some cities answer in JSON: then the code under which the city shows the note
/// stands for its XML.
#[test]
fn a_note_without_xml_is_shown_by_its_code() {
    let issued = |via: Via, code: Option<&str>, xml: Option<&[u8]>| {
        let nota = NotaRow {
            modelo: Model::Nfse,
            via,
            ..NotaRow::default()
        };
        let documento = json!({
            "tipo": "nfse", "situacao": "Autorizado", "numero": "234", "codigo_verificacao": code,
            "xml": xml, "valores": [],
        });
        let success =
            json!({ "situacao": "Autorizado", "documentos": [documento], "mensagens": [] });
        let outcome = Ok(serde_json::from_value::<Success>(success).expect("a success"));
        let verdict = verdict(&outcome, &nota).expect("a readable note");
        matches!(verdict, Verdict::Issued(_))
    };
    assert!(issued(Via::Municipal, Some("A1B2C3D4"), None));
    assert!(issued(Via::Municipal, None, Some(b"<nota/>")));
    assert!(!issued(Via::Municipal, None, None));
    assert!(!issued(Via::Municipal, Some(" "), None));
    assert!(!issued(Via::Municipal, Some("A1B2C3D4"), Some(b"")));
    assert!(!issued(Via::Nacional, Some("A1B2C3D4"), None));
}

/// Refusals of a SEFAZ never mention a city hall.
#[test]
fn a_sefaz_is_no_city() {
    for reason in [
        FailureReason::Credentials(Vec::new()),
        FailureReason::NotSupported("Inutilização".to_owned()),
        FailureReason::UnexpectedResponse("lixo".to_owned()),
    ] {
        let failure = Failure {
            reason,
            may_exist: false,
            detail: String::new(),
            evidence: None,
        };
        let Verdict::NotSent(refusal) = failed(&failure, &Who::sefaz(Model::Nfe)) else {
            panic!("{:?}", failure.reason);
        };
        let told = base::errors::body(&refusal, "", "").to_string();
        for city in ["munic", "prefeitura", "nfse"] {
            assert!(!told.contains(city), "{city} in {told}");
        }
    }
}
