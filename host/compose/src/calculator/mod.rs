//! The taxes of one sale of goods within the country, each with its rules
//! (`POST /api/v1/fiscal/calcular-impostos`): what the formulas of
//! `fiscal::taxes` give for the rates of the tables on a day.
//!
//! A rate that no table has is not guessed: the tax is `sem_tabela` and names
//! the members of the request that make up for it. A tax that may be due and is
//! not known counts as zero where others are worked out over it, and the answer
//! says so; one that is due for certain holds up the others.

mod contributions;
mod difal;
mod facts;
mod ibs_cbs;
mod icms;
mod input;
mod inside;
mod ipi;
mod output;
mod rates;
mod reading;
mod substitution;

pub use input::{CalcularImpostosIn, ContributionRegime, MarginRow};
pub use output::{
    CalcularImpostosOut, Money, Rate, Scope, Situation, StepOut, TaxOut, Totals, ValidityOut,
};

use crate::arithmetic::plus;
use crate::ibs_cbs::{Sums, v_item};
use facts::Facts;
use fiscal::taxes::Impossible;
use ibs_cbs::Inside;
use markup::field::{Field, Fields};
use output::Lack;
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

/// First day of the IS, and of IBS and CBS that are paid (ADCT art. 126 I).
const SELECTIVE_START: Date = date!(2027 - 01 - 01);

/// First day that the table of the poverty fund, of June 2026, is taken to show.
const FUND_START: Date = date!(2026 - 01 - 01);

/// Goods of the IS.
const SELECTIVE_ANNEX: &str = "XVII";

/// Calculates the taxes of a sale. `today` is its day where the request has
/// none; `margin` is the row of the table of substitution that fits it, if one
/// is loaded.
///
/// # Errors
/// Every field that is missing or wrong.
pub fn calculate(
    input: &CalcularImpostosIn,
    today: Date,
    margin: Option<&MarginRow>,
) -> Result<CalcularImpostosOut, Vec<Field>> {
    let mut facts = reading::read(input, today)?;
    let inside = inside::put_inside(&mut facts)?;
    let mut out = all(&facts, margin).map_err(|impossible| refused(&facts, impossible))?;
    if let Some(step) = inside {
        out.icms.trilha.insert(0, step);
    }
    Ok(out)
}

fn all(facts: &Facts, margin: Option<&MarginRow>) -> Result<CalcularImpostosOut, Impossible> {
    let ipi = ipi::ipi(facts)?;
    let own = icms::own(facts, ipi.amount())?;
    let [icms_st, fcp_st] = substitution::substitution(facts, ipi.amount(), &own, margin)?;
    let [difal, fcp_difal] = difal::difal(facts, ipi.amount())?;
    let [pis, cofins] = contributions::contributions(facts, &own)?;
    let on_note = |tax: &TaxOut| match facts.taxpayer {
        true => Ok(Decimal::ZERO),
        false => tax.known(),
    };
    let selective = selective(facts);
    let inside = Inside {
        icms: own.icms.known(),
        fcp: own.fcp.amount(),
        difal: on_note(&difal),
        fcp_difal: on_note(&fcp_difal),
        pis: pis.known(),
        cofins: cofins.known(),
        selective: selective.known(),
    };
    let [ibs_uf, ibs_mun, cbs] = ibs_cbs::ibs_cbs(facts, inside)?;
    let mut out = CalcularImpostosOut {
        data: facts.day.to_string(),
        ambito: match facts.interstate() {
            true => Scope::Interestadual,
            false => Scope::Interna,
        },
        valor_operacao: Money(facts.amounts.operation()),
        icms: own.icms,
        fcp: own.fcp,
        icms_st,
        fcp_st,
        difal,
        fcp_difal,
        ipi,
        pis,
        cofins,
        ibs_uf,
        ibs_mun,
        cbs,
        is: selective,
        totais: Totals {
            valor_nota: Money(Decimal::ZERO),
            sem_tabela: Vec::new(),
        },
        avisos: Vec::new(),
    };
    out.totais = totals(facts, &out);
    out.avisos = notices(facts, &out);
    Ok(out)
}

/// IS: no rate of it is fixed.
fn selective(facts: &Facts) -> TaxOut {
    if facts.day < SELECTIVE_START {
        let reason = "O Imposto Seletivo começa em 2027.";
        let ground = "ADCT, art. 126, I (EC 132/2023)";
        return TaxOut::not_due("is_antes_de_2027", reason, ground);
    }
    let listed = data::ibs_cbs::by_ncm(&facts.ncm);
    if listed.iter().all(|item| item.annex != SELECTIVE_ANNEX) {
        let reason = "O NCM não está no Anexo XVII da LC 214/2025.";
        return TaxOut::not_due("is_fora_do_anexo", reason, "LC 214/2025, Anexo XVII");
    }
    let reason = "O NCM está no Anexo XVII da LC 214/2025; as alíquotas do Imposto Seletivo não estão carregadas.";
    TaxOut::without_table(Lack::new(reason, &[]))
}

impl CalcularImpostosOut {
    /// Every tax by its name.
    pub fn taxes(&self) -> [(&'static str, &TaxOut); 13] {
        [
            ("icms", &self.icms),
            ("fcp", &self.fcp),
            ("icms_st", &self.icms_st),
            ("fcp_st", &self.fcp_st),
            ("difal", &self.difal),
            ("fcp_difal", &self.fcp_difal),
            ("ipi", &self.ipi),
            ("pis", &self.pis),
            ("cofins", &self.cofins),
            ("ibs_uf", &self.ibs_uf),
            ("ibs_mun", &self.ibs_mun),
            ("cbs", &self.cbs),
            ("is", &self.is),
        ]
    }
}

/// What the note comes to, as `vItem` of the layout.
fn totals(facts: &Facts, out: &CalcularImpostosOut) -> Totals {
    let on_top = [&out.ipi, &out.icms_st, &out.fcp_st];
    let portion = on_top
        .into_iter()
        .fold(facts.amounts.operation(), |sum, tax| {
            plus(sum, tax.amount())
        });
    let sums = Sums {
        v_ibs: plus(out.ibs_uf.amount(), out.ibs_mun.amount()),
        v_cbs: out.cbs.amount(),
        ..Sums::default()
    };
    let taxes = out.taxes().into_iter();
    let without = taxes.filter(|(_, tax)| tax.situacao == Situation::SemTabela);
    Totals {
        valor_nota: Money(v_item(facts.day, portion, &sums, out.is.amount())),
        sem_tabela: without.map(|(name, _)| name).collect(),
    }
}

/// What to look at before the numbers are used.
fn notices(facts: &Facts, out: &CalcularImpostosOut) -> Vec<String> {
    let mut notices = Vec::new();
    let by_table = |step: &StepOut| step.regra == "aliquota_interna_modal";
    if out
        .taxes()
        .iter()
        .any(|(_, tax)| tax.trilha.iter().any(by_table))
    {
        notices.push("A alíquota interna é a modal do estado: informe aliquota_icms se a do produto é outra.".to_owned());
    }
    notices.extend(rate_of_tipi(facts, out));
    let calculated = |tax: &TaxOut| tax.situacao == Situation::Calculado;
    let in_own_base = |step: &StepOut| step.regra == "difal_base_dupla";
    // What each may be part of, and does not hold up.
    let in_bases = [
        ("ipi", facts.for_use() || calculated(&out.icms_st)),
        ("fcp", calculated(&out.ibs_uf)),
        ("fcp_difal", out.difal.trilha.iter().any(in_own_base)),
    ];
    let zero: Vec<&str> = in_bases
        .into_iter()
        .filter(|(name, part)| *part && out.totais.sem_tabela.contains(name))
        .map(|(name, _)| name)
        .collect();
    if !zero.is_empty() {
        let names = zero.join(", ");
        notices.push(format!(
            "Sem tabela, e contados como zero nas bases dos outros tributos: {names}."
        ));
    }
    if facts.day < FUND_START && fund_of_table(facts, out) {
        notices.push(
            "A tabela do FCP mostra junho de 2026: confira a alíquota do dia da operação."
                .to_owned(),
        );
    }
    let contributions = calculated(&out.pis) || calculated(&out.cofins);
    if calculated(&out.difal) && !facts.taxpayer && contributions {
        notices.push("O DIFAL fica na base do PIS e da COFINS neste cálculo; a exclusão dele é discutida (STJ, REsp 2.128.785).".to_owned());
    }
    if !out.fcp.amount().is_zero() && contributions {
        notices.push("O FCP fica na base do PIS e da COFINS, como entende a Receita Federal (Solução de Consulta Cosit 61/2024); a exclusão dele é discutida na Justiça.".to_owned());
    }
    if calculated(&out.pis) && facts.rates.pis.is_none() && facts.given.pis.is_none() {
        notices.push("PIS e COFINS pelas alíquotas gerais: confira se o produto não tem tributação concentrada por exceção da TIPI, alíquota zero ou isenção.".to_owned());
    }
    if calculated(&out.cbs) && facts.day < SELECTIVE_START {
        notices.push("Em 2026 IBS e CBS são de teste: quem cumpre as obrigações acessórias não os recolhe (LC 214/2025, art. 348).".to_owned());
    }
    if facts.class.is_some_and(|class| !class.nfe && !class.nfce) {
        notices.push("Esta classificação não é de mercadorias: não a informe em NF-e nem NFC-e; IBS e CBS valem para o documento a que ela pertence.".to_owned());
    }
    if calculated(&out.difal) && facts.taxpayer {
        notices.push("O DIFAL da compra para uso, consumo ou ativo é devido pelo destinatário, salvo convênio ou protocolo.".to_owned());
        let row = data::icms::difal(facts.to.abbreviation);
        if let Some(row) = row.filter(|row| !row.nota.is_empty()) {
            notices.push(format!("DIFAL em {}: {}.", row.uf, row.nota));
        }
    }
    notices
}

/// What to look at where the rate of IPI is that of the TIPI.
fn rate_of_tipi(facts: &Facts, out: &CalcularImpostosOut) -> Option<String> {
    let by_table = |step: &StepOut| step.regra == ipi::BY_TABLE;
    if !out.ipi.trilha.iter().any(by_table) {
        return None;
    }
    let mut notice = "A alíquota do IPI é a da TIPI: informe aliquota_ipi: 0 se quem vende não é contribuinte do IPI.".to_owned();
    let exceptions: Vec<&str> = data::tipi::exceptions(&facts.ncm)
        .map(|row| row.ex)
        .collect();
    if facts.ex.is_empty() && !exceptions.is_empty() {
        notice.push_str(&format!(
            " O NCM tem exceções (Ex {}): informe ex_tipi se o produto está em uma.",
            exceptions.join(", ")
        ));
    }
    Some(notice)
}

/// Does the poverty fund, or that none is due, come from its table?
fn fund_of_table(facts: &Facts, out: &CalcularImpostosOut) -> bool {
    let by_table = |step: &StepOut| matches!(step.regra, "fcp_geral" | "fcp_nao_devido");
    let funds = [&out.fcp, &out.fcp_st, &out.fcp_difal];
    let mut steps = funds.into_iter().flat_map(|tax| &tax.trilha);
    facts.rates.fcp.is_none() && steps.any(by_table)
}

/// Numbers that are right one by one and not together.
fn refused(facts: &Facts, impossible: Impossible) -> Vec<Field> {
    let (name, message) = match impossible {
        Impossible::TooLarge("margin") => (
            match facts.rates.adjusted_margin {
                Some(_) => "mva_ajustada",
                None => "mva_original",
            },
            "A MVA ajustada às alíquotas não cabe no cálculo.",
        ),
        Impossible::WholeBase("fcp") => ("fcp", "O FCP chega a 100%."),
        Impossible::WholeBase(_) => (
            "aliquota_icms",
            "Alíquota interna e FCP chegam juntos a 100%.",
        ),
        Impossible::MoreThanAll(_) | Impossible::Negative(_) | Impossible::TooLarge(_) => {
            ("valor", "Os valores não cabem no cálculo.")
        }
    };
    let mut fields = Fields::default();
    let correction = "Confira os valores e as alíquotas.";
    fields.add(name, "fora_da_faixa", message, correction);
    fields.0
}
