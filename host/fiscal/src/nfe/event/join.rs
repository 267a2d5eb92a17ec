//! A signed document and the authority's answer in one file, byte for byte.
//!
//! The parts keep their bytes, or signatures break. One thing is added where
//! it must be: a prefix that the part uses but that was declared outside of it
//! (in the SOAP envelope) is declared on its root. The default namespace needs
//! nothing, the new root declares the same.

use thiserror::Error;

use super::NAMESPACE;
use markup::xml::{Document, Element, XmlError};

/// Why two documents cannot be joined.
#[derive(Debug, Error)]
pub enum JuntarError {
    #[error("{what} is not readable XML: {source}")]
    Xml {
        what: &'static str,
        source: XmlError,
    },
    #[error("there is no {0} in what was given")]
    Missing(&'static str),
    #[error("{0} is not in the namespace of NF-e")]
    Namespace(&'static str),
}

/// `nfeProc`: the note and its protocol. Either may be inside of something
/// else (`enviNFe`, a SOAP answer); a `protNFe` cut out without its namespace
/// inherits the note's.
///
/// # Errors
/// Either is not found, not XML or of another namespace.
pub fn nfe_proc(nfe_xml: &str, prot_xml: &str) -> Result<String, JuntarError> {
    let nfe = parte(nfe_xml, "NFe")?;
    let prot = parte(prot_xml, "protNFe")?;
    Ok(juntos("nfeProc", "4.00", &[&nfe, &prot]))
}

/// `procEventoNFe`: the event and its answer.
///
/// # Errors
/// As [`nfe_proc`].
pub fn proc_evento(evento_xml: &str, ret_evento_xml: &str) -> Result<String, JuntarError> {
    let evento = parte(evento_xml, "evento")?;
    let ret = parte(ret_evento_xml, "retEvento")?;
    Ok(juntos("procEventoNFe", "1.00", &[&evento, &ret]))
}

/// `ProcInutNFe`: the voiding request and its answer.
///
/// # Errors
/// As [`nfe_proc`].
pub fn proc_inut(inut_xml: &str, ret_inut_xml: &str) -> Result<String, JuntarError> {
    let inut = parte(inut_xml, "inutNFe")?;
    let ret = parte(ret_inut_xml, "retInutNFe")?;
    Ok(juntos("ProcInutNFe", "4.00", &[&inut, &ret]))
}

/// `envEvento`: a batch of up to 20 signed events. `id_lote` has 1 to 15
/// digits.
///
/// # Errors
/// One is not an event.
pub fn envi_evento(id_lote: u64, eventos: &[&str]) -> Result<String, JuntarError> {
    let partes = eventos
        .iter()
        .map(|evento| parte(evento, "evento"))
        .collect::<Result<Vec<_>, _>>()?;
    let lote = format!("<idLote>{}</idLote>", id_lote % 1_000_000_000_000_000);
    let mut tudo: Vec<&str> = vec![&lote];
    tudo.extend(partes.iter().map(String::as_str));
    Ok(juntos("envEvento", "1.00", &tudo))
}

fn juntos(raiz: &str, versao: &str, partes: &[&str]) -> String {
    let mut saida = format!("<{raiz} xmlns=\"{NAMESPACE}\" versao=\"{versao}\">");
    for parte in partes {
        saida.push_str(parte);
    }
    saida.push_str("</");
    saida.push_str(raiz);
    saida.push('>');
    saida
}

/// The first element of that name, as it stands in the text.
fn parte(texto: &str, nome: &'static str) -> Result<String, JuntarError> {
    let xml = |source| JuntarError::Xml { what: nome, source };
    let doc = Document::parse(texto).map_err(xml)?;
    let elemento = doc
        .elements()
        .find(|elemento| elemento.name() == nome)
        .ok_or(JuntarError::Missing(nome))?;
    let solto = elemento.namespace().is_empty() && elemento == doc.root();
    if elemento.namespace() != NAMESPACE && !solto {
        return Err(JuntarError::Namespace(nome));
    }
    let bytes = texto.get(elemento.span()).unwrap_or_default();
    Ok(com_prefixos(&doc, elemento, bytes))
}

/// Declares on the root of a part what is declared only around it.
fn com_prefixos(doc: &Document<'_>, elemento: Element<'_>, bytes: &str) -> String {
    let fora: Vec<(&str, &str)> = doc
        .namespaces_in_scope(elemento.id())
        .into_iter()
        .filter(|(prefixo, uri)| {
            !prefixo.is_empty()
                && !bytes_da_raiz(elemento, bytes).contains(&format!("xmlns:{prefixo}="))
                && usa(elemento, prefixo, uri)
        })
        .collect();
    if fora.is_empty() {
        return bytes.to_owned();
    }
    let nome = if elemento.prefix().is_empty() {
        elemento.name().len()
    } else {
        elemento.prefix().len() + 1 + elemento.name().len()
    };
    let (antes, depois) = bytes.split_at_checked(1 + nome).unwrap_or((bytes, ""));
    let mut saida = antes.to_owned();
    for (prefixo, uri) in fora {
        saida.push_str(&format!(" xmlns:{prefixo}=\""));
        markup::xml::escape_attribute(&mut saida, uri);
        saida.push('"');
    }
    saida.push_str(depois);
    saida
}

/// The start tag.
fn bytes_da_raiz<'t>(elemento: Element<'_>, bytes: &'t str) -> &'t str {
    let fim = elemento.content_span().map_or(bytes.len(), |conteudo| {
        conteudo.start - elemento.span().start
    });
    bytes.get(..fim).unwrap_or(bytes)
}

/// Whether the prefix stands on an element or attribute inside. A declaration
/// further in may hide it; declaring it once too often does no harm.
fn usa(elemento: Element<'_>, prefixo: &str, uri: &str) -> bool {
    elemento
        .descendants_or_self()
        .any(|dentro| dentro.prefix() == prefixo || dentro.attributes().any(|(de, _, _)| de == uri))
}
