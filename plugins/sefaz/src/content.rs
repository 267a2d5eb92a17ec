//! The contents of the operations, read and checked before anything is sent.
//!
//! Fields nobody knows are ignored. What is written into a message is checked
//! to the letter, so nothing here can become markup.

use crate::family::Family;
use crate::ids;
use sdk::{Conteudo, Failure, FieldError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Schema of [`Authorize`].
pub const AUTHORIZE: &str = "sefaz.autorizar/1";
/// Schema of [`Consultar`].
pub const CONSULTAR: &str = "sefaz.consultar/1";
/// Schema of [`Evento`].
pub const EVENTO: &str = "sefaz.evento/1";
/// Schema of [`Inutilizar`].
pub const INUTILIZAR: &str = "sefaz.inutilizar/1";
/// Schema of [`Status`].
pub const STATUS: &str = "sefaz.status/1";
/// Schema of [`Open`].
pub const OPEN: &str = "sefaz.nao-encerrados/1";
/// Schema of [`Registration`].
pub const REGISTRATION: &str = "sefaz.cadastro/1";
/// Schema of [`Distribuicao`].
pub const DISTRIBUICAO: &str = "sefaz.distribuicao/1";

/// What a wrong model is told.
const MODEL: &str = "O modelo é 55, 57, 58 ou 65.";
/// Model whose service is meant where none is named.
const DEFAULT: &str = "55";
/// Most earlier keys of one number.
const MAX_EARLIER: usize = 100;

/// A document to authorize; the signed document is a secret of the host's.
#[derive(Debug, Deserialize)]
pub struct Authorize {
    pub modelo: String,
    pub chave: String,
    pub versao: String,
    pub id_lote: String,
    /// Other keys this hub once made for the same series and number.
    #[serde(default)]
    pub chaves_anteriores: Vec<String>,
}

/// A document whose state is asked.
#[derive(Debug, Deserialize)]
pub struct Consultar {
    pub chave: String,
    #[serde(default)]
    pub chaves_anteriores: Vec<String>,
}

/// An event to register.
#[derive(Debug, Deserialize)]
pub struct Evento {
    pub tipo_evento: String,
    pub chave: String,
    pub sequencia: u32,
    pub versao: String,
    /// cOrgao.
    pub orgao: u32,
    pub id_lote: String,
    /// An earlier copy may be registered.
    #[serde(default)]
    pub reenvio: bool,
}

/// A range of numbers to void.
#[derive(Debug, Deserialize)]
pub struct Inutilizar {
    /// Two digits.
    pub ano: u32,
    /// CPF where the state lets a person void.
    pub cnpj: String,
    /// cUF.
    pub uf: u32,
    pub modelo: String,
    pub serie: u32,
    pub inicio: u32,
    pub fim: u32,
}

/// Whether the service works.
#[derive(Debug, Deserialize)]
pub struct Status {
    /// Whose service; absent: that of NF-e.
    pub modelo: Option<String>,
}

/// The emitter whose manifests are asked for.
#[derive(Debug, Deserialize)]
pub struct Open {
    /// cUF of the emitter.
    pub uf: u32,
    pub cnpj: Option<String>,
    pub cpf: Option<String>,
}

/// A taxpayer in the register of a state.
#[derive(Debug, Deserialize)]
pub struct Registration {
    pub uf: String,
    pub cnpj: Option<String>,
    pub cpf: Option<String>,
    pub ie: Option<String>,
}

/// Documents of interest.
#[derive(Debug, Deserialize)]
pub struct Distribuicao {
    pub uf_autor: Option<u32>,
    /// CNPJ or CPF of who asks.
    pub documento: String,
    pub ultimo_nsu: Option<String>,
    pub nsu: Option<String>,
    pub chave: Option<String>,
}

/// A content that says what is wrong with it.
pub trait Check {
    fn check(&self, erros: &mut Vec<FieldError>);
}

/// # Errors
/// Another schema, JSON that does not fit, or fields that do not: `invalid-input`.
pub fn read<T: DeserializeOwned + Check>(content: &Conteudo, schema: &str) -> Result<T, Failure> {
    let read: T = sdk::read_conteudo(content, schema)?;
    let mut erros = Vec::new();
    read.check(&mut erros);
    if erros.is_empty() {
        Ok(read)
    } else {
        Err(Failure::invalid_input(erros))
    }
}

impl Check for Authorize {
    fn check(&self, erros: &mut Vec<FieldError>) {
        require(erros, "modelo", model(&self.modelo), MODEL);
        chave(erros, "chave", &self.chave);
        let same = self.chave.get(20..22) == Some(self.modelo.as_str());
        require(erros, "chave", same, "A chave é de outro modelo.");
        version(erros, &self.versao);
        batch(erros, &self.id_lote);
        earlier(erros, &self.chaves_anteriores);
    }
}

impl Check for Consultar {
    fn check(&self, erros: &mut Vec<FieldError>) {
        chave(erros, "chave", &self.chave);
        require(erros, "chave", self.family().is_ok(), MODEL);
        earlier(erros, &self.chaves_anteriores);
    }
}

impl Check for Evento {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let kind = ids::digits(&self.tipo_evento, 6..=6);
        require(
            erros,
            "tipo_evento",
            kind,
            "O tipo do evento tem 6 dígitos.",
        );
        chave(erros, "chave", &self.chave);
        require(erros, "chave", self.family().is_ok(), MODEL);
        let sequence = (1..=999).contains(&self.sequencia);
        require(erros, "sequencia", sequence, "A sequência vai de 1 a 999.");
        version(erros, &self.versao);
        let agency = (11..=99).contains(&self.orgao);
        require(erros, "orgao", agency, "O órgão tem 2 dígitos.");
        batch(erros, &self.id_lote);
    }
}

impl Check for Inutilizar {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let year = (6..=99).contains(&self.ano);
        require(erros, "ano", year, "O ano tem 2 dígitos, de 06 em diante.");
        let cnpj = ids::cnpj(&self.cnpj) || ids::cpf(&self.cnpj);
        require(
            erros,
            "cnpj",
            cnpj,
            "Informe o CNPJ, ou o CPF, sem pontuação.",
        );
        let uf = ids::is_uf_code(self.uf);
        require(erros, "uf", uf, "Informe o código IBGE da UF.");
        require(erros, "modelo", model(&self.modelo), MODEL);
        require(erros, "serie", self.serie <= 999, "A série vai de 0 a 999.");
        let range = 1 <= self.inicio && self.inicio <= self.fim && self.fim <= 999_999_999;
        require(
            erros,
            "fim",
            range,
            "A faixa vai de 1 a 999999999, do menor ao maior número.",
        );
    }
}

impl Check for Status {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let known = self.modelo.as_deref().is_none_or(model);
        require(erros, "modelo", known, MODEL);
    }
}

impl Check for Open {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let uf = ids::is_uf_code(self.uf);
        require(erros, "uf", uf, "Informe o código IBGE da UF.");
        let who = match (&self.cnpj, &self.cpf) {
            (Some(cnpj), None) => ids::cnpj(cnpj),
            (None, Some(cpf)) => ids::cpf(cpf),
            _ => false,
        };
        let text = "Informe o CNPJ ou o CPF, sem pontuação.";
        require(erros, "cnpj", who, text);
    }
}

impl Authorize {
    /// # Errors
    /// No model of the adapter: [`Check`] says so before.
    pub fn family(&self) -> Result<&'static Family, Failure> {
        known(Family::of_model(&self.modelo))
    }
}

impl Consultar {
    /// # Errors
    /// The key is of no model of the adapter.
    pub fn family(&self) -> Result<&'static Family, Failure> {
        known(Family::of_chave(&self.chave))
    }
}

impl Evento {
    /// # Errors
    /// The key is of no model of the adapter.
    pub fn family(&self) -> Result<&'static Family, Failure> {
        known(Family::of_chave(&self.chave))
    }
}

impl Inutilizar {
    /// # Errors
    /// No model of the adapter.
    pub fn family(&self) -> Result<&'static Family, Failure> {
        known(Family::of_model(&self.modelo))
    }
}

impl Status {
    /// # Errors
    /// No model of the adapter.
    pub fn family(&self) -> Result<&'static Family, Failure> {
        known(Family::of_model(self.modelo.as_deref().unwrap_or(DEFAULT)))
    }
}

fn known(family: Option<&'static Family>) -> Result<&'static Family, Failure> {
    family.ok_or_else(|| {
        let error = FieldError::new("modelo", "formato", MODEL);
        Failure::invalid_input(vec![error])
    })
}

impl Check for Registration {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let uf = ids::uf_code(&self.uf).is_some();
        require(erros, "uf", uf, "Informe a sigla da UF.");
        let data = [&self.cnpj, &self.cpf, &self.ie];
        let one = data.iter().filter(|given| given.is_some()).count() == 1;
        require(erros, "cnpj", one, "Informe um entre cnpj, cpf e ie.");
        let each =
            |value: &Option<String>, rule: fn(&str) -> bool| value.as_deref().is_none_or(rule);
        require(
            erros,
            "cnpj",
            each(&self.cnpj, ids::cnpj),
            "O CNPJ tem 14 posições, sem pontuação.",
        );
        require(
            erros,
            "cpf",
            each(&self.cpf, ids::cpf),
            "O CPF tem 11 dígitos, sem pontuação.",
        );
        require(
            erros,
            "ie",
            each(&self.ie, ids::ie),
            "A IE tem de 2 a 14 dígitos, ou ISENTO.",
        );
    }
}

impl Check for Distribuicao {
    fn check(&self, erros: &mut Vec<FieldError>) {
        let uf = self.uf_autor.is_none_or(ids::is_uf_code);
        require(erros, "uf_autor", uf, "Informe o código IBGE da UF.");
        let documento = ids::cnpj(&self.documento) || ids::cpf(&self.documento);
        require(
            erros,
            "documento",
            documento,
            "Informe o CNPJ, ou o CPF, sem pontuação.",
        );
        let data = [&self.ultimo_nsu, &self.nsu, &self.chave];
        let one = data.iter().filter(|given| given.is_some()).count() == 1;
        require(
            erros,
            "ultimo_nsu",
            one,
            "Informe um entre ultimo_nsu, nsu e chave.",
        );
        for (field, nsu) in [("ultimo_nsu", &self.ultimo_nsu), ("nsu", &self.nsu)] {
            let right = nsu.as_deref().is_none_or(|nsu| ids::digits(nsu, 1..=15));
            require(erros, field, right, "O NSU tem até 15 dígitos.");
        }
        if let Some(value) = &self.chave {
            chave(erros, "chave", value);
        }
    }
}

fn require(erros: &mut Vec<FieldError>, field: &str, right: bool, text: &str) {
    if !right {
        erros.push(FieldError::new(field, "formato", text));
    }
}

fn model(model: &str) -> bool {
    Family::of_model(model).is_some()
}

fn chave(erros: &mut Vec<FieldError>, field: &str, value: &str) {
    require(
        erros,
        field,
        ids::chave(value),
        "A chave de acesso tem 44 posições.",
    );
}

fn version(erros: &mut Vec<FieldError>, value: &str) {
    let correct =
        matches!(value.as_bytes(), [u, b'.', d, c] if [u, d, c].iter().all(|b| b.is_ascii_digit()));
    require(erros, "versao", correct, "A versão se escreve como 4.00.");
}

fn batch(erros: &mut Vec<FieldError>, value: &str) {
    let right = ids::digits(value, 1..=15);
    require(
        erros,
        "id_lote",
        right,
        "O número do lote tem de 1 a 15 dígitos.",
    );
}

fn earlier(erros: &mut Vec<FieldError>, chaves: &[String]) {
    let all_right = chaves.len() <= MAX_EARLIER && chaves.iter().all(|value| ids::chave(value));
    require(
        erros,
        "chaves_anteriores",
        all_right,
        "São até 100 chaves de acesso de 44 posições.",
    );
}
