//! What the calculation of a guide answers.

use crate::calculator::{Money, TaxOut};
use schemars::JsonSchema;
use serde::Serialize;

/// O que a venda deve ao estado de destino.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GnreOut {
    pub uf_destino: String,
    /// ICMS retido pelas operações seguintes; `null`: falta o que está em `falta`.
    pub icms_st: Option<Money>,
    /// Diferencial de alíquotas; `null` como o anterior.
    pub difal: Option<Money>,
    /// Fundo de combate à pobreza, com a ST ou com o DIFAL; `null` como os anteriores.
    pub fcp: Option<Money>,
    /// A soma; `null` se um dos três não se conhece.
    pub total: Option<Money>,
    /// Último dia para pagar, de quem não tem inscrição no destino: o da saída da
    /// mercadoria (Convênios ICMS 142/2018 e 236/2021). Quem tem inscrição de
    /// substituto paga por apuração, no prazo do estado.
    pub vencimento: String,
    /// O da primeira guia; `null` sem guia.
    pub codigo_receita: Option<&'static str>,
    /// Uma guia por tributo devido; vazia se nada é devido, se não se conhece o
    /// valor, se o estado não aderiu à GNRE ou se o destinatário é quem paga.
    pub guias: Vec<Slip>,
    /// O que falta para o cálculo ou para a guia: campos do pedido, ou `gnre`.
    pub falta: Vec<&'static str>,
    /// Por que cada um falta.
    pub motivos: Vec<MissingFact>,
    /// Como se chegou a cada valor.
    pub detalhes: GnreDetails,
    /// O que conferir antes de pagar.
    pub avisos: Vec<String>,
}

/// Uma guia a pagar.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GuiaGnre")]
pub struct Slip {
    /// Seis dígitos, dos pagamentos por operação.
    pub codigo_receita: &'static str,
    pub descricao: &'static str,
    pub valor: Money,
}

/// Algo que falta.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FaltaDaGnre")]
pub struct MissingFact {
    /// Campo do pedido, ou `gnre`: o estado não recebe por ela.
    pub campo: &'static str,
    pub motivo: String,
}

impl MissingFact {
    pub(super) fn new(field: &'static str, reason: impl Into<String>) -> MissingFact {
        MissingFact {
            campo: field,
            motivo: reason.into(),
        }
    }
}

/// Cada tributo com a sua base, alíquota e regras.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "DetalhesDaGnre")]
pub struct GnreDetails {
    pub icms_st: TaxOut,
    pub difal: TaxOut,
    pub fcp: TaxOut,
}
