//! Who may call through the door, what a link opens, and the limits of an account.

use super::bodies::{nfce, nfe};
use super::{REASON, call_as, file, get, opened, over, post};
use crate::common::stranger;
use accounts::operator::{self, Change, Operator};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::Answer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_links_open_what_is_theirs_alone() {
    let app = opened().await;
    assert_eq!(post(&app, "/v2/nfe?ref=a", &nfe(&app)).await.status, 202);
    let note = over(&app, "/v2/nfe/a").await;
    let path = note.text_at("/caminho_xml_nota_fiscal").to_owned();

    let other = stranger(&app).await;
    let asked = call_as(&app, &other.live_key, Method::GET, "/v2/nfe/a", None).await;
    assert_eq!(asked.summary(), "404 nao_encontrado", "{}", asked.text);
    let body = json!({ "justificativa": REASON });
    let cancelled = call_as(
        &app,
        &other.live_key,
        Method::DELETE,
        "/v2/nfe/a",
        Some(&body),
    )
    .await;
    assert_eq!(cancelled.summary(), "404 nao_encontrado");
    let issued = call_as(
        &app,
        &other.live_key,
        Method::POST,
        "/v2/nfe?ref=b",
        Some(&nfe(&app)),
    )
    .await;
    assert_eq!(issued.summary(), "403 permissao_negada", "{}", issued.text);
    let theirs = call_as(&app, &other.live_key, Method::GET, &path, None).await;
    assert_eq!(theirs.status, 404, "{}", theirs.text);
    // A test key sees nothing of production.
    assert_eq!(
        call_as(&app, &app.test_key, Method::GET, "/v2/nfe/a", None)
            .await
            .status,
        404
    );
    assert_eq!(
        call_as(&app, &app.test_key, Method::GET, &path, None)
            .await
            .status,
        404
    );

    for key in ["", "errada", "svc_live_00000000000000000000000000000000"] {
        let wrong = call_as(&app, key, Method::GET, "/v2/nfe/a", None).await;
        assert_eq!(wrong.status, 401, "{}", wrong.text);
        assert!(
            wrong.header("www-authenticate").starts_with("Basic"),
            "{:?}",
            wrong.headers
        );
        assert!(!wrong.text_at("/codigo").is_empty() && !wrong.text_at("/mensagem").is_empty());
    }
    let asked = app
        .http()
        .get(format!("{}/v2/nfe/a?token={}", app.base_url, app.live_key));
    assert_eq!(app.send(asked).await.status, 401);
    let bearer = app.get("/v2/nfe/a").await;
    assert_eq!(bearer.summary(), "200 autorizado", "{}", bearer.text);
    let also = get(&app, &format!("/v2/nfe/a?token={}", app.live_key)).await;
    assert_eq!(also.summary(), "400 requisicao_invalida", "{}", also.text);

    // A signature is of one file and of some hours; the account's own key is good after.
    let parts: Vec<&str> = path.split('/').collect();
    let (expires, signature) = parts[4].split_once('-').expect("two parts");
    let later = expires.parse::<i64>().expect("seconds") + 60;
    for forged in [
        path.replace(parts[4], &format!("{later}-{signature}")),
        path.replace(".xml", ".pdf"),
        path.replace(parts[4], "x"),
        path.replace(parts[3], "nfe_01KAEXEMPL0000000000000000"),
    ] {
        assert_eq!(file(&app, &forged).await.0, 404, "{forged}");
    }
    app.ahead_ms.fetch_add(169 * 3_600_000, Ordering::Relaxed);
    assert_eq!(file(&app, &path).await.0, 410);
    let own = get(&app, &path).await;
    assert!(
        own.status == 200 && own.text.contains("<nfeProc"),
        "{}",
        own.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_and_scopes_are_those_of_the_operations() {
    let app = opened().await;
    let basic = |key: &str| format!("Basic {}", STANDARD.encode(format!("{key}:senha")));
    let request = app.http().get(format!("{}/v2/nfe/a", app.base_url));
    let answer = app
        .send(request.header("authorization", basic(&app.live_key)))
        .await;
    // A call is counted once, whatever it asks of the hub inside.
    let left = |answer: &Answer| answer.header("rate-limit-remaining").parse::<i64>();
    assert_eq!(answer.status, 404, "{}", answer.text);
    let body = nfce(&app);
    let note = post(&app, "/v2/nfce?ref=a", &body).await;
    // Of two calls at once with one reference, one issues.
    let (one, other) = futures::join!(
        post(&app, "/v2/nfce?ref=c", &body),
        post(&app, "/v2/nfce?ref=c", &body)
    );
    let mut both = [one.status, other.status];
    both.sort_unstable();
    assert_eq!(both, [201, 422], "{} {}", one.text, other.text);
    assert_eq!(app.balance().await, (192, 0));
    app.stop_clock();
    let before = left(&get(&app, "/v2/nfce/a").await).expect("a rate");
    let after = left(&get(&app, "/v2/nfce/a").await).expect("a rate");
    assert_eq!(
        (note.status, before - after),
        (201, 1),
        "{:?}",
        note.headers
    );
    let keys = app
        .post(
            "/api/v1/chaves",
            &json!({ "nome": "Leitura", "tipo": "producao", "escopos": ["consulta"] }),
        )
        .await;
    let reader = keys.text_at("/chave");
    assert!(!reader.is_empty(), "{}", keys.text);
    let answer = call_as(&app, reader, Method::GET, "/v2/nfce/a", None).await;
    assert_eq!(answer.summary(), "200 autorizado", "{}", answer.text);
    let refused = call_as(
        &app,
        reader,
        Method::POST,
        "/v2/nfce?ref=b",
        Some(&nfce(&app)),
    )
    .await;
    assert_eq!(
        refused.summary(),
        "403 permissao_negada",
        "{}",
        refused.text
    );
    // A key that may not consult is told so before anything is issued, and no key learns
    // of notes that it may not ask about.
    let scopes = json!({ "nome": "Caixa", "tipo": "producao", "escopos": ["emissao"] });
    let keys = app.post("/api/v1/chaves", &scopes).await;
    let issuer = keys.text_at("/chave");
    let before = app.balance().await;
    for (method, path) in [
        (Method::POST, "/v2/nfce?ref=d"),
        (Method::GET, "/v2/nfce/a"),
        (Method::GET, "/v2/nfce/nada"),
    ] {
        let body = (method == Method::POST).then(|| nfce(&app));
        let refused = call_as(&app, issuer, method, path, body.as_ref()).await;
        assert_eq!(refused.summary(), "403 permissao_negada", "{path}");
    }
    assert_eq!(app.balance().await, before);
    assert_eq!(get(&app, "/v2/nfce/d").await.status, 404);
    // References that would be another's, or an address.
    for path in [
        "/v2/nfce?ref=%ff",
        "/v2/nfce?ref=e&ref=f",
        "/v2/nfce?ref=inutilizacao",
    ] {
        let refused = post(&app, path, &nfce(&app)).await;
        assert_eq!(refused.summary(), "400 requisicao_invalida", "{path}");
    }
    // Whoever has a path does not use the account's rate up.
    app.stop_clock();
    let asked = get(&app, "/v2/nfce/a").await;
    let print = asked.text_at("/caminho_xml_nota_fiscal").to_owned();
    let mut opened = Vec::new();
    for _ in 0..70 {
        opened.push(file(&app, &print).await.0);
    }
    assert_eq!(opened.iter().filter(|status| **status == 200).count(), 60);
    assert_eq!(opened.last(), Some(&429));
    let next = get(&app, "/v2/nfce/a").await;
    assert_eq!(left(&next), left(&asked).map(|left| left - 1));
    // Without a mail server nobody gets a mail.
    let mail = json!({ "emails": ["cliente@example.com"] });
    let mail = post(&app, "/v2/nfce/a/email", &mail).await;
    assert_eq!(mail.summary(), "503 email_nao_oferecido", "{}", mail.text);
    let operator = Operator {
        door: "hub",
        now_ms: app.app.now_ms(),
    };
    let block = Change::Block {
        reason: "Fatura em aberto".to_owned(),
    };
    let blocked = operator::change(&app.app.db, &app.account_id, block, &operator).await;
    assert!(blocked.expect("blocked").new);
    // A node remembers a key for some seconds.
    app.ahead_ms.fetch_add(6_000, Ordering::Relaxed);
    let refused = get(&app, "/v2/nfce/a").await;
    assert_eq!(
        refused.summary(),
        "403 permissao_negada",
        "{}",
        refused.text
    );
    assert!(
        refused.text_at("/mensagem").contains("Fatura em aberto"),
        "{}",
        refused.text
    );
}
