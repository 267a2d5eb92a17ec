//! libxml2's verdict, by `xmllint`, many files a call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use markup::layout::compile::Receita;
use markup::xml::Document;

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
            let texto = super::tables::le(&origem.join(&nome)).expect("a schema");
            let texto = sem_contadores(texto);
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

/// Patterns libxml2 2.9 miscounts: alternatives that begin with the same class
/// counted differently. `[0-9]{2}|[0-9]{8}` takes 9 digits there, and
/// `[!-ÿ]{8}|[!-ÿ]{10}` 17 characters: the counter of an alternative given up is
/// not set back. By XSD part 2, appendix F, such values do not match.
const MAL_CONTADOS: &[&str] = &[
    "[0-9]{2}|[0-9]{8}",
    "[!-ÿ]{8}|[!-ÿ]{10}",
    "([!-ÿ]{8}|[!-ÿ]{10}|SEM CBENEF)?",
    "SEM GTIN|[0-9]{0}|[0-9]{8}|[0-9]{12,14}",
    "[0-9]{1,4}|[0-8][0-9]{4}",
];

/// The schema with those patterns written without counters, so that libxml2
/// answers what they say.
fn sem_contadores(texto: String) -> String {
    MAL_CONTADOS.iter().fold(texto, |texto, padrao| {
        let oficial = format!("value=\"{padrao}\"");
        texto.replace(&oficial, &format!("value=\"{}\"", por_extenso(padrao)))
    })
}

/// `[0-9]{2}` as `[0-9][0-9]`, `[0-9]{1,2}` as `[0-9]([0-9])?`.
fn por_extenso(padrao: &str) -> String {
    let mut saida = String::new();
    let mut resto = padrao;
    while let Some(abre) = resto.find('[') {
        let fecha = abre + resto[abre..].find(']').expect("a class ends") + 1;
        let (antes, classe) = (&resto[..abre], &resto[abre..fecha]);
        saida.push_str(antes);
        resto = &resto[fecha..];
        let Some(contador) = resto.strip_prefix('{') else {
            saida.push_str(classe);
            continue;
        };
        let (vezes, depois) = contador.split_once('}').expect("a counter ends");
        let (minimo, maximo) = vezes.split_once(',').unwrap_or((vezes, vezes));
        let minimo: usize = minimo.parse().expect("a number");
        let maximo: usize = maximo.parse().expect("a number");
        saida.push_str(&classe.repeat(minimo));
        saida.push_str(&format!("({classe}").repeat(maximo - minimo));
        saida.push_str(&")?".repeat(maximo - minimo));
        resto = depois;
    }
    saida + resto
}

#[test]
fn counters_are_written_out() {
    assert_eq!(
        por_extenso("[0-9]{2}|[a]{1,3}X"),
        "[0-9][0-9]|[a]([a]([a])?)?X"
    );
    assert_eq!(por_extenso("SEM|[0-9]{0}|[1-8][0-9]{1}"), "SEM||[1-8][0-9]");
}

/// libxml2 takes no space in a location; one official file has one.
fn sem_espaco(nome: &str) -> String {
    nome.replace(' ', "_")
}

fn numero(arquivo: &str) -> Option<usize> {
    Path::new(arquivo).file_stem()?.to_str()?.parse().ok()
}
