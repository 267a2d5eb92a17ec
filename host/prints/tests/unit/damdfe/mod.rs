//! The DAMDFE of synthetic MDF-e of every modal.

mod generator;
mod geometry;
mod refusals;
mod texts;
