//! `openssl s_server`, driven through its standard input.

use crate::PATIENCE;
use crate::pki::{Leaf, pki};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;
use tempfile::TempDir;

pub struct Server {
    pub port: u16,
    child: Child,
    stdin: ChildStdin,
    said: Arc<(Mutex<String>, Condvar)>,
    _folder: TempDir,
}

impl Server {
    /// None, with a line saying so, where there is no `openssl`.
    pub fn start(own: &Leaf, options: &[&str]) -> Option<Server> {
        if Command::new("openssl").arg("version").output().is_err() {
            judges::skipped("openssl is not installed");
            return None;
        }
        let folder = TempDir::new().expect("folder");
        let certificate = own.file(folder.path(), "server.pem");
        let customers = folder.path().join("customers.pem");
        std::fs::write(&customers, pki().customers.pem()).expect("file");
        let mut child = Command::new("openssl")
            .args([
                "s_server",
                "-accept",
                "127.0.0.1:0",
                "-naccept",
                "4",
                "-msg",
            ])
            .arg("-cert")
            .arg(&certificate)
            .arg("-CAfile")
            .arg(&customers)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("s_server");
        let said: Arc<(Mutex<String>, Condvar)> = Arc::default();
        listen(child.stdout.take().expect("stdout"), said.clone());
        listen(child.stderr.take().expect("stderr"), said.clone());
        let mut server = Server {
            port: 0,
            stdin: child.stdin.take().expect("stdin"),
            child,
            said,
            _folder: folder,
        };
        let text = server.wait_for("ACCEPT 127.0.0.1:", "\n");
        server.port = text.trim().parse().expect("port");
        Some(server)
    }

    /// One chunk of input: s_server takes its first letter for a command.
    pub fn write(&mut self, text: &str) {
        self.stdin
            .write_all(text.as_bytes())
            .expect("s_server reads");
        self.stdin.flush().expect("s_server reads");
    }

    /// What it says between these two, once it does.
    pub fn wait_for(&self, begin: &str, end: &str) -> String {
        let (text, changed) = &*self.said;
        let since = Instant::now();
        let mut text = text.lock().expect("text");
        loop {
            let found = text
                .split_once(begin)
                .and_then(|(_, rest)| rest.split_once(end));
            if let Some((found, _)) = found {
                return found.to_owned();
            }
            let left = PATIENCE.saturating_sub(since.elapsed());
            assert!(
                !left.is_zero(),
                "s_server never said {begin:?}; it said\n{text}"
            );
            text = changed.wait_timeout(text, left).expect("text").0;
        }
    }

    pub fn said(&self, words: &str) -> bool {
        self.said.0.lock().expect("text").contains(words)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.kill().and_then(|()| self.child.wait()).is_err() {
            eprintln!("s_server had ended");
        }
    }
}

fn listen(mut from: impl Read + Send + 'static, to: Arc<(Mutex<String>, Condvar)>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let words = String::from_utf8_lossy(&buffer[..count]);
            to.0.lock().expect("text").push_str(&words);
            to.1.notify_all();
        }
    });
}
