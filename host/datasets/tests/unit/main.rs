//! Tests of the crate `datasets`.

mod check;
mod similar;
