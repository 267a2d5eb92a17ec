//! The page of a company: its certificate and its environment.

use crate::browser::{Browser, Page};
use crate::pages::{COMPANY, NOTE, account, company};
use crate::registered;
use serde_json::Value;
use sim::pki::{A1Request, PfxFormat, Pki};
use std::convert::Infallible;
use store::TxError;
use tests::a1::{DAY_MS, PASSWORD, pfx};
use tests::bodies::{multipart, with};
use tests::{TestApp, both, on_sqlite};

/// The company of the pages' form.
const CNPJ: &str = "11222333000181";

/// The companies of the certificates that are kept, whoever's they are.
async fn kept(app: &TestApp) -> Vec<String> {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = store::tables::certificates::page(&mut conn, "", 10).await;
    let rows = rows.expect("certificates");
    rows.into_iter()
        .map(|row| row.emitter_id.to_string())
        .collect()
}

/// Sends a certificate of the company on this page.
async fn send_certificate(app: &TestApp, browser: &mut Browser, page: &str) {
    let file = pfx(app, CNPJ, PfxFormat::Modern, (-1, 365));
    let parts: [(&str, Option<&str>, &[u8]); 2] = [
        ("certificado", Some("a1.pfx"), &file),
        ("senha", None, PASSWORD.as_bytes()),
    ];
    let sent = browser.upload(&format!("{page}/certificado"), &parts).await;
    assert_eq!(sent.status, 303, "{}", sent.html);
}

/// The box above the page that says what is wrong.
pub fn alerted(page: &Page) -> &str {
    let rest = page.html.split("role=\"alert\"").nth(1);
    let alert = rest.and_then(|rest| rest.split("</div>").next());
    alert.unwrap_or_default()
}

on_sqlite! {
    async fn what_is_wrong_with_a_registration_stands_beside_its_field(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/emitentes").await;
        let mut fields = COMPANY.to_vec();
        for field in &mut fields {
            match field.0 {
                "cnpj" => field.1 = "11.222.333/0001-82",
                "municipio" => field.1 = "Belo Horizomte",
                _ => {}
            }
        }
        let wrong = browser.send("/painel/emitentes", &fields).await;
        assert_eq!(wrong.status, 422, "{}", wrong.html);
        let alert = alerted(&wrong);
        for text in ["Corrija 2 campos", "href=\"#cnpj\"", "dígito verificador não confere", "href=\"#municipio\"", "Não achamos esta cidade."] {
            assert!(alert.contains(text), "{text}: {alert}");
        }
        for text in ["parâmetro", "codigo_ibge", "Idempotency", "request_id"] {
            assert!(!alert.contains(text), "{text}: {alert}");
        }
        assert!(wrong.has("Talvez: Belo Horizonte/MG") && wrong.has("value=\"Avenida Afonso Pena\"") && wrong.has("id=\"cnpj-falha\""), "{}", wrong.html);
        let (cnpj, city, cep) = (wrong.tag("cnpj"), wrong.tag("municipio"), wrong.tag("cep"));
        assert!(cnpj.contains("aria-invalid=\"true\"") && cnpj.contains("aria-describedby=\"cnpj-falha\"") && cnpj.contains(" autofocus"), "{cnpj}");
        assert!(city.contains("aria-invalid=\"true\"") && city.contains("aria-describedby=\"municipio-falha municipio-dica\"") && !city.contains(" autofocus"), "{city}");
        assert!(!cep.contains("aria-invalid"), "{cep}");
        assert!(browser.get("/painel/emitentes").await.has("Nenhum emitente ainda"), "nothing was registered");
        assert_eq!(browser.send("/painel/emitentes", COMPANY).await.status, 303);
        let twice = browser.send("/painel/emitentes", COMPANY).await;
        assert!(twice.status == 422 && alerted(&twice).contains("Já há uma empresa com este CNPJ") && twice.tag("cnpj").contains(" autofocus"), "{}", twice.html);
    }
}

on_sqlite! {
    async fn what_is_wrong_with_the_data_of_a_company_is_said_at_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let long = "1".repeat(30);
        let fields = [("nfce_serie", "1000"), ("nfe_serie", "1000"), ("telefone", long.as_str())];
        let wrong = browser.submit(&to, &shown.filled(&to, &fields)).await;
        let alert = alerted(&wrong);
        assert!(wrong.status == 422 && alert.contains("Corrija 3 campos") && alert.contains("href=\"#nfce_serie\""), "{}", wrong.html);
        let (phone, series) = (wrong.tag("telefone"), wrong.tag("nfe_serie"));
        assert!(phone.contains(" autofocus") && phone.contains("aria-describedby=\"telefone-falha\""), "the first of the form: {phone}");
        assert!(series.contains("aria-invalid=\"true\"") && series.contains("value=\"1000\"") && !series.contains(" autofocus"), "{series}");
        assert!(wrong.has("A série vai de 0 a 999. Escreva um número inteiro."), "{}", wrong.html);
        let letters = browser.submit(&to, &shown.filled(&to, &[("nfe_serie", "abc")])).await;
        assert!(letters.has("Não entendemos este número. Escreva um número inteiro.") && letters.tag("nfe_serie").contains(" autofocus"), "{}", letters.html);
        // A number that went up never goes down again: only points between thousands are left out.
        for number in ["1.5", "9.9.9", "10.25", "0.500", "1.500.00", ".500"] {
            let refused = browser.submit(&to, &shown.filled(&to, &[("nfe_proximo", number)])).await;
            assert!(refused.status == 422 && refused.has("Não entendemos este número. Escreva um número inteiro."), "{number}: {}", refused.html);
            assert!(refused.tag("nfe_proximo").contains(&format!("value=\"{number}\"")), "{number}: {}", refused.html);
        }
        let saved = browser.submit(&to, &shown.filled(&to, &[("nfe_proximo", "1.500")])).await;
        assert_eq!(saved.status, 303, "{}", saved.html);
        assert!(browser.get(&page).await.tag("nfe_proximo").contains("value=\"1500\""));
    }
}

on_sqlite! {
    async fn rates_take_a_percent_sign_and_mistakes_come_at_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let rates = [("nominal", "6%"), ("iss", "2,5 %"), ("credito", "1.250")];
        let saved = browser.submit(&to, &shown.filled(&to, &rates)).await;
        assert_eq!(saved.status, 303, "{}", saved.html);
        let shown = browser.get(&page).await;
        for (field, value) in [("nominal", "6"), ("iss", "2,5"), ("credito", "1,25")] {
            assert!(shown.tag(field).contains(&format!("value=\"{value}")), "{field}: {}", shown.tag(field));
        }
        let wrong = [("nominal", "seis"), ("nfe_serie", "1000"), ("uf", "Minas"), ("email", "ana arroba"), ("ie", "12"), ("cep", "3013")];
        let refused = browser.submit(&to, &shown.filled(&to, &wrong)).await;
        let alert = alerted(&refused);
        assert!(refused.status == 422 && alert.contains("Corrija 6 campos"), "{}", refused.html);
        for (field, value) in wrong {
            let tag = refused.tag(field);
            assert!(tag.contains("aria-invalid=\"true\"") && tag.contains(&format!("value=\"{value}\"")), "{field}: {tag}");
        }
        for said in [
            "Não entendemos este número. Escreva um número, como 18 ou 1,65.",
            "Não é a sigla de um estado. Escreva as duas letras do estado, como MG.",
            "A série vai de 0 a 999.",
        ] {
            assert!(refused.has(said), "{said}: {}", refused.html);
        }
        assert!(browser.get(&page).await.tag("nominal").contains("value=\"6\""), "nothing was stored");
        // A comma forgotten: 165 for 1,65.
        let beyond = [("icms_aliquota", "150"), ("pis_aliquota", "165"), ("cofins_aliquota", "-1"), ("nominal", "600"), ("iss", "101")];
        let refused = browser.submit(&to, &shown.filled(&to, &beyond)).await;
        assert!(refused.status == 422 && alerted(&refused).contains("Corrija 5 campos"), "{}", refused.html);
        assert!(refused.has("A alíquota vai de 0 a 100%. Escreva um número, como 18 ou 1,65."), "{}", refused.html);
        for (field, value) in beyond {
            let tag = refused.tag(field);
            assert!(tag.contains("aria-invalid=\"true\"") && tag.contains(&format!("value=\"{value}\"")), "{field}: {tag}");
        }
    }
}

on_sqlite! {
    async fn a_certificate_of_no_icp_is_told_of(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let now_ms = app.app.now_ms();
        let request = A1Request {
            document: CNPJ.to_owned(),
            name: "LOJA EXEMPLO LTDA".to_owned(),
            valid_from_ms: now_ms - DAY_MS,
            valid_until_ms: now_ms + 365 * DAY_MS,
        };
        let made = Pki::generate(now_ms).expect("another authority").issue_a1(request).expect("certificate");
        let file = made.pfx(PASSWORD, PfxFormat::Modern).expect("pfx");
        let sent = browser.upload(&format!("{page}/certificado"), &[("certificado", Some("a1.pfx"), &file), ("senha", None, PASSWORD.as_bytes())]).await;
        let after = browser.get(&sent.to).await;
        assert!(after.has("Certificado salvo") && alerted(&after).contains("A SEFAZ só aceita certificados da ICP-Brasil: as notas serão recusadas."), "{}", after.html);
        let later = browser.get(&page).await;
        assert!(later.has("A SEFAZ só aceita certificados da ICP-Brasil"), "it stays among what is pending: {}", later.html);
    }
}

on_sqlite! {
    async fn a_certificate_is_sent_by_form(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let page = format!("/painel/emitentes/{id}");
        assert!(browser.get("/painel/emitentes").await.has(&format!("href=\"{page}\"")));
        let before = browser.get(&page).await;
        assert!(before.has("sem certificado") && before.has("Enviar o certificado"), "{}", before.html);
        assert!(before.has("Falta o certificado A1. Para as notas do ambiente de teste não é preciso nenhum."), "{}", before.html);

        let to = format!("{page}/certificado");
        let good = pfx(&app, CNPJ, PfxFormat::Modern, (-1, 365));
        let other = pfx(&app, "22444777000188", PfxFormat::Modern, (-1, 365));
        let large = vec![0; 200_000];
        for (file, password, field, said) in [
            (&good[..], "outra", "senha", "senha"),
            (b"", PASSWORD, "certificado", "não é um arquivo .pfx"),
            (b"MZ", PASSWORD, "certificado", "não é um arquivo .pfx"),
            (&other, PASSWORD, "certificado", "O certificado é de EMPRESA DE TESTE LTDA (CNPJ 22.444.777/0001-88) e a empresa é 11.222.333/0001-81."),
            (&large, PASSWORD, "certificado", "O arquivo passa de 128 KB"),
        ] {
            let refused = browser.upload(&to, &[("certificado", Some("a1.pfx"), file), ("senha", None, password.as_bytes())]).await;
            let alert = refused.html.split("role=\"alert\"").nth(1).unwrap_or_default();
            assert!(alert.split("</div>").next().is_some_and(|alert| alert.contains(said)), "{} bytes: {}", file.len(), refused.html);
            assert!(refused.has("sem certificado"), "nothing changed: {}", refused.html);
            assert!(refused.status == 422 && refused.tag(field).contains(" autofocus"), "{}", refused.html);
            assert!(!refused.has("base64"), "the words of programs: {}", refused.html);
            assert!(!refused.has("value=\"/painel/emitentes/"), "the menu leads back to a page: {}", refused.html);
        }
        let sent = browser.upload(&to, &[("certificado", Some("a1.pfx"), &good), ("senha", None, PASSWORD.as_bytes())]).await;
        assert_eq!(sent.to, format!("{page}?feito=certificado"), "{}", sent.html);
        let after = browser.get(&sent.to).await;
        assert!(after.has("Certificado salvo") && after.has("Trocar o certificado") && after.has("dias)"), "{}", after.html);
        assert!(!after.has("Falta o certificado") && !after.has("ICP-Brasil") && after.has("válido"), "{}", after.html);
        let audit = browser.get("/painel/auditoria").await;
        assert_eq!(audit.html.matches("emitente.certificado").count(), 1, "{}", audit.html);
        assert!(audit.has("Certificado do emitente enviado"), "the first one replaces none: {}", audit.html);
    }
}

both! {
    async fn a_certificate_is_removed_after_a_question(app: TestApp) {
        let mut maria = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut maria).await;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/certificado/remover");
        assert!(!maria.get(&page).await.has("Remover certificado"), "there is none");
        assert_eq!(maria.get(&to).await.to, page);
        // One that was replaced is kept for what began with it.
        send_certificate(&app, &mut maria, &page).await;
        send_certificate(&app, &mut maria, &page).await;
        assert_eq!(kept(&app).await, [id.clone(), id.clone()]);

        let mut ana = registered(&app, "ana@exemplo.com.br").await;
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.get(&to).await.status, 404);
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.send(&to, &[("versao", "\"3\"")]).await.status, 404);

        let shown = maria.get(&page).await;
        assert!(shown.has(&format!("href=\"{to}\"")), "{}", shown.html);
        let question = maria.get(&to).await;
        for text in ["Loja Exemplo Ltda (11.222.333/0001-81)", "EMPRESA DE TESTE LTDA", "válido", "não emite NF-e nem NFC-e", "notas em transmissão ficam sem resposta", "não pode ser recuperada", "Desistir"] {
            assert!(question.has(text), "{text}: {}", question.html);
        }
        assert_eq!(kept(&app).await.len(), 2, "neither a question nor another account removes any");

        let form = question.form(&to);
        let sent = maria.submit(&to, &form).await;
        assert_eq!(sent.to, format!("{page}?feito=removido"), "{}", sent.html);
        assert_eq!(kept(&app).await, Vec::<String>::new(), "nor the one before it");
        let after = maria.get(&sent.to).await;
        for text in ["Certificado removido: a chave dele foi apagada", "envie outro certificado A1", "sem certificado", "Enviar o certificado", "Falta o certificado A1."] {
            assert!(after.has(text), "{text}: {}", after.html);
        }
        assert!(!after.has("Remover certificado"), "{}", after.html);
        assert!(maria.get("/painel/emitentes").await.has("Falta o certificado A1."));

        // The same form again, and one of another page that was open.
        assert_eq!(maria.submit(&to, &form).await.to, sent.to);
        let other: Vec<(String, String)> = form.into_iter().filter(|(name, _)| name != "vez").collect();
        assert_eq!(maria.submit(&to, &other).await.to, sent.to);
        let audit = maria.get("/painel/auditoria").await;
        assert_eq!(audit.html.matches("emitente.certificado_removido").count(), 1, "{}", audit.html);
        send_certificate(&app, &mut maria, &page).await;
        let again = maria.get(&sent.to).await;
        assert!(again.has("Trocar o certificado") && !again.has("Certificado removido"), "{}", again.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_certificate_that_came_after_the_question_stays(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/certificado/remover");
        send_certificate(&app, &mut browser, &page).await;
        let question = browser.get(&to).await;
        send_certificate(&app, &mut browser, &page).await;
        let refused = browser.submit(&to, &question.form(&to)).await;
        assert!(refused.status == 422 && alerted(&refused).contains("Nada foi removido"), "{}", refused.html);
        assert_eq!(kept(&app).await.len(), 2);
        assert!(browser.get(&page).await.has("Trocar o certificado"));
        let confirmed = browser.submit(&to, &refused.form(&to)).await;
        assert_eq!(confirmed.to, format!("{page}?feito=removido"), "{}", confirmed.html);
        assert!(kept(&app).await.is_empty());
    }
}

on_sqlite! {
    async fn a_wrong_state_registration_is_told_of_beside_its_field(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/emitentes").await;
        let with = |changes: &[(&'static str, &'static str)]| {
            let mut fields = COMPANY.to_vec();
            for (name, value) in &mut fields {
                if let Some(change) = changes.iter().find(|change| change.0 == *name) {
                    *value = change.1;
                }
            }
            fields
        };
        // A digit that does not check, one of another state, and none at all.
        for ie in ["0623079040082", "110.042.490.114", "sem"] {
            let wrong = browser.send("/painel/emitentes", &with(&[("ie", ie)])).await;
            let (alert, field) = (alerted(&wrong), wrong.tag("ie"));
            assert!(wrong.status == 422 && alert.contains("Corrija um campo") && alert.contains("href=\"#ie\""), "{ie}: {}", wrong.html);
            assert!(alert.contains("não é válida em MG") && wrong.has("escreva ISENTO"), "{ie}: {}", wrong.html);
            assert!(field.contains("aria-invalid=\"true\"") && field.contains(" autofocus") && field.contains(&format!("value=\"{ie}\"")), "{ie}: {field}");
        }
        let both = browser.send("/painel/emitentes", &with(&[("ie", "0623079040082"), ("municipio", "Belo Horizomte"), ("cnpj", "1")])).await;
        let alert = alerted(&both);
        assert!(alert.contains("Corrija 3 campos") && alert.contains("href=\"#ie\"") && alert.contains("href=\"#municipio\"") && alert.contains("href=\"#cnpj\""), "{alert}");
        assert!(browser.get("/painel/emitentes").await.has("Nenhum emitente ainda"), "nothing was registered");
        assert_eq!(browser.send("/painel/emitentes", &with(&[("ie", "Isento")])).await.status, 303);

        let list = browser.get("/painel/emitentes").await;
        let page = list.links().into_iter().find(|link| link.starts_with("/painel/emitentes/emi_")).expect("a company");
        let to = format!("{page}/perfil");
        for (changes, state) in [
            (&[("ie", "0623079040082")][..], "em MG"),
            (&[("ie", "0623079040081"), ("municipio", "São Paulo"), ("uf", "SP")][..], "em SP"),
        ] {
            let shown = browser.get(&page).await;
            let wrong = browser.submit(&to, &shown.filled(&to, changes)).await;
            assert!(wrong.status == 422 && alerted(&wrong).contains(state) && wrong.tag("ie").contains(" autofocus"), "{}", wrong.html);
        }
        for ie in ["062.307904-0081", "", "ISENTO"] {
            let shown = browser.get(&page).await;
            let kept = browser.submit(&to, &shown.filled(&to, &[("ie", ie)])).await;
            assert_eq!(kept.to, format!("{page}?feito=perfil"), "{ie}: {}", kept.html);
        }
    }
}

on_sqlite! {
    async fn a_company_goes_to_production_by_form(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/ambiente");
        let wrong = browser.send(&to, &[("ambiente", "lua")]).await;
        assert!(wrong.has("role=\"alert\"") && wrong.has("homologação"), "{}", wrong.html);
        let sent = browser.follow(&to, &[("ambiente", "producao")]).await;
        assert!(sent.has("Ambiente mudado") && sent.has("<dd>produção</dd>"), "{}", sent.html);
        let audit = browser.get("/painel/auditoria").await;
        assert!(audit.has("emitente.ambiente") && audit.has("<div class=\"suave pequeno\">Produção</div>"), "{}", audit.html);
    }
}

both! {
    async fn files_come_only_from_a_page_of_ours_and_in_their_size(app: TestApp) {
        let mut maria = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut maria).await);
        let to = format!("{page}/certificado");
        let good = pfx(&app, CNPJ, PfxFormat::Modern, (-1, 365));
        let parts: [(&str, Option<&str>, &[u8]); 2] = [("certificado", Some("a1.pfx"), &good), ("senha", None, PASSWORD.as_bytes())];

        let mut ana = registered(&app, "ana@exemplo.com.br").await;
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.get(&page).await.status, 404);
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.upload(&to, &parts).await.status, 404);
        assert_eq!(ana.send(&format!("{page}/ambiente"), &[("ambiente", "producao")]).await.status, 404);

        let hidden = maria.csrf.clone();
        maria.csrf = "outro".to_owned();
        assert_eq!(maria.upload(&to, &parts).await.status, 403);
        maria.csrf = hidden;
        let large = vec![b'a'; 8 << 20];
        let refused = maria.upload(&to, &[("certificado", Some("a1.pfx"), &large)]).await;
        assert!(refused.status == 413 && refused.has("O arquivo passa de 128 KB") && refused.has("Salvar certificado"), "{} {}", refused.status, refused.html);
        let refused = maria.send(&to, &[("senha", std::str::from_utf8(&large).expect("text"))]).await;
        assert!(refused.status == 413 && refused.has("O arquivo passa de 128 KB") && refused.has("Salvar certificado"), "{} {}", refused.status, refused.html);
        for media in ["multipart/form-data", "multipart/form-data; boundary=outro"] {
            let refused = maria.post(&to, media, multipart(&parts).1).await;
            assert!(refused.status == 400 && refused.has("Formulário inválido"), "{} {}", refused.status, refused.html);
        }
        assert!(maria.get(&page).await.has("sem certificado"));
        assert_eq!(Browser::new(&app).upload(&to, &parts).await.to, "/painel/entrar?volta=/painel");
    }
}

on_sqlite! {
    async fn a_company_of_cnpj_and_name_is_completed_by_form_and_issues(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let made = issuing::emitters::register(&app.app, &account(&mut browser).await.into(), issuing::emitters::NewEmitter {
            cnpj: CNPJ.to_owned(),
            ambiente: store::words::Ambiente::Homologacao,
            perfil: Some(issuing::emitters::profile::Perfil { razao_social: Some("Loja Exemplo Ltda".to_owned()), ..Default::default() }),
            alias: None,
            default: None,
            certificado: None,
        }, false).await.expect("a company");
        let id = made.row.id;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let issue = async |browser: &mut Browser, kind: &str| {
            let form = browser.get("/painel/emitir").await;
            let mut fields = NOTE.to_vec();
            fields.extend([("tipo", kind), ("emitente", id.as_str())]);
            browser.submit("/painel/emitir", &form.filled("/painel/emitir", &fields)).await
        };
        let early = issue(&mut browser, "nfe").await;
        assert_eq!(early.status, 422, "not before");
        assert!(early.has(&format!("href=\"{page}\" target=\"_blank\" rel=\"noopener\"")), "the note stays in its tab: {}", early.html);
        let shown = browser.get(&page).await;
        let form = shown.form(&to);
        assert!(form.contains(&("razao_social".to_owned(), "Loja Exemplo Ltda".to_owned())), "{form:?}");
        for (city, said) in [("Belo Horizomte", "Talvez: Belo Horizonte/MG"), ("3100000", "Nenhuma cidade tem este código")] {
            let wrong = browser.submit(&to, &shown.filled(&to, &[("municipio", city), ("bairro", "Savassi")])).await;
            assert!(wrong.has("role=\"alert\"") && wrong.has(said) && wrong.has("value=\"Savassi\""), "{city}: {}", wrong.html);
        }
        let fields: Vec<(&str, &str)> = COMPANY.iter().copied().filter(|(name, _)| *name != "cnpj").collect();
        let sent = browser.submit(&to, &shown.filled(&to, &fields)).await;
        assert_eq!(sent.to, format!("{page}?feito=perfil"), "{}", sent.html);
        let after = browser.get(&sent.to).await;
        for text in ["Dados da empresa salvos", "value=\"Avenida Afonso Pena\"", "value=\"Belo Horizonte\"", "value=\"0623079040081\"", "value=\"5102\""] {
            assert!(after.has(text), "{text}: {}", after.html);
        }
        for (kind, prefix, state) in [("nfe", "nfe_", "autorizada"), ("nfce", "nfe_", "autorizada"), ("nfse", "nfse_", "validada")] {
            let sent = issue(&mut browser, kind).await;
            assert!(sent.to.contains(&format!("/documentos/{prefix}")), "{kind}: {}", sent.html);
            let note = browser.get(&sent.to).await;
            assert!(note.has(state) || note.has("autorizada"), "{kind}: {}", note.html);
        }
        assert!(browser.get("/painel/auditoria").await.has("emitente.perfil"));
    }
}

both! {
    async fn what_the_page_does_not_show_of_a_profile_stays(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let account = account(&mut browser).await;
        let row = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            store::tables::emitters::get(&mut conn, &account.as_str().into(), &id.as_str().into()).await.expect("database").expect("a company")
        };
        let mut perfil: issuing::emitters::profile::Perfil = serde_json::from_str(&row().await.perfil).expect("a profile");
        perfil.nome_fantasia = Some("Lojinha".to_owned());
        perfil.ie_substituto = vec![issuing::emitters::profile::SubstituteIe { uf: "RJ".to_owned(), ie: "12345678".to_owned() }];
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let before = browser.get(&page).await;
        issuing::emitters::set_profile(&app.app, row().await, perfil.clone()).await.expect("set");
        let late = browser.submit(&to, &before.filled(&to, &[("bairro", "Savassi")])).await;
        assert!(late.has("role=\"alert\""), "somebody else changed it meanwhile: {}", late.html);
        let shown = browser.get(&page).await;
        let sent = browser.submit(&to, &shown.filled(&to, &[("bairro", "Savassi"), ("regime", "normal"), ("cfop_interno", "5101")])).await;
        assert!(sent.to.ends_with("feito=perfil"), "{}", sent.html);
        let now: issuing::emitters::profile::Perfil = serde_json::from_str(&row().await.perfil).expect("a profile");
        assert_eq!(now.endereco.as_ref().and_then(|address| address.bairro.as_deref()), Some("Savassi"));
        assert_eq!((now.nome_fantasia, now.ie_substituto), (perfil.nome_fantasia, perfil.ie_substituto));
        let (was, is) = (perfil.padroes.expect("defaults"), now.padroes.expect("defaults"));
        assert_eq!(is.cfop_interno.as_deref(), Some("5101"));
        assert_eq!((is.icms, is.pis, is.ibs_cbs), (was.icms, was.pis, was.ibs_cbs));
    }
}

on_sqlite! {
    async fn cep_and_email_of_a_company_have_their_forms(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/emitentes").await;
        let with = |cep: &'static str| {
            let fields = COMPANY.iter().map(|(name, value)| (*name, if *name == "cep" { cep } else { *value }));
            fields.collect::<Vec<_>>()
        };
        for cep in ["123", "3013001O", "301300100"] {
            let wrong = browser.send("/painel/emitentes", &with(cep)).await;
            assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#cep\"") && wrong.has("O CEP deve ter 8 dígitos."), "{cep}: {}", wrong.html);
            assert!(wrong.tag("cep").contains(" autofocus") && wrong.tag("cep").contains(&format!("value=\"{cep}\"")), "{cep}: {}", wrong.html);
        }
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let wrong = browser.submit(&to, &shown.filled(&to, &[("cep", "123")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#cep\"") && wrong.tag("cep").contains(" autofocus"), "{}", wrong.html);
        let wrong = browser.submit(&to, &shown.filled(&to, &[("email", "contato")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#email\"") && wrong.has("E-mail inválido. Escreva um endereço como"), "{}", wrong.html);
        for cep in ["30.130-010", ""] {
            let shown = browser.get(&page).await;
            let kept = browser.submit(&to, &shown.filled(&to, &[("cep", cep)])).await;
            assert_eq!(kept.to, format!("{page}?feito=perfil"), "{cep}: {}", kept.html);
        }
    }
}

on_sqlite! {
    async fn a_stored_cep_of_another_form_keeps_nothing_from_being_changed(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let stored = app.app.db.write((account(&mut browser).await, id.clone()), |(account, id), conn| Box::pin(async move {
            let row = store::tables::emitters::get(conn, &account.as_str().into(), &id.as_str().into()).await?;
            let mut row = row.expect("a company");
            let perfil: Value = serde_json::from_str(&row.perfil).expect("a profile");
            row.perfil = with(perfil, "/endereco/cep", "3013001").to_string();
            let changed = store::tables::emitters::update(conn, &row, row.updated_at_ms).await?;
            Ok::<bool, TxError<Infallible>>(changed)
        }));
        assert!(stored.await.expect("the database works"));
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let kept = browser.submit(&to, &shown.filled(&to, &[("bairro", "Savassi")])).await;
        assert_eq!(kept.to, format!("{page}?feito=perfil"), "{}", kept.html);
        let shown = browser.get(&page).await;
        assert!(shown.tag("cep").contains("value=\"3013001\"") && shown.has("value=\"Savassi\""), "{}", shown.html);
        let wrong = browser.submit(&to, &shown.filled(&to, &[("cep", "3013002")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#cep\""), "{}", wrong.html);
    }
}

on_sqlite! {
    async fn the_taxation_of_products_changes_with_the_regime(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let change = async |browser: &mut Browser, fields: &[(&str, &str)]| {
            let shown = browser.get(&page).await;
            browser.submit(&to, &shown.filled(&to, fields)).await
        };
        let has = |page: &Page, name: &str, value: &str| page.tag(name).contains(&format!("value=\"{value}\""));
        // What was filled in by itself goes there and back, and says so.
        let simple = change(&mut browser, &[("regime", "simples_nacional")]).await;
        assert_eq!(simple.to, format!("{page}?feito=regime"), "{}", simple.html);
        let shown = browser.get(&simple.to).await;
        assert!(shown.has("Dados da empresa salvos. A tributação dos produtos") && has(&shown, "icms_csosn", "102") && has(&shown, "pis_cst", "49") && has(&shown, "icms_cst", "") && has(&shown, "ibs_cst", ""), "{}", shown.html);
        let normal = change(&mut browser, &[("regime", "normal")]).await;
        assert_eq!(normal.to, format!("{page}?feito=regime"), "{}", normal.html);
        let shown = browser.get(&normal.to).await;
        assert!(has(&shown, "icms_csosn", "") && has(&shown, "icms_cst", "00") && has(&shown, "pis_cst", "01") && has(&shown, "ibs_cst", "000"), "{}", shown.html);
        browser.get("/painel/emitir").await;
        let mut note = NOTE.to_vec();
        note.extend([("tipo", "nfe"), ("emitente", id.as_str())]);
        let issued = browser.send("/painel/emitir", &note).await;
        assert_eq!(issued.status, 303, "{}", issued.html);

        // What is the person's own stays, unless it does not fit.
        change(&mut browser, &[("icms_aliquota", "12")]).await;
        let wrong = change(&mut browser, &[("regime", "mei")]).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#icms_cst\"") && wrong.has("não vale no Simples Nacional nem no MEI"), "{}", wrong.html);
        assert!(wrong.tag("icms_cst").contains(" autofocus"), "{}", wrong.html);
        let own = change(&mut browser, &[("regime", "mei"), ("icms_cst", ""), ("icms_aliquota", ""), ("icms_csosn", "400")]).await;
        assert_eq!(own.to, format!("{page}?feito=regime"), "{}", own.html);
        let shown = browser.get(&page).await;
        assert!(has(&shown, "icms_csosn", "400") && has(&shown, "pis_cst", "49"), "{}", shown.html);
        for regime in ["normal", "simples_excesso"] {
            let wrong = change(&mut browser, &[("regime", regime)]).await;
            assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#icms_csosn\"") && wrong.has("só vale no Simples Nacional e no MEI"), "{regime}: {}", wrong.html);
        }
        let same = change(&mut browser, &[("bairro", "Savassi")]).await;
        assert_eq!(same.to, format!("{page}?feito=perfil"), "{}", same.html);
    }
}

on_sqlite! {
    async fn the_rates_of_a_company_follow_the_chosen_regime(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let empty = browser.get("/painel/emitentes").await;
        let options = |page: &Page| page.html.split("id=\"regime\"").nth(1).and_then(|rest| rest.split("</select>").next()).unwrap_or_default().to_owned();
        for option in ["<option value=\"\" selected>Escolha o regime</option>", ">Lucro Real</option>", ">Lucro Presumido</option>"] {
            assert!(options(&empty).contains(option), "{option}: {}", empty.html);
        }
        let with = |regime: &'static str| {
            let fields = COMPANY.iter().map(|(name, value)| (*name, if *name == "regime" { regime } else { *value }));
            fields.collect::<Vec<_>>()
        };
        let none = browser.send("/painel/emitentes", &with("")).await;
        assert!(none.status == 422 && alerted(&none).contains("Corrija um campo") && none.has("id=\"regime-falha\"><span data-campo=\"regime\">Escolha o regime da empresa."), "{}", none.html);
        assert!(none.tag("regime").contains(" autofocus") && none.has("value=\"Avenida Afonso Pena\""), "{}", none.html);
        assert_eq!(browser.send("/painel/emitentes", &with("lucro_presumido")).await.status, 303);
        let list = browser.get("/painel/emitentes").await;
        let page = list.links().into_iter().find(|link| link.starts_with("/painel/emitentes/emi_")).expect("a company");
        let page = page.split('#').next().expect("an address").to_owned();
        let to = format!("{page}/perfil");
        let has = |page: &Page, name: &str, value: &str| page.tag(name).contains(&format!("value=\"{value}\""));
        let rates = |page: &Page, choice: &str, pis: &str, cofins: &str| {
            assert!(options(page).contains(&format!("<option value=\"{choice}\" selected>")), "{choice}: {}", page.html);
            assert!(has(page, "pis_aliquota", pis) && has(page, "cofins_aliquota", cofins), "{choice}: {}", page.html);
        };
        let shown = browser.get(&page).await;
        rates(&shown, "lucro_presumido", "0,65", "3");
        assert_eq!(shown.html.matches("Confira as alíquotas com o seu contador.").count(), 1, "{}", shown.html);
        // The rates go with the choice, there and back; the page says so.
        for (choice, pis, cofins) in [("normal", "1,65", "7,6"), ("lucro_presumido", "0,65", "3")] {
            let shown = browser.get(&page).await;
            let sent = browser.submit(&to, &shown.filled(&to, &[("regime", choice)])).await;
            assert_eq!(sent.to, format!("{page}?feito=regime"), "{}", sent.html);
            rates(&browser.get(&page).await, choice, pis, cofins);
        }
        let shown = browser.get(&page).await;
        let same = browser.submit(&to, &shown.filled(&to, &[("bairro", "Savassi"), ("regime", "lucro_presumido")])).await;
        assert_eq!(same.to, format!("{page}?feito=perfil"), "{}", same.html);
        rates(&browser.get(&page).await, "lucro_presumido", "0,65", "3");
        // Rates of the person's own stay, and nobody is asked to check them.
        let shown = browser.get(&page).await;
        let own = [("icms_aliquota", "12"), ("pis_aliquota", "1"), ("cofins_aliquota", "2")];
        browser.submit(&to, &shown.filled(&to, &own)).await;
        let shown = browser.get(&page).await;
        assert!(!shown.has("Confira as alíquotas"), "{}", shown.html);
        browser.submit(&to, &shown.filled(&to, &[("regime", "lucro_presumido")])).await;
        rates(&browser.get(&page).await, "normal", "1", "2");
    }
}
