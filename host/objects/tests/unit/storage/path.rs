use objects::storage::Caminho;

#[test]
fn nothing_leads_out_of_the_account() {
    for good in [
        "a",
        "a/b",
        "notas/2026/ação nº 1.pdf",
        "a..b/...",
        "..a",
        "%2e%2e/a",
        "a b",
        "~",
        &"x".repeat(512),
    ] {
        assert!(Caminho::parse(good.to_owned()).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/..",
        "a/.",
        "./a",
        "a\\b",
        "..\\a",
        "a\0b",
        "a\nb",
        "a\u{7f}",
        "a\u{85}b",
        "fdp.\u{202e}exe",
        &"x".repeat(513),
        &"é".repeat(257),
    ] {
        assert!(Caminho::parse(bad.to_owned()).is_err(), "{bad:?}");
    }
}
