//! The DACTE of synthetic CT-e of every modal.

mod generator;
mod geometry;
mod refusals;
mod texts;
