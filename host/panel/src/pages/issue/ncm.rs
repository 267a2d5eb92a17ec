//! The NCM of an item, looked for by words in the nomenclature. In Produção the search costs
//! what it costs a program; its button says so.

use super::lookups::{self, Found};
use super::rows::{ITEMS, named};
use super::wrong::Wrong;
use crate::form::Fields;
use crate::once;
use crate::pages::listing::items;
use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::Method;
use data::search::fold;
use maud::{Markup, html};
use serde_json::Value;

/// The field of the words.
pub const WORDS: &str = "ncm_busca";
/// Codes a search shows.
const SHOWN: usize = 20;
/// Rows that are asked for, of which some are headings: as many as an answer may have.
const ASKED: usize = 100;
/// Words of a description that a search begins with, and the shortest of them, in characters.
const FIRST_WORDS: usize = 2;
const SHORTEST: usize = 4;
/// "Não", as [`words_of`] gives it.
const NOT: &str = "nao";

/// The search for the code of an item.
pub struct Search {
    /// The item.
    pub row: usize,
    /// None: nothing was looked for yet.
    pub found: Option<Vec<Code>>,
}

/// A code that goods may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    pub digits: String,
    /// With points.
    pub printed: String,
    /// Of the code alone; that of many is "Outros".
    own: String,
    /// With those of the headings above it.
    pub description: String,
    pub in_force: bool,
}

impl Code {
    /// Of a row of the operation's answer.
    fn of(row: &Value) -> Code {
        Code {
            digits: text(row, "codigo").to_owned(),
            printed: text(row, "codigo_formatado").to_owned(),
            own: text(row, "descricao").to_owned(),
            description: text(row, "descricao_completa").to_owned(),
            in_force: row["vigencia"]["em_vigor"] == true,
        }
    }
}

/// Opens the search of an item, which a button names, with words of its description.
pub fn open(fields: &mut Fields, row: &str) -> Search {
    let row = item(fields, row);
    let words = first_words(fields.get(&named("descricao", row)));
    fields.set(WORDS, words);
    Search { row, found: None }
}

/// What a description begins with, without measures: `Café torrado 1 kg` is "Café torrado".
fn first_words(description: &str) -> String {
    let tells =
        |word: &&str| word.chars().count() >= SHORTEST && word.chars().all(char::is_alphabetic);
    let words = description.split_whitespace().filter(tells);
    words.take(FIRST_WORDS).collect::<Vec<_>>().join(" ")
}

/// Looks for the code of an item, which a button names; and what stands in the way.
///
/// # Errors
/// The operation could not be asked.
pub async fn find(
    visitor: &Visitor,
    fields: &Fields,
    row: &str,
) -> Result<(Search, Found), Problem> {
    let mut search = Search {
        row: item(fields, row),
        found: None,
    };
    let words = fields.get(WORDS);
    if words.is_empty() {
        return Ok((search, Found::wrong(Wrong::at(WORDS, ""))));
    }
    let path = format!("/api/v1/fiscal/ncm?limite={ASKED}&q={}", encoded(words));
    let form = fields.get(once::FIELD);
    let reply = visitor.ask_once(form, Method::GET, &path, None).await?;
    if !reply.ok() {
        let refused = lookups::nothing(&reply, WORDS, "Nenhum NCM foi encontrado.");
        return Ok((search, refused));
    }
    search.found = Some(codes(items(&reply.json()), words));
    Ok((search, Found::default()))
}

/// The codes of goods among the rows of an answer, those in force first, and of them those that
/// say what was looked for. `looked_for`: the words of the person.
pub fn codes(rows: &[Value], looked_for: &str) -> Vec<Code> {
    let wanted = words_of(looked_for);
    let goods = rows.iter().filter(|row| row["item"] == true);
    let mut codes: Vec<Code> = goods.map(Code::of).collect();
    codes.sort_by_cached_key(|code| (!code.in_force, distance(code, &wanted)));
    codes.truncate(SHOWN);
    codes
}

/// The words of a text, in small letters without accents.
fn words_of(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|sign: char| !sign.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// How far a code is from the words: 0 where its own description says them all, 2 where one of
/// its headings denies one, as "Café não torrado" does, and 1 for the others.
fn distance(code: &Code, wanted: &[String]) -> u8 {
    let (own, all) = (words_of(&code.own), words_of(&code.description));
    let says = |word: &String| own.contains(word) && !refuses(&own, word);
    let denied = |word: &String| refuses(&all, word);
    // Whoever writes "não" looks for what is denied.
    let not = wanted.iter().any(|word| word == NOT);
    if wanted.iter().all(says) {
        0
    } else if !not && wanted.iter().any(denied) {
        2
    } else {
        1
    }
}

/// Whether a description has "não" before the word.
fn refuses(description: &[String], word: &str) -> bool {
    let mut pairs = description.windows(2);
    pairs.any(|pair| matches!(pair, [before, denied] if before == NOT && denied == word))
}

/// Puts a code into its item, as a button carries both: `2:09012100`. The field the person
/// goes on with.
pub fn choose(fields: &mut Fields, carried: &str) -> String {
    let (row, digits) = carried.split_once(':').unwrap_or((carried, ""));
    let row = item(fields, row);
    if data::ncm::get(digits).is_some_and(|code| code.is_item()) {
        fields.set(&named("ncm", row), digits);
    }
    named("quantidade", row)
}

/// The item that a button names; the first, where the form has none of this number.
fn item(fields: &Fields, row: &str) -> usize {
    let count = ITEMS.count(fields);
    let known = row.parse::<usize>().ok();
    let known = known.filter(|row| (1..=count).contains(row));
    known.unwrap_or(1)
}

/// The codes that were found for an item, each with a button that takes it. One that is not in
/// force would be refused.
pub fn results(row: usize, found: &[Code]) -> Markup {
    html! {
        @if found.is_empty() {
            p class="c6 suave" { "Nenhum NCM tem todas estas palavras. A tabela usa as da lei: tente menos palavras, ou outras, como camisetas, parafusos ou bebidas." }
        } @else {
            ul class="c6 achados" {
                @for code in found {
                    li {
                        span {
                            strong { "NCM " (code.printed) } @if !code.in_force { ", fora de vigor hoje" }
                            ": " (code.description)
                        }
                        @if code.in_force {
                            button class="botao secundario mini" name="acao" value=(format!("usar-ncm:{row}:{}", code.digits)) data-parte formnovalidate aria-label=(format!("Usar o NCM {}", code.printed)) { "Usar" }
                        }
                    }
                }
            }
        }
    }
}
