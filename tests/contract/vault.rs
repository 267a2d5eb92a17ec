//! `hub vault rotate` and `hub vault verify`, beside a running hub.

use accounts::users::totp;
use hub::custody;
use std::convert::Infallible;
use store::TxError;
use store::tables::users::UserRow;
use tests::bodies::nfse;
use tests::{TestApp, both};
use vault::envelope::Keyring;

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";

fn keyring(app: &TestApp) -> Keyring {
    Keyring::load_or_create(&app.app.config.storage.data_dir.join("vault.keys")).expect("keyring")
}

async fn second_factor(app: &TestApp, user: &str, totp: Vec<u8>) {
    let user = UserRow {
        id: user.into(),
        email: format!("{user}@empresa.example"),
        nome: "Pessoa".to_owned(),
        senha: "sem senha".to_owned(),
        totp,
        ..UserRow::default()
    };
    let stored = app.app.db.write(user, |user, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(store::tables::users::insert(conn, user).await?)
        })
    });
    assert!(stored.await.expect("written"));
}

both! {
    async fn rotation_wraps_everything_and_servers_go_on(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let mut keyring = keyring(&app);
        let secret = totp::new_secret().expect("random");
        second_factor(&app, "usr_com", keyring.seal(&secret, &totp::aad(&"usr_com".into())).expect("sealed")).await;
        second_factor(&app, "usr_sem", Vec::new()).await;
        let before = custody::verify(&app.app.db, &keyring).await.expect("verify");
        assert!(before.current >= 3, "a certificate, a login and a second factor at least: {before:?}");
        assert_eq!((before.older, before.unreadable.len()), (0, 0));

        keyring.rotate().expect("rotated");
        let rotated = custody::rewrap(&app.app.db, &keyring).await.expect("rewrap");
        assert_eq!((rotated.rewrapped, rotated.current, rotated.unreadable.len()), (before.current, 0, 0));
        let after = custody::verify(&app.app.db, &keyring).await.expect("verify");
        assert_eq!((after.current, after.older, after.unreadable.len()), (before.current, 0, 0));
        let mut conn = app.app.db.read().await.expect("connection");
        let user = store::tables::users::get(&mut conn, &"usr_com".into()).await.expect("read").expect("a user");
        drop(conn);
        assert_eq!(totp::open(&keyring, &user.id, &user.totp).expect("opened").expect("a secret"), secret);
        // Done is done.
        let again = custody::rewrap(&app.app.db, &keyring).await.expect("rewrap");
        assert_eq!((again.rewrapped, again.current), (0, before.current));

        // The hub, which started with the old key only, finds the new one.
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);

        // What it seals meanwhile is under its own key until it restarts.
        app.emitter("11444777000161", BELO_HORIZONTE).await;
        let mixed = custody::verify(&app.app.db, &keyring).await.expect("verify");
        assert_eq!((mixed.current, mixed.unreadable.len()), (before.current, 0));
        assert!(mixed.older > 0, "{mixed:?}");
        let rest = custody::rewrap(&app.app.db, &keyring).await.expect("rewrap");
        assert_eq!((rest.rewrapped, rest.current), (mixed.older, before.current));
    }
}

both! {
    async fn what_cannot_be_opened_is_named_and_left_alone(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let mut conn = app.app.db.read().await.expect("connection");
        let row = store::tables::certificates::page(&mut conn, "", 10).await.expect("page").pop().expect("a certificate");
        drop(conn);
        let mut damaged = row.key_blob.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        let stored = app.app.db.write((row.id.clone(), row.key_blob, damaged.clone()), |(id, old, new), conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(store::tables::certificates::set_blob(conn, id, old, new).await?) })
        });
        assert!(stored.await.expect("written"));

        let mut keyring = keyring(&app);
        let found = custody::verify(&app.app.db, &keyring).await.expect("verify");
        assert_eq!(found.unreadable.len(), 1, "{found:?}");
        assert!(found.unreadable[0].contains(row.id.as_str()), "{found:?}");
        keyring.rotate().expect("rotated");
        let rotated = custody::rewrap(&app.app.db, &keyring).await.expect("rewrap");
        assert_eq!(rotated.unreadable.len(), 1, "{rotated:?}");
        assert!(rotated.rewrapped > 0, "the others are wrapped");
        let mut conn = app.app.db.read().await.expect("connection");
        let left = store::tables::certificates::page(&mut conn, "", 10).await.expect("page").pop().expect("a certificate");
        assert_eq!(left.key_blob, damaged);
        drop(conn);

        // Another installation's keys open nothing.
        let foreign = Keyring::ephemeral(std::sync::Arc::new(base::random::OsRandom)).expect("keyring");
        let foreign = custody::verify(&app.app.db, &foreign).await.expect("verify");
        assert_eq!(foreign.readable(), 0);
        assert!(foreign.unreadable.iter().any(|finding| finding.contains("unknown key")), "{foreign:?}");
    }
}
