//! The tables as the tests read them: an own reader, so that a mistake of the
//! engine's reader does not make its own test.

use std::collections::HashMap;

pub struct Tabela {
    pub namespace: String,
    pub raizes: Vec<(String, String)>,
    pub tipos: HashMap<String, Tipo>,
}

#[derive(Default, Clone)]
pub struct Tipo {
    /// Built-in base of a simple type.
    pub base: Option<String>,
    pub facetas: Vec<(String, String)>,
    /// Name, required, type, fixed value.
    pub atributos: Vec<(String, bool, String, Option<String>)>,
    pub unicos: Vec<String>,
    pub conteudo_simples: Option<String>,
    pub particula: Option<Particula>,
}

#[derive(Clone, Debug)]
pub enum O {
    Elemento(String, String),
    Curinga(String),
    Sequencia(Vec<Particula>),
    Escolha(Vec<Particula>),
}

#[derive(Clone, Debug)]
pub struct Particula {
    pub o: O,
    pub min: u32,
    pub max: u32,
}

pub fn le(texto: &str) -> Tabela {
    let mut tabela = Tabela {
        namespace: String::new(),
        raizes: Vec::new(),
        tipos: HashMap::new(),
    };
    for linha in texto.lines() {
        let campos: Vec<&str> = linha.split('\t').collect();
        match campos[0] {
            "L" => tabela.namespace = campos[2].to_owned(),
            "R" => tabela
                .raizes
                .push((campos[1].to_owned(), campos[2].to_owned())),
            "S" | "s" => {
                let facetas = campos[3..].iter().map(|campo| {
                    let (nome, valor) = campo.split_once('=').expect("a facet");
                    (nome.to_owned(), valor.to_owned())
                });
                let tipo = Tipo {
                    base: Some(campos[2].to_owned()),
                    facetas: facetas.collect(),
                    ..Tipo::default()
                };
                tabela.tipos.insert(campos[1].to_owned(), tipo);
            }
            "C" | "c" => {
                let mut tipo = Tipo::default();
                for campo in &campos[2..] {
                    complexo(&mut tipo, campo);
                }
                tabela.tipos.insert(campos[1].to_owned(), tipo);
            }
            _ => {}
        }
    }
    tabela
}

fn complexo(tipo: &mut Tipo, campo: &str) {
    if campo == "misto" || campo == "@*" {
        return;
    }
    if let Some(atributo) = campo.strip_prefix('@') {
        let (nome, resto) = atributo.split_once('=').expect("an attribute");
        let (de, fixo) = match resto.split_once('=') {
            Some((de, fixo)) => (de, Some(fixo.to_owned())),
            None => (resto, None),
        };
        let limpo = nome.trim_end_matches('!').to_owned();
        tipo.atributos
            .push((limpo, nome.ends_with('!'), de.to_owned(), fixo));
    } else if let Some(simples) = campo.strip_prefix('$') {
        tipo.conteudo_simples = Some(simples.to_owned());
    } else if let Some(unico) = campo.strip_prefix('^') {
        let (_, atributo) = unico.split_once('@').expect("a unique");
        tipo.unicos.push(atributo.to_owned());
    } else {
        let mut resto = campo;
        tipo.particula = Some(particula(&mut resto));
        assert_eq!(resto, "", "{campo}");
    }
}

fn particula(resto: &mut &str) -> Particula {
    let o = if let Some(dentro) = resto.strip_prefix('(') {
        *resto = dentro;
        let mut partes = Vec::new();
        let mut escolha = false;
        loop {
            if let Some(depois) = resto.strip_prefix(')') {
                *resto = depois;
                break;
            }
            if let Some(depois) = resto.strip_prefix(['|', ',']) {
                escolha = resto.starts_with('|');
                *resto = depois;
            }
            partes.push(particula(resto));
        }
        if escolha {
            O::Escolha(partes)
        } else {
            O::Sequencia(partes)
        }
    } else {
        let (inicio, curinga) = if resto.starts_with("*=") {
            (1, true)
        } else {
            (0, false)
        };
        let fim = resto[inicio..].find('=').expect("a type") + inicio + 1;
        // `##other(ds)/lax` has brackets of its own.
        let nome = if curinga {
            let barra = resto.find('/').expect("a wildcard");
            barra + 1
        } else {
            fim
        };
        let fim_do_tipo = resto[nome..]
            .find(['?', '*', '+', '{', ',', '|', ')'])
            .map_or(resto.len(), |lugar| lugar + nome);
        let achado = if curinga {
            O::Curinga(resto[..fim_do_tipo].to_owned())
        } else {
            O::Elemento(
                resto[..fim - 1].to_owned(),
                resto[fim..fim_do_tipo].to_owned(),
            )
        };
        *resto = &resto[fim_do_tipo..];
        achado
    };
    let (min, max, consumido) = match resto.chars().next() {
        Some('?') => (0, 1, 1),
        Some('*') => (0, u32::MAX, 1),
        Some('+') => (1, u32::MAX, 1),
        Some('{') => {
            let fim = resto.find('}').expect("a count");
            let (de, ate) = resto[1..fim].split_once(',').expect("two numbers");
            (
                de.parse().expect("a number"),
                ate.parse().unwrap_or(u32::MAX),
                fim + 1,
            )
        }
        _ => (1, 1, 0),
    };
    *resto = &resto[consumido..];
    Particula { o, min, max }
}
