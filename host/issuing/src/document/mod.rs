//! What a document is made of and printed from.

pub mod layout;
pub mod moment;
pub mod naming;
pub mod print;
pub mod product;
pub mod qr;
pub mod signed;
pub mod text;
