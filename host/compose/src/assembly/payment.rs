//! `pag`.

use crate::arithmetic::{f2, mais, r2};
use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Cartao, Finalidade, Forma, Pagamento};
use markup::tree::Elemento;
use rust_decimal::Decimal;

const MAX_PAGAMENTOS: usize = 100;

/// `pag`, and the change.
pub(super) fn pag(ctx: &mut Contexto<'_>, total: Decimal) -> (Elemento, Decimal) {
    let pedido = ctx.pedido;
    let mut pag = Elemento::grupo("pag");
    let onde = Onde::raiz("pagamentos");
    if pedido.pagamentos.len() > MAX_PAGAMENTOS {
        ctx.erro(
            onde,
            "limite",
            "São no máximo 100 pagamentos.",
            "Agrupe os pagamentos.",
        );
        return (pag, Decimal::ZERO);
    }
    // MOC YA02: what moves no money says so.
    let sem = matches!(
        ctx.finalidade,
        Finalidade::Ajuste
            | Finalidade::Devolucao
            | Finalidade::NotaCredito
            | Finalidade::NotaDebito
    );
    if pedido.pagamentos.is_empty() {
        if !sem && !ctx.so_valores() {
            ctx.falta(
                onde,
                "Informe ao menos um pagamento (forma \"sem_pagamento\" se não houver).",
            );
        }
        let vazio = Elemento::grupo("detPag")
            .com("tPag", Forma::SemPagamento.codigo())
            .com("vPag", "0.00");
        return (pag.filho(vazio), Decimal::ZERO);
    }
    let mut pago = Decimal::ZERO;
    let mut sem_pagamento = false;
    for (i, pagamento) in pedido.pagamentos.iter().enumerate() {
        let onde = Onde::lista("pagamentos", i);
        let (det, valor) = um(ctx, onde, pagamento);
        pago = mais(pago, valor);
        sem_pagamento |= pagamento.forma == Some(Forma::SemPagamento);
        pag.poe(det);
    }
    let troco = troco(ctx, pago, total, sem_pagamento);
    if !troco.is_zero() || pedido.troco.is_some() && pago == total {
        pag.poe(Elemento::campo("vTroco", f2(troco)));
    }
    (pag, troco)
}

fn um(ctx: &mut Contexto<'_>, onde: Onde<'_>, pagamento: &Pagamento) -> (Elemento, Decimal) {
    let Some(forma) = pagamento.forma else {
        ctx.falta(onde.em("forma"), "Informe a forma de pagamento.");
        return (Elemento::grupo("detPag"), Decimal::ZERO);
    };
    let valor = match forma {
        Forma::SemPagamento => ctx
            .opcional(onde.em("valor"), pagamento.valor)
            .unwrap_or_default(),
        _ => ctx.numero(onde.em("valor"), pagamento.valor),
    };
    let valor = r2(valor);
    let descricao = ctx.texto(onde.em("descricao"), pagamento.descricao.as_deref(), 60);
    if forma == Forma::Outros && descricao.is_none() {
        // Rejection 441.
        ctx.falta(
            onde.em("descricao"),
            "Diga em descricao qual é o outro meio de pagamento.",
        );
    }
    let pagador = pagamento.cnpj_pagador.as_deref();
    let pagador = parties::cnpj(ctx, onde.em("cnpj_pagador"), "CNPJPag", pagador);
    let uf = pagamento
        .uf_pagador
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase());
    let uf = uf.filter(|_| pagador.is_some());
    let det = Elemento::grupo("detPag")
        .com("tPag", forma.codigo())
        .com_se("xPag", descricao.filter(|_| forma == Forma::Outros))
        .com("vPag", f2(valor))
        .filho_se(pagador)
        .com_se("UFPag", uf);
    let vazio = Cartao::default();
    let cartao = match &pagamento.cartao {
        Some(cartao) => Some(cartao),
        // YA04: cards and instant payments say at least that they are not
        // integrated.
        None => matches!(
            forma,
            Forma::CartaoCredito | Forma::CartaoDebito | Forma::PixDinamico
        )
        .then_some(&vazio),
    };
    let cartao = cartao.map(|dados| card(ctx, onde.em("cartao"), dados));
    (det.filho_se(cartao), valor)
}

fn card(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Cartao) -> Elemento {
    let credenciadora = parties::cnpj(
        ctx,
        onde.em("cnpj_credenciadora"),
        "CNPJ",
        dados.cnpj_credenciadora.as_deref(),
    );
    let recebedor = parties::cnpj(
        ctx,
        onde.em("cnpj_recebedor"),
        "CNPJReceb",
        dados.cnpj_recebedor.as_deref(),
    );
    let autorizacao = ctx.texto(onde.em("autorizacao"), dados.autorizacao.as_deref(), 128);
    let terminal = ctx.texto(onde.em("terminal"), dados.terminal.as_deref(), 40);
    Elemento::grupo("card")
        .com(
            "tpIntegra",
            if dados.integrado == Some(true) {
                "1"
            } else {
                "2"
            },
        )
        .filho_se(credenciadora)
        .com_se("tBand", dados.bandeira.as_deref().map(str::trim))
        .com_se("cAut", autorizacao)
        .filho_se(recebedor)
        .com_se("idTermPag", terminal)
}

/// Is some of it paid later (exception of YA03-10, NT 2025.001)?
fn posterior(ctx: &Contexto<'_>) -> bool {
    let mut formas = ctx.pedido.pagamentos.iter().map(|p| p.forma);
    formas.any(|forma| forma == Some(Forma::PagamentoPosterior))
}

/// Checks what was paid against the total (rejections 865, 866, 869). Paid
/// less is for the states to refuse an NF-e: a rural sale is paid without what
/// the buyer withholds (Funrural).
fn troco(ctx: &mut Contexto<'_>, pago: Decimal, total: Decimal, sem_pagamento: bool) -> Decimal {
    let onde = Onde::raiz("pagamentos");
    let dado = ctx.pedido.troco;
    let dado = ctx.opcional(Onde::raiz("troco"), dado).map(r2);
    if sem_pagamento {
        if !pago.is_zero() {
            ctx.erro(
                onde,
                "pagamento_indevido",
                "\"sem_pagamento\" (90) não leva valor nem se junta a outras formas.",
                "Informe só essa forma, com valor zero, ou retire-a.",
            );
        }
        return Decimal::ZERO;
    }
    let sobra = pago - total;
    let falta = sobra.is_sign_negative() && !sobra.is_zero();
    // Amounts alone may be paid in part: then there is no change (869).
    if ctx.so_valores() && falta && dado.is_none_or(|dado| dado.is_zero()) {
        return Decimal::ZERO;
    }
    if falta && !ctx.nfce() && dado.is_none_or(|dado| dado.is_zero()) {
        if !posterior(ctx) {
            ctx.aviso(
                onde,
                format!(
                    "A soma dos pagamentos ({pago}) é menor que o total da nota ({}): alguns estados rejeitam (865).",
                    f2(total)
                ),
            );
        }
        return Decimal::ZERO;
    }
    if falta {
        ctx.erro(
            onde,
            "pagamento_menor_que_total",
            format!(
                "A soma dos pagamentos ({pago}) é menor que o total da nota ({}).",
                f2(total)
            ),
            "Complete os pagamentos ou confira os valores dos itens.",
        );
        return Decimal::ZERO;
    }
    match dado {
        Some(dado) if dado != sobra => {
            let esperado = f2(sobra);
            ctx.campos.add_value(
                "troco",
                "valor_divergente",
                &dado.to_string(),
                format!("O troco deve ser a diferença entre pagamentos e total: {esperado}."),
                format!("Informe {esperado} ou omita o campo."),
            );
            sobra
        }
        _ => sobra,
    }
}
