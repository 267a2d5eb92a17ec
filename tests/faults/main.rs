//! Exactly one document, whatever dies and whenever.

/// The same test on both databases, in a hub whose calls wait four seconds for
/// the final answer: for flows that are meant not to have one.
macro_rules! impatient {
    (async fn $name:ident($app:ident: TestApp) $body:block) => {
        mod $name {
            use super::*;

            async fn run(backend: tests::app::Backend) {
                let started =
                    tests::TestApp::start_with(backend, |config| config.issuing.wait_ms = 4_000)
                        .await;
                let Some($app) = started else { return };
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(tests::app::Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run(tests::app::Backend::Postgres).await;
            }
        }
    };
}

/// The same test on both databases, in a hub with the pauses of production and
/// a clock the test stops: nothing that waits for its time ever happens.
macro_rules! timeless {
    (async fn $name:ident($app:ident: TestApp) $body:block) => {
        mod $name {
            use super::*;

            async fn run(backend: tests::app::Backend) {
                let started = tests::TestApp::start_with(backend, |config| {
                    config.flow.wait_divisor = 1;
                    config.issuing.wait_ms = 8_000;
                })
                .await;
                let Some($app) = started else { return };
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(tests::app::Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run(tests::app::Backend::Postgres).await;
            }
        }
    };
}

/// A module for each point a hub dies at, with the most often something may
/// come: `killed_at` of the file, on both databases.
macro_rules! points {
    ($($name:ident $point:literal $most:literal)+) => {
        $(mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                killed_at(Backend::Sqlite, $point, $most).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                killed_at(Backend::Postgres, $point, $most).await;
            }
        })+
    };
}

mod accounts;
mod backup;
mod client;
mod compact;
mod doctor;
mod draining;
mod duplicates;
mod everywhere;
mod exchange;
mod generations;
mod groups;
mod imports;
mod installs;
mod lane;
mod leases;
mod listings;
mod load;
mod log;
mod mails;
mod metrics;
mod moving;
mod nodes;
mod old_rows;
mod packages;
mod past_days;
mod probes;
mod purchases;
mod random;
mod recovery;
mod regressions;
mod rows;
mod sql;
mod starting;
mod storage;
mod stores;
mod traces;
mod webhooks;
