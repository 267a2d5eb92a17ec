//! Taxes (NT 008, items 2.1.8 to 2.1.10).

use rust_decimal::Decimal;

use super::place;
use crate::danfse::board::{Board, FIELD, Field};
use crate::danfse::{Danfse, FederalTaxation, IbsCbs};
use markup::format::{join, money, or_dash, percentage};

pub(super) fn iss(board: &mut Board, danfse: &Danfse) {
    let iss = &danfse.iss;
    if iss.not_subject {
        board.sentence("TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN");
        return;
    }
    board.reserve(4.0 * FIELD);
    board.divider();
    board.fields(&[
        Field::title("TRIBUTAÇÃO MUNICIPAL (ISSQN)"),
        Field::new(1, 1, "Tipo de Tributação do ISSQN", or_dash(&iss.taxation)),
        Field::new(
            2,
            2,
            "Município / Sigla UF / País da Incidência do ISSQN",
            place(&iss.incidence),
        ),
    ]);
    // Item 2.4.5, note 5: a row without any content may be left out.
    let texts = [
        &iss.special_regime,
        &iss.immunity,
        &iss.suspension,
        &iss.suspension_case,
    ];
    if texts.iter().any(|text| !text.trim().is_empty()) {
        let [regime, immunity, suspension, case] = texts.map(|text| or_dash(text));
        board.fields(&[
            Field::new(0, 1, "Regime Especial de Tributação do ISSQN", regime),
            Field::new(1, 1, "Tipo de Imunidade do ISSQN", immunity),
            Field::new(2, 1, "Suspensão da Exigibilidade do ISSQN", suspension),
            Field::new(3, 1, "Número Processo Suspensão", case),
        ]);
    }
    let values = [iss.benefit_base, iss.deductions, iss.unconditional_discount];
    if !iss.benefit.trim().is_empty() || values.iter().any(Option::is_some) {
        let [calculation, deductions, discount] = values.map(money);
        board.fields(&[
            Field::new(0, 1, "Benefício Municipal", or_dash(&iss.benefit)),
            Field::new(1, 1, "Cálculo do BM", calculation),
            Field::new(2, 1, "Total Deduções/Reduções", deductions),
            Field::new(3, 1, "Desconto Incondicionado", discount),
        ]);
    }
    board.fields(&[
        Field::new(0, 1, "BC ISSQN", money(iss.tax_base)),
        Field::new(1, 1, "Alíquota Aplicada", percentage(iss.rate)),
        Field::new(2, 1, "Retenção do ISSQN", or_dash(&iss.retention)),
        Field::new(3, 1, "ISSQN Apurado", money(iss.value)),
    ]);
}

pub(super) fn federal(board: &mut Board, federal: &FederalTaxation, national: bool) {
    board.reserve(2.0 * FIELD);
    board.divider();
    board.fields(&[
        Field::title("TRIBUTAÇÃO FEDERAL (EXCETO CBS)"),
        Field::new(1, 1, "IRRF", money(federal.irrf)),
        Field::new(
            2,
            1,
            "Contribuição Previdenciária - Retida",
            money(federal.social_security),
        ),
        Field::new(
            3,
            1,
            if national {
                "Contribuições Sociais - Retidas"
            } else {
                "CSLL - Retida"
            },
            money(federal.social_contributions),
        ),
    ]);
    if national {
        board.fields(&[
            Field::new(0, 1, "PIS - Débito Apuração Própria", money(federal.pis)),
            Field::new(
                1,
                1,
                "COFINS - Débito Apuração Própria",
                money(federal.cofins),
            ),
            Field::new(
                2,
                2,
                "Descrição Contrib. Sociais - Retidas",
                or_dash(&federal.retention_description),
            ),
        ]);
    } else {
        board.fields(&[
            Field::new(0, 1, "PIS - Retido", money(federal.pis)),
            Field::new(1, 1, "COFINS - Retida", money(federal.cofins)),
            Field::new(2, 1, "Outras Retenções", money(federal.other_retentions)),
        ]);
    }
}

pub(super) fn ibs_cbs(board: &mut Board, group: &IbsCbs) {
    let rate = |value: Option<Decimal>| percentage(value);
    let [uf, city] = [group.uf_reduction, group.municipal_reduction].map(rate);
    board.reserve(4.0 * FIELD);
    board.divider();
    board.fields(&[
        Field::title("TRIBUTAÇÃO IBS / CBS"),
        Field::new(
            1,
            1,
            "CST / cClassTrib",
            join(&[&group.cst, &group.classification]),
        ),
        Field::new(
            2,
            2,
            "Indicador de Operação / Código IBGE Incidência / Município Incidência / Sigla UF",
            join(&[
                &group.operation_indicator,
                &group.incidence.code,
                &group.incidence.name,
                &group.incidence.uf,
            ]),
        ),
    ]);
    board.fields(&[
        Field::new(
            0,
            1,
            "Exclusões e Reduções da Base de Cálculo",
            money(group.exclusions),
        ),
        Field::new(
            1,
            1,
            "Base de Cálculo Após Exclusões e Reduções",
            money(group.tax_base),
        ),
        Field::new(
            2,
            1,
            "Red. Alíquota IBS (UF / Mun) / Red. Alíquota CBS",
            join(&[&uf, &city, &rate(group.cbs_reduction)]),
        ),
        Field::new(
            3,
            1,
            "Alíquota - IBS UF / IBS Mun",
            join(&[&rate(group.uf_rate), &rate(group.municipal_rate)]),
        ),
    ]);
    board.fields(&[
        Field::new(
            0,
            1,
            "Alíq. Efetiva Municipal - IBS",
            rate(group.effective_municipal),
        ),
        Field::new(
            1,
            1,
            "Valor Apurado Municipal - IBS",
            money(group.municipal_value),
        ),
        Field::new(
            2,
            1,
            "Alíq. Efetiva Estadual - IBS",
            rate(group.effective_uf),
        ),
        Field::new(3, 1, "Valor Apurado Estadual - IBS", money(group.uf_value)),
    ]);
    board.fields(&[
        Field::new(0, 1, "Valor Total Apurado - IBS", money(group.ibs_value)),
        Field::new(1, 1, "Alíquota - CBS", rate(group.cbs_rate)),
        Field::new(2, 1, "Alíquota Efetiva - CBS", rate(group.effective_cbs)),
        Field::new(3, 1, "Valor Total Apurado - CBS", money(group.cbs_value)),
    ]);
}
