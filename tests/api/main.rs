//! The API, asked over HTTP and answered by the whole house.

mod nfse;
