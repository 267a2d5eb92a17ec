//! What the calculation is asked.

use crate::emitter::Regime;
use data::Validity;
use fiscal::nfe::order::Number;
use fiscal::taxes::pis_cofins;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A venda de uma mercadoria dentro do país. Alíquotas, reduções, margens e
/// FCP são percentuais: `18` é 18%.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CalcularImpostosIn {
    /// NCM da mercadoria, oito dígitos.
    pub ncm: Option<String>,
    /// CEST: escolhe, com o NCM, a regra de substituição tributária da tabela de
    /// MVA carregada, se há uma.
    pub cest: Option<String>,
    /// CFOP da venda; confere o âmbito da operação. Com CFOP de combustíveis ou
    /// lubrificantes o ICMS só é calculado com `aliquota_icms`: pode ser
    /// monofásico.
    pub cfop: Option<String>,
    /// Sigla do estado de onde a mercadoria sai.
    pub uf_origem: Option<String>,
    /// Sigla do estado onde ela é entregue; na venda presencial, o da loja.
    pub uf_destino: Option<String>,
    /// Valor total da mercadoria, sem frete, desconto e IPI. Ausente:
    /// `quantidade` vezes `valor_unitario`.
    pub valor: Option<Number>,
    /// Na unidade tributável. Ausente: 1.
    pub quantidade: Option<Number>,
    pub valor_unitario: Option<Number>,
    /// O valor não tem o ICMS da própria venda: ele é posto por dentro da base, e os
    /// outros tributos são calculados sobre o preço com ele.
    pub sem_icms: Option<bool>,
    /// Desconto incondicional.
    pub desconto: Option<Number>,
    pub frete: Option<Number>,
    pub seguro: Option<Number>,
    pub outras_despesas: Option<Number>,
    /// Origem da mercadoria, 0 a 8. Ausente: 0, nacional.
    pub origem: Option<String>,
    /// Regime tributário de quem vende.
    pub regime: Option<Regime>,
    /// O destinatário é contribuinte do ICMS.
    pub contribuinte: Option<bool>,
    /// O destinatário não revende nem industrializa a mercadoria. Ausente: só
    /// quem não é contribuinte.
    pub consumidor_final: Option<bool>,
    /// Alíquota interna do produto no estado de destino, sem o FCP. Ausente: a
    /// alíquota modal.
    pub aliquota_icms: Option<Number>,
    /// 4, 7 ou 12. Ausente: a das resoluções do Senado.
    pub aliquota_interestadual: Option<Number>,
    /// Redução da base do ICMS próprio.
    pub reducao_bc: Option<Number>,
    /// Margem das operações internas (MVA original), que o cálculo ajusta na
    /// operação interestadual.
    pub mva_original: Option<Number>,
    /// Margem já ajustada: vale como está.
    pub mva_ajustada: Option<Number>,
    /// FCP do produto no estado de destino; 0 se o produto não paga.
    pub fcp: Option<Number>,
    /// Exceção (Ex) da TIPI em que o produto está, como 01. Só conta com a TIPI
    /// carregada e sem `aliquota_ipi`.
    pub ex_tipi: Option<String>,
    /// Alíquota do IPI; 0 se quem vende não é contribuinte dele. Ausente: a da TIPI, se
    /// uma está carregada.
    pub aliquota_ipi: Option<Number>,
    /// IPI em reais, no lugar do calculado com `aliquota_ipi`.
    pub valor_ipi: Option<Number>,
    /// ICMS da própria venda em reais, no lugar do calculado.
    pub valor_icms: Option<Number>,
    /// PIS em reais, no lugar do calculado.
    pub valor_pis: Option<Number>,
    /// COFINS em reais, no lugar da calculada.
    pub valor_cofins: Option<Number>,
    /// Como quem vende paga PIS e COFINS, no regime normal.
    pub regime_pis_cofins: Option<ContributionRegime>,
    /// Alíquota do PIS, se não é a geral: 0 na revenda de produto de tributação
    /// concentrada (monofásica).
    pub aliquota_pis: Option<Number>,
    /// Alíquota da COFINS, como a do PIS.
    pub aliquota_cofins: Option<Number>,
    /// Classificação tributária do IBS e da CBS, seis dígitos.
    pub cclass_trib: Option<String>,
    /// Dia da operação, AAAA-MM-DD. Ausente: hoje.
    pub data: Option<String>,
}

/// Regime de apuração do PIS e da COFINS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RegimePisCofins")]
pub enum ContributionRegime {
    /// Lucro presumido ou arbitrado: 0,65% e 3%.
    Cumulativo,
    /// Lucro real: 1,65% e 7,6%.
    NaoCumulativo,
}

impl From<ContributionRegime> for pis_cofins::Regime {
    fn from(regime: ContributionRegime) -> pis_cofins::Regime {
        match regime {
            ContributionRegime::Cumulativo => pis_cofins::Regime::Cumulative,
            ContributionRegime::NaoCumulativo => pis_cofins::Regime::NonCumulative,
        }
    }
}

/// The row of the state's table of substitution that fits the goods, if one is
/// loaded. The caller looks it up by states, NCM, CEST and day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarginRow {
    /// Convênio, protocolo or law.
    pub agreement: String,
    /// Margin of internal operations, percent.
    pub original: Option<Decimal>,
    /// Margins the state printed for each rate between states.
    pub at_4: Option<Decimal>,
    pub at_7: Option<Decimal>,
    pub at_12: Option<Decimal>,
    /// Price to consumers that the state fixed, by unit.
    pub list_price: Option<Decimal>,
    pub reduction: Option<Decimal>,
    pub fcp: Option<Decimal>,
    pub validity: Validity,
}

impl MarginRow {
    /// The printed margin for a rate between states.
    pub(super) fn at(&self, inter: Decimal) -> Option<Decimal> {
        match inter {
            rate if rate == Decimal::from(4) => self.at_4,
            rate if rate == Decimal::from(7) => self.at_7,
            rate if rate == Decimal::from(12) => self.at_12,
            _ => None,
        }
    }
}
