use flow::contract::{
    Conteudo, Failure, FailureReason, Mensagem, Outcome, Situacao, Success, TransportFault,
    TransportKind, Unavailable,
};
use inbound::pause::{End, Kind, WAIT_MS};
use inbound::reply::read;

fn success(json: &str) -> Outcome {
    Ok(Success {
        situacao: Situacao::Consultado,
        documentos: Vec::new(),
        protocolo: None,
        mensagens: Vec::new(),
        conteudo: Some(Conteudo {
            schema: "sefaz.distribuicao.resposta/1".to_owned(),
            json: json.to_owned(),
        }),
    })
}

fn failure(reason: FailureReason) -> anyhow::Result<Outcome> {
    Ok(Err(Failure {
        reason,
        may_exist: false,
        detail: String::new(),
        evidence: None,
    }))
}

fn message(codigo: &str, text: &str) -> Mensagem {
    Mensagem {
        codigo: codigo.to_owned(),
        texto: text.to_owned(),
        correcao: None,
        campo: None,
    }
}

#[test]
fn the_queue_goes_on_only_while_it_moves() {
    for (json, since, end) in [
        (
            r#"{"cstat":"137","ultimo_nsu":"7","max_nsu":"9"}"#,
            5,
            End::Wait(WAIT_MS),
        ),
        (
            r#"{"cstat":"138","ultimo_nsu":"7","max_nsu":"9"}"#,
            5,
            End::Continues,
        ),
        (
            r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9"}"#,
            5,
            End::Wait(WAIT_MS),
        ),
        (
            r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9","cortada":true}"#,
            5,
            End::Continues,
        ),
        (
            r#"{"cstat":"138","ultimo_nsu":"5","max_nsu":"9"}"#,
            5,
            End::Wait(WAIT_MS),
        ),
        (r#"{"cstat":"138"}"#, 5, End::Wait(WAIT_MS)),
        ("junk", 5, End::Wait(WAIT_MS)),
    ] {
        let page = read(Ok(success(json)), since, 0).expect("a page");
        assert_eq!(page.end(Kind::New, true), end, "{json}");
        assert_eq!(page.end(Kind::Single, true), End::Free);
    }
}

#[test]
fn only_what_certainly_did_not_leave_costs_nothing() {
    let fault = |maybe_arrived| {
        FailureReason::Transport(TransportFault {
            kind: TransportKind::Timeout,
            detail: String::new(),
            maybe_arrived,
        })
    };
    let busy = |retry_after_ms, messages| {
        FailureReason::Unavailable(Unavailable {
            retry_after_ms,
            mensagens: messages,
        })
    };
    let abuse = vec![
        message("656", "Consumo indevido"),
        message("ultimo_nsu", "000000000000042"),
    ];
    for (reason, end) in [
        (fault(true), End::Wait(WAIT_MS)),
        (fault(false), End::Free),
        (busy(None, Vec::new()), End::Wait(0)),
        (
            busy(Some(60_000), vec![message("108", "Parado")]),
            End::Wait(60_000),
        ),
        (busy(Some(3_600_000), abuse.clone()), End::Blocked),
        (
            FailureReason::Rejected(vec![message("589", "NSU")]),
            End::Wait(WAIT_MS),
        ),
        (
            FailureReason::UnexpectedResponse("?".to_owned()),
            End::Wait(WAIT_MS),
        ),
    ] {
        let told = read(failure(reason.clone()), 0, 0).expect_err("no page");
        assert_eq!(told.end, end, "{reason:?}");
    }
    let lost = read(Err(anyhow::anyhow!("timeout")), 0, 0).expect_err("no page");
    assert_eq!(lost.end, End::Wait(WAIT_MS));
    let blocked = read(failure(busy(None, abuse)), 0, 0).expect_err("no page");
    assert_eq!(
        (blocked.last_nsu, blocked.refusal.retry_after_s),
        (42, Some(3_660))
    );
}
