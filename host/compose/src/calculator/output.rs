//! What the calculation answers: each tax with the way it came about.

use data::Validity;
use fiscal::taxes::money::{f2, variable};
use fiscal::taxes::{Charge, Step};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Number;

/// Os tributos de uma venda.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CalcularImpostosOut {
    /// O dia das tabelas e regras usadas, AAAA-MM-DD.
    pub data: String,
    pub ambito: Scope,
    /// Mercadoria, frete, seguro e outras despesas, menos o desconto.
    pub valor_operacao: Money,
    /// ICMS da própria operação.
    pub icms: TaxOut,
    /// Fundo de combate à pobreza da própria operação.
    pub fcp: TaxOut,
    /// ICMS retido pelas operações seguintes.
    pub icms_st: TaxOut,
    pub fcp_st: TaxOut,
    /// Diferencial de alíquotas devido ao estado de destino.
    pub difal: TaxOut,
    /// Fundo de combate à pobreza devido com o DIFAL.
    pub fcp_difal: TaxOut,
    pub ipi: TaxOut,
    pub pis: TaxOut,
    pub cofins: TaxOut,
    /// IBS do estado.
    pub ibs_uf: TaxOut,
    /// IBS do município.
    pub ibs_mun: TaxOut,
    pub cbs: TaxOut,
    /// Imposto Seletivo.
    pub is: TaxOut,
    pub totais: Totals,
    /// O que conferir antes de usar o cálculo.
    pub avisos: Vec<String>,
}

/// Se a mercadoria muda de estado.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AmbitoDaOperacao")]
pub enum Scope {
    Interna,
    Interestadual,
}

/// Um tributo do cálculo.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TributoCalculado")]
pub struct TaxOut {
    pub situacao: Situation,
    /// Por que o tributo não se aplica, ou o que falta para calculá-lo.
    pub motivo: Option<String>,
    /// Os campos do pedido que permitem o cálculo.
    pub faltam: Vec<&'static str>,
    /// `null` se não calculado, ou se o valor veio no pedido.
    pub base: Option<Money>,
    /// Percentual efetivo; `null` como a base.
    pub aliquota: Option<Rate>,
    /// `null` se não calculado.
    pub valor: Option<Money>,
    /// As regras aplicadas, na ordem.
    pub trilha: Vec<StepOut>,
}

/// O que o cálculo diz de um tributo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SituacaoDoTributo")]
pub enum Situation {
    Calculado,
    /// Não é devido nesta operação.
    NaoSeAplica,
    /// Pode ser devido, mas falta a linha da tabela ou o dado que a substitui.
    SemTabela,
}

/// Uma regra do cálculo.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PassoDoCalculo")]
pub struct StepOut {
    /// Nome estável da regra.
    pub regra: &'static str,
    /// A regra com os números desta operação.
    pub formula: String,
    /// Lei, convênio ou nota técnica.
    pub fundamento: String,
    /// Quando vale a linha da tabela usada; `null`: a regra não vem de tabela,
    /// ou a linha não tem datas.
    pub vigencia: Option<ValidityOut>,
}

/// Primeiro e último dia, AAAA-MM-DD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "VigenciaDaRegra")]
pub struct ValidityOut {
    /// `null`: desde antes da tabela.
    pub de: Option<String>,
    /// `null`: sem fim marcado.
    pub ate: Option<String>,
}

/// O que se soma na nota.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TotaisDoCalculo")]
pub struct Totals {
    /// O que o destinatário paga: operação, IPI, ICMS-ST e FCP-ST; a partir de
    /// 2027, também IBS, CBS e IS. Só com o que foi calculado.
    pub valor_nota: Money,
    /// Os tributos sem tabela, que não estão na soma.
    pub sem_tabela: Vec<&'static str>,
}

/// Reais, com duas casas decimais.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct Money(#[schemars(with = "f64")] pub Decimal);

/// Percentual, com quatro ou mais casas decimais.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct Rate(#[schemars(with = "f64")] pub Decimal);

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        number(&f2(self.0), serializer)
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        number(&variable(self.0, 4, 10), serializer)
    }
}

fn number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let number: Number = text.parse().map_err(S::Error::custom)?;
    number.serialize(serializer)
}

impl From<Validity> for ValidityOut {
    fn from(validity: Validity) -> ValidityOut {
        ValidityOut {
            de: validity.start.map(|day| day.to_string()),
            ate: validity.end.map(|day| day.to_string()),
        }
    }
}

impl From<Step> for StepOut {
    fn from(step: Step) -> StepOut {
        StepOut::new(step.rule, step.formula, step.ground)
    }
}

impl StepOut {
    /// A rule that is no row of a table.
    pub(super) fn new(
        rule: &'static str,
        formula: impl Into<String>,
        ground: impl Into<String>,
    ) -> StepOut {
        StepOut {
            regra: rule,
            formula: formula.into(),
            fundamento: ground.into(),
            vigencia: None,
        }
    }

    /// A row of a table, with its days.
    pub(super) fn valid(self, validity: Validity) -> StepOut {
        StepOut {
            vigencia: Some(validity.into()),
            ..self
        }
    }
}

/// What a tax cannot be calculated without.
#[derive(Clone, Debug)]
pub(super) struct Lack {
    pub reason: String,
    /// Members of the request that make up for it.
    pub fields: Vec<&'static str>,
}

impl Lack {
    pub fn new(reason: impl Into<String>, fields: &[&'static str]) -> Lack {
        Lack {
            reason: reason.into(),
            fields: fields.to_vec(),
        }
    }
}

impl TaxOut {
    /// A charge, behind the steps that led to its rates.
    pub(super) fn calculated(before: Vec<StepOut>, charge: Charge) -> TaxOut {
        let steps = charge.steps.into_iter().map(StepOut::from);
        TaxOut {
            situacao: Situation::Calculado,
            motivo: None,
            faltam: Vec::new(),
            base: Some(Money(charge.base)),
            aliquota: Some(Rate(charge.rate)),
            valor: Some(Money(charge.value)),
            trilha: before.into_iter().chain(steps).collect(),
        }
    }

    /// An amount of the request.
    pub(super) fn given(step: StepOut, value: Decimal) -> TaxOut {
        TaxOut {
            valor: Some(Money(value)),
            trilha: vec![step],
            ..TaxOut::empty(Situation::Calculado)
        }
    }

    /// Not due: why, and by which law.
    pub(super) fn not_due(
        rule: &'static str,
        reason: impl Into<String>,
        ground: impl Into<String>,
    ) -> TaxOut {
        let reason = reason.into();
        TaxOut {
            motivo: Some(reason.clone()),
            trilha: vec![StepOut::new(rule, reason, ground)],
            ..TaxOut::empty(Situation::NaoSeAplica)
        }
    }

    /// Due or perhaps due, and not to be calculated.
    pub(super) fn without_table(lack: Lack) -> TaxOut {
        TaxOut {
            motivo: Some(lack.reason),
            faltam: lack.fields,
            ..TaxOut::empty(Situation::SemTabela)
        }
    }

    fn empty(situation: Situation) -> TaxOut {
        TaxOut {
            situacao: situation,
            motivo: None,
            faltam: Vec::new(),
            base: None,
            aliquota: None,
            valor: None,
            trilha: Vec::new(),
        }
    }

    /// The amount; zero where none was calculated.
    pub(super) fn amount(&self) -> Decimal {
        self.valor.map_or(Decimal::ZERO, |value| value.0)
    }

    /// The amount, or what it lacks.
    pub(super) fn known(&self) -> Result<Decimal, Lack> {
        match self.situacao {
            Situation::SemTabela => Err(Lack {
                reason: self.motivo.clone().unwrap_or_default(),
                fields: self.faltam.clone(),
            }),
            _ => Ok(self.amount()),
        }
    }
}
