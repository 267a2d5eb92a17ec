//! Printouts of synthetic notes, looked at and read back.

mod additional;
mod codes;
mod files;
mod generator;
mod geometry;
mod hostile;
mod logos;
mod object;
mod reading;
mod refusals;
mod samples;
mod speed;
mod texts;
mod values;

use judges::tool;
use prints::danfe::read;

/// Text of a PDF in one line, as our own reader sees it and, where it is
/// installed, as `pdftotext` does: one after the other, so that what is looked
/// for may stand in either order of reading.
fn text_of(pdf: &[u8]) -> String {
    let mut text = read::text(pdf).expect("a PDF").concat();
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, pdf).expect("write");
    if let Some(read_text) = tool_says("pdftotext", &["-raw", file.to_str().expect("path"), "-"]) {
        text.push_str(&read_text);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a tool says; none if it is not installed.
fn tool_says(name: &str, arguments: &[&str]) -> Option<String> {
    let output = tool(name, arguments)?;
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
