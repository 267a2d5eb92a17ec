//! Printouts of synthetic notes, looked at and read back.

mod codes;
mod files;
mod generator;
mod geometry;
mod hostile;
mod logos;
mod reading;
mod refusals;
mod samples;
mod speed;
mod texts;

use crate::danfe::read;
use judges::tool;

/// Text of a PDF in one line, as our own reader sees it and, where it is
/// installed, as `pdftotext` does: one after the other, so that what is looked
/// for may stand in either order of reading.
fn texto_de(pdf: &[u8]) -> String {
    let mut texto = read::texto(pdf).expect("a PDF").concat();
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, pdf).expect("write");
    if let Some(lido) = ferramenta("pdftotext", &["-raw", file.to_str().expect("path"), "-"]) {
        texto.push_str(&lido);
    }
    texto.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a tool says; none if it is not installed.
fn ferramenta(nome: &str, argumentos: &[&str]) -> Option<String> {
    let output = tool(nome, argumentos)?;
    assert!(
        output.status.success(),
        "{nome}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
