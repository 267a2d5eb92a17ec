//! Official layouts as dated tables, and the one engine that writes,
//! validates and reads documents by them.
//!
//! A [`Layout`] is a compiled set of official XSDs under a name:
//!
//! | name | roots |
//! | --- | --- |
//! | `nfe-010b`, `nfe-010d`, `nfe-010e`, `nfe-010f` | `NFe`, `nfeProc`, `enviNFe`, `retEnviNFe`, `consReciNFe`, `retConsReciNFe` |
//! | `inutNFe-4.00` | `inutNFe`, `retInutNFe`, `procInutNFe`/`ProcInutNFe` |
//! | `consSitNFe-4.00`, `consStatServ-4.00`, `consCad-2.00` | question and answer |
//! | `distDFeInt-1.01` | `distDFeInt`, `retDistDFeInt`, `resNFe`, `resEvento` |
//! | `evento-110111` … | `evento`, `envEvento`, `procEventoNFe`, `retEnvEvento`, with that event's `detEvento` |
//! | `evento` | the same with any `detEvento` (NT generic layout) |
//! | `dps-1.01` | `DPS`, `NFSe`, `pedRegEvento`, `evento` of the national NFS-e |

mod catalogo;
pub mod compila;
mod erro;
mod escrever;
mod estrutura;
mod frases;
mod json;
mod lexico;
mod padrao;
mod tabela;
mod texto;
mod validar;

use std::sync::OnceLock;

use serde_json::Value;
use time::Date;

pub use erro::Erro;
pub use escrever::{Assinado, Escrito};
pub use texto::normalizar_texto;

use crate::arvore::Elemento;
use crate::xml::Document;
use tabela::Tabela;

/// One compiled layout. Made once, lives as long as the program.
#[derive(Debug)]
pub struct Layout {
    nome: &'static str,
    texto: &'static str,
    tabela: OnceLock<Option<Tabela>>,
}

impl Layout {
    /// Package of NF-e/NFC-e in force in production on an emission date.
    /// Dates before the oldest package get the oldest.
    pub fn nfe(data: Date) -> &'static Layout {
        catalogo::nfe(data)
    }

    /// The same by the calendar of the homologation environment.
    pub fn nfe_homologacao(data: Date) -> &'static Layout {
        catalogo::nfe_homologacao(data)
    }

    /// A layout by its name.
    pub fn get(nome: &str) -> Option<&'static Layout> {
        catalogo::get(nome)
    }

    /// Names of all layouts, sorted.
    pub fn nomes() -> impl Iterator<Item = &'static str> {
        catalogo::nomes()
    }

    pub fn nome(&self) -> &'static str {
        self.nome
    }

    /// Every error of a document, the most useful first; none means that the
    /// official XSD accepts it.
    pub fn validar(&self, xml: &str) -> Vec<Erro> {
        match self.tabela() {
            Some(tabela) => validar::valida(tabela, xml),
            None => vec![Erro::sem_tabela(self.nome)],
        }
    }

    /// The table; none only if its text is broken, which a test excludes.
    fn tabela(&self) -> Option<&Tabela> {
        self.tabela
            .get_or_init(|| Tabela::le(self.texto).ok())
            .as_ref()
    }

    /// Writes canonical XML (C14N 1.0) in the official order, without signature.
    ///
    /// # Errors
    /// A root the layout does not know, members that it has no place for.
    pub fn escrever(&self, _raiz: &Elemento) -> Result<Escrito, Vec<Erro>> {
        Err(vec![Erro::sem_tabela(self.nome)])
    }

    /// Puts children into the official order; unknown ones go last, as they came.
    pub fn ordenar(&self, _raiz: &mut Elemento) {}

    /// The document as JSON with official names: see [`Layout::de_json`].
    pub fn para_json(&self, doc: &Document<'_>) -> Value {
        json::para_json(doc)
    }

    /// A tree from JSON with official names. Attributes as `"@Id"` or `"Id"`.
    ///
    /// # Errors
    /// Members the layout does not know, values of the wrong shape.
    pub fn de_json(&self, _raiz: &str, _valor: &Value) -> Result<Elemento, Vec<Erro>> {
        Err(vec![Erro::sem_tabela(self.nome)])
    }

    /// See [`normalizar_texto`].
    pub fn normalizar_texto(&self, texto: &str) -> String {
        normalizar_texto(texto)
    }
}
