//! Tests of the crate `datasets`.

mod bases;
mod check;
mod limits;
mod official;
mod similar;
mod workbook;
