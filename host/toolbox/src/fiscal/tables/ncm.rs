//! NCM.

use super::{CodeTable, ValidityOut};
use data::search::Found;
use data::tipi::{self, Rate};
use data::{ncm, versions};
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct Ncm;

/// Um código da Nomenclatura Comum do Mercosul.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoNcm")]
pub(super) struct NcmOut {
    /// Oito dígitos; de dois a sete os dos títulos acima.
    codigo: &'static str,
    /// Com pontos, como 1701.99.00.
    codigo_formatado: String,
    /// A deste nível; a de muitos itens é só "Outros".
    descricao: &'static str,
    /// As dos níveis acima e a deste.
    descricao_completa: String,
    /// Mercadorias se classificam aqui (oito dígitos).
    item: bool,
    /// A unidade do comércio exterior (uTrib); `null`: nenhuma publicada.
    unidade_tributavel: Option<&'static str>,
    vigencia: ValidityOut,
    /// O que a TIPI diz do código.
    ipi: IpiOut,
    /// Do capítulo a este código.
    niveis: Vec<Heading>,
}

/// Um título acima de um código.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NivelDoNcm")]
struct Heading {
    codigo: &'static str,
    descricao: &'static str,
}

/// O IPI de um código, pela TIPI carregada.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IpiDoNcm")]
struct IpiOut {
    situacao: IpiSituation,
    /// Percentual; `null` fora de `tributado`.
    aliquota: Option<Exact>,
    /// As exceções (Ex) do código.
    excecoes: Vec<IpiException>,
    /// Quem publicou a TIPI; `null`: nenhuma está carregada.
    fonte: Option<&'static str>,
    /// O dia que a TIPI mostra.
    versao: Option<&'static str>,
}

/// O que a TIPI diz de um código.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SituacaoDoIpi")]
enum IpiSituation {
    Tributado,
    /// NT.
    NaoTributado,
    /// A TIPI carregada não tem o código; títulos não têm alíquota.
    ForaDaTabela,
    /// Nenhuma TIPI está carregada: nada se diz da alíquota.
    SemTabela,
}

/// Uma exceção (Ex) da TIPI.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExcecaoDaTipi")]
struct IpiException {
    /// Dois dígitos.
    ex: &'static str,
    descricao: &'static str,
    situacao: IpiSituation,
    /// Percentual; `null` fora de `tributado`.
    aliquota: Option<Exact>,
}

impl IpiOut {
    fn of(codigo: &str) -> IpiOut {
        let version = versions::get("tipi");
        let row = tipi::get(codigo, "");
        let situation = match (version, row) {
            (None, _) => IpiSituation::SemTabela,
            (Some(_), None) => IpiSituation::ForaDaTabela,
            (Some(_), Some(row)) => IpiSituation::of(row),
        };
        let exceptions = tipi::exceptions(codigo).map(|row| IpiException {
            ex: row.ex,
            descricao: row.description,
            situacao: IpiSituation::of(row),
            aliquota: row.percent.map(Exact),
        });
        IpiOut {
            situacao: situation,
            aliquota: row.and_then(|row| row.percent).map(Exact),
            excecoes: exceptions.collect(),
            fonte: version.map(|version| version.source),
            versao: version.map(|version| version.date),
        }
    }
}

impl IpiSituation {
    fn of(row: &Rate) -> IpiSituation {
        match row.percent {
            Some(_) => IpiSituation::Tributado,
            None => IpiSituation::NaoTributado,
        }
    }
}

impl CodeTable for Ncm {
    type Row = ncm::Ncm;
    type Out = NcmOut;
    const TABLE: &'static str = "ncm";
    const GET: &'static str = "Mostra um código NCM, com os níveis acima, a unidade tributável, a vigência e o IPI da TIPI carregada; grátis se não existe.";
    const LIST: &'static str = "Busca NCM, pelo texto (também dos níveis acima) ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static ncm::Ncm> {
        ncm::get(code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, ncm::Ncm> {
        ncm::search(words, limit)
    }

    fn shown(row: &'static ncm::Ncm, today: Date) -> NcmOut {
        NcmOut {
            codigo: row.codigo,
            codigo_formatado: formatted(row.codigo),
            descricao: row.description,
            descricao_completa: ncm::complete_description(row.codigo),
            item: row.is_item(),
            unidade_tributavel: row.taxable_unit,
            vigencia: ValidityOut::of(row.validity, today),
            ipi: IpiOut::of(row.codigo),
            niveis: ncm::caminho(row.codigo).into_iter().map(heading).collect(),
        }
    }
}

fn heading(row: &'static ncm::Ncm) -> Heading {
    Heading {
        codigo: row.codigo,
        descricao: row.description,
    }
}

/// `1701.99.00`, and the same for shorter codes.
fn formatted(code: &str) -> String {
    let parts = [code.get(..4), code.get(4..6), code.get(6..)];
    let parts: Vec<&str> = match parts {
        [Some(heading), Some(sub), Some(rest)] => vec![heading, sub, rest],
        [Some(heading), None, _] => vec![heading, code.get(4..).unwrap_or_default()],
        _ => vec![code],
    };
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(".")
}
