//! `[storage]`: where files are kept.

use super::{ConfigError, Hidden, refused};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    pub data_dir: PathBuf,
    pub account_bytes: i64,
    pub s3_bucket: String,
    pub s3_endpoint: String,
    pub s3_region: String,
    pub s3_key: String,
    pub s3_secret: Hidden,
    pub s3_secret_file: PathBuf,
}

impl Storage {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let Storage {
            account_bytes,
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
