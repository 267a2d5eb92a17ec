//! cClassTrib of IBS and CBS.

use super::{CodeTable, ValidityOut};
use data::class_trib::{self, AliquotaKind, Cst};
use data::search::Found;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct ClassTrib;

/// Uma classificação tributária de IBS e CBS (IT 2025.002).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClassificacaoIbsCbs")]
pub(super) struct ClassTribOut {
    /// Seis dígitos; os três primeiros são o CST.
    codigo: &'static str,
    descricao: &'static str,
    cst: CstOut,
    /// De onde vem a alíquota.
    tipo_aliquota: RateSource,
    /// Redução da alíquota do IBS, em percentual.
    reducao_ibs: Exact,
    /// Redução da alíquota da CBS, em percentual.
    reducao_cbs: Exact,
    /// A nota leva o grupo de tributação regular.
    tributacao_regular: bool,
    /// A nota pode levar crédito presumido da operação.
    credito_presumido: bool,
    /// A nota leva o grupo de estorno de crédito.
    estorno_credito: bool,
    /// Os documentos que a aceitam.
    documentos: Vec<&'static str>,
    /// O artigo da LC 214/2025.
    fundamento: &'static str,
    vigencia: ValidityOut,
}

/// Um CST de IBS e CBS, e os grupos que exige; os outros ele proíbe.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CstIbsCbs")]
struct CstOut {
    codigo: &'static str,
    descricao: &'static str,
    /// Os grupos do leiaute que a nota leva com ele.
    grupos: Vec<&'static str>,
}

/// De onde vem a alíquota de uma classificação.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TipoDeAliquotaIbsCbs")]
#[serde(rename_all = "snake_case")]
enum RateSource {
    Padrao,
    UniformeSetorial,
    UniformeNacional,
    Fixa,
    SemAliquota,
}

impl CodeTable for ClassTrib {
    type Row = class_trib::ClassTrib;
    type Out = ClassTribOut;
    const TABLE: &'static str = "class_trib";
    const GET: &'static str = "Mostra um cClassTrib de IBS e CBS, com o CST, as reduções e os documentos; grátis se não existe.";
    const LIST: &'static str = "Busca cClassTrib, pelo texto (também o do CST e o artigo) ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static class_trib::ClassTrib> {
        class_trib::get(code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, class_trib::ClassTrib> {
        class_trib::search(words, limit)
    }

    fn shown(row: &'static class_trib::ClassTrib, today: Date) -> ClassTribOut {
        let documents = [
            ("nfe", row.nfe),
            ("nfce", row.nfce),
            ("cte", row.cte),
            ("nfse", row.nfse),
        ];
        ClassTribOut {
            codigo: row.codigo,
            descricao: row.name,
            cst: cst(row),
            tipo_aliquota: match row.kind {
                AliquotaKind::Standard => RateSource::Padrao,
                AliquotaKind::SectoralUniform => RateSource::UniformeSetorial,
                AliquotaKind::NationalUniform => RateSource::UniformeNacional,
                AliquotaKind::Fixed => RateSource::Fixa,
                AliquotaKind::WithoutAliquota => RateSource::SemAliquota,
            },
            reducao_ibs: Exact(row.p_red_ibs),
            reducao_cbs: Exact(row.p_red_cbs),
            tributacao_regular: row.trib_regular,
            credito_presumido: row.cred_pres_operation,
            estorno_credito: row.credit_reversal,
            documentos: named(&documents),
            fundamento: row.lc214,
            vigencia: ValidityOut::of(row.validity, today),
        }
    }
}

/// Names whose mark is set.
fn named(marks: &[(&'static str, bool)]) -> Vec<&'static str> {
    let set = marks.iter().filter(|(_, set)| *set);
    set.map(|(name, _)| *name).collect()
}

fn cst(row: &'static class_trib::ClassTrib) -> CstOut {
    let cst: Option<&'static Cst> = class_trib::cst(row.cst());
    let groups = cst.map(|cst| {
        named(&[
            ("gIBSCBS", cst.g_ibs_cbs),
            ("gIBSCBSMono", cst.g_mono),
            ("gRed", cst.g_red),
            ("gDif", cst.g_dif),
            ("gTransfCred", cst.g_transf_cred),
            ("gCredPresIBSZFM", cst.g_cred_pres_zfm),
            ("gAjusteCompet", cst.g_ajuste_compet),
        ])
    });
    CstOut {
        codigo: row.cst(),
        descricao: cst.map_or("", |cst| cst.description),
        grupos: groups.unwrap_or_default(),
    }
}
