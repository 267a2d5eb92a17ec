//! Customers: registered, found, changed, and filled into a note.

use super::{Shop, place};
use crate::emitter::alerted;
use tests::bodies::nfe;
use tests::on_sqlite;

const HERE: &str = "/painel/clientes";

on_sqlite! {
    async fn a_customer_is_registered_found_changed_and_filled_in(app: TestApp) {
        let mut shop = Shop::new(&app, "ana@exemplo.com.br").await;
        let empty = shop.page(HERE).await;
        assert!(empty.has("Nenhum cliente ainda"), "{}", empty.html);
        // A state is chosen, as in the form that issues, and both say the same of registrations.
        let issuing = shop.page("/painel/emitir").await;
        for page in [&empty, &issuing] {
            for text in ["<select id=\"uf\" name=\"uf\"", "Contribuinte isento: escreva ISENTO. Não contribuinte: deixe vazio."] {
                assert!(page.has(text), "{text}: {}", page.html);
            }
        }
        let emitter = shop.emitter.clone();
        let customer = [
            ("emitente", emitter.as_str()), ("cpf_cnpj", "12.345.678/0001-95"), ("nome", "Padaria São João"), ("email", "compras@exemplo.com.br"),
            ("ie", ""), ("im", ""), ("cep", "30140-071"), ("logradouro", "Rua da Bahia"), ("numero", "1000"), ("complemento", ""),
            ("bairro", "Centro"), ("municipio", "Belo Horizonte"), ("uf", "MG"),
        ];
        // What is wrong stands beside its field, and all stays filled in.
        for (field, value, beside) in [("cpf_cnpj", "12.345.678/0001-94", "cpf_cnpj"), ("municipio", "Belo Horizomte", "municipio"), ("cep", "123", "cep")] {
            let wrong = customer.map(|(name, given)| (name, if name == field { value } else { given }));
            let page = shop.browser.send(HERE, &wrong).await;
            assert!(page.status == 422 && page.has(&format!("id=\"{beside}-falha\"")), "{field}: {}", page.html);
            assert!(page.has("value=\"Padaria São João\"") && page.has(&format!("value=\"{value}\"")), "{field}: {}", page.html);
            assert!(page.has("<option value=\"MG\" selected>"), "{field}: {}", page.html);
        }
        let made = shop.browser.send(HERE, &customer).await;
        let (place, said) = made.to.split_once('?').expect("the customer's page");
        assert_eq!(said, "criado=1", "{}", made.html);
        let again = shop.browser.send(HERE, &customer).await;
        assert_eq!(again.to, format!("{place}?ja=1"), "{}", again.html);

        for query in ["", "?q=sao+joao", "?q=12345678000195"] {
            let list = shop.page(&format!("{HERE}{query}")).await;
            assert!(list.has("Padaria São João") && list.has("Belo Horizonte/MG"), "{query}: {}", list.html);
        }
        let nobody = shop.page(&format!("{HERE}?q=Mercearia")).await;
        assert!(nobody.has("Ninguém foi encontrado"), "{}", nobody.html);
        assert!(shop.page("/painel/busca?q=padaria").await.has(place));

        let page = shop.browser.follow(place, &[("nome", "Padaria São João Ltda"), ("email", ""), ("ie", "ISENTO"), ("im", "")]).await;
        assert!(page.has("Alterações salvas") && page.has("value=\"ISENTO\"") && !page.has("compras@exemplo.com.br"), "{}", page.html);
        let more = [
            ("cep", "80010-000"), ("logradouro", "Rua XV"), ("numero", "10"), ("bairro", "Centro"), ("municipio", "Curitiba"), ("uf", "PR"), ("principal", "1"),
        ];
        let page = shop.browser.follow(&format!("{place}/enderecos"), &more).await;
        assert!(page.has("Curitiba/PR") && page.has("Belo Horizonte/MG"), "{}", page.html);

        // The way from there to a note of theirs.
        let way = page.links().into_iter().find(|link| link.contains("cliente=")).expect("a way to issue");
        let form = shop.page(&way.replace("&amp;", "&")).await;
        for value in ["Padaria São João Ltda", "12.345.678/0001-95", "Curitiba", "80010-000"] {
            assert!(form.has(&format!("value=\"{value}\"")), "{value}: {}", form.html);
        }
        let foreign = crate::registered(&app, "outra@exemplo.com.br").await.get(place).await;
        assert_eq!(foreign.status, 404, "{}", foreign.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_wrong_with_a_customer_is_said_in_the_words_of_people(app: TestApp) {
        let mut shop = Shop::new(&app, "ana@exemplo.com.br").await;
        let emitter = shop.emitter.clone();
        let person = |number: &'static str, name: &'static str| [("emitente", emitter.as_str()), ("cpf_cnpj", number), ("nome", name)];
        shop.page(HERE).await;
        let empty = shop.browser.send(HERE, &person("", "")).await;
        let alert = alerted(&empty);
        assert!(empty.status == 422 && alert.contains("Corrija 2 campos") && alert.contains("href=\"#cpf_cnpj\"") && alert.contains("href=\"#nome\""), "{}", empty.html);
        assert!(empty.has("Preencha o CPF ou CNPJ.") && empty.has("Preencha o nome ou a razão social.") && empty.tag("cpf_cnpj").contains(" autofocus"), "{}", empty.html);
        let wrong = shop.browser.send(HERE, &person("529.982.247-26", "Maria")).await;
        let alert = alerted(&wrong);
        assert!(wrong.status == 422 && alert.contains("Corrija um campo") && alert.contains("dígito verificador não confere"), "{}", wrong.html);
        let made = shop.browser.send(HERE, &person("12.345.678/0001-95", "Padaria São João")).await;
        let (place, _) = made.to.split_once('?').expect("the customer's page");
        shop.page(place).await;
        let nameless = shop.browser.send(place, &[("nome", ""), ("email", ""), ("ie", ""), ("im", "")]).await;
        assert!(nameless.status == 422 && nameless.has("Preencha o nome ou a razão social."), "{}", nameless.html);
        let nowhere = shop.browser.send(&format!("{place}/enderecos"), &[("cep", "30140-071"), ("municipio", ""), ("uf", "MG")]).await;
        let alert = alerted(&nowhere);
        assert!(nowhere.status == 422 && alert.contains("Corrija 4 campos") && alert.contains("href=\"#logradouro\"") && alert.contains("href=\"#municipio\""), "{}", nowhere.html);
        // What cannot be is told with what is missing, and not in a second round.
        let all = [
            ("emitente", emitter.as_str()), ("cpf_cnpj", "111.111.111-11"), ("nome", ""), ("email", "maria@"),
            ("cep", "123"), ("logradouro", "Rua da Bahia"), ("numero", ""), ("bairro", "Centro"), ("municipio", ""), ("uf", "MG"),
        ];
        shop.page(HERE).await;
        let all = shop.browser.send(HERE, &all).await;
        let alert = alerted(&all);
        let places: Vec<usize> = ["cpf_cnpj", "nome", "email", "cep", "numero", "municipio"]
            .iter()
            .map(|field| alert.find(&format!("href=\"#{field}\"")).expect("it is told"))
            .collect();
        assert!(all.status == 422 && alert.contains("Corrija 6 campos") && places.is_sorted(), "{}", all.html);
        shop.page(place).await;
        let two = shop.browser.send(place, &[("nome", ""), ("email", "maria@"), ("ie", ""), ("im", "")]).await;
        assert!(two.status == 422 && alerted(&two).contains("Corrija 2 campos"), "{}", two.html);
        let far = shop.browser.send(&format!("{place}/enderecos"), &[("cep", "123"), ("logradouro", "Rua XV"), ("numero", "1"), ("bairro", "Centro"), ("municipio", ""), ("uf", "PR")]).await;
        assert!(far.status == 422 && alerted(&far).contains("Corrija 2 campos") && far.has("O CEP deve ter 8 dígitos."), "{}", far.html);
        for page in [empty, wrong, nameless, nowhere, all, two, far] {
            for text in ["parâmetro", "entre aspas", "Código para o suporte", "ponto a corrigir", "obrigatório ausente"] {
                assert!(!page.has(text), "{text}: {}", page.html);
            }
        }
    }
}

on_sqlite! {
    async fn one_thing_has_one_name_on_all_pages(app: TestApp) {
        let mut shop = Shop::new(&app, "ana@exemplo.com.br").await;
        let note = place(&shop.issue(&app, "/api/v1/nfe", nfe()).await);
        let emitter = format!("/painel/emitentes/{}", shop.emitter);
        for (path, texts) in [
            (emitter.as_str(), vec![">Salvar os dados<", ">Salvar certificado<", ">Salvar logotipo<", "<dt>Identificador</dt>"]),
            ("/painel/creditos", vec![">Salvar<"]),
            (HERE, vec!["<label for=\"logradouro\">Logradouro"]),
            ("/painel/emitir", vec!["<label for=\"logradouro\">Logradouro"]),
            ("/painel/configuracoes", vec!["<dt>Identificador</dt>"]),
            (note.as_str(), vec!["<dt>Identificador</dt>"]),
        ] {
            let page = shop.page(path).await;
            for text in texts {
                assert!(page.has(text), "{path} {text}: {}", page.html);
            }
            for text in [">Gravar", ">Rua<", "<dt>Id</dt>"] {
                assert!(!page.has(text), "{path} {text}: {}", page.html);
            }
        }
        let csv = shop.page("/painel/documentos/csv").await;
        assert!(csv.html.lines().next().is_some_and(|titles| titles.ends_with(";Identificador")), "{}", csv.html);
    }
}
