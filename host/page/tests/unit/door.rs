use page::door::inside;

#[test]
fn nobody_is_sent_to_another_site() {
    for path in ["/painel", "/painel/webhooks?x=1", "/painel?bem-vindo=1"] {
        assert_eq!(inside(path), path);
    }
    for path in [
        "",
        "//outro",
        "https://outro",
        "/painelx",
        "/painel/\\outro",
        "/painel/a b",
        "javascript:x",
        "/painel/\r\nx",
        "/painel/../docs",
        "/painel/%2e%2e/docs",
        "/painel/.%2E/docs",
    ] {
        assert_eq!(inside(path), "/painel", "{path:?}");
    }
}
