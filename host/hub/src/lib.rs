//! The hub: one service, library and binary.

pub mod accounts;
pub mod adapter;
pub mod api;
pub mod app;
pub mod boot;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod db;
pub mod demo;
pub mod errors;
pub mod exports;
pub mod faultpoint;
pub mod files;
pub mod ids;
pub mod issuing;
pub mod ledger;
pub mod link;
pub mod operations;
pub mod pessoas;
pub mod reload;
pub mod roots;
pub mod simulator;
pub mod storage;
pub mod vault;
pub mod when;
