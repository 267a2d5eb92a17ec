//! The access key out of a PDF with a text layer.
//!
//! A small reader of our own: a PDF is a customer's upload, so every count, size
//! and depth is bounded before it is used, nothing is fetched, drawn or decrypted,
//! and a broken file is read as far as it goes. Pictures are not looked at.

mod candidates;
mod damaged;
mod file;
mod filter;
mod font;
pub mod object;
mod page;

use std::collections::HashSet;
use std::rc::Rc;

use serde::Serialize;

use candidates::{Candidate, Candidates};
use file::File;
use object::{Dictionary, Object};
use page::{Pages, Stretch};

/// Largest file.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;
/// Pages that are read; the key stands on every page of a DANFE.
const MAX_PAGES: usize = 40;
/// Pages after which a key that was found is believed.
const ENOUGH_PAGES: usize = 3;
/// Nodes of the tree of pages, and its depth.
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 32;

/// A key found in a PDF, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundChave {
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
pub enum ReadError {
    /// No `%PDF` at the start, or nothing that can be read as one.
    #[error("O arquivo não é um PDF que se possa ler.")]
    NotPdf,
    /// Larger or deeper than what is read.
    #[error("O PDF é grande demais para ser lido ({0}).")]
    Large(&'static str),
    /// Protected by a password or rights.
    #[error("O PDF está protegido por senha ou por permissões.")]
    Protected,
    /// Pages without text: a scan or a photo.
    #[error("O PDF não tem texto: é uma imagem ou digitalização.")]
    NoText,
    /// Text, but no 44 positions that look like a key.
    #[error("O texto do PDF não tem uma chave de acesso.")]
    NoChave,
    /// A key whose check digit fails, or the key of the paper damaged otherwise.
    #[error("O dígito verificador da chave encontrada não confere.")]
    InvalidDigit,
    /// A key of another document: its model (57 CT-e, 58 MDF-e…).
    #[error("A chave encontrada é de um documento do modelo {0}.")]
    OtherModel(String),
}

/// The access key of the NF-e or NFC-e a PDF shows.
///
/// # Errors
/// See [`ReadError`].
pub fn read(pdf: &[u8]) -> Result<FoundChave, ReadError> {
    let mut candidates = Candidates::default();
    let mut with_text = false;
    let mut found = 0;
    walk(pdf, |stretches| {
        with_text |= stretches
            .iter()
            .any(|stretch| !stretch.text.trim().is_empty());
        candidates.page(stretches, found == 0);
        found += 1;
        let best = candidates
            .best()
            .is_some_and(|best| best.dv_matches && best.of_nota());
        found < ENOUGH_PAGES || !best
    })?;
    match candidates.best() {
        None if candidates.only_damage() => Err(ReadError::InvalidDigit),
        None if with_text => Err(ReadError::NoChave),
        None => Err(ReadError::NoText),
        Some(best) if !best.dv_matches => Err(ReadError::InvalidDigit),
        Some(best) if !best.of_nota() => Err(ReadError::OtherModel(best.model().to_owned())),
        Some(best) => match candidates.transport() {
            Some(model) => Err(ReadError::OtherModel(model.to_owned())),
            None if candidates.hidden_by_damage(best) => Err(ReadError::InvalidDigit),
            None => Ok(open(best)),
        },
    }
}

/// The text of a PDF, line by line as it is seen, page after page.
///
/// # Errors
/// [`ReadError::NotPdf`], [`ReadError::Large`] and [`ReadError::Protected`].
pub fn text(pdf: &[u8]) -> Result<Vec<String>, ReadError> {
    let mut pages = Vec::new();
    walk(pdf, |stretches| {
        pages.push(candidates::lines(stretches));
        true
    })?;
    Ok(pages)
}

/// Gives the texts of each page to `ver` until it says that it has enough.
fn walk(pdf: &[u8], mut ver: impl FnMut(&[Stretch]) -> bool) -> Result<(), ReadError> {
    if pdf.len() > MAX_BYTES {
        return Err(ReadError::Large("bytes"));
    }
    let start = pdf.get(..pdf.len().min(1024)).unwrap_or(&[]);
    if file::find(start, b"%PDF").is_none() {
        return Err(ReadError::NotPdf);
    }
    let file = File::open(pdf)?;
    let mut pages = Pages::new(&file);
    for (page, resources) in of_tree(&file)? {
        if !ver(&pages.read(&page, &resources)?) {
            break;
        }
    }
    Ok(())
}

/// The first pages with the resources they inherit.
fn of_tree(file: &File<'_>) -> Result<Vec<(Dictionary, Rc<Dictionary>)>, ReadError> {
    let mut page_list = Vec::new();
    let mut unseen: Vec<(Object, Rc<Dictionary>, usize)> = Vec::new();
    if let Some(root) = file.root()?
        && let Some(pages) = root.get(b"Pages")
    {
        unseen.push((pages.clone(), Rc::default(), 0));
    }
    let mut seen = HashSet::new();
    let mut nodes = 0;
    while let Some((object, inherited, depth)) = unseen.pop() {
        nodes += 1;
        if nodes > MAX_NODES || page_list.len() >= MAX_PAGES {
            break;
        }
        if let Object::Reference(number) = object
            && !seen.insert(number)
        {
            continue;
        }
        let Some(Object::Dictionary(node)) = file.follow(&object)? else {
            continue;
        };
        let resources = file
            .dictionary(&node, b"Resources")?
            .map_or(inherited, Rc::new);
        match file.value(&node, b"Kids")? {
            Some(Object::List(children)) if depth < MAX_DEPTH => {
                // The last is seen last: the stack turns the order round. No more
                // than can be read are copied.
                let children = children.into_iter().take(MAX_PAGES).rev();
                unseen.extend(children.map(|child| (child, Rc::clone(&resources), depth + 1)));
            }
            _ => page_list.push((node, resources)),
        }
    }
    if page_list.is_empty() {
        for number in file.loose_pages.iter().take(MAX_PAGES) {
            if let Some(Object::Dictionary(node)) = file.follow(&Object::Reference(*number))? {
                let resources = file.dictionary(&node, b"Resources")?.unwrap_or_default();
                page_list.push((node, Rc::new(resources)));
            }
        }
    }
    Ok(page_list)
}

/// A key taken apart (MOC 7.0, §5.4).
fn open(candidate: &Candidate) -> FoundChave {
    let chave = &candidate.chave;
    let part = |from: usize, to: usize| chave.get(from..to).unwrap_or("");
    let code = part(0, 2).parse().unwrap_or(0);
    let serie = part(22, 25).parse().unwrap_or(0);
    let emitter = part(6, 20);
    // Persons issue in their own series, their CPF led by zeros.
    let cpf = emitter
        .strip_prefix("000")
        .filter(|_| (920..=969).contains(&serie));
    FoundChave {
        uf: data::ufs::by_code(code).map_or("", |uf| uf.abbreviation),
        cnpj_emitente: if cpf.is_some() {
            String::new()
        } else {
            emitter.to_owned()
        },
        cpf_emitente: cpf.map(str::to_owned),
        modelo: candidate.model().to_owned(),
        serie,
        numero: part(25, 34).parse().unwrap_or(0),
        ano_mes: format!("20{}-{}", part(2, 4), part(4, 6)),
        dv_confere: candidate.dv_matches,
        chave: chave.clone(),
    }
}
