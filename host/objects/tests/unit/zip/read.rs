use objects::zip::read::{Unreadable, exact, file};
use objects::zip::write::Zip;
use time::OffsetDateTime;

#[test]
fn what_is_no_archive_has_no_file() {
    for bytes in [
        &b""[..],
        b"PK",
        b"PK\x05\x06",
        &[0; 100],
        b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\0\0",
    ] {
        assert_eq!(file(bytes, "x"), None);
        assert_eq!(exact(bytes, "x", 10), Err(Unreadable));
    }
}

#[test]
fn a_file_is_found_by_its_whole_path() {
    let mut zip = Zip::new(Vec::new());
    for (path, content) in [("a/b/c.xml", "shadow"), ("b/c.xml", "wanted")] {
        zip.add(path, content.as_bytes(), OffsetDateTime::UNIX_EPOCH)
            .expect("added");
    }
    let archive = zip.finish().expect("a ZIP").to;
    assert_eq!(file(&archive, "b/c.xml"), Some(b"shadow".to_vec()));
    assert_eq!(exact(&archive, "b/c.xml", 6), Ok(Some(b"wanted".to_vec())));
    // What is there and too large is not absent.
    assert_eq!(exact(&archive, "b/c.xml", 5), Err(Unreadable));
    assert_eq!(exact(&archive, "c.xml", 6), Ok(None));
}
