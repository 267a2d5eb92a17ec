//! What the authority would find wrong in a note beyond the schema: numbers
//! that contradict each other, digits, codes outside of their tables, a content
//! that is not the signed one.
//!
//! Each finding carries the `cStat` the note would be refused with, where one
//! is known (MOC 7.0 annex I, NT 2025.002). Rules of one state, of the
//! taxpayer registry and of the authority's own databases are not here.

mod chave;
mod dates;
mod event;
mod items;
mod nota;
mod operation;
mod parties;
mod protocol;
mod qrcode;
mod reform;
pub(crate) mod signature;
mod tables;
mod totals;
mod validity;
mod void;

use serde::Serialize;
use time::Date;

pub use event::conferir_evento;
pub(super) use nota::Nota;
pub use validity::Regras;
pub use void::conferir_inutilizacao;

use super::LeituraError;
use markup::xml::Document;
use markup::xmldsig::SignatureParts;

/// Most findings of one note.
const MAX_ACHADOS: usize = 200;

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Achado {
    /// `erro`: the note would be refused; `aviso`: it is odd, or only some
    /// states refuse it.
    pub gravidade: Gravidade,
    /// `infNFe/det[2]/prod/NCM`: from below the root.
    pub caminho: String,
    /// `cStat`, or a word of ours where the rule has none.
    pub codigo: &'static str,
    /// One sentence in pt-BR.
    pub mensagem: String,
    /// What to do, in pt-BR.
    pub correcao: String,
    /// What the document has, cut to 80 characters; absent for anything personal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valor: Option<String>,
    /// The authority's own text for the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<&'static str>,
}

/// What the rules say of a document, and which ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parecer {
    /// Those of the document's own day.
    pub regras: Regras,
    pub achados: Vec<Achado>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravidade {
    Erro,
    Aviso,
}

/// Everything that does not fit, the most useful first: refusals before
/// oddities, causes (key, parties, items) before consequences (totals).
/// Rules and tables are those of the day of emission, or of `hoje` where the note
/// has none.
/// `rsa` says whether the key of the certificate inside made the signature: the
/// host's, as this crate has no RSA. It is asked only where a content that is the
/// signed one comes with a certificate.
///
/// # Errors
/// There is no single `NFe/infNFe` in the document.
pub fn check(
    doc: &Document<'_>,
    hoje: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Parecer, LeituraError> {
    let nota = Nota::de(doc, hoje)?;
    let mut achados = Achados::novo(nota.modelo());
    chave::confere(&nota, &mut achados);
    parties::confere(&nota, &mut achados);
    dates::confere(&nota, hoje, &mut achados);
    operation::confere(&nota, &mut achados);
    items::confere(&nota, &mut achados);
    tables::confere(&nota, &mut achados);
    reform::confere(&nota, &mut achados);
    totals::confere(&nota, &mut achados);
    signature::confere(
        doc.text(),
        (nota.nfe, nota.inf),
        &signature::DA_SEFAZ,
        rsa,
        &mut achados,
    );
    protocol::confere(&nota, &mut achados);
    qrcode::confere(&nota, &mut achados);
    Ok(Parecer {
        regras: nota.regras,
        achados: achados.em_ordem(),
    })
}

/// Only what a note says of its operation, of a text that is being issued.
///
/// # Errors
/// Not XML, or not one note.
pub fn da_operacao(xml: &str, dia: Date) -> Result<Vec<Achado>, LeituraError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::de(&doc, dia)?;
    let mut achados = Achados::novo(nota.modelo());
    operation::confere(&nota, &mut achados);
    Ok(achados.lista)
}

/// What was found so far.
pub(crate) struct Achados {
    lista: Vec<Achado>,
    modelo: u8,
}

impl Achados {
    /// None yet, of a document of this model (0: not of SEFAZ).
    pub(crate) fn novo(modelo: u8) -> Achados {
        Achados {
            lista: Vec::new(),
            modelo,
        }
    }

    pub(crate) fn erro(
        &mut self,
        caminho: impl Into<String>,
        codigo: &'static str,
        mensagem: impl Into<String>,
        correcao: impl Into<String>,
    ) -> Posto<'_> {
        self.poe(
            Gravidade::Erro,
            caminho.into(),
            codigo,
            mensagem.into(),
            correcao.into(),
        )
    }

    fn aviso(
        &mut self,
        caminho: impl Into<String>,
        codigo: &'static str,
        mensagem: impl Into<String>,
        correcao: impl Into<String>,
    ) -> Posto<'_> {
        self.poe(
            Gravidade::Aviso,
            caminho.into(),
            codigo,
            mensagem.into(),
            correcao.into(),
        )
    }

    /// Refusals before oddities.
    pub(crate) fn em_ordem(mut self) -> Vec<Achado> {
        self.lista.sort_by_key(|achado| achado.gravidade);
        self.lista
    }

    fn poe(
        &mut self,
        gravidade: Gravidade,
        caminho: String,
        codigo: &'static str,
        mensagem: String,
        correcao: String,
    ) -> Posto<'_> {
        if self.lista.len() >= MAX_ACHADOS {
            return Posto(None);
        }
        let numero = codigo.parse::<u16>().ok();
        let original = numero.and_then(|numero| data::cstat::get(self.modelo, numero));
        self.lista.push(Achado {
            gravidade,
            caminho,
            codigo,
            mensagem,
            correcao,
            valor: None,
            original: original.map(|resposta| resposta.texto),
        });
        Posto(self.lista.last_mut())
    }
}

/// A finding just made, to show the value of.
pub(crate) struct Posto<'a>(Option<&'a mut Achado>);

impl Posto<'_> {
    pub(crate) fn valor(self, valor: &str) {
        if let Some(achado) = self.0 {
            achado.valor = Some(valor.chars().take(80).collect());
        }
    }
}
