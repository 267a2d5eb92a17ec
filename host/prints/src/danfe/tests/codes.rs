//! Bar codes and QR codes, read from the printed page as a scanner does.

use super::ferramenta;
use crate::danfe::tests::generator::{Gerador, cartas, cupons};
use crate::danfe::{Opcoes, cce, danfe, nfce};

#[test]
fn bar_codes_and_qr_codes_are_read_from_the_printed_page() {
    let numerica = Gerador::default();
    let alfa = Gerador {
        cnpj: "12ABC34501DE35",
        ..Gerador::default()
    };
    let paisagem = |nota: &Gerador| Gerador {
        tp_imp: 2,
        ..nota.clone()
    };
    for nota in [
        numerica.clone(),
        paisagem(&numerica),
        alfa.clone(),
        paisagem(&alfa),
    ] {
        let pdf = danfe(&nota.xml(), &Opcoes::default()).expect("a printout");
        let Some(lidos) = zbar(&pdf) else { return };
        assert_eq!(lidos, [nota.chave()]);
    }
    for (nome, nota, opcoes) in cupons() {
        if nome == "nfce-990" {
            continue;
        }
        let Some(lidos) = zbar(&nfce(&nota.xml(), &opcoes).expect(nome)) else {
            return;
        };
        assert_eq!(lidos, [&*nota.qr], "{nome}");
    }
    let carta = cce(&cartas(&alfa, 1), None, &Opcoes::default()).expect("a letter");
    assert_eq!(zbar(&carta), Some(vec![alfa.chave()]));
}

/// What a reader of bar codes sees on the first page.
fn zbar(pdf: &[u8]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, pdf).expect("write");
    let picture = folder.path().join("nota");
    let [file, picture] = [&file, &picture].map(|path| path.to_str().expect("path"));
    ferramenta(
        "pdftoppm",
        &["-r", "200", "-png", "-singlefile", file, picture],
    )?;
    let lido = ferramenta("zbarimg", &["--quiet", "--raw", &format!("{picture}.png")])?;
    Some(lido.lines().map(str::to_owned).collect())
}
