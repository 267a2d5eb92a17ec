//! POST /api/v1/documentos/{ref}/email

use super::{product, service};
use crate::common::{assert_refusal, stranger};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use store::tables::mails::MailStatus;
use tests::smtp::Smtp;
use tests::{mailed, on_sqlite};

const DAY_MS: i64 = 24 * 3_600_000;

fn bytes(file: &Value) -> Vec<u8> {
    let text = file["base64"].as_str().expect("bytes");
    STANDARD.decode(text).expect("base64")
}

mailed! {
    async fn the_recipient_gets_the_authoritys_bytes_and_the_printout(app: TestApp, smtp: Smtp) {
        let note = product(&app).await;
        let (id, chave) = (note.text_at("/nota_id"), note.text_at("/chave"));
        let asked = app.email(chave, &json!({ "mensagem": "Olá!\nObrigado pela compra." }), None).await;
        assert_eq!((asked.status, asked.text_at("/status")), (202, "na_fila"), "{}", asked.text);
        assert_eq!((asked.text_at("/nota_id"), &asked.body["destinatarios"]), (id, &json!(1)));
        let taken = smtp.until(1).await.remove(0);
        assert!(taken.tls && taken.user == tests::smtp::USER, "STARTTLS and login");
        assert_eq!(taken.to, ["compras@cliente.com.br"], "of the note itself");
        let mail = taken.read();
        assert_eq!(mail["defects"], json!([]), "{mail}");
        let subject = mail["subject"].as_str().expect("a subject");
        assert!(subject.starts_with("NF-e 1, série 1 - "), "{subject}");
        assert!(taken.raw_header("subject").contains("=?utf-8?"), "{}", taken.raw_header("subject"));
        assert!(taken.bytes.is_ascii());
        for text in ["text", "html"] {
            let text = mail[text].as_str().expect("text");
            for words in ["Obrigado pela compra.", chave, "R$ 37,80", "SEM VALOR FISCAL"] {
                assert!(text.contains(words), "{words}: {text}");
            }
            assert!(!text.contains("CANCELADA"), "{text}");
        }
        let files = mail["files"].as_array().expect("files");
        let names: Vec<&str> = files.iter().filter_map(|file| file["nome"].as_str()).collect();
        assert_eq!(names, [format!("nfe-{chave}.xml"), format!("nfe-{chave}.pdf")]);
        let url = format!("{}/api/v1/documentos/{id}/xml?formato=binario", app.base_url);
        let xml = app.http().get(url).bearer_auth(&app.live_key).send().await.expect("the XML");
        assert_eq!(bytes(&files[0]), xml.bytes().await.expect("bytes"), "byte for byte");
        let url = format!("{}/api/v1/documentos/{id}/danfe?formato=binario", app.base_url);
        let pdf = app.http().get(url).bearer_auth(&app.live_key).send().await.expect("the PDF");
        assert_eq!(bytes(&files[1]), pdf.bytes().await.expect("bytes"));
        // Sent: neither address nor content stay.
        let rows = app.until_mails(id, |rows| rows.iter().all(|row| row.status == MailStatus::Sent)).await;
        assert_eq!((rows.len(), rows[0].destino.as_str(), rows[0].attempts), (1, "", 1));
        assert!(taken.raw_header("message-id").contains(rows[0].id.as_str()));
        let mut conn = app.app.db.read().await.expect("connection");
        assert!(store::tables::mails::content(&mut conn, &rows[0]).await.expect("database").is_none());
        drop(conn);
        let history = app.get(&format!("/api/v1/documentos/{id}/historico")).await;
        let mails: Vec<&str> = history.body["itens"].as_array().expect("items").iter().filter(|item| item["tipo"] == "email").filter_map(|item| item["status"].as_str()).collect();
        assert_eq!(mails, ["pedido", "enviado"], "{}", history.text);
        assert!(!history.text.contains("compras@"), "{}", history.text);
        assert_eq!(app.balance().await, (196, 0), "mail is free");
        app.check_invariants().await;
    }
}

mailed! {
    async fn a_key_asks_once_and_a_cancelled_note_says_so(app: TestApp, smtp: Smtp) {
        let note = service(&app).await;
        let id = note.text_at("/nota_id");
        let body = json!({ "para": ["Ana@Exemplo.com.br", "bruno@exemplo.com.br", "ana@exemplo.com.br"] });
        let first = app.email(id, &body, Some("email-1")).await;
        assert_eq!((first.status, &first.body["destinatarios"]), (202, &json!(2)), "{}", first.text);
        let again = app.email(id, &body, Some("email-1")).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (202, "true"), "{}", again.text);
        assert_eq!((again.text_at("/envio_id"), &again.body["destinatarios"]), (first.text_at("/envio_id"), &json!(2)));
        let other = app.email(id, &json!({ "para": ["outra@exemplo.com.br"] }), Some("email-1")).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");
        let taken = smtp.until(2).await;
        let mut to: Vec<_> = taken.iter().flat_map(|taken| taken.to.clone()).collect();
        to.sort();
        assert_eq!(to, ["ana@exemplo.com.br", "bruno@exemplo.com.br"], "a mail each");
        assert!(taken[0].raw_header("message-id") != taken[1].raw_header("message-id"));
        let cancel = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Serviço não foi prestado." });
        assert_eq!(app.post("/api/v1/nfse/cancelar", &cancel).await.status, 200);
        let asked = app.email(id, &json!({ "para": ["ana@exemplo.com.br"] }), None).await;
        assert_eq!(asked.status, 202, "{}", asked.text);
        let mail = smtp.until(3).await.remove(2).read();
        for part in ["subject", "text", "html"] {
            assert!(mail[part].as_str().is_some_and(|text| text.contains("CANCELADA")), "{mail}");
        }
        assert_eq!(mail["files"].as_array().map(Vec::len), Some(2));
        app.until_mails(id, |rows| rows.iter().all(|row| row.status == MailStatus::Sent)).await;
        assert_eq!(smtp.taken().len(), 3);
    }
}

mailed! {
    async fn what_cannot_be_sent_is_told(app: TestApp, smtp: Smtp) {
        let note = service(&app).await;
        let id = note.text_at("/nota_id");
        assert_refusal(&app.email(id, &json!({}), None).await, "400 parametro_invalido");
        let eleven: Vec<String> = (0..11).map(|n| format!("p{n}@exemplo.com.br")).collect();
        for to in [json!([]), json!(eleven), json!(["sem-arroba"]), json!(["a@b.c\r\nBcc: x@y.z"]), json!(["Ana <ana@exemplo.com.br>"]), json!(["a@b@c.d"])] {
            let answer = app.email(id, &json!({ "para": to }), None).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert!(answer.text.contains("\"campo\":\"para"), "{}", answer.text);
        }
        let long = json!({ "para": ["a@b.co"], "mensagem": "x".repeat(2_001) });
        assert_refusal(&app.email(id, &long, None).await, "400 parametro_invalido");
        let draft = app.post("/api/v1/nfse/criar", &tests::bodies::nfse()).await;
        let answer = app.email(draft.text_at("/nota_id"), &json!({ "para": ["a@b.co"] }), None).await;
        assert_refusal(&answer, "409 estado_invalido");
        let other = stranger(&app).await;
        let path = format!("/api/v1/documentos/{id}/email");
        let answer = app.post_as(&other.live_key, &path, &json!({ "para": ["a@b.co"] }), None).await;
        assert_refusal(&answer, "404 nao_encontrado");
        // What somebody writes stays in its place.
        let words = json!({ "para": ["ana@exemplo.com.br"], "mensagem": "Oi\r\nBcc: x@y.z\r\n\r\n.\r\nQUIT\r\n<b>não</b>" });
        assert_eq!(app.email(id, &words, None).await.status, 202);
        let mail = smtp.until(1).await.remove(0);
        let read = mail.read();
        assert!(read["headers"].as_array().is_some_and(|names| !names.contains(&json!("Bcc"))), "{read}");
        assert!(read["text"].as_str().is_some_and(|text| text.contains("QUIT")), "{read}");
        assert!(read["html"].as_str().is_some_and(|html| html.contains("&lt;b&gt;")), "{read}");
        assert_eq!(mail.to, ["ana@exemplo.com.br"]);
    }
}

on_sqlite! {
    async fn without_a_server_nothing_is_promised(app: TestApp) {
        let note = service(&app).await;
        let id = note.text_at("/nota_id");
        let answer = app.email(id, &json!({ "para": ["ana@exemplo.com.br"] }), None).await;
        assert_refusal(&answer, "503 email_nao_oferecido");
        assert!(app.mails(id).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_so_many_a_day() {
    let Some(smtp) = Smtp::secure() else { return };
    let change = |config: &mut base::config::Config| {
        smtp.settings(config);
        config.mail.per_account_day = 3;
    };
    let app = tests::TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    let note = service(&app).await;
    let id = note.text_at("/nota_id");
    let ask = |to: Value| {
        let app = &app;
        async move { app.email(id, &json!({ "para": to }), None).await }
    };
    assert_eq!(ask(json!(["a@b.co", "b@b.co"])).await.status, 202);
    let refused = ask(json!(["c@b.co", "d@b.co"])).await;
    assert_refusal(&refused, "429 limite_de_emails");
    let wait: i64 = refused.header("retry-after").parse().expect("seconds");
    assert!((86_000..=86_401).contains(&wait), "{wait}");
    assert_eq!(ask(json!(["c@b.co"])).await.status, 202);
    assert_refusal(&ask(json!(["d@b.co"])).await, "429 limite_de_emails");
    smtp.until(3).await;
    app.ahead_ms.fetch_add(DAY_MS + 1_000, Ordering::Relaxed);
    assert_eq!(ask(json!(["d@b.co"])).await.status, 202);
    smtp.until(4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_without_value_are_mailed_less() {
    let Some(smtp) = Smtp::secure() else { return };
    let change = |config: &mut base::config::Config| {
        smtp.settings(config);
        config.mail.per_account_day_test = 1;
    };
    let app = tests::TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    let note = service(&app).await;
    let id = note.text_at("/nota_id");
    let ask = async |to: &str| app.email(id, &json!({ "para": [to] }), None).await;
    assert_eq!(ask("a@b.co").await.status, 202);
    assert_refusal(&ask("b@b.co").await, "429 limite_de_emails");
    smtp.until(1).await;
}
