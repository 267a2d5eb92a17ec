//! `IBSCBS` and `IS` of an item: from the request to [`ibs_cbs`] and back.

use crate::arithmetic::{dec, f2, f4, fixed, percent_of, r2, times};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use crate::frame::layout_of;
use crate::ibs_cbs as motor;
use crate::ibs_cbs::{Duty, Pair};
use fiscal::nfe::order::{
    CreditoPresumido, Endereco, Finalidade, IbsCbs, MonoIbsCbs, MonoTributo, Number, ParIbsCbs,
    Tributo,
};
use markup::tree::Node;
use rust_decimal::Decimal;

/// The group of an item, if it has one.
#[derive(Default)]
pub(super) struct Reforma {
    pub element: Option<Node>,
    pub sums: motor::Sums,
}

/// Builds `IBSCBS` by the rule of the regime and the date.
pub(super) fn ibs_cbs(ctx: &mut Context<'_>, line: &Line<'_>, sums: &Sums) -> Reforma {
    let impostos = line.place.at("impostos");
    let place = impostos.at("ibs_cbs");
    let own_data = line.item.impostos.as_ref().and_then(|i| i.ibs_cbs.as_ref());
    let default = ctx
        .emitter
        .padroes
        .ibs_cbs
        .as_ref()
        .filter(|_| ctx.calcular);
    let data = ctx.given.dh_emi.date();
    let crt = ctx.emitter.regime.crt().parse().unwrap_or(3);
    let duty = motor::duty(crt, data);
    if ctx.only_ibs_cbs() && duty == Duty::Forbidden {
        without_tax(ctx);
        return Reforma::default();
    }
    let given = match (own_data, default) {
        (Some(own_data), _) => own_data,
        (None, Some(default)) => default,
        (None, None) if ctx.only_ibs_cbs() => {
            ctx.missing(
                place,
                "Informe IBS e CBS: são os únicos tributos desta nota, e sem eles ela não leva nenhum.",
            );
            return Reforma::default();
        }
        (None, None) => {
            if duty == Duty::DueWithoutRejection {
                ctx.aviso(
                    place,
                    "O regime normal deve informar IBS e CBS; a ausência ainda não é rejeitada.",
                );
            }
            return Reforma::default();
        }
    };
    if duty == Duty::Forbidden {
        if own_data.is_some() {
            ctx.aviso(
                place,
                "O regime do emitente ainda não informa IBS e CBS nesta data: o grupo ficou fora da nota.",
            );
        }
        return Reforma::default();
    }
    if given.alc_zfm_cbs.is_some() {
        incentive_area(ctx, line, place);
    }
    let context = context(ctx, crt);
    let item = item(line, sums, given);
    match motor::group(&context, &item) {
        Ok(group) => {
            check(ctx, place, given, &group.sums);
            Reforma {
                element: Some(group.element),
                sums: group.sums,
            }
        }
        Err(fields) => {
            for mut field in fields {
                field.campo = match field.campo.as_str() {
                    "" => place.to_string(),
                    relativo => format!("{place}.{relativo}"),
                };
                ctx.fields.0.push(field);
            }
            Reforma::default()
        }
    }
}

/// A note of IBS and CBS alone whose emitter tells neither on this day.
fn without_tax(ctx: &mut Context<'_>) {
    let government = Place::root("compra_governamental");
    let place = match ctx.purpose {
        Finalidade::NotaCredito | Finalidade::NotaDebito => Place::root("finalidade"),
        _ => government.at("tipo_operacao"),
    };
    ctx.error(
        place,
        "nota_sem_tributo",
        "Esta nota só leva IBS e CBS, que o emitente do Simples Nacional ou MEI não informa antes de 04/01/2027: sairia sem tributo algum.",
        "Emita-a a partir dessa data, ou corrija a finalidade, o tipo da nota ou o regime no perfil fiscal.",
    );
}

/// The CBS of an incentive area is zero only for goods that stay in it (UB66a-20;
/// second-hand, so only a warning).
fn incentive_area(ctx: &mut Context<'_>, line: &Line<'_>, place: Place<'_>) {
    let municipality = |address: &Endereco| address.codigo_ibge.as_deref()?.trim().parse().ok();
    let destination = ctx.request.receiver().1;
    let destination = destination.and_then(|person| municipality(person.endereco.as_ref()?));
    let ncm = ctx.codigo(line.item.ncm.as_deref()).unwrap_or_default();
    let fits = municipality(&ctx.emitter.endereco)
        .zip(destination)
        .is_some_and(|(of, to)| data::areas::admits_zero_cbs(&ncm, of, to));
    if !fits {
        ctx.aviso(
            place.at("alc_zfm_cbs"),
            "A CBS zero da Zona Franca e das áreas de livre comércio é de bens que a admitem, entre municípios da mesma área: confira.",
        );
    }
}

fn context(ctx: &Context<'_>, crt: u8) -> motor::Context {
    let data = ctx.given.dh_emi.date();
    motor::Context {
        data,
        model: if ctx.nfce() {
            motor::Model::Nfce
        } else {
            motor::Model::Nfe
        },
        crt,
        version: motor::Version::of(layout_of(ctx.given)),
        reference: motor::Rates::default(),
        purpose: motor::Purpose {
            fin_nfe: number(Some(ctx.purpose.codigo())),
            tp_nf_debito: ctx
                .request
                .tipo_nota_debito
                .map(|kind| number(Some(kind.codigo()))),
            tp_nf_credito: ctx
                .request
                .tipo_nota_credito
                .map(|kind| number(Some(kind.codigo()))),
        },
        gov_purchase: ctx.request.compra_governamental.as_ref().map(|purchase| {
            motor::GovPurchase {
                p_redutor: or_zero(purchase.redutor),
            }
        }),
    }
}

/// A code of one or two digits; what is none becomes one that no table has.
fn number(text: Option<&str>) -> u8 {
    text.and_then(|text| text.trim().parse().ok())
        .unwrap_or(u8::MAX)
}

fn or_zero(number: Option<Number>) -> Decimal {
    dec(number).unwrap_or_default()
}

fn pair(given: &ParIbsCbs) -> Pair {
    Pair {
        ibs: or_zero(given.ibs),
        cbs: or_zero(given.cbs),
    }
}

fn tax(given: &Option<Tributo>) -> motor::Tax {
    let Some(given) = given else {
        return motor::Tax::default();
    };
    motor::Tax {
        aliquota: dec(given.aliquota),
        reduction: dec(given.reducao),
        p_dif: dec(given.diferimento),
        p_dev: dec(given.percentual_devolvido),
        v_dev: dec(given.valor_devolvido),
    }
}

fn item(line: &Line<'_>, sums: &Sums, given: &IbsCbs) -> motor::Item {
    let text = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    motor::Item {
        cst: text(&given.cst),
        c_class_trib: text(&given.cclass_trib),
        donation: given.doacao == Some(true),
        used_movable_good: line.item.bem_movel_usado == Some(true),
        values: values(line, sums),
        base: dec(given.base),
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
        mono: given.mono.as_ref().map(mono),
        credit_transfer: given.transferencia_credito.as_ref().map(pair),
        period_adjustment: given.ajuste_competencia.as_ref().map(|adjustment| {
            motor::PeriodAdjustment {
                period: text(&adjustment.mes),
                values: Pair {
                    ibs: or_zero(adjustment.ibs),
                    cbs: or_zero(adjustment.cbs),
                },
            }
        }),
        reversal: given.estorno_credito.as_ref().map(pair),
        cred_pres: given.credito_presumido.as_ref().map(credit),
        cred_pres_zfm: given
            .credito_presumido_zfm
            .as_ref()
            .map(|credit| motor::CredPresZfm {
                period: text(&credit.mes),
                kind: number(credit.tipo.as_deref()),
                value: or_zero(credit.valor),
            }),
        zfm_alc: given.alc_zfm_cbs.as_ref().map(|alc| motor::ZfmAlc {
            kind: number(alc.tipo.as_deref()),
            processo: alc
                .processo_suframa
                .as_ref()
                .map(|text| text.trim().to_owned()),
        }),
    }
}

/// What the base is made of.
fn values(line: &Line<'_>, sums: &Sums) -> motor::Values {
    let v = &line.values;
    let (v_prod, v_serv) = match line.service {
        true => (Decimal::ZERO, v.prod),
        false => (v.prod, Decimal::ZERO),
    };
    motor::Values {
        v_prod,
        v_serv,
        v_frete: v.frete,
        v_seg: v.insurance,
        v_outro: v.other,
        v_ii: sums.ii,
        v_desc: v.discount,
        v_pis: crate::arithmetic::plus(sums.pis, sums.services_pis),
        v_cofins: crate::arithmetic::plus(sums.cofins, sums.services_cofins),
        v_icms: sums.icms,
        v_icms_uf_dest: sums.icms_uf_dest,
        v_fcp: sums.fcp,
        v_fcp_uf_dest: sums.fcp_uf_dest,
        v_icms_mono: sums.mono,
        v_issqn: sums.iss,
        v_is: sums.is,
    }
}

fn credit(given: &CreditoPresumido) -> motor::CredPresOperation {
    motor::CredPresOperation {
        base: dec(given.base),
        codigo: given
            .codigo
            .as_deref()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        p_ibs: dec(given.aliquota_ibs),
        p_cbs: dec(given.aliquota_cbs),
        suspensive: given.condicao_suspensiva == Some(true),
    }
}

fn mono(given: &MonoIbsCbs) -> motor::SinglePhase {
    motor::SinglePhase {
        ibs: given.ibs.as_ref().map(one_mono).unwrap_or_default(),
        cbs: given.cbs.as_ref().map(one_mono).unwrap_or_default(),
    }
}

fn one_mono(given: &MonoTributo) -> motor::MonoTax {
    let rate = |quantity: Option<Number>, base: Option<Number>, p: Option<Number>, p_mun| match (
        quantity, base,
    ) {
        (Some(quantity), _) => Some(motor::MonoRate::AdRem {
            quantity: *quantity,
            ad_rem: or_zero(p),
        }),
        (None, Some(base)) => Some(motor::MonoRate::AdValorem {
            base: *base,
            p: or_zero(p),
            p_mun: or_zero(p_mun),
        }),
        (None, None) => None,
    };
    motor::MonoTax {
        default: rate(
            given.quantidade,
            given.base,
            given.aliquota,
            given.aliquota_mun,
        ),
        withholding: rate(
            given.quantidade_retencao,
            given.base_retencao,
            given.aliquota_retencao,
            None,
        ),
        withheld: dec(given.valor_retido).map(motor::Withheld::Value),
        p_dif: None,
        bio: dec(given.quantidade_biocombustivel).map(|quantity| motor::BioDifference {
            quantity,
            value: or_zero(given.valor_diferenca),
        }),
    }
}

/// Amounts the customer gave against the calculated ones.
fn check(ctx: &mut Context<'_>, place: Place<'_>, given: &IbsCbs, sums: &motor::Sums) {
    let value = |tax: &Option<Tributo>| tax.as_ref().and_then(|tax| tax.valor);
    for (name, stated, computed) in [
        ("ibs_uf", value(&given.ibs_uf), sums.v_ibs_uf),
        ("ibs_mun", value(&given.ibs_mun), sums.v_ibs_mun),
        ("cbs", value(&given.cbs), sums.v_cbs),
    ] {
        ctx.checked(place.at(name).at("valor"), stated, computed);
    }
    ctx.checked(place.at("valor_ibs"), given.valor_ibs, sums.v_ibs);
    if let Some(mono) = &given.mono {
        let place = place.at("mono");
        ctx.checked(place.at("total_ibs"), mono.total_ibs, sums.v_tot_mono.ibs);
        ctx.checked(place.at("total_cbs"), mono.total_cbs, sums.v_tot_mono.cbs);
    }
}

/// Builds `IS`, only when the item has it: its rules are not in force
/// (NT 2025.002, UB01 to UB11).
pub(super) fn selective(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Option<Node> {
    let given = line.item.impostos.as_ref()?.is.as_ref()?;
    let impostos = line.place.at("impostos");
    let place = impostos.at("is");
    let cst = ctx.mandatory_text(place.at("cst"), given.cst.as_deref(), 3);
    let class = ctx.mandatory_text(place.at("cclass_trib"), given.cclass_trib.as_deref(), 6);
    let group = Node::group("IS")
        .with("CSTIS", cst)
        .with("cClassTribIS", class);
    let Some(rate) = ctx.optional(place.at("aliquota"), given.aliquota) else {
        return Some(group);
    };
    let base = ctx
        .optional(place.at("base"), given.base)
        .unwrap_or(line.values.operation());
    let by_unit = ctx.optional(place.at("aliquota_unidade"), given.aliquota_unidade);
    let quantity = ctx.optional(place.at("quantidade"), given.quantidade);
    let unit = ctx.text(place.at("unidade"), given.unidade.as_deref(), 6);
    let fixed_part = match (by_unit, quantity) {
        (Some(rate), Some(quantity)) => r2(times(rate, quantity)),
        _ => Decimal::ZERO,
    };
    let computed = crate::arithmetic::plus(percent_of(base, rate), fixed_part);
    let value = ctx.checked(place.at("valor"), given.valor, computed);
    sums.is = value;
    let mut group = group
        .with("vBCIS", f2(base))
        .with("pIS", f4(rate))
        .with_if("adRemIS", by_unit.map(f4));
    if let (Some(unit), Some(quantity)) = (unit, quantity) {
        group = group.with("uTrib", unit).with("qTrib", fixed(quantity, 4));
    }
    Some(group.with("vIS", f2(value)))
}
