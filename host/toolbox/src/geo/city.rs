//! A municipality in an answer, and how one is found by name.

use base::errors::{Code, Failure, Refusal};
use data::municipalities::{self, Municipality};
use data::search::{Index, SearchText, fold};
use data::ufs::{self, Uf};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::OnceLock;

/// Um município.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Municipio")]
pub(super) struct CityOut {
    /// Sete dígitos.
    pub codigo_ibge: String,
    pub nome: &'static str,
    pub uf: &'static str,
    pub estado: &'static str,
    pub regiao: &'static str,
}

impl CityOut {
    /// None for a code of no state, which no row of the table has.
    pub(super) fn of(row: &Municipality) -> Option<CityOut> {
        let uf = row.uf()?;
        Some(CityOut {
            codigo_ibge: row.codigo.to_string(),
            nome: row.name,
            uf: uf.abbreviation,
            estado: uf.name,
            regiao: uf.region(),
        })
    }
}

/// Municipalities whose name has the words, the best first.
pub(super) fn named(words: &str) -> Vec<&'static Municipality> {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let rows = municipalities::all();
    let index = INDEX.get_or_init(|| {
        Index::new(rows, |row| SearchText {
            codigo: row.codigo.to_string(),
            text: row.name.to_owned(),
            heading: false,
        })
    });
    index.find(rows, words, rows.len()).rows
}

/// Municipalities of exactly this name.
pub(super) fn cities_of(name: &str) -> Vec<&'static Municipality> {
    let wanted = fold(name);
    let all = named(name).into_iter();
    all.filter(|city| fold(city.name) == wanted).collect()
}

/// The state of a parameter, in either case.
///
/// # Errors
/// 400: there is no such state.
pub(super) fn state(text: &str) -> Result<&'static Uf, Failure> {
    let found = ufs::by_uf(&text.to_uppercase());
    found.ok_or_else(|| {
        Refusal::field(
            Code::ParametroInvalido,
            "uf",
            "Esta UF não existe.",
            "Use a sigla, como PR.",
        )
        .into()
    })
}

/// The municipality of a code of a path.
///
/// # Errors
/// 400 for another form, 404 when no municipality has it.
pub(super) fn by_code(text: &str) -> Result<&'static Municipality, Failure> {
    let digits = text.len() == 7 && text.bytes().all(|byte| byte.is_ascii_digit());
    let code = text.parse().ok().filter(|_| digits).ok_or_else(|| {
        Failure::from(Refusal::field(
            Code::ParametroInvalido,
            "codigo",
            "O código IBGE tem 7 dígitos.",
            "Informe o código do município, como 4106902.",
        ))
    })?;
    municipalities::get(code).ok_or_else(|| {
        Refusal::new(Code::SemResultado)
            .message("Nenhum município tem este código.")
            .hint("Procure o município em GET /api/v1/geo/cidades?q=.")
            .into()
    })
}
