use base::config::Config;
use base::files;
use std::path::{Path, PathBuf};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hub-files-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    folder
}

/// A process of another container has the same number and writes beside this one.
#[test]
fn nobody_writes_into_the_file_of_another() {
    let folder = folder("beside");
    let file = folder.join("vault.keys");
    let theirs = file.with_extension(format!("{}-0.tmp", std::process::id()));
    std::fs::write(&theirs, b"half of theirs").expect("written");
    files::replace(&file, b"whole").expect("replaced");
    assert_eq!(std::fs::read(&file).expect("file"), b"whole");
    assert_eq!(std::fs::read(&theirs).expect("theirs"), b"half of theirs");
    assert!(!files::create(&file, b"other").expect("there"));
    assert_eq!(std::fs::read(&file).expect("file"), b"whole");
    let left = std::fs::read_dir(&folder).expect("folder").count();
    assert_eq!(left, 2, "nothing of ours stays");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_disk_has_room() {
    let space = files::space(Path::new(".")).expect("a disk");
    assert!(space.total > 0 && space.free <= space.total, "{space:?}");
    assert!(files::space(Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn folders_that_a_hub_fills_are_known() {
    let of = |url: &str| {
        let overrides = [
            ("storage.data_dir", "/srv/hub".to_owned()),
            ("database.url", url.to_owned()),
        ];
        let config = Config::load(None, |_| None, &overrides).expect("settings");
        config.folders()
    };
    let data = ("data", PathBuf::from("/srv/hub"));
    for url in ["", "sqlite:/srv/hub/hub.db", "postgres://hub@db/hub"] {
        assert_eq!(of(url), std::slice::from_ref(&data), "{url}");
    }
    for url in ["sqlite:/disk/hub.db", "sqlite:///disk/hub.db?mode=rwc"] {
        assert_eq!(
            of(url),
            [data.clone(), ("database", PathBuf::from("/disk"))],
            "{url}"
        );
    }
    assert_eq!(of("sqlite:hub.db")[1], ("database", PathBuf::from(".")));
}
