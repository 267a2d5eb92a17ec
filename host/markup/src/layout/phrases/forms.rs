//! What a pattern expects, in words, where its shape is simple.

use crate::layout::pattern::{No, Trecho, le};
use crate::layout::table::PadraoDaTabela;

/// Alternatives beyond this are no help.
const MAX_RAMOS: usize = 4;

/// «de 2 a 60 caracteres».
pub(super) fn caracteres(min: Option<u32>, max: Option<u32>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min == max => format!("{min} caracteres"),
        (Some(min), Some(max)) => format!("de {min} a {max} caracteres"),
        (None, Some(max)) => format!("no máximo {max} caracteres"),
        (Some(min), None) => format!("no mínimo {min} caracteres"),
        (None, None) => "outro tamanho".to_owned(),
    }
}

/// Is it a number with decimal places?
pub(super) fn decimal(padrao: &str) -> bool {
    padrao.contains("\\.[0-9]")
        && padrao
            .chars()
            .all(|c| c.is_ascii_digit() || "[]{}|().?\\,-".contains(c))
}

/// To follow «deve ter»; none when the pattern says it better than words.
pub(super) fn descreve(automato: &PadraoDaTabela) -> Option<String> {
    let padrao = automato.texto;
    if decimal(padrao) {
        return numero(automato);
    }
    if padrao.contains("-ÿ") {
        return Some(
            "texto de uma linha, sem espaços no início ou no fim, só com caracteres latinos"
                .to_owned(),
        );
    }
    if padrao.contains("-02-29") {
        let hora = padrao.contains(")T(");
        return Some(
            if hora {
                "data e hora no formato AAAA-MM-DDThh:mm:ss-03:00"
            } else {
                "data no formato AAAA-MM-DD"
            }
            .to_owned(),
        );
    }
    if padrao == "[\\s\\S]*[^\\s][\\s\\S]*" {
        return Some("algum texto além de espaços".to_owned());
    }
    let ramos = match le(padrao).ok()? {
        No::Escolha(ramos) => ramos,
        outro => vec![outro],
    };
    if ramos.len() > MAX_RAMOS {
        return None;
    }
    let formas: Vec<Vec<Pedaco>> = ramos.iter().map(pedacos).collect::<Option<_>>()?;
    // «2 ou 8 dígitos» rather than «2 dígitos ou 8 dígitos».
    if let Some(contagens) = so_digitos(&formas) {
        return Some(contagens);
    }
    let textos: Vec<String> = formas.iter().map(|forma| por_extenso(forma)).collect();
    let textos: Vec<&str> = textos.iter().map(String::as_str).collect();
    Some(super::lista(textos.into_iter(), "ou"))
}

/// «número com até 13 dígitos inteiros e 2 casas decimais, com ponto».
fn numero(automato: &PadraoDaTabela) -> Option<String> {
    // Asks the automaton rather than the text: patterns say the same in many ways.
    let maior = |faz: &dyn Fn(usize) -> String| (1..=15).rev().find(|n| automato.casa(&faz(*n)));
    let decimais: Vec<usize> = (0..=10)
        .filter(|casas| match casas {
            0 => automato.casa("1"),
            casas => automato.casa(&format!("1.{}", "1".repeat(*casas))),
        })
        .collect();
    let maximo = *decimais.last()?;
    let inteiros = match maximo {
        0 => maior(&|n| "1".repeat(n))?,
        casas => maior(&|n| format!("{}.{}", "1".repeat(n), "1".repeat(casas)))?,
    };
    let casas: Vec<usize> = decimais
        .iter()
        .copied()
        .filter(|casas| *casas > 0)
        .collect();
    let faixa = match (casas.first(), casas.last()) {
        (Some(a), Some(b)) if a == b => format!("{a} casas decimais"),
        (Some(a), Some(b)) => format!("de {a} a {b} casas decimais"),
        _ => return None,
    };
    let positivo = if automato.casa("0") || automato.casa(&format!("0.{}", "0".repeat(maximo))) {
        ""
    } else {
        " maior que zero"
    };
    Some(format!(
        "número{positivo} com até {inteiros} dígitos inteiros e {faixa}, separadas por ponto"
    ))
}

/// A run of one kind of character, or a text.
enum Pedaco {
    Classe(&'static str, u32, Option<u32>),
    Texto(String),
}

fn pedacos(no: &No) -> Option<Vec<Pedaco>> {
    let mut saida: Vec<Pedaco> = Vec::new();
    let partes = match no {
        No::Sequencia(partes) => partes.as_slice(),
        outro => std::slice::from_ref(outro),
    };
    for parte in partes {
        let (trechos, min, max) = match parte {
            No::Simbolo(trechos) => (trechos, 1, Some(1)),
            No::Vezes(dentro, min, max) => match &**dentro {
                No::Simbolo(trechos) => (trechos, *min, *max),
                _ => return None,
            },
            _ => return None,
        };
        if let [(de, ate)] = trechos.as_slice()
            && de == ate
            && Some(min) == max
        {
            let letra = char::from_u32(*de)?;
            let texto: String = std::iter::repeat_n(letra, min as usize).collect();
            match saida.last_mut() {
                Some(Pedaco::Texto(antes)) => antes.push_str(&texto),
                _ => saida.push(Pedaco::Texto(texto)),
            }
            continue;
        }
        let classe = classe(trechos)?;
        match saida.last_mut() {
            Some(Pedaco::Classe(antes, menos, mais)) if *antes == classe => {
                *menos += min;
                *mais = mais.zip(max).map(|(a, b)| a + b);
            }
            _ => saida.push(Pedaco::Classe(classe, min, max)),
        }
    }
    Some(saida)
}

fn classe(trechos: &[Trecho]) -> Option<&'static str> {
    const ZERO: Trecho = (0x30, 0x39);
    const MAIUSCULAS: Trecho = (0x41, 0x5A);
    Some(match trechos {
        [ZERO | (0x31, 0x39)] => "dígitos",
        [ZERO, MAIUSCULAS] => "dígitos ou letras maiúsculas",
        [MAIUSCULAS] => "letras maiúsculas",
        [ZERO, MAIUSCULAS, (0x61, 0x7A)] => "letras ou dígitos",
        [ZERO, (0x41, 0x46)] => "dígitos ou letras de A a F",
        // `\d`: digits of every script begin with the usual ones.
        [ZERO, (0x660, _), ..] => "dígitos",
        _ => return None,
    })
}

fn vezes(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) if max == min => min.to_string(),
        Some(max) if min == 0 => format!("até {max}"),
        Some(max) => format!("de {min} a {max}"),
        None => format!("{min} ou mais"),
    }
}

fn so_digitos(formas: &[Vec<Pedaco>]) -> Option<String> {
    let mut contagens = Vec::new();
    for forma in formas {
        match forma.as_slice() {
            [Pedaco::Classe("dígitos", 0, Some(0))] => contagens.push("nenhum".to_owned()),
            [Pedaco::Classe("dígitos", min, max)] => contagens.push(vezes(*min, *max)),
            _ => return None,
        }
    }
    let um = contagens == ["1"];
    let contagens = super::lista(contagens.iter().map(String::as_str), "ou");
    Some(format!(
        "{contagens} {}",
        if um { "dígito" } else { "dígitos" }
    ))
}

fn por_extenso(forma: &[Pedaco]) -> String {
    let pedacos: Vec<String> = forma
        .iter()
        .map(|pedaco| match pedaco {
            Pedaco::Texto(texto) => format!("\"{texto}\""),
            Pedaco::Classe(classe, min, max) => format!("{} {classe}", vezes(*min, *max)),
        })
        .collect();
    match pedacos.as_slice() {
        [] => "nada".to_owned(),
        _ => pedacos.join(" e "),
    }
}
