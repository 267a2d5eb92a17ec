//! The store of customers' files: a small file is written, read and removed.

use super::finding::Finding;
use base::config::Config;
use base::ids;
use base::when;
use objects::storage::Store;

const CHECK: &str = "objects";
/// Beginning of the file's name: no hub has files there.
const SPACE: &str = "hub-doctor";

pub async fn check(config: &Config) -> Vec<Finding> {
    let storage = &config.storage;
    let place = if storage.s3_bucket.is_empty() {
        "the data folder".to_owned()
    } else {
        format!("the bucket {}", storage.s3_bucket)
    };
    let tried = async {
        let store = Store::of(config, SPACE.to_owned())?;
        // No two doctors have one file.
        let name = ids::new("doc", when::system_clock()());
        store.tried(&name).await
    };
    vec![match tried.await {
        Ok(()) => Finding::ok(
            CHECK,
            format!("{place} takes, gives back and removes a file"),
        ),
        Err(error) => Finding::error(
            CHECK,
            format!("{place} cannot be used: {error:#}"),
            "check [storage] s3_bucket, s3_endpoint, s3_region, s3_key and s3_secret, or who owns the folder objetos of the data folder",
        ),
    }]
}
