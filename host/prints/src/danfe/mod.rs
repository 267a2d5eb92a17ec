//! DANFE, DANFE NFC-e and the printout of a correction letter, as PDF; and
//! the access key read back from a PDF.
//!
//! What is printed is what the XML says, whoever issued it: nothing is
//! calculated again, nothing is judged. A text too long for its box is made
//! smaller, then broken, then cut with an ellipsis and repeated whole under
//! "dados adicionais".

mod a4;
mod board;
mod cce;
mod error;
mod nfce;
mod nota;
mod options;
pub mod read;
#[cfg(test)]
mod tests;
mod values;

pub use error::DanfeError;
pub use options::{Leiaute, Opcoes, Orientacao};
pub use read::{ChaveLida, LeituraError, read};

use nota::Nota;

use crate::pdf::image::{self, Imagem};
use crate::pdf::writing::escrever;
use markup::xml::Document;

/// The printout a note asks for: [`danfe`] for model 55, [`nfce`] for model 65.
///
/// # Errors
/// Not XML, not one note, another model, too long, or a logo that is not read.
pub fn imprimir(xml: &str, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::ler(&doc)?;
    match &*nota.ide.t("mod") {
        "55" => em_a4(&nota, opcoes),
        "65" => em_rolo(&nota, opcoes),
        outro => Err(DanfeError::Modelo(outro.to_owned())),
    }
}

/// Key of the only note of an XML, 44 positions; None where there is none.
pub fn chave(xml: &str) -> Option<String> {
    let doc = Document::parse(xml).ok()?;
    let nota = Nota::ler(&doc).ok()?;
    (nota.chave.len() == 44).then(|| nota.chave.to_owned())
}

/// The DANFE of an NF-e (model 55) as PDF, A4: from `nfeProc` or a bare `NFe`.
///
/// The same XML and options give the same bytes.
///
/// # Errors
/// Not XML, not one note, another model, too long, or a logo that is not read.
pub fn danfe(xml: &str, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::ler(&doc)?;
    match &*nota.ide.t("mod") {
        "55" => em_a4(&nota, opcoes),
        outro => Err(DanfeError::Modelo(outro.to_owned())),
    }
}

/// The DANFE NFC-e (model 65) as PDF, one page as long as the note; also the
/// DANFE Simplificado Tipo 2 of an NF-e with `tpImp` 6.
///
/// # Errors
/// As [`danfe`].
pub fn nfce(xml: &str, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::ler(&doc)?;
    match (&*nota.ide.t("mod"), &*nota.ide.t("tpImp")) {
        ("65", _) | ("55", "6") => em_rolo(&nota, opcoes),
        (outro, _) => Err(DanfeError::Modelo(outro.to_owned())),
    }
}

fn em_a4(nota: &Nota<'_>, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let folhas = a4::montar(nota, &marcada(nota, opcoes), logo(opcoes)?)?;
    Ok(escrever(&format!("DANFE {}", nota.chave), &folhas))
}

/// The caller's choices; a note whose document says that it was cancelled is
/// marked whatever the caller knows.
fn marcada<'o>(nota: &Nota<'_>, opcoes: &Opcoes<'o>) -> Opcoes<'o> {
    Opcoes {
        cancelada: opcoes.cancelada || nota.cancelada,
        ..opcoes.clone()
    }
}

fn em_rolo(nota: &Nota<'_>, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let folhas = nfce::montar(nota, &marcada(nota, opcoes), logo(opcoes)?)?;
    Ok(escrever(&format!("DANFE NFC-e {}", nota.chave), &folhas))
}

fn logo(opcoes: &Opcoes<'_>) -> Result<Option<Imagem>, DanfeError> {
    opcoes
        .logo
        .map(|arquivo| image::ler(arquivo).ok_or(DanfeError::Logo))
        .transpose()
}

/// A correction letter (event 110110) as PDF, A4: from `procEventoNFe`, and
/// from the XML of its note, if at hand, who the parties are.
///
/// # Errors
/// Not XML, no such event inside, too long, or a logo that is not read.
pub fn cce(xml: &str, nota: Option<&str>, opcoes: &Opcoes<'_>) -> Result<Vec<u8>, DanfeError> {
    let doc = Document::parse(xml)?;
    let da_nota = nota.map(Document::parse).transpose()?;
    let nota = da_nota.as_ref().map(Nota::ler).transpose()?;
    let folhas = cce::montar(&doc, nota.as_ref(), opcoes, logo(opcoes)?)?;
    Ok(escrever("Carta de Correção Eletrônica", &folhas))
}
