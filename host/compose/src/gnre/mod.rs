//! What one sale owes to the state of destination, as the guide that pays it
//! (GNRE, Convênio SINIEF 6/1989 art. 88-A) names it: ICMS by substitution,
//! difference of rates, poverty fund. The amounts are those of
//! [`crate::calculator`]; what cannot be known stays open, with its reason.

mod output;

pub use output::{GnreDetails, GnreOut, MissingFact, Slip};

use crate::arithmetic::plus;
use crate::calculator::{
    CalcularImpostosIn, CalcularImpostosOut, Money, Situation, TaxOut, calculate,
};
use crate::emitter::Regime;
use fiscal::nfe::order::Number;
use markup::field::{Field, Fields};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::Date;

/// Revenue codes of payments made operation by operation (portal GNRE).
const SUBSTITUTION: &str = "100099";
const DIFAL: &str = "100102";
const FUND: &str = "100129";

/// Most codes of the table that an answer names for a person to choose.
const CANDIDATES: usize = 5;

/// A venda a outro estado. Alíquotas, margens e FCP são percentuais: `18` é 18%.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GnreIn {
    /// Sigla do estado de onde a mercadoria sai.
    pub uf_origem: Option<String>,
    /// Sigla do estado onde ela é entregue, que recebe a guia.
    pub uf_destino: Option<String>,
    /// NCM da mercadoria, oito dígitos.
    pub ncm: Option<String>,
    /// CEST da mercadoria, sete dígitos, se ela está no Convênio ICMS 142/2018.
    pub cest: Option<String>,
    /// Valor total da mercadoria, sem frete, desconto e IPI.
    pub valor: Option<Number>,
    pub frete: Option<Number>,
    pub seguro: Option<Number>,
    pub outras_despesas: Option<Number>,
    /// Desconto incondicional.
    pub desconto: Option<Number>,
    /// O destinatário é contribuinte do ICMS.
    pub contribuinte: Option<bool>,
    /// O destinatário não revende nem industrializa a mercadoria. Ausente: só
    /// quem não é contribuinte.
    pub consumidor_final: Option<bool>,
    /// Regime tributário de quem vende. Ausente: `normal`.
    pub regime: Option<Regime>,
    /// Origem da mercadoria, 0 a 8. Ausente: 0, nacional.
    pub origem: Option<String>,
    /// A mercadoria está sujeita à substituição tributária no destino. `false`:
    /// não se retém ICMS-ST. Ausente: decide-se pela margem e pelo CEST.
    pub sujeito_st: Option<bool>,
    /// Margem das operações internas (MVA original), que o cálculo ajusta.
    pub mva_original: Option<Number>,
    /// Margem já ajustada: vale como está.
    pub mva_ajustada: Option<Number>,
    /// Alíquota interna do produto no destino, sem o FCP. Ausente: a modal.
    pub aliquota_icms: Option<Number>,
    /// 4, 7 ou 12. Ausente: a das resoluções do Senado.
    pub aliquota_interestadual: Option<Number>,
    /// FCP do produto no destino; 0 se o produto não paga.
    pub fcp: Option<Number>,
    /// Alíquota da TIPI. Ausente: 0, quem vende não é contribuinte do IPI.
    pub aliquota_ipi: Option<Number>,
    /// Dia da saída da mercadoria, AAAA-MM-DD. Ausente: hoje.
    pub data: Option<String>,
}

/// Works out what the sale owes; `today` is its day where the request has none.
///
/// # Errors
/// Every field that is missing or wrong.
pub fn gnre(input: &GnreIn, today: Date) -> Result<GnreOut, Vec<Field>> {
    let mut fields = Fields::default();
    let cest = cest(input, &mut fields);
    between_states(input, &mut fields);
    let sale = CalcularImpostosIn::from(input);
    let taxes = match calculate(&sale, today, None) {
        Ok(taxes) => taxes,
        Err(wrong) => {
            fields.0.extend(wrong);
            return Err(fields.0);
        }
    };
    fields.into_result()?;
    Ok(answer(input, &cest, &taxes))
}

/// The code without its punctuation; tells one that is no code.
fn cest(input: &GnreIn, fields: &mut Fields) -> String {
    let text = input.cest.as_deref().unwrap_or_default().trim();
    let digits: String = text.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    let whole = digits.len() == 7 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !text.is_empty() && !whole {
        fields.add_value(
            "cest",
            "cest_invalido",
            text,
            "Um CEST tem sete dígitos.",
            "Confira o código em GET /api/v1/fiscal/cest, ou omita o campo.",
        );
    }
    digits
}

/// A guide is for a state that the goods do not leave from.
fn between_states(input: &GnreIn, fields: &mut Fields) {
    let of = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        text.trim().to_ascii_uppercase()
    };
    let (from, to) = (of(&input.uf_origem), of(&input.uf_destino));
    if !to.is_empty() && from == to {
        fields.add_value(
            "uf_destino",
            "operacao_interna",
            &to,
            "A GNRE paga tributos a outro estado, e a mercadoria não sai deste.",
            "Informe o estado de destino; dentro do estado use a guia da própria UF.",
        );
    }
}

impl From<&GnreIn> for CalcularImpostosIn {
    fn from(input: &GnreIn) -> CalcularImpostosIn {
        CalcularImpostosIn {
            ncm: input.ncm.clone(),
            uf_origem: input.uf_origem.clone(),
            uf_destino: input.uf_destino.clone(),
            valor: input.valor,
            frete: input.frete,
            seguro: input.seguro,
            outras_despesas: input.outras_despesas,
            desconto: input.desconto,
            contribuinte: input.contribuinte,
            consumidor_final: input.consumidor_final,
            regime: Some(input.regime.unwrap_or_default()),
            origem: input.origem.clone(),
            mva_original: input.mva_original,
            mva_ajustada: input.mva_ajustada,
            aliquota_icms: input.aliquota_icms,
            aliquota_interestadual: input.aliquota_interestadual,
            fcp: input.fcp,
            aliquota_ipi: Some(input.aliquota_ipi.unwrap_or_default()),
            data: input.data.clone(),
            ..CalcularImpostosIn::default()
        }
    }
}

/// The facts of the answer that the request and the taxes tell together.
struct Sale<'a> {
    input: &'a GnreIn,
    /// Seven digits, or nothing.
    cest: &'a str,
    ncm: String,
    uf: String,
    /// Nothing is withheld for the sales that follow.
    outside: bool,
}

fn answer(input: &GnreIn, cest: &str, taxes: &CalcularImpostosOut) -> GnreOut {
    let of = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let ncm = of(&input.ncm);
    let sale = Sale {
        input,
        cest,
        ncm: ncm.chars().filter(char::is_ascii_alphanumeric).collect(),
        uf: of(&input.uf_destino).to_ascii_uppercase(),
        outside: input.sujeito_st == Some(false),
    };
    let details = details(&sale, taxes);
    let state = data::gnre::state(&sale.uf);
    let mut missing = Vec::new();
    sale.missing_of_substitution(&details.icms_st, &mut missing);
    for tax in [&details.difal, &details.fcp] {
        missing.extend(open(tax));
    }
    if let Some(state) = state.filter(|state| !state.joined) {
        let note = state.nota;
        let reason = format!("{} não aderiu à GNRE: {note}.", sale.uf);
        missing.push(MissingFact::new("gnre", reason));
    }
    let missing = each_once(missing);
    let [icms_st, difal, fcp] = [&details.icms_st, &details.difal, &details.fcp].map(amount);
    let total = icms_st
        .zip(difal)
        .zip(fcp)
        .map(|((st, difal), fcp)| plus(plus(st, difal), fcp));
    let slips = match state {
        Some(state) if state.joined => slips(&sale, [icms_st, difal, fcp]),
        _ => Vec::new(),
    };
    let mut notices = taxes.avisos.clone();
    notices.extend(sale.notice_of_cest());
    GnreOut {
        uf_destino: sale.uf.clone(),
        icms_st: icms_st.map(Money),
        difal: difal.map(Money),
        fcp: fcp.map(Money),
        total: total.map(Money),
        // Convênio ICMS 142/2018, cláusula décima quarta, and 236/2021, cláusula
        // quinta: who is not registered in the state pays before the goods leave.
        vencimento: taxes.data.clone(),
        codigo_receita: slips.first().map(|slip| slip.codigo_receita),
        guias: slips,
        falta: missing.iter().map(|fact| fact.campo).collect(),
        motivos: missing,
        detalhes: details,
        avisos: notices,
    }
}

/// The three amounts with the way they came about.
fn details(sale: &Sale<'_>, taxes: &CalcularImpostosOut) -> GnreDetails {
    let resold = taxes.difal.situacao == Situation::NaoSeAplica
        && taxes.icms_st.situacao != Situation::NaoSeAplica;
    let none = || TaxOut {
        situacao: Situation::NaoSeAplica,
        motivo: Some(
            "O pedido diz que a mercadoria não está sujeita à substituição tributária.".to_owned(),
        ),
        faltam: Vec::new(),
        base: None,
        aliquota: None,
        valor: None,
        trilha: Vec::new(),
    };
    let (icms_st, fund) = match sale.outside {
        true => (none(), none()),
        false => (taxes.icms_st.clone(), taxes.fcp_st.clone()),
    };
    GnreDetails {
        icms_st,
        difal: taxes.difal.clone(),
        fcp: match resold {
            true => fund,
            false => taxes.fcp_difal.clone(),
        },
    }
}

/// The amount of a tax: nothing where it is not due, none where it is not known.
fn amount(tax: &TaxOut) -> Option<Decimal> {
    match tax.situacao {
        Situation::SemTabela => None,
        _ => Some(tax.valor.map_or(Decimal::ZERO, |value| value.0)),
    }
}

/// Each field with the first reason it is missing for.
fn each_once(all: Vec<MissingFact>) -> Vec<MissingFact> {
    let mut kept: Vec<MissingFact> = Vec::new();
    for fact in all {
        if kept.iter().all(|known| known.campo != fact.campo) {
            kept.push(fact);
        }
    }
    kept
}

/// What a tax cannot be worked out without. An adjusted margin only takes the
/// place of the original one.
fn open(tax: &TaxOut) -> Vec<MissingFact> {
    if tax.situacao != Situation::SemTabela {
        return Vec::new();
    }
    let reason = tax.motivo.clone().unwrap_or_default();
    let named = tax.faltam.iter().filter(|field| **field != "mva_ajustada");
    named
        .map(|field| MissingFact::new(field, reason.clone()))
        .collect()
}

impl Sale<'_> {
    /// Without a margin: which, and whether the goods are under substitution.
    fn missing_of_substitution(&self, tax: &TaxOut, missing: &mut Vec<MissingFact>) {
        if !tax.faltam.contains(&"mva_original") {
            missing.extend(open(tax));
            return;
        }
        if self.cest.is_empty() {
            missing.push(MissingFact::new("cest", self.candidates()));
        }
        let reason = format!(
            "Nenhuma margem (MVA) de {} está carregada. Informe a do convênio ou protocolo, ou sujeito_st: false.",
            self.uf
        );
        missing.push(MissingFact::new("mva_original", reason));
    }

    /// The codes that name the NCM: a person decides.
    fn candidates(&self) -> String {
        let rows = data::cest::by_ncm(&self.ncm);
        let named: Vec<&str> = rows.iter().take(CANDIDATES).map(|row| row.codigo).collect();
        match (named.is_empty(), rows.len() > CANDIDATES) {
            (true, _) => "A tabela de CEST não tem este NCM; ela é de 2019, e sem CEST não se sabe se há substituição tributária.".to_owned(),
            (false, more) => {
                let named = named.join(", ");
                let others = if more { " e outros" } else { "" };
                format!("O NCM está nos CEST {named}{others}: sem o CEST não se sabe se há substituição tributária.")
            }
        }
    }

    /// A code of other goods.
    fn notice_of_cest(&self) -> Option<String> {
        let row = data::cest::get(self.cest)?;
        let other = !row.ncm.is_empty() && !row.covers(&self.ncm);
        other.then(|| {
            let (cest, ncm) = (self.cest, &self.ncm);
            format!("O CEST {cest} não nomeia o NCM {ncm}: confira os dois.")
        })
    }
}

/// A guide for each amount that is known and not nothing.
fn slips(sale: &Sale<'_>, amounts: [Option<Decimal>; 3]) -> Vec<Slip> {
    let due = amounts.map(|amount| amount.filter(|amount| !amount.is_zero()));
    let [st, difal, fund] = due;
    // What a taxpayer buys for its own use it pays itself.
    let of_recipient = sale.input.contribuinte == Some(true) && difal.is_some();
    [(SUBSTITUTION, st), (DIFAL, difal), (FUND, fund)]
        .into_iter()
        .filter(|(code, _)| !of_recipient || *code == SUBSTITUTION)
        .filter_map(|(code, amount)| {
            let revenue = data::gnre::revenue(code)?;
            Some(Slip {
                codigo_receita: revenue.codigo,
                descricao: revenue.description,
                valor: Money(amount?),
            })
        })
        .collect()
}
