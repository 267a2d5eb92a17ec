use authority::breaker::{self, Breaker, Why};
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
fn a_pause_of_a_clock_that_was_set_back_counts_no_more() {
    const DAY_MS: i64 = 86_400_000;
    let breaker = Breaker::default();
    breaker.learn(&way("a"), "1", &failure("108", false), DAY_MS);
    breaker.learn(&way("b"), "1", &failure("656", false), DAY_MS);
    assert_eq!(breaker.open(DAY_MS), (1, 1));
    assert!(breaker.check(&way("a"), "1", 0).is_ok());
    assert!(breaker.check(&way("b"), "1", 0).is_ok());
    assert_eq!(breaker.down_until(Mode::Official, "a", 0), None);
    assert_eq!(breaker.open(0), (0, 0));
    // The next one is none that goes on.
    breaker.learn(&way("a"), "1", &failure("108", false), 0);
    let pauses = breaker.pauses(1);
    assert_eq!((pauses[0].since_ms, pauses[0].failures), (0, 1));
    assert!(breaker.check(&way("a"), "1", 1).is_err());
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

/// A pause that follows another one goes on with it, and can be ended.
#[test]
fn a_pause_is_known_from_its_beginning_and_can_be_ended() {
    let breaker = Breaker::default();
    breaker.learn(&way("a"), "1", &failure("108", false), 1_000);
    breaker.learn(&way("b"), "1", &failure("656", false), 2_000);
    breaker.learn(&way("a"), "1", &failure("109", false), 40_000);
    let pauses = breaker.pauses(41_000);
    let told: Vec<_> = pauses
        .iter()
        .map(|pause| {
            (
                pause.address.as_str(),
                pause.company.as_str(),
                pause.since_ms,
                pause.failures,
            )
        })
        .collect();
    assert_eq!(told, [("a", "", 1_000, 2), ("b", "1", 2_000, 1)]);
    assert_eq!(pauses[0].until_ms, 70_000);
    assert_eq!((pauses[0].why, pauses[1].why), (Why::Paused, Why::UndueUse));
    assert_eq!(breaker.open(41_000), (1, 1));
    assert_eq!(breaker.open(71_000), (0, 1), "it is over by itself");

    assert!(
        !breaker.close(Mode::Simulator, "a", 42_000),
        "of another kind"
    );
    assert!(breaker.close(Mode::Official, "a", 42_000));
    assert!(breaker.check(&way("a"), "2", 42_000).is_ok());
    assert!(!breaker.close(Mode::Official, "a", 42_000), "once");
    assert!(
        breaker.check(&way("b"), "1", 42_000).is_err(),
        "a company's stays"
    );
    assert!(!breaker.close(Mode::Official, "b", 42_000));
    // Long after it, another one begins.
    breaker.learn(&way("a"), "1", &failure("108", false), 500_000);
    assert_eq!(
        breaker.pauses(500_001)[0].since_ms,
        2_000,
        "the company's, for an hour"
    );
    assert_eq!(breaker.pauses(500_001)[1].since_ms, 500_000);
}

#[test]
fn every_authorizer_of_the_registry_is_known_with_its_pause() {
    let registry = flow::registry::built_in().expect("the registry");
    let breaker = Breaker::default();
    let all = breaker::all(&registry, &breaker, 0);
    assert!(all.len() > 20 && all.iter().all(|one| one.pause.is_none()));
    let svrs = all.iter().find(|one| one.id == "SVRS").expect("SVRS");
    let address = svrs.addresses.first().expect("an address").clone();
    let mut simulated = way(&address);
    simulated.mode = Mode::InProcess;
    breaker.learn(&simulated, "1", &failure("108", false), 0);
    let paused = || {
        let all = breaker::all(&registry, &breaker, 1).into_iter();
        let paused = all.filter(|one| one.pause.is_some());
        paused.collect::<Vec<_>>()
    };
    assert!(paused().is_empty(), "what is simulated says nothing of it");
    breaker.learn(&way(&address), "1", &failure("108", false), 0);
    // Several authorizers of the registry may be one server.
    let paused = paused();
    assert!(paused.iter().all(|one| one.addresses.contains(&address)));
    let svrs = paused.iter().filter(|one| one.id == "SVRS");
    assert_eq!(svrs.count(), 1, "in one environment");
    let sharing = all.iter().filter(|one| one.addresses.contains(&address));
    assert_eq!(sharing.count(), paused.len());
}
