//! The key read back from PDFs, ours and others'.

use crate::danfe::tests::generator::notas;
use crate::danfe::{LeituraError, Opcoes, danfe, read};

#[test]
fn the_key_is_read_from_our_own_printouts() {
    for (nome, nota) in notas() {
        let pdf = danfe(&nota.xml(), &Opcoes::default()).expect(nome);
        let lida = read(&pdf).unwrap_or_else(|error| panic!("{nome}: {error}"));
        assert_eq!(lida.chave, nota.chave(), "{nome}");
        assert_eq!(lida.cnpj_emitente, nota.cnpj, "{nome}");
        assert_eq!((lida.uf, &*lida.ano_mes), ("SP", "2026-10"), "{nome}");
        assert_eq!((lida.serie, lida.numero), (1, nota.numero), "{nome}");
        assert_eq!(lida.modelo, "55", "{nome}");
        assert!(lida.dv_confere, "{nome}");
    }
}

/// PDFs of other generators in the folder named by `HUB_TEST_FOREIGN_PDFS`, each
/// named after the key it shows: `<44 positions>[-anything].pdf`.
#[test]
fn the_key_is_read_from_pdfs_of_others() {
    let Some(pasta) = std::env::var_os("HUB_TEST_FOREIGN_PDFS") else {
        eprintln!("skipped: HUB_TEST_FOREIGN_PDFS names no folder of PDFs");
        return;
    };
    let mut lidos = 0;
    for entry in std::fs::read_dir(pasta).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "pdf") {
            continue;
        }
        let nome = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let chave = nome.get(..44).unwrap_or(&nome);
        let lida = read(&std::fs::read(&path).expect("read"));
        assert_eq!(lida.map(|lida| lida.chave).as_deref(), Ok(chave), "{nome}");
        lidos += 1;
    }
    println!("{lidos} PDFs of others read");
    assert!(lidos > 0, "no PDF in the folder");
}

#[test]
fn what_is_no_danfe_is_told_as_such() {
    assert_eq!(read(b""), Err(LeituraError::NaoPdf));
    assert_eq!(read(b"PK\x03\x04 not a pdf"), Err(LeituraError::NaoPdf));
    assert_eq!(read(b"%PDF-1.4\n"), Err(LeituraError::NaoPdf));
}
