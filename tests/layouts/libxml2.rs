//! The engine against libxml2: same verdict on documents of every layout and
//! on mutants of them.

use std::path::Path;
use std::sync::Mutex;

use markup::layout::Layout;
use markup::layout::compile::Recipe;

use markup::xml::Document;

use super::generator::{Plan, branches, generate};
use super::model;
use super::mutants;
use super::oracle::Oracle;
use super::tables::with_package;

/// Mutants asked for, and documents with different alternatives per root: the
/// current packages get most, the older ones differ little from them.
fn size(name: &str) -> (usize, usize) {
    match name {
        "nfe-010f" | "nfse-1.01" => (2000, 24),
        "cte-4.00" | "mdfe-3.00" => (1000, 12),
        name if name.starts_with("nfe-") => (500, 6),
        _ => (110, 24),
    }
}

#[test]
fn verdicts_are_those_of_libxml2() {
    if judges::shared("schemas").is_none() || !judges::has("xmllint") {
        return;
    }
    let oracle = Oracle::new();
    // Two at a time: as many as the smallest machine that runs the tests has cores.
    let queue = Mutex::new(with_package().into_iter());
    let counts = Mutex::new(Counts::default());
    let next = || queue.lock().expect("the queue").next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((recipe, schemas)) = next() {
                    let fresh = confront(&oracle, recipe, &schemas);
                    counts.lock().expect("the counts").add(fresh);
                }
            });
        }
    });
    let counts = counts.into_inner().expect("the counts");
    eprintln!(
        "{} documents generated, {} mutants, {} of all valid, {} disagreements",
        counts.generated,
        counts.mutants,
        counts.valid,
        counts.disagreements.len()
    );
    assert!(counts.mutants >= 5000, "{} mutants only", counts.mutants);
    assert!(
        counts.disagreements.is_empty(),
        "{}",
        counts.disagreements.join("\n")
    );
}

#[derive(Default)]
struct Counts {
    generated: usize,
    mutants: usize,
    valid: usize,
    disagreements: Vec<String>,
}

impl Counts {
    fn add(&mut self, others: Counts) {
        self.generated += others.generated;
        self.mutants += others.mutants;
        self.valid += others.valid;
        self.disagreements.extend(others.disagreements);
    }
}

/// Samples as they circulate, good and bad, against every layout that has
/// their root.
#[test]
fn samples_are_judged_alike() {
    let (Some(_), Some(samples)) = (judges::shared("schemas"), judges::shared("samples/nfe"))
    else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let oracle = Oracle::new();
    let arquivos = std::fs::read_dir(samples).expect("the samples");
    let texts: Vec<String> = arquivos
        .filter_map(|arquivo| super::tables::le(&arquivo.ok()?.path()).ok())
        .collect();
    let mut judged = 0;
    for (recipe, schemas) in with_package() {
        if recipe.name.starts_with("evento-") {
            continue;
        }
        let layout = Layout::get(recipe.name).expect("a layout");
        let of_this: Vec<String> = texts.iter().flat_map(|text| parts(text, layout)).collect();
        if of_this.is_empty() {
            continue;
        }
        let verdicts = oracle.judge(recipe, &schemas, &of_this);
        for (text, right) in of_this.iter().zip(verdicts) {
            let erros = layout.validate(text);
            assert_eq!(erros.is_empty(), right, "{}: {erros:?} {text}", recipe.name);
            judged += 1;
        }
    }
    assert!(judged >= 30, "{judged} samples judged");
}

/// The document, or what a SOAP envelope carries, if the layout has its root.
fn parts(text: &str, layout: &Layout) -> Vec<String> {
    let Ok(doc) = Document::parse(text) else {
        return Vec::new();
    };
    let knows = |part: &str| {
        let erros = layout.validate(part);
        erros
            .iter()
            .all(|error| error.regra != "raiz" && error.regra != "xml")
    };
    // What is cut out must carry its namespace itself.
    doc.elements()
        .map(|element| text[element.span()].to_owned())
        .find(|part| knows(part))
        .into_iter()
        .collect()
}

/// One layout: generated documents, mutants of them, both verdicts.
fn confront(oracle: &Oracle, recipe: &Recipe, schemas: &Path) -> Counts {
    let layout = Layout::get(recipe.name).expect("a layout");
    let text = std::fs::read_to_string(super::tables::arquivo(recipe.name)).expect("a table");
    let table = model::le(&text);
    let (wanted, max_branches) = size(recipe.name);
    let mut documentos = Vec::new();
    for (root, kind) in &table.roots {
        documentos.push(generate(
            &table,
            root,
            kind,
            Plan {
                full: false,
                branch: 0,
            },
        ));
        for branch in 0..branches(&table).min(max_branches) {
            documentos.push(generate(&table, root, kind, Plan { full: true, branch }));
            documentos.push(generate(
                &table,
                root,
                kind,
                Plan {
                    full: false,
                    branch,
                },
            ));
        }
    }
    documentos.sort();
    documentos.dedup();
    let good = documentos.len();
    let all: usize = documentos
        .iter()
        .map(|d| mutants::how_many(d) / weight(d))
        .sum();
    let mut conta = 0;
    for index in 0..good {
        // Odd, so that all changes meet all elements.
        let step = ((all / wanted).max(1) * weight(&documentos[index])) | 1;
        let added = mutants::from(&documentos[index], step, conta);
        conta += mutants::how_many(&documentos[index]);
        documentos.extend(added);
    }
    let verdicts = oracle.judge(recipe, schemas, &documentos);
    let mut counts = Counts {
        generated: good,
        mutants: documentos.len() - good,
        ..Counts::default()
    };
    for (index, (documento, right)) in documentos.iter().zip(&verdicts).enumerate() {
        counts.valid += usize::from(*right);
        let erros = layout.validate(documento);
        // A table has the types its elements are of. `xsi:type` may name
        // another of the package, where an element is of a built-in type.
        let unlisted = !table.tipos.contains_key("TString")
            && *right
            && erros.len() == 1
            && erros.iter().all(|error| error.regra == "xsi");
        if erros.is_empty() != *right && !unlisted {
            counts.disagreements.push(format!(
                "{} {} libxml2={right} {:?}",
                recipe.name,
                keep(recipe.name, index, documento),
                erros.first()
            ));
        }
        // The generator is good when its documents are.
        if index < good && !right {
            let place = keep(recipe.name, index, documento);
            counts
                .disagreements
                .push(format!("{}: generated invalid {place}", recipe.name));
        }
    }
    counts
}

/// Mutants of a large document cost both sides as many small ones.
fn weight(documento: &str) -> usize {
    documento.len() / 10_000 + 1
}

/// Keeps a document that the two judge differently, for whoever looks at it.
fn keep(name: &str, index: usize, documento: &str) -> String {
    match std::env::var_os("LAYOUTS_KEEP") {
        Some(folder) => {
            let arquivo = std::path::Path::new(&folder).join(format!("{name}-{index}.xml"));
            std::fs::write(&arquivo, documento).expect("a file");
            arquivo.display().to_string()
        }
        None => documento.chars().take(200).collect(),
    }
}
