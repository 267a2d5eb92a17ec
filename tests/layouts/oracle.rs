//! libxml2's verdict, by `xmllint`, many files a call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use markup::layout::compile::{Filled, Recipe};
use markup::xml::Document;

/// Schemas as libxml2 can be asked: one file per recipe.
pub struct Oracle {
    folder: tempfile::TempDir,
}

/// Files of one call.
const BATCH: usize = 400;

impl Oracle {
    pub fn new() -> Oracle {
        Oracle {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Verdict of each document against a recipe's schema, whose package is in
    /// this collection.
    pub fn judge(&self, recipe: &Recipe, schemas: &Path, documentos: &[String]) -> Vec<bool> {
        let schema = self.schema(recipe, schemas);
        let folder = self.folder.path().join(recipe.name).join("docs");
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut verdicts = vec![false; documentos.len()];
        for (batch, part) in documentos.chunks(BATCH).enumerate() {
            let arquivos: Vec<PathBuf> = (0..part.len())
                .map(|number| folder.join(format!("{}.xml", batch * BATCH + number)))
                .collect();
            for (arquivo, text) in arquivos.iter().zip(part) {
                std::fs::write(arquivo, text).expect("a document");
            }
            let output = Command::new("xmllint")
                .args(["--noout", "--nonet", "--schema"])
                .arg(&schema)
                .args(&arquivos)
                .output()
                .expect("xmllint runs");
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(
                // The namespaces of some layouts have the word in them, too.
                !text.contains("Schemas parser error") && !text.contains("failed to compile"),
                "{}",
                text.lines().take(3).collect::<String>()
            );
            for line in text.lines() {
                if let Some(arquivo) = line.strip_suffix(" validates")
                    && let Some(number) = number(arquivo)
                {
                    verdicts[number] = true;
                }
            }
            for arquivo in &arquivos {
                std::fs::remove_file(arquivo).expect("a document to remove");
            }
        }
        verdicts
    }

    /// Writes the files of a recipe so that one schema has all its roots.
    fn schema(&self, recipe: &Recipe, schemas: &Path) -> PathBuf {
        let folder = self.folder.path().join(recipe.name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let origin = schemas.join(recipe.folder);
        let mut queue: Vec<String> = recipe.arquivos.iter().map(|a| (*a).to_owned()).collect();
        queue.extend(recipe.det_evento.map(str::to_owned));
        queue.extend(filling(recipe).map(|(file, _)| file.to_owned()));
        let mut texts: HashMap<String, String> = HashMap::new();
        while let Some(name) = queue.pop() {
            if texts.contains_key(&name) {
                continue;
            }
            let text = super::tables::le(&origin.join(&name)).expect("a schema");
            let text = with_collapsed_int(without_counters(text));
            let doc = Document::parse(&text).expect("a schema");
            for child in doc.root().children() {
                if let Some(other) = child.attribute("schemaLocation") {
                    queue.push(other.to_owned());
                }
            }
            texts.insert(name, text);
        }
        let mut envelope = format!(
            "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns=\"{0}\" targetNamespace=\"{0}\" elementFormDefault=\"qualified\">",
            recipe.namespace
        );
        let more = filling(recipe).map(|(file, _)| file);
        let all = recipe.arquivos.iter().copied().chain(recipe.det_evento);
        for name in all.chain(more) {
            envelope.push_str(&format!(
                "<xs:include schemaLocation=\"{}\"/>",
                without_spaces(name)
            ));
        }
        for (name, kind) in recipe.roots {
            envelope.push_str(&format!("<xs:element name=\"{name}\" type=\"{kind}\"/>"));
        }
        envelope.push_str("</xs:schema>");
        if recipe.det_evento.is_some() {
            for name in recipe.arquivos {
                let text = texts.remove(*name).expect("the envelope");
                texts.insert((*name).to_owned(), refer(&text));
            }
        }
        if let Some(filled) = &recipe.filled {
            for text in texts.values_mut() {
                *text = fill(text, filled);
            }
        }
        for (name, text) in texts {
            std::fs::write(folder.join(without_spaces(&name)), text).expect("a schema");
        }
        let arquivo = folder.join("_todos.xsd");
        std::fs::write(&arquivo, envelope).expect("a schema");
        arquivo
    }
}

/// The envelope with a reference to the global `detEvento` instead of its own.
fn refer(text: &str) -> String {
    let doc = Document::parse(text).expect("a schema");
    let target = doc
        .elements()
        .find(|e| e.name() == "element" && e.attribute("name") == Some("detEvento"))
        .expect("detEvento");
    let span = target.span();
    format!(
        "{}<xs:element ref=\"detEvento\"/>{}",
        &text[..span.start],
        &text[span.end..]
    )
}

/// Files and elements that stand where a package takes anything.
fn filling(recipe: &Recipe) -> impl Iterator<Item = (&'static str, &'static str)> {
    let with = recipe.filled.map_or(&[][..], |filled| filled.with);
    with.iter().copied()
}

/// The file with a choice of references instead of the wildcard in elements of
/// the name.
fn fill(text: &str, filled: &Filled) -> String {
    let doc = Document::parse(text).expect("a schema");
    let mut filled_text = text.to_owned();
    let references: String = filled
        .with
        .iter()
        .map(|(_, name)| format!("<xs:element ref=\"{name}\"/>"))
        .collect();
    let open: Vec<_> = doc
        .elements()
        .filter(|e| e.name() == "element" && e.attribute("name") == Some(filled.element))
        .filter_map(|element| {
            let inside = element.span();
            doc.elements()
                .find(|e| e.name() == "any" && inside.contains(&e.span().start))
        })
        .collect();
    for wildcard in open.into_iter().rev() {
        let choice = format!("<xs:choice>{references}</xs:choice>");
        filled_text.replace_range(wildcard.span(), &choice);
    }
    filled_text
}

/// Patterns libxml2 2.9 miscounts: alternatives that begin with the same class
/// counted differently. `[0-9]{2}|[0-9]{8}` takes 9 digits there, and
/// `[!-ÿ]{8}|[!-ÿ]{10}` 17 characters: the counter of an alternative given up is
/// not set back. By XSD part 2, appendix F, such values do not match.
const MISCOUNTED: &[&str] = &[
    "[0-9]{2}|[0-9]{8}",
    "[!-ÿ]{8}|[!-ÿ]{10}",
    "([!-ÿ]{8}|[!-ÿ]{10}|SEM CBENEF)?",
    "SEM GTIN|[0-9]{0}|[0-9]{8}|[0-9]{12,14}",
    "[0-9]{1,4}|[0-8][0-9]{4}",
];

/// The schema with those patterns written without counters, so that libxml2
/// answers what they say.
fn without_counters(text: String) -> String {
    MISCOUNTED.iter().fold(text, |text, pattern| {
        let official = format!("value=\"{pattern}\"");
        text.replace(&official, &format!("value=\"{}\"", spelled_out(pattern)))
    })
}

/// The schema with bounded `xs:int` as `xs:integer`: libxml2 2.9 does not drop
/// the blanks around the first, as XSD part 2, §4.3.6 has it for all numbers.
fn with_collapsed_int(text: String) -> String {
    text.replace("base=\"xs:int\"", "base=\"xs:integer\"")
}

/// `[0-9]{2}` as `[0-9][0-9]`, `[0-9]{1,2}` as `[0-9]([0-9])?`.
fn spelled_out(pattern: &str) -> String {
    let mut output = String::new();
    let mut rest = pattern;
    while let Some(opens) = rest.find('[') {
        let closes = opens + rest[opens..].find(']').expect("a class ends") + 1;
        let (before, class) = (&rest[..opens], &rest[opens..closes]);
        output.push_str(before);
        rest = &rest[closes..];
        let Some(counter) = rest.strip_prefix('{') else {
            output.push_str(class);
            continue;
        };
        let (times, after) = counter.split_once('}').expect("a counter ends");
        let (minimum, maximum) = times.split_once(',').unwrap_or((times, times));
        let minimum: usize = minimum.parse().expect("a number");
        let maximum: usize = maximum.parse().expect("a number");
        output.push_str(&class.repeat(minimum));
        output.push_str(&format!("({class}").repeat(maximum - minimum));
        output.push_str(&")?".repeat(maximum - minimum));
        rest = after;
    }
    output + rest
}

#[test]
fn counters_are_written_out() {
    assert_eq!(
        spelled_out("[0-9]{2}|[a]{1,3}X"),
        "[0-9][0-9]|[a]([a]([a])?)?X"
    );
    assert_eq!(spelled_out("SEM|[0-9]{0}|[1-8][0-9]{1}"), "SEM||[1-8][0-9]");
}

/// libxml2 takes no space in a location; one official file has one.
fn without_spaces(name: &str) -> String {
    name.replace(' ', "_")
}

fn number(arquivo: &str) -> Option<usize> {
    Path::new(arquivo).file_stem()?.to_str()?.parse().ok()
}
