//! `hub registry probe`, as an operator runs it.

use crate::lane::Lane;
use tests::app::Backend;
use tests::registry;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_asks_now_and_never_inside() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("providers.toml");
    // Both addresses are answered without a connection: one is of this machine's own
    // network, the other has no TLS.
    let text = [
        registry::HEAD,
        &registry::city("1100015", "https://127.0.0.1:9/ws"),
        &registry::city("1100023", "http://aberta.test/ws"),
    ];
    std::fs::write(&file, text.concat()).expect("file");
    let file = file.display().to_string();
    let lane = Lane::open_with(Backend::Sqlite, &[], &[("HUB_REGISTRY_FILE", &file)]).await;
    let lane = lane.expect("SQLite is always there");
    let (went, said) = lane
        .command(&["registry", "probe", "--system", "base"])
        .await;
    assert!(went, "{said}");
    let line = |word: &str| said.lines().find(|line| line.starts_with(word));
    assert!(
        line("bloqueado")
            .expect(&said)
            .contains("https://127.0.0.1:9/ws")
    );
    assert!(
        line("sem_tls")
            .expect(&said)
            .contains("http://aberta.test/ws")
    );
    assert!(said.contains("addresses: 2, answering: 0"), "{said}");
    let one = ["registry", "probe", "--municipality", "1100015"];
    let (went, said) = lane.command(&one).await;
    assert!(
        went && said.contains("addresses: 1, answering: 0"),
        "{said}"
    );
    let (went, said) = lane
        .command(&["registry", "probe", "--system", "outro"])
        .await;
    assert!(!went && said.contains("no address in production"), "{said}");
}
