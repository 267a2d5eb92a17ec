//! DAMDFE of an MDF-e (model 58) of every modal as PDF, A4 (MOC MDF-e 3.00b,
//! annex II; second-hand, after the boxes that several public implementations
//! have).
//!
//! What is printed is what the XML says, whoever issued it: nothing is
//! calculated again, nothing is judged.

mod blocks;
mod error;
mod header;
mod mdfe;
mod modal;
mod words;

pub use error::DamdfeError;

use crate::board::Board;
use crate::danfe::PrintOptions;
use crate::freight::{self, MARGIN};
use crate::pdf::image::{self, Image};
use crate::pdf::sheet::{A4_HEIGHT, A4_WIDTH, Mark, Sheets};
use crate::pdf::writing::{self, write};
use crate::qr::QrCode;
use markup::xml::Document;
use mdfe::Mdfe;

type Pages<'l, 'd> = freight::Pages<'l, Mdfe<'d>>;

/// The DAMDFE of an MDF-e as PDF: from `mdfeProc` or a bare `MDFe`.
///
/// Of the options, orientation, layout and width are not looked at: it is
/// printed upright. The same XML and options give the same bytes.
///
/// # Errors
/// As [`sheets`].
pub fn damdfe(xml: &str, options: &PrintOptions<'_>) -> Result<Vec<u8>, DamdfeError> {
    let (chave, sheets) = laid_out(xml, options)?;
    Ok(write(&format!("DAMDFE {chave}"), &sheets))
}

/// The pages of a DAMDFE as things to draw.
///
/// # Errors
/// Not XML, not one MDF-e, another model, too long, or a logo that is not read.
pub fn sheets(xml: &str, options: &PrintOptions<'_>) -> Result<Sheets, DamdfeError> {
    laid_out(xml, options).map(|(_, sheets)| sheets)
}

fn laid_out(xml: &str, options: &PrintOptions<'_>) -> Result<(String, Sheets), DamdfeError> {
    let doc = Document::parse(xml)?;
    let mdfe = Mdfe::read(&doc)?;
    match &*mdfe.ide.t("mod") {
        "58" => {}
        other => return Err(DamdfeError::Model(other.chars().take(4).collect())),
    }
    let logo = options
        .logo
        .map(|file| image::read(file).ok_or(DamdfeError::Logo))
        .transpose()?;
    Ok((mdfe.chave.to_owned(), assemble(&mdfe, options, logo)?))
}

/// Lays the MDF-e out.
fn assemble(
    mdfe: &Mdfe<'_>,
    options: &PrintOptions<'_>,
    logo: Option<Image>,
) -> Result<Sheets, DamdfeError> {
    let qr = Some(mdfe.supplement.t("qrCodMDFe"))
        .filter(|text| !text.is_empty())
        .and_then(|text| QrCode::encode(text.as_bytes()).ok());
    let face = header::face(mdfe, logo.as_ref(), qr.is_some());
    let mut pages = Pages::new(mdfe, face, Board::default(), MARGIN);
    blocks::totals(&mut pages);
    blocks::trip(&mut pages);
    modal::specific(&mut pages);
    blocks::insurance(&mut pages);
    blocks::product(&mut pages);
    blocks::seals(&mut pages);
    blocks::documents(&mut pages)?;
    blocks::remarks(&mut pages);
    let pages = pages.end().ok_or(DamdfeError::Long)?;
    Ok(Sheets {
        size: (A4_WIDTH, A4_HEIGHT),
        pages,
        qr,
        logo,
        marks: marks(mdfe, options),
    })
}

/// Words across the page.
fn marks(mdfe: &Mdfe<'_>, options: &PrintOptions<'_>) -> Vec<Mark> {
    let mut words = Vec::new();
    // One in contingency is not authorized yet, but is valid.
    if mdfe.homologacao() {
        words.push("SEM VALOR FISCAL");
    } else if !mdfe.authorized() && !mdfe.in_contingency() {
        words.push("SEM AUTORIZAÇÃO DE USO");
    }
    if options.cancelled || mdfe.cancelled {
        words.push("CANCELADO");
    } else if mdfe.closed {
        words.push("ENCERRADO");
    }
    words.extend(options.mark);
    writing::marks(&words, (A4_WIDTH, A4_HEIGHT), 60.0)
}
