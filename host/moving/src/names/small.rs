//! Bodies of the calls that are about a note or about numbers.

use super::row::{Rows, company, integer, text, texts};

/// Addresses that get a note by mail.
pub const EMAILS: Rows = &[&[texts("emails", "para", &[])]];

/// A range of numbers that is voided.
pub const VOID: Rows = &[&[
    company("cnpj", "cnpj"),
    integer("serie", "serie"),
    integer("numero_inicial", "numero_inicial"),
    integer("numero_final", "numero_final"),
    text("justificativa", "justificativa"),
]];
