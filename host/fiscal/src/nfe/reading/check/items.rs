//! Each item by itself: numbering, quantity times price, bar codes.

use std::borrow::Cow;

use rust_decimal::Decimal;

use super::nota::{Item, numero, reais};
use super::{Achados, Nota};
use crate::nfe::reading::check::validity::Regras;
use markup::ids::gtin_valido;

/// One cent, the tolerance of products and taxes (MOC, annex I).
pub(super) const CENTAVO: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    // Complementary and adjusting notes carry amounts without goods.
    let com_mercadoria = !nota.finalidade(&["2", "3"]);
    for (posicao, item) in nota.itens.iter().enumerate() {
        let numero = item.det.attribute("nItem").unwrap_or("");
        if nota.regras >= Regras::CodigoNumerico && numero != (posicao + 1).to_string() {
            achados
                .erro(
                    format!("{}/@nItem", item.caminho),
                    "927",
                    format!(
                        "O item na posição {} tem o número {}.",
                        posicao + 1,
                        numero.chars().take(4).collect::<String>()
                    ),
                    "Numere os itens 1, 2, 3… na ordem da nota.",
                )
                .valor(numero);
        }
        if com_mercadoria {
            produto(item, ("qCom", "vUnCom", "629"), achados);
            produto(item, ("qTrib", "vUnTrib", "630"), achados);
        }
        gtin(item, ("cEAN", "611"), achados);
        gtin(item, ("cEANTrib", "612"), achados);
    }
}

fn produto(
    item: &Item<'_>,
    (quantidade, unitario, codigo): (&str, &str, &'static str),
    achados: &mut Achados,
) {
    let ler = |nome: &str| item.prod(nome).and_then(|texto| numero(&texto));
    let (Some(quanto), Some(preco), Some(total)) = (ler(quantidade), ler(unitario), ler("vProd"))
    else {
        return;
    };
    let Some(produto) = quanto.checked_mul(preco) else {
        return;
    };
    let produto =
        produto.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    if (produto - total).abs() > CENTAVO {
        achados
            .erro(
                format!("{}/prod/vProd", item.caminho),
                codigo,
                format!(
                    "vProd é {}, mas {quantidade} × {unitario} dá {}.",
                    reais(total),
                    reais(produto)
                ),
                format!("Corrija vProd, {quantidade} ou {unitario}."),
            )
            .valor(&total.to_string());
    }
}

fn gtin(item: &Item<'_>, (campo, codigo): (&str, &'static str), achados: &mut Achados) {
    let Some(gtin) = item.prod(campo) else { return };
    if gtin == "SEM GTIN" || gtin_valido(&gtin) {
        return;
    }
    achados
        .erro(
            format!("{}/prod/{campo}", item.caminho),
            codigo,
            "O código de barras não é um GTIN: o tamanho ou o dígito verificador não confere.",
            "Copie o código da embalagem, ou informe SEM GTIN.",
        )
        .valor(&gtin);
}

/// The value of a field for a message.
pub(super) fn ou_vazio(valor: Option<Cow<'_, str>>) -> String {
    valor.map_or_else(String::new, |texto| texto.chars().take(20).collect())
}
