//! Clients that hold connections and do nothing stop nobody else.

use std::time::Duration;
use tests::bodies::nfe;
use tests::both;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Files the test needs: both ends of each connection, and the rest.
const FILES: u64 = 6_000;
const EACH: usize = 500;

/// A connection on which so much of a request was sent.
async fn sent(address: &str, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("sent");
    stream
}

both! {
    async fn two_thousand_idle_and_slow_clients_do_not_stop_issuing(app: TestApp) {
        let files = rlimit::increase_nofile_limit(u64::MAX).expect("a limit");
        if files < FILES {
            println!("skipped: a process may open {files} files, the test needs {FILES}");
            return;
        }
        app.emitter("11222333000181", "3106200").await;
        let address = app.base_url.trim_start_matches("http://").to_owned();
        let key = &app.live_key;
        let mut held = Vec::new();
        for _ in 0..EACH {
            // Connected, and silent.
            held.push(sent(&address, "").await);
            // A head that does not end.
            held.push(sent(&address, "POST /api/v1/nfe HTTP/1.1\r\nhost: hub\r\nx-").await);
            // A body that does not end.
            let head = format!("POST /api/v1/nfe HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{{");
            held.push(sent(&address, &head).await);
            // An answer that nobody takes.
            let asked = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: hub\r\n\r\n".repeat(4);
            held.push(sent(&address, &asked).await);
        }
        assert_eq!(held.len(), 2_000);
        for _ in 0..5 {
            let answer = tokio::time::timeout(Duration::from_secs(20), app.post("/api/v1/nfe", &nfe())).await;
            assert_eq!(answer.expect("an answer").summary(), "201 autorizada");
        }
        let mut slow = held.pop().expect("a connection");
        let mut first = [0; 12];
        slow.read_exact(&mut first).await.expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200", "who takes it gets it");
        app.check_invariants().await;
    }
}
