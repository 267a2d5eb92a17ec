//! The access key against the fields it is made of.

use super::{Achados, Nota};
use crate::nfe::reading::check::validity::Regras;
use markup::ids::chave::digito;

/// Field of `ide`, positions in the key, name for people.
const CAMPOS: [(&str, std::ops::Range<usize>, &str); 6] = [
    ("cUF", 0..2, "o código da UF"),
    ("mod", 20..22, "o modelo"),
    ("serie", 22..25, "a série"),
    ("nNF", 25..34, "o número"),
    ("tpEmis", 34..35, "a forma de emissão"),
    ("cNF", 35..43, "o código numérico"),
];

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let id = nota.inf.attribute("Id").unwrap_or("");
    let Some(chave) = id.strip_prefix("NFe") else {
        achados
            .erro(
                "infNFe/@Id",
                "227",
                "O Id da nota não começa com NFe.",
                "Escreva NFe antes dos 44 algarismos da chave.",
            )
            .valor(id);
        return;
    };
    let forma = chave.len() == 44
        && chave
            .bytes()
            .enumerate()
            .all(|(posicao, byte)| match posicao {
                6..18 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                _ => byte.is_ascii_digit(),
            });
    if !forma {
        achados
            .erro("infNFe/@Id", "502", "O Id não tem uma chave de 44 posições.", "Monte a chave com UF, ano e mês, CNPJ, modelo, série, número, tipo de emissão, código e dígito.")
            .valor(id);
        return;
    }
    digitos(nota, chave, achados);
    campos(nota, chave, achados);
    emissao(nota, chave, achados);
    emitente(nota, chave, achados);
    codigo_numerico(nota, chave, achados);
}

/// Positions of a key of 44.
fn trecho(chave: &str, posicoes: std::ops::Range<usize>) -> &str {
    chave.get(posicoes).unwrap_or_default()
}

/// The last digit: as it is calculated, and as `cDV` has it.
fn digitos(nota: &Nota<'_>, chave: &str, achados: &mut Achados) {
    let calculado = digito(trecho(chave, 0..43).as_bytes()).to_string();
    if trecho(chave, 43..44) != calculado {
        achados
            .erro(
                "infNFe/@Id",
                "236",
                format!(
                    "O dígito verificador da chave é {calculado}, não {}.",
                    trecho(chave, 43..44)
                ),
                "Calcule de novo o dígito da chave.",
            )
            .valor(chave);
    }
    if nota
        .texto(&["ide", "cDV"])
        .is_some_and(|dv| dv != trecho(chave, 43..44))
    {
        achados.erro(
            "infNFe/ide/cDV",
            "253",
            "O cDV da nota não é o último algarismo da chave.",
            "Iguale cDV ao dígito da chave.",
        );
    }
}

/// The fields of `ide` that the key repeats.
fn campos(nota: &Nota<'_>, chave: &str, achados: &mut Achados) {
    for (campo, posicoes, nome) in CAMPOS {
        let na_chave = trecho(chave, posicoes);
        let na_nota = nota.texto(&["ide", campo]).unwrap_or_default();
        if na_chave.trim_start_matches('0') != na_nota.trim_start_matches('0') {
            achados
                .erro(
                    format!("infNFe/ide/{campo}"),
                    "502",
                    format!(
                        "A chave diz que {nome} é {na_chave}; a nota diz {}.",
                        curto(&na_nota)
                    ),
                    "Gere a chave outra vez com os campos da nota.",
                )
                .valor(&na_nota);
        }
    }
}

/// Year and month of emission.
fn emissao(nota: &Nota<'_>, chave: &str, achados: &mut Achados) {
    let emissao = nota.texto(&["ide", "dhEmi"]).unwrap_or_default();
    let (ano, mes) = (
        emissao.get(2..4).unwrap_or_default(),
        emissao.get(5..7).unwrap_or_default(),
    );
    if [ano, mes].concat() != trecho(chave, 2..6) {
        achados
            .erro(
                "infNFe/ide/dhEmi",
                "502",
                format!(
                    "A chave é de {}/{}; a nota foi emitida em {mes}/{ano}.",
                    trecho(chave, 4..6),
                    trecho(chave, 2..4)
                ),
                "Gere a chave outra vez com o mês de emissão.",
            )
            .valor(&emissao);
    }
}

/// CNPJ or CPF of the emitter.
fn emitente(nota: &Nota<'_>, chave: &str, achados: &mut Achados) {
    let emitente = nota
        .texto(&["emit", "CNPJ"])
        .or_else(|| nota.texto(&["emit", "CPF"]));
    let emitente = format!("{:0>14}", emitente.unwrap_or_default());
    if emitente != trecho(chave, 6..20) {
        achados.erro(
            "infNFe/emit",
            "502",
            "O CNPJ ou CPF do emitente não é o da chave.",
            "Confira o emitente ou gere a chave outra vez.",
        );
    }
}

/// `cNF` is not to be guessed (NT 2019.001).
fn codigo_numerico(nota: &Nota<'_>, chave: &str, achados: &mut Achados) {
    let codigo = trecho(chave, 35..43).parse::<u32>().ok();
    let numero = trecho(chave, 25..34).parse::<u32>().ok();
    if let (Some(codigo), Some(numero)) = (codigo, numero)
        && nota.regras >= Regras::CodigoNumerico
        && !markup::ids::chave::c_nf_aceito(codigo, numero)
    {
        achados
            .erro(
                "infNFe/ide/cNF",
                "897",
                "O código numérico é igual ao número ou previsível.",
                "Sorteie outro cNF.",
            )
            .valor(trecho(chave, 35..43));
    }
}

fn curto(texto: &str) -> String {
    texto.chars().take(20).collect()
}
