//! The file in which a world is kept: found again after a restart, all of a
//! request or nothing, and forgotten what nobody may ask for any more.

use crate::common::abrasf::{between, by_rps, code, generate, output, webiss};
use crate::common::national::*;
use crate::common::sefaz::*;
use crate::common::*;
use rusqlite::Connection;
use std::os::unix::fs::PermissionsExt as _;

#[tokio::test]
async fn nothing_is_opened_before_it_is_needed() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("mundo").join("sim.sqlite");
    let sim = sim::Sim::new(sim::SimConfig {
        seed: 7,
        now: std::sync::Arc::new(|| NOW),
        pki: PKI.clone(),
        file: Some(file.clone()),
        cities: sim::Cities::default(),
    });
    assert!(!file.exists());
    sim.open().expect("file");
    // Requests of some systems hold a login.
    let mode = std::fs::metadata(&file).expect("file").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_file_of_a_later_version_is_not_opened() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    drop(World::with(Some(file.clone())));
    let later = Connection::open(&file).expect("file");
    later
        .pragma_update(None, "user_version", 99)
        .expect("version");
    let sim = sim::Sim::new(sim::SimConfig {
        seed: 7,
        now: std::sync::Arc::new(|| NOW),
        pki: PKI.clone(),
        file: Some(file),
        cities: sim::Cities::default(),
    });
    assert!(sim.open().is_err());
}

#[tokio::test]
async fn a_note_of_a_city_is_found_after_a_restart() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let world = World::with(Some(file.clone()));
    let issued = output(&webiss(&world, "GerarNfse", &generate(7)).await);
    let found = output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(7)).await);
    drop(world);

    let world = World::with(Some(file));
    let again = output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(7)).await);
    assert_eq!(again, found);
    let repeated = output(&webiss(&world, "GerarNfse", &generate(7)).await);
    assert_eq!(code(&repeated), "E10");
    let next = output(&webiss(&world, "GerarNfse", &generate(8)).await);
    let number = |xml: &str| -> u64 {
        let text = between(xml, "<Numero>", "</Numero>");
        text.parse().expect("number")
    };
    assert_eq!(number(&next), number(&issued) + 1);
}

#[tokio::test]
async fn documents_are_distributed_in_order_and_forgotten_after_three_months() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let world = World::with(Some(file.clone()));
    for number in 1..=3 {
        world.authorized(&Nota::nfe(number)).await;
    }
    drop(world);

    let world = World::with(Some(file.clone()));
    let docs = documents(&world.distribute(&since(0)).await);
    let numbers: Vec<&str> = docs.iter().map(|(nsu, ..)| nsu.as_str()).collect();
    assert_eq!(
        numbers,
        ["000000000000001", "000000000000002", "000000000000003"]
    );
    for (at, (_, _, xml)) in docs.iter().enumerate() {
        let number = u32::try_from(at).expect("few") + 1;
        assert!(xml.contains(&Nota::nfe(number).chave()), "{xml}");
    }
    let docs = documents(&world.distribute(&since(2)).await);
    assert_eq!(docs.len(), 1);

    let queued = || -> i64 {
        let connection = Connection::open(&file).expect("file");
        let sql = "SELECT count(*) FROM queued";
        connection
            .query_row(sql, [], |row| row.get(0))
            .expect("count")
    };
    assert_eq!(queued(), 3);
    world.advance(91 * DAY);
    let order = serde_json::json!({"cnpj": OTHER});
    let made = world.control("POST", "sefaz/depositos", order).await;
    assert_eq!(status(&made), 201, "{}", text(&made));
    assert_eq!(queued(), 1);
    let docs = documents(&world.distribute(&since(0)).await);
    assert_eq!(docs[0].0, "000000000000004");
}

#[tokio::test]
async fn a_request_that_cannot_be_kept_changes_nothing() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let world = World::with(Some(file.clone()));
    let chave = key(&post(&world, &dps(1), 1).await);
    let other = Connection::open(&file).expect("file");
    other
        .execute_batch(
            "CREATE TRIGGER stop BEFORE UPDATE ON notes BEGIN SELECT RAISE(FAIL, 'disk full'); END",
        )
        .expect("trigger");
    // The event is recorded before the note changes.
    assert_eq!(status(&cancel(&world, &chave).await), 500);
    assert!(world.sim.events().is_empty());
    other.execute_batch("DROP TRIGGER stop").expect("trigger");
    assert_eq!(status(&cancel(&world, &chave).await), 201);
    assert_eq!(world.sim.events().len(), 1);
}

#[tokio::test]
async fn what_is_kept_is_found_by_an_index() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    drop(World::with(Some(file.clone())));
    let connection = Connection::open(&file).expect("file");
    for sql in [
        "SELECT * FROM notes WHERE id = ? ORDER BY seq DESC LIMIT 1",
        "SELECT * FROM notes WHERE key = ? ORDER BY seq DESC LIMIT 1",
        "SELECT * FROM notes WHERE dps = ? ORDER BY seq",
        "SELECT max(number) FROM notes WHERE system = ? AND provider = ? AND place = ?",
        "SELECT seq FROM notes WHERE system = ? AND provider = ? AND place = ? AND number BETWEEN ? AND ? ORDER BY number, seq",
        "SELECT * FROM events WHERE key = ? ORDER BY seq",
        "SELECT content FROM batches WHERE protocol = ?",
        "SELECT seq FROM terms WHERE term = ? ORDER BY seq",
        "SELECT content FROM receipts WHERE number = ?",
        "SELECT content FROM voided WHERE place = ? AND cnpj = ? AND model = ? AND serie = ? AND year = ? AND first <= ? ORDER BY first DESC LIMIT 1",
        "SELECT nsu, doc FROM queued WHERE place = ? AND document = ? AND nsu > ? ORDER BY nsu LIMIT ?",
        "SELECT nsu FROM queued WHERE doc = ? AND +place = ? AND +document = ? ORDER BY nsu LIMIT 1",
        "SELECT content FROM charges WHERE purchase = ?",
        "SELECT content FROM messages WHERE reference = ?",
    ] {
        let mut plan = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("statement");
        let binds = vec![0i64; plan.parameter_count()];
        let steps: Vec<String> = plan
            .query_map(rusqlite::params_from_iter(binds), |row| row.get(3))
            .expect("plan")
            .collect::<Result<_, _>>()
            .expect("plan");
        let steps = steps.join("; ");
        assert!(!steps.contains("SCAN"), "{sql}: {steps}");
    }
}
