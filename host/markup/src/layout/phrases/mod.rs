//! Errors in words: pt-BR, for the person who fills in the field.

mod forms;
mod known;

use std::fmt::Write;

use crate::layout::error::regra;
use crate::layout::table::{Declaracao, PadraoDaTabela, Simples, Tabela, Tipo};

/// What a value does not keep to.
#[derive(Debug)]
pub(super) enum Falha<'t> {
    /// Name of the built-in type.
    Tipo(&'static str),
    Padrao(&'t PadraoDaTabela),
    Tamanho {
        min: Option<u32>,
        max: Option<u32>,
        veio: u32,
    },
    Enumeracao(&'t [&'static str]),
    Faixa {
        de: Option<&'static str>,
        ate: Option<&'static str>,
    },
    Fixo(&'static str),
}

/// Values of an enumeration that are listed.
const MAX_VALORES: usize = 30;

impl Falha<'_> {
    pub fn regra(&self) -> &'static str {
        match self {
            Falha::Tipo(_) => regra::TIPO,
            Falha::Padrao(_) => regra::PADRAO,
            Falha::Tamanho { .. } => regra::TAMANHO,
            Falha::Enumeracao(_) => regra::ENUMERACAO,
            Falha::Faixa { .. } => regra::FAIXA,
            Falha::Fixo(_) => regra::VALOR_FIXO,
        }
    }

    /// Facet and value, as a schema validator would say it.
    pub fn original(&self) -> String {
        match self {
            Falha::Tipo(tipo) => format!("type {tipo}"),
            Falha::Padrao(padrao) => format!("pattern {}", padrao.texto),
            Falha::Tamanho { min, max, .. } => {
                let numero = |n: &Option<u32>| n.map_or("-".to_owned(), |n| n.to_string());
                format!("minLength {}, maxLength {}", numero(min), numero(max))
            }
            Falha::Enumeracao(valores) => {
                let mostra = valores.get(..MAX_VALORES).unwrap_or(valores);
                format!("enumeration {}", mostra.join(" "))
            }
            Falha::Faixa { de, ate } => format!(
                "minInclusive {}, maxInclusive {}",
                de.unwrap_or("-"),
                ate.unwrap_or("-")
            ),
            Falha::Fixo(valor) => format!("fixed {valor}"),
        }
    }
}

/// The sentence and the way out.
pub(super) fn de_valor(
    nome: &str,
    tipo: &Simples,
    valor: &str,
    falha: &Falha<'_>,
) -> (String, String) {
    let espera = espera(nome, tipo, falha);
    if valor.is_empty() {
        return (
            format!("{nome} está vazio e deve ter {espera}."),
            format!("Informe {nome}, ou retire o campo se ele não se aplica."),
        );
    }
    let mensagem = match falha {
        Falha::Tamanho { veio, .. } => {
            format!("{nome} deve ter {espera}; veio com {veio}.")
        }
        Falha::Enumeracao(_) | Falha::Fixo(_) => format!("{nome} deve ser {espera}."),
        Falha::Tipo(_) | Falha::Padrao(_) | Falha::Faixa { .. } => {
            format!("{nome} deve ter {espera}.")
        }
    };
    let correcao = remedio(tipo, valor, falha).unwrap_or_else(|| match falha {
        Falha::Enumeracao(_) | Falha::Fixo(_) => format!("Use {espera}."),
        Falha::Tamanho {
            max: Some(max),
            veio,
            ..
        } if veio > max => {
            format!("Reduza {nome} para no máximo {max} caracteres.")
        }
        _ => informe_com(nome, &espera),
    });
    (mensagem, correcao)
}

/// What is expected, to follow «deve ter» or, for lists, «deve ser».
fn espera(nome: &str, tipo: &Simples, falha: &Falha<'_>) -> String {
    match falha {
        Falha::Enumeracao(valores) => valores_possiveis(nome, tipo, valores),
        Falha::Fixo(valor) => (*valor).to_owned(),
        Falha::Tamanho { min, max, .. } => forms::caracteres(*min, *max),
        Falha::Faixa { de, ate } => match (de, ate) {
            (Some(de), Some(ate)) => format!("valor de {de} a {ate}"),
            (Some(de), None) => format!("valor a partir de {de}"),
            (None, Some(ate)) => format!("valor até {ate}"),
            (None, None) => "menos algarismos".to_owned(),
        },
        Falha::Tipo(base) => known::de_base(base).to_owned(),
        Falha::Padrao(padrao) => known::espera(nome, tipo.nome)
            .map(str::to_owned)
            .or_else(|| forms::descreve(padrao))
            .unwrap_or_else(|| "o formato que o layout define".to_owned()),
    }
}

fn valores_possiveis(nome: &str, tipo: &Simples, valores: &[&'static str]) -> String {
    if let Some(texto) = known::lista(nome, tipo.nome) {
        return texto.to_owned();
    }
    if valores.len() > MAX_VALORES {
        return "um dos valores que o layout define".to_owned();
    }
    match valores {
        [unico] => format!("\"{unico}\""),
        _ => lista(valores.iter().copied(), "ou"),
    }
}

/// What usually went wrong, told by the value itself.
fn remedio(tipo: &Simples, valor: &str, falha: &Falha<'_>) -> Option<String> {
    if matches!(falha, Falha::Tamanho { .. }) {
        return None;
    }
    if valor.contains(['\n', '\r', '\t']) {
        return Some("Retire as quebras de linha e tabulações.".to_owned());
    }
    if valor.trim() != valor {
        return Some("Retire os espaços do início e do fim.".to_owned());
    }
    let Falha::Padrao(padrao) = falha else {
        if let Falha::Enumeracao(valores) = falha {
            let igual = valores.iter().find(|v| v.eq_ignore_ascii_case(valor));
            return igual.map(|v| format!("Escreva {v}, com as mesmas maiúsculas e minúsculas."));
        }
        return None;
    };
    let texto = padrao.texto;
    if forms::decimal(texto) {
        if valor.contains(',') {
            return Some(
                "Use ponto como separador decimal e nenhum separador de milhar.".to_owned(),
            );
        }
        if valor.starts_with('0') && valor.len() > 1 && !valor.starts_with("0.") {
            return Some("Retire os zeros à esquerda.".to_owned());
        }
        return None;
    }
    if texto.contains('ÿ') && valor.chars().any(|c| u32::from(c) > 0xFF) {
        return Some(
            "Retire os caracteres fora do alfabeto latino, como emojis e aspas tipográficas."
                .to_owned(),
        );
    }
    let pontuado = valor.contains(['.', '-', '/', '(', ')', ' ']) && !texto.contains('ÿ');
    let limpo: String = valor.chars().filter(char::is_ascii_alphanumeric).collect();
    let data = tipo.nome.contains("Data") || tipo.nome.contains("Date");
    if pontuado && !data && padrao.casa(&limpo) {
        return Some("Informe sem pontos, traços, barras nem espaços.".to_owned());
    }
    let maiusculo = valor.to_ascii_uppercase();
    if maiusculo != valor && padrao.casa(&maiusculo) {
        return Some("Use letras maiúsculas.".to_owned());
    }
    None
}

/// «Informe NCM com 2 ou 8 dígitos.»
pub(super) fn informe(nome: &str, tabela: &Tabela, declaracao: Option<&Declaracao>) -> String {
    let simples = declaracao.and_then(|d| match d.tipo {
        Tipo::Simples(indice) => tabela.simples(indice),
        Tipo::Complexo(_) => None,
    });
    let Some(simples) = simples else {
        return format!("Inclua {nome}.");
    };
    if !simples.valores.is_empty() {
        let valores = valores_possiveis(nome, simples, &simples.valores);
        return format!("Informe {nome}: {valores}.");
    }
    let padrao = simples.padroes.last().and_then(|p| tabela.padroes.get(*p));
    match padrao {
        Some(padrao) => {
            let falha = Falha::Padrao(padrao);
            informe_com(nome, &espera(nome, simples, &falha))
        }
        None => format!("Informe {nome}."),
    }
}

/// «com 2 a 14 dígitos», where a sentence with «deve ter» says «de 2 a 14».
fn informe_com(nome: &str, espera: &str) -> String {
    let espera = espera.strip_prefix("de ").unwrap_or(espera);
    format!("Informe {nome} com {espera}.")
}

/// Fields whose values are not repeated: they are someone's.
pub(super) fn pessoal(nome: &str) -> bool {
    matches!(
        nome,
        "CPF"
            | "xNome"
            | "xFant"
            | "email"
            | "fone"
            | "xLgr"
            | "nro"
            | "xCpl"
            | "xBairro"
            | "CEP"
            | "idEstrangeiro"
            | "xContato"
            | "placa"
            | "infCpl"
            | "NIF"
            | "tpNIF"
            | "emailDest"
            | "CPFDest"
            | "xDescServ"
            | "xInfComp"
            | "infAdProd"
            | "docIdentRec"
            | "nDoc"
            | "X509Certificate"
            | "SignatureValue"
            | "DigestValue"
            | "assinatura"
            | "qrCode"
            | "docZip"
            | "CAEPF"
            | "xPessoa"
            | "hashComprovante"
            | "latGPS"
            | "longGPS"
            | "xCorrecao"
            | "xJust"
            | "xTexto"
            | "obsCont"
            | "IM"
            | "CNO"
            | "CPFAgTrib"
    )
}

/// Two names that one slip of the keyboard tells apart, or only their case.
pub(super) fn parecidos(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().min(b.len()) < 4 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let inicio = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let resto_a = a.get(inicio..).unwrap_or_default();
    let resto_b = b.get(inicio..).unwrap_or_default();
    let fim = resto_a
        .iter()
        .rev()
        .zip(resto_b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (sobra_a, sobra_b) = (resto_a.len() - fim, resto_b.len() - fim);
    let troca = sobra_a == 2
        && sobra_b == 2
        && resto_a.first() == resto_b.get(1)
        && resto_a.get(1) == resto_b.first();
    // A different digit makes another field (CST of ICMS00 and ICMS10), not a slip.
    let numero = |resto: &[u8], n: usize| resto.iter().take(n).any(u8::is_ascii_digit);
    let numerico = numero(resto_a, sobra_a) || numero(resto_b, sobra_b);
    (sobra_a.max(sobra_b) <= 1 && !numerico) || troca
}

/// «a, b ou c».
pub(super) fn lista<'n>(nomes: impl Iterator<Item = &'n str>, conectivo: &str) -> String {
    let nomes: Vec<&str> = nomes.collect();
    let mut texto = String::new();
    for (indice, nome) in nomes.iter().enumerate() {
        let antes = match indice {
            0 => "",
            i if i + 1 == nomes.len() => &format!(" {conectivo} "),
            _ => ", ",
        };
        // Writing into a String does not fail.
        write!(texto, "{antes}{nome}").unwrap_or_default();
    }
    texto
}
