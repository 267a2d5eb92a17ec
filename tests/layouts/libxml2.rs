//! The engine against libxml2: same verdict on documents of every layout and
//! on mutants of them.

use std::sync::Mutex;

use markup::layout::Layout;
use markup::layout::compile::{RECEITAS, Receita};

use markup::xml::Document;

use super::generator::{Plano, gera, ramos};
use super::model;
use super::mutants;
use super::oracle::Oraculo;

/// Mutants asked for, and documents with different alternatives per root: the
/// current packages get most, the older ones differ little from them.
fn tamanho(nome: &str) -> (usize, usize) {
    match nome {
        "nfe-010f" | "nfse-1.01" => (2000, 24),
        nome if nome.starts_with("nfe-") => (500, 6),
        _ => (110, 24),
    }
}

#[test]
fn verdicts_are_those_of_libxml2() {
    let Some(esquemas) = judges::shared("schemas") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let oraculo = Oraculo::novo(esquemas);
    // Two at a time: as many as the smallest machine that runs the tests has cores.
    let fila = Mutex::new(RECEITAS.iter());
    let contas = Mutex::new(Contas::default());
    let proxima = || fila.lock().expect("the queue").next();
    std::thread::scope(|escopo| {
        for _ in 0..2 {
            escopo.spawn(|| {
                while let Some(receita) = proxima() {
                    let novas = confronta(&oraculo, receita);
                    contas.lock().expect("the counts").soma(novas);
                }
            });
        }
    });
    let contas = contas.into_inner().expect("the counts");
    eprintln!(
        "{} documents generated, {} mutants, {} of all valid, {} disagreements",
        contas.gerados,
        contas.mutantes,
        contas.validos,
        contas.desacordos.len()
    );
    assert!(contas.mutantes >= 5000, "{} mutants only", contas.mutantes);
    assert!(
        contas.desacordos.is_empty(),
        "{}",
        contas.desacordos.join("\n")
    );
}

#[derive(Default)]
struct Contas {
    gerados: usize,
    mutantes: usize,
    validos: usize,
    desacordos: Vec<String>,
}

impl Contas {
    fn soma(&mut self, outras: Contas) {
        self.gerados += outras.gerados;
        self.mutantes += outras.mutantes;
        self.validos += outras.validos;
        self.desacordos.extend(outras.desacordos);
    }
}

/// Samples as they circulate, good and bad, against every layout that has
/// their root.
#[test]
fn samples_are_judged_alike() {
    let (Some(esquemas), Some(amostras)) =
        (judges::shared("schemas"), judges::shared("samples/nfe"))
    else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let oraculo = Oraculo::novo(esquemas);
    let arquivos = std::fs::read_dir(amostras).expect("the samples");
    let textos: Vec<String> = arquivos
        .filter_map(|arquivo| super::tables::le(&arquivo.ok()?.path()).ok())
        .collect();
    let mut julgados = 0;
    for receita in RECEITAS.iter().filter(|r| !r.nome.starts_with("evento-")) {
        let layout = Layout::get(receita.nome).expect("a layout");
        let desta: Vec<String> = textos
            .iter()
            .flat_map(|texto| partes(texto, layout))
            .collect();
        if desta.is_empty() {
            continue;
        }
        let vereditos = oraculo.julga(receita, &desta);
        for (texto, certo) in desta.iter().zip(vereditos) {
            let erros = layout.validar(texto);
            assert_eq!(
                erros.is_empty(),
                certo,
                "{}: {erros:?} {texto}",
                receita.nome
            );
            julgados += 1;
        }
    }
    assert!(julgados >= 30, "{julgados} samples judged");
}

/// The document, or what a SOAP envelope carries, if the layout has its root.
fn partes(texto: &str, layout: &Layout) -> Vec<String> {
    let Ok(doc) = Document::parse(texto) else {
        return Vec::new();
    };
    let conhece = |parte: &str| {
        let erros = layout.validar(parte);
        erros
            .iter()
            .all(|erro| erro.regra != "raiz" && erro.regra != "xml")
    };
    // What is cut out must carry its namespace itself.
    doc.elements()
        .map(|elemento| texto[elemento.span()].to_owned())
        .find(|parte| conhece(parte))
        .into_iter()
        .collect()
}

/// One layout: generated documents, mutants of them, both verdicts.
fn confronta(oraculo: &Oraculo, receita: &Receita) -> Contas {
    let layout = Layout::get(receita.nome).expect("a layout");
    let texto = std::fs::read_to_string(super::tables::arquivo(receita.nome)).expect("a table");
    let tabela = model::le(&texto);
    let (querer, max_ramos) = tamanho(receita.nome);
    let mut documentos = Vec::new();
    for (raiz, tipo) in &tabela.raizes {
        documentos.push(gera(
            &tabela,
            raiz,
            tipo,
            Plano {
                cheio: false,
                ramo: 0,
            },
        ));
        for ramo in 0..ramos(&tabela).min(max_ramos) {
            documentos.push(gera(&tabela, raiz, tipo, Plano { cheio: true, ramo }));
            documentos.push(gera(&tabela, raiz, tipo, Plano { cheio: false, ramo }));
        }
    }
    documentos.sort();
    documentos.dedup();
    let bons = documentos.len();
    let todos: usize = documentos
        .iter()
        .map(|d| mutants::quantos(d) / peso(d))
        .sum();
    let mut conta = 0;
    for indice in 0..bons {
        // Odd, so that all changes meet all elements.
        let passo = ((todos / querer).max(1) * peso(&documentos[indice])) | 1;
        let novos = mutants::de(&documentos[indice], passo, conta);
        conta += mutants::quantos(&documentos[indice]);
        documentos.extend(novos);
    }
    let vereditos = oraculo.julga(receita, &documentos);
    let mut contas = Contas {
        gerados: bons,
        mutantes: documentos.len() - bons,
        ..Contas::default()
    };
    for (indice, (documento, certo)) in documentos.iter().zip(&vereditos).enumerate() {
        contas.validos += usize::from(*certo);
        let erros = layout.validar(documento);
        if erros.is_empty() != *certo {
            contas.desacordos.push(format!(
                "{} {} libxml2={certo} {:?}",
                receita.nome,
                guarda(receita.nome, indice, documento),
                erros.first()
            ));
        }
        // The generator is good when its documents are.
        if indice < bons && !certo {
            let onde = guarda(receita.nome, indice, documento);
            contas
                .desacordos
                .push(format!("{}: generated invalid {onde}", receita.nome));
        }
    }
    contas
}

/// Mutants of a large document cost both sides as many small ones.
fn peso(documento: &str) -> usize {
    documento.len() / 10_000 + 1
}

/// Keeps a document that the two judge differently, for whoever looks at it.
fn guarda(nome: &str, indice: usize, documento: &str) -> String {
    match std::env::var_os("LAYOUTS_KEEP") {
        Some(pasta) => {
            let arquivo = std::path::Path::new(&pasta).join(format!("{nome}-{indice}.xml"));
            std::fs::write(&arquivo, documento).expect("a file");
            arquivo.display().to_string()
        }
        None => documento.chars().take(200).collect(),
    }
}
