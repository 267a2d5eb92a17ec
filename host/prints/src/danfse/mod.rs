//! DANFSe: the printed service note.
//!
//! [`Danfse::from_nfse_xml`] reads the XML of an issued note, of the national
//! layout or of an ABRASF city, into a plain struct; [`render`] draws it as a
//! PDF. The blocks, captions and sizes are those of the DANFSe v2.0 (NT 008
//! SE/CGNFS-e v1.02 of 2026-07-14, annex I), which every issuer has to print
//! itself since the national service stopped on 2026-08-03.
//!
//! What is printed is what the XML says. A field without content shows a dash,
//! as the NT asks; a text that is too long for its field flows on instead of
//! being cut, over to further pages if need be.

mod board;
mod error;
mod model;
mod reading;
pub mod sheet;

pub use error::DanfseError;
pub use model::{
    Ambiente, Danfse, FederalTaxation, IbsCbs, MunicipalTaxation, Municipality, Party, Prestador,
    Recipient, Service, Standard, Status, Totals,
};
pub use reading::MAX_TEXT;

impl Danfse {
    /// Reads an issued note: a national NFS-e, an ABRASF `CompNfse`, or an
    /// answer of a city that has one of them inside, also as escaped text.
    ///
    /// Marks that the XML cannot know ([`Status`] after an event, `simulated`)
    /// are set by the caller afterwards; names of municipalities that the XML
    /// gives as codes come from [`Danfse::name_municipalities`].
    ///
    /// # Errors
    /// Not XML, no note inside, more than one note, or a text longer than
    /// [`MAX_TEXT`].
    pub fn from_nfse_xml(xml: &str) -> Result<Danfse, DanfseError> {
        reading::read(xml)
    }
}

/// Draws the note as a PDF: A4, portrait, text that can be searched.
///
/// The same struct gives the same bytes.
pub fn render(danfse: &Danfse) -> Vec<u8> {
    let title = format!("NFS-e {}", danfse.number.trim());
    crate::pdf::writing::write(&title, &sheet::assemble(danfse))
}
