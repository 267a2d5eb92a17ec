//! Amounts of an item before taxes: quantities, gross value, its part of the
//! note's freight, insurance, charges and discount.

use crate::arithmetic::{dec, mais, r2, rateio, vezes};
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Destino, Item, Numero, TipoOperacao};
use rust_decimal::Decimal;

/// Origins of goods (Ajuste SINIEF 20/2012).
const ORIGENS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];

/// Reais, two decimals.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Valores {
    pub prod: Decimal,
    pub frete: Decimal,
    pub seguro: Decimal,
    pub desconto: Decimal,
    pub outro: Decimal,
}

impl Valores {
    /// Value of the operation: goods, freight, insurance and charges, less
    /// the discount (LC 87/1996 art. 13 §1 II).
    pub fn operacao(&self) -> Decimal {
        let soma = [
            self.prod,
            self.frete,
            self.seguro,
            self.outro,
            -self.desconto,
        ]
        .into_iter()
        .fold(Decimal::ZERO, mais);
        soma.max(Decimal::ZERO)
    }
}

/// An item with what the taxes need to know of it.
pub(super) struct Linha<'a> {
    pub item: &'a Item,
    pub onde: Onde<'a>,
    pub valores: Valores,
    pub compoe_total: bool,
    pub servico: bool,
    pub origem: &'static str,
    pub quantidade: Decimal,
    pub unitario: Decimal,
    pub quantidade_tributavel: Decimal,
    /// Goods that come from abroad in this very operation.
    pub importacao: bool,
    pub despesas_aduaneiras: Decimal,
}

/// Amounts of all items, with the note's own shared out.
pub(super) fn valores(ctx: &mut Contexto<'_>) -> Vec<Valores> {
    let pedido = ctx.pedido;
    let mut todos: Vec<Valores> = pedido
        .itens
        .iter()
        .enumerate()
        .map(|(i, item)| do_item(ctx, Onde::lista("itens", i), item))
        .collect();
    let compoem: Vec<bool> = pedido
        .itens
        .iter()
        .map(|item| item.compoe_total.unwrap_or(true))
        .collect();
    type Parte = fn(&mut Valores) -> &mut Decimal;
    let partes: [(&'static str, Option<Numero>, Parte); 4] = [
        ("desconto", pedido.desconto, |v| &mut v.desconto),
        ("frete", pedido.frete, |v| &mut v.frete),
        ("seguro", pedido.seguro, |v| &mut v.seguro),
        ("outras_despesas", pedido.outras_despesas, |v| &mut v.outro),
    ];
    for (nome, total, parte) in partes {
        let onde = Onde::raiz(nome);
        let Some(total) = ctx
            .opcional(onde, total)
            .map(r2)
            .filter(|total| !total.is_zero())
        else {
            continue;
        };
        let pesos: Vec<Decimal> = todos
            .iter()
            .zip(&compoem)
            .map(|(v, compoe)| match compoe {
                true => (v.prod - v.desconto).max(Decimal::ZERO),
                false => Decimal::ZERO,
            })
            .collect();
        let soma = pesos
            .iter()
            .fold(Decimal::ZERO, |soma, peso| mais(soma, *peso));
        if soma.is_zero() || (nome == "desconto" && total > soma) {
            ctx.erro(
                onde,
                "rateio_impossivel",
                "O valor da nota não cabe nos itens que compõem o total.",
                "Informe um valor menor, ou informe-o item a item.",
            );
            continue;
        }
        for (v, valor) in todos.iter_mut().zip(rateio(total, &pesos)) {
            *parte(v) = mais(*parte(v), valor);
        }
    }
    for (i, v) in todos.iter().enumerate() {
        if v.desconto > v.prod {
            let itens = Onde::lista("itens", i);
            ctx.erro(
                itens.em("desconto"),
                "desconto_maior_que_valor",
                "O desconto é maior que o valor do item.",
                "Reduza o desconto.",
            );
        }
    }
    todos
}

fn do_item(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> Valores {
    let produto = vezes(
        dec(item.quantidade).unwrap_or_default(),
        dec(item.valor_unitario).unwrap_or_default(),
    );
    let prod = ctx.conferido(onde.em("valor_bruto"), item.valor_bruto, r2(produto));
    let mut parte = |nome, valor| {
        ctx.opcional(onde.em(nome), valor)
            .map(r2)
            .unwrap_or_default()
    };
    Valores {
        prod,
        frete: parte("frete", item.frete),
        seguro: parte("seguro", item.seguro),
        desconto: parte("desconto", item.desconto),
        outro: parte("outras_despesas", item.outras_despesas),
    }
}

/// Puts the line of an item together.
pub(super) fn line<'l>(
    ctx: &mut Contexto<'_>,
    onde: Onde<'l>,
    item: &'l Item,
    valores: Valores,
) -> Linha<'l> {
    let quantidade = ctx.numero(onde.em("quantidade"), item.quantidade);
    let unitario = ctx.numero(onde.em("valor_unitario"), item.valor_unitario);
    let tributavel = ctx.opcional(onde.em("quantidade_tributavel"), item.quantidade_tributavel);
    let padrao = ctx.emitente.padroes.origem.as_deref();
    let origem = item.origem.as_deref().or(padrao).unwrap_or("0").trim();
    let conhecida = ORIGENS.into_iter().find(|codigo| *codigo == origem);
    if conhecida.is_none() {
        ctx.campos.add_value(
            onde.em("origem").to_string(),
            "origem_invalida",
            origem,
            "Origem da mercadoria inexistente.",
            "Informe um dígito de 0 a 8.",
        );
    }
    let impostos = item.impostos.as_ref();
    Linha {
        item,
        onde,
        valores,
        compoe_total: item.compoe_total.unwrap_or(true),
        servico: impostos.is_some_and(|impostos| impostos.issqn.is_some()),
        origem: conhecida.unwrap_or("0"),
        quantidade,
        unitario,
        quantidade_tributavel: tributavel.unwrap_or(quantidade),
        importacao: ctx.destino == Destino::Exterior && ctx.operacao == TipoOperacao::Entrada,
        despesas_aduaneiras: impostos
            .and_then(|impostos| impostos.ii.as_ref())
            .and_then(|ii| dec(ii.despesas_aduaneiras))
            .unwrap_or_default(),
    }
}
