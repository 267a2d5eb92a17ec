//! `IBSCBS` and `IS` of an item: from the request to [`ibs_cbs`] and back.

use super::conta::{dec, f2, f4, fixo, por_cento, r2, vezes};
use super::contexto::{Contexto, Onde};
use super::linha::Linha;
use super::somas::Somas;
use crate::arvore::Elemento;
use crate::nfe::ibs_cbs::{self as motor, Exigencia, Par, Percentuais};
use crate::nfe::pedido::{
    CreditoPresumido, IbsCbs, MonoIbsCbs, MonoTributo, Numero, ParIbsCbs, Tributo,
};
use rust_decimal::Decimal;

/// The group of an item, if it has one.
#[derive(Default)]
pub(super) struct Reforma {
    pub elemento: Option<Elemento>,
    pub somas: motor::Somas,
}

/// Builds `IBSCBS` by the rule of the regime and the date.
pub(super) fn ibs_cbs(ctx: &mut Contexto<'_>, linha: &Linha<'_>, somas: &Somas) -> Reforma {
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("ibs_cbs");
    let proprio = linha
        .item
        .impostos
        .as_ref()
        .and_then(|i| i.ibs_cbs.as_ref());
    let padrao = ctx
        .emitente
        .padroes
        .ibs_cbs
        .as_ref()
        .filter(|_| ctx.calcular);
    let data = ctx.dados.dh_emi.date();
    let crt = ctx.emitente.regime.crt().parse().unwrap_or(3);
    let exigencia = motor::exigencia(crt, data);
    let dados = match (proprio, padrao) {
        (Some(proprio), _) => proprio,
        (None, Some(padrao)) => padrao,
        (None, None) => {
            match exigencia {
                Exigencia::Vedado => {}
                Exigencia::DevidoSemRejeicao => ctx.aviso(
                    onde,
                    "O regime normal deve informar IBS e CBS; a ausência ainda não é rejeitada.",
                ),
                Exigencia::Obrigatorio => ctx.falta(
                    onde,
                    "Informe cst e cclass_trib, ou configure padroes.ibs_cbs no perfil fiscal.",
                ),
            }
            return Reforma::default();
        }
    };
    if exigencia == Exigencia::Vedado {
        if proprio.is_some() {
            ctx.aviso(
                onde,
                "O regime do emitente ainda não informa IBS e CBS nesta data: o grupo ficou fora da nota.",
            );
        }
        return Reforma::default();
    }
    let contexto = contexto(ctx, crt);
    let item = item(linha, somas, dados);
    match motor::grupo(&contexto, &item) {
        Ok(grupo) => {
            confere(ctx, onde, dados, &grupo.somas);
            Reforma {
                elemento: Some(grupo.elemento),
                somas: grupo.somas,
            }
        }
        Err(campos) => {
            for mut campo in campos {
                campo.campo = match campo.campo.as_str() {
                    "" => onde.to_string(),
                    relativo => format!("{onde}.{relativo}"),
                };
                ctx.campos.0.push(campo);
            }
            Reforma::default()
        }
    }
}

fn contexto(ctx: &Contexto<'_>, crt: u8) -> motor::Contexto {
    let data = ctx.dados.dh_emi.date();
    let digito = |texto: &Option<String>| {
        texto
            .as_deref()
            .and_then(|t| t.trim().parse().ok())
            .unwrap_or_default()
    };
    motor::Contexto {
        data,
        modelo: if ctx.nfce() {
            motor::Modelo::Nfce
        } else {
            motor::Modelo::Nfe
        },
        crt,
        versao: motor::Versao::em(data),
        referencia: motor::Aliquotas::default(),
        compra_gov: ctx
            .pedido
            .compra_governamental
            .as_ref()
            .map(|compra| motor::CompraGov {
                tp_ente: digito(&compra.tipo_ente),
                p_redutor: dec(compra.redutor).unwrap_or_default(),
                tp_oper: digito(&compra.tipo_operacao),
            }),
    }
}

fn ou_zero(numero: Option<Numero>) -> Decimal {
    dec(numero).unwrap_or_default()
}

fn par(dados: &ParIbsCbs) -> Par {
    Par {
        ibs: ou_zero(dados.ibs),
        cbs: ou_zero(dados.cbs),
    }
}

/// One figure of each of the three taxes, if any of them has it.
fn tres(dados: &IbsCbs, qual: fn(&Tributo) -> Option<Numero>) -> Option<Percentuais> {
    let de = |tributo: &Option<Tributo>| tributo.as_ref().and_then(qual);
    let (uf, mun, cbs) = (de(&dados.ibs_uf), de(&dados.ibs_mun), de(&dados.cbs));
    (uf.is_some() || mun.is_some() || cbs.is_some()).then(|| Percentuais {
        ibs_uf: ou_zero(uf),
        ibs_mun: ou_zero(mun),
        cbs: ou_zero(cbs),
    })
}

fn item(linha: &Linha<'_>, somas: &Somas, dados: &IbsCbs) -> motor::Item {
    let texto = |texto: &Option<String>| texto.as_deref().unwrap_or_default().trim().to_owned();
    let aliquota = |tributo: &Option<Tributo>| tributo.as_ref().and_then(|t| dec(t.aliquota));
    let reducao = tres(dados, |tributo| tributo.reducao);
    motor::Item {
        cst: texto(&dados.cst),
        c_class_trib: texto(&dados.cclass_trib),
        doacao: dados.doacao == Some(true),
        valores: valores(linha, somas),
        base: dec(dados.base),
        aliquotas: motor::Aliquotas {
            ibs_uf: aliquota(&dados.ibs_uf),
            ibs_mun: aliquota(&dados.ibs_mun),
            cbs: aliquota(&dados.cbs),
        },
        reducao: reducao.map(|reducao| Par {
            ibs: reducao.ibs_uf,
            cbs: reducao.cbs,
        }),
        diferimento: tres(dados, |tributo| tributo.diferimento),
        devolucao: tres(dados, |tributo| tributo.valor_devolvido).map(|valores| motor::Devolucao {
            valores,
            percentuais: tres(dados, |tributo| tributo.percentual_devolvido),
        }),
        trib_regular: dados
            .tributacao_regular
            .as_ref()
            .map(|regular| motor::TribRegular {
                cst: texto(&regular.cst),
                c_class_trib: texto(&regular.cclass_trib),
            }),
        mono: dados.mono.as_ref().map(mono),
        transf_cred: dados.transferencia_credito.as_ref().map(par),
        ajuste_compet: dados
            .ajuste_competencia
            .as_ref()
            .map(|ajuste| motor::AjusteCompet {
                compet: texto(&ajuste.mes),
                valores: Par {
                    ibs: ou_zero(ajuste.ibs),
                    cbs: ou_zero(ajuste.cbs),
                },
            }),
        estorno: dados.estorno_credito.as_ref().map(par),
        cred_pres: dados.credito_presumido.as_ref().map(credito),
        cred_pres_zfm: dados
            .credito_presumido_zfm
            .as_ref()
            .map(|credito| motor::CredPresZfm {
                compet: texto(&credito.mes),
                tipo: texto(&credito.tipo).parse().unwrap_or(u8::MAX),
                valor: ou_zero(credito.valor),
            }),
        zfm_alc: dados.alc_zfm_cbs.as_ref().map(|alc| motor::ZfmAlc {
            tipo: texto(&alc.tipo).parse().unwrap_or(u8::MAX),
            processo: alc
                .processo_suframa
                .as_ref()
                .map(|texto| texto.trim().to_owned()),
        }),
    }
}

/// What the base is made of.
fn valores(linha: &Linha<'_>, somas: &Somas) -> motor::Valores {
    let v = &linha.valores;
    let (v_prod, v_serv) = match linha.servico {
        true => (Decimal::ZERO, v.prod),
        false => (v.prod, Decimal::ZERO),
    };
    motor::Valores {
        v_prod,
        v_serv,
        v_frete: v.frete,
        v_seg: v.seguro,
        v_outro: v.outro,
        v_ii: somas.ii,
        v_desc: v.desconto,
        v_pis: super::conta::mais(somas.pis, somas.pis_serv),
        v_cofins: super::conta::mais(somas.cofins, somas.cofins_serv),
        v_icms: somas.icms,
        v_icms_uf_dest: somas.icms_uf_dest,
        v_fcp: somas.fcp,
        v_fcp_uf_dest: somas.fcp_uf_dest,
        v_icms_mono: somas.mono,
        v_issqn: somas.iss,
        v_is: somas.is,
    }
}

fn credito(dados: &CreditoPresumido) -> motor::CredPresOper {
    motor::CredPresOper {
        base: dec(dados.base),
        codigo: dados
            .codigo
            .as_deref()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        p_ibs: dec(dados.aliquota_ibs),
        p_cbs: dec(dados.aliquota_cbs),
        condicao: match dados.condicao_suspensiva {
            Some(true) => motor::CondicaoCredito::CondicaoSuspensiva,
            _ => motor::CondicaoCredito::Efetivo,
        },
    }
}

fn mono(dados: &MonoIbsCbs) -> motor::Monofasia {
    let vazio = MonoTributo::default();
    let ibs = dados.ibs.as_ref().unwrap_or(&vazio);
    let cbs = dados.cbs.as_ref().unwrap_or(&vazio);
    let taxa = |quantidade: Option<Numero>,
                base: Option<Numero>,
                de_ibs: Option<Numero>,
                de_mun: Option<Numero>,
                de_cbs: Option<Numero>| {
        match (quantidade, base) {
            (Some(quantidade), _) => Some(motor::TaxaMono::AdRem {
                quantidade: *quantidade,
                ibs: ou_zero(de_ibs),
                cbs: ou_zero(de_cbs),
            }),
            (None, Some(base)) => Some(motor::TaxaMono::AdValorem {
                base: *base,
                p: Percentuais {
                    ibs_uf: ou_zero(de_ibs),
                    ibs_mun: ou_zero(de_mun),
                    cbs: ou_zero(de_cbs),
                },
            }),
            (None, None) => None,
        }
    };
    let retido = ibs.valor_retido.or(cbs.valor_retido).map(|_| {
        motor::Retido::Valores(Par {
            ibs: ou_zero(ibs.valor_retido),
            cbs: ou_zero(cbs.valor_retido),
        })
    });
    let bio = ibs
        .quantidade_biocombustivel
        .or(cbs.quantidade_biocombustivel);
    motor::Monofasia {
        padrao: taxa(
            ibs.quantidade.or(cbs.quantidade),
            ibs.base.or(cbs.base),
            ibs.aliquota,
            ibs.aliquota_mun,
            cbs.aliquota,
        ),
        retencao: taxa(
            ibs.quantidade_retencao.or(cbs.quantidade_retencao),
            ibs.base_retencao.or(cbs.base_retencao),
            ibs.aliquota_retencao,
            None,
            cbs.aliquota_retencao,
        ),
        retido,
        diferimento: None,
        bio: bio.map(|quantidade| motor::BioDiferenca {
            quantidade: *quantidade,
            valores: Par {
                ibs: ou_zero(ibs.valor_diferenca),
                cbs: ou_zero(cbs.valor_diferenca),
            },
        }),
    }
}

/// Amounts the customer gave against the calculated ones.
fn confere(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &IbsCbs, somas: &motor::Somas) {
    let valor = |tributo: &Option<Tributo>| tributo.as_ref().and_then(|tributo| tributo.valor);
    for (nome, dado, calculado) in [
        ("ibs_uf", valor(&dados.ibs_uf), somas.v_ibs_uf),
        ("ibs_mun", valor(&dados.ibs_mun), somas.v_ibs_mun),
        ("cbs", valor(&dados.cbs), somas.v_cbs),
    ] {
        ctx.conferido(onde.em(nome).em("valor"), dado, calculado);
    }
    ctx.conferido(onde.em("valor_ibs"), dados.valor_ibs, somas.v_ibs);
    if let Some(mono) = &dados.mono {
        let onde = onde.em("mono");
        ctx.conferido(onde.em("total_ibs"), mono.total_ibs, somas.v_tot_mono.ibs);
        ctx.conferido(onde.em("total_cbs"), mono.total_cbs, somas.v_tot_mono.cbs);
    }
}

/// Builds `IS`, only when the item has it: its rules are not in force
/// (NT 2025.002, UB01 to UB11).
pub(super) fn seletivo(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
) -> Option<Elemento> {
    let dados = linha.item.impostos.as_ref()?.is.as_ref()?;
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("is");
    let cst = ctx.texto_obrigatorio(onde.em("cst"), dados.cst.as_deref(), 3);
    let classe = ctx.texto_obrigatorio(onde.em("cclass_trib"), dados.cclass_trib.as_deref(), 6);
    let grupo = Elemento::grupo("IS")
        .com("CSTIS", cst)
        .com("cClassTribIS", classe);
    let Some(taxa) = ctx.opcional(onde.em("aliquota"), dados.aliquota) else {
        return Some(grupo);
    };
    let base = ctx
        .opcional(onde.em("base"), dados.base)
        .unwrap_or(linha.valores.operacao());
    let por_unidade = ctx.opcional(onde.em("aliquota_unidade"), dados.aliquota_unidade);
    let quantidade = ctx.opcional(onde.em("quantidade"), dados.quantidade);
    let unidade = ctx.texto(onde.em("unidade"), dados.unidade.as_deref(), 6);
    let fixa = match (por_unidade, quantidade) {
        (Some(taxa), Some(quantidade)) => r2(vezes(taxa, quantidade)),
        _ => Decimal::ZERO,
    };
    let calculado = super::conta::mais(por_cento(base, taxa), fixa);
    let valor = ctx.conferido(onde.em("valor"), dados.valor, calculado);
    somas.is = valor;
    let mut grupo = grupo
        .com("vBCIS", f2(base))
        .com("pIS", f4(taxa))
        .com_se("adRemIS", por_unidade.map(f4));
    if let (Some(unidade), Some(quantidade)) = (unidade, quantidade) {
        grupo = grupo
            .com("uTrib", unidade)
            .com("qTrib", fixo(quantidade, 4));
    }
    Some(grupo.com("vIS", f2(valor)))
}
