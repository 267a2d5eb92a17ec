//! Tests of the crate `datasets`.

mod bases;
mod check;
mod official;
mod similar;
mod workbook;
