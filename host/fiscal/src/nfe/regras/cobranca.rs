//! Groups Y and YA: invoice, instalments and integrated payment.

use crate::arvore::Elemento;
use crate::decimal;
use crate::nfe::montagem::contexto::{Contexto, Onde};
use rust_decimal::Decimal;

pub(super) fn cobranca(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    // On an NFC-e the group itself is what is wrong.
    if let Some(cobr) = raiz.busca("cobr").filter(|_| !ctx.nfce()) {
        fatura(ctx, cobr);
        parcelas(ctx, cobr);
    }
    cartoes(ctx);
}

fn valor(grupo: &Elemento, caminho: &[&str]) -> Option<Decimal> {
    decimal::ler(grupo.valor(caminho)?)
}

fn fatura(ctx: &mut Contexto<'_>, cobr: &Elemento) {
    let onde = Onde::raiz("cobranca");
    let onde = onde.em("fatura");
    for (tag, nome) in [
        ("nFat", "numero"),
        ("vOrig", "valor_original"),
        ("vLiq", "valor_liquido"),
    ] {
        if cobr.valor(&["fat", tag]).is_none() {
            ctx.erro(
                onde.em(nome),
                "obrigatorio",
                format!("A cobrança leva o campo {nome} da fatura (rejeição 905)."),
                "Informe numero, valor_original e, se houver, desconto da fatura.",
            );
        }
    }
    let Some(original) = valor(cobr, &["fat", "vOrig"]) else {
        return;
    };
    let desconto = valor(cobr, &["fat", "vDesc"]).unwrap_or_default();
    if desconto > original {
        ctx.erro(
            onde.em("desconto"),
            "valor_divergente",
            "O desconto da fatura é maior que o valor original (rejeição 901).",
            "Confira desconto e valor_original.",
        );
        return;
    }
    let liquido = original - desconto;
    if valor(cobr, &["fat", "vLiq"]).is_some_and(|dado| dado != liquido) {
        ctx.erro(
            onde.em("valor_liquido"),
            "valor_divergente",
            format!(
                "O valor líquido da fatura é o original menos o desconto: {liquido} (rejeição 902)."
            ),
            "Corrija o valor ou omita valor_liquido.",
        );
    }
}

fn parcelas(ctx: &mut Contexto<'_>, cobr: &Elemento) {
    let onde = Onde::raiz("cobranca");
    let emissao = ctx.dados.dh_emi.date().to_string();
    let (mut soma, mut antes, mut quantas) = (Decimal::ZERO, emissao.clone(), 0);
    for parcela in cobr.lista().iter().filter(|filho| filho.nome == "dup") {
        let onde = onde.n("duplicatas", quantas);
        quantas += 1;
        soma = soma.saturating_add(valor(parcela, &["vDup"]).unwrap_or_default());
        // Dates of one form compare as texts.
        let vence = parcela.valor(&["dVenc"]).unwrap_or_default().to_owned();
        if vence < emissao {
            ctx.erro(
                onde.em("vencimento"),
                "vencimento_invalido",
                "A parcela vence no dia da emissão ou depois (rejeição 900).",
                "Informe o vencimento, AAAA-MM-DD.",
            );
        } else if vence < antes {
            ctx.erro(
                onde.em("vencimento"),
                "vencimento_invalido",
                "A parcela vence antes da anterior (rejeição 850).",
                "Ordene as parcelas por vencimento.",
            );
        } else {
            antes = vence;
        }
    }
    if let Some(liquido) = valor(cobr, &["fat", "vLiq"])
        && quantas > 0
        && soma != liquido
    {
        ctx.erro(
            onde.em("duplicatas"),
            "valor_divergente",
            format!(
                "As parcelas somam {soma}; o valor líquido da fatura é {liquido} (rejeição 851)."
            ),
            "Corrija os valores das parcelas ou os da fatura.",
        );
    }
}

/// A payment that is integrated with the till says by whom and by which
/// authorization.
fn cartoes(ctx: &mut Contexto<'_>) {
    let vazio = |texto: &Option<String>| texto.as_deref().is_none_or(|t| t.trim().is_empty());
    let pedido = ctx.pedido;
    for (i, pagamento) in pedido.pagamentos.iter().enumerate() {
        let Some(cartao) = &pagamento.cartao else {
            continue;
        };
        if cartao.integrado != Some(true) {
            continue;
        }
        let onde = Onde::lista("pagamentos", i);
        let onde = onde.em("cartao");
        for (falta, nome) in [
            (vazio(&cartao.cnpj_credenciadora), "cnpj_credenciadora"),
            (vazio(&cartao.autorizacao), "autorizacao"),
        ] {
            if falta {
                ctx.erro(
                    onde.em(nome),
                    "obrigatorio",
                    format!("Pagamento integrado leva o campo {nome} (rejeição 392)."),
                    "Informe o campo, ou integrado false.",
                );
            }
        }
    }
}
