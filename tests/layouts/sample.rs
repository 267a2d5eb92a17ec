//! Values a simple type allows.

use super::model::Tabela;

/// Longest sample of an open range.
const MAX_ABERTO: u32 = 3;

pub fn valor(tabela: &Tabela, tipo: &str, cheio: bool, ramo: usize) -> String {
    let vazio = Vec::new();
    let (base, facetas) = match tabela.tipos.get(tipo) {
        Some(definicao) => (definicao.base.as_deref().unwrap_or(""), &definicao.facetas),
        None => (tipo, &vazio),
    };
    let de = |nome: &'static str| {
        facetas
            .iter()
            .filter(move |(outro, _)| outro == nome)
            .map(|(_, valor)| valor)
    };
    let valores: Vec<&String> = de("valor").collect();
    if !valores.is_empty() {
        return valores[ramo % valores.len()].clone();
    }
    let numero = |nome: &'static str| de(nome).next().and_then(|v| v.parse::<usize>().ok());
    let padrao = de("padrao").next_back();
    let (min, max) = match numero("tamanho") {
        Some(n) => (Some(n), Some(n)),
        None => (numero("min"), numero("max")),
    };
    if let Some(padrao) = padrao.filter(|p| p.contains("-02-29")) {
        let hora = if padrao.contains(")T(") {
            "T10:20:30-03:00"
        } else {
            ""
        };
        return format!("2026-01-31{hora}");
    }
    if let Some(padrao) = padrao.filter(|p| !livre(p)) {
        let mut texto = Amostra { cheio, ramo }.do_padrao(padrao);
        // An open end reaches the length a further facet asks for.
        while padrao.ends_with('+') && texto.len() < min.unwrap_or(0) {
            texto.push(texto.chars().last().expect("a sample"));
        }
        return texto;
    }
    if base == "xs:string" || base == "xs:token" || base == "xs:anyURI" {
        let curto = min.unwrap_or(1).max(1);
        let longo = max.unwrap_or(30).min(400).max(curto);
        let letras = if cheio { longo } else { curto };
        return "Aç".chars().cycle().take(letras - 1).chain(['z']).collect();
    }
    match base {
        "xs:date" => "2026-01-31",
        "xs:dateTime" => "2026-01-31T10:20:30-03:00",
        "xs:gYearMonth" => "2026-02",
        "xs:base64Binary" if min == Some(20) => "QUJDREVGR0hJSktMTU5PUFFSU1Q=",
        "xs:base64Binary" => "QUJDRA==",
        "xs:integer" => "12",
        "xs:ID" => "a1",
        outro => panic!("{outro}"),
    }
    .to_owned()
}

/// Patterns that any text of one line fits: the length decides.
fn livre(padrao: &str) -> bool {
    padrao.starts_with("[!-ÿ]{1}[ -ÿ]") || padrao.starts_with("[\\s\\S")
}

struct Amostra {
    cheio: bool,
    ramo: usize,
}

impl Amostra {
    fn do_padrao(&self, padrao: &str) -> String {
        let letras: Vec<char> = padrao.chars().collect();
        let mut em = 0;
        let texto = self.escolha(&letras, &mut em);
        assert_eq!(em, letras.len(), "{padrao}");
        texto
    }

    fn escolha(&self, p: &[char], em: &mut usize) -> String {
        let mut ramos = vec![self.sequencia(p, em)];
        while p.get(*em) == Some(&'|') {
            *em += 1;
            ramos.push(self.sequencia(p, em));
        }
        let ramo = self.ramo % ramos.len();
        ramos.swap_remove(ramo)
    }

    fn sequencia(&self, p: &[char], em: &mut usize) -> String {
        let mut saida = String::new();
        while let Some(c) = p.get(*em).copied() {
            let atomo = match c {
                '|' | ')' => break,
                '(' => {
                    *em += 1;
                    let dentro = self.escolha(p, em);
                    *em += 1;
                    dentro
                }
                '[' => classe(p, em),
                '\\' => {
                    *em += 2;
                    match p[*em - 1] {
                        'd' => "7".to_owned(),
                        outro => outro.to_string(),
                    }
                }
                '.' => {
                    *em += 1;
                    "x".to_owned()
                }
                outro => {
                    *em += 1;
                    outro.to_string()
                }
            };
            let (min, max) = quantidade(p, em);
            let vezes = if self.cheio { max } else { min };
            saida.push_str(&atomo.repeat(vezes as usize));
        }
        saida
    }
}

fn classe(p: &[char], em: &mut usize) -> String {
    *em += 1;
    let primeira = match p[*em] {
        '\\' => {
            *em += 1;
            match p[*em] {
                's' | 'd' => '7',
                outro => outro,
            }
        }
        // The first that needs no escaping in XML.
        '!' => 'A',
        '0' if p.get(*em + 1..*em + 3) == Some(&['-', '9']) => '5',
        outro => outro,
    };
    // A class may hold an escaped bracket; the official ones do not.
    while p[*em] != ']' {
        *em += 1;
    }
    *em += 1;
    primeira.to_string()
}

fn quantidade(p: &[char], em: &mut usize) -> (u32, u32) {
    let (min, max) = match p.get(*em) {
        Some('?') => (0, 1),
        Some('*') => (0, MAX_ABERTO),
        Some('+') => (1, MAX_ABERTO),
        Some('{') => {
            let fim = p[*em..].iter().position(|c| *c == '}').expect("a count") + *em;
            let texto: String = p[*em + 1..fim].iter().collect();
            *em = fim;
            let (de, ate) = texto.split_once(',').unwrap_or((&texto, &texto));
            let de: u32 = de.parse().expect("a number");
            (de, ate.parse().unwrap_or(de + MAX_ABERTO))
        }
        _ => return (1, 1),
    };
    *em += 1;
    (min, max)
}
