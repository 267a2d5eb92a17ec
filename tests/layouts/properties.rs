//! Properties that hold for every document of every layout: what is written is
//! canonical and valid again, JSON keeps everything, one mistake is one error.

use markup::layout::Layout;
use markup::tree::{Conteudo, Elemento};
use markup::xml::{C14n, Document, Element, canonicalize};

use super::generator::{Plano, gera};
use super::model;

/// Generated documents of a layout: root, text.
fn documentos(nome: &str) -> Vec<(String, String)> {
    let texto = std::fs::read_to_string(super::tables::arquivo(nome)).expect("a table");
    let tabela = model::le(&texto);
    let mut saida = Vec::new();
    for (raiz, tipo) in &tabela.raizes {
        if raiz.starts_with("ds:") {
            continue;
        }
        for plano in [
            Plano {
                cheio: false,
                ramo: 0,
            },
            Plano {
                cheio: true,
                ramo: 0,
            },
            Plano {
                cheio: true,
                ramo: 3,
            },
        ] {
            saida.push((raiz.clone(), gera(&tabela, raiz, tipo, plano)));
        }
    }
    saida
}

fn arvore(elemento: Element<'_>) -> Elemento {
    let mut saida = if elemento.children().next().is_some() {
        Elemento::grupo(elemento.name().to_owned()).filhos(elemento.children().map(arvore))
    } else {
        Elemento::campo(elemento.name().to_owned(), elemento.text())
    };
    for (_, nome, valor) in elemento.attributes() {
        saida = saida.atributo(nome.to_owned(), valor);
    }
    saida
}

/// A wildcard's content is in a namespace of its own, which trees do not keep.
fn tem_curinga(texto: &str) -> bool {
    texto.contains("urn:a")
}

fn embaralha(elemento: &mut Elemento) {
    elemento.atributos.reverse();
    if let Conteudo::Filhos(filhos) = &mut elemento.conteudo {
        // Items of one name keep their order among themselves, as in any list.
        filhos.sort_by(|a, b| b.nome.cmp(&a.nome));
        filhos.iter_mut().for_each(embaralha);
    }
}

#[test]
fn what_is_written_is_canonical_and_valid() {
    for nome in Layout::nomes() {
        let layout = Layout::get(nome).expect("a layout");
        for (raiz, texto) in documentos(nome) {
            if tem_curinga(&texto) || !layout.validar(&texto).is_empty() {
                continue;
            }
            let doc = Document::parse(&texto).expect("XML");
            let mut arvore = arvore(doc.root());
            // Groups that repeat as a whole cannot be told apart once mixed.
            if !texto.contains("<cMsg>") && !nome.starts_with("nfse") {
                embaralha(&mut arvore);
            }
            let escrito = layout
                .escrever(&arvore)
                .unwrap_or_else(|erros| panic!("{nome} {raiz}: {erros:?}"));
            let erros = layout.validar(&escrito.xml);
            assert!(erros.is_empty(), "{nome} {raiz}: {:?}", erros.first());
            let canonico = canonicalize(&doc, doc.document(), C14n::Inclusive, None);
            assert_eq!(escrito.xml, canonico, "{nome} {raiz}");
        }
    }
}

#[test]
fn json_keeps_everything() {
    for nome in Layout::nomes() {
        let layout = Layout::get(nome).expect("a layout");
        for (raiz, texto) in documentos(nome) {
            if tem_curinga(&texto) || !layout.validar(&texto).is_empty() {
                continue;
            }
            let doc = Document::parse(&texto).expect("XML");
            let json = layout.para_json(&doc);
            let volta = layout
                .de_json(&raiz, &json)
                .unwrap_or_else(|erros| panic!("{nome} {raiz}: {erros:?}"));
            let escrito = layout.escrever(&volta).expect("a document");
            let canonico = canonicalize(&doc, doc.document(), C14n::Inclusive, None);
            assert_eq!(escrito.xml, canonico, "{nome} {raiz}");
        }
    }
}

/// One element taken out of a valid note: one error, which names it or what
/// could stand in its place.
#[test]
fn one_mistake_is_one_error() {
    let layout = Layout::get("nfe-010f").expect("a layout");
    let (_, texto) = documentos("nfe-010f")
        .into_iter()
        .find(|(raiz, texto)| raiz == "NFe" && texto.len() > 10_000)
        .expect("a large note");
    let doc = Document::parse(&texto).expect("XML");
    let (mut faltas, mut varios) = (0, Vec::new());
    for elemento in doc.elements().skip(1).step_by(3) {
        let span = elemento.span();
        let sem = format!("{}{}", &texto[..span.start], &texto[span.end..]);
        let erros = layout.validar(&sem);
        faltas += usize::from(!erros.is_empty());
        if erros.len() > 1 {
            varios.push((elemento.name().to_owned(), erros));
        }
        let trocado = format!(
            "{}<nada>1</nada>{}",
            &texto[..span.start],
            &texto[span.start..]
        );
        let erros = layout.validar(&trocado);
        assert_eq!(erros.len(), 1, "{}: {erros:?}", elemento.name());
        assert_eq!(erros[0].regra, "desconhecido");
    }
    assert!(faltas > 50, "{faltas}");
    // Where a whole alternative hangs on the element, what it led in is left over.
    let parte = varios.len() * 100 / faltas;
    assert!(parte <= 10, "{parte} %: {:?}", varios.first());
}

/// Errors are in words: no sentence of a value is the empty phrase, and nothing
/// personal is repeated.
#[test]
fn every_refused_value_gets_a_sentence() {
    let layout = Layout::get("nfe-010f").expect("a layout");
    let (mut ditos, mut mudos) = (0, std::collections::BTreeSet::new());
    let notas = documentos("nfe-010f");
    for (_, texto) in notas.iter().filter(|(raiz, _)| raiz == "NFe") {
        let doc = Document::parse(texto).expect("XML");
        // Odd, so that the two items of a list are not always the one skipped.
        for elemento in doc.elements().step_by(3) {
            let Some(dentro) = elemento
                .content_span()
                .filter(|dentro| !dentro.is_empty() && elemento.children().next().is_none())
            else {
                continue;
            };
            let ruim = format!("{}~§{}", &texto[..dentro.start], &texto[dentro.end..]);
            for erro in layout.validar(&ruim) {
                ditos += 1;
                assert!(
                    erro.mensagem.starts_with(elemento.name()),
                    "{}",
                    erro.mensagem
                );
                assert!(erro.mensagem.ends_with('.') && erro.correcao.ends_with('.'));
                if erro.mensagem.contains("formato que o layout define") {
                    mudos.insert(elemento.name().to_owned());
                }
                if matches!(elemento.name(), "CPF" | "xNome" | "email" | "fone") {
                    assert_eq!(erro.valor, None);
                }
            }
        }
    }
    assert!(ditos > 200, "{ditos}");
    assert!(mudos.len() <= 12, "{mudos:?}");
}
