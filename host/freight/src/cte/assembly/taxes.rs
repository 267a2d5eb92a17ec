//! Taxes of the service: what follows from base and rate is calculated, what
//! came is kept and checked.
//!
//! Sources: LC 87/1996, art. 13; EC 87/2015 for the share of the state of
//! destination; NT 2025.001 of the CT-e for IBS and CBS.

use crate::cte::order::{GrupoIcms, IbsCbs, Icms};
use crate::cte::work::{Work, number};
use compose::emitter::Regime;
use compose::ibs_cbs as motor;
use fiscal::body::Number;
use fiscal::nfe::order::Tributo;
use fiscal::taxes::money::{f2, percent_of, plus, reduced_base};
use markup::tree::Node;
use rust_decimal::Decimal;

/// How far a stated amount may be from the calculated one, reais.
const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Completes ICMS and its share; gives the group `IBSCBS`, if there is one.
pub(super) fn taxes(work: &mut Work<'_>) -> Option<Node> {
    icms(work);
    share(work);
    ibs_cbs(work)
}

fn icms(work: &mut Work<'_>) {
    let simples = matches!(work.emitter.regime, Regime::SimplesNacional | Regime::Mei);
    let Some(mut icms) = work
        .order
        .icms
        .take()
        .or_else(|| simples.then(Icms::default))
    else {
        return work.missing(
            "icms",
            "Informe o ICMS da prestação: cst e, se tributada, aliquota.",
        );
    };
    let total = work.total();
    let cst = icms.cst.as_deref().unwrap_or_default().trim().to_owned();
    let group = icms.grupo.or(match cst.as_str() {
        "00" => Some(GrupoIcms::Icms00),
        "20" => Some(GrupoIcms::Icms20),
        "40" | "41" | "51" => Some(GrupoIcms::Icms45),
        "60" => Some(GrupoIcms::Icms60),
        "90" if !simples || icms.aliquota.is_some() => Some(GrupoIcms::Icms90),
        "90" | "" if simples => Some(GrupoIcms::Simples),
        "" if icms.valor_previsto.is_some() => Some(GrupoIcms::PagamentoAntecipado),
        _ => None,
    });
    let Some(group) = group else {
        work.fields.add(
            "icms.cst",
            "cst_invalido",
            "O CT-e não tem essa situação tributária do ICMS.",
            "Informe cst 00, 20, 40, 41, 51, 60 ou 90.",
        );
        return;
    };
    icms.grupo = Some(group);
    let only = match group {
        GrupoIcms::Icms00 => Some("00"),
        GrupoIcms::Icms20 => Some("20"),
        GrupoIcms::Icms60 => Some("60"),
        GrupoIcms::Icms90 | GrupoIcms::OutraUf | GrupoIcms::Simples => Some("90"),
        GrupoIcms::Icms45 | GrupoIcms::PagamentoAntecipado => None,
    };
    if let Some(only) = only {
        if !matches!(cst.as_str(), "" | "90") && cst != only {
            work.fields.add(
                "icms.grupo",
                "cst_invalido",
                format!("O grupo {} é do CST {only}, não do {cst}.", group.word()),
                "Omita grupo, ou informe o cst dele.",
            );
        }
        icms.cst = Some(only.to_owned());
    }
    let taxed = matches!(
        group,
        GrupoIcms::Icms00
            | GrupoIcms::Icms20
            | GrupoIcms::Icms60
            | GrupoIcms::Icms90
            | GrupoIcms::OutraUf
    );
    if taxed {
        charge(work, &mut icms, total);
    }
    work.order.icms = Some(icms);
}

/// Base and amount of a taxed service.
fn charge(work: &mut Work<'_>, icms: &mut Icms, total: Decimal) {
    let Some(rate) = icms.aliquota else {
        return work.missing(
            "icms.aliquota",
            "Informe a alíquota do ICMS, em percentual.",
        );
    };
    if !(Decimal::ZERO..Decimal::ONE_HUNDRED).contains(&*rate) {
        work.fields.add(
            "icms.aliquota",
            "aliquota_invalida",
            "A alíquota vai de 0 a menos de 100%.",
            "Informe a alíquota em percentual, como 12.00.",
        );
        return;
    }
    if icms.grupo == Some(GrupoIcms::Icms20) && icms.reducao.is_none() {
        work.missing("icms.reducao", "Informe o percentual de redução da base.");
    }
    let reduction = number(icms.reducao);
    let base = match icms.base {
        Some(base) => *base,
        None => reduced_base(total, reduction.clamp(Decimal::ZERO, Decimal::ONE_HUNDRED)),
    };
    icms.base = Number::new(base);
    let computed = percent_of(base, *rate);
    icms.valor = checked(work, "icms.valor", icms.valor, computed);
}

/// The amount that came, told when it is another than the calculated one; else
/// the latter.
fn checked(
    work: &mut Work<'_>,
    place: &str,
    stated: Option<Number>,
    computed: Decimal,
) -> Option<Number> {
    let Some(stated) = stated else {
        return Number::new(computed);
    };
    if (*stated - computed).abs() > TOLERANCE {
        let expected = f2(computed);
        work.fields.add_value(
            place,
            "valor_divergente",
            &stated.to_string(),
            format!("O valor informado difere do calculado, {expected}."),
            format!("Informe {expected}, corrija a base ou a alíquota, ou omita o valor."),
        );
    }
    Some(stated)
}

/// `ICMSUFFim`: all of the difference is the destination's since 2019 (ADCT,
/// art. 99).
fn share(work: &mut Work<'_>) {
    let Some(mut share) = work.order.icms_uf_fim.take() else {
        return;
    };
    let between = match (work.start(), work.end()) {
        (Some(start), Some(end)) => data::icms::interstate(start.uf, end.uf, false),
        _ => None,
    };
    if share.base.is_none() {
        share.base = Number::new(work.total());
    }
    if share.aliquota_interestadual.is_none() {
        share.aliquota_interestadual = between.and_then(Number::new);
    }
    share.aliquota_fcp.get_or_insert_with(Number::default);
    share.valor_inicio.get_or_insert_with(Number::default);
    let base = number(share.base);
    let fund = percent_of(base, number(share.aliquota_fcp));
    share.valor_fcp = checked(work, "icms_uf_fim.valor_fcp", share.valor_fcp, fund);
    match (share.aliquota_interna, share.aliquota_interestadual) {
        (Some(inner), Some(between)) => {
            let difference = plus(*inner, -*between).max(Decimal::ZERO);
            let computed = percent_of(base, difference);
            share.valor_fim = checked(work, "icms_uf_fim.valor_fim", share.valor_fim, computed);
        }
        (None, _) => work.missing(
            "icms_uf_fim.aliquota_interna",
            "Informe a alíquota interna da UF de término.",
        ),
        (_, None) => work.missing(
            "icms_uf_fim.aliquota_interestadual",
            "Informe a alíquota entre as UFs de início e término.",
        ),
    }
    work.order.icms_uf_fim = Some(share);
}

/// `IBSCBS`, by the calculation the NF-e has.
fn ibs_cbs(work: &mut Work<'_>) -> Option<Node> {
    let given = work.order.ibs_cbs.clone()?;
    let data = work.frame.dh_emi.date();
    let crt = work.emitter.regime.crt().parse().unwrap_or(3);
    if motor::duty(crt, data) == motor::Duty::Forbidden {
        work.notice(
            "ibs_cbs",
            "O regime do emitente ainda não informa IBS e CBS nesta data: o grupo ficou fora do CT-e.",
        );
        return None;
    }
    let context =
        motor::Context {
            data,
            model: motor::Model::Nfe,
            crt,
            version: motor::Version::F,
            purpose: motor::Purpose::default(),
            reference: motor::Rates::default(),
            gov_purchase: work.order.compra_governamental.as_ref().map(|purchase| {
                motor::GovPurchase {
                    p_redutor: number(purchase.redutor),
                }
            }),
        };
    match motor::group(&context, &item(work, &given)) {
        Ok(group) => {
            let value = |tax: &Option<Tributo>| tax.as_ref().and_then(|tax| tax.valor);
            for (place, stated, computed) in [
                (
                    "ibs_cbs.ibs_uf.valor",
                    value(&given.ibs_uf),
                    group.sums.v_ibs_uf,
                ),
                (
                    "ibs_cbs.ibs_mun.valor",
                    value(&given.ibs_mun),
                    group.sums.v_ibs_mun,
                ),
                ("ibs_cbs.cbs.valor", value(&given.cbs), group.sums.v_cbs),
                ("ibs_cbs.valor_ibs", given.valor_ibs, group.sums.v_ibs),
            ] {
                checked(work, place, stated, computed);
            }
            Some(group.element)
        }
        Err(fields) => {
            for mut field in fields {
                field.campo = match field.campo.as_str() {
                    "" => "ibs_cbs".to_owned(),
                    inside => format!("ibs_cbs.{inside}"),
                };
                work.fields.0.push(field);
            }
            None
        }
    }
}

fn item(work: &Work<'_>, given: &IbsCbs) -> motor::Item {
    let text = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let decimal = |number: Option<Number>| number.map(|number| *number);
    let tax = |given: &Option<Tributo>| {
        given
            .as_ref()
            .map_or_else(motor::Tax::default, |given| motor::Tax {
                aliquota: decimal(given.aliquota),
                reduction: decimal(given.reducao),
                p_dif: decimal(given.diferimento),
                p_dev: decimal(given.percentual_devolvido),
                v_dev: decimal(given.valor_devolvido),
            })
    };
    let share = work.order.icms_uf_fim.as_ref();
    motor::Item {
        cst: text(&given.cst),
        c_class_trib: text(&given.cclass_trib),
        donation: given.doacao == Some(true),
        values: motor::Values {
            v_serv: work.total(),
            v_icms: work.icms(),
            v_icms_uf_dest: number(share.and_then(|share| share.valor_fim)),
            v_fcp_uf_dest: number(share.and_then(|share| share.valor_fcp)),
            ..motor::Values::default()
        },
        base: decimal(given.base),
        ibs_uf: tax(&given.ibs_uf),
        ibs_mun: tax(&given.ibs_mun),
        cbs: tax(&given.cbs),
        trib_regular: given
            .tributacao_regular
            .as_ref()
            .map(|regular| motor::TribRegular {
                cst: text(&regular.cst),
                c_class_trib: text(&regular.cclass_trib),
            }),
        reversal: given.estorno_credito.as_ref().map(|pair| motor::Pair {
            ibs: number(pair.ibs),
            cbs: number(pair.cbs),
        }),
        zfm_alc: given.alc_zfm_cbs.as_ref().map(|alc| motor::ZfmAlc {
            kind: alc
                .tipo
                .as_deref()
                .and_then(|kind| kind.trim().parse().ok())
                .unwrap_or(u8::MAX),
            processo: alc
                .processo_suframa
                .as_ref()
                .map(|text| text.trim().to_owned()),
        }),
        ..motor::Item::default()
    }
}
