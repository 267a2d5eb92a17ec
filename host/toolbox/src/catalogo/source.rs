//! Products that the catalogue does not have, asked of outside sources.

use super::product::ProductOut;
use crate::lookup::{self, LookedOut};
use base::errors::{Code, Failure, Refusal};
use datasets::catalog::product::Product;
use datasets::catalog::{self, Known, Origin};
use gate::Call;
use lookups::{Asked, Found, Kind, Question, answers};
use serde_json::json;
use tools::barcode::Barcode;

/// Longest name, make, unit and address of a picture, in characters.
const NAME_CHARS: usize = 200;
const UNIT_CHARS: usize = 20;
const ADDRESS_CHARS: usize = 1_000;

/// What was found of a code.
pub(super) struct Sought {
    pub product: Option<ProductOut>,
    /// Which sources were asked, for customers; an empty list where none was.
    pub looked: Vec<LookedOut>,
    refusal: Refusal,
}

impl Sought {
    pub(super) fn known(known: &Known) -> Sought {
        Sought::of(Some(ProductOut::of(known)), &Asked::default())
    }

    fn of(product: Option<ProductOut>, asked: &Asked<answers::Product>) -> Sought {
        let answered = asked.missing || asked.found.is_some();
        let unanswered = !answered && !asked.looked.is_empty();
        Sought {
            product,
            looked: lookup::looked(asked),
            refusal: if unanswered {
                lookup::nothing(asked)
            } else {
                none().with("procurado_em", json!(lookup::looked(asked)))
            },
        }
    }

    /// # Errors
    /// Nobody knows the code, or no source answered.
    pub(super) fn found(self) -> Result<ProductOut, Failure> {
        Ok(self.product.ok_or(self.refusal)?)
    }
}

/// Whether a code that the catalogue does not have is asked of anybody. A number
/// of a shop's own means something else in the next.
pub(super) fn asks(call: &Call, code: &Barcode) -> bool {
    !code.is_restricted() && lookups::asks(&call.app.lookups, Kind::Product)
}

/// Asks the sources for a code that the catalogue does not have.
///
/// # Errors
/// The database failed.
pub(super) async fn ask(call: &Call, code: &Barcode) -> Result<Sought, Failure> {
    let mut asked = Asked::default();
    if asks(call, code) {
        asked = lookup::ask::<answers::Product>(call, &Question::product(&shortest(code))).await?;
    }
    let product = asked.found.as_ref().and_then(|found| {
        let product = product(found);
        // A product without a name is no answer.
        (!product.name.is_empty()).then(|| {
            ProductOut::of(&Known {
                product,
                origin: Origin::Source {
                    name: found.source.clone(),
                    fetched_ms: found.fetched_ms,
                },
            })
        })
    });
    Ok(Sought::of(product, &asked))
}

/// The number as sources have it: 8 digits where it is a GTIN-8, otherwise 13, or
/// 14 of a carton.
fn shortest(code: &Barcode) -> String {
    let number = catalog::number(code);
    let width = if number < 100_000_000 { 8 } else { 13 };
    format!("{number:0>width$}")
}

/// What a source says, without what cannot be so: it may say anything.
fn product(found: &Found<answers::Product>) -> Product {
    let said = &found.answer;
    let text = |text: &Option<String>, most: usize| {
        let visible = text.as_deref().unwrap_or_default().chars();
        let visible: String = visible.filter(|c| !is_invisible(*c)).collect();
        visible.trim().chars().take(most).collect::<String>()
    };
    let digits = |text: &Option<String>, count: usize| {
        let text = text.as_deref().unwrap_or_default();
        let right = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        if right {
            text.to_owned()
        } else {
            String::new()
        }
    };
    let image = text(&said.imagem_url, ADDRESS_CHARS);
    let [weight, height, width, depth] = [
        said.peso_kg,
        said.altura_cm,
        said.largura_cm,
        said.profundidade_cm,
    ]
    .map(|size| size.filter(|size| size.is_sign_positive() && !size.is_zero()));
    Product {
        gtin: said.gtin.clone(),
        name: text(&Some(said.nome.clone()), NAME_CHARS),
        brand: text(&said.marca, NAME_CHARS),
        ncm: digits(&said.ncm, 8),
        cest: digits(&said.cest, 7),
        unit: text(&said.unidade, UNIT_CHARS),
        image_url: if image.starts_with("https://") {
            image
        } else {
            String::new()
        },
        weight_kg: weight,
        height_cm: height,
        width_cm: width,
        depth_cm: depth,
    }
}

/// Control characters, and those without a width that join, part or turn what
/// stands around them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn none() -> Refusal {
    Refusal::new(Code::SemResultado)
        .message("O catálogo não tem este código; nada foi cobrado.")
        .hint("Confira o código, ou busque pelo nome em GET /api/v1/catalogo/buscar.")
}
