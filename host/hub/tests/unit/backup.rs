use hub::backup::sqlite_file;
use std::path::Path;
use std::process::Command;

#[test]
fn both_forms_of_an_address_name_one_file() {
    for url in [
        "sqlite:/d/hub.db",
        "sqlite:///d/hub.db",
        "sqlite:/d/hub.db?mode=rwc",
    ] {
        assert_eq!(
            sqlite_file(url).as_deref(),
            Some(Path::new("/d/hub.db")),
            "{url}"
        );
    }
    assert_eq!(
        sqlite_file("sqlite:d/hub.db").as_deref(),
        Some(Path::new("d/hub.db"))
    );
    assert_eq!(sqlite_file("postgres://h/d"), None);
}

#[test]
fn a_new_account_can_be_backed_up_before_the_first_start() {
    let folder = tempfile::tempdir().expect("folder");
    let data = folder.path().join("data");
    let run = |arguments: &[&str]| {
        let mut hub = Command::new(env!("CARGO_BIN_EXE_hub"));
        hub.args(arguments).env("HUB_STORAGE_DATA_DIR", &data);
        let ran = hub.output().expect("hub");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        (ran.status.success(), said)
    };
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (opened, said) = run(&["account", "Padaria da Praça"]);
    assert!(opened, "{said}");
    let (made, said) = run(&["backup", &place("first")]);
    assert!(made, "{said}");
    // A keyring that is lost is not replaced by one that opens nothing.
    std::fs::remove_file(data.join("vault.keys")).expect("removed");
    let (opened, said) = run(&["account", "Outra padaria"]);
    assert!(opened && !data.join("vault.keys").exists(), "{said}");
    let (made, said) = run(&["backup", &place("second")]);
    assert!(
        !made && said.contains("vault.keys") && said.contains("hub serve"),
        "{said}"
    );
}
