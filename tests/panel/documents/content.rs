//! What the page of a document says that was not authorized.

use super::{Shop, key, place};
use crate::issuing::filled;
use crate::pages::account;
use crate::registered;
use crate::worlds::live_company;
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::tables::notas;
use tests::bodies::{nfe, nfse, with};
use tests::{TestApp, both, on_sqlite};

/// A service note that the simulated city refuses; its id.
async fn refused(app: &TestApp, shop: &Shop) -> String {
    let body = with(nfse(), "/emitente_id", shop.emitter.as_str());
    let body = with(
        body,
        "/valores/tributos_aproximados",
        json!({ "modo": "simples", "percentual": 6 }),
    );
    let answer = shop.post(app, "/api/v1/nfse", &body).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    answer.text_at("/nota_id").to_owned()
}

both! {
    async fn what_was_asked_for_is_shown(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let service = refused(&app, &shop).await;
        let page = shop.page(&format!("/painel/documentos/{service}")).await;
        for text in ["é o que foi pedido. Ele não foi autorizado", "Prestador", "Loja Exemplo Ltda", "Tomador", "Cliente Exemplo Ltda", "Rua da Bahia, 1000, Centro", "Belo Horizonte/MG", "Desenvolvimento de software", "R$ 1.500,00", "<dd>2%</dd>"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let draft = shop.issue(&app, "/api/v1/nfe/criar", nfe()).await;
        let page = shop.page(&place(&draft)).await;
        for text in ["é o do rascunho", "Emitente", "11.222.333/0001-81", "Destinatário", "Rua da Bahia, 1000, Centro, Belo Horizonte/MG, CEP 30140-071", "Café torrado 1 kg", "09012100", "R$ 18,90", "PIX", "<strong>R$ 37,80</strong>"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let paid = [("vale_alimentacao", 18.9), ("deposito", 10.0), ("cartao_loja", 8.9)];
        let paid = paid.map(|(means, amount)| json!({ "forma": means, "valor": amount }));
        let bills = json!({ "duplicatas": [{ "numero": "001", "vencimento": "2099-01-10", "valor": 37.80 }] });
        let draft = with(with(nfe(), "/pagamentos", json!(paid)), "/cobranca", bills);
        let draft = shop.issue(&app, "/api/v1/nfe/criar", draft).await;
        let page = shop.page(&place(&draft)).await;
        for text in ["<dt>Vale-alimentação</dt>", "<dt>Depósito</dt>", "<dt>Cartão da loja</dt>", ">10/01/2099<"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let service = shop.issue(&app, "/api/v1/nfse/criar", nfse()).await;
        let page = shop.page(&place(&service)).await;
        assert!(page.has("é o do rascunho") && page.has("Desenvolvimento de software") && page.has("R$ 1.500,00"), "{}", page.html);

        // Of a form that is not finished, what was written.
        let written = [("descricao", "Filtro de papel"), ("quantidade", "duas"), ("valor", "18,50"), ("ncm", ""), ("acao", "rascunho")];
        for (kind, texts) in [("nfe", ["Filtro de papel", "R$ 18,50", "Cliente Exemplo Ltda"]), ("nfse", ["Filtro de papel", "Tomador", "Cliente Exemplo Ltda"])] {
            let mut fields = written.to_vec();
            fields.push(("tipo", kind));
            let form = filled(&mut shop.browser, &shop.emitter, &fields).await;
            let kept = shop.browser.submit("/painel/emitir", &form).await;
            assert_eq!(kept.status, 303, "{kind}: {}", kept.html);
            let page = shop.page(&kept.to).await;
            assert!(page.has("é o do rascunho"), "{kind}: {}", page.html);
            for text in texts {
                assert!(page.has(text), "{kind} {text}: {}", page.html);
            }
        }
        // Once it is authorized, nothing of the sort is said.
        let note = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        assert!(!shop.page(&place(&note)).await.has("O conteúdo abaixo"));
    }
}

on_sqlite! {
    async fn totals_of_items_are_without_their_discounts(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let body = with(nfe(), "/itens/0/desconto", json!(2.05));
        let body = with(body, "/pagamentos/0/valor", json!(35.75));
        for path in ["/api/v1/nfe", "/api/v1/nfe/criar"] {
            let note = shop.issue(&app, path, body.clone()).await;
            let page = shop.page(&place(&note)).await;
            assert!(page.has("R$ 35,75<div class=\"suave pequeno\">com desconto de R$ 2,05</div>"), "{path}: {}", page.html);
        }
    }
}

/// A total as the page says it.
fn sum(name: &str, amount: &str) -> String {
    format!("<dt>{name}</dt><dd class=\"num\">R$ {amount}</dd>")
}

on_sqlite! {
    async fn what_the_state_of_a_consumer_has_is_among_totals_and_taxes(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let body = with(nfe(), "/destinatario", json!({
            "cpf_cnpj": "52998224725", "nome": "Pessoa Exemplo", "indicador_ie": 9,
            "endereco": { "cep": "20010000", "logradouro": "Rua A", "numero": "10", "bairro": "Centro", "codigo_ibge": "3304557", "uf": "RJ" }
        }));
        let body = with(with(body, "/itens/0/quantidade", json!(10)), "/itens/0/valor_unitario", json!(100));
        let body = with(with(body, "/pagamentos/0/valor", json!(1000)), "/presenca", "internet");
        let note = shop.issue(&app, "/api/v1/nfe", body).await;
        let page = shop.page(&place(&note)).await;
        for (name, amount) in [("ICMS", "120,00"), ("ICMS para o outro estado", "80,00"), ("Fundo de combate à pobreza do outro estado", "20,00")] {
            assert!(page.has(&sum(name, amount)), "{name}: {}", page.html);
        }
        assert!(!page.has("estado de origem"), "the sender's state has no part: {}", page.html);
        let tax = "<strong>ICMS para o outro estado</strong> base R$ 1.000,00, alíquota do destino 20%, interestadual 12%, R$ 80,00, Fundo de combate à pobreza 2% R$ 20,00</li>";
        assert!(page.has(tax), "{}", page.html);
        // Both rates that the hub took from its tables are told, in words for people.
        for text in ["Alíquota interestadual da tabela: 12%. Confira com o seu contador", "Alíquota modal interna de RJ, da tabela: 20,00%. Confira com o seu contador"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        assert!(!page.has("Informe aliquota"), "{}", page.html);
    }
}

on_sqlite! {
    async fn what_is_withheld_estimated_or_inside_a_tax_is_shown(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let taxes = json!({
            "icms": { "cst": "00", "aliquota": 18, "fcp": { "aliquota": 2 } },
            "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 },
            "valor_aproximado": 5
        });
        let body = with(nfe(), "/itens/0/impostos", taxes);
        let body = with(body, "/retencoes", json!({ "irrf": 1.5, "base_irrf": 100 }));
        let note = shop.issue(&app, "/api/v1/nfe", body).await;
        let page = shop.page(&place(&note)).await;
        for (name, amount) in [("FCP", "0,76"), ("Tributos aproximados", "5,00"), ("IRRF retido", "1,50")] {
            assert!(page.has(&sum(name, amount)), "{name}: {}", page.html);
        }
        assert!(page.has("<strong>FCP</strong>") && page.has("2%, R$ 0,76</li>"), "{}", page.html);
        assert!(!page.has("outro estado"), "{}", page.html);
    }
}

on_sqlite! {
    async fn a_refused_note_shows_what_was_sent(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let key = key(&mut browser).await;
        let mut shop = Shop { browser, emitter, key };
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("autorizar".to_owned()), vezes: Some(1), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("778".to_owned()),
            mensagem: Some("Rejeicao: Informado NCM inexistente [nItem:2]".to_owned()),
            ..Default::default()
        });
        let body = with(nfe(), "/emitente_id", shop.emitter.as_str());
        let mut items = body["itens"].clone();
        items.as_array_mut().expect("items").push(json!({ "codigo": "SKU2", "descricao": "Filtro de papel", "ncm": "48232099", "quantidade": 1, "valor_unitario": 10 }));
        let body = with(with(body, "/itens", items), "/pagamentos", json!([{ "forma": "pix", "valor": 47.80 }]));
        let refused = shop.post(&app, "/api/v1/nfe", &body).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let page = shop.page(&place(&refused)).await;
        for text in ["Ele não foi autorizado", "Café torrado 1 kg", "09012100", "R$ 37,80", "12.345.678/0001-95", "ICMS"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        // The reason is read once, and its item is found.
        assert_eq!(page.html.matches("Informado NCM inexistente").count(), 1, "{}", page.html);
        let row = page.html.split("<tr>").find(|row| row.contains("Filtro de papel")).expect("the row");
        assert!(row.contains("Item 2: a corrigir") && !page.has("Item 1: a corrigir"), "{}", page.html);
    }
}

on_sqlite! {
    async fn a_wrong_field_is_called_as_the_form_calls_it(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let id = refused(&app, &shop).await;
        let account = account(&mut shop.browser).await;
        let field = |place: &str, code: &str, message: &str| json!({ "campo": place, "codigo": code, "mensagem": message, "correcao": "" });
        let answer = json!({
            "codigo": "campos_invalidos", "mensagem": "Há campos a corrigir.", "dica": "Corrija e envie de novo.",
            "campos": [
                field("itens[1].ncm", "invalido", "O campo ncm não aceita \"x\"."),
                field("tomador.endereco.cep", "obrigatorio", "Falta o campo endereco_cep."),
                field("valores.iss.valor_x", "invalido", "Informe \"valor_x\"."),
                field("inf_dps.serv", "invalido", "Informe inf_dps."),
            ],
        });
        let input = (account, id.clone(), answer.to_string());
        let changed = app.app.db.write(input, |(account, id, answer), conn| Box::pin(async move {
            let note = notas::get(conn, &account.as_str().into(), &id.as_str().into()).await?;
            let mut note = note.expect("the refused note");
            note.answer.clone_from(answer);
            notas::save(conn, &note).await?;
            Ok::<_, TxError<Infallible>>(())
        }));
        changed.await.expect("changed");
        let page = shop.page(&format!("/painel/documentos/{id}")).await;
        for text in ["Item 2: NCM: o que foi informado não foi aceito.", "CEP: falta preencher.", "Um dado da nota não foi aceito."] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        for text in ["itens[1]", "endereco_cep", "valor_x", "inf_dps"] {
            assert!(!page.has(text), "{text}: {}", page.html);
        }
    }
}
