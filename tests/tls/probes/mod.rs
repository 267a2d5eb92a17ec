//! Coverage as it is measured, against servers of this process and with a clock that
//! the tests move.

mod addresses;
mod agreements;
mod calls;
mod front;
mod notes;
mod plain;

use crate::inside::Inside;
use crate::pki::pki;
use base::config::{AuthoritiesMode, Config};
use measured::job::Job;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tests::TestApp;
use tests::app::Backend;
use tests::registry;
use vault::roots::Purpose;
use vault::roots::import::import;

/// 2026-06-01, within the certificates' time.
const NOW_MS: i64 = 1_780_272_000_000;
/// `probes.every_hours` of the default settings.
const ROUND_MS: i64 = 6 * 3_600_000;
/// Cities of the registry below.
const FINE: &str = "1100015";
const CLOSED: &str = "1100023";
const STRANGE: &str = "1100031";
const BROKEN: &str = "1100049";
const INTERNAL: &str = "1100056";
const MOODY: &str = "1100064";
const PLAIN: &str = "1100072";

/// A hub that sends to the authorities themselves, and believes the servers of these
/// tests; probes may go to this machine's own address alone.
async fn official(backend: Backend, change: impl FnOnce(&mut Config)) -> Option<TestApp> {
    TestApp::start_with(backend, |config| {
        config.authorities.mode = AuthoritiesMode::Official;
        config.probes.enabled = true;
        config.probes.allow_nets = vec!["127.0.0.1".to_owned(), "::1".to_owned()];
        change(config);
        let folder = &config.storage.data_dir;
        let file = folder.join("servers.pem");
        std::fs::write(&file, pki().servers.pem()).expect("file");
        import(folder, &file, Purpose::Server, NOW_MS).expect("import");
    })
    .await
}

/// One server of each kind.
struct Servers {
    /// Shows its WSDL.
    fine: Inside,
    /// Has the certificate of an authority nobody knows.
    strange: Inside,
    /// Answers 500.
    broken: Inside,
    /// Answers while `well` is set, and closes the connection otherwise.
    moody: Inside,
    well: Arc<AtomicBool>,
    /// Nobody listens there.
    closed: u16,
}

fn answer(status: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

impl Servers {
    async fn start() -> Servers {
        let wsdl = "<wsdl:definitions xmlns:wsdl=\"http://schemas.xmlsoap.org/wsdl/\"/>";
        let well = Arc::new(AtomicBool::new(true));
        let is_well = well.clone();
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
        Servers {
            fine: Inside::start(move |_| answer("200 OK", wsdl)).await,
            strange: Inside::start_as(&pki().stranger, |_| answer("200 OK", "")).await,
            broken: Inside::start(|_| answer("500 Internal Server Error", "")).await,
            moody: Inside::start(move |_| match is_well.load(Ordering::Relaxed) {
                true => answer("405 Method Not Allowed", ""),
                false => Vec::new(),
            })
            .await,
            well,
            closed: free.local_addr().expect("port").port(),
        }
    }

    /// A registry with a city for each of them, one whose address stands for an
    /// internal network, and one without TLS.
    fn registry(&self) -> String {
        let cities = [
            (FINE, self.fine.port, "localhost"),
            (CLOSED, self.closed, "localhost"),
            (STRANGE, self.strange.port, "localhost"),
            (BROKEN, self.broken.port, "localhost"),
            (INTERNAL, self.fine.port, "127.0.0.2"),
            (MOODY, self.moody.port, "localhost"),
        ];
        let mut text = String::from(registry::HEAD);
        for (ibge, port, host) in cities {
            text.push_str(&registry::city(
                ibge,
                &format!("https://{host}:{port}/ws/nfse.asmx"),
            ));
        }
        text.push_str(&registry::city(PLAIN, "http://localhost/ws/nfse.asmx"));
        text
    }
}

/// Hours go by, and everything that is due then is asked.
async fn round(app: &TestApp, jobs: &mut [Job]) {
    app.ahead_ms.fetch_add(ROUND_MS, Ordering::Relaxed);
    loop {
        let mut asking = Vec::new();
        for job in &mut *jobs {
            asking.extend(job.turn().await.expect("a turn"));
        }
        if asking.is_empty() {
            return;
        }
        for question in asking {
            question.await.expect("a question");
        }
    }
}
