//! Small tools that need no document and no company: numbers of bar codes,
//! labels of scales, plates, PIX codes, telephone numbers, the content of
//! importation, suggested profiles, distances and the order of stops. Pure functions: no I/O, no clock,
//! no chance.

pub mod barcode;
pub mod brcode;
pub mod email;
pub mod fci;
pub mod geo;
pub mod phone;
pub mod plate;
pub mod profile;
pub mod scale;
pub mod simples;
pub mod tour;
