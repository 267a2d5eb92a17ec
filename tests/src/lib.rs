//! What the tests share: built adapters, databases, a hub in this process
//! and hubs in processes of their own.

pub mod a1;
pub mod adapters;
pub mod app;
pub mod bases;
pub mod bodies;
pub mod dns;
pub mod events;
pub mod headers;
pub mod imports;
pub mod localhost;
pub mod places;
pub mod postgres;
pub mod python;
pub mod receiver;
pub mod registry;
pub mod s3;
pub mod shapes;
pub mod smtp;
pub mod wait;

pub use app::{Answer, TestApp};

/// The allocator of the program: with the system's the tests computed a tenth
/// longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
pub use wait::until;
