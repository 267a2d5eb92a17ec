//! The library of adapters in JavaScript, inside of the engine that runs it.

use crate::cassettes::sandbox;
use flow::contract::FailureReason;
use hub::adapter::{javascript, player};
use tests::adapters;

#[test]
fn the_library_does_what_it_says() {
    let room = tempfile::tempdir().expect("folder");
    let folder = room.path().join("checks");
    std::fs::create_dir(&folder).expect("folder");
    std::fs::write(folder.join("sdk.js"), javascript::LIBRARY).expect("library");
    let checks = include_str!("javascript/adapter.js");
    std::fs::write(folder.join(javascript::ENTRY), checks).expect("checks");
    if let Some(why) = javascript::missing(&folder) {
        judges::skipped(why);
        return;
    }
    let component = javascript::build(&folder, "checks", room.path()).expect("builds");
    let runtime = sandbox();
    let loaded = hub::adapter::load(&runtime, &component).expect("loads");
    let case = adapters::workspace().join("plugins/dps/cases/issued");
    let answers = |_: u32, _: &_, recorded| recorded;
    let outcome = player::run_with(&runtime, &loaded, &case, &answers).expect("runs");
    let reason = outcome.expect_err("it always fails").reason;
    assert_eq!(reason, FailureReason::Other("all is well".to_owned()));
}
