//! Notes generated from an official schema: every element, every alternative.

use std::collections::HashMap;
use std::path::Path;

use markup::xml::{Document, Element};

/// The complex types of a package, as one text per file kept alive.
pub(super) struct Pacote {
    textos: Vec<String>,
}

impl Pacote {
    pub fn novo(pasta: &Path) -> Pacote {
        let nomes = [
            "leiauteNFe_v4.00.xsd",
            "DFeTiposBasicos_v1.00.xsd",
            "tiposBasico_v4.00.xsd",
        ];
        let textos = nomes
            .iter()
            .filter_map(|nome| std::fs::read_to_string(pasta.join(nome)).ok())
            .collect();
        Pacote { textos }
    }

    /// A note with every element once, `escolha` telling which alternative of
    /// each choice; values are all different.
    pub fn nota(&self, escolha: usize) -> String {
        let docs: Vec<Document<'_>> = self
            .textos
            .iter()
            .map(|texto| Document::parse(texto).unwrap())
            .collect();
        let mut tipos = HashMap::new();
        for doc in &docs {
            for tipo in doc.root().children().filter(|e| e.name() == "complexType") {
                tipos.insert(tipo.attribute("name").unwrap_or_default(), tipo);
            }
        }
        let mut gerador = Gerador {
            tipos,
            escolha,
            valores: 0,
        };
        let mut saida = "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\">".to_owned();
        let nfe = *gerador.tipos.get("TNFe").unwrap();
        let (atributos, conteudo) = gerador.conteudo(nfe);
        assert!(atributos.is_empty());
        saida.push_str(&conteudo);
        saida.push_str("</NFe>");
        saida
    }
}

struct Gerador<'d> {
    tipos: HashMap<&'d str, Element<'d>>,
    escolha: usize,
    valores: usize,
}

impl Gerador<'_> {
    /// Attributes and children of a complex type or particle.
    fn conteudo(&mut self, tipo: Element<'_>) -> (String, String) {
        let mut atributos = String::new();
        let mut conteudo = String::new();
        for parte in tipo.children() {
            match parte.name() {
                "attribute" => {
                    let nome = parte.attribute("name").unwrap();
                    self.valores += 1;
                    atributos.push_str(&format!(" {nome}=\"v{}\"", self.valores));
                }
                "element" => conteudo.push_str(&self.elemento(parte)),
                "sequence" | "complexContent" | "extension" => {
                    if let Some(base) = parte.attribute("base") {
                        let base = *self.tipos.get(base.rsplit(':').next().unwrap()).unwrap();
                        let (a, c) = self.conteudo(base);
                        atributos.push_str(&a);
                        conteudo.push_str(&c);
                    }
                    let (a, c) = self.conteudo(parte);
                    atributos.push_str(&a);
                    conteudo.push_str(&c);
                }
                "choice" => {
                    let alternativas: Vec<Element<'_>> = parte
                        .children()
                        .filter(|e| e.name() != "annotation")
                        .collect();
                    let uma = alternativas[self.escolha % alternativas.len()];
                    let (_, c) = match uma.name() {
                        "element" => (String::new(), self.elemento(uma)),
                        _ => self.conteudo(uma),
                    };
                    conteudo.push_str(&c);
                }
                _ => {}
            }
        }
        (atributos, conteudo)
    }

    fn elemento(&mut self, elemento: Element<'_>) -> String {
        let Some(nome) = elemento.attribute("name") else {
            return String::new();
        };
        let anonimo = elemento.child("complexType");
        let nomeado = elemento
            .attribute("type")
            .and_then(|tipo| self.tipos.get(tipo.rsplit(':').next().unwrap()).copied());
        let repete = elemento
            .attribute("maxOccurs")
            .is_some_and(|maximo| maximo != "1");
        let mut saida = String::new();
        for _ in 0..if repete { 2 } else { 1 } {
            let dentro = match anonimo.or(nomeado) {
                Some(tipo) => {
                    let (atributos, conteudo) = self.conteudo(tipo);
                    format!("<{nome}{atributos}>{conteudo}</{nome}>")
                }
                None => {
                    self.valores += 1;
                    format!("<{nome}>v{}</{nome}>", self.valores)
                }
            };
            saida.push_str(&dentro);
        }
        saida
    }
}
