//! What the drawn notes show, and that they are fit to be read.

use super::gerador::notas;
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
    for (nome, nota) in notas() {
        let xml = nota.xml();
        let pdf = danfe(&xml, &Opcoes::default()).expect(nome);
        std::fs::write(pasta.join(format!("{nome}.pdf")), pdf).expect("write");
        std::fs::write(pasta.join(format!("{nome}.xml")), xml).expect("write");
    }
    for (nome, nota, opcoes) in super::gerador::cupons() {
        let pdf = nfce(&nota.xml(), &opcoes).expect(nome);
        std::fs::write(pasta.join(format!("{nome}.pdf")), pdf).expect("write");
    }
    let nota = super::gerador::Gerador::default();
    for cartas in [1, 9] {
        let xml = super::gerador::cartas(&nota, cartas);
        let pdf = cce(&xml, Some(&nota.xml()), &Opcoes::default()).expect("letters");
        std::fs::write(pasta.join(format!("cce-{cartas}.pdf")), pdf).expect("write");
    }
}
