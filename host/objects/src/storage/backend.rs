//! Where the content of objects is: a folder, or a bucket of a server that
//! speaks S3.

use anyhow::Context as _;
use base::config;
use base::files;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use hyper::body::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientOptions, Error, GetResultPayload, MultipartUpload, ObjectStore, ObjectStoreExt as _,
    PutPayload, RetryConfig,
};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::error::Error as _;
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::ids::AccountId;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What the library below says when it fails.
pub type StoreError = object_store::Error;

/// An error of the store with all its causes, for the log: its own text leaves
/// out why a connection failed.
pub(super) fn reason(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Bytes of a part of a large object; S3 takes none below 5 MiB.
const PART: usize = 8 << 20;
/// Bytes of a file read at a time.
const CHUNK: usize = 256 << 10;

/// The store of objects.
#[derive(Debug)]
pub struct Store {
    inner: Arc<dyn ObjectStore>,
    /// Where it is a folder.
    folder: Option<PathBuf>,
    /// What names of files begin with: hubs that share a bucket do not take
    /// the files of the other for left behind.
    space: String,
    /// Objects each account may send at the same time.
    at_once: usize,
    /// What is left of that, for accounts that send.
    turns: Mutex<HashMap<AccountId, Arc<Semaphore>>>,
}

/// The content of an object, as it is read.
pub struct Content {
    pub bytes: u64,
    pub pieces: BoxStream<'static, Result<Bytes, StoreError>>,
}

impl Store {
    /// What the settings name; asks nobody yet. `space`: the same for all
    /// nodes of a hub, and for no other hub.
    ///
    /// # Errors
    /// The folder cannot be made, the secret cannot be read, or the settings
    /// are none of a bucket.
    pub fn of(config: &config::Config, space: String) -> anyhow::Result<Store> {
        Store::within(config, space, "objetos")
    }

    /// The same, for packed records that moved out of the database: where there is no
    /// bucket, in a folder of their own, which a backup copies whole.
    ///
    /// # Errors
    /// As [`Store::of`].
    pub fn of_records(config: &config::Config, space: String) -> anyhow::Result<Store> {
        Store::within(config, format!("{space}-records"), "records")
    }

    fn within(config: &config::Config, space: String, folder: &str) -> anyhow::Result<Store> {
        let storage = &config.storage;
        let made = |inner, folder| Store {
            inner,
            folder,
            space,
            at_once: config.limits.objects_at_once,
            turns: Mutex::default(),
        };
        if !storage.s3_bucket.is_empty() {
            return Ok(made(Arc::new(s3(storage)?), None));
        }
        let folder = storage.data_dir.join(folder);
        files::folder(&folder).with_context(|| format!("folder {}", folder.display()))?;
        let local = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        Ok(made(Arc::new(local), Some(folder)))
    }

    /// Writes a small file, reads it and removes it: whether the store can be used.
    ///
    /// # Errors
    /// What did not work, with all its causes.
    pub async fn tried(&self, name: &str) -> anyhow::Result<()> {
        let told = |what: &'static str| {
            move |error: StoreError| anyhow::anyhow!("{what}: {}", reason(&error))
        };
        let arquivo = Path::from(format!("{}/{name}", self.space));
        let content = name.as_bytes().to_vec();
        let written = self.inner.put(&arquivo, content.clone().into()).await;
        written.map_err(told("write"))?;
        let read = async {
            let found = self.inner.get(&arquivo).await?;
            found.bytes().await
        };
        let read = read.await.map_err(told("read"));
        // Also where it cannot be read.
        let removed = self.inner.delete(&arquivo).await;
        let read = read?;
        removed.map_err(told("remove"))?;
        anyhow::ensure!(read == content, "another file came back than was written");
        Ok(())
    }

    /// Writes a packed record under a name, and reads it back.
    ///
    /// # Errors
    /// The store does not answer, or what came back is something else.
    pub(crate) async fn put(
        &self,
        account: &AccountId,
        name: &str,
        bytes: &[u8],
    ) -> anyhow::Result<String> {
        let arquivo = format!("{}/{account}/{name}", self.space);
        let told = |error: StoreError| anyhow::anyhow!("{arquivo}: {}", reason(&error));
        let path = Path::from(arquivo.as_str());
        let written = self.inner.put(&path, bytes.to_vec().into()).await;
        written.map_err(told)?;
        let read = self.inner.get(&path).await.map_err(told)?;
        let read = read.bytes().await.map_err(told)?;
        anyhow::ensure!(
            read == bytes,
            "{arquivo}: another file came back than was written"
        );
        Ok(arquivo)
    }

    /// It is a folder, not a bucket.
    pub(crate) fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Waits until the account may send one object more.
    pub(super) async fn turn(&self, account: &AccountId) -> Option<OwnedSemaphorePermit> {
        let turns = {
            let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, turns| Arc::strong_count(turns) > 1);
            let turns = all.entry(account.to_owned());
            turns
                .or_insert_with(|| Arc::new(Semaphore::new(self.at_once)))
                .clone()
        };
        turns.acquire_owned().await.ok()
    }

    /// Where the content of an account's object goes.
    pub(super) fn name(&self, account: &AccountId, version: &str) -> String {
        format!("{}/{account}/{version}", self.space)
    }

    /// Begins a file.
    pub(super) fn begin(&self, arquivo: &str) -> Upload {
        Upload {
            store: self.inner.clone(),
            arquivo: Path::from(arquivo),
            waiting: Vec::new(),
            bytes: 0,
            parts: None,
        }
    }

    /// Opens a file; None when there is none.
    pub(super) async fn open(&self, arquivo: &str) -> Result<Option<Content>, StoreError> {
        let found = match self.inner.get(&Path::from(arquivo)).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let bytes = found.range.end - found.range.start;
        let pieces = match found.payload {
            GetResultPayload::Stream(pieces) => pieces,
            GetResultPayload::File(file, _) => read(tokio::fs::File::from_std(file)),
        };
        Ok(Some(Content { bytes, pieces }))
    }

    /// Removes a file that is the content of no object, or of no record, any more. While a
    /// backup is being made the file stays, because the backup's snapshot may still name it
    /// (`backup::make`); the sweep removes one of an object later.
    pub(crate) async fn remove(&self, arquivo: &str) {
        if let Some(data_dir) = self.folder.as_deref().and_then(std::path::Path::parent) {
            match files::held(&data_dir.join(files::BACKUP)) {
                Ok(false) => {}
                Ok(true) => return,
                Err(error) => {
                    tracing::warn!(%error, arquivo, "file of an object stays for now");
                    return;
                }
            }
        }
        match self.inner.delete(&Path::from(arquivo)).await {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => {
                tracing::warn!(error = %reason(&error), arquivo, "file of an object stays for now");
            }
        }
    }

    /// All files.
    pub(super) fn list(&self) -> BoxStream<'static, Result<String, StoreError>> {
        let files = self.inner.list(Some(&Path::from(self.space.as_str())));
        files.map_ok(|meta| meta.location.to_string()).boxed()
    }

    /// Removes files of a folder that were begun and never finished, where
    /// `old` says so of their names; a bucket does that by its own rule.
    pub(super) async fn remove_begun(&self, old: impl Fn(&str) -> bool) -> anyhow::Result<u64> {
        let Some(folder) = &self.folder else {
            return Ok(0);
        };
        let mut removed = 0;
        let folder = folder.join(&self.space);
        if !folder.exists() {
            return Ok(0);
        }
        let mut accounts = tokio::fs::read_dir(folder).await?;
        while let Some(account) = accounts.next_entry().await? {
            if !account.file_type().await?.is_dir() {
                continue;
            }
            let mut names = tokio::fs::read_dir(account.path()).await?;
            while let Some(entry) = names.next_entry().await? {
                let name = entry.file_name();
                // As the library names what is not finished.
                let begun = name.to_str().and_then(|name| name.split_once('#'));
                if begun.is_some_and(|(name, _)| old(name)) {
                    tokio::fs::remove_file(entry.path()).await?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}

/// A file that is being written: in one piece when it is small, in parts as
/// they come when it is not.
pub(super) struct Upload {
    store: Arc<dyn ObjectStore>,
    arquivo: Path,
    waiting: Vec<Bytes>,
    bytes: usize,
    parts: Option<Box<dyn MultipartUpload>>,
}

impl Upload {
    /// Takes one piece more.
    pub async fn write(&mut self, mut piece: Bytes) -> Result<(), StoreError> {
        while self.bytes + piece.len() > PART {
            let rest = piece.split_off(PART - self.bytes);
            self.waiting.push(piece);
            piece = rest;
            self.bytes = 0;
            let part = PutPayload::from_iter(take(&mut self.waiting));
            let parts = match &mut self.parts {
                Some(parts) => parts,
                none => none.insert(self.store.put_multipart(&self.arquivo).await?),
            };
            parts.put_part(part).await?;
        }
        self.bytes += piece.len();
        self.waiting.push(piece);
        Ok(())
    }

    /// Makes the file durable under its name.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        let last = PutPayload::from_iter(take(&mut self.waiting));
        let Some(parts) = &mut self.parts else {
            self.store.put(&self.arquivo, last).await?;
            return Ok(());
        };
        let finished = match parts.put_part(last).await {
            Ok(()) => parts.complete().await.map(drop),
            Err(error) => Err(error),
        };
        if finished.is_err() {
            self.abort().await;
        }
        finished
    }

    /// Gives the file up.
    pub async fn abort(mut self) {
        if let Some(parts) = &mut self.parts
            && let Err(error) = parts.abort().await
        {
            tracing::warn!(error = %reason(&error), "parts of an object stay for now");
        }
    }
}

fn read(file: tokio::fs::File) -> BoxStream<'static, Result<Bytes, StoreError>> {
    let pieces = stream::try_unfold(file, |mut file| async move {
        let mut chunk = Vec::with_capacity(CHUNK);
        let taken = (&mut file).take(CHUNK as u64).read_to_end(&mut chunk).await;
        taken.map_err(|error| Error::Generic {
            store: "folder",
            source: error.into(),
        })?;
        Ok((!chunk.is_empty()).then(|| (Bytes::from(chunk), file)))
    });
    pieces.boxed()
}

fn s3(storage: &config::Storage) -> anyhow::Result<impl ObjectStore> {
    let options = ClientOptions::new()
        .with_allow_http(storage.s3_endpoint.starts_with("http://"))
        .with_connect_timeout(Duration::from_secs(5))
        // An answer goes on for as long as its reader takes; each piece of it
        // must come in time.
        .with_timeout_disabled()
        .with_read_timeout(Duration::from_secs(60));
    let retry = RetryConfig {
        max_retries: 3,
        retry_timeout: Duration::from_secs(30),
        ..RetryConfig::default()
    };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&storage.s3_bucket)
        .with_region(&storage.s3_region)
        .with_access_key_id(&storage.s3_key)
        .with_secret_access_key(storage.s3_secret.expose())
        .with_crypto_provider(Arc::new(Crypto))
        // One at a time is what is deleted, and not every server takes lists.
        .with_disable_bulk_delete(true)
        .with_client_options(options)
        .with_retry(retry);
    if !storage.s3_endpoint.is_empty() {
        builder = builder.with_endpoint(storage.s3_endpoint.trim_end_matches('/'));
    }
    Ok(builder.build()?)
}

/// The digests of the house, so that no second library of them is linked.
#[derive(Debug)]
struct Crypto;

struct Sum<D>(D, Vec<u8>);

impl CryptoProvider for Crypto {
    fn digest(&self, _: DigestAlgorithm) -> object_store::Result<Box<dyn DigestContext>> {
        Ok(Box::new(Sum(Sha256::new(), Vec::new())))
    }

    fn hmac(
        &self,
        _: DigestAlgorithm,
        secret: &[u8],
    ) -> object_store::Result<Box<dyn HmacContext>> {
        let mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|error| Error::Generic {
            store: "S3",
            source: error.to_string().into(),
        })?;
        Ok(Box::new(Sum(mac, Vec::new())))
    }

    fn sign(&self, _: SigningAlgorithm, _: &[u8]) -> object_store::Result<Box<dyn Signer>> {
        Err(Error::NotSupported {
            source: "S3 signs with HMAC".into(),
        })
    }
}

impl DigestContext for Sum<Sha256> {
    fn update(&mut self, data: &[u8]) {
        sha2::Digest::update(&mut self.0, data);
    }

    fn finish(&mut self) -> object_store::Result<&[u8]> {
        self.1 = take(&mut self.0).finalize().to_vec();
        Ok(&self.1)
    }
}

impl HmacContext for Sum<Hmac<Sha256>> {
    fn update(&mut self, data: &[u8]) {
        hmac::Mac::update(&mut self.0, data);
    }

    fn finish(&mut self) -> object_store::Result<&[u8]> {
        self.1 = self.0.clone().finalize().into_bytes().to_vec();
        Ok(&self.1)
    }
}

impl store::Far for Store {
    fn fetch<'a>(&'a self, place: &'a str) -> BoxFuture<'a, std::io::Result<Vec<u8>>> {
        let told = move |error: StoreError| {
            std::io::Error::other(format!("packed record {place}: {}", reason(&error)))
        };
        Box::pin(async move {
            let found = self.inner.get(&Path::from(place)).await.map_err(told)?;
            if found.range.end - found.range.start > packing::MAX_RECORD as u64 {
                return Err(std::io::Error::other(format!(
                    "packed record {place}: too large"
                )));
            }
            Ok(found.bytes().await.map_err(told)?.to_vec())
        })
    }
}
