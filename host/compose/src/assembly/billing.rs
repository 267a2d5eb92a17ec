//! `cobr`: the invoice and its instalments.
//!
//! The authority wants the invoice whole as soon as there is an instalment
//! (rejections 851 and 905) and numbers the instalments itself: 001, 002, …
//! (rejection 852, rule Y08-10 of NT 2016.002 v1.60). What the request leaves
//! out follows from the rest; numbers of the company's own go to the text of
//! the note.

use crate::arithmetic::{f2, mais, r2};
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Duplicata, Fatura};
use markup::tree::Elemento;
use rust_decimal::Decimal;

const MAX_DUPLICATAS: usize = 120;

/// The group, for a note of this total.
pub(super) fn cobr(ctx: &mut Contexto<'_>, total: Decimal) -> Option<Elemento> {
    let dados = ctx.pedido.cobranca.as_ref()?;
    let onde = Onde::raiz("cobranca");
    if dados.fatura.is_none() && dados.duplicatas.is_empty() {
        return None;
    }
    if dados.duplicatas.len() > MAX_DUPLICATAS {
        ctx.erro(
            onde.em("duplicatas"),
            "limite",
            "São no máximo 120 duplicatas.",
            "Agrupe as parcelas.",
        );
        return None;
    }
    let mut soma = Decimal::ZERO;
    let mut parcelas = Vec::with_capacity(dados.duplicatas.len());
    for (i, duplicata) in dados.duplicatas.iter().enumerate() {
        let (parcela, valor) = dup(ctx, onde.n("duplicatas", i), i, duplicata);
        soma = mais(soma, valor);
        parcelas.push(parcela);
    }
    let soma = (!parcelas.is_empty()).then_some(soma);
    let vazia = Fatura::default();
    let fatura = dados.fatura.as_ref().unwrap_or(&vazia);
    let fat = fat(ctx, onde.em("fatura"), fatura, soma, total);
    Some(Elemento::grupo("cobr").filho(fat).filhos(parcelas))
}

/// `fat`: what is not told follows from the instalments, or from the note.
fn fat(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    fatura: &Fatura,
    parcelas: Option<Decimal>,
    total: Decimal,
) -> Elemento {
    let numero = ctx.texto(onde.em("numero"), fatura.numero.as_deref(), 60);
    let numero = numero.unwrap_or_else(|| ctx.dados.numero.to_string());
    let original = ctx
        .opcional(onde.em("valor_original"), fatura.valor_original)
        .map(r2);
    let desconto = ctx
        .opcional(onde.em("desconto"), fatura.desconto)
        .map_or(Decimal::ZERO, r2);
    let liquido = ctx
        .opcional(onde.em("valor_liquido"), fatura.valor_liquido)
        .map(r2);
    let original = original
        .or(liquido.map(|liquido| mais(liquido, desconto)))
        .or(parcelas.map(|soma| mais(soma, desconto)))
        .unwrap_or(total);
    if desconto > original {
        ctx.erro(
            onde.em("desconto"),
            "desconto_maior_que_valor",
            "O desconto da fatura passa do valor original (rejeição 901).",
            "Corrija o desconto ou o valor original.",
        );
        return Elemento::grupo("fat");
    }
    let esperado = original - desconto;
    if let Some(liquido) = liquido.filter(|liquido| *liquido != esperado) {
        let certo = f2(esperado);
        ctx.campos.add_value(
            onde.em("valor_liquido").to_string(),
            "valor_divergente",
            &liquido.to_string(),
            format!(
                "O valor líquido da fatura é o original menos o desconto: {certo} (rejeição 902)."
            ),
            format!("Informe {certo} ou omita o campo."),
        );
    } else if let Some(soma) = parcelas.filter(|soma| *soma != esperado) {
        ctx.erro(
            Onde::raiz("cobranca").em("duplicatas"),
            "valor_divergente",
            format!(
                "As parcelas somam {} e o valor líquido da fatura é {} (rejeição 851).",
                f2(soma),
                f2(esperado)
            ),
            "Corrija as parcelas, ou o valor da fatura.",
        );
    }
    Elemento::grupo("fat")
        .com("nFat", numero)
        .com("vOrig", f2(original))
        .com("vDesc", f2(desconto))
        .com("vLiq", f2(esperado))
}

/// `dup` and its amount.
fn dup(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    i: usize,
    duplicata: &Duplicata,
) -> (Elemento, Decimal) {
    let proprio = ctx.texto(onde.em("numero"), duplicata.numero.as_deref(), 60);
    if proprio.is_some_and(|numero| !e_a_posicao(&numero, i)) {
        ctx.aviso(
            onde.em("numero"),
            "A SEFAZ numera as parcelas 001, 002, … (rejeição 852): os números informados \
             foram para as informações complementares.",
        );
    }
    let valor = r2(ctx.numero(onde.em("valor"), duplicata.valor));
    let dup = Elemento::grupo("dup")
        .com("nDup", posicao(i))
        .com("vDup", f2(valor));
    (dup, valor)
}

fn posicao(i: usize) -> String {
    format!("{:03}", i + 1)
}

/// Is a number of the request the position itself: `1`, `01`, `001`?
fn e_a_posicao(numero: &str, i: usize) -> bool {
    numero.parse() == Ok(i + 1)
}

/// The company's own numbers of its instalments, for people to read.
pub(super) fn numeros_proprios(ctx: &Contexto<'_>) -> Option<String> {
    let duplicatas = &ctx.pedido.cobranca.as_ref()?.duplicatas;
    let proprios: Vec<String> = duplicatas
        .iter()
        .take(MAX_DUPLICATAS)
        .enumerate()
        .filter_map(|(i, duplicata)| {
            let numero = duplicata.numero.as_deref()?.trim();
            let fora = numero.is_empty() || e_a_posicao(numero, i);
            (!fora).then(|| format!("{} = {numero}", posicao(i)))
        })
        .collect();
    (!proprios.is_empty()).then(|| format!("Duplicatas: {}", proprios.join("; ")))
}
