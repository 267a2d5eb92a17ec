use accounts::people::password::{Hasher, weakness};
use zeroize::Zeroizing;

fn secret(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}

#[tokio::test]
async fn a_password_opens_its_own_hash_only() {
    let hasher = Hasher::default();
    let hash = hasher
        .hash(secret("cavalo bateria grampo"))
        .await
        .expect("a hash");
    assert!(
        hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{hash}"
    );
    let again = hasher
        .hash(secret("cavalo bateria grampo"))
        .await
        .expect("a hash");
    assert_ne!(hash, again, "each has its own salt");
    let check =
        |text: &str, hash: Option<&str>| hasher.verify(secret(text), hash.map(str::to_owned));
    assert!(
        check("cavalo bateria grampo", Some(&hash))
            .await
            .expect("read")
    );
    assert!(!check("cavalo bateria", Some(&hash)).await.expect("read"));
    assert!(!check("cavalo bateria grampo", None).await.expect("read"));
    assert!(check("x", Some("nada")).await.is_err());
}

#[test]
fn weak_passwords_are_named() {
    for weak in [
        "",
        "curta",
        "1234567890",
        "aaaaaaaaaaaa",
        "qwertyuiop",
        "senha12345678",
        "mariasilva-2026",
    ] {
        assert!(
            weakness(weak, "mariasilva@exemplo.com.br").is_some(),
            "{weak}"
        );
    }
    assert_eq!(
        weakness("cavalo bateria grampo", "maria@exemplo.com.br"),
        None
    );
    assert!(weakness(&"ab".repeat(101), "m@e.c").is_some());
}
