//! Cuts an element out of an answer so that it can stand alone.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use sdk::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};

/// Namespace declarations in force: prefix ("" is the default) and URI as it
/// is written.
type Escopo = BTreeMap<String, String>;

/// The element exactly as it came, with the namespace declarations of its
/// ancestors added to its start tag. Only those it uses; all of them when it
/// holds a signature, whose canonical form covers them.
pub fn isolate(document: &Document, element: &Element) -> String {
    let raw = document.raw(element);
    let herdado = herdado(document.text(), element.span().start);
    let (usados, proprios) = prefixos(raw);
    let assinado = element.descendant("Signature").is_some();
    let mut declaracoes = String::new();
    for (prefixo, uri) in &herdado {
        let precisa = assinado || usados.contains(prefixo);
        if !precisa || proprios.contains(prefixo) || (prefixo.is_empty() && uri.is_empty()) {
            continue;
        }
        let aspas = if uri.contains('"') { '\'' } else { '"' };
        let nome = if prefixo.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{prefixo}")
        };
        declaracoes.push_str(&format!(" {nome}={aspas}{uri}{aspas}"));
    }
    let fim_do_nome = raw
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_whitespace() || matches!(c, '>' | '/'))
        .map_or(raw.len(), |(at, _)| at);
    match raw.split_at_checked(fim_do_nome) {
        Some((antes, depois)) => format!("{antes}{declaracoes}{depois}"),
        None => raw.to_owned(),
    }
}

/// Declarations in force where the element at this byte begins.
fn herdado(texto: &str, inicio: usize) -> Escopo {
    let mut leitor = Reader::from_str(texto);
    let mut abertos: Vec<Escopo> = Vec::new();
    while usize::try_from(leitor.buffer_position()).is_ok_and(|at| at < inicio) {
        match leitor.read_event() {
            Ok(Event::Start(tag)) => {
                let mut escopo = abertos.last().cloned().unwrap_or_default();
                escopo.extend(declaracoes(&tag));
                abertos.push(escopo);
            }
            Ok(Event::End(_)) => {
                abertos.pop();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    abertos.pop().unwrap_or_default()
}

fn declaracoes(tag: &BytesStart<'_>) -> Escopo {
    let mut escopo = Escopo::new();
    for atributo in tag.attributes().filter_map(Result::ok) {
        let nome = atributo.key.into_inner();
        let prefixo = match nome.strip_prefix("xmlns") {
            Some("") => "",
            Some(resto) => match resto.strip_prefix(':') {
                Some(prefixo) => prefixo,
                None => continue,
            },
            None => continue,
        };
        escopo.insert(prefixo.to_owned(), atributo.value.to_string());
    }
    escopo
}

/// Prefixes that a fragment uses anywhere, and those its own start tag
/// declares.
fn prefixos(raw: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut usados = BTreeSet::new();
    let mut proprios = None;
    let mut leitor = Reader::from_str(raw);
    loop {
        match leitor.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let nome = tag.name().into_inner().to_owned();
                let prefixo = nome.split_once(':').map_or("", |(prefixo, _)| prefixo);
                usados.insert(prefixo.to_owned());
                for atributo in tag.attributes().filter_map(Result::ok) {
                    if let Some((prefixo, _)) = atributo.key.into_inner().split_once(':')
                        && prefixo != "xmlns"
                    {
                        usados.insert(prefixo.to_owned());
                    }
                }
                proprios.get_or_insert_with(|| declaracoes(&tag).into_keys().collect());
            }
            Ok(Event::Eof) | Err(_) => return (usados, proprios.unwrap_or_default()),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::xml;

    fn isolado(texto: &str, nome: &str) -> String {
        let document = xml::parse(texto.as_bytes()).expect("reads");
        let element = document.root().descendant(nome).expect("element");
        isolate(&document, element)
    }

    #[test]
    fn takes_what_it_uses() {
        let texto = r#"<r xmlns="urn:r" xmlns:a="urn:a" xmlns:b="urn:b" xmlns:x="urn:x"><a:C Id="1"><a:D x:y="1"/></a:C></r>"#;
        assert_eq!(
            isolado(texto, "C"),
            r#"<a:C xmlns:a="urn:a" xmlns:x="urn:x" Id="1"><a:D x:y="1"/></a:C>"#
        );
    }

    #[test]
    fn nearest_declaration_wins_and_own_ones_stay() {
        let texto = r#"<r xmlns="urn:1"><s xmlns="urn:2"><C xmlns:k="urn:k"/></s><s><C xmlns="urn:3"/></s></r>"#;
        assert_eq!(isolado(texto, "C"), r#"<C xmlns="urn:2" xmlns:k="urn:k"/>"#);
        let texto = r#"<r xmlns="urn:1"><C xmlns="urn:3">x</C></r>"#;
        assert_eq!(isolado(texto, "C"), r#"<C xmlns="urn:3">x</C>"#);
    }

    #[test]
    fn a_signature_keeps_its_context() {
        let texto = r#"<r xmlns="urn:1" xmlns:xsi="urn:xsi"><C><Signature/></C></r>"#;
        assert_eq!(
            isolado(texto, "C"),
            r#"<C xmlns="urn:1" xmlns:xsi="urn:xsi"><Signature/></C>"#
        );
    }
}
