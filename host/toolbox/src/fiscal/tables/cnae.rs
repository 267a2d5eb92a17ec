//! CNAE.

use super::CodeTable;
use data::cnae;
use data::search::Found;
use data::simples::Annex;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct Cnae;

/// Uma subclasse da CNAE.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoCnae")]
pub(super) struct CnaeOut {
    /// Sete dígitos.
    codigo: &'static str,
    /// Como 6201-5/01.
    codigo_formatado: String,
    descricao: &'static str,
    /// Seção, divisão, grupo e classe.
    niveis: Vec<Level>,
    /// Anexos do Simples em que a atividade costuma estar; III e V juntos onde
    /// o Fator R decide. Indicativo: nenhuma lei liga CNAE a anexo.
    simples_anexos: Vec<&'static str>,
    /// Itens da lista da LC 116/2003 a que municípios a ligam. Indicativo.
    itens_lc116: &'static [&'static str],
}

/// Um nível acima da subclasse.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NivelDaCnae")]
struct Level {
    codigo: &'static str,
    descricao: &'static str,
}

impl CodeTable for Cnae {
    type Row = cnae::Cnae;
    type Out = CnaeOut;
    const TABLE: &'static str = "cnae";
    const GET: &'static str = "Mostra uma subclasse da CNAE, com os níveis acima, os anexos do Simples e os itens da LC 116 prováveis; grátis se não existe.";
    const LIST: &'static str =
        "Busca subclasses da CNAE, pelo texto ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static cnae::Cnae> {
        cnae::get(code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, cnae::Cnae> {
        cnae::search(words, limit)
    }

    fn shown(row: &'static cnae::Cnae, _: Date) -> CnaeOut {
        CnaeOut {
            codigo: row.codigo,
            codigo_formatado: row.formatted(),
            descricao: row.description,
            niveis: row.levels().into_iter().map(level).collect(),
            simples_anexos: row
                .annexes()
                .iter()
                .map(|annex| Annex::name(*annex))
                .collect(),
            itens_lc116: row.items(),
        }
    }
}

fn level(level: &'static cnae::Level) -> Level {
    Level {
        codigo: level.codigo,
        descricao: level.description,
    }
}
