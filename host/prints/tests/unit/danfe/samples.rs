//! Notes that were really issued, where the samples are at hand.

use judges::samples;
use prints::danfe::{DanfeError, PrintOptions, ReadError, print, read};

#[test]
fn official_samples_are_printed_and_their_keys_read_back() {
    let mut printed = 0;
    for (path, xml) in samples() {
        if !path.to_string_lossy().contains("samples/nfe/") {
            continue;
        }
        let name = path.display().to_string();
        let pdf = match print(&xml, &PrintOptions::default()) {
            Ok(pdf) => pdf,
            // Questions, answers and events have no note inside.
            Err(DanfeError::NoNota) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let chave = xml
            .split_once("Id=\"NFe")
            .and_then(|(_, rest)| rest.get(..44))
            .expect("a key");
        match read(&pdf) {
            Ok(found) => assert_eq!(found.chave, chave, "{name}"),
            // Keys that were made unrecognizable: 9999…
            Err(ReadError::NoChave | ReadError::InvalidDigit) => {
                assert!(markup::ids::chave::Chave::parse(chave).is_err(), "{name}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
        if let Some(folder) = std::env::var_os("HUB_TEST_PDF_OUT") {
            let name = path.with_extension("pdf");
            let name = name.file_name().expect("a name");
            std::fs::write(std::path::Path::new(&folder).join(name), &pdf).expect("write");
        }
        printed += 1;
    }
    println!("{printed} sample notes printed");
}
