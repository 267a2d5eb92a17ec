//! POST /api/v1/fiscal/fci/validar: the content of importation of items, before
//! they are issued.

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::body;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::ncm;
use fiscal::nfe::order::Number;
use markup::decimal::Exact;
use markup::field::Field;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::fci::{self, Content, FciError};

/// Most items of a call.
const ITEMS: usize = 500;

pub fn built() -> Built {
    Built {
        operation: "fiscal.fci.validar",
        route: |method| on(method, validar),
        docs: Docs::new("Confere a FCI de itens antes de emitir: o conteúdo de importação, a origem que ele dá e a forma do número da ficha.")
            .body::<FciIn>()
            .success::<FciOut>(),
    }
}

/// Os itens a conferir.
#[derive(Deserialize, JsonSchema)]
struct FciIn {
    #[schemars(length(min = 1, max = 500))]
    itens: Vec<ItemIn>,
}

/// Um item industrializado com parte importada.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "ItemDaFci")]
#[serde(default)]
struct ItemIn {
    ncm: Option<String>,
    /// A origem que a nota vai levar: 3, 5 ou 8, ou outra de 0 a 8.
    origem: Option<String>,
    /// O número da ficha: 32 dígitos hexadecimais em grupos de 8, 4, 4, 4 e 12.
    numero_fci: Option<String>,
    /// O conteúdo de importação declarado, em percentual.
    conteudo_importacao: Option<Number>,
    /// A parte importada de uma unidade, em reais (Convênio ICMS 38/2013,
    /// cláusula quarta).
    valor_importado: Option<Number>,
    /// O valor de saída interestadual de uma unidade, em reais, sem ICMS e IPI.
    valor_saida: Option<Number>,
}

/// O que cada item tem a corrigir.
#[derive(Serialize, JsonSchema)]
struct FciOut {
    /// Todos os itens estão certos.
    valido: bool,
    itens: Vec<ItemOut>,
}

/// Um item conferido.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemDaFciConferido")]
struct ItemOut {
    valido: bool,
    /// O conteúdo de importação que os valores dão; `null` sem os valores.
    conteudo_importacao: Option<Exact>,
    /// A origem que o conteúdo dá: 5 até 40%, 3 até 70%, 8 acima; `null` sem
    /// conteúdo.
    origem_correta: Option<&'static str>,
    /// A alíquota interestadual é a de 4% (Res. SF 13/2012), salvo as exceções
    /// da cláusula terceira.
    aliquota_interestadual_4: Option<bool>,
    /// O número da ficha como a nota o leva.
    numero_fci: Option<String>,
    erros: Vec<Mistake>,
}

/// Algo a corrigir.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErroDaFci")]
struct Mistake {
    campo: String,
    codigo: String,
    mensagem: String,
    correcao: String,
}

impl From<Field> for Mistake {
    fn from(field: Field) -> Mistake {
        Mistake {
            campo: field.campo,
            codigo: field.codigo,
            mensagem: field.mensagem,
            correcao: field.correcao,
        }
    }
}

async fn validar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<FciOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: FciIn = body::read(value, call.tolerant)?;
    let count = body.itens.len();
    if !(1..=ITEMS).contains(&count) {
        return Err(too_many(count).into());
    }
    let items = body.itens.iter().enumerate();
    let items: Vec<ItemOut> = items.map(|(at, item)| judged(item, at)).collect();
    call.ok(FciOut {
        valido: items.iter().all(|item| item.valido),
        itens: items,
    })
}

fn too_many(count: usize) -> Failure {
    Refusal::field(
        Code::LimiteDoLote,
        "itens",
        &format!("São de 1 a {ITEMS} itens; vieram {count}."),
        "Divida os itens em mais de uma chamada.",
    )
    .into()
}

/// The item and everything that is wrong with it.
fn judged(item: &ItemIn, at: usize) -> ItemOut {
    let mut wrong = markup::field::Fields::default();
    let path = |member: &str| format!("itens[{at}].{member}");
    if let Some(code) = &item.ncm
        && ncm::get(code).is_none_or(|row| !row.is_item())
    {
        wrong.add(
            path("ncm"),
            "ncm_inexistente",
            "Este NCM não existe.",
            "Use os oito dígitos da nomenclatura.",
        );
    }
    let content = content(item, &path, &mut wrong);
    let number = item.numero_fci.as_deref().and_then(|text| {
        let number = fci::number(text);
        if number.is_err() {
            wrong.add(
                path("numero_fci"),
                "fci_numero",
                "O número da FCI não tem a forma dele.",
                "São 32 dígitos hexadecimais em grupos de 8, 4, 4, 4 e 12.",
            );
        }
        number.ok()
    });
    if let (Some(origin), Some(content)) = (&item.origem, &content)
        && origin != content.origin.code()
    {
        wrong.add(
            path("origem"),
            "origem_da_fci",
            format!(
                "Com {}% de conteúdo de importação a origem é {}.",
                content.percent,
                content.origin.code()
            ),
            "Corrija a origem, ou os valores da ficha.",
        );
    }
    ItemOut {
        valido: wrong.0.is_empty(),
        conteudo_importacao: content.map(|content| Exact(content.percent)),
        origem_correta: content.map(|content| content.origin.code()),
        aliquota_interestadual_4: content.map(|content| content.four_percent),
        numero_fci: number,
        erros: wrong.0.into_iter().map(Mistake::from).collect(),
    }
}

/// The content that the values give, or the one that is declared.
fn content(
    item: &ItemIn,
    path: &impl Fn(&str) -> String,
    wrong: &mut markup::field::Fields,
) -> Option<Content> {
    let declared = item.conteudo_importacao.map(|percent| *percent);
    let (imported, exit) = match (item.valor_importado, item.valor_saida) {
        (Some(imported), Some(exit)) => (*imported, *exit),
        (None, None) => match declared {
            Some(percent) => (percent, Decimal::ONE_HUNDRED),
            None => {
                wrong.add(
                    path("valor_importado"),
                    "fci_sem_valores",
                    "Faltam a parte importada e o valor de saída.",
                    "Informe os dois, ou conteudo_importacao.",
                );
                return None;
            }
        },
        (None, Some(_)) => {
            wrong.add(
                path("valor_importado"),
                "fci_sem_valores",
                "Falta a parte importada.",
                "Informe valor_importado.",
            );
            return None;
        }
        (Some(_), None) => {
            wrong.add(
                path("valor_saida"),
                "fci_sem_valores",
                "Falta o valor de saída.",
                "Informe valor_saida.",
            );
            return None;
        }
    };
    match fci::content(imported, exit) {
        Ok(content) => {
            if declared.is_some_and(|declared| declared.round_dp(2) != content.percent) {
                wrong.add(
                    path("conteudo_importacao"),
                    "fci_conteudo",
                    format!(
                        "Os valores dão {}% de conteúdo de importação.",
                        content.percent
                    ),
                    "Corrija o conteúdo, ou os valores.",
                );
            }
            Some(content)
        }
        Err(error) => {
            let (member, message) = match error {
                FciError::NoExit => ("valor_saida", "O valor de saída é maior que zero."),
                _ => (
                    "valor_importado",
                    "A parte importada não pode ser negativa.",
                ),
            };
            wrong.add(path(member), "fci_valor", message, "Corrija o valor.");
            None
        }
    }
}
