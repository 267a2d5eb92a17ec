//! POST /api/v1/fiscal/fci/validar: the content of importation of items, before
//! they are issued.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use data::ncm;
use fiscal::nfe::order::Number;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{batch, body};
use markup::decimal::Exact;
use markup::field::{Field, Fields};
use markup::format::percentage;
use rust_decimal::{Decimal, RoundingStrategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::Date;
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
    batch::of(body.itens.len(), ITEMS, "itens")?;
    let today = when::today(call.app.now_ms(), "DF");
    let items = body.itens.iter().enumerate();
    let items: Vec<ItemOut> = items.map(|(at, item)| judged(item, at, today)).collect();
    call.ok(FciOut {
        valido: items.iter().all(|item| item.valido),
        itens: items,
    })
}

/// The item and everything that is wrong with it.
fn judged(item: &ItemIn, at: usize, today: Date) -> ItemOut {
    let mut wrong = Fields::default();
    let path = |member: &str| format!("itens[{at}].{member}");
    if let Some(code) = &item.ncm
        && !ncm::is_valid(&super::tables::plain(code), today)
    {
        wrong.add(
            path("ncm"),
            "ncm_inexistente",
            "Este NCM não existe ou já não vale.",
            "Use os oito dígitos da nomenclatura em vigor.",
        );
    }
    let content = content(item, &path, &mut wrong);
    let number = item.numero_fci.as_deref().map(fci::number);
    if matches!(number, Some(Err(_))) {
        wrong.add(
            path("numero_fci"),
            "fci_numero",
            "O número da FCI não tem a forma dele.",
            "São 32 dígitos hexadecimais em grupos de 8, 4, 4, 4 e 12.",
        );
    }
    if let Some(origin) = &item.origem {
        check_origin(origin, content, &path("origem"), &mut wrong);
    }
    ItemOut {
        valido: wrong.0.is_empty(),
        conteudo_importacao: content.map(|content| Exact(content.percent)),
        origem_correta: content.map(|content| content.origin.code()),
        aliquota_interestadual_4: content.map(|content| content.four_percent),
        numero_fci: number.and_then(Result::ok),
        erros: wrong.0.into_iter().map(Mistake::from).collect(),
    }
}

/// The content decides between 3, 5 and 8, and 0 is for goods without any imported
/// part. The other origins depend on something else: imported (1, 2, 6, 7), or made
/// by a basic productive process (4).
fn check_origin(origin: &str, content: Option<Content>, path: &str, wrong: &mut Fields) {
    let fits = |content: Content| match origin {
        "0" => content.percent.is_zero(),
        "3" | "5" | "8" => origin == content.origin.code(),
        _ => true,
    };
    if !matches!(origin, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8") {
        wrong.add(
            path,
            "origem_invalida",
            "A origem vai de 0 a 8.",
            "Corrija a origem.",
        );
    } else if let Some(content) = content.filter(|content| !fits(*content)) {
        let (percent, right) = (percentage(Some(content.percent)), content.origin.code());
        wrong.add(
            path,
            "origem_da_fci",
            format!("Com {percent} de conteúdo de importação a origem é {right}."),
            "Corrija a origem, ou os valores da ficha.",
        );
    }
}

/// The content that the values give, or the one that is declared alone.
fn content(item: &ItemIn, path: &impl Fn(&str) -> String, wrong: &mut Fields) -> Option<Content> {
    let declared = item.conteudo_importacao.map(|percent| *percent);
    let values = (item.valor_importado, item.valor_saida, declared);
    let (imported, exit) = match values {
        (Some(imported), Some(exit), _) => (*imported, *exit),
        (None, None, Some(percent)) => (percent, Decimal::ONE_HUNDRED),
        (imported, ..) => {
            let (member, message) = match imported {
                None => ("valor_importado", "Falta a parte importada."),
                Some(_) => ("valor_saida", "Falta o valor de saída."),
            };
            let correction = "Informe valor_importado e valor_saida, ou só conteudo_importacao.";
            wrong.add(path(member), "fci_sem_valores", message, correction);
            return None;
        }
    };
    let told = item.valor_importado.is_some();
    match fci::content(imported, exit) {
        Ok(content) => {
            let differs = |declared: &Decimal| rounded(*declared) != content.percent;
            if told && declared.as_ref().is_some_and(differs) {
                let percent = percentage(Some(content.percent));
                wrong.add(
                    path("conteudo_importacao"),
                    "fci_conteudo",
                    format!("Os valores dão {percent} de conteúdo de importação."),
                    "Corrija o conteúdo, ou os valores.",
                );
            }
            Some(content)
        }
        Err(error) => {
            let (member, message) = match (error, told) {
                (FciError::NoExit, _) => ("valor_saida", "O valor de saída é maior que zero."),
                (_, true) => (
                    "valor_importado",
                    "A parte importada não pode ser negativa.",
                ),
                (_, false) => ("conteudo_importacao", "O conteúdo não pode ser negativo."),
            };
            wrong.add(path(member), "fci_valor", message, "Corrija o valor.");
            None
        }
    }
}

fn rounded(percent: Decimal) -> Decimal {
    percent.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}
