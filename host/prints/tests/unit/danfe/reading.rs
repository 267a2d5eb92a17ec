//! The key read back from PDFs, ours and others'.

use super::generator::notas;
use prints::danfe::{PrintOptions, ReadError, danfe, read};

#[test]
fn the_key_is_read_from_our_own_printouts() {
    for (name, nota) in notas() {
        let pdf = danfe(&nota.xml(), &PrintOptions::default()).expect(name);
        let found = read(&pdf).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.chave, nota.chave(), "{name}");
        assert_eq!(found.cnpj_emitente, nota.cnpj, "{name}");
        assert_eq!((found.uf, &*found.ano_mes), ("SP", "2026-10"), "{name}");
        assert_eq!((found.serie, found.numero), (1, nota.number), "{name}");
        assert_eq!(found.modelo, "55", "{name}");
        assert!(found.dv_confere, "{name}");
    }
}

/// PDFs of other generators in the folder named by `HUB_TEST_FOREIGN_PDFS`, each
/// named after the key it shows: `<44 positions>[-anything].pdf`.
#[test]
fn the_key_is_read_from_pdfs_of_others() {
    let Some(folder) = std::env::var_os("HUB_TEST_FOREIGN_PDFS") else {
        eprintln!("skipped: HUB_TEST_FOREIGN_PDFS names no folder of PDFs");
        return;
    };
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "pdf") {
            continue;
        }
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let chave = name.get(..44).unwrap_or(&name);
        let key = read(&std::fs::read(&path).expect("read"));
        assert_eq!(key.map(|key| key.chave).as_deref(), Ok(chave), "{name}");
        found += 1;
    }
    println!("{found} PDFs of others read");
    assert!(found > 0, "no PDF in the folder");
}

#[test]
fn what_is_no_danfe_is_told_as_such() {
    assert_eq!(read(b""), Err(ReadError::NotPdf));
    assert_eq!(read(b"PK\x03\x04 not a pdf"), Err(ReadError::NotPdf));
    assert_eq!(read(b"%PDF-1.4\n"), Err(ReadError::NotPdf));
}
