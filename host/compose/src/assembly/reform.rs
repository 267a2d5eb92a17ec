//! `IBSCBS` and `IS` of an item: from the request to [`ibs_cbs`] and back.

use crate::arithmetic::{dec, f2, f4, fixo, por_cento, r2, vezes};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use crate::frame::layout_de;
use crate::ibs_cbs as motor;
use crate::ibs_cbs::{Exigencia, Par};
use fiscal::nfe::order::{
    CreditoPresumido, Endereco, Finalidade, IbsCbs, MonoIbsCbs, MonoTributo, Numero, ParIbsCbs,
    Tributo,
};
use markup::tree::Elemento;
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
    if ctx.so_ibs_cbs() && exigencia == Exigencia::Vedado {
        sem_tributo(ctx);
        return Reforma::default();
    }
    let dados = match (proprio, padrao) {
        (Some(proprio), _) => proprio,
        (None, Some(padrao)) => padrao,
        (None, None) if ctx.so_ibs_cbs() => {
            ctx.falta(
                onde,
                "Informe IBS e CBS: são os únicos tributos desta nota, e sem eles ela não leva nenhum.",
            );
            return Reforma::default();
        }
        (None, None) => {
            if exigencia == Exigencia::DevidoSemRejeicao {
                ctx.aviso(
                    onde,
                    "O regime normal deve informar IBS e CBS; a ausência ainda não é rejeitada.",
                );
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
    if dados.alc_zfm_cbs.is_some() {
        area_incentivada(ctx, linha, onde);
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

/// A note of IBS and CBS alone whose emitter tells neither on this day.
fn sem_tributo(ctx: &mut Contexto<'_>) {
    let governo = Onde::raiz("compra_governamental");
    let onde = match ctx.finalidade {
        Finalidade::NotaCredito | Finalidade::NotaDebito => Onde::raiz("finalidade"),
        _ => governo.em("tipo_operacao"),
    };
    ctx.erro(
        onde,
        "nota_sem_tributo",
        "Esta nota só leva IBS e CBS, que o emitente do Simples Nacional ou MEI não informa antes de 04/01/2027: sairia sem tributo algum.",
        "Emita-a a partir dessa data, ou corrija a finalidade, o tipo da nota ou o regime no perfil fiscal.",
    );
}

/// The CBS of an incentive area is zero only for goods that stay in it (UB66a-20;
/// second-hand, so only a warning).
fn area_incentivada(ctx: &mut Contexto<'_>, linha: &Linha<'_>, onde: Onde<'_>) {
    let municipio = |endereco: &Endereco| endereco.codigo_ibge.as_deref()?.trim().parse().ok();
    let destino = ctx.pedido.recebedor().1;
    let destino = destino.and_then(|pessoa| municipio(pessoa.endereco.as_ref()?));
    let ncm = ctx.codigo(linha.item.ncm.as_deref()).unwrap_or_default();
    let cabe = municipio(&ctx.emitente.endereco)
        .zip(destino)
        .is_some_and(|(de, para)| data::areas::admite_cbs_zero(&ncm, de, para));
    if !cabe {
        ctx.aviso(
            onde.em("alc_zfm_cbs"),
            "A CBS zero da Zona Franca e das áreas de livre comércio é de bens que a admitem, entre municípios da mesma área: confira.",
        );
    }
}

fn contexto(ctx: &Contexto<'_>, crt: u8) -> motor::Contexto {
    let data = ctx.dados.dh_emi.date();
    motor::Contexto {
        data,
        modelo: if ctx.nfce() {
            motor::Modelo::Nfce
        } else {
            motor::Modelo::Nfe
        },
        crt,
        versao: motor::Versao::de(layout_de(ctx.dados)),
        referencia: motor::Aliquotas::default(),
        finalidade: motor::Finalidade {
            fin_nfe: numero(Some(ctx.finalidade.codigo())),
            tp_nf_debito: ctx
                .pedido
                .tipo_nota_debito
                .map(|tipo| numero(Some(tipo.codigo()))),
            tp_nf_credito: ctx
                .pedido
                .tipo_nota_credito
                .map(|tipo| numero(Some(tipo.codigo()))),
        },
        compra_gov: ctx
            .pedido
            .compra_governamental
            .as_ref()
            .map(|compra| motor::CompraGov {
                p_redutor: ou_zero(compra.redutor),
            }),
    }
}

/// A code of one or two digits; what is none becomes one that no table has.
fn numero(texto: Option<&str>) -> u8 {
    texto
        .and_then(|texto| texto.trim().parse().ok())
        .unwrap_or(u8::MAX)
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

fn tributo(dados: &Option<Tributo>) -> motor::Tributo {
    let Some(dados) = dados else {
        return motor::Tributo::default();
    };
    motor::Tributo {
        aliquota: dec(dados.aliquota),
        reducao: dec(dados.reducao),
        p_dif: dec(dados.diferimento),
        p_dev: dec(dados.percentual_devolvido),
        v_dev: dec(dados.valor_devolvido),
    }
}

fn item(linha: &Linha<'_>, somas: &Somas, dados: &IbsCbs) -> motor::Item {
    let texto = |texto: &Option<String>| texto.as_deref().unwrap_or_default().trim().to_owned();
    motor::Item {
        cst: texto(&dados.cst),
        c_class_trib: texto(&dados.cclass_trib),
        doacao: dados.doacao == Some(true),
        bem_movel_usado: linha.item.bem_movel_usado == Some(true),
        valores: valores(linha, somas),
        base: dec(dados.base),
        ibs_uf: tributo(&dados.ibs_uf),
        ibs_mun: tributo(&dados.ibs_mun),
        cbs: tributo(&dados.cbs),
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
                tipo: numero(credito.tipo.as_deref()),
                valor: ou_zero(credito.valor),
            }),
        zfm_alc: dados.alc_zfm_cbs.as_ref().map(|alc| motor::ZfmAlc {
            tipo: numero(alc.tipo.as_deref()),
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
        v_pis: crate::arithmetic::mais(somas.pis, somas.pis_serv),
        v_cofins: crate::arithmetic::mais(somas.cofins, somas.cofins_serv),
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
        cond_sus: dados.condicao_suspensiva == Some(true),
    }
}

fn mono(dados: &MonoIbsCbs) -> motor::Monofasia {
    motor::Monofasia {
        ibs: dados.ibs.as_ref().map(um_mono).unwrap_or_default(),
        cbs: dados.cbs.as_ref().map(um_mono).unwrap_or_default(),
    }
}

fn um_mono(dados: &MonoTributo) -> motor::MonoTributo {
    let taxa = |quantidade: Option<Numero>, base: Option<Numero>, p: Option<Numero>, p_mun| match (
        quantidade, base,
    ) {
        (Some(quantidade), _) => Some(motor::TaxaMono::AdRem {
            quantidade: *quantidade,
            ad_rem: ou_zero(p),
        }),
        (None, Some(base)) => Some(motor::TaxaMono::AdValorem {
            base: *base,
            p: ou_zero(p),
            p_mun: ou_zero(p_mun),
        }),
        (None, None) => None,
    };
    motor::MonoTributo {
        padrao: taxa(
            dados.quantidade,
            dados.base,
            dados.aliquota,
            dados.aliquota_mun,
        ),
        retencao: taxa(
            dados.quantidade_retencao,
            dados.base_retencao,
            dados.aliquota_retencao,
            None,
        ),
        retido: dec(dados.valor_retido).map(motor::Retido::Valor),
        p_dif: None,
        bio: dec(dados.quantidade_biocombustivel).map(|quantidade| motor::BioDiferenca {
            quantidade,
            valor: ou_zero(dados.valor_diferenca),
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
    let calculado = crate::arithmetic::mais(por_cento(base, taxa), fixa);
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
