//! A TLS server of this process: it counts connections and answers as told.

use crate::pki::{Leaf, pki};
use openssl::nid::Nid;
use openssl::ssl::{Ssl, SslAcceptor, SslMethod, SslVerifyMode};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_openssl::SslStream;

pub struct Inside {
    pub port: u16,
    names: Arc<Mutex<Vec<String>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Inside {
    /// `answer` gets the number of the request, from 0 over all connections;
    /// an empty answer closes, and so does one that says it does.
    pub async fn start(answer: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static) -> Inside {
        Inside::start_as(&pki().server, answer).await
    }

    /// As `start`, with another certificate.
    pub async fn start_as(
        own: &Leaf,
        answer: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static,
    ) -> Inside {
        let mut acceptor =
            SslAcceptor::mozilla_intermediate_v5(SslMethod::tls()).expect("acceptor");
        acceptor
            .set_certificate(&own.certificate)
            .expect("certificate");
        acceptor.set_private_key(&own.key).expect("key");
        acceptor.set_verify_callback(SslVerifyMode::PEER, |_, _| true);
        let acceptor = acceptor.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let inside = Inside {
            port: listener.local_addr().expect("port").port(),
            names: Arc::default(),
            heads: Arc::default(),
        };
        let (names, heads, answer) = (inside.names.clone(), inside.heads.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let ssl = Ssl::new(acceptor.context()).expect("ssl");
                let mut stream = SslStream::new(ssl, tcp).expect("stream");
                let (names, heads, answer) = (names.clone(), heads.clone(), answer.clone());
                tokio::spawn(async move {
                    if Pin::new(&mut stream).accept().await.is_err() {
                        return;
                    }
                    let peer = stream.ssl().peer_certificate();
                    let name = peer.and_then(|peer| {
                        let entry = peer.subject_name().entries_by_nid(Nid::COMMONNAME).next();
                        entry.and_then(|entry| entry.data().to_string().ok())
                    });
                    names.lock().expect("names").push(name.unwrap_or_default());
                    while let Some(head) = head(&mut stream).await {
                        let number = {
                            let mut heads = heads.lock().expect("heads");
                            heads.push(head);
                            heads.len() - 1
                        };
                        let bytes = answer(number);
                        if bytes.is_empty() || stream.write_all(&bytes).await.is_err() {
                            return;
                        }
                        if String::from_utf8_lossy(&bytes).contains("[close]") {
                            // Goes away without a word, as servers do.
                            return;
                        }
                    }
                });
            }
        });
        inside
    }

    /// Holders of the certificates shown, one per connection; "" for none.
    pub fn names(&self) -> Vec<String> {
        self.names.lock().expect("names").clone()
    }

    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("heads").clone()
    }
}

/// The head of a request without body.
async fn head(stream: &mut SslStream<tokio::net::TcpStream>) -> Option<String> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") && text.len() < 64 << 10 {
        text.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(text).ok()
}
