//! libxml2's verdict, by `xmllint`, many files a call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fiscal::layout::compila::Receita;
use fiscal::xml::Document;

/// Schemas as libxml2 can be asked: one file per recipe.
pub struct Oraculo {
    pasta: tempfile::TempDir,
    esquemas: PathBuf,
}

/// Files of one call.
const LOTE: usize = 400;

impl Oraculo {
    pub fn novo(esquemas: PathBuf) -> Oraculo {
        Oraculo {
            pasta: tempfile::tempdir().expect("a temporary folder"),
            esquemas,
        }
    }

    /// Verdict of each document against a recipe's schema.
    pub fn julga(&self, receita: &Receita, documentos: &[String]) -> Vec<bool> {
        let esquema = self.esquema(receita);
        let pasta = self.pasta.path().join(receita.nome).join("docs");
        std::fs::create_dir_all(&pasta).expect("a folder");
        let mut vereditos = vec![false; documentos.len()];
        for (lote, parte) in documentos.chunks(LOTE).enumerate() {
            let arquivos: Vec<PathBuf> = (0..parte.len())
                .map(|numero| pasta.join(format!("{}.xml", lote * LOTE + numero)))
                .collect();
            for (arquivo, texto) in arquivos.iter().zip(parte) {
                std::fs::write(arquivo, texto).expect("a document");
            }
            let saida = Command::new("xmllint")
                .args(["--noout", "--nonet", "--schema"])
                .arg(&esquema)
                .args(&arquivos)
                .output()
                .expect("xmllint runs");
            let texto = String::from_utf8_lossy(&saida.stderr);
            assert!(
                !texto.contains("schema"),
                "{}",
                texto.lines().take(3).collect::<String>()
            );
            for linha in texto.lines() {
                if let Some(arquivo) = linha.strip_suffix(" validates")
                    && let Some(numero) = numero(arquivo)
                {
                    vereditos[numero] = true;
                }
            }
            for arquivo in &arquivos {
                std::fs::remove_file(arquivo).expect("a document to remove");
            }
        }
        vereditos
    }

    /// Writes the files of a recipe so that one schema has all its roots.
    fn esquema(&self, receita: &Receita) -> PathBuf {
        let pasta = self.pasta.path().join(receita.nome);
        std::fs::create_dir_all(&pasta).expect("a folder");
        let origem = self.esquemas.join(receita.pasta);
        let mut fila: Vec<String> = receita.arquivos.iter().map(|a| (*a).to_owned()).collect();
        fila.extend(receita.det_evento.map(str::to_owned));
        let mut textos: HashMap<String, String> = HashMap::new();
        while let Some(nome) = fila.pop() {
            if textos.contains_key(&nome) {
                continue;
            }
            let texto = super::tabelas::le(&origem.join(&nome)).expect("a schema");
            let doc = Document::parse(&texto).expect("a schema");
            for filho in doc.root().children() {
                if let Some(outro) = filho.attribute("schemaLocation") {
                    fila.push(outro.to_owned());
                }
            }
            textos.insert(nome, texto);
        }
        let mut envelope = format!(
            "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns=\"{0}\" targetNamespace=\"{0}\" elementFormDefault=\"qualified\">",
            receita.namespace
        );
        for nome in receita.arquivos.iter().copied().chain(receita.det_evento) {
            envelope.push_str(&format!(
                "<xs:include schemaLocation=\"{}\"/>",
                sem_espaco(nome)
            ));
        }
        for (nome, tipo) in receita.raizes {
            envelope.push_str(&format!("<xs:element name=\"{nome}\" type=\"{tipo}\"/>"));
        }
        envelope.push_str("</xs:schema>");
        if receita.det_evento.is_some() {
            for nome in receita.arquivos {
                let texto = textos.remove(*nome).expect("the envelope");
                textos.insert((*nome).to_owned(), aponta(&texto));
            }
        }
        for (nome, texto) in textos {
            std::fs::write(pasta.join(sem_espaco(&nome)), texto).expect("a schema");
        }
        let arquivo = pasta.join("_todos.xsd");
        std::fs::write(&arquivo, envelope).expect("a schema");
        arquivo
    }
}

/// The envelope with a reference to the global `detEvento` instead of its own.
fn aponta(texto: &str) -> String {
    let doc = Document::parse(texto).expect("a schema");
    let alvo = doc
        .elements()
        .find(|e| e.name() == "element" && e.attribute("name") == Some("detEvento"))
        .expect("detEvento");
    let span = alvo.span();
    format!(
        "{}<xs:element ref=\"detEvento\"/>{}",
        &texto[..span.start],
        &texto[span.end..]
    )
}

/// libxml2 takes no space in a location; one official file has one.
fn sem_espaco(nome: &str) -> String {
    nome.replace(' ', "_")
}

fn numero(arquivo: &str) -> Option<usize> {
    Path::new(arquivo).file_stem()?.to_str()?.parse().ok()
}
