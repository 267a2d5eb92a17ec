//! Reading requests: bodies, lists, uploads, keys of idempotency.

pub mod batch;
pub mod body;
pub mod etag;
pub mod idempotency;
pub mod list;
pub mod other_document;
pub mod sentences;
pub mod strict;
pub mod upload;
