//! Documents that programs made and people issue again: what the form has no field for is named.

use super::value;
use crate::documents::Shop;
use serde_json::json;
use tests::bodies::{nfe, nfse, with};
use tests::{Answer, both, on_sqlite};

/// The form that a document fills.
fn again(document: &Answer) -> String {
    format!("/painel/emitir?de={}", document.text_at("/nota_id"))
}

/// The sentence that names what was not copied.
fn left_out(html: &str) -> &str {
    let rest = html.split_once("Não foi copiado, porque o formulário não tem: ");
    rest.and_then(|(_, rest)| rest.split_once('<'))
        .map_or("", |(sentence, _)| sentence)
}

both! {
    async fn what_items_say_is_copied_or_named(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let items = json!([
            { "codigo": "SKU1", "descricao": "Café torrado 1 kg", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.90, "frete": 5, "seguro": 1.50, "informacoes": "Torra clara" },
            { "descricao": "Filtro de papel", "ncm": "48232099", "quantidade": 1, "valor_unitario": 10, "frete": 2.25, "informacoes": "Caixa de 40", "pedido": { "numero": "77" } },
        ]);
        let body = with(with(nfe(), "/itens", items), "/pagamentos", json!([{ "forma": "pix", "valor": 56.55 }]));
        let body = with(body, "/destinatario/telefone", "3133334444");
        let note = shop.issue(&app, "/api/v1/nfe", body.clone()).await;
        let draft = shop.issue(&app, "/api/v1/nfe/criar", body).await;
        for document in [&note, &draft] {
            let page = shop.page(&again(document)).await;
            assert_eq!(value(&page, "frete"), "7,25", "{}", page.html);
            assert!(page.has("O frete dos itens foi somado"), "{}", page.html);
            let left = left_out(&page.html);
            for word in ["telefone do cliente", "seguro (item 1)", "informações adicionais do produto (itens 1 e 2)", "pedido do comprador (item 2)"] {
                assert!(left.contains(word), "{word}: {left}");
            }
            for word in ["outros dados", "impostos", "tributável", "cartão", "frete"] {
                assert!(!left.contains(word), "{word}: {left}");
            }
        }
    }
}

on_sqlite! {
    async fn what_a_service_says_is_named(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let plain = shop.issue(&app, "/api/v1/nfse/criar", nfse()).await;
        let page = shop.page(&again(&plain)).await;
        assert!(page.has("Rascunho aberto") && left_out(&page.html).is_empty(), "{}", page.html);
        let service = json!({ "descricao": "Consultoria", "codigo_tributacao_nacional": "010101", "codigo_nbs": "115022000", "codigo_tributacao_municipio": "001" });
        let values = json!({
            "servico": 1500, "desconto_condicionado": 10, "deducoes": { "valor": 100 }, "retencoes": { "inss": 11 },
            "iss": { "aliquota": 2, "retencao": "tomador" },
        });
        let body = with(with(nfse(), "/servico", service), "/valores", values);
        let body = with(body, "/tomador/im", "123");
        let draft = shop.issue(&app, "/api/v1/nfse/criar", body).await;
        let page = shop.page(&again(&draft)).await;
        assert_eq!((value(&page, "aliquota").as_str(), value(&page, "valor").as_str()), ("2", "1500,00"), "{}", page.html);
        assert!(page.has("value=\"tomador\" selected"), "{}", page.html);
        assert_eq!(
            left_out(&page.html),
            "inscrição municipal do cliente, código do serviço na prefeitura, código NBS, desconto condicionado, deduções, retenções de tributos federais."
        );
    }
}

on_sqlite! {
    async fn what_a_draft_asks_for_is_named(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let known = json!({ "emitente_id": shop.emitter, "cpf_cnpj": "11444777000161", "nome": "Cliente Guardado Ltda" });
        let person = shop.post(&app, "/api/v1/pessoas", &known).await;
        let item = json!([{
            "descricao": "Café", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.90, "origem": "0",
            "impostos": { "icms": { "cst": "00", "aliquota": 12 } },
        }]);
        let body = with(with(nfe(), "/itens", item), "/desconto", 1.80);
        let body = with(body, "/destinatario", json!({ "pessoa_id": person.text_at("/id"), "endereco": {
            "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200", "uf": "MG"
        } }));
        let body = with(body, "/pagamentos", json!([{ "forma": "outros", "descricao": "Permuta", "valor": 36 }]));
        let draft = shop.issue(&app, "/api/v1/nfe/criar", body).await;
        let page = shop.page(&again(&draft)).await;
        assert_eq!(value(&page, "nome"), "Cliente Guardado Ltda", "{}", page.html);
        assert_eq!(
            left_out(&page.html),
            "desconto da nota inteira, a forma de um pagamento, descrição do pagamento, impostos escritos à mão (item 1), origem da mercadoria (item 1)."
        );
    }
}
