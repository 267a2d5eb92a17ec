//! A receiver in Python that was written from the documents alone.

use super::{deliveries, issuer, send};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tests::bodies::{nfe, nfse};
use tests::on_sqlite;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

struct Receiver {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
    port: u16,
}

impl Receiver {
    /// None where there is no such Python.
    async fn start() -> Option<Receiver> {
        let python = tests::python::with("standardwebhooks")?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("webhooks/receiver.py");
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a receiver");
        let mut said = BufReader::new(child.stdout.take().expect("output")).lines();
        let port = said.next_line().await.expect("a line").expect("a port");
        let port = port.parse().expect("a port");
        Some(Receiver { child, said, port })
    }

    async fn tell(&mut self, secret: &str) {
        let input = self.child.stdin.as_mut().expect("input");
        input
            .write_all(format!("{secret}\n").as_bytes())
            .await
            .expect("told");
        input.flush().await.expect("told");
    }

    /// What it says of the next delivery.
    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_secs(60), self.said.next_line());
        let line = line.await.expect("in time").expect("a line").expect("open");
        serde_json::from_str(&line).expect("json")
    }
}

on_sqlite! {
    async fn a_receiver_written_from_the_documents_believes_ours_alone(app: TestApp) {
        let Some(mut receiver) = Receiver::start().await else {
            return;
        };
        issuer(&app).await;
        let url = format!("http://127.0.0.1:{}/avisos", receiver.port);
        let made = app.post("/api/v1/webhooks", &json!({ "url": url, "eventos": ["*"] })).await;
        assert_eq!(made.status, 201, "{}", made.text);
        receiver.tell(made.text_at("/segredo")).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        app.post("/api/v1/nfse", &nfse()).await;
        let cancel = json!({ "ref": note.text_at("/nota_id"), "justificativa": "Mercadoria não saiu do estoque" });
        app.post("/api/v1/nfe/cancelar", &cancel).await;
        let mut kinds = Vec::new();
        let mut last = String::new();
        for _ in 0..3 {
            let said = receiver.next().await;
            assert_eq!((&said["genuine"], &said["spoiled_that_passed"], &said["same_id"], &said["again"]),
                (&json!([true, true]), &json!([]), &json!(true), &json!(false)), "{said}");
            kinds.push(said["tipo"].as_str().expect("a kind").to_owned());
            last = said["id"].as_str().expect("an id").to_owned();
        }
        kinds.sort();
        assert_eq!(kinds, ["nfe.autorizada", "nfe.cancelada", "nfse.emitida"]);
        // The old secret still signs beside the new one, and who knows only the
        // old one goes on; what is sent again has the id it had.
        let turned = send(&app, "POST", &format!("/api/v1/webhooks/{}/rotacionar-segredo", made.text_at("/id")), None).await;
        assert!((200..300).contains(&turned.status), "{}", turned.text);
        // It says so before it answers.
        app.until("/api/v1/webhooks/entregas?status=entregue&limite=100", |answer| answer.text.contains(&last)).await;
        let sent = deliveries(&app, "?status=entregue&limite=100").await;
        let sent = sent.iter().find(|one| one["evento_id"] == *last).expect("the delivery");
        let again = send(&app, "POST", &format!("/api/v1/webhooks/entregas/{}/reenviar", sent["id"].as_str().expect("an id")), None).await;
        assert!((200..300).contains(&again.status), "{}", again.text);
        let said = receiver.next().await;
        assert_eq!((&said["id"], &said["genuine"], &said["again"]), (&json!(last), &json!([true, true]), &json!(true)), "{said}");
    }
}
