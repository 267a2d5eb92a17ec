//! A registry as others run it, and a server of tokens.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tests::localhost;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// The longest wait for the program to listen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program `docker-registry` on a port of this machine; it ends with this.
pub struct Server {
    child: Child,
    /// Host and port.
    pub host: String,
    folder: TempDir,
}

impl Server {
    /// `auth` is YAML of the registry's settings, FOLDER in it the folder of its
    /// files. None: the program is not installed.
    pub fn start(auth: &str, files: &[(&str, &str)]) -> Option<Server> {
        let folder = tempfile::tempdir().expect("folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("file");
        }
        Server::begin(folder, "", auth)
    }

    /// With TLS, and a certificate of `localhost` that nobody knows.
    pub fn secure(auth: &str) -> Option<Server> {
        let folder = tempfile::tempdir().expect("folder");
        localhost::certificate(folder.path());
        let tls = ", tls: { certificate: FOLDER/server.pem, key: FOLDER/server.key }";
        let mut server = Server::begin(folder, tls, auth)?;
        server.host = server.host.replace("127.0.0.1", "localhost");
        Some(server)
    }

    /// The certificate of a [`Server::secure`].
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("server.pem")
    }

    fn begin(folder: TempDir, tls: &str, auth: &str) -> Option<Server> {
        let own = folder.path().display().to_string();
        let settings = format!(
            "version: 0.1\nlog: {{ level: info, accesslog: {{ disabled: true }} }}\n\
             storage: {{ filesystem: {{ rootdirectory: {own}/data }} }}\n\
             http: {{ addr: \"127.0.0.1:0\"{} }}\n{}",
            tls.replace("FOLDER", &own),
            auth.replace("FOLDER", &own)
        );
        let file = folder.path().join("settings.yml");
        fs::write(&file, settings).expect("settings");
        let mut program = Command::new("docker-registry");
        let program = program
            .arg("serve")
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let Ok(mut child) = program.spawn() else {
            judges::skipped("docker-registry is not installed");
            return None;
        };
        let lines = BufReader::new(child.stderr.take().expect("its log")).lines();
        let (sender, listening) = mpsc::channel();
        // Read to its end: the program dies when nobody reads what it says.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("listening on ") {
                    let host = rest.split(['"', ',']).next().unwrap_or_default();
                    let _heard = sender.send(host.to_owned());
                }
            }
        });
        let host = listening.recv_timeout(PATIENCE).expect("it listens");
        Some(Server {
            child,
            host,
            folder,
        })
    }

    /// The file in which the registry keeps a blob (`sha256:…`).
    pub fn file_of(&self, digest: &str) -> PathBuf {
        let hex = digest.strip_prefix("sha256:").expect("a digest");
        let blobs = self
            .folder
            .path()
            .join("data/docker/registry/v2/blobs/sha256");
        blobs.join(&hex[..2]).join(hex).join("data")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// An HTTP server that gives one answer to every request and keeps their heads.
pub struct Answering {
    pub base: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Answering {
    pub async fn start(answer: String) -> Answering {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("address");
        let base = format!("http://{}", listener.local_addr().expect("address"));
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = heads.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = vec![0; 8_192];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                kept.lock().expect("heads").push(head);
                // A client may have gone.
                let _sent = stream.write_all(answer.as_bytes()).await;
            }
        });
        Answering { base, heads }
    }

    /// The requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("heads").clone()
    }
}

/// An answer of HTTP/1.1 after which the connection ends.
pub fn http(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}
