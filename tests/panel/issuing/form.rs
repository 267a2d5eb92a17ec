//! The form: items and payments, errors beside fields, what its buttons fill
//! in, and the question before a note is issued.

use super::bulk::upload;
use super::{fault, filled, value};
use crate::browser::Browser;
use crate::pages::{NOBODY, NOTE, company};
use crate::registered;
use tests::{both, on_sqlite};

/// Two more items, one with a discount.
const ITEMS: &[(&str, &str)] = &[
    ("descricao-2", "Filtro de papel"),
    ("ncm-2", "4823.20.99"),
    ("quantidade-2", "1"),
    ("valor-2", "R$ 10,00"),
    ("desconto-2", "1,50"),
    ("descricao-3", "Moedor"),
    ("ncm-3", "82100010"),
    ("quantidade-3", "3"),
    ("valor-3", "5"),
];

async fn xml(browser: &mut Browser, note: &str) -> String {
    browser.get(&format!("{note}/xml")).await.html
}

both! {
    async fn a_note_has_many_items_with_discount_and_two_payments(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut fields = ITEMS.to_vec();
        // The second payment takes what is left.
        fields.extend([("forma", "pix"), ("pago", "50,00"), ("forma-2", "dinheiro"), ("pago-2", "")]);
        let form = filled(&mut browser, &emitter, &fields).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        let note = browser.get(&sent.to).await;
        assert!(note.has("autorizada") && note.has("R$ 61,30"), "{}", note.html);
        let xml = xml(&mut browser, &sent.to).await;
        for part in ["<vNF>61.30</vNF>", "<vDesc>1.50</vDesc>", "<tPag>17</tPag><vPag>50.00</vPag>", "<tPag>01</tPag><vPag>11.30</vPag>", "<xProd>Moedor</xProd>"] {
            assert!(xml.contains(part), "{part}: {xml}");
        }
        // The same form again is the same note.
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, sent.to);
        // Several lines of a service note are one service.
        let mut service = fields.clone();
        service.extend([("tipo", "nfse")]);
        let form = filled(&mut browser, &emitter, &service).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfse_"), "{} {}", sent.status, sent.html);
        assert!(browser.get(&sent.to).await.has("R$ 62,80"), "the discount is beside the price of the service");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn words_depend_on_the_kind_of_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        for (product, service) in [
            ("Destinatário", "Tomador"),
            ("Na NFC-e pode ficar vazio.", "Pode ficar vazio onde a prefeitura aceita nota sem tomador."),
            ("Produtos", "Itens do serviço"),
            ("Frete, natureza da operação e outros dados", "Outros dados"),
        ] {
            let both = format!("<span class=\"so-produto\">{product}</span><span class=\"so-servico\">{service}</span>");
            assert!(page.has(&both), "{both}: {}", page.html);
        }
        // Nothing can be sent from a hub without a server of mail.
        assert!(page.tag("email").contains("name=\"email\"") && !page.has("Para enviar a nota depois"), "{}", page.html);
        for (kind, called, not) in [("nfe", "Destinatário", "Tomador"), ("nfse", "Tomador", "Destinatário")] {
            let form = filled(&mut browser, &emitter, &[("tipo", kind), ("acao", "conferir")]).await;
            let asked = browser.submit("/painel/emitir", &form).await;
            assert!(asked.has(&format!("<dt>{called}</dt>")) && !asked.has(not), "{kind}: {}", asked.html);
        }
    }
}

on_sqlite! {
    async fn states_stand_in_the_order_of_the_alphabet(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        let list = page.html.split("id=\"uf\"").nth(1).and_then(|rest| rest.split("</select>").next()).expect("the list");
        let shown: Vec<&str> = list.split("<option value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(shown.len() == 28 && shown.is_sorted() && shown[1] == "AC", "{shown:?}");
    }
}

on_sqlite! {
    async fn rows_are_added_and_removed_without_a_script(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let form = filled(&mut browser, &emitter, &[("desconto", "1,00")]).await;
        let press = |form: &[(String, String)], action: &str| {
            let mut form = form.to_vec();
            form.push(("acao".to_owned(), action.to_owned()));
            form
        };
        let two = browser.submit("/painel/emitir", &press(&form, "item")).await;
        assert!(two.status == 200 && two.has("name=\"descricao-2\"") && two.has("value=\"retirar-item:1\""), "{}", two.html);
        assert_eq!((value(&two, "desconto").as_str(), value(&two, "nome").as_str()), ("1,00", "Cliente Exemplo Ltda"));
        let three = browser.submit("/painel/emitir", &press(&two.filled("/painel/emitir", &[("descricao-2", "Filtro"), ("valor-2", "7,50"), ("tipo", "nfe"), ("emitente", &emitter)]), "item")).await;
        assert!(three.has("name=\"descricao-3\""), "{}", three.html);
        // The rows behind move up.
        let back = browser.submit("/painel/emitir", &press(&three.form("/painel/emitir"), "retirar-item:1")).await;
        assert_eq!((value(&back, "descricao").as_str(), value(&back, "valor").as_str()), ("Filtro", "7,50"));
        assert!(back.has("name=\"descricao-2\"") && !back.has("name=\"descricao-3\""), "{}", back.html);
        let paid = browser.submit("/painel/emitir", &press(&back.form("/painel/emitir"), "pagamento")).await;
        assert!(paid.has("name=\"pago-2\"") && paid.has("name=\"forma-2\""), "{}", paid.html);
        let one = browser.submit("/painel/emitir", &press(&paid.form("/painel/emitir"), "retirar-pagamento:2")).await;
        assert!(!one.has("name=\"pago-2\""), "{}", one.html);
        // None of that was a send: the form is still good for a note.
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
    }
}

on_sqlite! {
    async fn what_is_wrong_stands_beside_its_field(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut wrong = ITEMS.to_vec();
        wrong.retain(|(name, _)| !["ncm-2", "quantidade-3"].contains(name));
        wrong.extend([("documento", "11.222.333/0001-82"), ("ncm-2", "123"), ("quantidade-3", "três"), ("desconto-3", "5,00"), ("bairro", ""), ("email", "ana@exemplo.com.br")]);
        let form = filled(&mut browser, &emitter, &wrong).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!(page.status, 422);
        for (name, said) in [("documento", "não é válido: confira os dígitos"), ("ncm-2", "oito números"), ("quantidade-3", "Não é um número"), ("bairro", "Escreva o bairro")] {
            assert!(fault(&page, name).contains(said), "{name} {:?}: {}", fault(&page, name), page.html);
            assert!(page.has(&format!("href=\"#{name}\"")), "{name}: {}", page.html);
        }
        // What only follows from a wrong quantity is not told.
        for name in ["descricao-3", "desconto-3"] {
            assert_eq!(fault(&page, name), "", "{name}: {}", page.html);
        }
        assert!(page.has("aria-describedby=\"ncm-2-erro ncm-2-dica\" aria-invalid=\"true\""), "{}", page.html);
        assert!(page.tag("documento").contains(" autofocus") && page.focused() == 1, "the first that is wrong: {}", page.html);
        for path in ["itens[", "destinatario.", "cpf_cnpj", "endereco", "Idempotency", "codigo_ibge", "rejeição", "request_id"] {
            assert!(!page.has(path), "{path}: {}", page.html);
        }
        // What was written is there.
        for (name, said) in [("quantidade-3", "três"), ("ncm-2", "123"), ("email", "ana@exemplo.com.br"), ("valor-2", "R$ 10,00")] {
            assert_eq!(value(&page, name), said, "{name}");
        }
        // A number with two meanings is asked about.
        let form = filled(&mut browser, &emitter, &[("valor", "1.500")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(fault(&page, "valor").contains("1500 ou 1,500"), "{}", page.html);
        assert_eq!(page.id("soma"), "–", "{}", page.html);
        // What the layout refuses is said by the label of its field.
        let form = filled(&mut browser, &emitter, &[("bairro", "C")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(fault(&page, "bairro").contains("O bairro deve ter de 2 a 60 caracteres") && !page.has("xBairro"), "{}", page.html);
        // Payments that go beyond the total.
        let form = filled(&mut browser, &emitter, &[("pago", "50,00"), ("forma-2", "dinheiro"), ("pago-2", "")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(fault(&page, "pago-2").contains("já chegam ao total"), "{}", page.html);
        // One payment takes what is left, and not one whose amount is wrong.
        for (paid, said, other) in [("3.000", "3000 ou 3,000", ""), ("10,005", "frações de centavo", ""), ("", "", "Só um pagamento pode ficar sem valor")] {
            let form = filled(&mut browser, &emitter, &[("pago", paid), ("forma-2", "dinheiro"), ("pago-2", "")]).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 422 && fault(&page, "pago").contains(said), "{paid}: {} {}", page.status, page.html);
            assert!(fault(&page, "pago-2").contains(other) && fault(&page, "pago-2").is_empty() == other.is_empty(), "{paid}: {}", page.html);
        }
        let form = filled(&mut browser, &emitter, &[("tipo", "nfse"), ("desconto", "1,805")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(page.status == 422 && fault(&page, "desconto").contains("frações de centavo"), "{}", page.html);
        assert!(!browser.get("/painel/documentos").await.has(">NF-e 1<"), "nothing was issued");
    }
}

on_sqlite! {
    async fn a_discount_above_its_item_is_told_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        for (kind, recipient) in [("nfe", &[][..]), ("nfce", NOBODY)] {
            let form = filled(&mut browser, &emitter, &[recipient, &[("tipo", kind), ("quantidade", "1"), ("valor", "10,00"), ("desconto", "12,00")]].concat()).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 422 && page.has("Corrija um campo:"), "{kind}: {}", page.html);
            assert!(fault(&page, "desconto").contains("O desconto passa do valor do item."), "{kind}: {}", page.html);
            assert!(fault(&page, "descricao").is_empty() && !page.has("Descontos e desonerações"), "{kind}: {}", page.html);
            assert!(page.tag("desconto").contains(" autofocus") && page.focused() == 1, "{kind}: {}", page.html);
        }
        // What is wrong with all items together stands above the form.
        let form = filled(&mut browser, &emitter, &[NOBODY, &[("tipo", "nfce"), ("valor", "200000")]].concat()).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(page.status == 422 && page.has("O total R$ 400.000,00 passa do limite da NFC-e, R$ 200.000,00."), "{}", page.html);
        assert!(fault(&page, "descricao").is_empty(), "{}", page.html);
    }
}

on_sqlite! {
    async fn a_consumer_without_a_document_has_no_other_data(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let said = "Sem CPF ou CNPJ, os outros dados do cliente não vão na nota";
        for more in [("nome", "Maria"), ("email", "maria@exemplo.com.br"), ("ie", "ISENTO"), ("bairro", "Centro"), ("municipio", "Belo Horizonte/MG")] {
            let recipient = NOBODY.iter().copied().filter(|(name, _)| *name != more.0);
            let fields: Vec<(&str, &str)> = recipient.chain([more, ("tipo", "nfce")]).collect();
            for action in ["", "conferir"] {
                let form = filled(&mut browser, &emitter, &[&fields[..], &[("acao", action)]].concat()).await;
                let page = browser.submit("/painel/emitir", &form).await;
                assert!(page.status == 422 && fault(&page, "documento").contains(said), "{more:?}: {} {}", page.status, page.html);
            }
        }
        assert!(!browser.get("/painel/documentos").await.has(">NFC-e 1<"), "nothing was issued");
        // The state alone was not written by anybody for a customer.
        let fields = NOBODY.iter().copied().filter(|(name, _)| *name != "uf").chain([("uf", "MG"), ("tipo", "nfce")]);
        let fields: Vec<(&str, &str)> = fields.collect();
        let form = filled(&mut browser, &emitter, &fields).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        // In a file, too.
        let file = "CPF;Cliente;Produto;NCM;Quantidade;Valor;Pagamento\n;Maria;Café torrado;0901.21.00;2;18,90;PIX\n;;Café torrado;0901.21.00;1;18,90;PIX\n";
        let sent = upload(&mut browser, &emitter, "nfce", "vendas.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        let row = page.html.split("<tr>").find(|row| row.contains(">2</td>") && row.contains("CPF ou CNPJ")).unwrap_or_default();
        assert!(row.contains(said) && page.has("Emitir 1 nota de R$ 18,90"), "{} {}", sent.html, page.html);
    }
}

on_sqlite! {
    async fn change_is_given_of_what_was_paid(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let paid = [("quantidade", "1"), ("valor", "10,00"), ("forma", "dinheiro"), ("pago", "15,00")];
        // Without change, an amount may be mistyped.
        let form = filled(&mut browser, &emitter, &paid).await;
        let page = browser.submit("/painel/emitir", &form).await;
        let said = fault(&page, "troco");
        assert!(page.status == 422 && said.contains("passam do total da nota em R$ 5,00 e não foi informado troco. Escreva quanto foi devolvido"), "{said:?}: {}", page.html);
        assert!(page.tag("troco").contains(" autofocus") && fault(&page, "pago").is_empty(), "{}", page.html);
        let other = filled(&mut browser, &emitter, &[&paid[..], &[("troco", "3,00")]].concat()).await;
        let page = browser.submit("/painel/emitir", &other).await;
        assert!(fault(&page, "troco").contains("a diferença entre pagamentos e total: R$ 5,00."), "{:?}: {}", fault(&page, "troco"), page.html);
        for (kind, recipient) in [("nfe", &[][..]), ("nfce", NOBODY)] {
            let form = filled(&mut browser, &emitter, &[recipient, &paid[..], &[("tipo", kind), ("troco", "5,00")]].concat()).await;
            let sent = browser.submit("/painel/emitir", &form).await;
            assert!(sent.to.contains("/documentos/nfe_"), "{kind}: {} {}", sent.status, sent.html);
            let made = xml(&mut browser, &sent.to).await;
            assert!(made.contains("<vPag>15.00</vPag>") && made.contains("<vTroco>5.00</vTroco>"), "{kind}: {made}");
            // A copy has it, too.
            let id = sent.to.rsplit('/').next().expect("an id").split('?').next().expect("an id");
            let copy = browser.get(&format!("/painel/emitir?de={id}")).await;
            assert_eq!((value(&copy, "pago").as_str(), value(&copy, "troco").as_str()), ("15,00", "5,00"), "{kind}: {}", copy.html);
        }
        // What is left of the total is more by the change.
        let open = [("quantidade", "1"), ("valor", "10,00"), ("forma", "dinheiro"), ("pago", ""), ("troco", "5,00")];
        let form = filled(&mut browser, &emitter, &open).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(xml(&mut browser, &sent.to).await.contains("<vPag>15.00</vPag>"), "{}", sent.html);
        let nothing = [("quantidade", "1"), ("valor", "10,00"), ("forma", "sem_pagamento"), ("pago", ""), ("troco", "5,00")];
        let form = filled(&mut browser, &emitter, &nothing).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(page.status == 422 && fault(&page, "troco").contains("Sem pagamento não há troco"), "{}", page.html);
        // Of a note of nothing, nothing is left to pay.
        let free = [("quantidade", "1"), ("valor", "10,00"), ("desconto", "10,00"), ("forma", "dinheiro"), ("pago", ""), ("troco", "")];
        let form = filled(&mut browser, &emitter, &free).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(fault(&sent, "troco").is_empty() && fault(&sent, "pago").is_empty(), "{}", sent.html);
        assert!(xml(&mut browser, &sent.to).await.contains("<vPag>0.00</vPag>"), "{} {}", sent.status, sent.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn all_that_is_missing_is_told_at_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let empty = NOTE.iter().map(|(name, _)| (*name, ""));
        let marked = ["documento", "nome", "logradouro", "bairro", "municipio", "descricao", "ncm", "quantidade", "valor"];
        let fields: Vec<(&str, &str)> = empty.chain([("tipo", "nfe")]).collect();
        let form = filled(&mut browser, &emitter, &fields).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!(page.status, 422, "{}", page.html);
        for name in marked {
            assert!(!fault(&page, name).is_empty(), "{name}: {}", page.html);
            let label = page.html.split(&format!("<label for=\"{name}\"")).nth(1).and_then(|rest| rest.split("</label>").next());
            assert!(label.is_some_and(|label| label.contains("(obrigatório)")), "{name}: {}", page.html);
        }
        // The state follows from the city, and a note needs no CEP.
        for name in ["cep", "uf", "numero"] {
            assert_eq!(fault(&page, name), "", "{name}: {}", page.html);
        }
        // Once these are there, nothing more is asked for.
        let mut fields: Vec<(&str, &str)> = NOTE.iter().copied().filter(|(name, _)| marked.contains(name)).collect();
        fields.extend([("tipo", "nfe"), ("emitente", emitter.as_str()), ("uf", "")]);
        let sent = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &fields)).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        // Of the other kinds only what they need.
        for (kind, needed) in [("nfce", vec!["descricao", "ncm", "quantidade", "valor"]), ("nfse", vec!["descricao", "servico", "valor"])] {
            let mut fields: Vec<(&str, &str)> = NOTE.iter().map(|(name, _)| (*name, "")).collect();
            fields.push(("tipo", kind));
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert_eq!(page.status, 422, "{kind}: {}", page.html);
            for name in needed {
                assert!(!fault(&page, name).is_empty(), "{kind} {name}: {}", page.html);
            }
            for name in ["documento", "nome", "cep", "logradouro", "bairro", "municipio", "uf"] {
                assert_eq!(fault(&page, name), "", "{kind} {name}: {}", page.html);
            }
        }
    }
}

on_sqlite! {
    async fn a_company_of_the_simples_is_led_to_its_nominal_rate(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = format!("/painel/emitentes/{emitter}");
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let sent = browser.submit(&to, &shown.filled(&to, &[("regime", "simples_nacional")])).await;
        assert_eq!(sent.to, format!("{page}?feito=regime"), "{}", sent.html);
        let shown = browser.get(&page).await;
        assert!(shown.has("Falta a alíquota nominal do Simples Nacional"), "{}", shown.html);

        let form = filled(&mut browser, &emitter, &[("tipo", "nfse")]).await;
        let refused = browser.submit("/painel/emitir", &form).await;
        assert_eq!(refused.status, 422, "{}", refused.html);
        assert!(refused.has("Falta a alíquota nominal do Simples Nacional no cadastro da empresa."), "{}", refused.html);
        assert!(refused.has(&format!("href=\"{page}\" target=\"_blank\"")) && refused.has("Completar o cadastro da empresa"), "{}", refused.html);
        for word in ["TotTrib", "perfil_fiscal", "tributos_aproximados", "Um dado da nota"] {
            assert!(!refused.has(word), "{word}: {}", refused.html);
        }

        let sent = browser.submit(&to, &shown.filled(&to, &[("nominal", "6,00")])).await;
        assert_eq!(sent.to, format!("{page}?feito=perfil"), "{}", sent.html);
        assert!(!browser.get(&page).await.has("Falta a alíquota nominal"), "it is there");
        // The Simples pays the ISS: a rate that was typed is not in the note.
        for rate in ["", "2,5"] {
            let form = filled(&mut browser, &emitter, &[("tipo", "nfse"), ("acao", "conferir"), ("aliquota", rate)]).await;
            let asked = browser.submit("/painel/emitir", &form).await;
            assert!(asked.status == 200 && asked.has("A nota não destaca o ISS") && !asked.has("ISS (2,5%)"), "{rate}: {}", asked.html);
            assert_eq!(asked.has("A alíquota de 2,5% que está no formulário não entra nela."), !rate.is_empty(), "{rate}: {}", asked.html);
        }
        let form = filled(&mut browser, &emitter, &[("tipo", "nfse")]).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfse_"), "{} {}", sent.status, sent.html);
    }
}

on_sqlite! {
    async fn a_city_is_known_by_its_name(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        for (city, uf) in [("belo horizonte", ""), ("Belo Horizonte/MG", ""), ("Ouro Preto", "MG")] {
            let form = filled(&mut browser, &emitter, &[("municipio", city), ("uf", uf)]).await;
            let sent = browser.submit("/painel/emitir", &form).await;
            assert!(sent.to.contains("/documentos/nfe_"), "{city}: {}", sent.html);
            let code = if city == "Ouro Preto" { "<cMun>3146107</cMun>" } else { "<cMun>3106200</cMun>" };
            let xml = xml(&mut browser, &sent.to).await;
            assert!(xml.contains(code) && xml.contains("<UF>MG</UF>"), "{city}: {xml}");
        }
        let long = "Belo".repeat(5_000);
        for (city, uf, field, said) in [
            ("Bom Jesus", "", "uf", "mais de uma cidade"),
            ("Belo Horizont", "MG", "municipio", "Belo Horizonte/MG"),
            ("Cidade Nenhuma", "MG", "municipio", "Não achamos"),
            (long.as_str(), "MG", "municipio", "longo demais"),
        ] {
            let form = filled(&mut browser, &emitter, &[("municipio", city), ("uf", uf)]).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 422 && fault(&page, field).contains(said), "{city}: {}", page.html);
            assert_eq!(value(&page, "municipio"), city);
        }
        let names = browser.get("/painel/emitir/cidades?q=belo%20hor").await;
        assert_eq!(names.html, "Belo Horizonte/MG");
    }
}

on_sqlite! {
    async fn buttons_fill_in_addresses_companies_and_customers(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let form = filled(&mut browser, &emitter, &[("cep", "80010-000"), ("logradouro", ""), ("bairro", ""), ("municipio", ""), ("uf", ""), ("acao", "cep")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(page.status == 200 && value(&page, "municipio") == "Curitiba" && !value(&page, "logradouro").is_empty(), "{}", page.html);
        assert!(page.has("<option value=\"PR\" selected>"), "{}", page.html);
        let form = filled(&mut browser, &emitter, &[("cep", "8001"), ("acao", "cep")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(fault(&page, "cep").contains("oito números"), "{}", page.html);
        let form = filled(&mut browser, &emitter, &[("documento", "11.222.333/0001-81"), ("nome", ""), ("acao", "cnpj")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert!(value(&page, "nome").starts_with("EMPRESA SIMULADA"), "{}", page.html);
        // What was written of another company goes with its name, and stays where it is the same one.
        let name = value(&page, "nome").to_lowercase();
        for (called, email, ie, told) in [("Outra Empresa Ltda", "contato@empresa.test", "", true), (name.as_str(), "outra@exemplo.com.br", "ISENTO", false), ("", "outra@exemplo.com.br", "ISENTO", false)] {
            let fields = [("documento", "11.222.333/0001-81"), ("nome", called), ("email", "outra@exemplo.com.br"), ("ie", "ISENTO"), ("acao", "cnpj")];
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert_eq!((value(&page, "email").as_str(), value(&page, "ie").as_str()), (email, ie), "{called}: {}", page.html);
            assert_eq!(page.has("do nome anterior foram retirados"), told, "{called}: {}", page.html);
        }
        // In Produção the price stands on the button.
        browser.send("/painel/mundo", &[("mundo", "producao"), ("volta", "/painel")]).await;
        let live = browser.get("/painel/emitir").await;
        assert!(live.has("Preencher pelo CEP (4 créditos)") && live.has("pelo CNPJ (4 créditos)"), "{}", live.html);
        browser.send("/painel/mundo", &[("mundo", "teste"), ("volta", "/painel")]).await;
        // A customer that was kept is chosen from a list.
        let form = filled(&mut browser, &emitter, &[("guardar", "1")]).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/"), "{}", sent.html);
        let page = browser.get("/painel/emitir").await;
        let id = page.html.split("value=\"pes_").nth(1).and_then(|rest| rest.split('"').next()).expect("a customer").to_owned();
        let form = filled(&mut browser, &emitter, &[("documento", ""), ("nome", ""), ("bairro", ""), ("cliente", &format!("pes_{id}")), ("acao", "cliente")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((value(&page, "documento").as_str(), value(&page, "bairro").as_str()), ("12.345.678/0001-95", "Centro"), "{}", page.html);
        // A product that was sold before.
        let form = filled(&mut browser, &emitter, &[("produto_busca", "cafe"), ("acao", "produtos")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        let button = page.html.split("value=\"produto:").nth(1).and_then(|rest| rest.split('"').next()).expect("a product").replace("&amp;", "&");
        assert!(page.has("R$ 18,90") && button.contains("ncm=09012100"), "{button}: {}", page.html);
        let form = filled(&mut browser, &emitter, &[("acao", &format!("produto:{button}"))]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((value(&page, "ncm-2").as_str(), value(&page, "valor-2").as_str(), value(&page, "quantidade-2").as_str()), ("09012100", "18,90", "1"));
    }
}

on_sqlite! {
    async fn a_customer_that_is_registered_is_brought_up_to_the_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let first = [("email", "antes@exemplo.com.br"), ("guardar", "1")];
        let moved = [("nome", "Cliente Novo Ltda"), ("email", "depois@exemplo.com.br"), ("logradouro", "Rua Nova"), ("guardar", "1")];
        let again = [("nome", "Cliente Novo Ltda"), ("email", ""), ("logradouro", "Rua Nova"), ("guardar", "1")];
        let before = [("nome", "Cliente  Novo Ltda"), ("email", ""), ("guardar", "1")];
        let not_kept = [("email", "outro@exemplo.com.br"), ("logradouro", "Rua Outra")];
        for (fields, name, email, street, addresses) in [
            (&first[..], "Cliente Exemplo Ltda", "antes@exemplo.com.br", "Rua da Bahia, 1000", 1),
            (&moved[..], "Cliente Novo Ltda", "depois@exemplo.com.br", "Rua Nova, 1000", 2),
            // What is empty stays, and the same address is no other one.
            (&again[..], "Cliente Novo Ltda", "depois@exemplo.com.br", "Rua Nova, 1000", 2),
            (&not_kept[..], "Cliente Novo Ltda", "depois@exemplo.com.br", "Rua Nova, 1000", 2),
            // An address of before is no new one.
            (&before[..], "Cliente Novo Ltda", "depois@exemplo.com.br", "Rua Nova, 1000", 2),
        ] {
            let form = filled(&mut browser, &emitter, fields).await;
            let sent = browser.submit("/painel/emitir", &form).await;
            assert!(sent.to.contains("/documentos/nfe_"), "{fields:?}: {}", sent.html);
            let page = browser.get("/painel/emitir").await;
            let id = page.html.split("value=\"pes_").nth(1).and_then(|rest| rest.split('"').next()).expect("a customer").to_owned();
            let page = browser.get(&format!("/painel/clientes/pes_{id}")).await;
            for value in [name, email] {
                assert!(page.has(&format!("value=\"{value}\"")), "{fields:?} {value}: {}", page.html);
            }
            let used = page.html.split("<li>").find(|one| one.contains("usado nas notas")).unwrap_or_default();
            assert!(used.contains(street) && page.html.matches(", CEP ").count() == addresses, "{fields:?}: {}", page.html);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn rates_of_tables_are_told_before_in_words_for_people(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let fields = [
            ("documento", "529.982.247-25"), ("nome", "Pessoa Exemplo"), ("cep", "20010-000"), ("municipio", "3304557"), ("uf", "RJ"),
            ("presenca", "internet"), ("acao", "conferir"),
        ];
        let form = filled(&mut browser, &emitter, &fields).await;
        let asked = browser.submit("/painel/emitir", &form).await;
        for text in [
            "<p>Alíquota interestadual da tabela: 12%. Confira com o seu contador se vale para o produto.</p>",
            "<p>Alíquota modal interna de RJ, da tabela: 20,00%. Confira com o seu contador se vale para o produto.</p>",
            "ICMS para o outro estado",
        ] {
            assert!(asked.has(text), "{text}: {}", asked.html);
        }
        assert!(!asked.has("Informe aliquota"), "{}", asked.html);
    }
}

on_sqlite! {
    async fn total_taxes_and_price_are_shown_before(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut fields = ITEMS.to_vec();
        fields.push(("acao", "conferir"));
        let form = filled(&mut browser, &emitter, &fields).await;
        let asked = browser.submit("/painel/emitir", &form).await;
        assert_eq!((asked.status, asked.to.as_str()), (200, ""), "{}", asked.html);
        // 18% of 61,30, as the engine makes it of the profile.
        for text in ["Nada foi emitido ainda", "R$ 61,30", "ICMS", "R$ 11,03", "PIS", "Moedor", "PIX, R$ 61,30", "simulada"] {
            assert!(asked.has(text), "{text}: {}", asked.html);
        }
        assert!(!browser.get("/painel/documentos").await.has(">NF-e 1<"), "asking issues nothing");
        // Payments below the total are a warning, with what they lack.
        let mut less = fields.clone();
        less.push(("pago", "10,00"));
        let form = filled(&mut browser, &emitter, &less).await;
        let warned = browser.submit("/painel/emitir", &form).await;
        for text in ["<div class=\"aviso-caixa aviso\"><p>", "(R$ 10,00) é menor que o total da nota (R$ 61,30): faltam R$ 51,30."] {
            assert!(warned.has(text), "{text}: {}", warned.html);
        }
        let back = browser.submit("/painel/emitir", &asked.filled("/painel/emitir", &[("corrigir", "1")])).await;
        assert_eq!(value(&back, "desconto-2"), "1,50");
        let confirmed = asked.filled("/painel/emitir", &[("confirmado", "1")]);
        let sent = browser.submit("/painel/emitir", &confirmed).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
        assert_eq!(browser.submit("/painel/emitir", &confirmed).await.to, sent.to, "confirmed twice, issued once");
    }
}

on_sqlite! {
    async fn codes_of_a_note_are_shown_before(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let items = [("descricao-2", "Filtro de papel"), ("ncm-2", "4823.20.99"), ("cfop-2", "5101"), ("quantidade-2", "1"), ("valor-2", "10,00")];
        let fields = [&items[..], &[("natureza", "Venda no balcão"), ("acao", "conferir")]].concat();
        let form = filled(&mut browser, &emitter, &fields).await;
        let asked = browser.submit("/painel/emitir", &form).await;
        // The CFOP of the first item is that of the registration.
        for text in [
            "<dt>Natureza da operação</dt><dd>Venda no balcão</dd>",
            "data-rotulo=\"NCM\" class=\"mono\">09012100</td>", "data-rotulo=\"CFOP\" class=\"mono\">5102</td>",
            "data-rotulo=\"NCM\" class=\"mono\">48232099</td>", "data-rotulo=\"CFOP\" class=\"mono\">5101</td>",
        ] {
            assert!(asked.has(text), "{text}: {}", asked.html);
        }
        let form = filled(&mut browser, &emitter, &[("tipo", "nfse"), ("acao", "conferir")]).await;
        let asked = browser.submit("/painel/emitir", &form).await;
        assert!(asked.has("<dt>Código do serviço</dt><dd>01.01.01: Análise e desenvolvimento de sistemas."), "{}", asked.html);
        assert!(!asked.has("data-rotulo=\"NCM\"") && !asked.has("data-rotulo=\"CFOP\""), "{}", asked.html);
    }
}

on_sqlite! {
    async fn the_iss_of_a_service_is_shown_before(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let service = [("tipo", "nfse"), ("acao", "conferir"), ("desconto", "1,80")];
        for (more, shown, absent) in [
            // 2.5% of 36,00.
            (vec![("aliquota", "2,5"), ("retido", "tomador")], vec!["ISS (2,5%)", "R$ 0,90, retido", "R$ 36,00", "R$ 35,10", "última palavra é da prefeitura"], "a empresa recolhe"),
            (vec![("aliquota", "2,5")], vec!["R$ 0,90, a empresa recolhe", "Valor líquido</dt><dd><strong>R$ 36,00"], ", retido"),
            (vec![], vec!["Base do ISS", "dizem a alíquota do ISS", "R$ 36,00"], "ISS ("),
        ] {
            let fields = [&service[..], &more[..]].concat();
            let form = filled(&mut browser, &emitter, &fields).await;
            let asked = browser.submit("/painel/emitir", &form).await;
            assert_eq!(asked.status, 200, "{more:?}: {}", asked.html);
            for text in shown {
                assert!(asked.has(text), "{more:?} {text}: {}", asked.html);
            }
            assert!(!asked.has(absent), "{more:?} {absent}: {}", asked.html);
        }
        // What the company's profile says counts, too.
        let page = format!("/painel/emitentes/{emitter}");
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let sent = browser.submit(&to, &shown.filled(&to, &[("regime", "normal"), ("iss", "3,00")])).await;
        assert_eq!(sent.to, format!("{page}?feito=perfil"), "{}", sent.html);
        let form = filled(&mut browser, &emitter, &service).await;
        let asked = browser.submit("/painel/emitir", &form).await;
        assert!(asked.has("ISS (3%)") && asked.has("R$ 1,08"), "{}", asked.html);
    }
}

on_sqlite! {
    async fn the_code_of_a_service_is_found_by_words(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let service = [("tipo", "nfse"), ("servico", ""), ("desconto", "1,80")];
        // By words in any case, by a part of the code, and by one of the words where none has all.
        for words in ["consultoria INFORMATICA", "01.06", "010601", "informática zzzz"] {
            let fields = [&service[..], &[("servico_busca", words), ("acao", "servicos")]].concat();
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 200 && page.has("value=\"servico:010601\"") && page.has("Assessoria e consultoria em informática"), "{words}: {}", page.html);
            assert_eq!((value(&page, "servico_busca").as_str(), value(&page, "desconto").as_str()), (words, "1,80"), "what was written stays");
        }
        let mut fields = service.to_vec();
        fields.push(("acao", "servico:010601"));
        let form = filled(&mut browser, &emitter, &fields).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((value(&page, "servico").as_str(), value(&page, "desconto").as_str()), ("01.06.01", "1,80"), "{}", page.html);
        assert!(page.has("01.06.01: Assessoria e consultoria em informática"), "{}", page.html);
        let form = page.filled("/painel/emitir", &[("tipo", "nfse"), ("emitente", &emitter), ("uf", "MG")]);
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfse_"), "{} {}", sent.status, sent.html);
        for (words, said) in [("", "Escreva uma ou duas palavras"), ("zzzz", "Nenhum serviço da lista nacional")] {
            let fields = [&service[..], &[("servico_busca", words), ("acao", "servicos")]].concat();
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.has(said) && page.focused() == 1, "{words}: {}", page.html);
        }
    }
}

on_sqlite! {
    async fn the_ncm_of_an_item_is_found_by_words(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let items = [
            ("ncm", "4823.20.99"), ("desconto", "1,80"), ("descricao-2", "Café torrado 1 kg"), ("ncm-2", ""), ("quantidade-2", "1"), ("valor-2", "5"),
        ];
        // The search of an item begins with words of its description.
        let form = filled(&mut browser, &emitter, &[&items[..], &[("acao", "procurar-ncm:2")]].concat()).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((page.status, value(&page, "ncm_busca").as_str()), (200, "Café torrado"), "{}", page.html);
        assert!(page.focused() == 1 && page.tag("ncm_busca").contains(" autofocus") && page.has("value=\"ncm:2\""), "{}", page.html);
        // By words in any case, and by the beginning of a code; headings are no code of goods.
        for words in ["TORRADO cafe", "0901.2", "0901210"] {
            let fields = [&items[..], &[("ncm_busca", words), ("acao", "ncm:2")]].concat();
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status == 200 && page.has("value=\"usar-ncm:2:09012100\"") && page.has("Café torrado - Não descafeinado"), "{words}: {}", page.html);
            assert!(page.has("<strong>NCM 0901.21.00</strong>") && !page.has("usar-ncm:2:09012\""), "{words}: {}", page.html);
            // What is roasted stands before what is not.
            let at = |code: &str| page.html.find(&format!("<strong>NCM {code}</strong>"));
            assert!(at("0901.11.10").is_none_or(|denied| at("0901.21.00") < Some(denied)), "{words}: {}", page.html);
            assert_eq!((value(&page, "ncm_busca").as_str(), value(&page, "desconto").as_str()), (words, "1,80"), "what was written stays");
        }
        let form = filled(&mut browser, &emitter, &[&items[..], &[("acao", "usar-ncm:2:09012100")]].concat()).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((value(&page, "ncm").as_str(), value(&page, "ncm-2").as_str()), ("4823.20.99", "09012100"), "{}", page.html);
        assert!(page.focused() == 1 && page.tag("quantidade-2").contains(" autofocus"), "{}", page.html);
        let form = page.filled("/painel/emitir", &[("tipo", "nfe"), ("emitente", &emitter), ("uf", "MG"), ("forma", "pix")]);
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        // A heading, and an item that is not there, are not taken.
        let form = filled(&mut browser, &emitter, &[("acao", "usar-ncm:9:0901")]).await;
        let page = browser.submit("/painel/emitir", &form).await;
        assert_eq!((page.status, value(&page, "ncm").as_str()), (200, "09012100"), "{}", page.html);
        for (words, said) in [("", "Escreva uma ou duas palavras"), ("zzzz", "Nenhum NCM tem todas estas palavras")] {
            let form = filled(&mut browser, &emitter, &[("ncm_busca", words), ("acao", "ncm:1")]).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.has(said) && page.focused() == 1, "{words}: {}", page.html);
        }
        // In Produção the price stands on the button.
        browser.send("/painel/mundo", &[("mundo", "producao"), ("volta", "/painel")]).await;
        let form = filled(&mut browser, &emitter, &[("acao", "procurar-ncm:1")]).await;
        let live = browser.submit("/painel/emitir", &form).await;
        assert!(live.has("Procurar NCM (4 créditos)"), "{}", live.html);
    }
}
