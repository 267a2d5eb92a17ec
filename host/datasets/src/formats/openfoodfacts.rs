//! The dump of Open Food Facts: a product of the world on each line, as JSON. The
//! database is under the ODbL: answers name the source.

use super::Item;
use super::products::number;
use crate::catalog::product::Product;
use serde::Deserialize;
use tools::barcode::Barcode;

/// Prefixes that GS1 Brasil gives out.
const BRAZILIAN: [&str; 2] = ["789", "790"];
const COUNTRY: &str = "en:brazil";
const NAME_CHARS: usize = 200;

/// What is read of a line.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    code: serde_json::Value,
    #[serde(default)]
    product_name_pt: Option<String>,
    #[serde(default)]
    product_name: Option<String>,
    #[serde(default)]
    quantity: Option<String>,
    #[serde(default)]
    brands: Option<String>,
    #[serde(default)]
    countries_tags: Option<Vec<String>>,
    #[serde(default)]
    image_front_url: Option<String>,
    #[serde(default)]
    image_url: Option<String>,
}

/// What a line says. Products of other countries, without a name, or with a
/// number that is no GTIN are left out: volunteers enter anything.
pub(super) fn row(line: &[u8]) -> Result<Item, String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => format!("another layout: {error}"),
        _ => format!("no JSON: {error}"),
    })?;
    let code = match &line.code {
        serde_json::Value::String(code) => code.clone(),
        serde_json::Value::Number(code) => code.to_string(),
        serde_json::Value::Null => return Err("no code".to_owned()),
        _ => return Err("code is no text".to_owned()),
    };
    let brazilian = BRAZILIAN.iter().any(|prefix| code.starts_with(prefix));
    let sold = line
        .countries_tags
        .iter()
        .flatten()
        .any(|tag| tag == COUNTRY);
    let named = [&line.product_name_pt, &line.product_name];
    let named = named
        .into_iter()
        .flatten()
        .map(|name| name.trim())
        .find(|name| !name.is_empty());
    let barcode = Barcode::parse(&code)
        .ok()
        .filter(|code| !code.is_restricted());
    let (Some(name), Some(barcode), true) = (named, barcode, brazilian || sold) else {
        return Ok(Item::Skipped);
    };
    let quantity = line.quantity.as_deref().map(str::trim).unwrap_or_default();
    let known = name.to_lowercase().contains(&quantity.to_lowercase());
    let name = if known {
        name.to_owned()
    } else {
        format!("{name} {quantity}")
    };
    let brand = line
        .brands
        .as_deref()
        .and_then(|brands| brands.split(',').next());
    let image = line
        .image_front_url
        .or(line.image_url)
        .filter(|address| address.starts_with("https://"));
    Ok(Item::Product {
        gtin: number(&barcode),
        product: Box::new(Product {
            gtin: barcode.as_str().to_owned(),
            name: name.chars().take(NAME_CHARS).collect(),
            brand: brand
                .unwrap_or_default()
                .trim()
                .chars()
                .take(NAME_CHARS)
                .collect(),
            image_url: image.unwrap_or_default(),
            ..Product::default()
        }),
    })
}
