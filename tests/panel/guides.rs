//! /docs/guias: the guides as pages, and what they lead to.

use crate::browser::Browser;
use std::collections::BTreeSet;
use tests::on_sqlite;

/// Where the links of a page lead.
fn links(html: &str) -> BTreeSet<String> {
    let tags = html.split("<a ").skip(1);
    let hrefs = tags.filter_map(|tag| {
        let (_, rest) = tag.split('>').next()?.split_once("href=\"")?;
        Some(rest.split_once('"')?.0.replace("&amp;", "&"))
    });
    hrefs.collect()
}

/// The pages of guides that one links to.
fn guides(html: &str) -> BTreeSet<String> {
    let mut all = links(html);
    all.retain(|to| to.starts_with("/docs/guias/"));
    all
}

on_sqlite! {
    async fn every_guide_is_a_page_whose_links_lead_somewhere(app: TestApp) {
        let mut browser = Browser::new(&app);
        let list = browser.get("/docs/guias").await;
        assert_eq!(list.status, 200);
        let all = guides(&list.html);
        for name in ["primeira-nfe", "primeira-nfse", "webhooks", "producao", "mudar-de-servico", "mudar-da-focus-nfe", "erros-de-quem-comeca"] {
            assert!(all.contains(&format!("/docs/guias/{name}")), "{name}: {all:?}");
        }
        let (mut seen, mut followed) = (BTreeSet::new(), 0);
        let mut pages = vec![("/docs/guias".to_owned(), list)];
        for path in &all {
            let page = browser.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.has("<h1") && page.has("<article"), "{path}: {}", page.html);
            pages.push((path.clone(), page));
        }
        for (path, page) in &pages {
            for to in links(&page.html) {
                // A page of the hub is asked for once; one elsewhere is not.
                assert!(to.starts_with('/') || to.starts_with('#') || to.starts_with("https://"), "{path}: {to} leads nowhere on a page");
                let to = to.split('#').next().unwrap_or_default().to_owned();
                if to.starts_with('/') && seen.insert(to.clone()) {
                    let answer = browser.get(&to).await;
                    // The panel leads a stranger to its door.
                    let to_door = answer.status == 303 && answer.to.starts_with("/painel/entrar");
                    let frame = to == "/" && !answer.to.is_empty();
                    assert!(answer.status == 200 || to_door || frame, "{path}: {to} answers {}", answer.status);
                    followed += 1;
                }
            }
        }
        assert!(followed > 10, "{seen:?}");
        assert!(pages.iter().all(|(_, page)| !page.has("<pre>")), "a command that only a mouse scrolls");
        let (_, mistakes) = pages.iter().find(|(path, _)| path.ends_with("erros-de-quem-comeca")).expect("the page of mistakes");
        assert!(mistakes.has("<td data-rotulo=\"Resposta\">"), "{}", mistakes.html);
        let none = browser.get("/docs/guias/nada").await;
        assert!(none.status == 404 && none.has("Todos os guias"), "{}", none.html);
        let slash = browser.get("/docs/guias/").await;
        assert_eq!((slash.status, slash.to.as_str()), (308, "/docs/guias"));
    }
}

/// What a stranger reads on the way to a wrong address of the other service's API.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guide_that_the_door_names_is_there() {
    let app = tests::TestApp::start_with(tests::app::Backend::Sqlite, |config| {
        config.moving.focus = true;
    });
    let app = app.await.expect("SQLite is always there");
    let mut browser = Browser::new(&app);
    let refused = browser.get("/v2/nada").await;
    let named = refused.html.split_once("/docs/guias/");
    let (_, rest) = named.unwrap_or_else(|| panic!("{} {}", refused.status, refused.html));
    let name: String = rest
        .chars()
        .take_while(|letter| letter.is_ascii_lowercase() || *letter == '-')
        .collect();
    assert_eq!(
        browser.get(&format!("/docs/guias/{name}")).await.status,
        200,
        "{name}"
    );
}
