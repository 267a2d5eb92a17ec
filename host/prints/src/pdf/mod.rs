//! What the printed documents share: fonts with their measures, a page as a list of things to draw, and the PDF writer.
//!
//! Measures are points from the top left corner of the page.

mod deflate;
pub mod font;
pub mod image;
pub mod sheet;
pub mod writing;
