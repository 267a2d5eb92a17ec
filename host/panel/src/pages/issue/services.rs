//! The code of a service, looked for by words in the national list.

use super::body::code;
use data::search::{Index, SearchText};
use data::services::{self, Service};
use maud::{Markup, html};
use std::sync::LazyLock;

/// Services a search shows.
const SHOWN: usize = 20;
/// Shortest word that finds something by itself, in characters.
const SHORTEST: usize = 4;
/// Words of which each is looked for by itself.
const WORDS: usize = 16;

/// The national list, and the words of its texts.
static LIST: LazyLock<(Vec<&'static Service>, Index)> = LazyLock::new(|| {
    let all: Vec<&'static Service> = services::all().values().collect();
    let index = Index::new(&all, text);
    (all, index)
});

/// The service of a code, with or without points.
pub fn get(written: &str) -> Option<&'static Service> {
    services::get(&code(written))
}

/// Services of the national list that have all words, or the code, the best first; where there
/// are none, those that have one of the words.
pub fn find(words: &str) -> Vec<&'static Service> {
    let (all, index) = &*LIST;
    let with = |words: &str| -> Vec<&'static Service> {
        let found = index.find(all, words, SHOWN);
        found.rows.into_iter().copied().collect()
    };
    let found = with(words);
    if !found.is_empty() {
        return found;
    }
    let mut some: Vec<&'static Service> = Vec::new();
    let tells = |word: &&str| word.chars().count() >= SHORTEST;
    let long = words.split_whitespace().filter(tells).take(WORDS);
    for service in long.flat_map(with) {
        if some.len() == SHOWN {
            break;
        }
        if !some.contains(&service) {
            some.push(service);
        }
    }
    some
}

fn text(service: &&'static Service) -> SearchText {
    SearchText {
        codigo: service.codigo.clone(),
        text: service.description.clone(),
        heading: false,
    }
}

/// A code as the list prints it: `01.01.01`.
pub fn printed(code: &str) -> String {
    match (code.get(..2), code.get(2..4), code.get(4..6)) {
        (Some(item), Some(part), Some(split)) => format!("{item}.{part}.{split}"),
        _ => code.to_owned(),
    }
}

/// Services that were found, each with a button that takes its code.
pub fn results(found: &[&'static Service]) -> Markup {
    html! {
        @if found.is_empty() {
            p class="c6 suave" { "Nenhum serviço da lista nacional tem estas palavras. A lista usa as da lei: tente outras, como programas, manutenção ou limpeza." }
        } @else {
            ul class="c6 achados" {
                @for service in found {
                    @let number = printed(&service.codigo);
                    li {
                        span { (service.description) " " span class="suave pequeno" { "código " (number) } }
                        button class="botao secundario mini" name="acao" value=(format!("servico:{}", service.codigo)) data-parte formnovalidate aria-label=(format!("Usar o código {number}")) { "Usar" }
                    }
                }
            }
        }
    }
}
