//! Arithmetic and how numbers are written.

use rust_decimal::{Decimal, RoundingStrategy};

use super::{Contexto, Item};
use crate::ibs_cbs::input::{MonoTributo, Retido, TaxaMono, Tributo};
use markup::field::Campos;

/// Most an amount may be: thirteen digits before the point (`TDec1302RTC`).
const MAIOR_VALOR: i64 = 9_999_999_999_999;
/// Most a rate per unit may be: three digits (`TDec_0302_04RTC`).
const MAIOR_AD_REM: i64 = 999;
/// Most a quantity may be: eleven digits (`TDec1104RTC`).
const MAIOR_QUANTIDADE: i64 = 99_999_999_999;

/// Two decimals, half to even.
pub(super) fn reais(valor: Decimal) -> Decimal {
    valor.round_dp_with_strategy(2, RoundingStrategy::MidpointNearestEven)
}

/// Four decimals, half to even.
pub(super) fn quatro(valor: Decimal) -> Decimal {
    valor.round_dp_with_strategy(4, RoundingStrategy::MidpointNearestEven)
}

/// Percent of an amount, two decimals.
pub(super) fn por_cento(valor: Decimal, p: Decimal) -> Decimal {
    reais(valor * p / Decimal::ONE_HUNDRED)
}

/// What is left of a rate after a reduction by percent; not rounded.
pub(super) fn reduz(p: Decimal, reducao: Decimal) -> Decimal {
    p * (Decimal::ONE_HUNDRED - reducao) / Decimal::ONE_HUNDRED
}

/// An amount as written: `1234.50`.
pub(super) fn valor(valor: Decimal) -> String {
    format!("{:.2}", reais(valor))
}

/// A rate or percentage as written: `0.1000`.
pub(super) fn taxa(valor: Decimal) -> String {
    format!("{:.4}", quatro(valor))
}

/// A quantity as written: four decimals.
pub(super) fn quantidade(valor: Decimal) -> String {
    taxa(valor)
}

/// Is everything the item and its circumstances bring within what the layout holds? Also keeps the
/// arithmetic far from the ends of the type.
pub(super) fn limites(contexto: &Contexto, item: &Item, campos: &mut Campos) {
    let mut juiz = Juiz { campos };
    let redutor = contexto.compra_gov.map(|compra| compra.p_redutor);
    juiz.percentual("compra_governamental.redutor", redutor);
    let referencia = &contexto.referencia;
    juiz.percentual("referencia.ibs_uf", referencia.ibs_uf);
    juiz.percentual("referencia.ibs_mun", referencia.ibs_mun);
    juiz.percentual("referencia.cbs", referencia.cbs);
    let v = &item.valores;
    for (nome, valor) in [
        ("valores.v_prod", v.v_prod),
        ("valores.v_serv", v.v_serv),
        ("valores.v_frete", v.v_frete),
        ("valores.v_seg", v.v_seg),
        ("valores.v_outro", v.v_outro),
        ("valores.v_ii", v.v_ii),
        ("valores.v_desc", v.v_desc),
        ("valores.v_pis", v.v_pis),
        ("valores.v_cofins", v.v_cofins),
        ("valores.v_icms", v.v_icms),
        ("valores.v_icms_uf_dest", v.v_icms_uf_dest),
        ("valores.v_fcp", v.v_fcp),
        ("valores.v_fcp_uf_dest", v.v_fcp_uf_dest),
        ("valores.v_icms_mono", v.v_icms_mono),
        ("valores.v_issqn", v.v_issqn),
        ("valores.v_is", v.v_is),
    ] {
        juiz.valor(nome, Some(valor));
    }
    juiz.valor("base", item.base);
    for (nome, tributo) in [
        ("ibs_uf", &item.ibs_uf),
        ("ibs_mun", &item.ibs_mun),
        ("cbs", &item.cbs),
    ] {
        juiz.tributo(nome, tributo);
    }
    if let Some(mono) = &item.mono {
        juiz.mono("mono.ibs", &mono.ibs);
        juiz.mono("mono.cbs", &mono.cbs);
    }
    let pares = [
        ("transferencia_credito", item.transf_cred),
        ("estorno_credito", item.estorno),
        (
            "ajuste_competencia",
            item.ajuste_compet.as_ref().map(|a| a.valores),
        ),
    ];
    for (nome, par) in pares {
        juiz.valor(&format!("{nome}.ibs"), par.map(|par| par.ibs));
        juiz.valor(&format!("{nome}.cbs"), par.map(|par| par.cbs));
    }
    if let Some(credito) = &item.cred_pres {
        juiz.valor("credito_presumido.base", credito.base);
        juiz.percentual("credito_presumido.aliquota_ibs", credito.p_ibs);
        juiz.percentual("credito_presumido.aliquota_cbs", credito.p_cbs);
    }
    let zfm = item.cred_pres_zfm.as_ref().map(|zfm| zfm.valor);
    juiz.valor("credito_presumido_zfm.valor", zfm);
}

/// Says what is out of bounds.
struct Juiz<'a> {
    campos: &'a mut Campos,
}

impl Juiz<'_> {
    fn valor(&mut self, campo: &str, valor: Option<Decimal>) {
        self.faixa(campo, valor, MAIOR_VALOR, 2);
    }

    fn percentual(&mut self, campo: &str, valor: Option<Decimal>) {
        self.faixa(campo, valor, 100, 4);
    }

    fn tributo(&mut self, nome: &str, tributo: &Tributo) {
        self.percentual(&format!("{nome}.aliquota"), tributo.aliquota);
        self.percentual(&format!("{nome}.reducao"), tributo.reducao);
        self.percentual(&format!("{nome}.diferimento"), tributo.p_dif);
        self.percentual(&format!("{nome}.percentual_devolvido"), tributo.p_dev);
        self.valor(&format!("{nome}.valor_devolvido"), tributo.v_dev);
    }

    fn mono(&mut self, nome: &str, mono: &MonoTributo) {
        for (taxa, sufixo) in [(mono.padrao, ""), (mono.retencao, "_retencao")] {
            match taxa {
                Some(TaxaMono::AdRem { quantidade, ad_rem }) => {
                    self.quantidade(&format!("{nome}.quantidade{sufixo}"), quantidade);
                    self.ad_rem(&format!("{nome}.aliquota{sufixo}"), ad_rem);
                }
                Some(TaxaMono::AdValorem { base, p, p_mun }) => {
                    self.valor(&format!("{nome}.base{sufixo}"), Some(base));
                    self.percentual(&format!("{nome}.aliquota{sufixo}"), Some(p));
                    self.percentual(&format!("{nome}.aliquota_mun"), Some(p_mun));
                }
                None => {}
            }
        }
        match mono.retido {
            Some(Retido::AdRem { quantidade, ad_rem }) => {
                self.quantidade(&format!("{nome}.quantidade_retido"), quantidade);
                self.ad_rem(&format!("{nome}.aliquota_retido"), ad_rem);
            }
            Some(Retido::Valor(valor)) => self.valor(&format!("{nome}.valor_retido"), Some(valor)),
            None => {}
        }
        self.percentual(&format!("{nome}.diferimento"), mono.p_dif);
        if let Some(bio) = mono.bio {
            self.quantidade(&format!("{nome}.quantidade_biocombustivel"), bio.quantidade);
            self.valor(&format!("{nome}.valor_diferenca"), Some(bio.valor));
        }
    }

    fn quantidade(&mut self, campo: &str, valor: Decimal) {
        self.faixa(campo, Some(valor), MAIOR_QUANTIDADE, 4);
    }

    fn ad_rem(&mut self, campo: &str, valor: Decimal) {
        self.faixa(campo, Some(valor), MAIOR_AD_REM, 4);
    }

    fn faixa(&mut self, campo: &str, valor: Option<Decimal>, maior: i64, casas: u32) {
        let Some(valor) = valor else {
            return;
        };
        let serve = !valor.is_sign_negative() || valor.is_zero();
        if serve && valor <= Decimal::from(maior) && valor.normalize().scale() <= casas {
            return;
        }
        self.campos.add_value(
            campo,
            "fora_da_faixa",
            &valor.to_string(),
            "O número não cabe no leiaute.",
            format!("Informe de 0 a {maior}, com até {casas} casas decimais."),
        );
    }
}
