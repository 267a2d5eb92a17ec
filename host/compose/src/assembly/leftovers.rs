//! Members of a tax that its situation has no place for. They are told by
//! name: left out of the note in silence they would be believed to be in it.

use crate::context::{Contexto, Onde};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value};

/// Which tax, and what about it decides on its members.
pub(super) struct Situacao<'s> {
    /// Member of `impostos`.
    pub tributo: &'static str,
    /// For people: `no CST 40 do ICMS`.
    pub nome: &'s str,
    /// The members are the profile's. They are defaults for more than one
    /// situation, so they are told and left out.
    pub do_perfil: bool,
}

/// Tells each member of the item's group that is none of `cabem`. A group of
/// which only some members fit is given by these, as `mono.aliquota`. What is
/// zero says nothing: some programs send every member.
pub(super) fn diz<T: Serialize>(
    ctx: &mut Contexto<'_>,
    item: Onde<'_>,
    situacao: &Situacao<'_>,
    dados: &T,
    cabem: &[&str],
) {
    let Ok(Value::Object(membros)) = serde_json::to_value(dados) else {
        return;
    };
    let mut fora = Vec::new();
    junta(&membros, "", cabem, &mut fora);
    for membro in fora {
        let (tributo, nome) = (situacao.tributo, situacao.nome);
        let mensagem = format!("O campo {membro} não cabe {nome}: ficaria fora da nota.");
        if situacao.do_perfil {
            let onde = format!("perfil_fiscal.padroes.{tributo}.{membro}");
            ctx.aviso_em(onde, mensagem);
            continue;
        }
        ctx.campos.add(
            format!("{item}.impostos.{tributo}.{membro}"),
            "nao_cabe_no_cst",
            mensagem,
            "Retire o campo, ou informe a situação tributária que o leva.",
        );
    }
}

fn junta(membros: &Map<String, Value>, acima: &str, cabem: &[&str], fora: &mut Vec<String>) {
    for (nome, valor) in membros {
        let caminho = format!("{acima}{nome}");
        if cabem.contains(&caminho.as_str()) || nada(valor) {
            continue;
        }
        let abaixo = format!("{caminho}.");
        match valor {
            Value::Object(membros) if cabem.iter().any(|cabe| cabe.starts_with(&abaixo)) => {
                junta(membros, &abaixo, cabem, fora);
            }
            _ => fora.push(caminho),
        }
    }
}

/// Is it absent, zero, or a group of such?
fn nada(valor: &Value) -> bool {
    match valor {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(numero) => numero.as_f64() == Some(0.0),
        Value::String(texto) => {
            texto.is_empty() || texto.parse().is_ok_and(|numero: Decimal| numero.is_zero())
        }
        Value::Array(lista) => lista.iter().all(nada),
        Value::Object(membros) => membros.values().all(nada),
    }
}
