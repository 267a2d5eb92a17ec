//! The access key out of a PDF with a text layer.
//!
//! A small reader of our own: a PDF is a customer's upload, so every count, size
//! and depth is bounded before it is used, nothing is fetched, drawn or decrypted,
//! and a broken file is read as far as it goes. Pictures are not looked at.

mod candidates;
mod file;
mod filter;
mod font;
mod object;
mod page;

use std::collections::HashSet;
use std::rc::Rc;

use serde::Serialize;

use candidates::{Candidata, Candidatas};
use file::Arquivo;
use object::{Dicionario, Objeto};
use page::{Paginas, Trecho};

/// Largest file.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;
/// Pages that are read; the key stands on every page of a DANFE.
const MAX_PAGINAS: usize = 40;
/// Pages after which a key that was found is believed.
const PAGINAS_SUFICIENTES: usize = 3;
/// Nodes of the tree of pages, and its depth.
const MAX_NOS: usize = 20_000;
const MAX_PROFUNDIDADE: usize = 32;

/// A key found in a PDF, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChaveLida {
    /// 44 positions.
    pub chave: String,
    /// Letters of the issuer's state.
    pub uf: &'static str,
    /// Issuer as in the key, 14 positions; empty if it is a person.
    pub cnpj_emitente: String,
    /// Issuer who is a person (rural producer, series 920 to 969).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpf_emitente: Option<String>,
    /// 55 or 65.
    pub modelo: String,
    /// Series of the note.
    pub serie: u16,
    /// Number of the note.
    pub numero: u32,
    /// "2026-10".
    pub ano_mes: String,
    /// Always true: a key whose check digit fails is an error.
    pub dv_confere: bool,
}

/// Why no key came out of a PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeituraError {
    /// No `%PDF` at the start, or nothing that can be read as one.
    #[error("O arquivo não é um PDF que se possa ler.")]
    NaoPdf,
    /// Larger or deeper than what is read.
    #[error("O PDF é grande demais para ser lido ({0}).")]
    Grande(&'static str),
    /// Protected by a password or rights.
    #[error("O PDF está protegido por senha ou por permissões.")]
    Protegido,
    /// Pages without text: a scan or a photo.
    #[error("O PDF não tem texto: é uma imagem ou digitalização.")]
    SemTexto,
    /// Text, but no 44 positions that look like a key.
    #[error("O texto do PDF não tem uma chave de acesso.")]
    SemChave,
    /// 44 positions whose check digit fails.
    #[error("O dígito verificador da chave encontrada não confere.")]
    DigitoInvalido,
    /// A key of another document: its model (57 CT-e, 58 MDF-e…).
    #[error("A chave encontrada é de um documento do modelo {0}.")]
    OutroModelo(String),
}

/// The access key of the NF-e or NFC-e a PDF shows.
///
/// # Errors
/// See [`LeituraError`].
pub fn read(pdf: &[u8]) -> Result<ChaveLida, LeituraError> {
    let mut candidatas = Candidatas::default();
    let mut com_texto = false;
    let mut lidas = 0;
    percorrer(pdf, |trechos| {
        com_texto |= trechos.iter().any(|trecho| !trecho.texto.trim().is_empty());
        candidatas.pagina(trechos, lidas == 0);
        lidas += 1;
        let achada = candidatas
            .melhor()
            .is_some_and(|melhor| melhor.dv_confere && melhor.de_nota());
        lidas < PAGINAS_SUFICIENTES || !achada
    })?;
    match candidatas.melhor() {
        None if com_texto => Err(LeituraError::SemChave),
        None => Err(LeituraError::SemTexto),
        Some(melhor) if !melhor.dv_confere => Err(LeituraError::DigitoInvalido),
        Some(melhor) if !melhor.de_nota() => {
            Err(LeituraError::OutroModelo(melhor.modelo().to_owned()))
        }
        Some(melhor) => Ok(abrir(melhor)),
    }
}

/// The text of a PDF, line by line as it is seen, page after page.
#[cfg(test)]
pub(super) fn texto(pdf: &[u8]) -> Result<Vec<String>, LeituraError> {
    let mut paginas = Vec::new();
    percorrer(pdf, |trechos| {
        paginas.push(candidates::linhas(trechos));
        true
    })?;
    Ok(paginas)
}

/// Gives the texts of each page to `ver` until it says that it has enough.
fn percorrer(pdf: &[u8], mut ver: impl FnMut(&[Trecho]) -> bool) -> Result<(), LeituraError> {
    if pdf.len() > MAX_BYTES {
        return Err(LeituraError::Grande("bytes"));
    }
    let inicio = pdf.get(..pdf.len().min(1024)).unwrap_or(&[]);
    if file::achar(inicio, b"%PDF").is_none() {
        return Err(LeituraError::NaoPdf);
    }
    let arquivo = Arquivo::abrir(pdf)?;
    let mut paginas = Paginas::novo(&arquivo);
    for (pagina, recursos) in da_arvore(&arquivo)? {
        if !ver(&paginas.ler(&pagina, &recursos)?) {
            break;
        }
    }
    Ok(())
}

/// The first pages with the resources they inherit.
fn da_arvore(arquivo: &Arquivo<'_>) -> Result<Vec<(Dicionario, Rc<Dicionario>)>, LeituraError> {
    let mut paginas = Vec::new();
    let mut por_ver: Vec<(Objeto, Rc<Dicionario>, usize)> = Vec::new();
    if let Some(raiz) = arquivo.raiz()?
        && let Some(pages) = raiz.get(b"Pages")
    {
        por_ver.push((pages.clone(), Rc::default(), 0));
    }
    let mut vistos = HashSet::new();
    let mut nos = 0;
    while let Some((objeto, herdados, profundidade)) = por_ver.pop() {
        nos += 1;
        if nos > MAX_NOS || paginas.len() >= MAX_PAGINAS {
            break;
        }
        if let Objeto::Referencia(numero) = objeto
            && !vistos.insert(numero)
        {
            continue;
        }
        let Some(Objeto::Dicionario(no)) = arquivo.seguir(&objeto)? else {
            continue;
        };
        let recursos = arquivo
            .dicionario(&no, b"Resources")?
            .map_or(herdados, Rc::new);
        match arquivo.valor(&no, b"Kids")? {
            Some(Objeto::Lista(filhos)) if profundidade < MAX_PROFUNDIDADE => {
                // The last is seen last: the stack turns the order round. No more
                // than can be read are copied.
                let filhos = filhos.into_iter().take(MAX_PAGINAS).rev();
                por_ver.extend(filhos.map(|filho| (filho, Rc::clone(&recursos), profundidade + 1)));
            }
            _ => paginas.push((no, recursos)),
        }
    }
    if paginas.is_empty() {
        for numero in arquivo.paginas_soltas.iter().take(MAX_PAGINAS) {
            if let Some(Objeto::Dicionario(no)) = arquivo.seguir(&Objeto::Referencia(*numero))? {
                let recursos = arquivo.dicionario(&no, b"Resources")?.unwrap_or_default();
                paginas.push((no, Rc::new(recursos)));
            }
        }
    }
    Ok(paginas)
}

/// A key taken apart (MOC 7.0, §5.4).
fn abrir(candidata: &Candidata) -> ChaveLida {
    let chave = &candidata.chave;
    let parte = |de: usize, ate: usize| chave.get(de..ate).unwrap_or("");
    let codigo = parte(0, 2).parse().unwrap_or(0);
    let serie = parte(22, 25).parse().unwrap_or(0);
    let emitente = parte(6, 20);
    // Persons issue in their own series, their CPF led by zeros.
    let cpf = emitente
        .strip_prefix("000")
        .filter(|_| (920..=969).contains(&serie));
    ChaveLida {
        uf: data::ufs::por_codigo(codigo).map_or("", |uf| uf.sigla),
        cnpj_emitente: if cpf.is_some() {
            String::new()
        } else {
            emitente.to_owned()
        },
        cpf_emitente: cpf.map(str::to_owned),
        modelo: candidata.modelo().to_owned(),
        serie,
        numero: parte(25, 34).parse().unwrap_or(0),
        ano_mes: format!("20{}-{}", parte(2, 4), parte(4, 6)),
        dv_confere: candidata.dv_confere,
        chave: chave.clone(),
    }
}
