//! The register of products: filled on its pages and from an item of the form,
//! offered by the form, and named by files through codes alone.

use super::{fault, filled, value};
use crate::pages::{account, company};
use crate::registered;
use std::convert::Infallible;
use store::TxError;
use store::ids::ProdutoId;
use store::tables::produtos::{self, ProductRow};
use tests::{both, on_sqlite};

const HERE: &str = "/painel/produtos";
/// Products an account may have.
const MOST: i64 = 5_000;

const PRODUCT: [(&str, &str); 8] = [
    ("descricao", "Café torrado São João"),
    ("codigo", "CAFE-1"),
    ("ncm", "0901.21.00"),
    ("valor", "R$ 18,9"),
    ("unidade", "PCT"),
    ("cfop", "5102"),
    ("cest", "17.096.00"),
    ("gtin", "7899900000110"),
];

/// The product with one field as it is said here.
fn with<'a>(field: &str, value: &'a str) -> [(&'a str, &'a str); 8] {
    PRODUCT.map(|(name, given)| (name, if name == field { value } else { given }))
}

both! {
    async fn a_product_is_registered_found_changed_and_deleted(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let empty = browser.get(HERE).await;
        assert!(empty.has("Nenhum produto ainda") && empty.has("Cadastrar produto"), "{}", empty.html);
        // What is wrong stands beside its field, and all stays filled in.
        let long = "a".repeat(121);
        for (field, written, said) in [
            ("descricao", " ", "Falta preencher"), ("descricao", long.as_str(), "passa de 120"), ("codigo", &long[..61], "passa de 60"),
            ("ncm", "0901", "Não é um NCM"), ("cest", "17.096", "Não é um CEST"), ("cfop", "51x2", "Não é um CFOP"), ("unidade", "PACOTES", "passa de 6"),
            ("gtin", "7899900000111", "não confere"), ("valor", "dezoito", "Não é um número"), ("valor", "1.500", "1500 ou 1,500"),
            ("valor", "0,00", "não pode ser zero"), ("valor", "0,12345678901", "até 10 casas"), ("valor", "-1", "negativo"),
        ] {
            let page = browser.send(HERE, &with(field, written)).await;
            assert!(page.status == 422 && page.has(&format!("id=\"{field}-falha\"")) && page.has(said), "{field} {written}: {}", page.html);
            let other = if field == "codigo" { "value=\"PCT\"" } else { "value=\"CAFE-1\"" };
            assert!(page.has(&format!("value=\"{}\"", written.trim())) && page.has(other), "{field} {written}: {}", page.html);
        }
        assert!(browser.get(HERE).await.has("Nenhum produto ainda"), "nothing was kept");

        let made = browser.send(HERE, &PRODUCT).await;
        let (place, said) = made.to.split_once('?').expect("the product's page");
        assert!(place.starts_with("/painel/produtos/prd_") && said == "criado=1", "{}", made.to);
        let page = browser.get(&made.to).await;
        for text in ["Produto cadastrado", "value=\"09012100\"", "value=\"1709600\"", "value=\"18,90\"", "value=\"7899900000110\""] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let twice = browser.send(HERE, &PRODUCT).await;
        assert!(twice.status == 422 && twice.has("id=\"codigo-falha\"") && twice.has("já tem este código"), "{}", twice.html);
        let second = browser.send(HERE, &[("descricao", "Moedor"), ("codigo", "MOEDOR")]).await;
        let (other_place, _) = second.to.split_once('?').expect("a page, without NCM and price");
        for query in ["", "?q=joao+CAFE", "?q=cafe-1", "?q=7899900000110"] {
            let list = browser.get(&format!("{HERE}{query}")).await;
            assert!(list.has("Café torrado São João") && list.has("R$ 18,90") && list.has("09012100"), "{query}: {}", list.html);
            assert_eq!(list.has(other_place), query.is_empty(), "{query}: {}", list.html);
        }
        assert!(browser.get(&format!("{HERE}?q=cafe%25")).await.has("Nenhum produto foi encontrado"), "a sign is a sign");
        assert!(browser.get("/painel/busca?q=sao%20joao").await.has(place));

        let changed = browser.follow(place, &with("valor", "")).await;
        assert!(changed.has("Alterações salvas") && !changed.has("18,90") && changed.has("value=\"CAFE-1\""), "{}", changed.html);
        let taken = browser.send(other_place, &[("descricao", "Moedor"), ("codigo", "CAFE-1")]).await;
        assert!(taken.status == 422 && taken.has("já tem este código"), "{}", taken.html);
        let wrong = browser.send(place, &with("ncm", "1")).await;
        assert!(wrong.status == 422 && wrong.has("Não é um NCM") && wrong.has("value=\"CAFE-1\""), "{}", wrong.html);
        // Only a form of the page changes something, once.
        let form = format!("csrf={}&descricao=Outro", browser.csrf).into_bytes();
        let bare = browser.post(place, "application/x-www-form-urlencoded", form).await;
        assert!(bare.status == 422 && bare.has("Falta no formulário a ficha"), "{}", bare.html);
        assert_eq!(browser.send(place, &[("csrf", "outro"), ("descricao", "Outro")]).await.status, 403);
        assert!(browser.get(place).await.has("Café torrado São João"));

        // Nobody else reaches it.
        let mut other = registered(&app, "outra@exemplo.com.br").await;
        assert!(other.get(HERE).await.has("Nenhum produto ainda"));
        for path in [place.to_owned(), format!("{place}/excluir")] {
            assert_eq!(other.send(&path, &PRODUCT).await.status, 404, "{path}");
            other.get(HERE).await;
        }
        assert_eq!(other.get(place).await.status, 404);
        assert_eq!(other.send(HERE, &PRODUCT).await.status, 303, "codes are of an account");

        let page = browser.get(place).await;
        assert!(page.has("value=\"CAFE-1\""), "{}", page.html);
        let action = format!("{place}/excluir");
        let gone = browser.submit(&action, &page.form(&action)).await;
        assert_eq!(gone.to, format!("{HERE}?excluido=1"), "{}", gone.html);
        let list = browser.get(&gone.to).await;
        assert!(list.has("Produto excluído") && !list.has("Café torrado") && list.has("Moedor"), "{}", list.html);
        assert_eq!(browser.get(place).await.status, 404);
        let audit = browser.get("/painel/auditoria").await;
        for action in ["produto.cadastrado", "produto.alterado", "produto.excluido"] {
            assert!(audit.has(action), "{action}: {}", audit.html);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn the_form_offers_and_keeps_products_and_files_name_them(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        browser.get(HERE).await;
        let made = browser.send(HERE, &PRODUCT).await;
        assert_eq!(made.status, 303, "{}", made.html);
        let form = filled(&mut browser, &emitter, &[]).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
        // What is registered comes before what was sold.
        let form = filled(&mut browser, &emitter, &[("produto_busca", "torrado cafe"), ("acao", "produtos")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        let at = |name: &str| page.html.find(&format!("aria-label=\"Acrescentar {name}\"")).unwrap_or_else(|| panic!("{name}: {}", page.html));
        assert!(at("Café torrado São João") < at("Café torrado 1 kg") && page.has("código CAFE-1, NCM 09012100, R$ 18,90"), "{}", page.html);
        let mut button = String::new();
        for words in ["CAFE-1", "7899900000110", "joao"] {
            let form = filled(&mut browser, &emitter, &[("produto_busca", words), ("acao", "produtos")]).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert_eq!(page.html.matches("value=\"produto:").count(), 1, "{words}: {}", page.html);
            let found = page.html.split("value=\"produto:").nth(1).and_then(|rest| rest.split('"').next());
            button = found.expect("a product").replace("&amp;", "&");
        }
        let form = filled(&mut browser, &emitter, &[("acao", &format!("produto:{button}"))]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        for (name, given) in [("descricao", "Café torrado São João"), ("codigo", "CAFE-1"), ("ncm", "09012100"), ("valor", "18,90"), ("unidade", "PCT"), ("cfop", "5102"), ("cest", "1709600"), ("gtin", "7899900000110"), ("quantidade", "1")] {
            assert_eq!(value(&page, &format!("{name}-2")), given, "{name}: {}", page.html);
        }

        // An item is kept; again under its code, it is the same product.
        for (price, ncm, said) in [("7,50", "4823.20.99", "Produto guardado no cadastro"), ("8,00", "", "Produto atualizado no cadastro")] {
            let item = [("descricao", "Filtro de papel"), ("codigo", "FILTRO"), ("ncm", ncm), ("valor", price), ("unidade", "CX"), ("acao", "guardar-produto:1")];
            let form = filled(&mut browser, &emitter, &item).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 200 && page.has(said), "{price}: {}", page.html);
            assert_eq!((value(&page, "descricao").as_str(), value(&page, "valor").as_str()), ("Filtro de papel", price));
        }
        let list = browser.get(&format!("{HERE}?q=filtro")).await;
        assert!(list.html.matches("/painel/produtos/prd_").count() == 1 && list.has("R$ 8,00") && list.has("48232099"), "{}", list.html);
        // Without a code it is known by its description.
        for _ in 0..2 {
            let form = filled(&mut browser, &emitter, &[("descricao", "Moedor"), ("acao", "guardar-produto:1")]).await;
            assert_eq!(browser.submit("/painel/emitir", &form).await.status, 200);
        }
        let list = browser.get(&format!("{HERE}?q=moedor")).await;
        assert_eq!(list.html.matches("/painel/produtos/prd_").count(), 1, "{}", list.html);
        let form = filled(&mut browser, &emitter, &[("ncm", "123"), ("acao", "guardar-produto:1")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(page.status == 422 && fault(&page, "ncm").contains("Não é um NCM"), "{}", page.html);

        // A file names them by their codes; another code says what is missing.
        let file = "CNPJ;Cliente;CEP;Rua;Nº;Bairro;Cidade;UF;Código;Qtd;Pagamento\n\
            12.345.678/0001-95;Cliente Exemplo Ltda;30140-071;Rua da Bahia;1000;Centro;Belo Horizonte;MG;FILTRO;2;PIX\n\
            12.345.678/0001-95;Cliente Exemplo Ltda;30140-071;Rua da Bahia;1000;Centro;Belo Horizonte;MG;NENHUM;2;PIX\n";
        browser.get("/painel/lotes").await;
        let parts = [("tipo", None, &b"nfe"[..]), ("emitente", None, emitter.as_bytes()), ("arquivo", Some("vendas.csv"), file.as_bytes())];
        let sent = browser.upload("/painel/lotes", &parts).await;
        let page = browser.get(&sent.to).await;
        let lacking = page.html.split("<tr>").any(|row| row.contains(">3</td>") && row.contains("Valor unitário"));
        assert!(page.has("Emitir 1 nota de R$ 16,00") && lacking, "{} {}", sent.html, page.html);
        // What a line says itself is never taken from another product, nor a price of another unit.
        let head = "CNPJ;Cliente;CEP;Rua;Nº;Bairro;Cidade;UF;Código;Descrição;NCM;Unidade;Valor unitário;Qtd;Pagamento\n";
        let to = "12.345.678/0001-95;Cliente Exemplo Ltda;30140-071;Rua da Bahia;1000;Centro;Belo Horizonte;MG";
        let file = format!(
            "{head}{to};FILTRO;Parafuso;73181500;;;2;PIX\n{to};FILTRO;;;UN;;2;PIX\n{to};FILTRO;;;UN;3,00;2;PIX\n{to};FILTRO;;;CX;;1;PIX\n"
        );
        browser.get("/painel/lotes").await;
        let parts = [("tipo", None, &b"nfe"[..]), ("emitente", None, emitter.as_bytes()), ("arquivo", Some("vendas.csv"), file.as_bytes())];
        let sent = browser.upload("/painel/lotes", &parts).await;
        let page = browser.get(&sent.to).await;
        let lacking = |line: &str| page.html.split("<tr>").any(|row| row.contains(&format!(">{line}</td>")) && row.contains("Valor unitário"));
        assert!(page.has("Emitir 2 notas de R$ 14,00") && lacking("2") && lacking("3"), "{} {}", sent.html, page.html);
        // A column of prices that is not understood is not replaced by what is registered.
        let file = format!("{}{to};FILTRO;;;;3,00;2;PIX\n", head.replace("Valor unitário", "Preço de venda"));
        browser.get("/painel/lotes").await;
        let parts = [("tipo", None, &b"nfe"[..]), ("emitente", None, emitter.as_bytes()), ("arquivo", Some("vendas.csv"), file.as_bytes())];
        let sent = browser.upload("/painel/lotes", &parts).await;
        assert!(sent.status == 422 && sent.has("não achamos: Valor unitário"), "{}", sent.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_register_has_pages_and_an_end(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let account = account(&mut browser).await;
        let written = app.app.db.write((account, app.app.now_ms()), |(account, now_ms), conn| Box::pin(async move {
            for n in 1..=MOST {
                let row = ProductRow {
                    id: ProdutoId::new(*now_ms + n),
                    account_id: account.as_str().into(),
                    codigo: format!("P{n}"),
                    descricao: format!("Produto {n}"),
                    busca: format!("produto {n} p{n}"),
                    ..ProductRow::default()
                };
                assert!(produtos::insert(conn, &row).await?);
            }
            Ok::<_, TxError<Infallible>>(())
        }));
        written.await.expect("written");
        let page = browser.get(&format!("{HERE}?q=produto")).await;
        assert!(page.has(">Produto 5000<") && page.has(">Produto 4951<") && !page.has(">Produto 4950<"), "{}", page.html);
        let next = page.links().into_iter().find(|link| link.contains("cursor=prd_")).expect("a next page").replace("&amp;", "&");
        let page = browser.get(&next).await;
        assert!(page.has(">Produto 4950<") && !page.has(">Produto 4951<"), "{next}: {}", page.html);
        let full = browser.send(HERE, &PRODUCT).await;
        assert!(full.status == 422 && full.has("até 5.000 produtos") && full.has("value=\"CAFE-1\""), "{}", full.html);
        for (codigo, name, status, said) in [
            ("NOVO", "Produto 1", 422, "até 5.000 produtos"),
            ("P1", "PRODUTO  1", 200, "Produto atualizado no cadastro"),
            ("P1", "Outro", 422, "O código já é de “PRODUTO 1” no cadastro"),
        ] {
            let item = [("codigo", codigo), ("descricao", name), ("acao", "guardar-produto:1")];
            let form = filled(&mut browser, &emitter, &item).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == status && page.has(said), "{codigo}: {}", page.html);
        }
    }
}
