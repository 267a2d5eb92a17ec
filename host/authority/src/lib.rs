//! Asking authorities and other outside services: adapters, TLS clients,
//! certificates in use, breaker, simulator, and what is shown of an exchange.

pub mod breaker;
pub mod catalog;
pub mod customer;
pub mod dns;
pub mod exchange;
pub mod gateway;
pub mod question;
pub mod service;
pub mod simulator;
pub mod tls;
pub mod transport;
pub mod way;
