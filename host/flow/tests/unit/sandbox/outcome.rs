//! Outcomes are bounded, and backed by an answer.

use flow::contract::{
    Conteudo, Documento, Event, Failure, FailureReason, HttpResponse, Mensagem, Named, Situacao,
    Success, TransportFault, TransportKind,
};
use flow::sandbox::outcome::{
    AMOUNTS, CONTENT_DEPTH, DOCUMENTS, EVIDENCE_BYTES, FIELD_CHARS, MESSAGES, Seen, TEXT_CHARS,
    backed, bounded,
};
use flow::{Limits, StepError};

fn success() -> Success {
    Success {
        situacao: Situacao::Autorizado,
        documentos: Vec::new(),
        protocolo: None,
        mensagens: Vec::new(),
        conteudo: None,
    }
}

fn refused() -> Failure {
    let message = Mensagem {
        codigo: "E1".to_owned(),
        texto: format!("a\r\n\u{1b}[2J\u{202e}{}", "é".repeat(5_000)),
        correcao: None,
        campo: None,
    };
    Failure {
        reason: FailureReason::Rejected(vec![message; 500]),
        may_exist: false,
        detail: String::new(),
        evidence: Some(vec![0; 1 << 20]),
    }
}

fn documento() -> Documento {
    Documento {
        tipo: "nfse".to_owned(),
        situacao: Situacao::Autorizado,
        xml: None,
        numero: Some("1".to_owned()),
        serie: None,
        chave: None,
        codigo_verificacao: None,
        protocolo: None,
        emitido_em: None,
        url_consulta: None,
        valores: Vec::new(),
    }
}

#[test]
fn texts_are_cut_and_documents_refused() {
    let limits = Limits {
        response_bytes: 1_000,
        ..Limits::default()
    };
    let Ok(Err(failure)) = bounded(Err(refused()), &limits) else {
        panic!("a failure stays one")
    };
    let FailureReason::Rejected(messages) = &failure.reason else {
        panic!("{:?}", failure.reason)
    };
    assert_eq!(
        (messages.len(), messages[0].texto.chars().count()),
        (MESSAGES, TEXT_CHARS)
    );
    let shown = messages[0].texto.strip_prefix("a\n[2Jé");
    assert!(shown.is_some(), "without what a reader does not see");
    assert_eq!(
        failure.evidence.map(|evidence| evidence.len()),
        Some(EVIDENCE_BYTES)
    );

    let with = |documento: Documento| {
        bounded(
            Ok(Success {
                documentos: vec![documento],
                ..success()
            }),
            &limits,
        )
    };
    assert!(with(documento()).is_ok());
    assert!(
        with(Documento {
            xml: Some(vec![b'<'; 1_000]),
            ..documento()
        })
        .is_ok()
    );
    for wrong in [
        Documento {
            xml: Some(vec![b'<'; 1_001]),
            ..documento()
        },
        Documento {
            chave: Some("1\n2".to_owned()),
            ..documento()
        },
        Documento {
            numero: Some("9".repeat(FIELD_CHARS + 1)),
            ..documento()
        },
        Documento {
            url_consulta: Some("https://a.example/\u{0}".to_owned()),
            ..documento()
        },
        Documento {
            valores: vec![
                Named {
                    name: "iss".to_owned(),
                    value: "1".to_owned()
                };
                AMOUNTS + 1
            ],
            ..documento()
        },
    ] {
        assert!(
            matches!(with(wrong.clone()), Err(StepError::BadOutcome(_))),
            "{wrong:?}"
        );
    }
    let content = |json: &str| {
        let document = Conteudo {
            schema: "psp.cobranca".to_owned(),
            json: json.to_owned(),
        };
        let document = Some(document);
        bounded(
            Ok(Success {
                conteudo: document,
                ..success()
            }),
            &limits,
        )
    };
    assert!(content(r#"{"a":[{"b":1}]}"#).is_ok());
    for wrong in [
        "[".repeat(CONTENT_DEPTH + 1),
        r#"{"\u0024serde_json::private::RawValue":"1"}"#.to_owned(),
    ] {
        assert!(
            matches!(content(&wrong), Err(StepError::BadOutcome(_))),
            "{wrong}"
        );
    }
    let many = Success {
        documentos: vec![documento(); DOCUMENTS + 1],
        ..success()
    };
    assert!(bounded(Ok(many), &limits).is_err());
}

#[test]
fn a_yes_or_a_no_needs_an_answer() {
    let response = Event::Response(HttpResponse {
        status: 200,
        headers: Vec::new(),
        body: Vec::new(),
    });
    let cut = Event::NoResponse(TransportFault {
        kind: TransportKind::Reset,
        detail: String::new(),
        maybe_arrived: true,
    });
    let seen = |acted, answered, last| Seen {
        acted,
        answered,
        last,
    };
    assert!(backed(Ok(success()), &seen(false, false, None)).is_err());
    assert!(backed(Ok(success()), &seen(true, false, Some(&Event::Elapsed))).is_err());
    assert!(backed(Ok(success()), &seen(true, true, Some(&response))).is_ok());
    let may_exist = |acted, last| {
        let outcome =
            backed(Err(refused()), &seen(acted, false, last)).expect("a failure stays one");
        outcome.expect_err("a failure stays one").may_exist
    };
    assert!(may_exist(true, Some(&cut)));
    assert!(may_exist(true, Some(&Event::Elapsed)));
    assert!(!may_exist(true, Some(&response)));
    assert!(!may_exist(false, Some(&cut)));
    assert!(!may_exist(false, None));
}
