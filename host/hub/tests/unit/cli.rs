use hub::cli::bench::product::{no_verdict, schema};
use hub::cli::log::OURS;
use hub::cli::serve::{ends_with_its_terminal, listen};
use std::path::Path;

/// Every crate of the host is in `OURS`: one that is not would log nothing
/// below `warn`.
#[test]
fn every_crate_of_the_host_has_a_level() {
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folders = std::fs::read_dir(host).expect("the folder of the crates");
    let mut crates: Vec<String> = folders
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    crates.sort();
    assert_eq!(crates, OURS);
}

#[tokio::test]
async fn an_address_in_use_is_named_with_what_helps() {
    let first = listen("server.listen", "127.0.0.1:0", "--listen").await;
    let address = first.as_ref().expect("a port").local_addr();
    let address = address.expect("an address").to_string();
    let second = listen("server.listen", &address, "--listen").await;
    let said = second.expect_err("it is taken").to_string();
    assert!(
        said.starts_with(&format!("server.listen = {address}: ")),
        "{said}"
    );
    assert!(
        said.ends_with("; choose another with --listen, or stop what listens there"),
        "{said}"
    );
    let nowhere = listen("server.listen", "nowhere", "--listen").await;
    let said = nowhere.expect_err("no address").to_string();
    assert!(!said.contains("--listen"), "{said}");
}

#[test]
fn who_ignores_the_terminal_goes_on_ignoring_it() {
    let status = |mask: &str| format!("SigBlk:\t0000000000000000\nSigIgn:\t{mask}\n");
    assert!(ends_with_its_terminal(&status("0000000000001000")));
    assert!(!ends_with_its_terminal(&status("0000000000001001")));
    assert!(!ends_with_its_terminal(""));
}

#[test]
fn a_schema_that_is_a_folder_is_told_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given = |path: &Path| schema(Some(path.into())).map_err(|error| error.to_string());
    let said = given(folder).expect_err("a folder");
    assert!(
        said.contains("a folder") && said.contains("nfe_v4.00.xsd"),
        "{said}"
    );
    let said = given(&folder.join("nfe_v4.00.xsd")).expect_err("no file");
    assert!(said.contains("no such file"), "{said}");
    let file = folder.join("Cargo.toml");
    assert_eq!(given(&file), Ok(file));
    let said = schema(None).expect_err("not set").to_string();
    assert!(said.starts_with("set HUB_BENCH_XSD"), "{said}");
}

#[test]
fn only_a_verdict_of_the_schema_is_told_as_one() {
    let schema = Path::new("nfe.xsd");
    let said = no_verdict(Some(3), schema, b"0.xml:1: element NFe\n0.xml fails");
    assert_eq!(
        said,
        "the official XSD refuses the note: 0.xml:1: element NFe"
    );
    let said = no_verdict(Some(5), schema, b"WXS schema nfe.xsd failed to compile\n");
    assert!(
        said.starts_with("xmllint cannot use nfe.xsd: WXS"),
        "{said}"
    );
}
