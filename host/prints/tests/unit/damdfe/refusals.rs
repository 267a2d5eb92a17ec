//! What is not printed.

use super::generator::{CHAVE, Generator};
use prints::damdfe::{DamdfeError, damdfe};
use prints::danfe::PrintOptions;

#[test]
fn what_is_no_single_mdfe_is_refused() {
    let print = |xml: &str| damdfe(xml, &PrintOptions::default()).expect_err("refused");
    assert!(matches!(print("<a>"), DamdfeError::Xml(_)));
    assert_eq!(print("<a/>"), DamdfeError::NoMdfe);
    let one = format!("<infMDFe Id=\"MDFe{CHAVE}\"><ide/></infMDFe>");
    assert_eq!(
        print(&format!("<a>{one}{one}</a>")),
        DamdfeError::SeveralMdfe(2)
    );
    let other = Generator::default()
        .xml()
        .replace("<mod>58</mod>", "<mod>57</mod>");
    assert_eq!(print(&other), DamdfeError::Model("57".to_owned()));
}

#[test]
fn more_than_is_laid_out_is_refused() {
    let mdfe = Generator {
        documents: 3_001,
        ..Generator::default()
    };
    let error = damdfe(&mdfe.xml(), &PrintOptions::default()).expect_err("refused");
    assert_eq!(error, DamdfeError::Long);
    let mdfe = Generator {
        remarks: "x".repeat(20_001),
        ..Generator::default()
    };
    let error = damdfe(&mdfe.xml(), &PrintOptions::default()).expect_err("refused");
    assert_eq!(error, DamdfeError::Long);
}

#[test]
fn a_broken_logo_is_refused() {
    let options = PrintOptions {
        logo: Some(b"no picture"),
        ..PrintOptions::default()
    };
    let error = damdfe(&Generator::default().xml(), &options).expect_err("refused");
    assert_eq!(error, DamdfeError::Logo);
}
