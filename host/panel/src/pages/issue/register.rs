//! The account's register of products (`produtos`): a product as a form has it,
//! kept, found again, and filled into notes of a file. All companies of the
//! account and both worlds have the same one.

use super::body::{code, number};
use super::rows::{ITEMS, named};
use super::wrong::Wrong;
use crate::form::Fields;
use crate::form::amount::written_money;
use crate::parts::whole;
use crate::reply::Problem;
use crate::visitor::Visitor;
use accounts::users::role::Action;
use data::search::fold;
use markup::ids::is_valid_gtin;
use std::convert::Infallible;
use store::ids::ProdutoId;
use store::tables::produtos::{self, ProductRow};
use store::{Conn, DbResult, TxError};

/// Most products of an account: a search whose words few of them have reads all
/// of them.
pub const MOST: i64 = 5_000;
/// Most characters of code, description and unit (MOC, I02, I04 and I09).
const CODE: usize = 60;
const DESCRIPTION: usize = 120;
const UNIT: usize = 6;
/// Most decimals of a price (MOC, I10a).
const DECIMALS: u32 = 10;
/// What the layout says of a product without a bar code (MOC, I03).
const NO_GTIN: &str = "SEM GTIN";
/// Characters of a search that are looked at.
const SEARCHED: usize = 60;

/// The fields of a product in forms, which are those of an item.
pub const FIELDS: [&str; 8] = [
    "descricao",
    "codigo",
    "ncm",
    "valor",
    "unidade",
    "cfop",
    "cest",
    "gtin",
];
/// Columns that a file may lack whose items name products by their codes.
pub const BY_CODE: [&str; 3] = ["descricao", "ncm", "valor"];

/// What became of a product that was to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    New(ProdutoId),
    Changed(ProdutoId),
    /// Another product has its code.
    Taken,
    /// The item has the code of a product with this other description.
    Unlike(String),
    /// The register has as many as it may.
    Full,
    /// The one that was to be changed is not there.
    Gone,
}

/// Which product of the register another one becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// One that was not there.
    New,
    /// That of its code, or without a code that of its description; a new one
    /// where there is none.
    Like,
    /// That of its id.
    Own,
}

/// Refuses who may not change the register.
///
/// # Errors
/// The page that says why.
pub fn must(visitor: &Visitor) -> Result<(), Problem> {
    visitor.must(Action::Emitters)?;
    match visitor.blocked() {
        Some(reason) => {
            let sentence = format!("Motivo: {reason}. Fale com o suporte.");
            Err(Problem::new(403, "A conta está bloqueada", &sentence))
        }
        None => Ok(()),
    }
}

/// What somebody is told whose register is full.
pub fn full() -> String {
    format!(
        "O cadastro guarda até {} produtos, e já tem todos. Exclua os que não usa mais.",
        whole(MOST)
    )
}

/// The product of a row of a form.
///
/// # Errors
/// What is wrong with its fields.
pub fn read(fields: &Fields, row: usize) -> Result<ProductRow, Vec<Wrong>> {
    let mut wrong = Vec::new();
    let name = |field: &str| named(field, row);
    let mut product = ProductRow {
        codigo: text(fields, &name("codigo"), CODE, &mut wrong),
        descricao: text(fields, &name("descricao"), DESCRIPTION, &mut wrong),
        ncm: digits(fields, &name("ncm"), 8, "Não é um NCM.", &mut wrong),
        cest: digits(fields, &name("cest"), 7, "Não é um CEST.", &mut wrong),
        cfop: digits(fields, &name("cfop"), 4, "Não é um CFOP.", &mut wrong),
        unidade: text(fields, &name("unidade"), UNIT, &mut wrong),
        gtin: gtin(fields, &name("gtin"), &mut wrong),
        preco: price(fields, &name("valor"), &mut wrong),
        ..ProductRow::default()
    };
    if product.descricao.is_empty() {
        wrong.push(Wrong::at(&name("descricao"), "Falta preencher."));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    product.busca = searched(&product);
    Ok(product)
}

/// A text in one line.
fn text(fields: &Fields, name: &str, most: usize, wrong: &mut Vec<Wrong>) -> String {
    let signs = fields.get(name).chars();
    let spaced: String = signs
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() > most {
        wrong.push(Wrong::at(name, &format!("O texto passa de {most} letras.")));
    }
    text
}

/// A code of so many digits, which may be left empty.
fn digits(
    fields: &Fields,
    name: &str,
    length: usize,
    what: &str,
    wrong: &mut Vec<Wrong>,
) -> String {
    let digits = code(fields.get(name));
    let right = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !right && !fields.get(name).is_empty() {
        wrong.push(Wrong::at(name, what));
    }
    digits
}

fn gtin(fields: &Fields, name: &str, wrong: &mut Vec<Wrong>) -> String {
    let given = fields.get(name);
    if given.is_empty() {
        return String::new();
    }
    // It takes the place of a bar code that was kept.
    if given.eq_ignore_ascii_case(NO_GTIN) {
        return NO_GTIN.to_owned();
    }
    let gtin = code(given);
    if !is_valid_gtin(&gtin) {
        wrong.push(Wrong::at(name, "Este código de barras não confere."));
    }
    gtin
}

/// A price as the table has it; empty where the form says none.
fn price(fields: &Fields, name: &str, wrong: &mut Vec<Wrong>) -> String {
    let what = match number(fields, name) {
        Ok(None) => return String::new(),
        Ok(Some(price)) if price.is_zero() => Wrong::at(name, "O preço não pode ser zero."),
        Ok(Some(price)) if price.normalize().scale() > DECIMALS => {
            let what = format!("O preço tem até {DECIMALS} casas depois da vírgula.");
            Wrong::at(name, &what)
        }
        Ok(Some(price)) => return price.normalize().to_string(),
        Err(what) => what,
    };
    wrong.push(what);
    String::new()
}

/// What a search looks at.
fn searched(product: &ProductRow) -> String {
    let gtin = Some(product.gtin.as_str()).filter(|gtin| *gtin != NO_GTIN);
    let texts = [
        &product.descricao,
        &product.codigo,
        gtin.unwrap_or_default(),
    ];
    fold(&texts.join(" "))
}

/// What a form has in one of [`FIELDS`].
pub fn shown(product: &ProductRow, field: &str) -> String {
    let text = match field {
        "descricao" => &product.descricao,
        "codigo" => &product.codigo,
        "ncm" => &product.ncm,
        "unidade" => &product.unidade,
        "cfop" => &product.cfop,
        "cest" => &product.cest,
        "gtin" => &product.gtin,
        "valor" => return written_money(&product.preco),
        _ => return String::new(),
    };
    text.clone()
}

/// Puts a new product into the register.
///
/// # Errors
/// The database failed.
pub async fn add(visitor: &Visitor, product: ProductRow) -> Result<Outcome, Problem> {
    write(visitor, product, Way::New).await
}

/// Keeps what an item of a note says of a product. If the register has the
/// product, what the item leaves empty stays as it is there.
///
/// # Errors
/// The database failed.
pub async fn keep(visitor: &Visitor, product: ProductRow) -> Result<Outcome, Problem> {
    write(visitor, product, Way::Like).await
}

/// Changes the product of an id.
///
/// # Errors
/// The database failed.
pub async fn change(
    visitor: &Visitor,
    id: &ProdutoId,
    product: ProductRow,
) -> Result<Outcome, Problem> {
    let id = id.clone();
    write(visitor, ProductRow { id, ..product }, Way::Own).await
}

async fn write(visitor: &Visitor, mut product: ProductRow, way: Way) -> Result<Outcome, Problem> {
    let app = &visitor.panel.app;
    let now_ms = app.now_ms();
    if way != Way::Own {
        product.id = ProdutoId::new(now_ms);
    }
    product.account_id = visitor.session.row.account_id.clone();
    product.created_at_ms = now_ms;
    product.updated_at_ms = now_ms;
    let written = app.db.write((product, way), |(product, way), conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(put(conn, product, *way).await?) })
    });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

async fn put(conn: &mut Conn, product: &ProductRow, way: Way) -> DbResult<Outcome> {
    let account = &product.account_id;
    // Changes of the account's register come one after another: none sees a code free
    // that another takes.
    store::tables::accounts::lock(conn, account).await?;
    let there = match product.codigo.as_str() {
        "" if way == Way::Like => {
            produtos::without_codigo(conn, account, &product.descricao).await?
        }
        "" => None,
        codigo => produtos::by_codigo(conn, account, codigo).await?,
    };
    match (way, there) {
        (Way::Like, Some(there)) => {
            if fold(&there.descricao) != fold(&product.descricao) {
                return Ok(Outcome::Unlike(there.descricao));
            }
            return update(conn, &completed(product, there)).await;
        }
        (Way::New, Some(_)) => return Ok(Outcome::Taken),
        (Way::Own, Some(there)) if there.id != product.id => return Ok(Outcome::Taken),
        (Way::Own, _) => return update(conn, product).await,
        (Way::New | Way::Like, None) => {}
    }
    if produtos::kept(conn, account, MOST).await? >= MOST {
        return Ok(Outcome::Full);
    }
    let new = produtos::insert(conn, product).await?;
    Ok(if new {
        Outcome::New(product.id.clone())
    } else {
        Outcome::Taken
    })
}

async fn update(conn: &mut Conn, product: &ProductRow) -> DbResult<Outcome> {
    let there = produtos::update(conn, product).await?;
    Ok(if there {
        Outcome::Changed(product.id.clone())
    } else {
        Outcome::Gone
    })
}

/// A product of the register as an item of a note says it.
fn completed(item: &ProductRow, there: ProductRow) -> ProductRow {
    let mut product = ProductRow {
        descricao: item.descricao.clone(),
        ncm: either(&item.ncm, &there.ncm),
        cest: either(&item.cest, &there.cest),
        cfop: either(&item.cfop, &there.cfop),
        unidade: either(&item.unidade, &there.unidade),
        gtin: either(&item.gtin, &there.gtin),
        preco: either(&item.preco, &there.preco),
        updated_at_ms: item.updated_at_ms,
        ..there
    };
    product.busca = searched(&product);
    product
}

fn either(new: &str, old: &str) -> String {
    let text = if new.is_empty() { old } else { new };
    text.to_owned()
}

/// A product of the account.
///
/// # Errors
/// The database failed.
pub async fn get(visitor: &Visitor, id: &ProdutoId) -> Result<Option<ProductRow>, Problem> {
    let mut conn = visitor.read().await?;
    let row = produtos::get(&mut conn, &visitor.session.row.account_id, id).await;
    Ok(row.map_err(anyhow::Error::from)?)
}

async fn of_code(visitor: &Visitor, codigo: &str) -> Result<Option<ProductRow>, Problem> {
    let mut conn = visitor.read().await?;
    let row = produtos::by_codigo(&mut conn, &visitor.session.row.account_id, codigo).await;
    Ok(row.map_err(anyhow::Error::from)?)
}

/// Products that have the words in description, code or bar code, newest first.
/// `before`: the last one of the page before.
///
/// # Errors
/// The database failed.
pub async fn list(
    visitor: &Visitor,
    words: &str,
    before: &str,
    most: usize,
) -> Result<Vec<ProductRow>, Problem> {
    let words: String = fold(words).chars().take(SEARCHED).collect();
    let account = &visitor.session.row.account_id;
    let most = i64::try_from(most).unwrap_or(MOST);
    let mut conn = visitor.walk().await?;
    let rows = produtos::list(&mut conn, account, &words, before, most).await;
    Ok(rows.map_err(anyhow::Error::from)?)
}

/// As [`list`], the product of which the words are the code before the others.
///
/// # Errors
/// The database failed.
pub async fn search(
    visitor: &Visitor,
    words: &str,
    most: usize,
) -> Result<Vec<ProductRow>, Problem> {
    let exact = of_code(visitor, words).await?;
    let known = exact.as_ref().map(|product| product.id.clone());
    let others = list(visitor, words, "", most).await?;
    let others = others.into_iter();
    let others = others.filter(|product| known.as_ref() != Some(&product.id));
    Ok(exact.into_iter().chain(others).take(most).collect())
}

/// Takes a product out of the register; false when it is not there.
///
/// # Errors
/// The database failed.
pub async fn remove(visitor: &Visitor, id: &ProdutoId) -> Result<bool, Problem> {
    let input = (visitor.session.row.account_id.clone(), id.clone());
    let gone = visitor.panel.app.db.write(input, |(account, id), conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(produtos::delete(conn, account, id).await?) },
        )
    });
    Ok(gone.await.map_err(anyhow::Error::from)?)
}

/// Fills in items that say a code and neither description nor NCM. The price stays as
/// the item says it, and is none where the item has another unit than the product. The
/// CFOP is chosen by destination, as for every item that says none.
///
/// # Errors
/// The database failed.
pub async fn complete(visitor: &Visitor, fields: &mut Fields) -> Result<(), Problem> {
    for row in ITEMS.used(fields) {
        let given = |field| fields.get(&named(field, row));
        if given("codigo").is_empty() || !given("descricao").is_empty() || !given("ncm").is_empty()
        {
            continue;
        }
        let Some(product) = of_code(visitor, given("codigo")).await? else {
            continue;
        };
        let unit = given("unidade");
        let other_unit = !unit.is_empty() && fold(unit) != fold(&product.unidade);
        for field in FIELDS {
            let name = named(field, row);
            let skipped = field == "cfop" || field == "valor" && other_unit;
            if !skipped && fields.get(&name).is_empty() {
                fields.set(&name, shown(&product, field));
            }
        }
    }
    Ok(())
}
