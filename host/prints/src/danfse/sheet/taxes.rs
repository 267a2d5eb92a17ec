//! Taxes (NT 008, items 2.1.8 to 2.1.10).

use rust_decimal::Decimal;

use super::lugar;
use crate::danfse::board::{CAMPO, Campo, Quadro};
use crate::danfse::{Danfse, IbsCbs, TributacaoFederal};
use markup::format::{juntar, ou_traco, percentual, reais};

pub(super) fn iss(quadro: &mut Quadro, danfse: &Danfse) {
    let iss = &danfse.iss;
    if iss.nao_sujeita {
        quadro.frase("TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN");
        return;
    }
    quadro.reservar(4.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO MUNICIPAL (ISSQN)"),
        Campo::novo(
            1,
            1,
            "Tipo de Tributação do ISSQN",
            ou_traco(&iss.tributacao),
        ),
        Campo::novo(
            2,
            2,
            "Município / Sigla UF / País da Incidência do ISSQN",
            lugar(&iss.incidencia),
        ),
    ]);
    // Item 2.4.5, note 5: a row without any content may be left out.
    let textos = [
        &iss.regime_especial,
        &iss.imunidade,
        &iss.suspensao,
        &iss.processo_suspensao,
    ];
    if textos.iter().any(|texto| !texto.trim().is_empty()) {
        let [regime, imunidade, suspensao, processo] = textos.map(|texto| ou_traco(texto));
        quadro.campos(&[
            Campo::novo(0, 1, "Regime Especial de Tributação do ISSQN", regime),
            Campo::novo(1, 1, "Tipo de Imunidade do ISSQN", imunidade),
            Campo::novo(2, 1, "Suspensão da Exigibilidade do ISSQN", suspensao),
            Campo::novo(3, 1, "Número Processo Suspensão", processo),
        ]);
    }
    let valores = [
        iss.calculo_beneficio,
        iss.deducoes,
        iss.desconto_incondicionado,
    ];
    if !iss.beneficio.trim().is_empty() || valores.iter().any(Option::is_some) {
        let [calculo, deducoes, desconto] = valores.map(reais);
        quadro.campos(&[
            Campo::novo(0, 1, "Benefício Municipal", ou_traco(&iss.beneficio)),
            Campo::novo(1, 1, "Cálculo do BM", calculo),
            Campo::novo(2, 1, "Total Deduções/Reduções", deducoes),
            Campo::novo(3, 1, "Desconto Incondicionado", desconto),
        ]);
    }
    quadro.campos(&[
        Campo::novo(0, 1, "BC ISSQN", reais(iss.base_calculo)),
        Campo::novo(1, 1, "Alíquota Aplicada", percentual(iss.aliquota)),
        Campo::novo(2, 1, "Retenção do ISSQN", ou_traco(&iss.retencao)),
        Campo::novo(3, 1, "ISSQN Apurado", reais(iss.valor)),
    ]);
}

pub(super) fn federal(quadro: &mut Quadro, federal: &TributacaoFederal, nacional: bool) {
    quadro.reservar(2.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO FEDERAL (EXCETO CBS)"),
        Campo::novo(1, 1, "IRRF", reais(federal.irrf)),
        Campo::novo(
            2,
            1,
            "Contribuição Previdenciária - Retida",
            reais(federal.previdencia),
        ),
        Campo::novo(
            3,
            1,
            if nacional {
                "Contribuições Sociais - Retidas"
            } else {
                "CSLL - Retida"
            },
            reais(federal.contribuicoes_sociais),
        ),
    ]);
    if nacional {
        quadro.campos(&[
            Campo::novo(0, 1, "PIS - Débito Apuração Própria", reais(federal.pis)),
            Campo::novo(
                1,
                1,
                "COFINS - Débito Apuração Própria",
                reais(federal.cofins),
            ),
            Campo::novo(
                2,
                2,
                "Descrição Contrib. Sociais - Retidas",
                ou_traco(&federal.descricao_retencao),
            ),
        ]);
    } else {
        quadro.campos(&[
            Campo::novo(0, 1, "PIS - Retido", reais(federal.pis)),
            Campo::novo(1, 1, "COFINS - Retida", reais(federal.cofins)),
            Campo::novo(2, 1, "Outras Retenções", reais(federal.outras_retencoes)),
        ]);
    }
}

pub(super) fn ibs_cbs(quadro: &mut Quadro, grupo: &IbsCbs) {
    let rate = |valor: Option<Decimal>| percentual(valor);
    quadro.reservar(4.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO IBS / CBS"),
        Campo::novo(
            1,
            1,
            "CST / cClassTrib",
            juntar(&[&grupo.cst, &grupo.classificacao]),
        ),
        Campo::novo(
            2,
            2,
            "Indicador de Operação / Código IBGE Incidência / Município Incidência / Sigla UF",
            juntar(&[
                &grupo.indicador_operacao,
                &grupo.incidencia.codigo,
                &grupo.incidencia.nome,
                &grupo.incidencia.uf,
            ]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(
            0,
            1,
            "Exclusões e Reduções da Base de Cálculo",
            reais(grupo.exclusoes),
        ),
        Campo::novo(
            1,
            1,
            "Base de Cálculo Após Exclusões e Reduções",
            reais(grupo.base_calculo),
        ),
        Campo::novo(
            2,
            1,
            "Red. Alíquota IBS (UF / Mun) / Red. Alíquota CBS",
            juntar(&[
                &rate(grupo.reducao_uf),
                &rate(grupo.reducao_municipio),
                &rate(grupo.reducao_cbs),
            ]),
        ),
        Campo::novo(
            3,
            1,
            "Alíquota - IBS UF / IBS Mun",
            juntar(&[&rate(grupo.aliquota_uf), &rate(grupo.aliquota_municipio)]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(
            0,
            1,
            "Alíq. Efetiva Municipal - IBS",
            rate(grupo.efetiva_municipio),
        ),
        Campo::novo(
            1,
            1,
            "Valor Apurado Municipal - IBS",
            reais(grupo.valor_municipio),
        ),
        Campo::novo(2, 1, "Alíq. Efetiva Estadual - IBS", rate(grupo.efetiva_uf)),
        Campo::novo(3, 1, "Valor Apurado Estadual - IBS", reais(grupo.valor_uf)),
    ]);
    quadro.campos(&[
        Campo::novo(0, 1, "Valor Total Apurado - IBS", reais(grupo.valor_ibs)),
        Campo::novo(1, 1, "Alíquota - CBS", rate(grupo.aliquota_cbs)),
        Campo::novo(2, 1, "Alíquota Efetiva - CBS", rate(grupo.efetiva_cbs)),
        Campo::novo(3, 1, "Valor Total Apurado - CBS", reais(grupo.valor_cbs)),
    ]);
}
