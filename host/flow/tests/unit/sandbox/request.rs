//! Paths and addresses of an adapter's requests.

use flow::sandbox::request::{plain_path, plain_url};

#[test]
fn paths_cannot_escape() {
    for good in [
        "",
        "/nfse",
        "/dps/DPS123",
        "?wsdl",
        "/a/b?c=d&e=f",
        "/nfse.asmx",
        "/a%20b/c",
        "/v1..2/x",
        "?ate=../..",
    ] {
        assert!(plain_path(good), "{good}");
    }
    for bad in [
        "nfse",
        "//evil.example",
        "/../x",
        "/a\r\nHost: b",
        "/a b",
        "@evil.example",
        "/%2e%2e/x",
        "#",
        "/.%2e/x",
        "/%2E%2e",
        "/a/..",
        "/..;a=b/x",
        "/a%2f..%2fx",
        "/a%2f%2e%2e",
        "/%252e%252e/x",
        "/..%5cx",
        "/./x",
        "\\evil",
        "/..%00/x",
        ":80@evil.example",
        ".evil.example",
    ] {
        assert!(!plain_path(bad), "{bad}");
    }
}

#[test]
fn addresses_have_no_login_and_no_tricks() {
    for good in [
        "https://a.example",
        "https://a.example:8443/x?y=z",
        "https://a.example?x",
    ] {
        assert!(plain_url(good), "{good}");
    }
    for bad in [
        "http://a.example",
        "https://",
        "https:///x",
        "https://a.example@evil.example/",
        "https://u:p@a.example",
        "https://a.example\\@evil.example",
        "https://a.example/\r\nX: y",
        "https://a.exa\tmple/",
        "ftp://a.example",
        "//a.example",
        "https://a.example/#x",
        "https://\u{ff41}.example",
    ] {
        assert!(!plain_url(bad), "{bad}");
    }
}
