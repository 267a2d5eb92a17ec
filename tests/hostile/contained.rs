//! Every misbehaviour ends its own flow, with a sentence that names it, and
//! the same engine serves the next one.

use crate::stage::{Ended, blocked, cut, loaded, ok, run, runtime};
use flow::contract::{Effect, Event, FailureReason, Situacao};
use std::time::{Duration, Instant};

/// Longest any of them may take: the step's time, and a slow machine.
const PATIENCE: Duration = Duration::from_secs(10);

async fn end(mode: &str, answer: Event) -> Ended {
    let component = loaded(mode);
    let begun = Instant::now();
    let ended = run(&component, answer).await;
    assert!(
        begun.elapsed() < PATIENCE,
        "{mode} took {:?}",
        begun.elapsed()
    );
    let next = run(&loaded("good"), ok()).await;
    assert!(
        next.outcome.is_ok(),
        "after {mode}, a good adapter: {:?}",
        next.outcome
    );
    ended
}

/// Fails before anything was sent: nothing can exist.
async fn fails_unsent(mode: &str, words: &str) {
    let ended = end(mode, ok()).await;
    let (detail, may_exist) = ended.failure();
    assert!(detail.contains(words), "{mode}: {detail}");
    assert!(!may_exist, "{mode}: nothing was sent");
    assert!(ended.sent.is_empty(), "{mode} sent {:?}", ended.sent);
}

#[tokio::test]
async fn computing_without_end() {
    fails_unsent("loop", "longer than 1000 ms").await;
}

#[tokio::test]
async fn memory_without_end() {
    fails_unsent("memory", "memory").await;
}

#[tokio::test]
async fn recursion_without_end() {
    fails_unsent("stack", "stack").await;
}

#[tokio::test]
async fn a_panic_with_its_place() {
    fails_unsent("panic", "quebrei de proposito at ").await;
}

#[tokio::test]
async fn state_and_requests_beyond_their_size() {
    fails_unsent("state", "state has 1048576 bytes, the limit is 262144").await;
    fails_unsent("state-flood", "too much data").await;
    fails_unsent("request", "request has 3145728 bytes, the limit is 2097152").await;
}

#[tokio::test]
async fn requests_that_want_to_leave_their_place() {
    fails_unsent("endpoint", "endpoint vizinho").await;
    for mode in [
        "path-dots",
        "path-escaped",
        "path-slashes",
        "path-crlf",
        "path-host",
    ] {
        fails_unsent(mode, "malformed: path").await;
    }
    fails_unsent("header-crlf", "malformed: header").await;
    fails_unsent("header-host", "malformed: header").await;
    fails_unsent("header-many", "malformed: too many headers").await;
    fails_unsent("method", "malformed: method").await;
    fails_unsent("label", "malformed: label").await;
    fails_unsent("url-plain", "malformed: url").await;
    fails_unsent("url-login", "malformed: url").await;
}

#[tokio::test]
async fn secrets_and_the_certificate_go_where_it_is_declared() {
    for (mode, what) in [
        ("leak-endpoint", "secret senha at outra"),
        ("leak-header", "secret senha at outra"),
        ("leak-query", "secret senha at outra"),
        ("leak-basic", "secret usuario at outra"),
        ("leak-url", "secret senha at url"),
        ("leak-tls", "the customer's certificate at outra"),
        ("placeholder-other", "secret senha_do_vizinho at ws"),
    ] {
        let ended = end(mode, ok()).await;
        let sentence = format!("outside of what the adapter declares: {what}");
        assert!(
            ended.failure().0.contains(&sentence),
            "{:?}",
            ended.failure()
        );
        assert!(ended.sent.is_empty(), "{mode} sent {:?}", ended.sent);
        let refused = ended.uses.iter().map(|made| made.refused.as_deref());
        assert_eq!(refused.collect::<Vec<_>>(), [Some(what)], "{mode}");
    }
    // What the city may know leaves, and the names of other secrets are not shown.
    let ended = end("echo", ok()).await;
    assert_eq!((ended.sent.len(), ended.uses.len()), (1, 0));
    let ended = end("secrets-hidden", ok()).await;
    assert_eq!(ended.failure().0, "usuario,senha true");
}

#[tokio::test]
async fn a_blocked_address_is_a_request_that_never_left() {
    let ended = end("url", blocked()).await;
    let Err(failure) = &ended.outcome else {
        panic!("{:?}", ended.outcome)
    };
    assert!(matches!(failure.reason, FailureReason::Transport(_)));
    assert!(!failure.may_exist);
    // The same, when the adapter breaks over it: nothing left, nothing exists.
    let ended = end("trap-once", blocked()).await;
    assert_eq!((ended.failure().1, ended.sent.len()), (false, 1));
}

#[tokio::test]
async fn steps_without_end() {
    let steps = runtime().limits().steps;
    for mode in ["wait", "send"] {
        let ended = end(mode, ok()).await;
        assert_eq!(
            ended.failure(),
            (
                format!("adapter wants more than {steps} steps").as_str(),
                false
            )
        );
        assert_eq!(ended.turns, steps as usize + 1, "{mode}");
    }
    let ended = end("pause", ok()).await;
    let longest = i64::try_from(runtime().limits().pause_ms).expect("milliseconds");
    assert!(
        ended.slept_ms >= longest && ended.slept_ms < 2 * longest,
        "slept {} ms",
        ended.slept_ms
    );
    assert_eq!(ended.reasons[0], "sem motivo[2J");
}

#[tokio::test]
async fn claims_without_an_answer() {
    fails_unsent("yes-unasked", "no authority answered").await;
    fails_unsent("yes-waited", "no authority answered").await;
}

#[tokio::test]
async fn a_yes_about_nothing_is_carried_as_one() {
    // What it is worth is for the ledger to say: without a document, nothing.
    let ended = end("yes-empty", ok()).await;
    let success = ended.outcome.expect("a success in form");
    assert_eq!(
        (success.situacao, success.documentos.len()),
        (Situacao::Autorizado, 0)
    );
}

#[tokio::test]
async fn outcomes_beyond_their_size() {
    let ended = end("yes-flood", ok()).await;
    assert!(
        ended.failure().0.contains("too much data"),
        "{:?}",
        ended.failure()
    );
    let ended = end("yes-large", ok()).await;
    assert!(
        ended.failure().0.contains("9437184 bytes of documents"),
        "{:?}",
        ended.failure()
    );
}

#[tokio::test]
async fn a_no_after_sending_needs_an_answer() {
    // The authority answered: the adapter's reading of it is taken.
    let ended = end("no-once", ok()).await;
    assert!(!ended.failure().1);
    // Nobody answered: nobody knows.
    let ended = end("no-once", cut()).await;
    assert!(ended.failure().1);
    assert_eq!(ended.sent.len(), 1);
}

#[tokio::test]
async fn breaking_after_sending_leaves_the_question_open() {
    for (mode, words) in [
        ("trap-once", "quebrei depois de enviar"),
        ("loop-once", "longer than"),
    ] {
        for answer in [ok(), cut()] {
            let ended = end(mode, answer).await;
            let (detail, may_exist) = ended.failure();
            assert!(detail.contains(words), "{mode}: {detail}");
            assert!(may_exist, "{mode}");
            assert_eq!(ended.sent.len(), 1, "{mode} is sent once");
            assert_eq!(ended.sent[0].effect, Effect::Once);
        }
    }
}

#[tokio::test]
async fn secrets_of_others_do_not_exist() {
    let ended = end("secrets", ok()).await;
    assert_eq!(ended.failure().0, "0 segredos alheios");
    // A stranger's placeholder is text; the adapter's own tag with a name
    // nobody gave is refused when it is filled (the hub's transport).
    let ended = end("placeholder-stray", ok()).await;
    assert_eq!(ended.sent[0].body, b"@@hub:0000000000000000:plain:senha@@");
}

#[tokio::test]
async fn greed_is_bounded() {
    let limits = runtime().limits().clone();
    let ended = end("signs", ok()).await;
    assert_eq!(ended.signatures, limits.signatures);
    assert_eq!(
        ended.failure().0,
        format!("{} assinaturas", limits.signatures)
    );
    let ended = end("logs", ok()).await;
    assert!(ended.failure().0 == "escrevi demais" || ended.failure().0.contains("longer than"));
}

#[tokio::test]
async fn lies_about_its_own_operations_end_as_unsupported() {
    let component = loaded("unable");
    assert!(
        component
            .description
            .operations
            .iter()
            .any(|operation| operation.name == "inutilizar")
    );
    let ended = end("unable", ok()).await;
    let Err(failure) = &ended.outcome else {
        panic!("{:?}", ended.outcome)
    };
    assert!(matches!(failure.reason, FailureReason::NotSupported(_)));
}
