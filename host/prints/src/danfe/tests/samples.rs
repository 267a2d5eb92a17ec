//! Notes that were really issued, where the samples are at hand.

use crate::danfe::{DanfeError, LeituraError, Opcoes, imprimir, read};
use judges::samples;

#[test]
fn official_samples_are_printed_and_their_keys_read_back() {
    let mut impressas = 0;
    for (path, xml) in samples() {
        if !path.to_string_lossy().contains("samples/nfe/") {
            continue;
        }
        let nome = path.display().to_string();
        let pdf = match imprimir(&xml, &Opcoes::default()) {
            Ok(pdf) => pdf,
            // Questions, answers and events have no note inside.
            Err(DanfeError::SemNota) => continue,
            Err(error) => panic!("{nome}: {error}"),
        };
        let chave = xml
            .split_once("Id=\"NFe")
            .and_then(|(_, resto)| resto.get(..44))
            .expect("a key");
        match read(&pdf) {
            Ok(lida) => assert_eq!(lida.chave, chave, "{nome}"),
            // Keys that were made unrecognizable: 9999…
            Err(LeituraError::SemChave | LeituraError::DigitoInvalido) => {
                assert!(markup::ids::chave::Chave::parse(chave).is_err(), "{nome}");
            }
            Err(error) => panic!("{nome}: {error}"),
        }
        if let Some(pasta) = std::env::var_os("HUB_TEST_PDF_OUT") {
            let nome = path.with_extension("pdf");
            let nome = nome.file_name().expect("a name");
            std::fs::write(std::path::Path::new(&pasta).join(nome), &pdf).expect("write");
        }
        impressas += 1;
    }
    println!("{impressas} sample notes printed");
}
