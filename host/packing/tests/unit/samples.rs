//! Records as settled documents have them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use packing::Record;
use std::io::Write as _;

/// A signed document of one note.
pub fn xml(number: usize) -> String {
    let values: String = (0..10)
        .map(|item| format!("<det nItem=\"{item}\"><xProd>Farinha {number}</xProd><vProd>{item}{number}.00</vProd></det>"))
        .collect();
    format!(
        "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe{number:044}\">{values}</infNFe></NFe>"
    )
}

/// base64 of gzip.
pub fn zipped(text: &str, level: u32) -> String {
    let builder = GzBuilder::new().mtime(0).operating_system(255);
    let mut encoder = builder.write(Vec::new(), Compression::new(level));
    encoder.write_all(text.as_bytes()).expect("gzip");
    STANDARD.encode(encoder.finish().expect("gzip"))
}

/// What is kept of one note.
pub fn record(number: usize) -> Record {
    let xml = xml(number);
    let mut record = Record::default();
    let mut add = |name: &str, text: String| record.set(name.to_owned(), text.into_bytes());
    add("note/conteudo", format!("{{\"numero\":{number}}}"));
    add(
        "note/context",
        "{\"emitente\":\"Padaria da Praça\"}".to_owned(),
    );
    add(
        "0/0/request_body",
        format!("{{\"dpsXmlGZipB64\":\"{}\"}}", zipped(&xml, 1)),
    );
    add(
        "0/1/event_body",
        format!("{{\"nfseXmlGZipB64\":\"{}\"}}", zipped(&xml, 6)),
    );
    add("0/1/label", String::new());
    add("xml/nfse", xml);
    record
}
