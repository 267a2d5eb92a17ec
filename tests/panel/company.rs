//! The page of a company: what its form and cards hold besides the registration.

use crate::browser::{Browser, Page};
use crate::emitter::alerted;
use crate::pages::{NOTE, account, company};
use crate::registered;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use issuing::emitters::profile::{Perfil, RequestedVia};
use sim::pki::PfxFormat;
use std::convert::Infallible;
use store::TxError;
use store::ids::EmitterId;
use store::tables::emitters::{self, EmitterRow};
use store::words::Maybe;
use tests::a1::{PASSWORD, pfx};
use tests::{TestApp, both, on_sqlite};

/// A grey PNG of three pixels by two.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAADklEQVR4nGOIiopiAGIACHgCHVHv+3QAAAAASUVORK5CYII=";

fn picture() -> Vec<u8> {
    STANDARD.decode(PICTURE).expect("a picture")
}

/// Whether the picture stands in a PDF.
fn is_drawn(pdf: &Page) -> bool {
    let text: String = pdf.html.split_whitespace().collect();
    text.contains("/Width3/Height2")
}

/// Issues an NF-e in tests; the address of its page.
async fn issued(browser: &mut Browser, emitter: &str) -> String {
    browser.get("/painel/emitir").await;
    let mut fields = NOTE.to_vec();
    fields.extend([("tipo", "nfe"), ("emitente", emitter)]);
    let sent = browser.send("/painel/emitir", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.html);
    sent.to
}

/// The profile of a company as it is stored.
async fn stored(app: &TestApp, account: &str, id: &str) -> Perfil {
    let mut conn = app.app.db.read().await.expect("connection");
    let row = emitters::get(&mut conn, &account.into(), &id.into()).await;
    let row = row.expect("database").expect("a company");
    serde_json::from_str(&row.perfil).expect("a profile")
}

on_sqlite! {
    async fn a_logo_is_sent_by_form_and_printed(app: TestApp) {
        let mut maria = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut maria).await;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/logotipo");
        let note = issued(&mut maria, &id).await;
        let plain = maria.get(&format!("{note}/pdf")).await;
        assert!(plain.bytes.starts_with(b"%PDF") && !is_drawn(&plain), "{}", plain.status);

        let shown = maria.get(&page).await;
        assert!(shown.has("Logotipo") && !shown.has("Remover logotipo") && !shown.has("data:image/png"), "{}", shown.html);
        let version = shown.form(&to).into_iter().find(|(name, _)| name == "versao").expect("a version").1;
        let sent = maria.upload(&to, &[("logotipo", Some("logo.png"), &picture()), ("versao", None, version.as_bytes())]).await;
        assert_eq!(sent.to, format!("{page}?feito=logotipo"), "{}", sent.html);
        let after = maria.get(&sent.to).await;
        assert!(after.has("Logotipo salvo") && after.has(&format!("src=\"data:image/png;base64,{PICTURE}\"")) && after.has("Remover logotipo"), "{}", after.html);
        let policy = after.headers.get("content-security-policy").and_then(|value| value.to_str().ok());
        assert!(policy.is_some_and(|policy| policy.contains("img-src 'self' data:")), "{policy:?}");
        let printed = maria.get(&format!("{note}/pdf")).await;
        assert!(printed.bytes.starts_with(b"%PDF") && is_drawn(&printed), "{}", printed.status);

        // The page that was open before is not of this version any more.
        let late = maria.upload(&to, &[("logotipo", Some("logo.png"), &picture()), ("versao", None, version.as_bytes())]).await;
        assert!(late.status == 422 && alerted(&late).contains("mudaram depois que esta página foi aberta"), "{}", late.html);
        // What the form of the data does not show stays.
        let profile = format!("{page}/perfil");
        let kept = maria.submit(&profile, &after.filled(&profile, &[("bairro", "Savassi")])).await;
        assert_eq!(kept.to, format!("{page}?feito=perfil"), "{}", kept.html);

        let shown = maria.get(&page).await;
        assert!(shown.has(PICTURE), "{}", shown.html);
        let form = shown.form(&to);
        let removed = maria.submit(&format!("{to}/remover"), &form).await;
        assert_eq!(removed.to, format!("{page}?feito=logotipo_removido"), "{}", removed.html);
        let after = maria.get(&removed.to).await;
        assert!(after.has("Logotipo removido") && !after.has(PICTURE) && !after.has("Remover logotipo"), "{}", after.html);
        assert!(!is_drawn(&maria.get(&format!("{note}/pdf")).await));
        let audit = maria.get("/painel/auditoria").await;
        assert!(audit.has("Logotipo do emitente trocado") && audit.has("Logotipo do emitente removido"), "{}", audit.html);
    }
}

on_sqlite! {
    async fn a_logo_that_cannot_be_printed_is_told_of_beside_its_field(app: TestApp) {
        let mut maria = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut maria).await);
        let to = format!("{page}/logotipo");
        maria.get(&page).await;
        let good = picture();
        let mut interlaced = good.clone();
        interlaced[28] = 1;
        let mut large = good.clone();
        large.resize(300_001, 0);
        let mut wide = good.clone();
        wide[16..20].copy_from_slice(&2_000_u32.to_be_bytes());
        wide[20..24].copy_from_slice(&1_999_u32.to_be_bytes());
        let huge = vec![0_u8; 2 << 20];
        for (file, status, said) in [
            (&b""[..], 422, "Escolha o arquivo"),
            (b"GIF89a", 422, "não é uma imagem PNG nem JPEG"),
            (&good[..40], 422, "não pode ser impressa"),
            (&interlaced, 422, "não pode ser impressa"),
            (&large, 422, "passa de 300 KB"),
            (&wide, 422, "mais de 1 milhão de pontos"),
            (&huge, 413, "passa de 300 KB"),
        ] {
            let refused = maria.upload(&to, &[("logotipo", Some("logo.png"), file)]).await;
            assert_eq!(refused.status, status, "{said}: {}", refused.html);
            let alert = alerted(&refused);
            assert!(alert.contains("href=\"#logotipo\"") && alert.contains(said), "{said}: {alert}");
            let field = refused.tag("logotipo");
            assert!(field.contains("aria-invalid=\"true\"") && field.contains("logotipo-falha") && field.contains(" autofocus"), "{said}: {field}");
            assert!(!refused.has("Remover logotipo"), "nothing was stored: {}", refused.html);
        }

        let mut ana = registered(&app, "ana@exemplo.com.br").await;
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.upload(&to, &[("logotipo", Some("logo.png"), &good)]).await.status, 404);
        ana.get("/painel/emitentes").await;
        assert_eq!(ana.send(&format!("{to}/remover"), &[]).await.status, 404);
        assert_eq!(Browser::new(&app).upload(&to, &[("logotipo", Some("logo.png"), &good)]).await.to, "/painel/entrar?volta=/painel");
        assert!(!maria.get(&page).await.has("Remover logotipo"));
    }
}

on_sqlite! {
    async fn the_logins_of_a_city_are_asked_for_by_name(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/perfil");
        // One whose system asks for none: its fields are folded.
        let shown = browser.get(&page).await;
        let moved = browser.submit(&to, &shown.filled(&to, &[("municipio", "Berilo"), ("uf", "MG")])).await;
        let shown = browser.get(&moved.to).await;
        assert!(shown.has("O sistema que recebe as notas de Berilo não pede login.") && shown.has("id=\"bloco-login-campos\""), "{}", shown.html);
        assert!(!shown.tag("bloco-login-campos").contains(" open") && !shown.tag("prefeitura_chave").is_empty(), "{}", shown.html);
        // Its system asks for a key and for nothing else.
        let moved = browser.submit(&to, &shown.filled(&to, &[("municipio", "Areado"), ("uf", "MG")])).await;
        let shown = browser.get(&moved.to).await;
        assert!(!shown.has("bloco-login-campos"), "{}", shown.html);
        for text in ["O sistema que recebe as notas de Areado pede: chave de autorização.", "pede a chave de autorização da empresa"] {
            assert!(shown.has(text), "{text}: {}", shown.html);
        }
        assert_eq!(shown.id("prefeitura_chave-dica"), "A prefeitura pede, e ainda falta. Guardamos em segredo e não mostramos mais.");
        assert_eq!(shown.id("prefeitura_frase-dica"), "Só onde a prefeitura pede. Guardamos em segredo e não mostramos mais.");
        let kept = browser.submit(&to, &shown.filled(&to, &[("prefeitura_chave", "chave-escondida"), ("prefeitura_frase", "frase-escondida")])).await;
        assert_eq!(kept.to, format!("{page}?feito=perfil"), "{}", kept.html);
        let after = browser.get(&kept.to).await;
        assert_eq!(after.id("prefeitura_chave-dica"), "A prefeitura pede. Já está salvo em segredo: se ficar vazio, continua valendo.");
        assert_eq!(after.id("prefeitura_frase-dica"), "Já está salvo em segredo. Se ficar vazio, continua valendo.");
        assert!(!after.has("pede a chave de autorização da empresa") && !after.has("escondida"), "{}", after.html);
        let long = "a".repeat(201);
        let wrong = browser.submit(&to, &after.filled(&to, &[("prefeitura_chave", long.as_str())])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#prefeitura_chave\""), "{}", wrong.html);
        assert!(wrong.has("O valor tem até 200 caracteres. Confira o valor que a prefeitura deu.") && !wrong.has(&long), "{}", wrong.html);
        // An empty field leaves what is stored.
        let again = browser.submit(&to, &after.form(&to)).await;
        let after = browser.get(&again.to).await;
        assert!(after.id("prefeitura_chave-dica").contains("Já está salvo"), "{}", after.html);
    }
}

on_sqlite! {
    async fn the_look_up_of_received_notes_is_turned_on_and_off(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let account = account(&mut browser).await;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let asked = browser.get("/painel/recebidas/consultar").await;
        assert!(asked.has(&format!("href=\"{page}#entrada_automatica\"")), "{}", asked.html);
        let automatic = async || stored(&app, &account, &id).await.entrada.is_some_and(|entrada| entrada.automatica);

        let shown = browser.get(&page).await;
        assert!(!shown.tag("entrada_automatica").contains(" checked"), "{}", shown.html);
        browser.submit(&to, &shown.filled(&to, &[("bairro", "Savassi")])).await;
        assert_eq!(stored(&app, &account, &id).await.entrada, None, "nobody touched it");
        let shown = browser.get(&page).await;
        let on = browser.submit(&to, &shown.filled(&to, &[("entrada_automatica", "1")])).await;
        assert_eq!(on.to, format!("{page}?feito=perfil"), "{}", on.html);
        assert!(automatic().await);
        let shown = browser.get(&page).await;
        assert!(shown.tag("entrada_automatica").contains(" checked"), "{}", shown.html);
        // It needs the city; what was ticked stays ticked.
        let wrong = browser.submit(&to, &shown.filled(&to, &[("municipio", "")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#entrada_automatica\""), "{}", wrong.html);
        assert!(wrong.has("precisa do município da empresa") && wrong.tag("entrada_automatica").contains(" checked"), "{}", wrong.html);
        let mut form = browser.get(&page).await.form(&to);
        form.retain(|(name, _)| name != "entrada_automatica");
        let off = browser.submit(&to, &form).await;
        assert_eq!(off.to, format!("{page}?feito=perfil"), "{}", off.html);
        assert!(!automatic().await);
    }
}

on_sqlite! {
    async fn the_rest_of_a_profile_has_its_fields(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let account = account(&mut browser).await;
        let page = format!("/painel/emitentes/{id}");
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        assert!(shown.has("Mais dados fiscais") && !shown.tag("bloco-mais").contains(" open"), "{}", shown.html);
        assert!(shown.has("<a href=\"/painel/numeracao\">Ver os números já usados"), "{}", shown.html);
        let fields = [
            ("regime_especial", "sociedade_de_profissionais"), ("via", "nacional"), ("credito", "2,56"), ("pix", "maria@exemplo.com.br"),
            ("ie_substituto", "sp 110.042.490.114\r\nRJ 99.999.99-3\r\n"), ("cte_serie", "3"), ("cte_proximo", "41"), ("mdfe_serie", "4"), ("mdfe_proximo", "7"),
        ];
        let kept = browser.submit(&to, &shown.filled(&to, &fields)).await;
        assert_eq!(kept.to, format!("{page}?feito=perfil"), "{}", kept.html);
        let perfil = stored(&app, &account, &id).await;
        let nfse = perfil.nfse.clone().expect("of service notes");
        assert_eq!((nfse.via, serde_json::to_value(nfse.regime_especial).expect("a word")), (Some(RequestedVia::Nacional), "sociedade_de_profissionais".into()));
        assert_eq!(perfil.pix.as_ref().and_then(|pix| pix.chave.as_deref()), Some("maria@exemplo.com.br"));
        let substitutes: Vec<(&str, &str)> = perfil.ie_substituto.iter().map(|one| (one.uf.as_str(), one.ie.as_str())).collect();
        assert_eq!(substitutes, [("SP", "110042490114"), ("RJ", "99999993")]);
        let (cte, mdfe) = (perfil.cte.clone().expect("of CT-e"), perfil.mdfe.clone().expect("of MDF-e"));
        assert_eq!((cte.serie, cte.proximo_numero, mdfe.serie, mdfe.proximo_numero), (Some(3), Some(41), Some(4), Some(7)));
        let after = browser.get(&kept.to).await;
        for text in ["value=\"2,56\"", "value=\"nacional\" selected", "SP 110042490114\nRJ 99999993"] {
            assert!(after.has(text), "{text}: {}", after.html);
        }

        // What was stored goes back as it is, and what is wrong opens the block.
        let wrong = browser.submit(&to, &after.filled(&to, &[("ie_substituto", "SP 110042490115"), ("pix", "nada")])).await;
        let alert = alerted(&wrong);
        assert!(wrong.status == 422 && alert.contains("href=\"#ie_substituto\"") && alert.contains("não é a sigla de um estado seguida"), "{}", wrong.html);
        assert!(wrong.tag("bloco-mais").contains(" open"), "{}", wrong.html);
        let wrong = browser.submit(&to, &after.filled(&to, &[("pix", "nada"), ("cte_proximo", "40")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#pix\""), "{}", wrong.html);
        let wrong = browser.submit(&to, &after.filled(&to, &[("cte_proximo", "40")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#cte_proximo\"") && wrong.has("Escreva 41 ou mais."), "{}", wrong.html);
        let same = browser.submit(&to, &after.form(&to)).await;
        assert_eq!(same.to, format!("{page}?feito=perfil"), "{}", same.html);
        assert_eq!(stored(&app, &account, &id).await, perfil);
    }
}

on_sqlite! {
    async fn what_a_company_lacks_leads_to_its_field(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let shown = browser.get(&page).await;
        let missing = shown.html.split("Pendências").nth(1).and_then(|rest| rest.split("</ul>").next()).expect("what is missing");
        for (id, word) in [("certificado", "Certificado A1"), ("nfse_proximo", "Próximo número do RPS ou da DPS")] {
            assert!(missing.contains(&format!("<a href=\"#{id}\">Ir para {word}</a>")), "{id}: {missing}");
            assert!(!shown.tag(id).is_empty(), "{id}: {}", shown.html);
        }
        let list = browser.get("/painel/emitentes").await;
        assert!(list.has(&format!("<a href=\"{page}#certificado\">Ir para Certificado A1</a>")), "{}", list.html);
    }
}

both! {
    async fn all_of_many_companies_are_listed_found_and_warned_of(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let id = company(&mut browser).await;
        let account = account(&mut browser).await;
        let page = format!("/painel/emitentes/{id}");
        browser.get(&page).await;
        let file = pfx(&app, "11222333000181", PfxFormat::Modern, (-1, 10));
        let sent = browser.upload(&format!("{page}/certificado"), &[("certificado", Some("a1.pfx"), &file), ("senha", None, PASSWORD.as_bytes())]).await;
        assert_eq!(sent.status, 303, "{}", sent.html);
        // 120 newer ones, of which seven sign with a certificate that ends, too.
        let written = app.app.db.write((account, id.clone(), app.app.now_ms()), |(account, id, now_ms), conn| Box::pin(async move {
            let first = emitters::get(conn, &account.as_str().into(), &id.as_str().into()).await?.expect("a company");
            for n in 1..=120_i64 {
                let certificate_id = if n <= 7 { first.certificate_id.clone() } else { Maybe(None) };
                let row = EmitterRow { id: EmitterId::new(*now_ms + n), cnpj: format!("{n:014}"), razao_social: format!("Filial {n}"), apelido: String::new(), padrao: 0, certificate_id, ..first.clone() };
                assert!(emitters::insert(conn, &row).await?);
            }
            Ok::<_, TxError<Infallible>>(())
        }));
        written.await.expect("written");

        let home = browser.get("/painel").await;
        assert!(home.has("O certificado de Loja Exemplo Ltda vence em ") && home.has(&format!("href=\"{page}\"")), "{}", home.html);
        assert!(home.has("O certificado de Filial 4 vence em ") && !home.has("O certificado de Filial 5 vence em "), "{}", home.html);
        assert!(home.has("Mais 3 certificados venceram ou vencem") && home.has("/painel/emitentes?certificado=vence"), "{}", home.html);
        let due = browser.get("/painel/emitentes?certificado=vence").await;
        assert!(due.has(&format!("{page}#certificado")) && due.has(">Filial 7<") && !due.has(">Filial 8<"), "{}", due.html);

        let mut list = browser.get("/painel/emitentes").await;
        assert!(list.has(">Filial 120<") && !list.has(">Filial 70<"), "{}", list.html);
        let mut pages = 1;
        while let Some(next) = list.links().into_iter().find(|link| link.contains("cursor=")) {
            list = browser.get(&next).await;
            pages += 1;
        }
        assert!(pages == 3 && list.has(">Loja Exemplo Ltda<") && list.has(">Filial 1<"), "{pages}: {}", list.html);
        for q in ["loja+exemplo", "11.222.333", "11222333000181"] {
            let found = browser.get(&format!("/painel/emitentes?q={q}")).await;
            assert!(found.has(&format!("<a href=\"{page}\">Loja Exemplo Ltda</a>")) && !found.has("Filial 1"), "{q}: {}", found.html);
        }
        assert!(browser.get("/painel/emitentes?q=ninguem").await.has("Nenhum emitente foi encontrado."));
    }
}

/// The inputs of a form of a page.
fn value(page: &Page, action: &str, name: &str) -> String {
    let found = page
        .form(action)
        .into_iter()
        .find(|(field, _)| field == name);
    found
        .unwrap_or_else(|| panic!("no {name}: {}", page.html))
        .1
}

on_sqlite! {
    async fn buttons_fill_in_companies_and_customers(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let (companies, customers) = ("/painel/emitentes", "/painel/clientes");
        let shown = browser.get(companies).await;
        let found = browser.submit(companies, &shown.filled(companies, &[("cnpj", "11.222.333/0001-81"), ("acao", "cnpj")])).await;
        assert!(found.status == 200 && found.has("Dados da empresa preenchidos. Confira antes de salvar."), "{}", found.html);
        assert!(value(&found, companies, "razao_social").starts_with("EMPRESA SIMULADA") && !value(&found, companies, "cep").is_empty(), "{}", found.html);
        assert_eq!(value(&found, companies, "cnpj"), "11.222.333/0001-81");
        let found = browser.submit(companies, &found.filled(companies, &[("cep", "80010-000"), ("acao", "cep")])).await;
        assert_eq!((found.status, value(&found, companies, "municipio").as_str(), value(&found, companies, "uf").as_str()), (200, "Curitiba", "PR"), "{}", found.html);
        assert!(found.tag("numero").contains(" autofocus") && found.focused() == 1, "{}", found.html);
        let wrong = browser.submit(companies, &found.filled(companies, &[("cep", "8001"), ("acao", "cep")])).await;
        assert!(wrong.status == 422 && alerted(&wrong).contains("href=\"#cep\"") && wrong.tag("cep").contains(" autofocus"), "{}", wrong.html);
        let unknown = browser.submit(companies, &found.filled(companies, &[("cnpj", "11.222.333/0001-82"), ("acao", "cnpj")])).await;
        assert!(unknown.status == 422 && unknown.has("dígito verificador não confere. Escreva as 14 posições do CNPJ") && unknown.tag("cnpj").contains(" autofocus"), "{}", unknown.html);
        assert!(browser.get(companies).await.has("Nenhum emitente ainda"), "nothing was registered");

        let page = format!("{companies}/{}", company(&mut browser).await);
        let to = format!("{page}/perfil");
        let shown = browser.get(&page).await;
        let found = browser.submit(&to, &shown.filled(&to, &[("cep", "80010-000"), ("telefone", "4133334444"), ("acao", "cep")])).await;
        assert_eq!((found.status, value(&found, &to, "municipio").as_str(), value(&found, &to, "telefone").as_str()), (200, "Curitiba", "4133334444"), "{}", found.html);
        assert!(found.tag("numero").contains(" autofocus"), "{}", found.html);
        assert!(found.has("Endereço preenchido.") && !found.has("Falta só o número."), "it has one: {}", found.html);
        assert!(browser.get(&page).await.has("value=\"Belo Horizonte\""), "nothing was stored");

        let shown = browser.get(customers).await;
        let found = browser.submit(customers, &shown.filled(customers, &[("cpf_cnpj", "11.222.333/0001-81"), ("acao", "cnpj")])).await;
        assert!(found.status == 200 && value(&found, customers, "nome").starts_with("EMPRESA SIMULADA"), "{}", found.html);
        let found = browser.submit(customers, &found.filled(customers, &[("cep", "80010-000"), ("acao", "cep")])).await;
        assert!(value(&found, customers, "municipio") == "Curitiba" && value(&found, customers, "nome").starts_with("EMPRESA SIMULADA"), "{}", found.html);
        assert!(browser.get(customers).await.has("Nenhum cliente ainda"), "nobody was registered");
        // In Produção the price stands on the button.
        browser.send("/painel/mundo", &[("mundo", "producao"), ("volta", "/painel")]).await;
        let live = browser.get(customers).await;
        assert!(live.has("Preencher pelo CEP (4 créditos)") && live.has("pelo CNPJ (4 créditos)"), "{}", live.html);
    }
}
