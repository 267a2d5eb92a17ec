use hub::backup::sqlite_file;
use std::path::Path;

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
