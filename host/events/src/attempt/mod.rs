//! One attempt: a signed POST, and what came of it.

pub mod envelope;
pub mod guard;
pub mod message;
pub mod payload;
pub mod sealed;
pub mod signature;

use anyhow::Context as _;
use base::config::Webhooks;
use guard::{Guard, Reach, Resolver};
use hyper::body::Bytes;
use message::{Made, Message, Messages};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Method, Request, Response, Url};
use sealed::Sealed;
use signature::Key;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::tables::deliveries::{AttemptRow, DeliveryRow};
use store::tables::webhooks::WebhookRow;
use tokio::sync::OnceCell;

/// Connections kept open towards one server, which may be that of many webhooks:
/// with 8, a tenth of the deliveries of 16 webhooks opened a new one.
const IDLE_PER_HOST: usize = 64;
const IDLE: Duration = Duration::from_secs(30);
/// How often a request that an HTTP/2 server refused to look at is sent once more at once.
const REPEATS: usize = 2;
/// The headers of an attempt whose values are made for it.
static OURS: [HeaderName; 8] = [
    HeaderName::from_static("x-webhook-id"),
    HeaderName::from_static("x-webhook-attempt"),
    HeaderName::from_static("x-webhook-event"),
    HeaderName::from_static("x-webhook-timestamp"),
    HeaderName::from_static("x-webhook-signature-256"),
    HeaderName::from_static("webhook-id"),
    HeaderName::from_static("webhook-timestamp"),
    HeaderName::from_static("webhook-signature"),
];
/// Bytes of these values while one secret signs, and some more.
const OURS_BYTES: usize = 192;

/// The clients of all webhooks: a name is resolved to what its address may reach.
pub struct Sender {
    all: OnceCell<Client>,
    opened: OnceCell<Client>,
    guard: Arc<Guard>,
    /// What is sent, of events that were sent a short time ago.
    pub messages: Messages,
    /// `webhooks.ca`.
    roots: Vec<Certificate>,
    config: Webhooks,
    changes: AtomicU64,
}

impl Sender {
    /// # Errors
    /// The certificates of the settings cannot be read.
    pub fn new(config: &Webhooks) -> anyhow::Result<Sender> {
        let mut roots = Vec::new();
        if !config.ca.as_os_str().is_empty() {
            let pem = std::fs::read(&config.ca)
                .with_context(|| format!("webhooks.ca {}", config.ca.display()))?;
            roots = Certificate::from_pem_bundle(&pem).context("webhooks.ca")?;
        }
        Ok(Sender {
            all: OnceCell::new(),
            opened: OnceCell::new(),
            guard: Arc::new(Guard::new(config)),
            messages: Messages::default(),
            roots,
            config: config.clone(),
            changes: AtomicU64::new(0),
        })
    }

    /// Says that a webhook was changed or removed, after the commit: who sends to it at this
    /// moment asks the database again before the next attempt.
    pub fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// How often this process changed or removed a webhook, of whatever account.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Made by the first attempt that needs it, once, while others wait: OpenSSL reads the
    /// roots of the system twice for each client, which took a sixth of the hub's start.
    async fn client(&self, reach: Reach) -> anyhow::Result<&Client> {
        let made = match reach {
            Reach::All => &self.all,
            Reach::Opened => &self.opened,
        };
        let client = made.get_or_try_init(async || self.build(reach)).await;
        client.context("client of webhooks")
    }

    fn build(&self, reach: Reach) -> reqwest::Result<Client> {
        let config = &self.config;
        let guard = self.guard.clone();
        let mut client = Client::builder()
            .tls_backend_native()
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_millis(config.connect_timeout_ms))
            .timeout(self.timeout())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_PER_HOST)
            // For its own repetitions the client copies each request before it is sent, with all
            // its headers. Each delivery has a schedule, and `execute` repeats what may be
            // repeated at once.
            .retry(reqwest::retry::never().max_retries_per_request(0))
            .user_agent(concat!("hub-webhooks/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(Resolver { guard, reach }));
        for root in &self.roots {
            client = client.add_root_certificate(root.clone());
        }
        client.build()
    }
}

/// What came of an attempt.
pub struct Outcome {
    pub attempt: AttemptRow,
    /// Seconds the receiver asked to be left alone.
    pub retry_after_s: Option<i64>,
}

impl Outcome {
    pub fn delivered(&self) -> bool {
        (200..300).contains(&self.attempt.status)
    }

    /// The receiver wants no more of this.
    pub fn gone(&self) -> bool {
        self.attempt.status == 410
    }
}

/// What is the same for all attempts at one webhook.
pub struct Target<'a> {
    client: &'a Client,
    url: Url,
    /// The headers of an attempt: those the customer chose, and places for [`OURS`].
    headers: HeaderMap,
    key: Key,
    /// Of the secret before the last rotation, and how long it signs too.
    before: Option<Key>,
    before_until_ms: i64,
}

impl Sender {
    /// The target of attempts made from `now_ms` on.
    ///
    /// # Errors
    /// The webhook cannot be delivered to, for a reason its owner reads.
    pub async fn target<'a>(
        &'a self,
        webhook: &WebhookRow,
        sealed: &Sealed,
        now_ms: i64,
    ) -> Result<Target<'a>, String> {
        // Looked at again: the settings may have changed since registration.
        let url = self.guard.read(&webhook.url);
        let url = url.map_err(|why| why.sentence().to_owned())?;
        let not_sent = |error: &anyhow::Error| {
            let error = format!("{error:#}");
            tracing::error!(webhook.id = %webhook.id, error, "deliveries are not sent");
        };
        let keys = || {
            // After its time it is not read: a damaged one keeps nothing back.
            let before = sealed.anterior.as_deref();
            let before = before.filter(|_| webhook.anterior_ate_ms > now_ms);
            let before = before.map(Key::of).transpose();
            anyhow::Ok((
                headers(sealed)?,
                Key::of(&sealed.segredo).context("secret")?,
                before.context("secret before")?,
            ))
        };
        let (headers, key, before) = keys().map_err(|error| {
            not_sent(&error);
            "O segredo ou os cabeçalhos guardados deste webhook não puderam ser lidos; cadastre-o de novo."
        })?;
        let client = self.client(self.guard.reach(&url)).await.map_err(|error| {
            not_sent(&error);
            "O hub não pôde abrir conexões de saída."
        })?;
        Ok(Target {
            client,
            url,
            headers,
            key,
            before,
            before_until_ms: webhook.anterior_ate_ms,
        })
    }

    /// Sends a delivery once. `now_ms` is the moment that is signed.
    pub async fn send(
        &self,
        target: &Result<Target<'_>, String>,
        delivery: &DeliveryRow,
        message: &Made,
        now_ms: i64,
    ) -> Outcome {
        let began = Instant::now();
        let answered = match (target, message) {
            (Ok(target), Ok(message)) => self.post(target, delivery, message, now_ms).await,
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        let (status, error, answer, retry_after_s) = match answered {
            Ok((status, answer, retry)) => (i64::from(status), String::new(), answer, retry),
            Err(error) => (0, error, String::new(), None),
        };
        Outcome {
            attempt: AttemptRow {
                delivery_id: delivery.id.clone(),
                number: delivery.attempts + 1,
                at_ms: now_ms,
                duration_ms: i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX),
                status,
                error,
                answer,
            },
            retry_after_s,
        }
    }

    /// How long an attempt may take.
    fn timeout(&self) -> Duration {
        Duration::from_millis(self.config.timeout_ms)
    }

    async fn post(
        &self,
        target: &Target<'_>,
        delivery: &DeliveryRow,
        message: &Message,
        now_ms: i64,
    ) -> Result<(u16, String, Option<i64>), String> {
        let mut response = execute(target, delivery, message, now_ms, self.timeout()).await?;
        let retry = response.headers().get(RETRY_AFTER);
        let retry = retry
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        let status = response.status().as_u16();
        let mut answer = Vec::new();
        // A body that does not end is no failure of what was delivered.
        while let Ok(Some(chunk)) = response.chunk().await {
            answer.extend_from_slice(&chunk);
            if answer.len() >= self.config.answer_bytes {
                answer.truncate(self.config.answer_bytes);
                break;
            }
        }
        let mut answer = String::from_utf8(answer)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        // PostgreSQL stores no NUL.
        if answer.contains('\0') {
            answer = answer.replace('\0', "\u{fffd}");
        }
        Ok((status, answer, retry))
    }
}

/// Sends a request and waits for the head of its answer. Sent again at once is only what an
/// HTTP/2 server says it did not look at, as servers do that end a connection for its age: the
/// receiver sees each attempt at most once.
async fn execute(
    target: &Target<'_>,
    delivery: &DeliveryRow,
    message: &Message,
    now_ms: i64,
    timeout: Duration,
) -> Result<Response, String> {
    let began = Instant::now();
    let mut repeats = 0;
    loop {
        let mut request = request(target, delivery, message, now_ms).map_err(|error| {
            let error = format!("{error:#}");
            tracing::error!(evento.id = %message.id, error, "an event is not sent");
            "O conteúdo do evento não pôde ser lido pelo hub."
        })?;
        if repeats > 0 {
            // The first and its repetitions have one time together.
            *request.timeout_mut() = Some(timeout.saturating_sub(began.elapsed()));
        }
        match target.client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) if repeats < REPEATS && unseen(&error) => repeats += 1,
            Err(error) => return Err(sentence(&error)),
        }
    }
}

/// The headers that the customer chose, and those that each attempt has.
fn headers(sealed: &Sealed) -> anyhow::Result<HeaderMap> {
    let own = sealed.cabecalhos.iter();
    let own = own.map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).context("name of a header")?;
        let value = HeaderValue::from_str(value).context("value of a header")?;
        Ok((name, value))
    });
    let mut headers: HeaderMap = own.collect::<anyhow::Result<_>>()?;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for name in &OURS {
        headers.insert(name, HeaderValue::from_static(""));
    }
    // Room for what the client adds to each copy: agent, host, length.
    headers.reserve(4);
    Ok(headers)
}

/// An attempt, signed.
///
/// # Errors
/// The signatures stand in no header.
fn request(
    target: &Target<'_>,
    delivery: &DeliveryRow,
    message: &Message,
    now_ms: i64,
) -> anyhow::Result<Request> {
    let (id, body) = (&message.id, message.body.as_ref());
    let before = target.before.as_ref();
    let before = before.filter(|_| target.before_until_ms > now_ms);
    // Newest first.
    let keys = [&target.key, before.unwrap_or(&target.key)];
    let keys = &keys[..1 + usize::from(before.is_some())];
    let seconds = now_ms.div_euclid(1_000).to_string();
    // One text, of which each value is a part that is not copied.
    let mut text = String::with_capacity(OURS_BYTES);
    text.push_str(&seconds);
    let attempt_at = text.len();
    text.push_str(&(delivery.attempts + 1).to_string());
    let hub_at = text.len();
    signature::hub(&mut text, keys, id, &seconds, body);
    let standard_at = text.len();
    signature::standard(&mut text, keys, id, &seconds, body);
    let end = text.len();
    let text = Bytes::from(text);
    let part = |range| HeaderValue::from_maybe_shared(text.slice(range));
    let seconds = part(0..attempt_at)?;
    let values = [
        message.id_header.clone(),
        part(attempt_at..hub_at)?,
        message.kind.clone(),
        seconds.clone(),
        part(hub_at..standard_at)?,
        message.id_header.clone(),
        seconds,
        part(standard_at..end)?,
    ];
    let mut headers = target.headers.clone();
    for (name, value) in OURS.iter().zip(values) {
        headers.insert(name, value);
    }
    let mut request = Request::new(Method::POST, target.url.clone());
    *request.headers_mut() = headers;
    *request.body_mut() = Some(message.body.clone().into());
    Ok(request)
}

/// Whether an HTTP/2 server said that it did not look at a request: it refused the stream
/// (RFC 9113 §8.7), or had ended the connection before (§6.8). Its errors have no type here that
/// says so.
fn unseen(error: &reqwest::Error) -> bool {
    let causes = causes(error);
    causes.contains("stream error received: refused stream before")
        || causes.contains("connection error received: not a result of an error")
}

/// An error and what caused it, a line each.
fn causes(error: &reqwest::Error) -> String {
    let mut causes = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        causes.push_str(&error.to_string());
        causes.push('\n');
        cause = error.source();
    }
    causes
}

/// Why there was no answer, for the customer; the address and what the
/// network said stay out of it.
fn sentence(error: &reqwest::Error) -> String {
    let causes = causes(error);
    let private = guard::Refused::Private.sentence();
    let text = if causes.contains(private) {
        private
    } else if error.is_timeout() && error.is_connect() {
        "O servidor não aceitou a conexão a tempo."
    } else if error.is_timeout() {
        "O servidor não respondeu a tempo."
    } else if causes.contains("certificate") {
        "O certificado TLS do servidor não pôde ser verificado."
    } else if causes.contains("lookup") || causes.contains("dns error") {
        "O nome do servidor não foi encontrado no DNS."
    } else if error.is_connect() {
        "A conexão com o servidor falhou."
    } else {
        "A conexão terminou antes da resposta."
    };
    text.to_owned()
}
