//! CEST.

use super::CodeTable;
use data::cest;
use data::search::Found;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct Cest;

/// Um CEST (Convênio ICMS 142/2018).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoCest")]
pub(super) struct CestOut {
    /// Sete dígitos.
    codigo: String,
    /// Com pontos, como 03.001.00.
    codigo_formatado: String,
    descricao: &'static str,
    segmento: Segment,
    /// Os começos de NCM a que ele se aplica; vazio: o convênio não nomeia NCM.
    ncm: Vec<&'static str>,
}

/// Um segmento de mercadorias.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SegmentoDoCest")]
struct Segment {
    codigo: &'static str,
    nome: &'static str,
}

impl CodeTable for Cest {
    type Row = cest::Cest;
    type Out = CestOut;
    const TABLE: &'static str = "cest";
    const GET: &'static str =
        "Mostra um CEST e os NCM a que se aplica; grátis se não está na tabela.";
    const LIST: &'static str =
        "Busca CEST, pelo texto ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static cest::Cest> {
        cest::get(code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, cest::Cest> {
        cest::search(words, limit)
    }

    fn shown(row: &'static cest::Cest, _: Date) -> CestOut {
        let part = |range| row.codigo.get(range).unwrap_or_default();
        CestOut {
            codigo: row.codigo.to_owned(),
            codigo_formatado: format!("{}.{}.{}", part(0..2), part(2..5), part(5..7)),
            descricao: row.description,
            segmento: Segment {
                codigo: row.segment(),
                nome: row.segment_name(),
            },
            ncm: row.ncm.clone(),
        }
    }
}
