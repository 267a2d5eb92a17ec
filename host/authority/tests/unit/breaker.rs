use authority::breaker::Breaker;
use authority::way::{Mode, Way};
use base::errors::Code;
use flow::contract::{
    Failure, FailureReason, Mensagem, TransportFault, TransportKind, Unavailable,
};
use std::collections::{BTreeMap, BTreeSet};
use store::ids::EmitterId;
use store::words::Maybe;

fn way(address: &str) -> Way {
    Way {
        mode: Mode::Official,
        endpoints: BTreeMap::from([("autorizacao".to_owned(), address.to_owned())]),
        hosts: BTreeSet::new(),
        emitter_id: EmitterId::default(),
        certificate_id: Maybe(None),
    }
}

fn failure(codigo: &str, may_exist: bool) -> Failure {
    let message = Mensagem {
        codigo: codigo.to_owned(),
        texto: String::new(),
        correcao: None,
        campo: None,
    };
    Failure {
        reason: FailureReason::Unavailable(Unavailable {
            retry_after_ms: matches!(codigo, "656" | "678").then_some(3_600_000),
            mensagens: vec![message],
        }),
        may_exist,
        detail: String::new(),
        evidence: None,
    }
}

#[test]
fn an_authorizer_that_is_down_is_left_alone_by_everybody_for_a_while() {
    let breaker = Breaker::default();
    breaker.learn(&way("a"), "1", &failure("108", false), 1_000);
    let refused = breaker.check(&way("a"), "2", 2_000).expect_err("closed");
    assert_eq!(
        (refused.code, refused.retry_after_s),
        (Code::SefazIndisponivel, Some(29))
    );
    assert!(breaker.check(&way("b"), "2", 2_000).is_ok());
    assert!(breaker.check(&way("a"), "2", 31_000).is_ok());
}

#[test]
fn a_company_that_asked_too_much_waits_alone() {
    // Of the NF-e, and of CT-e and MDF-e.
    for codigo in ["656", "678"] {
        let breaker = Breaker::default();
        breaker.learn(&way("a"), "1", &failure(codigo, false), 0);
        let refused = breaker.check(&way("a"), "1", 60_000).expect_err("closed");
        assert_eq!(refused.code, Code::ConsumoIndevidoBloqueado, "{codigo}");
        assert!(breaker.check(&way("a"), "2", 60_000).is_ok());
        assert!(breaker.check(&way("a"), "1", 3_600_000).is_ok());
    }
}

#[test]
fn one_company_s_certificate_closes_nothing_for_the_others() {
    for (kind, closes) in [
        (TransportKind::Connect, true),
        (TransportKind::Dns, true),
        (TransportKind::Timeout, true),
        (TransportKind::Tls, false),
        (TransportKind::ClientCertificateRefused, false),
        (TransportKind::Blocked, false),
    ] {
        let breaker = Breaker::default();
        let fault = TransportFault {
            kind,
            detail: String::new(),
            maybe_arrived: false,
        };
        let failure = Failure {
            reason: FailureReason::Transport(fault),
            ..failure("", false)
        };
        breaker.learn(&way("a"), "1", &failure, 0);
        assert_eq!(breaker.check(&way("a"), "2", 1).is_err(), closes);
    }
}

#[test]
fn a_throttled_call_closes_nothing() {
    let breaker = Breaker::default();
    breaker.learn(&way("a"), "1", &failure("429", false), 0);
    assert!(breaker.check(&way("a"), "1", 1).is_ok());
}

#[test]
fn what_may_exist_closes_nothing() {
    let breaker = Breaker::default();
    breaker.learn(&way("a"), "1", &failure("108", true), 0);
    assert!(breaker.check(&way("a"), "1", 1).is_ok());
}
