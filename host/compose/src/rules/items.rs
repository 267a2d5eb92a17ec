//! Rules of the items: tables, directions, regimes.

use crate::context::{Contexto, Onde};
use data::cfop::{Ambito, Cfop};
use data::situations::{Codigos, Sentido};
use fiscal::nfe::order::{Destino, Finalidade, IndicadorIe, Item, TipoOperacao};
use markup::tree::Elemento;

/// CFOPs of an NFC-e (MOC, I08; rejection 725).
const CFOP_NFCE: [u16; 9] = [5101, 5102, 5103, 5104, 5115, 5405, 5656, 5667, 5933];
/// Situations with the tax charged by substitution in this very note.
const COM_ST: [&str; 7] = ["10", "30", "70", "201", "202", "203", "15"];

pub(super) fn items(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    let dets = raiz
        .lista()
        .iter()
        .filter(|elemento| elemento.nome == "det");
    let pedido = ctx.pedido;
    for (i, (item, det)) in pedido.itens.iter().zip(dets).enumerate() {
        let onde = Onde::lista("itens", i);
        let servico = det.caminho(&["imposto", "ISSQN"]).is_some();
        if servico {
            inscricao_municipal(ctx, i, raiz);
        }
        ncm(ctx, onde, det, servico);
        cfop(ctx, onde, item, det, servico);
        let situacao = situacao(det);
        regime(ctx, onde, situacao);
        if ctx.nfce() {
            super::nfce::situacao(ctx, onde, situacao);
        }
        cest(ctx, onde, item, situacao);
        contribuicoes(ctx, onde, det);
        enquadramento(ctx, onde, det);
        combustivel(ctx, onde, item);
        cbenef(ctx, onde, item);
        devolucao(ctx, onde, item);
    }
}

/// Who performs a service has a municipal registration: told once, where it
/// is to be corrected.
fn inscricao_municipal(ctx: &mut Contexto<'_>, i: usize, raiz: &Elemento) {
    if raiz.valor(&["emit", "IM"]).is_some() {
        return;
    }
    ctx.erro(
        Onde::raiz("perfil_fiscal").em("im"),
        "perfil_fiscal_incompleto",
        format!(
            "itens[{i}] tem ISSQN e o perfil fiscal do emitente não tem inscrição municipal (rejeição 530)."
        ),
        "Informe im em PUT /api/v1/emitters/{id}/fiscal-profile, ou retire o grupo issqn do item.",
    );
}

/// CST or CSOSN, as the tree has it.
fn situacao(det: &Elemento) -> &str {
    let grupo = det
        .caminho(&["imposto", "ICMS"])
        .and_then(|icms| icms.lista().first());
    grupo
        .and_then(|grupo| grupo.valor(&["CST"]).or_else(|| grupo.valor(&["CSOSN"])))
        .unwrap_or_default()
}

fn ncm(ctx: &mut Contexto<'_>, onde: Onde<'_>, det: &Elemento, servico: bool) {
    let ncm = det.valor(&["prod", "NCM"]).unwrap_or_default();
    let dia = ctx.dados.dh_emi.date();
    // Two zeros: services and adjustments (I05-24). Eight: what has no code
    // (I05-20).
    let sem_codigo = match ncm {
        "00" => servico || ctx.finalidade == Finalidade::Ajuste,
        "00000000" => true,
        _ => false,
    };
    if ncm.is_empty() || sem_codigo || data::ncm::valido(ncm, dia) {
        return;
    }
    ctx.campos.add_value(
        onde.em("ncm").to_string(),
        "ncm_inexistente",
        ncm,
        "NCM inexistente na tabela vigente na data de emissão (rejeição 778).",
        "Confira o código na tabela NCM vigente (Siscomex); serviços usam \"00\" com o grupo issqn, o que não tem código usa \"00000000\".",
    );
}

fn cfop(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item, det: &Elemento, servico: bool) {
    let texto = det.valor(&["prod", "CFOP"]).unwrap_or_default();
    if texto.is_empty() {
        return;
    }
    let onde = onde.em("cfop");
    let Some(cfop) = data::cfop::por_texto(texto) else {
        ctx.campos.add_value(
            onde.to_string(),
            "cfop_inexistente",
            texto,
            "CFOP inexistente.",
            "Confira o código na tabela de CFOP.",
        );
        return;
    };
    if let Some((codigo, mensagem, correcao)) = incoerencia(ctx, cfop, item, servico) {
        ctx.campos
            .add_value(onde.to_string(), codigo, texto, mensagem, correcao);
    }
}

/// What is wrong with a CFOP that exists, if anything.
fn incoerencia(
    ctx: &Contexto<'_>,
    cfop: &Cfop,
    item: &Item,
    servico: bool,
) -> Option<(&'static str, &'static str, &'static str)> {
    let entrada = ctx.operacao == TipoOperacao::Entrada;
    if cfop.is_entrada() != entrada {
        return Some((
            "cfop_sentido",
            "O CFOP é de entrada em nota de saída, ou o contrário (rejeições 518 e 519).",
            "Entrada usa 1, 2 ou 3 no início; saída usa 5, 6 ou 7.",
        ));
    }
    let ambito = match ctx.destino {
        Destino::Interna => Ambito::Interna,
        Destino::Interestadual => Ambito::Interestadual,
        Destino::Exterior => Ambito::Exterior,
    };
    if cfop.ambito() != ambito {
        return Some((
            "cfop_ambito",
            "O CFOP não é do mesmo âmbito (interno, interestadual, exterior) da operação (rejeições 731 a 733).",
            "Corrija o CFOP, o endereço do destinatário ou destino_operacao.",
        ));
    }
    if ctx.nfce() && !CFOP_NFCE.contains(&cfop.codigo) {
        return Some((
            "cfop_na_nfce",
            "A NFC-e não admite este CFOP (rejeição 725).",
            "Use 5101, 5102, 5103, 5104, 5115, 5405, 5656, 5667 ou 5933, ou emita NF-e.",
        ));
    }
    let devolve = ctx.finalidade == Finalidade::Devolucao;
    // Who is no taxpayer gives back without a CFOP of its own (I08-140).
    let sem_proprio =
        matches!(cfop.codigo, 1949 | 2949) && ctx.indicador_ie == IndicadorIe::NaoContribuinte;
    if devolve && !cfop.is_devolucao() && !sem_proprio {
        return Some((
            "cfop_de_devolucao",
            "O CFOP não é de devolução (rejeição 327).",
            "Use o CFOP de devolução da operação original.",
        ));
    }
    if !devolve && cfop.is_devolucao() && ctx.finalidade == Finalidade::Normal {
        return Some((
            "cfop_de_devolucao",
            "CFOP de devolução em nota com outra finalidade (rejeição 328).",
            "Informe finalidade devolucao ou outro CFOP.",
        ));
    }
    if cfop.is_combustivel() && item.combustivel.is_none() && cfop.codigo != 5929 {
        return Some((
            "combustivel_obrigatorio",
            "O CFOP é de combustível e falta o grupo combustivel (rejeição 660).",
            "Informe combustivel.codigo_anp e uf_consumo.",
        ));
    }
    if servico && matches!(cfop.codigo, 5101..=5105 | 6101..=6108) {
        return Some((
            "cfop_de_servico",
            "Serviço (issqn) com CFOP de venda de mercadoria.",
            "Use 5933 ou 6933.",
        ));
    }
    if ctx.nfce() && !servico && cfop.codigo == 5933 {
        return Some((
            "cfop_de_servico",
            "CFOP de serviço em item sem o grupo issqn (rejeição 374).",
            "Informe issqn, ou o CFOP da venda.",
        ));
    }
    None
}

/// CSOSN belongs to CRT 1 and 4, CST to 2 and 3; fuels taxed once have a CST
/// in every regime (NT 2023.001; rejections 590 and 591).
fn regime(ctx: &mut Contexto<'_>, onde: Onde<'_>, situacao: &str) {
    let mono = matches!(situacao, "02" | "15" | "53" | "61");
    if situacao.is_empty() || mono {
        return;
    }
    let csosn = situacao.len() == 3;
    let impostos = onde.em("impostos");
    let icms = impostos.em("icms");
    if csosn && !ctx.emitente.regime.usa_csosn() {
        ctx.erro(
            icms.em("csosn"),
            "csosn_indevido",
            "CSOSN é para Simples Nacional e MEI (rejeição 591).",
            "Informe cst, ou corrija o regime no perfil fiscal.",
        );
    }
    if !csosn && ctx.emitente.regime.usa_csosn() {
        ctx.erro(
            icms.em("cst"),
            "cst_indevido",
            "Emitente do Simples Nacional ou MEI usa CSOSN (rejeição 590).",
            "Informe csosn, ou corrija o regime no perfil fiscal.",
        );
    }
}

fn cest(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item, situacao: &str) {
    let onde = onde.em("cest");
    let Some(texto) = ctx.codigo(item.cest.as_deref()) else {
        if COM_ST.contains(&situacao) && ctx.finalidade == Finalidade::Normal {
            ctx.erro(
                onde,
                "obrigatorio",
                "Falta o CEST: o item tem ICMS por substituição tributária (rejeição 806).",
                "Informe o CEST do produto (Convênio ICMS 142/2018).",
            );
        }
        return;
    };
    let Some(cest) = data::cest::get(&texto) else {
        // The table is of 2019: later codes are not in it.
        ctx.aviso(
            onde,
            "CEST fora da tabela que o hub conhece: confira o código.",
        );
        return;
    };
    let ncm = ctx.codigo(item.ncm.as_deref()).unwrap_or_default();
    if !cest.abrange(&ncm) {
        ctx.aviso(
            onde,
            "A tabela não relaciona este CEST com o NCM do item: confira os dois.",
        );
    }
}

/// CST of IPI, PIS and COFINS that are for the other direction.
fn contribuicoes(ctx: &mut Contexto<'_>, onde: Onde<'_>, det: &Elemento) {
    let impostos = onde.em("impostos");
    let entrada = ctx.operacao == TipoOperacao::Entrada;
    for (grupo, campo, tabela) in [
        ("IPI", "ipi", Codigos::Ipi),
        ("PIS", "pis", Codigos::PisCofins),
        ("COFINS", "cofins", Codigos::PisCofins),
    ] {
        let Some(cst) = det
            .caminho(&["imposto", grupo])
            .and_then(|grupo| grupo.lista().iter().find_map(|filho| filho.valor(&["CST"])))
        else {
            continue;
        };
        let onde = impostos.em(campo);
        let onde = onde.em("cst");
        match tabela.get(cst) {
            None => ctx.campos.add_value(
                onde.to_string(),
                "cst_inexistente",
                cst,
                format!("CST de {grupo} inexistente."),
                "Confira a tabela de situações tributárias.",
            ),
            Some(situacao) => {
                let outro = match situacao.sentido {
                    Some(Sentido::Entrada) => !entrada,
                    Some(Sentido::Saida) => entrada,
                    None => false,
                };
                // A return carries the situation of what it undoes.
                if outro && ctx.finalidade == Finalidade::Normal {
                    ctx.aviso(
                        onde,
                        format!(
                            "O CST {cst} de {grupo} é da operação contrária (entrada ou saída)."
                        ),
                    );
                }
            }
        }
    }
}

/// `cEnq` of an exemption, an immunity or a suspension of IPI says which one
/// (rejection 388; MOC, table of `cEnq`).
fn enquadramento(ctx: &mut Contexto<'_>, onde: Onde<'_>, det: &Elemento) {
    let Some(ipi) = det.caminho(&["imposto", "IPI"]) else {
        return;
    };
    let cst = ipi.lista().iter().find_map(|filho| filho.valor(&["CST"]));
    let (faixa, o_que) = match cst.unwrap_or_default() {
        "02" | "52" => (301..=399, "isenção, de 301 a 399"),
        "04" | "54" => (1..=99, "imunidade, de 001 a 099"),
        "05" | "55" => (101..=199, "suspensão, de 101 a 199"),
        _ => return,
    };
    let codigo = ipi.valor(&["cEnq"]).unwrap_or_default();
    if codigo
        .parse::<u16>()
        .is_ok_and(|lido| faixa.contains(&lido))
    {
        return;
    }
    let impostos = onde.em("impostos");
    let ipi = impostos.em("ipi");
    ctx.campos.add_value(
        ipi.em("enquadramento").to_string(),
        "enquadramento_incompativel",
        codigo,
        "O enquadramento do IPI não é da situação tributária informada (rejeição 388).",
        format!("Informe o código da {o_que}."),
    );
}

fn combustivel(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) {
    let Some(combustivel) = &item.combustivel else {
        return;
    };
    let onde = onde.em("combustivel");
    if let Some(codigo) = ctx.codigo(combustivel.codigo_anp.as_deref())
        && data::anp::get(&codigo).is_none()
    {
        // The copy of the table is of 2023 and a part of the official one.
        ctx.aviso(
            onde.em("codigo_anp"),
            "Código ANP fora da tabela que o hub conhece: confira o código.",
        );
    }
}

fn cbenef(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) {
    let Some(codigo) = item.cbenef.as_deref().map(str::trim) else {
        return;
    };
    let uf = ctx.uf.sigla;
    if codigo != "SEM CBENEF"
        && data::cbenef::tem_tabela(uf)
        && data::cbenef::get(uf, codigo).is_none()
    {
        ctx.aviso(
            onde.em("cbenef"),
            format!("Código de benefício fora da tabela de {uf} que o hub conhece."),
        );
    }
}

fn devolucao(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) {
    if item.devolucao.is_some() && ctx.finalidade != Finalidade::Devolucao && !ctx.nfce() {
        ctx.erro(
            onde.em("devolucao"),
            "devolucao_indevida",
            "Grupo de devolução de tributos em nota com outra finalidade (rejeição 354).",
            "Informe finalidade devolucao ou retire o grupo.",
        );
    }
}
