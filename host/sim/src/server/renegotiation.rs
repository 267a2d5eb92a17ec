//! A TLS server that asks for the client certificate in a renegotiation, as
//! the front ends of BA, SP, SVAN and of the national environment do.
//!
//! The `openssl` crate offers no `SSL_renegotiate`, so each connection is
//! served by one `openssl s_server` of the machine (command `R`), with the
//! simulator behind it. For tests of transports: one request a connection.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use super::{ServeError, ServerHandle};
use crate::pki::Pki;
use crate::request::{SimAnswer, SimRequest};
use crate::sim::{MAX_BODY, Sim};

/// Longest wait for any step of a connection.
const PATIENCE: Duration = Duration::from_secs(15);
/// Pause between looks at the handshake's record and between parts of an answer.
const PAUSE: Duration = Duration::from_millis(20);
/// `s_server` reads its input in parts of this size and takes some letters at
/// the beginning of a part for commands.
const PART: usize = 12 * 1024;
const COMMANDS: &[u8] = b"qQrRpPSBKkc";
/// Most bytes read before a request is complete.
const MAX_INPUT: usize = MAX_BODY + 64 * 1024;
/// Most connections at once: each is a process.
const MAX_CONNECTIONS: usize = 16;

struct Files {
    dir: PathBuf,
    next: AtomicU64,
}

/// Serves `sim` at `addr` with renegotiation. `dir` holds the server's key
/// and the records of handshakes; it should be private and temporary.
///
/// # Errors
/// When the address or the folder cannot be used.
pub async fn serve_renegotiating(
    sim: Sim,
    pki: &Pki,
    addr: SocketAddr,
    dir: &Path,
) -> Result<(SocketAddr, ServerHandle), ServeError> {
    let (pair, above) = pki.server();
    let key = pair
        .key
        .private_key_to_pem_pkcs8()
        .map_err(crate::pki::PkiError::from)?;
    let mut chain = pair.cert.to_pem().map_err(crate::pki::PkiError::from)?;
    chain.extend(above.to_pem().map_err(crate::pki::PkiError::from)?);
    crate::pki::private_file(&dir.join("key.pem"), &key)?;
    std::fs::write(dir.join("chain.pem"), chain)?;
    std::fs::write(dir.join("root.pem"), pki.ca_pem())?;
    let listener = TcpListener::bind(addr).await?;
    let local = listener.local_addr()?;
    let files = Arc::new(Files {
        dir: dir.to_owned(),
        next: AtomicU64::new(0),
    });
    let task = tokio::spawn(accept(listener, sim, files));
    Ok((local, ServerHandle::of(task)))
}

async fn accept(listener: TcpListener, sim: Sim, files: Arc<Files>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let (sim, files) = (sim.clone(), Arc::clone(&files));
        connections.spawn(async move {
            if let Err(error) = connection(stream, sim, &files).await {
                tracing::debug!(%error, "simulator: connection with renegotiation ended");
            }
        });
    }
}

async fn connection(mut client: TcpStream, sim: Sim, files: &Files) -> io::Result<()> {
    let n = files.next.fetch_add(1, Ordering::Relaxed);
    let record = files.dir.join(format!("handshake-{n}.txt"));
    let mut child = start(files, &record)?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("s_server without pipes"));
    };
    let port = within(port(&mut output)).await?;
    let mut inner = TcpStream::connect(("127.0.0.1", port)).await?;
    let relay = tokio::spawn(async move {
        // The end of a connection is no news.
        drop(tokio::io::copy_bidirectional(&mut client, &mut inner).await);
    });
    let mut request = within(read_request(&mut output)).await?;
    input.write_all(b"R\n").await?;
    input.flush().await?;
    request.client_cert_der = within(certificate(&record)).await?;
    match sim.handle(request).await {
        SimAnswer::CutBefore | SimAnswer::CutAfter => relay.abort(),
        SimAnswer::Response {
            status,
            headers,
            body,
        } => {
            answer(&mut input, status, &headers, &body).await?;
            // The end of its input ends the server and the connection.
            drop(input);
            within(drain(&mut output)).await?;
            drop(relay.await);
        }
    }
    drop(child.kill().await);
    std::fs::remove_file(&record)
}

async fn within<T>(step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::time::timeout(PATIENCE, step)
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

fn start(files: &Files, record: &Path) -> io::Result<Child> {
    Command::new("openssl")
        .args([
            "s_server",
            "-accept",
            "127.0.0.1:0",
            "-naccept",
            "1",
            "-tls1_2",
        ])
        // A resumed session would not ask for the certificate.
        .args(["-no_ticket", "-no_cache", "-msg", "-msgfile"])
        .arg(record)
        .arg("-cert")
        .arg(files.dir.join("chain.pem"))
        .arg("-cert_chain")
        .arg(files.dir.join("chain.pem"))
        .arg("-key")
        .arg(files.dir.join("key.pem"))
        .arg("-CAfile")
        .arg(files.dir.join("root.pem"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

/// The port `s_server` says it accepts at.
async fn port(output: &mut ChildStdout) -> io::Result<u16> {
    let mut text = String::new();
    loop {
        let byte = output.read_u8().await?;
        if byte != b'\n' {
            text.push(char::from(byte));
            continue;
        }
        if let Some(rest) = text.strip_prefix("ACCEPT ") {
            let port = rest.trim().rsplit(':').next().and_then(|p| p.parse().ok());
            return port.ok_or_else(|| io::Error::other("s_server without port"));
        }
        text.clear();
    }
}

/// The last line `s_server` writes about the handshake; the request follows.
const BEGINS: &[u8] = b"Secure Renegotiation IS supported\n";

async fn read_request(output: &mut ChildStdout) -> io::Result<SimRequest> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0u8; 8 * 1024];
        let n = output.read(&mut part).await?;
        if n == 0 || bytes.len() > MAX_INPUT {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(part.get(..n).unwrap_or_default());
        let Some(begin) = find(&bytes, BEGINS) else {
            continue;
        };
        let rest = bytes.get(begin + BEGINS.len()..).unwrap_or_default();
        if let Some(request) = complete(rest) {
            return Ok(request);
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|w| w == wanted)
}

/// A request once its head and the announced body are there; None before. The
/// certificate is not part of it.
pub fn complete(bytes: &[u8]) -> Option<SimRequest> {
    let end = find(bytes, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|l| l.split_once(':'))
        .map(|(n, v)| (n.trim().to_ascii_lowercase(), v.trim().to_owned()))
        .collect();
    let value = |name: &str| {
        headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone())
    };
    let length: usize = value("content-length")
        .and_then(|v| v.parse().ok())
        .unwrap_or(0);
    let body = bytes.get(end + 4..)?;
    if body.len() < length.min(MAX_BODY) {
        return None;
    }
    Some(SimRequest {
        host: value("host").unwrap_or_default(),
        method,
        path,
        body: body.get(..length)?.to_vec(),
        headers,
        client_cert_der: None,
    })
}

/// The certificate that the record of the second handshake shows; `None`
/// when the client sent an empty list.
async fn certificate(record: &Path) -> io::Result<Option<Vec<u8>>> {
    loop {
        let text = tokio::fs::read_to_string(record).await.unwrap_or_default();
        if let Some((_, second)) = text.split_once("HelloRequest")
            && second.matches(", Finished").count() >= 2
        {
            return Ok(shown(second));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// DER of the first certificate of a received `Certificate` message in the
/// record of a handshake (`-msgfile`); None when the list is empty.
pub fn shown(record: &str) -> Option<Vec<u8>> {
    let mut lines = record.lines();
    lines.find(|l| l.starts_with("<<<") && l.ends_with(", Certificate"))?;
    let bytes: Vec<u8> = lines
        .take_while(|l| l.starts_with(' '))
        .flat_map(str::split_whitespace)
        .filter_map(|b| u8::from_str_radix(b, 16).ok())
        .collect();
    // Type, length (3), length of the list (3), length of the first (3).
    let length = bytes
        .get(7..10)?
        .iter()
        .fold(0usize, |n, b| (n << 8) | usize::from(*b));
    bytes.get(10..10 + length).map(<[u8]>::to_vec)
}

async fn answer(
    input: &mut ChildStdin,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut bytes = format!("HTTP/1.1 {status} .\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    bytes.extend_from_slice(
        format!(
            "content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        )
        .as_bytes(),
    );
    bytes.extend_from_slice(body);
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let mut cut = rest.len().min(PART);
        // The next part must not begin with a command's letter.
        while cut > 1 && rest.get(cut).is_some_and(|b| COMMANDS.contains(b)) {
            cut -= 1;
        }
        let (part, more) = rest.split_at(cut);
        input.write_all(part).await?;
        input.flush().await?;
        tokio::time::sleep(PAUSE).await;
        rest = more;
    }
    Ok(())
}

async fn drain(output: &mut ChildStdout) -> io::Result<()> {
    let mut sink = [0u8; 1024];
    while output.read(&mut sink).await? > 0 {}
    Ok(())
}
