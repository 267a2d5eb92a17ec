//! DANFE, DANFE NFC-e and the printout of a correction letter, as PDF; and
//! the access key read back from a PDF.
//!
//! What is printed is what the XML says, whoever issued it: nothing is
//! calculated again, nothing is judged. A text too long for its box is made
//! smaller, then broken, then cut with an ellipsis and repeated whole under
//! "dados adicionais".

pub mod a4;
pub mod cce;
mod error;
pub mod nfce;
pub mod nota;
mod options;
pub mod read;
pub mod values;

pub use error::DanfeError;
pub use options::{Layout, Orientation, PrintOptions};
pub use read::{FoundChave, ReadError, read};

use nota::Nota;

use crate::pdf::image::{self, Image};
use crate::pdf::writing::write;
use markup::xml::Document;

/// The printout a note asks for: [`danfe`] for model 55, [`nfce`] for model 65.
///
/// # Errors
/// Not XML, not one note, another model, too long, or a logo that is not read.
pub fn print(xml: &str, options: &PrintOptions<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::read(&doc)?;
    match &*nota.ide.t("mod") {
        "55" => on_a4(&nota, options),
        "65" => on_roll(&nota, options),
        other => Err(DanfeError::Model(other.to_owned())),
    }
}

/// Key of the only note of an XML, 44 positions; None where there is none.
pub fn chave(xml: &str) -> Option<String> {
    let doc = Document::parse(xml).ok()?;
    let nota = Nota::read(&doc).ok()?;
    (nota.chave.len() == 44).then(|| nota.chave.to_owned())
}

/// The DANFE of an NF-e (model 55) as PDF, A4: from `nfeProc` or a bare `NFe`.
///
/// The same XML and options give the same bytes.
///
/// # Errors
/// Not XML, not one note, another model, too long, or a logo that is not read.
pub fn danfe(xml: &str, options: &PrintOptions<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::read(&doc)?;
    match &*nota.ide.t("mod") {
        "55" => on_a4(&nota, options),
        other => Err(DanfeError::Model(other.to_owned())),
    }
}

/// The DANFE NFC-e (model 65) as PDF, one page as long as the note; also the
/// DANFE Simplificado Tipo 2 of an NF-e with `tpImp` 6.
///
/// # Errors
/// As [`danfe`].
pub fn nfce(xml: &str, options: &PrintOptions<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::read(&doc)?;
    match (&*nota.ide.t("mod"), &*nota.ide.t("tpImp")) {
        ("65", _) | ("55", "6") => on_roll(&nota, options),
        (other, _) => Err(DanfeError::Model(other.to_owned())),
    }
}

fn on_a4(nota: &Nota<'_>, options: &PrintOptions<'_>) -> Result<Vec<u8>, DanfeError> {
    let sheets = a4::assemble(nota, &marked(nota, options), logo(options)?)?;
    Ok(write(&format!("DANFE {}", nota.chave), &sheets))
}

/// The caller's choices; a note whose document says that it was cancelled is
/// marked whatever the caller knows.
fn marked<'o>(nota: &Nota<'_>, options: &PrintOptions<'o>) -> PrintOptions<'o> {
    PrintOptions {
        cancelled: options.cancelled || nota.cancelled,
        ..options.clone()
    }
}

fn on_roll(nota: &Nota<'_>, options: &PrintOptions<'_>) -> Result<Vec<u8>, DanfeError> {
    let sheets = nfce::assemble(nota, &marked(nota, options), logo(options)?)?;
    Ok(write(&format!("DANFE NFC-e {}", nota.chave), &sheets))
}

fn logo(options: &PrintOptions<'_>) -> Result<Option<Image>, DanfeError> {
    options
        .logo
        .map(|file| image::read(file).ok_or(DanfeError::Logo))
        .transpose()
}

/// A correction letter (event 110110) as PDF, A4: from `procEventoNFe`, and
/// from the XML of its note, if at hand, who the parties are.
///
/// # Errors
/// Not XML, no such event inside, too long, or a logo that is not read.
pub fn cce(
    xml: &str,
    nota: Option<&str>,
    options: &PrintOptions<'_>,
) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let of_nota = nota.map(Document::parse).transpose()?;
    let nota = of_nota.as_ref().map(Nota::read).transpose()?;
    let sheets = cce::assemble(&doc, nota.as_ref(), options, logo(options)?)?;
    Ok(write("Carta de Correção Eletrônica", &sheets))
}
