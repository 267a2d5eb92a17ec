//! `pag`.

use crate::arithmetic::{f2, plus, r2};
use crate::assembly::parties;
use crate::context::{Context, Place};
use fiscal::nfe::order::{Cartao, Finalidade, Forma, Pagamento};
use markup::tree::Node;
use rust_decimal::Decimal;

const MAX_PAYMENTS: usize = 100;

/// `pag`, and the change.
pub(super) fn pag(ctx: &mut Context<'_>, total: Decimal) -> (Node, Decimal) {
    let request = ctx.request;
    let mut pag = Node::group("pag");
    let place = Place::root("pagamentos");
    if request.pagamentos.len() > MAX_PAYMENTS {
        ctx.error(
            place,
            "limite",
            "São no máximo 100 pagamentos.",
            "Agrupe os pagamentos.",
        );
        return (pag, Decimal::ZERO);
    }
    // MOC YA02: what moves no money says so.
    let without = matches!(
        ctx.purpose,
        Finalidade::Ajuste
            | Finalidade::Devolucao
            | Finalidade::NotaCredito
            | Finalidade::NotaDebito
    );
    if request.pagamentos.is_empty() {
        if !without && !ctx.values_only() {
            ctx.missing(
                place,
                "Informe ao menos um pagamento (forma \"sem_pagamento\" se não houver).",
            );
        }
        let empty = Node::group("detPag")
            .with("tPag", Forma::SemPagamento.codigo())
            .with("vPag", "0.00");
        return (pag.child(empty), Decimal::ZERO);
    }
    let mut paid = Decimal::ZERO;
    let mut without_payment = false;
    for (i, payment) in request.pagamentos.iter().enumerate() {
        let place = Place::list("pagamentos", i);
        let (det, value) = one(ctx, place, payment);
        paid = plus(paid, value);
        without_payment |= payment.forma == Some(Forma::SemPagamento);
        pag.put(det);
    }
    let change = change(ctx, paid, total, without_payment);
    if !change.is_zero() || request.troco.is_some() && paid == total {
        pag.put(Node::field("vTroco", f2(change)));
    }
    (pag, change)
}

fn one(ctx: &mut Context<'_>, place: Place<'_>, payment: &Pagamento) -> (Node, Decimal) {
    let Some(form) = payment.forma else {
        ctx.missing(place.at("forma"), "Informe a forma de pagamento.");
        return (Node::group("detPag"), Decimal::ZERO);
    };
    let value = match form {
        Forma::SemPagamento => ctx
            .optional(place.at("valor"), payment.valor)
            .unwrap_or_default(),
        _ => ctx.number(place.at("valor"), payment.valor),
    };
    let value = r2(value);
    let description = ctx.text(place.at("descricao"), payment.descricao.as_deref(), 60);
    if form == Forma::Outros && description.is_none() {
        // Rejection 441.
        ctx.missing(
            place.at("descricao"),
            "Diga em descricao qual é o outro meio de pagamento.",
        );
    }
    let payer = payment.cnpj_pagador.as_deref();
    let payer = parties::cnpj(ctx, place.at("cnpj_pagador"), "CNPJPag", payer);
    let uf = payment
        .uf_pagador
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase());
    let uf = uf.filter(|_| payer.is_some());
    let det = Node::group("detPag")
        .with("tPag", form.codigo())
        .with_if("xPag", description.filter(|_| form == Forma::Outros))
        .with("vPag", f2(value))
        .child_if(payer)
        .with_if("UFPag", uf);
    let empty = Cartao::default();
    let card_data = match &payment.cartao {
        Some(card_data) => Some(card_data),
        // YA04: cards and instant payments say at least that they are not
        // integrated.
        None => matches!(
            form,
            Forma::CartaoCredito | Forma::CartaoDebito | Forma::PixDinamico
        )
        .then_some(&empty),
    };
    let card_data = card_data.map(|given| card(ctx, place.at("cartao"), given));
    (det.child_if(card_data), value)
}

fn card(ctx: &mut Context<'_>, place: Place<'_>, given: &Cartao) -> Node {
    let acquirer = parties::cnpj(
        ctx,
        place.at("cnpj_credenciadora"),
        "CNPJ",
        given.cnpj_credenciadora.as_deref(),
    );
    let receiver = parties::cnpj(
        ctx,
        place.at("cnpj_recebedor"),
        "CNPJReceb",
        given.cnpj_recebedor.as_deref(),
    );
    let authorization = ctx.text(place.at("autorizacao"), given.autorizacao.as_deref(), 128);
    let terminal = ctx.text(place.at("terminal"), given.terminal.as_deref(), 40);
    Node::group("card")
        .with(
            "tpIntegra",
            if given.integrado == Some(true) {
                "1"
            } else {
                "2"
            },
        )
        .child_if(acquirer)
        .with_if("tBand", given.bandeira.as_deref().map(str::trim))
        .with_if("cAut", authorization)
        .child_if(receiver)
        .with_if("idTermPag", terminal)
}

/// Is some of it paid later (exception of YA03-10, NT 2025.001)?
fn later(ctx: &Context<'_>) -> bool {
    let mut forms = ctx.request.pagamentos.iter().map(|p| p.forma);
    forms.any(|form| form == Some(Forma::PagamentoPosterior))
}

/// Checks what was paid against the total (rejections 865, 866, 869). Paid
/// less is for the states to refuse an NF-e: a rural sale is paid without what
/// the buyer withholds (Funrural).
fn change(ctx: &mut Context<'_>, paid: Decimal, total: Decimal, without_payment: bool) -> Decimal {
    let place = Place::root("pagamentos");
    let stated = ctx.request.troco;
    let stated = ctx.optional(Place::root("troco"), stated).map(r2);
    if without_payment {
        if !paid.is_zero() {
            ctx.error(
                place,
                "pagamento_indevido",
                "\"sem_pagamento\" (90) não leva valor nem se junta a outras formas.",
                "Informe só essa forma, com valor zero, ou retire-a.",
            );
        }
        return Decimal::ZERO;
    }
    let surplus = paid - total;
    let missing = surplus.is_sign_negative() && !surplus.is_zero();
    // Amounts alone may be paid in part: then there is no change (869).
    if ctx.values_only() && missing && stated.is_none_or(|stated| stated.is_zero()) {
        return Decimal::ZERO;
    }
    if missing && !ctx.nfce() && stated.is_none_or(|stated| stated.is_zero()) {
        if !later(ctx) {
            ctx.aviso(
                place,
                format!(
                    "A soma dos pagamentos ({paid}) é menor que o total da nota ({}): alguns estados rejeitam (865).",
                    f2(total)
                ),
            );
        }
        return Decimal::ZERO;
    }
    if missing {
        ctx.error(
            place,
            "pagamento_menor_que_total",
            format!(
                "A soma dos pagamentos ({paid}) é menor que o total da nota ({}).",
                f2(total)
            ),
            "Complete os pagamentos ou confira os valores dos itens.",
        );
        return Decimal::ZERO;
    }
    match stated {
        Some(stated) if stated != surplus => {
            let expected = f2(surplus);
            ctx.fields.add_value(
                "troco",
                "valor_divergente",
                &stated.to_string(),
                format!("O troco deve ser a diferença entre pagamentos e total: {expected}."),
                format!("Informe {expected} ou omita o campo."),
            );
            surplus
        }
        _ => surplus,
    }
}
