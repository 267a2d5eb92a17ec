//! MDF-e, layout 3.00.
//!
//! - [`order`]: the body of a request;
//! - [`fields`]: the table of fields, which reading, writing and the places of
//!   errors go by;
//! - [`assembly`]: from the request to the document, with all that is wrong
//!   before a number is spent;
//! - [`reading`]: an MDF-e somebody else made, in the API's names;
//! - [`check`]: what the authority would find wrong in one beyond the layout;
//! - [`qrcode`]: the address in the QR code of the DAMDFE.

pub mod assembly;
pub mod check;
pub mod fields;
pub mod frame;
pub mod order;
pub mod qrcode;
pub mod reading;
mod rules;
mod work;

/// Namespace of the layout.
pub const NAMESPACE: &str = "http://www.portalfiscal.inf.br/mdfe";
/// Model of the document (MOC, `mod`).
pub const MODEL: u8 = 58;
