//! Notes generated from an official schema: every element, every alternative.

use std::collections::HashMap;
use std::path::Path;

use markup::xml::{Document, Element};

/// The complex types of a package, as one text per file kept alive.
pub(super) struct Package {
    texts: Vec<String>,
}

impl Package {
    pub fn new(folder: &Path) -> Package {
        let names = [
            "leiauteNFe_v4.00.xsd",
            "DFeTiposBasicos_v1.00.xsd",
            "tiposBasico_v4.00.xsd",
        ];
        let texts = names
            .iter()
            .filter_map(|name| std::fs::read_to_string(folder.join(name)).ok())
            .collect();
        Package { texts }
    }

    /// A note with every element once, `escolha` telling which alternative of
    /// each choice; values are all different.
    pub fn nota(&self, choice: usize) -> String {
        let docs: Vec<Document<'_>> = self
            .texts
            .iter()
            .map(|text| Document::parse(text).unwrap())
            .collect();
        let mut tipos = HashMap::new();
        for doc in &docs {
            for kind in doc.root().children().filter(|e| e.name() == "complexType") {
                tipos.insert(kind.attribute("name").unwrap_or_default(), kind);
            }
        }
        let mut generator = Generator {
            tipos,
            choice,
            values: 0,
        };
        let mut output = "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\">".to_owned();
        let nfe = *generator.tipos.get("TNFe").unwrap();
        let (attributes, content) = generator.content(nfe);
        assert!(attributes.is_empty());
        output.push_str(&content);
        output.push_str("</NFe>");
        output
    }
}

struct Generator<'d> {
    tipos: HashMap<&'d str, Element<'d>>,
    choice: usize,
    values: usize,
}

impl Generator<'_> {
    /// Attributes and children of a complex type or particle.
    fn content(&mut self, kind: Element<'_>) -> (String, String) {
        let mut attributes = String::new();
        let mut content = String::new();
        for part in kind.children() {
            match part.name() {
                "attribute" => {
                    let name = part.attribute("name").unwrap();
                    self.values += 1;
                    attributes.push_str(&format!(" {name}=\"v{}\"", self.values));
                }
                "element" => content.push_str(&self.element(part)),
                "sequence" | "complexContent" | "extension" => {
                    if let Some(base) = part.attribute("base") {
                        let base = *self.tipos.get(base.rsplit(':').next().unwrap()).unwrap();
                        let (a, c) = self.content(base);
                        attributes.push_str(&a);
                        content.push_str(&c);
                    }
                    let (a, c) = self.content(part);
                    attributes.push_str(&a);
                    content.push_str(&c);
                }
                "choice" => {
                    let alternatives: Vec<Element<'_>> = part
                        .children()
                        .filter(|e| e.name() != "annotation")
                        .collect();
                    let one = alternatives[self.choice % alternatives.len()];
                    let (_, c) = match one.name() {
                        "element" => (String::new(), self.element(one)),
                        _ => self.content(one),
                    };
                    content.push_str(&c);
                }
                _ => {}
            }
        }
        (attributes, content)
    }

    fn element(&mut self, element: Element<'_>) -> String {
        let Some(name) = element.attribute("name") else {
            return String::new();
        };
        let anonymous = element.child("complexType");
        let named = element
            .attribute("type")
            .and_then(|kind| self.tipos.get(kind.rsplit(':').next().unwrap()).copied());
        let repeats = element
            .attribute("maxOccurs")
            .is_some_and(|maximum| maximum != "1");
        let mut output = String::new();
        for _ in 0..if repeats { 2 } else { 1 } {
            let inside = match anonymous.or(named) {
                Some(kind) => {
                    let (attributes, content) = self.content(kind);
                    format!("<{name}{attributes}>{content}</{name}>")
                }
                None => {
                    self.values += 1;
                    format!("<{name}>v{}</{name}>", self.values)
                }
            };
            output.push_str(&inside);
        }
        output
    }
}
