//! The panel, as a browser without a script uses it.

mod blocked;
mod browser;
mod company;
mod documents;
mod door;
mod emitter;
mod guides;
mod issuing;
mod once;
mod pages;
mod team;
mod worlds;

use browser::Browser;
use tests::TestApp;

/// A person who registers; their browser is logged in.
async fn registered(app: &TestApp, email: &str) -> Browser {
    let mut browser = Browser::new(app);
    let page = browser
        .send(
            "/painel/cadastrar",
            &[
                ("nome", "Maria Exemplo"),
                ("conta", "Loja Exemplo"),
                ("email", email),
                ("senha", "cavalo bateria grampo"),
            ],
        )
        .await;
    assert_eq!(
        (page.status, page.to.as_str()),
        (303, "/painel?bem-vindo=1"),
        "{}",
        page.html
    );
    browser
}

/// The person showed that mail reaches them: their account may send some.
async fn confirmed(app: &TestApp, email: &str) {
    let mut conn = app.app.db.read().await.expect("connection");
    let user = store::tables::users::by_email(&mut conn, email).await;
    drop(conn);
    let user = user.expect("database").expect("a person");
    accounts::users::confirmation::reached(&app.app, &user)
        .await
        .expect("confirmed");
}
