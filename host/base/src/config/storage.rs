//! `[storage]`: where files are kept.

use super::{ConfigError, Hidden, refused};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    pub data_dir: PathBuf,
    pub account_bytes: i64,
    /// Bytes, or a share of the disk as `10%`.
    pub free_space_warning: String,
    pub free_space_floor: u64,
    pub s3_bucket: String,
    pub s3_endpoint: String,
    pub s3_region: String,
    pub s3_key: String,
    pub s3_secret: Hidden,
    pub s3_secret_file: PathBuf,
}

/// How much room there should be on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    Bytes(u64),
    /// Hundredths of the disk.
    Share(u64),
}

impl Least {
    /// As the settings write it; None: it is neither bytes nor a share.
    pub fn of(text: &str) -> Option<Least> {
        let text = text.trim();
        match text.strip_suffix('%') {
            Some(share) => {
                let share = share.trim().parse().ok();
                share.filter(|share| *share <= 100).map(Least::Share)
            }
            None => text.parse().ok().map(Least::Bytes),
        }
    }

    /// Bytes, on a disk of this size.
    pub fn bytes(self, total: u64) -> u64 {
        match self {
            Least::Bytes(bytes) => bytes,
            Least::Share(share) => total / 100 * share,
        }
    }
}

impl Storage {
    /// The room below which somebody is warned; the settings were checked when they were
    /// read.
    pub fn warning(&self) -> Least {
        Least::of(&self.free_space_warning).unwrap_or(Least::Bytes(0))
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let Storage {
            account_bytes,
            free_space_warning,
            s3_bucket,
            s3_endpoint,
            s3_region,
            s3_key,
            s3_secret,
            ..
        } = self;
        if *account_bytes < 0 {
            return refused("storage.account_bytes", account_bytes, "0 and more");
        }
        if Least::of(free_space_warning).is_none() {
            return refused(
                "storage.free_space_warning",
                free_space_warning,
                "bytes, as 2147483648, and a share of the disk, as 10%",
            );
        }
        if s3_bucket.is_empty() {
            return Ok(());
        }
        if !(s3_endpoint.is_empty()
            || s3_endpoint.starts_with("http://")
            || s3_endpoint.starts_with("https://"))
        {
            return refused(
                "storage.s3_endpoint",
                s3_endpoint,
                "an address with http:// or https://",
            );
        }
        if s3_region.is_empty() {
            return refused("storage.s3_region", s3_region, "the region of the bucket");
        }
        if s3_key.is_empty() {
            return refused(
                "storage.s3_key",
                s3_key,
                "the access key of storage.s3_bucket",
            );
        }
        if s3_secret.expose().is_empty() {
            // The value is a secret: it is not shown.
            return refused(
                "storage.s3_secret, storage.s3_secret_file",
                "…",
                "one of the two, with storage.s3_bucket",
            );
        }
        Ok(())
    }
}
