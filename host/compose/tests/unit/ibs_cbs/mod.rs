//! Tests of IBS and CBS.

mod arithmetic;
mod presence;
mod totals;
mod xsd;

use compose::ibs_cbs::{
    BioDifference, Context, CredPresZfm, Item, Model, MonoRate, MonoTax, Pair, PeriodAdjustment,
    Purpose, Rates, SinglePhase, TribRegular, Values, Version, Withheld, group,
};
use markup::tree::Node;
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

/// A day of each version of the layout.
const DAYS: [(Version, Date); 4] = [
    (Version::B, date!(2026 - 03 - 02)),
    (Version::D, date!(2026 - 07 - 15)),
    (Version::E, date!(2026 - 09 - 15)),
    (Version::F, date!(2026 - 11 - 20)),
];

fn d(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

/// The regular regime on a day.
fn context(model: Model, data: Date) -> Context {
    Context {
        data,
        model,
        crt: 3,
        version: Version::of(markup::layout::Layout::nfe(data)),
        purpose: Purpose::default(),
        reference: Rates::default(),
        gov_purchase: None,
    }
}

fn today(model: Model) -> Context {
    context(model, date!(2026 - 11 - 20))
}

/// An item of a thousand reais with nothing else.
fn item(c_class_trib: &str) -> Item {
    Item {
        cst: c_class_trib.get(..3).unwrap_or_default().to_owned(),
        c_class_trib: c_class_trib.to_owned(),
        values: Values {
            v_prod: d("1000.00"),
            ..Values::default()
        },
        ..Item::default()
    }
}

/// An item with whatever its classification requires, and the kind of note it
/// belongs to.
fn complete(context: &mut Context, c_class_trib: &str) -> Item {
    let mut item = item(c_class_trib);
    let class = data::class_trib::get(c_class_trib).expect("a classification");
    let cst = data::class_trib::cst(class.cst()).expect("a CST");
    if cst.g_dif {
        for tax in [&mut item.ibs_uf, &mut item.ibs_mun, &mut item.cbs] {
            tax.p_dif = Some(d("100"));
        }
    }
    let pair = Pair {
        ibs: d("1.50"),
        cbs: d("2.50"),
    };
    item.trib_regular = class.trib_regular.then(|| TribRegular {
        cst: "000".to_owned(),
        c_class_trib: "000001".to_owned(),
    });
    item.credit_transfer = cst.g_transf_cred.then_some(pair);
    item.period_adjustment = cst.g_ajuste_compet.then(|| PeriodAdjustment {
        period: "2026-01".to_owned(),
        values: pair,
    });
    item.reversal = (class.credit_reversal && context.model == Model::Nfe).then_some(pair);
    item.cred_pres_zfm = cst.g_cred_pres_zfm.then(|| CredPresZfm {
        period: "2026-02".to_owned(),
        kind: 3,
        value: d("90.25"),
    });
    item.mono = cst.g_mono.then(|| single_phase(context.version, class));
    context.purpose = nota_of(c_class_trib);
    item
}

/// Debit and credit notes that some classifications belong to.
fn nota_of(c_class_trib: &str) -> Purpose {
    let debit = |kind| Purpose {
        fin_nfe: 6,
        tp_nf_debito: Some(kind),
        tp_nf_credito: None,
    };
    let credit = |kind| Purpose {
        fin_nfe: 5,
        tp_nf_debito: None,
        tp_nf_credito: Some(kind),
    };
    match c_class_trib {
        "800002" => debit(1),
        "811001" => debit(2),
        "811002" => debit(3),
        "800001" => debit(5),
        "410030" => debit(7),
        "811003" => debit(8),
        "810001" => credit(2),
        "620005" => credit(1),
        _ => Purpose::default(),
    }
}

fn single_phase(version: Version, class: &data::class_trib::ClassTrib) -> SinglePhase {
    let rate = MonoRate::AdRem {
        quantity: d("1234.5678"),
        ad_rem: d("0.1234"),
    };
    let new = version >= Version::F;
    let tax = MonoTax {
        default: class.mono_standard.then_some(rate),
        withholding: class.mono_withholding.then_some(rate),
        withheld: class.mono_ret.then_some(if new {
            Withheld::Value(d("12.34"))
        } else {
            Withheld::AdRem {
                quantity: d("100"),
                ad_rem: d("0.1234"),
            }
        }),
        p_dif: (class.mono_dif && !new).then(|| d("50")),
        bio: (class.bio_difference && new).then(|| BioDifference {
            quantity: d("7"),
            value: d("0.70"),
        }),
    };
    SinglePhase { ibs: tax, cbs: tax }
}

/// Rules that refuse an item.
fn regras(context: &Context, item: &Item) -> Vec<String> {
    match group(context, item) {
        Ok(_) => Vec::new(),
        Err(fields) => fields.into_iter().map(|field| field.codigo).collect(),
    }
}

/// A value of the group, by path.
fn le(element: &Node, caminho: &str) -> String {
    let names: Vec<&str> = caminho.split('/').collect();
    element.value(&names).unwrap_or_default().to_owned()
}
