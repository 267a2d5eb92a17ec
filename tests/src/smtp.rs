//! A real mail server (aiosmtpd) for the tests,
//! with STARTTLS and login, that can be told to refuse.

use crate::app::Backend;
use crate::{Answer, TestApp, localhost};
use base::config::{Config, Security};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use store::ids::UserId;
use tempfile::TempDir;

const SCRIPT: &str = include_str!("smtp.py");
/// The server's login.
pub const USER: &str = "hub";
pub const PASSWORD: &str = "senha do servidor";

/// A mail as the server took it.
#[derive(Clone, Debug)]
pub struct Taken {
    pub to: Vec<String>,
    pub tls: bool,
    pub user: String,
    pub bytes: Vec<u8>,
}

impl Taken {
    /// A header as it came, lines joined; empty when there is none.
    pub fn raw_header(&self, name: &str) -> String {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        let head = text.split("\r\n\r\n").next().unwrap_or_default();
        let joined = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        let wanted = format!("{}:", name.to_lowercase());
        let line = joined
            .split("\r\n")
            .find(|line| line.to_lowercase().starts_with(&wanted));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    }

    /// The mail as Python's reader of mail understands it: `subject`, `text`,
    /// `html`, `files` (name, type and bytes in base64), `headers` (names).
    ///
    /// # Panics
    /// It is no mail.
    pub fn read(&self) -> Value {
        let python = python().expect("the server ran with it");
        let script = "import sys,json,base64\nfrom email import message_from_bytes,policy\n\
            m=message_from_bytes(base64.b64decode(sys.stdin.read()),policy=policy.default)\n\
            b=lambda k:(lambda p:p.get_content() if p else '')(m.get_body((k,)))\n\
            print(json.dumps({'subject':m['subject'],'to':m['to'],'from':m['from'],'text':b('plain'),'html':b('html'),\
            'headers':m.keys(),'defects':[str(d) for d in m.defects],\
            'files':[{'nome':a.get_filename(),'tipo':a.get_content_type(),'base64':base64.b64encode(a.get_payload(decode=True)).decode()} for a in m.iter_attachments()]}))";
        let mut child = Command::new(python)
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python");
        let mut stdin = child.stdin.take().expect("stdin");
        std::io::Write::write_all(&mut stdin, STANDARD.encode(&self.bytes).as_bytes())
            .expect("written");
        drop(stdin);
        let output = child.wait_with_output().expect("python");
        serde_json::from_slice(&output.stdout).expect("a mail")
    }
}

/// The server; it ends with this handle.
pub struct Smtp {
    child: Child,
    folder: TempDir,
    port: u16,
    security: Security,
    auth: bool,
}

impl Smtp {
    /// With STARTTLS and login; None, with a line saying so, where aiosmtpd
    /// is not installed.
    pub fn secure() -> Option<Smtp> {
        Smtp::start(Security::Starttls, true)
    }

    /// With TLS from the first byte, as on port 465, and login.
    pub fn wrapped() -> Option<Smtp> {
        Smtp::start(Security::Tls, true)
    }

    /// In the clear, for anybody.
    pub fn plain() -> Option<Smtp> {
        Smtp::start(Security::None, false)
    }

    fn start(security: Security, auth: bool) -> Option<Smtp> {
        let python = python()?;
        let folder = tempfile::tempdir().expect("folder");
        let script = folder.path().join("smtp.py");
        std::fs::write(&script, SCRIPT).expect("script");
        let word = match security {
            Security::Starttls => "starttls",
            Security::Tls => "tls",
            Security::None => "none",
        };
        if security != Security::None {
            localhost::certificate(folder.path());
        }
        let mut child = Command::new(python)
            .arg(&script)
            .arg(folder.path())
            .arg(json!({ "security": word, "auth": auth }).to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a mail server");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout");
        BufReader::new(stdout).read_line(&mut line).expect("a port");
        let port = line.trim().parse().expect("a port");
        Some(Smtp {
            child,
            folder,
            port,
            security,
            auth,
        })
    }

    /// Settings of a hub that sends by this server.
    pub fn settings(&self, config: &mut Config) {
        let mail = &mut config.mail;
        "localhost".clone_into(&mut mail.host);
        mail.port = self.port;
        mail.security = self.security;
        if self.security != Security::None {
            mail.ca = self.ca();
        }
        if self.auth {
            USER.clone_into(&mut mail.user);
            mail.password = PASSWORD.into();
        }
        "Notas do Hub <notas@hub.exemplo.com.br>".clone_into(&mut mail.from);
        mail.timeout_ms = 10_000;
    }

    /// The same as variables of a hub in a process of its own.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        assert_eq!(self.security, Security::None, "made for the plain one");
        vec![
            ("HUB_MAIL_HOST", "127.0.0.1".to_owned()),
            ("HUB_MAIL_PORT", self.port.to_string()),
            ("HUB_MAIL_SECURITY", "none".to_owned()),
            ("HUB_MAIL_FROM", "notas@hub.exemplo.com.br".to_owned()),
        ]
    }

    /// The certificate that has to be trusted.
    pub fn ca(&self) -> PathBuf {
        self.folder.path().join("server.pem")
    }

    /// What it does from now on: `rcpt` (answer by address), `data` (answer),
    /// `hold` (takes mail and does not say so).
    ///
    /// # Panics
    /// The folder is gone.
    pub fn mode(&self, mode: &Value) {
        let path = self.folder.path().join("mode.json");
        let new = path.with_extension("new");
        std::fs::write(&new, mode.to_string()).expect("mode");
        std::fs::rename(new, path).expect("mode");
    }

    /// What it took, in order.
    ///
    /// # Panics
    /// A record cannot be read.
    pub fn taken(&self) -> Vec<Taken> {
        let mut taken = Vec::new();
        for number in 1.. {
            let path = self.folder.path().join(format!("{number:04}.json"));
            let Ok(text) = std::fs::read_to_string(path) else {
                break;
            };
            let record: Value = serde_json::from_str(&text).expect("record");
            let to = record["to"].as_array().expect("addresses");
            let content = record["content"].as_str().expect("content");
            taken.push(Taken {
                to: to
                    .iter()
                    .filter_map(Value::as_str)
                    .map(ToOwned::to_owned)
                    .collect(),
                tls: record["tls"] == true,
                user: record["user"].as_str().unwrap_or_default().to_owned(),
                bytes: STANDARD.decode(content).expect("base64"),
            });
        }
        taken
    }

    /// Waits until it took so many; all of them.
    ///
    /// # Panics
    /// They do not come within a minute.
    pub async fn until(&self, count: usize) -> Vec<Taken> {
        crate::until(async || {
            let taken = self.taken();
            if taken.len() >= count {
                Ok(taken)
            } else {
                Err(format!("{} mails instead of {count}", taken.len()))
            }
        })
        .await
    }

    /// A hub that sends by it.
    pub async fn app(&self, backend: Backend) -> Option<TestApp> {
        TestApp::start_with(backend, |config| self.settings(config)).await
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl TestApp {
    /// The account's mails about something, as rows.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn mails(&self, subject: &str) -> Vec<store::tables::mails::MailRow> {
        let mut conn = self.app.db.read().await.expect("connection");
        let rows = store::tables::mails::of_subject(&mut conn, &self.account_id, subject).await;
        rows.expect("mails")
    }

    /// Waits until the account's mails about something are as they should.
    ///
    /// # Panics
    /// They are not within a minute.
    pub async fn until_mails(
        &self,
        subject: &str,
        accept: impl Fn(&[store::tables::mails::MailRow]) -> bool,
    ) -> Vec<store::tables::mails::MailRow> {
        crate::until(async || {
            let rows = self.mails(subject).await;
            if accept(&rows) { Ok(rows) } else { Err(rows) }
        })
        .await
    }

    /// A person of the account who has a part in it; nobody can log in as
    /// them.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn member(&self, email: &str, role: &str) {
        let now_ms = self.app.now_ms();
        let user = store::tables::users::UserRow {
            id: UserId::new(now_ms),
            email: email.to_owned(),
            nome: "Pessoa de Teste".to_owned(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            ..Default::default()
        };
        let role: store::tables::users::Role = role.parse().expect("a part");
        let input = (user, self.account_id.clone(), role);
        let written = self.app.db.write(input, |(user, account, role), conn| {
            Box::pin(async move {
                let now_ms = user.created_at_ms;
                store::tables::users::insert(conn, user).await?;
                store::tables::users::join(conn, account, &user.id, *role, now_ms).await?;
                Ok::<_, store::TxError<std::convert::Infallible>>(())
            })
        });
        written.await.expect("a person");
    }

    /// Asks for a note by mail.
    pub async fn email(&self, reference: &str, body: &Value, key: Option<&str>) -> Answer {
        let path = format!("/api/v1/documentos/{reference}/email");
        self.post_as(&self.live_key, &path, body, key).await
    }
}

/// The interpreter that has aiosmtpd.
fn python() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND
        .get_or_init(|| crate::python::with("aiosmtpd"))
        .clone()
}

/// The same test on both databases, in a hub that sends mail by a server of
/// its own: `mailed! { async fn name(app: TestApp, smtp: Smtp) { … } }`.
#[macro_export]
macro_rules! mailed {
    (async fn $name:ident($app:ident: TestApp, $smtp:ident: Smtp) $body:block) => {
        mod $name {
            use super::*;

            async fn run(backend: $crate::app::Backend) {
                let Some($smtp) = $crate::smtp::Smtp::secure() else {
                    return;
                };
                let Some($app) = $smtp.app(backend).await else {
                    return;
                };
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run($crate::app::Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run($crate::app::Backend::Postgres).await;
            }
        }
    };
}
