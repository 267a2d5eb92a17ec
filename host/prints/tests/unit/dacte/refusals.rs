//! What is not printed.

use super::generator::{CHAVE, Generator};
use prints::dacte::{DacteError, dacte};
use prints::danfe::PrintOptions;

#[test]
fn what_is_no_single_cte_is_refused() {
    let print = |xml: &str| dacte(xml, &PrintOptions::default()).expect_err("refused");
    assert!(matches!(print("<a>"), DacteError::Xml(_)));
    assert_eq!(print("<a/>"), DacteError::NoCte);
    let two = format!("<a><infCte Id=\"CTe{CHAVE}\"/><infCte Id=\"CTe{CHAVE}\"/></a>");
    assert_eq!(print(&two), DacteError::SeveralCte(2));
    let other = Generator::default()
        .xml()
        .replace("<mod>57</mod>", "<mod>67</mod>");
    assert_eq!(print(&other), DacteError::Model("67".to_owned()));
}

#[test]
fn more_than_is_laid_out_is_refused() {
    let cte = Generator {
        documents: 6_001,
        ..Generator::default()
    };
    let error = dacte(&cte.xml(), &PrintOptions::default()).expect_err("refused");
    assert_eq!(error, DacteError::Long);
    let cte = Generator {
        remarks: "x".repeat(20_001),
        ..Generator::default()
    };
    let error = dacte(&cte.xml(), &PrintOptions::default()).expect_err("refused");
    assert_eq!(error, DacteError::Long);
}

#[test]
fn a_broken_logo_is_refused() {
    let options = PrintOptions {
        logo: Some(b"no picture"),
        ..PrintOptions::default()
    };
    let error = dacte(&Generator::default().xml(), &options).expect_err("refused");
    assert_eq!(error, DacteError::Logo);
}
