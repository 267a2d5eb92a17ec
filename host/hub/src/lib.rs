//! The hub: one service, library and binary.

pub mod adapter;
pub mod admin;
pub mod app;
pub mod backup;
pub mod boot;
pub mod cli;
pub mod custody;
pub mod demo;
pub mod editions;
pub mod registry;
pub mod releases;
pub mod reload;
