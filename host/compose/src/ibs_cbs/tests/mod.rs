//! Tests of IBS and CBS.

mod arithmetic;
mod presence;
mod totals;
mod xsd;

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use super::*;

/// A day of each version of the layout.
pub(crate) const DIAS: [(Versao, Date); 4] = [
    (Versao::B, date!(2026 - 03 - 02)),
    (Versao::D, date!(2026 - 07 - 15)),
    (Versao::E, date!(2026 - 09 - 15)),
    (Versao::F, date!(2026 - 11 - 20)),
];

pub(super) fn d(texto: &str) -> Decimal {
    texto.parse().expect("a decimal")
}

/// The regular regime on a day.
pub(super) fn contexto(modelo: Modelo, data: Date) -> Contexto {
    Contexto {
        data,
        modelo,
        crt: 3,
        versao: Versao::de(markup::layout::Layout::nfe(data)),
        finalidade: Finalidade::default(),
        referencia: Aliquotas::default(),
        compra_gov: None,
    }
}

pub(super) fn hoje(modelo: Modelo) -> Contexto {
    contexto(modelo, date!(2026 - 11 - 20))
}

/// An item of a thousand reais with nothing else.
pub(super) fn item(c_class_trib: &str) -> Item {
    Item {
        cst: c_class_trib.get(..3).unwrap_or_default().to_owned(),
        c_class_trib: c_class_trib.to_owned(),
        valores: Valores {
            v_prod: d("1000.00"),
            ..Valores::default()
        },
        ..Item::default()
    }
}

/// An item with whatever its classification requires, and the kind of note it
/// belongs to.
pub(super) fn completo(contexto: &mut Contexto, c_class_trib: &str) -> Item {
    let mut item = item(c_class_trib);
    let classe = data::class_trib::get(c_class_trib).expect("a classification");
    let cst = data::class_trib::cst(classe.cst()).expect("a CST");
    if cst.g_dif {
        for tributo in [&mut item.ibs_uf, &mut item.ibs_mun, &mut item.cbs] {
            tributo.p_dif = Some(d("100"));
        }
    }
    let par = Par {
        ibs: d("1.50"),
        cbs: d("2.50"),
    };
    item.trib_regular = classe.trib_regular.then(|| TribRegular {
        cst: "000".to_owned(),
        c_class_trib: "000001".to_owned(),
    });
    item.transf_cred = cst.g_transf_cred.then_some(par);
    item.ajuste_compet = cst.g_ajuste_compet.then(|| AjusteCompet {
        compet: "2026-01".to_owned(),
        valores: par,
    });
    item.estorno = (classe.estorno_cred && contexto.modelo == Modelo::Nfe).then_some(par);
    item.cred_pres_zfm = cst.g_cred_pres_zfm.then(|| CredPresZfm {
        compet: "2026-02".to_owned(),
        tipo: 3,
        valor: d("90.25"),
    });
    item.mono = cst.g_mono.then(|| monofasia(contexto.versao, classe));
    contexto.finalidade = nota_de(c_class_trib);
    item
}

/// Debit and credit notes that some classifications belong to.
fn nota_de(c_class_trib: &str) -> Finalidade {
    let debito = |tipo| Finalidade {
        fin_nfe: 6,
        tp_nf_debito: Some(tipo),
        tp_nf_credito: None,
    };
    let credito = |tipo| Finalidade {
        fin_nfe: 5,
        tp_nf_debito: None,
        tp_nf_credito: Some(tipo),
    };
    match c_class_trib {
        "800002" => debito(1),
        "811001" => debito(2),
        "811002" => debito(3),
        "800001" => debito(5),
        "410030" => debito(7),
        "811003" => debito(8),
        "810001" => credito(2),
        "620005" => credito(1),
        _ => Finalidade::default(),
    }
}

fn monofasia(versao: Versao, classe: &data::class_trib::ClassTrib) -> Monofasia {
    let taxa = TaxaMono::AdRem {
        quantidade: d("1234.5678"),
        ad_rem: d("0.1234"),
    };
    let novo = versao >= Versao::F;
    let tributo = MonoTributo {
        padrao: classe.mono_padrao.then_some(taxa),
        retencao: classe.mono_reten.then_some(taxa),
        retido: classe.mono_ret.then_some(if novo {
            Retido::Valor(d("12.34"))
        } else {
            Retido::AdRem {
                quantidade: d("100"),
                ad_rem: d("0.1234"),
            }
        }),
        p_dif: (classe.mono_dif && !novo).then(|| d("50")),
        bio: (classe.bio_diferenca && novo).then(|| BioDiferenca {
            quantidade: d("7"),
            valor: d("0.70"),
        }),
    };
    Monofasia {
        ibs: tributo,
        cbs: tributo,
    }
}

/// Rules that refuse an item.
pub(super) fn regras(contexto: &Contexto, item: &Item) -> Vec<String> {
    match grupo(contexto, item) {
        Ok(_) => Vec::new(),
        Err(campos) => campos.into_iter().map(|campo| campo.codigo).collect(),
    }
}

/// A value of the group, by path.
pub(super) fn le(elemento: &Elemento, caminho: &str) -> String {
    let nomes: Vec<&str> = caminho.split('/').collect();
    elemento.valor(&nomes).unwrap_or_default().to_owned()
}
