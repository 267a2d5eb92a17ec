//! Load on a hub: operations that arrive at a rate, generated stores, questions to
//! every listing. What is here speaks HTTP as any customer does, but for `fill`,
//! which writes rows.

pub mod ask;
pub mod bodies;
pub mod client;
pub mod fill;
pub mod histogram;
pub mod people;
pub mod posts;
pub mod receiver;
pub mod run;
pub mod seeded;
