//! The printouts as files: always the same bytes, and a folder of them to look at.

use crate::danfe::tests::generator::{Gerador, cartas, cupons, notas};
use crate::danfe::{Opcoes, cce, danfe, nfce};

/// Writes every printout to the folder named by `HUB_TEST_PDF_OUT`, for people
/// to look at.
#[test]
fn printouts_for_people_to_look_at() {
    let Some(pasta) = std::env::var_os("HUB_TEST_PDF_OUT") else {
        eprintln!("skipped: HUB_TEST_PDF_OUT names no folder");
        return;
    };
    let pasta = std::path::PathBuf::from(pasta);
    let escrever = |nome: &str, pdf: Vec<u8>| {
        std::fs::write(pasta.join(format!("{nome}.pdf")), pdf).expect("write");
    };
    for (nome, nota) in notas() {
        let xml = nota.xml();
        escrever(nome, danfe(&xml, &Opcoes::default()).expect(nome));
        std::fs::write(pasta.join(format!("{nome}.xml")), xml).expect("write");
    }
    for (nome, nota, opcoes) in cupons() {
        escrever(nome, nfce(&nota.xml(), &opcoes).expect(nome));
    }
    let nota = Gerador::default();
    let logo = super::logos::png(120, 60, 8, 6);
    let com_logo = Opcoes {
        logo: Some(&logo),
        ..Opcoes::default()
    };
    escrever("logo", danfe(&nota.xml(), &com_logo).expect("a printout"));
    let (_, cupom, _) = cupons().swap_remove(0);
    escrever(
        "logo-nfce",
        nfce(&cupom.xml(), &com_logo).expect("a printout"),
    );
    for quantas in [1, 9] {
        let xml = cartas(&nota, quantas);
        let pdf = cce(&xml, Some(&nota.xml()), &Opcoes::default()).expect("letters");
        escrever(&format!("cce-{quantas}"), pdf);
    }
}

#[test]
fn the_same_note_gives_the_same_bytes() {
    for (nome, nota) in notas() {
        let xml = nota.xml();
        let pdf = danfe(&xml, &Opcoes::default()).expect(nome);
        assert_eq!(pdf, danfe(&xml, &Opcoes::default()).expect(nome), "{nome}");
        assert!(!pdf.windows(13).any(|w| w == b"/CreationDate"), "{nome}");
    }
}
