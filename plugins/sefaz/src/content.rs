//! The contents of the operations, read and checked before anything is sent.
//!
//! Fields nobody knows are ignored. What is written into a message is checked
//! to the letter, so nothing here can become markup.

use crate::ids;
use sdk::{Conteudo, Failure, FieldError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Schema of [`Autorizar`].
pub const AUTORIZAR: &str = "sefaz.autorizar/1";
/// Schema of [`Consultar`].
pub const CONSULTAR: &str = "sefaz.consultar/1";
/// Schema of [`Evento`].
pub const EVENTO: &str = "sefaz.evento/1";
/// Schema of [`Inutilizar`].
pub const INUTILIZAR: &str = "sefaz.inutilizar/1";
/// Schema of [`Status`].
pub const STATUS: &str = "sefaz.status/1";
/// Schema of [`Cadastro`].
pub const CADASTRO: &str = "sefaz.cadastro/1";
/// Schema of [`Distribuicao`].
pub const DISTRIBUICAO: &str = "sefaz.distribuicao/1";

/// Most earlier keys of one number.
const MAX_ANTERIORES: usize = 100;

/// A note to authorize; the signed document is a secret of the host's.
#[derive(Debug, Deserialize)]
pub struct Autorizar {
    pub modelo: String,
    pub chave: String,
    pub versao: String,
    pub id_lote: String,
    /// Other keys this hub once made for the same series and number.
    #[serde(default)]
    pub chaves_anteriores: Vec<String>,
}

/// A note whose state is asked.
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
pub struct Status {}

/// A taxpayer in the register of a state.
#[derive(Debug, Deserialize)]
pub struct Cadastro {
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
pub trait Conferir {
    fn conferir(&self, erros: &mut Vec<FieldError>);
}

/// # Errors
/// Another schema, JSON that does not fit, or fields that do not: `invalid-input`.
pub fn ler<T: DeserializeOwned + Conferir>(
    conteudo: &Conteudo,
    schema: &str,
) -> Result<T, Failure> {
    let lido: T = sdk::read_conteudo(conteudo, schema)?;
    let mut erros = Vec::new();
    lido.conferir(&mut erros);
    if erros.is_empty() {
        Ok(lido)
    } else {
        Err(Failure::invalid_input(erros))
    }
}

impl Conferir for Autorizar {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        exigir(
            erros,
            "modelo",
            modelo(&self.modelo),
            "O modelo é 55 ou 65.",
        );
        chave(erros, "chave", &self.chave);
        versao(erros, &self.versao);
        lote(erros, &self.id_lote);
        anteriores(erros, &self.chaves_anteriores);
    }
}

impl Conferir for Consultar {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        chave(erros, "chave", &self.chave);
        anteriores(erros, &self.chaves_anteriores);
    }
}

impl Conferir for Evento {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        let tipo = ids::digitos(&self.tipo_evento, 6..=6);
        exigir(
            erros,
            "tipo_evento",
            tipo,
            "O tipo do evento tem 6 dígitos.",
        );
        chave(erros, "chave", &self.chave);
        let sequencia = (1..=99).contains(&self.sequencia);
        exigir(erros, "sequencia", sequencia, "A sequência vai de 1 a 99.");
        versao(erros, &self.versao);
        let orgao = (11..=99).contains(&self.orgao);
        exigir(erros, "orgao", orgao, "O órgão tem 2 dígitos.");
        lote(erros, &self.id_lote);
    }
}

impl Conferir for Inutilizar {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        let ano = (6..=99).contains(&self.ano);
        exigir(erros, "ano", ano, "O ano tem 2 dígitos, de 06 em diante.");
        let cnpj = ids::cnpj(&self.cnpj) || ids::cpf(&self.cnpj);
        exigir(
            erros,
            "cnpj",
            cnpj,
            "Informe o CNPJ, ou o CPF, sem pontuação.",
        );
        let uf = ids::codigo_de_uf(self.uf);
        exigir(erros, "uf", uf, "Informe o código IBGE da UF.");
        exigir(
            erros,
            "modelo",
            modelo(&self.modelo),
            "O modelo é 55 ou 65.",
        );
        exigir(erros, "serie", self.serie <= 999, "A série vai de 0 a 999.");
        let faixa = 1 <= self.inicio && self.inicio <= self.fim && self.fim <= 999_999_999;
        exigir(
            erros,
            "fim",
            faixa,
            "A faixa vai de 1 a 999999999, do menor ao maior número.",
        );
    }
}

impl Conferir for Status {
    fn conferir(&self, _: &mut Vec<FieldError>) {}
}

impl Conferir for Cadastro {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        let uf = ids::codigo_da_sigla(&self.uf).is_some();
        exigir(erros, "uf", uf, "Informe a sigla da UF.");
        let dados = [&self.cnpj, &self.cpf, &self.ie];
        let um = dados.iter().filter(|dado| dado.is_some()).count() == 1;
        exigir(erros, "cnpj", um, "Informe um entre cnpj, cpf e ie.");
        let cada =
            |valor: &Option<String>, regra: fn(&str) -> bool| valor.as_deref().is_none_or(regra);
        exigir(
            erros,
            "cnpj",
            cada(&self.cnpj, ids::cnpj),
            "O CNPJ tem 14 posições, sem pontuação.",
        );
        exigir(
            erros,
            "cpf",
            cada(&self.cpf, ids::cpf),
            "O CPF tem 11 dígitos, sem pontuação.",
        );
        exigir(
            erros,
            "ie",
            cada(&self.ie, ids::ie),
            "A IE tem de 2 a 14 dígitos, ou ISENTO.",
        );
    }
}

impl Conferir for Distribuicao {
    fn conferir(&self, erros: &mut Vec<FieldError>) {
        let uf = self.uf_autor.is_none_or(ids::codigo_de_uf);
        exigir(erros, "uf_autor", uf, "Informe o código IBGE da UF.");
        let documento = ids::cnpj(&self.documento) || ids::cpf(&self.documento);
        exigir(
            erros,
            "documento",
            documento,
            "Informe o CNPJ, ou o CPF, sem pontuação.",
        );
        let dados = [&self.ultimo_nsu, &self.nsu, &self.chave];
        let um = dados.iter().filter(|dado| dado.is_some()).count() == 1;
        exigir(
            erros,
            "ultimo_nsu",
            um,
            "Informe um entre ultimo_nsu, nsu e chave.",
        );
        for (campo, nsu) in [("ultimo_nsu", &self.ultimo_nsu), ("nsu", &self.nsu)] {
            let certo = nsu.as_deref().is_none_or(|nsu| ids::digitos(nsu, 1..=15));
            exigir(erros, campo, certo, "O NSU tem até 15 dígitos.");
        }
        if let Some(valor) = &self.chave {
            chave(erros, "chave", valor);
        }
    }
}

fn exigir(erros: &mut Vec<FieldError>, campo: &str, certo: bool, texto: &str) {
    if !certo {
        erros.push(FieldError::new(campo, "formato", texto));
    }
}

fn modelo(modelo: &str) -> bool {
    matches!(modelo, "55" | "65")
}

fn chave(erros: &mut Vec<FieldError>, campo: &str, valor: &str) {
    exigir(
        erros,
        campo,
        ids::chave(valor),
        "A chave de acesso tem 44 posições.",
    );
}

fn versao(erros: &mut Vec<FieldError>, valor: &str) {
    let certa =
        matches!(valor.as_bytes(), [u, b'.', d, c] if [u, d, c].iter().all(|b| b.is_ascii_digit()));
    exigir(erros, "versao", certa, "A versão se escreve como 4.00.");
}

fn lote(erros: &mut Vec<FieldError>, valor: &str) {
    let certo = ids::digitos(valor, 1..=15);
    exigir(
        erros,
        "id_lote",
        certo,
        "O número do lote tem de 1 a 15 dígitos.",
    );
}

fn anteriores(erros: &mut Vec<FieldError>, chaves: &[String]) {
    let certas = chaves.len() <= MAX_ANTERIORES && chaves.iter().all(|valor| ids::chave(valor));
    exigir(
        erros,
        "chaves_anteriores",
        certas,
        "São até 100 chaves de acesso de 44 posições.",
    );
}
