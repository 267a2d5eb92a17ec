//! Codes people punctuate: masks come off, but what has nothing beside masks,
//! or letters and digits of another script, is no code. It would be left out
//! without a word, and a default would stand in its place.

use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Endereco, Item};

pub(super) fn codes(ctx: &mut Contexto<'_>) {
    let pedido = ctx.pedido;
    let quem = ctx.onde_recebedor();
    if let Some(pessoa) = pedido.recebedor().1 {
        codigo(ctx, quem.em("suframa"), pessoa.suframa.as_deref());
        telefone(ctx, quem.em("telefone"), pessoa.telefone.as_deref());
        endereco(ctx, quem, pessoa.endereco.as_ref());
    }
    for (nome, local) in [("retirada", &pedido.retirada), ("entrega", &pedido.entrega)] {
        if let Some(local) = local {
            let onde = Onde::raiz(nome);
            telefone(ctx, onde.em("telefone"), local.telefone.as_deref());
            endereco(ctx, onde, local.endereco.as_ref());
        }
    }
    if let Some(responsavel) = &pedido.responsavel_tecnico {
        let onde = Onde::raiz("responsavel_tecnico");
        telefone(ctx, onde.em("telefone"), responsavel.telefone.as_deref());
    }
    if let Some(transporte) = &pedido.transporte {
        let onde = Onde::raiz("transporte");
        if let Some(veiculo) = &transporte.veiculo {
            let onde = onde.em("veiculo");
            codigo(ctx, onde.em("placa"), veiculo.placa.as_deref());
        }
        for (i, reboque) in transporte.reboques.iter().enumerate() {
            let onde = onde.n("reboques", i);
            codigo(ctx, onde.em("placa"), reboque.placa.as_deref());
        }
    }
    for (i, um) in pedido.itens.iter().enumerate() {
        item(ctx, Onde::lista("itens", i), um);
    }
}

fn endereco(ctx: &mut Contexto<'_>, onde: Onde<'_>, endereco: Option<&Endereco>) {
    let onde = onde.em("endereco");
    codigo(
        ctx,
        onde.em("cep"),
        endereco.and_then(|endereco| endereco.cep.as_deref()),
    );
}

fn item(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) {
    for (nome, texto) in [
        ("ncm", &item.ncm),
        ("cest", &item.cest),
        ("ex_tipi", &item.ex_tipi),
        ("cfop", &item.cfop),
        ("recopi", &item.recopi),
    ] {
        codigo(ctx, onde.em(nome), texto.as_deref());
    }
    if let Some(combustivel) = &item.combustivel {
        let onde = onde.em("combustivel");
        codigo(
            ctx,
            onde.em("codigo_anp"),
            combustivel.codigo_anp.as_deref(),
        );
        codigo(ctx, onde.em("codif"), combustivel.codif.as_deref());
    }
}

fn codigo(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>) {
    confere(ctx, onde, texto, |c| c.is_ascii_alphanumeric());
}

fn telefone(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>) {
    confere(ctx, onde, texto, |c| c.is_ascii_digit());
}

/// Blank counts as absent.
fn confere(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>, serve: fn(char) -> bool) {
    let Some(texto) = texto.filter(|texto| !texto.trim().is_empty()) else {
        return;
    };
    let de_fora = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if !texto.chars().any(serve) || texto.chars().any(de_fora) {
        ctx.campos.add_value(
            onde.to_string(),
            "codigo_invalido",
            texto,
            "O campo não tem os dígitos de um código.",
            "Informe os dígitos, de 0 a 9, ou omita o campo.",
        );
    }
}
