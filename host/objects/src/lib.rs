//! Files of customers: the objects they keep, exports of their documents, spreadsheets
//! and archives.

pub mod archive;
pub mod exports;
pub mod sheet;
pub mod storage;
pub mod workbook;
pub mod zip;
