//! /api/v1/catalogo and the public search of the catalogue.

mod buscar;
mod demo;
mod gtin;
mod pesavel;
mod product;
mod reportar;
mod source;

use base::errors::{Code, Failure, Refusal};
use gate::docs::Built;
use tools::barcode::{Barcode, BarcodeError};

pub fn built() -> Vec<Built> {
    let mut all = vec![
        buscar::built(),
        demo::built(),
        pesavel::built(),
        reportar::built(),
    ];
    all.extend(gtin::built());
    all
}

/// A code as customers write it.
///
/// # Errors
/// 400 naming the field, with what is wrong with the code.
fn barcode(field: &str, text: &str) -> Result<Barcode, Failure> {
    Barcode::parse(text).map_err(|error| {
        let (message, correction) = said(error);
        Refusal::field(Code::ParametroInvalido, field, &message, correction).into()
    })
}

/// What is wrong with a code, and what to do.
fn said(error: BarcodeError) -> (String, &'static str) {
    let forms = "Informe um GTIN-8, 12, 13 ou 14, um ISBN-10 ou um ISBN-13.";
    match error {
        BarcodeError::Characters => ("O código tem mais do que dígitos.".to_owned(), forms),
        BarcodeError::Length(count) => (format!("Um código não tem {count} dígitos."), forms),
        BarcodeError::CheckDigit { expected, found } => (
            format!("O dígito verificador é {expected}, e não {found}."),
            "Leia o código de novo.",
        ),
        BarcodeError::NotAssigned => ("Nenhum produto tem este código.".to_owned(), forms),
    }
}
