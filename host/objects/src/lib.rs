//! Files of customers: the objects they keep, and exports of their documents.

pub mod exports;
pub mod storage;
