mod party;

use base::errors::Failure;
use issuing::emitters::{IMPORT_WAIT, one_of_few};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::Semaphore;

fn summary<T>(answer: Result<T, Failure>) -> String {
    match answer {
        Ok(_) => "done".to_owned(),
        Err(Failure::Refused(refusal)) => format!(
            "{} {} {:?}",
            refusal.code.status(),
            refusal.code.as_str(),
            refusal.retry_after_s
        ),
        Err(Failure::Internal(error)) => error.to_string(),
    }
}

#[tokio::test]
async fn a_place_is_taken_until_the_work_ends_even_when_nobody_waits() {
    static PLACES: Semaphore = Semaphore::const_new(1);
    let (started, has_started) = tokio::sync::oneshot::channel();
    let (finish, may_finish) = mpsc::channel::<()>();
    let client = tokio::spawn(one_of_few(&PLACES, IMPORT_WAIT, move || {
        started.send(()).expect("the test waits");
        may_finish.recv().expect("the test answers");
    }));
    has_started.await.expect("the work begins");
    client.abort();
    assert!(client.await.expect_err("hung up").is_cancelled());

    let refused = one_of_few(&PLACES, Duration::ZERO, || ()).await;
    assert_eq!(summary(refused), "503 manutencao Some(10)");
    finish.send(()).expect("the work goes on");
    let next = one_of_few(&PLACES, IMPORT_WAIT, || ()).await;
    assert_eq!(summary(next), "done");
}

#[tokio::test]
async fn work_that_panics_gives_its_place_back() {
    static PLACES: Semaphore = Semaphore::const_new(1);
    let failed = one_of_few(&PLACES, IMPORT_WAIT, || panic!("on purpose")).await;
    assert!(matches!(failed, Err::<(), _>(Failure::Internal(_))));
    assert_eq!(
        summary(one_of_few(&PLACES, IMPORT_WAIT, || ()).await),
        "done"
    );
}
