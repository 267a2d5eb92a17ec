//! The same in a bucket: of a double that verifies what it is sent, and of a
//! real server where there is one.

use super::{PATH, app_with, content, files, link, put, uso};
use crate::common::{ask, assert_refusal};
use reqwest::Method;
use tests::TestApp;
use tests::s3::{Bucket, Double, real};

/// What holds wherever objects are.
async fn works(app: &TestApp) {
    let small = put(app, "notas/a%C3%A7%C3%A3o%20%231.txt", "conteúdo").await;
    assert_eq!(small.status, 201, "{}", small.text);
    assert_eq!(
        content(app, "notas/a%C3%A7%C3%A3o%20%231.txt").await,
        "conteúdo"
    );
    assert_eq!(put(app, "vazio", "").await.status, 201);
    assert_eq!(content(app, "vazio").await, "");
    // In parts, the last of them small; and exactly at the border of a part.
    for size in [8 << 20, (8 << 20) + 1, (20 << 20) + 3] {
        let body: Vec<u8> = (0..size)
            .map(|n: usize| u8::try_from(n % 251).unwrap_or(0))
            .collect();
        let kept = put(app, "grande", body.clone()).await;
        assert_eq!(kept.status, 201, "{}", kept.text);
        assert_eq!(
            kept.text_at("/sha256"),
            flow::hex(&openssl::sha::sha256(&body))
        );
        let url = link(app, "grande").await;
        let file = app
            .http()
            .get(format!("{}{url}", app.base_url))
            .send()
            .await
            .expect("file");
        assert_eq!(
            file.headers()["content-length"].to_str().ok(),
            Some(size.to_string().as_str())
        );
        assert!(file.bytes().await.expect("bytes") == body, "{size}");
    }
    assert!(files(app).is_empty(), "nothing is in the folder");
    let swept = objects::storage::sweep(&app.app.objects)
        .await
        .expect("swept");
    assert_eq!(swept, 0, "replaced versions went at once");
    app.ahead_ms
        .fetch_add(2 * 3_600_000, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        objects::storage::sweep(&app.app.objects)
            .await
            .expect("swept"),
        0,
        "what has a row stays"
    );
    assert_eq!(uso(app).await, (9 + (20 << 20) + 3, 3));
    for caminho in ["notas/a%C3%A7%C3%A3o%20%231.txt", "vazio", "grande"] {
        assert_eq!(
            ask(app, Method::DELETE, &format!("{PATH}/{caminho}"), None)
                .await
                .status,
            204
        );
    }
    assert_eq!(uso(app).await, (0, 0));
    app.check_invariants().await;
}

async fn app_in(bucket: &Bucket) -> TestApp {
    app_with(|config| bucket.set(&mut config.storage)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_is_as_good_as_a_folder() {
    let (double, bucket) = Double::start().await;
    let app = app_in(&bucket).await;
    works(&app).await;
    assert_eq!(double.refused(), [""; 0]);
    assert_eq!(
        (double.objects(), double.open_uploads()),
        (vec![], 0),
        "nothing is left"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_server_takes_it() {
    let Some(bucket) = real().await else { return };
    let app = app_in(&bucket).await;
    works(&app).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_secret_is_refused_and_told_as_unavailable() {
    let (double, bucket) = Double::start().await;
    let wrong = Bucket {
        secret: "outro".to_owned(),
        ..bucket.clone()
    };
    let app = app_in(&wrong).await;
    let answer = put(&app, "a", "x").await;
    assert_refusal(&answer, "503 manutencao");
    assert!(
        !answer.text.contains(&bucket.endpoint) && !answer.text.contains("objetos/"),
        "{}",
        answer.text
    );
    // The hub's own look at the bucket, when it starts, is refused too.
    let puts = double
        .refused()
        .iter()
        .filter(|refused| refused.starts_with("PUT "))
        .count();
    assert_eq!(
        (double.objects(), puts, uso(&app).await),
        (vec![], 1, (0, 0))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_down_loses_nothing() {
    let (double, bucket) = Double::start().await;
    let app = app_in(&bucket).await;
    assert_eq!(put(&app, "a", "antes").await.status, 201);
    let url = link(&app, "a").await;
    double.down(true);
    for body in [vec![1_u8; 3], vec![1_u8; 9 << 20]] {
        assert_refusal(&put(&app, "a", body).await, "503 manutencao");
    }
    assert_refusal(&super::fetch(&app, &url).await, "503 manutencao");
    assert_eq!(uso(&app).await, (5, 1));
    // A deleted object is gone though its file is not; the sweep takes that.
    assert_eq!(
        ask(&app, Method::DELETE, &format!("{PATH}/a"), None)
            .await
            .status,
        204
    );
    double.down(false);
    assert_refusal(&app.get(&format!("{PATH}/a")).await, "404 nao_encontrado");
    assert_eq!(double.objects().len(), 1);
    // Of another hub, or of nobody: not ours to sweep.
    let ours = double.objects()[0].0.clone();
    let space = ours.split('/').next().unwrap_or_default().to_owned();
    let elsewhere = ours.replace(&space, "0000000000000000");
    double.leave(&elsewhere);
    double.leave("relatorio.pdf");
    app.ahead_ms
        .fetch_add(2 * 3_600_000, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        objects::storage::sweep(&app.app.objects)
            .await
            .expect("swept"),
        1
    );
    let mut left: Vec<String> = double.objects().into_iter().map(|(key, _)| key).collect();
    left.sort();
    assert_eq!(left, [elsewhere, "relatorio.pdf".to_owned()]);
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_may_stand_in_a_file() {
    let (double, bucket) = Double::start().await;
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("segredo");
    std::fs::write(&file, format!("{}\n", bucket.secret)).expect("written");
    let path = file.display().to_string();
    let of_file = |name: &str| (name == "HUB_STORAGE_S3_SECRET_FILE").then(|| path.clone());
    let loaded = base::config::Config::load(None, of_file, &[]).expect("settings");
    let app = app_with(|config| {
        bucket.set(&mut config.storage);
        config.storage.s3_secret = loaded.storage.s3_secret;
    })
    .await;
    assert_eq!(put(&app, "a", "x").await.status, 201);
    assert_eq!(double.objects().len(), 1);
    let shown = format!("{:?}", app.app.config.storage);
    assert!(!shown.contains(&bucket.secret), "{shown}");
}
