//! Servers that speak S3: a double in this process that takes nothing it
//! cannot verify, and real ones where the machine has them.

use flow::hex;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sha::sha256;
use openssl::sign::Signer;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Smallest part of a large object but the last (S3's own limit).
const PART: usize = 5 << 20;

/// Where a bucket is, and with which key.
#[derive(Clone, Debug)]
pub struct Bucket {
    pub endpoint: String,
    pub bucket: String,
    pub region: String,
    pub key: String,
    pub secret: String,
}

impl Bucket {
    /// Makes a hub keep its objects there.
    pub fn set(&self, storage: &mut base::config::Storage) {
        storage.s3_endpoint.clone_from(&self.endpoint);
        storage.s3_bucket.clone_from(&self.bucket);
        storage.s3_region.clone_from(&self.region);
        storage.s3_key.clone_from(&self.key);
        storage.s3_secret = self.secret.as_str().into();
    }
}

/// A bucket in the memory of this process. It refuses a request whose
/// signature (SigV4) or content hash is not right, and parts that are too
/// small.
#[derive(Clone, Default)]
pub struct Double {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    uploads: Mutex<BTreeMap<String, BTreeMap<u32, Vec<u8>>>>,
    next: AtomicU64,
    /// Answers 503 to everything.
    down: AtomicBool,
    /// What was refused, and why.
    refused: Mutex<Vec<String>>,
}

struct Asked {
    method: String,
    /// As it came, without the query.
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

type Reply = (u16, Vec<(&'static str, String)>, Vec<u8>);

impl Double {
    /// Starts one.
    ///
    /// # Panics
    /// No port is free.
    pub async fn start() -> (Double, Bucket) {
        let double = Double::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let address = listener.local_addr().expect("address");
        let bucket = Bucket {
            endpoint: format!("http://{address}"),
            bucket: "objetos".to_owned(),
            region: "sa-east-1".to_owned(),
            key: "CHAVEDETESTE".to_owned(),
            secret: "segredo/de+teste".to_owned(),
        };
        let (served, of) = (double.clone(), bucket.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (double, bucket) = (served.clone(), of.clone());
                tokio::spawn(async move {
                    // A client that goes away ends its connection, no more.
                    double.connection(stream, &bucket).await.unwrap_or_default();
                });
            }
        });
        (double, bucket)
    }

    /// From now on it answers 503, or works again.
    pub fn down(&self, down: bool) {
        self.inner.down.store(down, Ordering::Relaxed);
    }

    /// Keys and sizes.
    pub fn objects(&self) -> Vec<(String, usize)> {
        let objects = lock(&self.inner.objects);
        objects
            .iter()
            .map(|(key, body)| (key.clone(), body.len()))
            .collect()
    }

    /// Puts something there behind the hub's back.
    pub fn leave(&self, key: &str) {
        lock(&self.inner.objects).insert(key.to_owned(), b"x".to_vec());
    }

    /// Uploads in parts that are neither complete nor given up.
    pub fn open_uploads(&self) -> usize {
        lock(&self.inner.uploads).len()
    }

    /// What was refused.
    pub fn refused(&self) -> Vec<String> {
        lock(&self.inner.refused).clone()
    }

    async fn connection(&self, stream: TcpStream, bucket: &Bucket) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        while let Some(asked) = read(&mut stream).await? {
            let (status, headers, body) = if self.inner.down.load(Ordering::Relaxed) {
                (503, Vec::new(), Vec::new())
            } else {
                match verify(&asked, bucket) {
                    Ok(()) => self.answer(&asked, &bucket.bucket),
                    Err(why) => {
                        lock(&self.inner.refused)
                            .push(format!("{} {}: {why}", asked.method, asked.path));
                        (403, Vec::new(), error("SignatureDoesNotMatch"))
                    }
                }
            };
            let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                let _infallible = write!(head, "{name}: {value}\r\n");
            }
            head.push_str("\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
            stream.flush().await?;
        }
        Ok(())
    }

    fn answer(&self, asked: &Asked, bucket: &str) -> Reply {
        let key = asked
            .path
            .strip_prefix(&format!("/{bucket}"))
            .unwrap_or_default();
        let key = unescape(key.trim_start_matches('/'));
        let query: BTreeMap<String, String> = asked
            .query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (unescape(name), unescape(value)))
            .collect();
        let etag = |body: &[u8]| ("etag", format!("\"{}\"", &hex(&sha256(body))[..32]));
        let mut objects = lock(&self.inner.objects);
        let mut uploads = lock(&self.inner.uploads);
        let upload = query.get("uploadId").cloned().unwrap_or_default();
        match (asked.method.as_str(), key.as_str()) {
            ("GET", "") => {
                let prefix = query.get("prefix").cloned().unwrap_or_default();
                let mut list = String::from("<ListBucketResult><IsTruncated>false</IsTruncated>");
                for (key, body) in objects.iter().filter(|(key, _)| key.starts_with(&prefix)) {
                    let size = body.len();
                    let _infallible = write!(
                        list,
                        "<Contents><Key>{key}</Key><LastModified>2026-11-20T12:00:00.000Z</LastModified><ETag>\"x\"</ETag><Size>{size}</Size></Contents>"
                    );
                }
                list.push_str("</ListBucketResult>");
                (200, Vec::new(), list.into_bytes())
            }
            ("GET", key) => match objects.get(key) {
                Some(body) => (
                    200,
                    vec![
                        etag(body),
                        ("last-modified", "Fri, 20 Nov 2026 12:00:00 GMT".to_owned()),
                    ],
                    body.clone(),
                ),
                None => (404, Vec::new(), error("NoSuchKey")),
            },
            ("PUT", _) if !upload.is_empty() => {
                let number = query
                    .get("partNumber")
                    .and_then(|number| number.parse().ok());
                match (uploads.get_mut(&upload), number) {
                    (Some(parts), Some(number)) => {
                        parts.insert(number, asked.body.clone());
                        (200, vec![etag(&asked.body)], Vec::new())
                    }
                    _ => (404, Vec::new(), error("NoSuchUpload")),
                }
            }
            ("PUT", key) => {
                objects.insert(key.to_owned(), asked.body.clone());
                (200, vec![etag(&asked.body)], Vec::new())
            }
            ("POST", _) if query.contains_key("uploads") => {
                let id = format!("up-{}", self.inner.next.fetch_add(1, Ordering::Relaxed));
                uploads.insert(id.clone(), BTreeMap::new());
                let body = format!(
                    "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                );
                (200, Vec::new(), body.into_bytes())
            }
            ("POST", key) => {
                let Some(parts) = uploads.get(&upload) else {
                    return (404, Vec::new(), error("NoSuchUpload"));
                };
                let small = parts.values().rev().skip(1).any(|part| part.len() < PART);
                let listed = String::from_utf8_lossy(&asked.body)
                    .matches("<PartNumber>")
                    .count();
                if small || listed != parts.len() {
                    return (400, Vec::new(), error("EntityTooSmall"));
                }
                objects.insert(key.to_owned(), parts.values().flatten().copied().collect());
                uploads.remove(&upload);
                let body = "<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>";
                (200, Vec::new(), body.as_bytes().to_vec())
            }
            ("DELETE", _) if !upload.is_empty() => {
                uploads.remove(&upload);
                (204, Vec::new(), Vec::new())
            }
            ("DELETE", key) => {
                objects.remove(key);
                (204, Vec::new(), Vec::new())
            }
            _ => (405, Vec::new(), error("MethodNotAllowed")),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn error(code: &str) -> Vec<u8> {
    format!("<Error><Code>{code}</Code><Message>{code}</Message></Error>").into_bytes()
}

async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Asked>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return Ok(None),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    Ok(Some(Asked {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body,
    }))
}

/// Signature Version 4 of S3, made again.
fn verify(asked: &Asked, bucket: &Bucket) -> Result<(), &'static str> {
    let header = |name: &str| asked.headers.get(name).map_or("", String::as_str);
    let hash = hex(&sha256(&asked.body));
    if header("x-amz-content-sha256") != hash {
        return Err("the content is not what was signed");
    }
    let authorization = header("authorization")
        .strip_prefix("AWS4-HMAC-SHA256 ")
        .ok_or("no signature")?;
    let part = |name: &str| {
        let found = authorization
            .split(',')
            .map(str::trim)
            .find_map(|part| part.strip_prefix(name));
        found.ok_or("an incomplete signature")
    };
    let (credential, signed, signature) = (
        part("Credential=")?,
        part("SignedHeaders=")?,
        part("Signature=")?,
    );
    for needed in ["host", "x-amz-content-sha256", "x-amz-date"] {
        if !signed.split(';').any(|name| name == needed) {
            return Err("a header that must be signed is not");
        }
    }
    let date = header("x-amz-date");
    let day = date.get(..8).ok_or("no date")?;
    let scope = format!("{day}/{}/s3/aws4_request", bucket.region);
    if credential != format!("{}/{scope}", bucket.key) {
        return Err("another credential");
    }
    let mut pairs: Vec<&str> = asked
        .query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .collect();
    pairs.sort_unstable();
    let query: Vec<String> = pairs
        .iter()
        .map(|pair| {
            if pair.contains('=') {
                (*pair).to_owned()
            } else {
                format!("{pair}=")
            }
        })
        .collect();
    let lines: String = signed
        .split(';')
        .map(|name| format!("{name}:{}\n", header(name)))
        .collect();
    let request = format!(
        "{}\n{}\n{}\n{lines}\n{signed}\n{hash}",
        asked.method,
        asked.path,
        query.join("&")
    );
    let text = format!(
        "AWS4-HMAC-SHA256\n{date}\n{scope}\n{}",
        hex(&sha256(request.as_bytes()))
    );
    let mut key = format!("AWS4{}", bucket.secret).into_bytes();
    for step in [day, &bucket.region, "s3", "aws4_request"] {
        key = mac(&key, step.as_bytes());
    }
    if hex(&mac(&key, text.as_bytes())) == signature {
        Ok(())
    } else {
        Err("another signature")
    }
}

fn mac(key: &[u8], data: &[u8]) -> Vec<u8> {
    let key = PKey::hmac(key).expect("key");
    let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("HMAC");
    signer.sign_oneshot_to_vec(data).expect("HMAC")
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let pair = if byte == b'%' {
            rest.next().zip(rest.next())
        } else {
            None
        };
        let decoded = pair.and_then(|(high, low)| {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        });
        bytes.push(decoded.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A bucket of a server that is not ours: `HUB_TEST_S3_URL`
/// (`http://key:secret@host:port/bucket?region=us-east-1`, the bucket is
/// there), or a `moto_server` of this machine; None, with a line saying so,
/// where there is neither.
pub async fn real() -> Option<Bucket> {
    tokio::task::spawn_blocking(|| {
        static SERVER: OnceLock<Option<Bucket>> = OnceLock::new();
        SERVER.get_or_init(find).clone()
    })
    .await
    .expect("server")
}

fn find() -> Option<Bucket> {
    let found = match std::env::var("HUB_TEST_S3_URL") {
        Ok(url) => {
            Some(parse(&url).expect("HUB_TEST_S3_URL is http://key:secret@host:port/bucket"))
        }
        Err(_) => moto(),
    };
    if found.is_none() {
        judges::skipped(
            "no HUB_TEST_S3_URL and no moto_server on this machine; the double in this process verifies signatures and hashes",
        );
    }
    found
}

fn parse(url: &str) -> Option<Bucket> {
    let (scheme, rest) = url.split_once("://")?;
    let (credentials, rest) = rest.rsplit_once('@')?;
    let (key, secret) = credentials.split_once(':')?;
    let (rest, region) = rest.split_once("?region=").unwrap_or((rest, "us-east-1"));
    let (host, bucket) = rest.split_once('/')?;
    Some(Bucket {
        endpoint: format!("{scheme}://{host}"),
        bucket: bucket.to_owned(),
        region: region.to_owned(),
        key: unescape(key),
        secret: unescape(secret),
    })
}

/// Starts a moto server of this test process; a watching shell stops it when
/// this process is gone.
fn moto() -> Option<Bucket> {
    let there = Command::new("moto_server")
        .arg("--help")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        return None;
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .ok()?
        .local_addr()
        .ok()?
        .port();
    let pid = std::process::id();
    let script = format!(
        "moto_server -H 127.0.0.1 -p {port} >/dev/null 2>&1 & while test -d /proc/{pid}; do sleep 1; done; kill $!"
    );
    let started = Command::new("setsid")
        .args(["sh", "-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.ok()?;
    let bucket = Bucket {
        endpoint: format!("http://127.0.0.1:{port}"),
        bucket: "objetos".to_owned(),
        region: "us-east-1".to_owned(),
        key: "CHAVE".to_owned(),
        secret: "segredo".to_owned(),
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    // The bucket is made as soon as somebody answers.
    while std::time::Instant::now() < deadline {
        if make(port, &bucket.bucket).is_some() {
            return Some(bucket);
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    judges::skipped("moto_server did not start");
    None
}

fn make(port: u16, bucket: &str) -> Option<()> {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    let head = format!(
        "PUT /{bucket} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: AWS4-HMAC-SHA256 Credential=CHAVE/20261120/us-east-1/s3/aws4_request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer
        .split(' ')
        .nth(1)
        .filter(|status| *status == "200")
        .map(|_| ())
}
