//! What the printed documents share: fonts with their measures, a page as a list of things to draw, and the PDF writer.
//!
//! Measures are points from the top left corner of the page.

mod deflate;
pub(crate) mod font;
pub(crate) mod image;
pub(crate) mod sheet;
pub(crate) mod writing;
