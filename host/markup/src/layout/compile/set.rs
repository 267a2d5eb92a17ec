//! A schema document with all it includes and imports, and its global names.

use std::collections::{BTreeMap, BTreeSet};

use super::Ler;
use crate::xml::{Document, Element};

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";
/// Files of one set: far above the official ones.
const MAX_ARQUIVOS: usize = 64;

/// A file, and the namespace it takes on when it declares none itself.
pub(super) struct Texto {
    pub caminho: String,
    texto: String,
    herdado: Option<String>,
}

/// Reads a file and what it names, each once.
pub(super) fn carrega(caminho: &str, ler: Ler<'_>) -> Result<Vec<Texto>, String> {
    let mut textos: Vec<Texto> = Vec::new();
    let mut vistos = BTreeSet::from([caminho.to_owned()]);
    let mut fila = vec![(caminho.to_owned(), None)];
    while let Some((caminho, herdado)) = fila.pop() {
        if textos.len() >= MAX_ARQUIVOS {
            return Err(format!("{caminho}: too many files"));
        }
        let texto = ler(&caminho).map_err(|erro| format!("{caminho}: {erro}"))?;
        let pasta = caminho.rsplit_once('/').map_or("", |(pasta, _)| pasta);
        {
            let doc = Document::parse(&texto).map_err(|erro| format!("{caminho}: {erro}"))?;
            let alvo = doc.root().attribute("targetNamespace").map(str::to_owned);
            for filho in doc.root().children() {
                let herda = match filho.name() {
                    "include" => alvo.clone().or_else(|| herdado.clone()),
                    "import" => None,
                    _ => continue,
                };
                let Some(nome) = filho.attribute("schemaLocation") else {
                    continue;
                };
                let outro = format!("{pasta}/{nome}");
                if vistos.insert(outro.clone()) {
                    fila.push((outro, herda));
                }
            }
        }
        textos.push(Texto {
            caminho,
            texto,
            herdado,
        });
    }
    Ok(textos)
}

/// Global declarations of a set, by namespace and name.
pub(super) struct Conjunto<'t> {
    documentos: Vec<(Document<'t>, String)>,
    elementos: BTreeMap<(String, String), (usize, usize)>,
    tipos: BTreeMap<(String, String), (usize, usize)>,
}

/// A schema element and the file it is from.
#[derive(Clone, Copy)]
pub(super) struct Parte<'c> {
    pub elemento: Element<'c>,
    arquivo: usize,
}

impl<'c> Parte<'c> {
    pub fn filhos(self) -> impl Iterator<Item = Parte<'c>> {
        self.elemento
            .children()
            .filter(|filho| filho.namespace() == XSD && filho.name() != "annotation")
            .map(move |elemento| Parte {
                elemento,
                arquivo: self.arquivo,
            })
    }

    pub fn filho(self, nome: &str) -> Option<Parte<'c>> {
        self.filhos().find(|filho| filho.elemento.name() == nome)
    }

    pub fn atributo(self, nome: &str) -> Option<&'c str> {
        self.elemento.attribute(nome)
    }
}

impl<'t> Conjunto<'t> {
    pub fn le(textos: &'t [Texto]) -> Result<Conjunto<'t>, String> {
        let mut conjunto = Conjunto {
            documentos: Vec::new(),
            elementos: BTreeMap::new(),
            tipos: BTreeMap::new(),
        };
        for texto in textos {
            let doc =
                Document::parse(&texto.texto).map_err(|e| format!("{}: {e}", texto.caminho))?;
            let alvo = doc
                .root()
                .attribute("targetNamespace")
                .map(str::to_owned)
                .or_else(|| texto.herdado.clone())
                .unwrap_or_default();
            let arquivo = conjunto.documentos.len();
            for (indice, filho) in doc.root().children().enumerate() {
                let Some(nome) = filho.attribute("name") else {
                    continue;
                };
                let chave = (alvo.clone(), nome.to_owned());
                let onde = match filho.name() {
                    "element" => &mut conjunto.elementos,
                    "simpleType" | "complexType" => &mut conjunto.tipos,
                    outro => return Err(format!("{}: global {outro}", texto.caminho)),
                };
                onde.entry(chave).or_insert((arquivo, indice));
            }
            conjunto.documentos.push((doc, alvo));
        }
        Ok(conjunto)
    }

    /// Global elements in order of namespace and name.
    pub fn elementos(&self) -> impl Iterator<Item = (&str, &str)> {
        self.elementos
            .keys()
            .map(|(ns, nome)| (ns.as_str(), nome.as_str()))
    }

    /// Global types in order of namespace and name.
    pub fn tipos(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tipos
            .keys()
            .map(|(ns, nome)| (ns.as_str(), nome.as_str()))
    }

    pub fn elemento(&self, ns: &str, nome: &str) -> Result<Parte<'_>, String> {
        self.busca(&self.elementos, ns, nome)
            .ok_or_else(|| format!("element {nome} of {ns:?} is not defined"))
    }

    pub fn tipo(&self, ns: &str, nome: &str) -> Result<Parte<'_>, String> {
        self.busca(&self.tipos, ns, nome)
            .ok_or_else(|| format!("type {nome} of {ns:?} is not defined"))
    }

    fn busca(
        &self,
        onde: &BTreeMap<(String, String), (usize, usize)>,
        ns: &str,
        nome: &str,
    ) -> Option<Parte<'_>> {
        let (arquivo, indice) = *onde.get(&(ns.to_owned(), nome.to_owned()))?;
        let elemento = self
            .documentos
            .get(arquivo)?
            .0
            .root()
            .children()
            .nth(indice)?;
        Some(Parte { elemento, arquivo })
    }

    /// Target namespace of the file a part is from.
    pub fn alvo(&self, parte: Parte<'_>) -> &str {
        self.documentos
            .get(parte.arquivo)
            .map_or("", |(_, alvo)| alvo)
    }

    /// Namespace and local name that a `QName` in an attribute stands for.
    pub fn qname<'n>(&self, parte: Parte<'_>, qname: &'n str) -> Result<(String, &'n str), String> {
        let qname = qname.trim();
        let (prefixo, nome) = qname.split_once(':').unwrap_or(("", qname));
        let Some((doc, alvo)) = self.documentos.get(parte.arquivo) else {
            return Err("no such file".to_owned());
        };
        let escopo = doc.namespaces_in_scope(parte.elemento.id());
        match escopo.iter().find(|(outro, _)| *outro == prefixo) {
            Some((_, uri)) => Ok(((*uri).to_owned(), nome)),
            None if prefixo.is_empty() => Ok((alvo.clone(), nome)),
            None => Err(format!("prefix of {qname} is not declared")),
        }
    }
}
