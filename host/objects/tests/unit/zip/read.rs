use objects::zip::read::file;

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
    }
}
