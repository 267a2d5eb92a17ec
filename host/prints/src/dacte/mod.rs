//! DACTE of a CT-e (model 57) of every modal as PDF, A4 (MOC CT-e 4.00, annex
//! II; second-hand, after the boxes that several public implementations have).
//!
//! What is printed is what the XML says, whoever issued it: nothing is
//! calculated again, nothing is judged.

mod blocks;
mod cte;
mod documents;
mod error;
mod header;
mod modal;
mod words;

pub use error::DacteError;

use crate::board::Board;
use crate::danfe::PrintOptions;
use crate::freight;
use crate::pdf::image::{self, Image};
use crate::pdf::sheet::{A4_HEIGHT, A4_WIDTH, Mark, Sheets};
use crate::pdf::writing::{self, write};
use crate::qr::QrCode;
use cte::Cte;
use markup::xml::Document;

type Pages<'l, 'd> = freight::Pages<'l, Cte<'d>>;

/// The DACTE of a CT-e as PDF: from `cteProc` or a bare `CTe`.
///
/// Of the options, orientation, layout and width are not looked at: it is
/// printed upright. The same XML and options give the same bytes.
///
/// # Errors
/// As [`sheets`].
pub fn dacte(xml: &str, options: &PrintOptions<'_>) -> Result<Vec<u8>, DacteError> {
    let (chave, sheets) = laid_out(xml, options)?;
    Ok(write(&format!("DACTE {chave}"), &sheets))
}

/// The pages of a DACTE as things to draw.
///
/// # Errors
/// Not XML, not one CT-e, another model, too long, or a logo that is not read.
pub fn sheets(xml: &str, options: &PrintOptions<'_>) -> Result<Sheets, DacteError> {
    laid_out(xml, options).map(|(_, sheets)| sheets)
}

fn laid_out(xml: &str, options: &PrintOptions<'_>) -> Result<(String, Sheets), DacteError> {
    let doc = Document::parse(xml)?;
    let cte = Cte::read(&doc)?;
    match &*cte.ide.t("mod") {
        "57" => {}
        other => return Err(DacteError::Model(other.chars().take(4).collect())),
    }
    let logo = options
        .logo
        .map(|file| image::read(file).ok_or(DacteError::Logo))
        .transpose()?;
    Ok((cte.chave.to_owned(), assemble(&cte, options, logo)?))
}

/// Lays the CT-e out.
fn assemble(
    cte: &Cte<'_>,
    options: &PrintOptions<'_>,
    logo: Option<Image>,
) -> Result<Sheets, DacteError> {
    let qr = Some(cte.supplement.t("qrCodCTe"))
        .filter(|text| !text.is_empty())
        .and_then(|text| QrCode::encode(text.as_bytes()).ok());
    let mut board = Board::default();
    let top = header::stub(&mut board, cte);
    let face = header::face(cte, logo.as_ref(), qr.is_some());
    let mut pages = Pages::new(cte, face, board, top);
    blocks::service(&mut pages);
    blocks::parties(&mut pages);
    blocks::cargo(&mut pages);
    blocks::values(&mut pages);
    blocks::taxes(&mut pages);
    documents::table(&mut pages)?;
    blocks::flow(&mut pages);
    blocks::remarks(&mut pages);
    modal::specific(&mut pages);
    blocks::left_over(&mut pages);
    blocks::foot(&mut pages);
    let pages = pages.end().ok_or(DacteError::Long)?;
    Ok(Sheets {
        size: (A4_WIDTH, A4_HEIGHT),
        pages,
        qr,
        logo,
        marks: marks(cte, options),
    })
}

/// Words across the page.
fn marks(cte: &Cte<'_>, options: &PrintOptions<'_>) -> Vec<Mark> {
    let mut words = Vec::new();
    // One on its way (contingency) is not authorized yet, but is valid.
    let in_contingency = matches!(&*cte.ide.t("tpEmis"), "2" | "4" | "5");
    if cte.homologacao() {
        words.push("SEM VALOR FISCAL");
    } else if !cte.authorized() && !in_contingency {
        words.push("SEM AUTORIZAÇÃO DE USO");
    }
    if options.cancelled || cte.cancelled {
        words.push("CANCELADO");
    }
    words.extend(options.mark);
    writing::marks(&words, (A4_WIDTH, A4_HEIGHT), 60.0)
}
