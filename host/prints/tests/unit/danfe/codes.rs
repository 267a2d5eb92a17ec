//! Bar codes and QR codes, read from the printed page as a scanner does.

use super::generator::{Generator, letters, receipts};
use super::tool_says;
use prints::danfe::{PrintOptions, cce, danfe, nfce};

#[test]
fn bar_codes_and_qr_codes_are_read_from_the_printed_page() {
    let numeric = Generator::default();
    let alpha = Generator {
        cnpj: "12ABC34501DE35",
        ..Generator::default()
    };
    let landscape = |nota: &Generator| Generator {
        tp_imp: 2,
        ..nota.clone()
    };
    for nota in [
        numeric.clone(),
        landscape(&numeric),
        alpha.clone(),
        landscape(&alpha),
    ] {
        let pdf = danfe(&nota.xml(), &PrintOptions::default()).expect("a printout");
        let Some(found) = zbar(&pdf) else { return };
        assert_eq!(found, [nota.chave()]);
    }
    for (name, nota, options) in receipts() {
        if name == "nfce-990" {
            continue;
        }
        let Some(found) = zbar(&nfce(&nota.xml(), &options).expect(name)) else {
            return;
        };
        assert_eq!(found, [&*nota.qr], "{name}");
    }
    let letter = cce(&letters(&alpha, 1), None, &PrintOptions::default()).expect("a letter");
    assert_eq!(zbar(&letter), Some(vec![alpha.chave()]));
}

/// What a reader of bar codes sees on the first page.
fn zbar(pdf: &[u8]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("nota.pdf");
    std::fs::write(&file, pdf).expect("write");
    let picture = folder.path().join("nota");
    let [file, picture] = [&file, &picture].map(|path| path.to_str().expect("path"));
    tool_says(
        "pdftoppm",
        &["-r", "200", "-png", "-singlefile", file, picture],
    )?;
    let read_text = tool_says("zbarimg", &["--quiet", "--raw", &format!("{picture}.png")])?;
    Some(read_text.lines().map(str::to_owned).collect())
}
