use flow::contract::{Failure, FailureReason, Outcome, Success};
use issuing::model::Model;
use issuing::settle::verdict::{Verdict, Who, failed, verdict};
use serde_json::json;
use store::tables::notas::NotaRow;

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
