//! What people do on the pages: issue, look, download, keys, webhooks, usage.

use crate::browser::{Browser, Page};
use crate::{confirmed, registered};
use serde_json::{Value, json};
use tests::receiver::Receiver;
use tests::{both, on_sqlite};

/// A company that may issue in tests, by the form.
pub const COMPANY: &[(&str, &str)] = &[
    ("cnpj", "11.222.333/0001-81"),
    ("razao_social", "Loja Exemplo Ltda"),
    ("ie", "0623079040081"),
    ("im", "12345"),
    ("regime", "normal"),
    ("cep", "30130010"),
    ("logradouro", "Avenida Afonso Pena"),
    ("numero", "1212"),
    ("bairro", "Centro"),
    ("municipio", "Belo Horizonte"),
    ("uf", "MG"),
];

/// A note of the issuing form, but for its kind and company.
pub const NOTE: &[(&str, &str)] = &[
    ("documento", "12.345.678/0001-95"),
    ("nome", "Cliente Exemplo Ltda"),
    ("cep", "30140-071"),
    ("logradouro", "Rua da Bahia"),
    ("numero", "1000"),
    ("bairro", "Centro"),
    ("municipio", "3106200"),
    ("uf", "MG"),
    ("descricao", "Café torrado 1 kg"),
    ("ncm", "09012100"),
    ("servico", "010101"),
    ("quantidade", "2"),
    ("valor", "18,90"),
];

/// The note of a consumer who is not identified.
pub const NOBODY: &[(&str, &str)] = &[
    ("documento", ""),
    ("nome", ""),
    ("cep", ""),
    ("logradouro", ""),
    ("numero", ""),
    ("bairro", ""),
    ("municipio", ""),
    ("uf", ""),
];

both! {
    async fn a_newcomer_issues_sees_and_downloads_a_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let empty = browser.get("/painel/emitir").await;
        assert!(empty.has("Cadastre um emitente antes"));
        let companies = browser.follow("/painel/emitentes", COMPANY).await;
        assert!(companies.has("Loja Exemplo Ltda") && companies.has("11.222.333/0001-81") && companies.has("Emitente cadastrado"), "{}", companies.html);
        let form = browser.get("/painel/emitir").await;
        let emitter = form.html.split("value=\"emi_").nth(1).and_then(|rest| rest.split('"').next()).expect("a company");
        let emitter = format!("emi_{emitter}");
        for kind in ["nfe", "nfce", "nfse"] {
            let mut fields = NOTE.to_vec();
            fields.extend([("tipo", kind), ("emitente", emitter.as_str())]);
            if kind == "nfce" {
                fields.retain(|(name, _)| NOBODY.iter().all(|(recipient, _)| recipient != name));
            }
            let sent = browser.send("/painel/emitir", &fields).await;
            assert_eq!(sent.status, 303, "{kind}: {}", sent.html.split("role=\"alert\"").nth(1).unwrap_or_default().chars().take(1500).collect::<String>());
            let page = browser.get(&sent.to).await;
            let shown = if kind == "nfse" { "validada" } else { "autorizada" };
            assert!(page.status == 200 && page.has("simulada") && (page.has(shown) || page.has("autorizada")), "{kind}: {}", page.html);
            assert!(page.has("R$ 37,80") && page.has("Linha do tempo"), "{}", page.html);
            assert_eq!(page.has("nenhuma prefeitura a recebeu"), kind == "nfse", "{kind}: {}", page.html);
            assert!(page.has("Pedido enviado") && page.has("Resposta da autoridade"), "{kind}: {}", page.html);
            for word in ["HTTP ", "POST ", "JSON", "Idempotency"] {
                assert!(!page.has(word), "{kind} {word}: {}", page.html);
            }
            assert!(!page.has("Enviar por e-mail"), "there is no server of mail");
            let call = page.html.split("/painel/uso/chamadas/").nth(1).and_then(|rest| rest.split('"').next()).expect("the call that asked for it");
            let call = browser.get(&format!("/painel/uso/chamadas/{call}")).await;
            assert!(call.status == 200 && call.has("Troca com a autoridade") && call.has("<summary>"), "{kind}: {}", call.html);
            assert!(call.has("&lt;cStat&gt;100&lt;/cStat&gt;") && call.has("[assinatura]"), "{kind}: {}", call.html);
            for hidden in ["Cliente Exemplo", "Rua da Bahia", "12345678000195", "30140071", "Loja Exemplo Ltda&lt;", "11222333000181", "X509"] {
                assert!(!call.has(hidden), "{kind} {hidden}: {}", call.html);
            }
            let pdf = browser.get(&format!("{}/pdf", sent.to)).await;
            assert!(pdf.status == 200 && pdf.bytes.starts_with(b"%PDF"), "{kind}: {} {}", pdf.status, pdf.html.chars().take(300).collect::<String>());
            let xml = browser.get(&format!("{}/xml", sent.to)).await;
            assert!(xml.status == 200 && xml.bytes.starts_with(b"<"), "{kind}: {}", xml.html.chars().take(300).collect::<String>());
        }
        let list = browser.get("/painel/documentos").await;
        assert!(list.has(">NF-e 1<") && list.has(">NFC-e 1<"), "{}", list.html);
        let wrong = browser.send("/painel/emitir", &[("tipo", "nfe"), ("emitente", emitter.as_str()), ("descricao", "<script>alert(1)</script>"), ("quantidade", "x")]).await;
        assert!(wrong.status == 400 || wrong.status == 422, "{}", wrong.status);
        assert!(wrong.has("role=\"alert\"") && !wrong.has("<script>alert"), "what was sent is shown as text: {}", wrong.html);
        let audit = browser.get("/painel/auditoria").await;
        assert!(audit.has("documento.emitido") && audit.has("emitente.cadastrado"), "{}", audit.html);
        assert!(audit.has("Documento emitido") && audit.has("Emitente cadastrado"), "{}", audit.html);
    }
}

/// The id of the company of somebody who registered it by the form.
pub async fn company(browser: &mut Browser) -> String {
    browser.get("/painel/emitentes").await;
    browser.send("/painel/emitentes", COMPANY).await;
    let form = browser.get("/painel/emitir").await;
    let rest = form.html.split("value=\"emi_").nth(1);
    let id = rest.and_then(|rest| rest.split('"').next());
    format!("emi_{}", id.expect("a company"))
}

tests::mailed! {
    async fn a_note_is_sent_by_mail(app: TestApp, smtp: Smtp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        confirmed(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let form = browser.get("/painel/emitir").await;
        assert!(form.has("Para enviar a nota depois."), "{}", form.html);
        let mut fields = NOTE.to_vec();
        fields.extend([("tipo", "nfe"), ("emitente", emitter.as_str())]);
        let note = browser.send("/painel/emitir", &fields).await.to;
        let page = browser.get(&note).await;
        assert!(page.has("Enviar por e-mail") && page.has(&format!("{note}/email\"")), "{}", page.html);
        let mut service = NOTE.to_vec();
        service.extend([("tipo", "nfse"), ("emitente", emitter.as_str())]);
        let service = browser.send("/painel/emitir", &service).await.to;
        let service = browser.get(&service).await;
        assert!(page.has("Vazio: o do destinatário da nota.") && service.has("Vazio: o do tomador da nota."), "{}", service.html);
        let path = format!("{note}/email");
        let nobody = browser.send(&path, &[("para", ""), ("mensagem", "Olá!"), ("vez", "1")]).await;
        assert!(nobody.has("não tem o e-mail do destinatário") && nobody.has(">Olá!<"), "{}", nobody.html);
        let wrong = browser.send(&path, &[("para", "ana@exemplo.com.br <b>"), ("vez", "2")]).await;
        assert!(wrong.has("para[1]") && wrong.has("&lt;b&gt;") && !wrong.has("<b>"), "{}", wrong.html);
        let form = [("para", "ana@exemplo.com.br, bruno@exemplo.com.br"), ("mensagem", "Obrigada pela compra."), ("vez", "3")];
        let sent = browser.send(&path, &form).await;
        assert_eq!(sent.to, format!("{note}?enviada=1"), "{}", sent.html);
        let twice = browser.send(&path, &form).await;
        assert_eq!(twice.to, sent.to, "a form that is sent twice sends one mail each");
        // One asked her to confirm.
        let mut taken = smtp.until(3).await;
        taken.retain(|taken| taken.to != ["maria@exemplo.com.br"]);
        let mut to: Vec<_> = taken.iter().flat_map(|one| one.to.clone()).collect();
        to.sort();
        assert_eq!(to, ["ana@exemplo.com.br", "bruno@exemplo.com.br"]);
        let mail = taken[0].read();
        assert!(mail["text"].as_str().is_some_and(|text| text.contains("Obrigada pela compra.")), "{mail}");
        assert_eq!(mail["files"].as_array().map(Vec::len), Some(2), "{mail}");
        let page = tests::until(async || {
            let page = browser.get(&sent.to).await;
            if page.html.matches("E-mail enviado").count() == 2 { Ok(page) } else { Err(page.html) }
        })
        .await;
        assert!(page.has("O e-mail está na fila"), "{}", page.html);
        assert!(!page.has("ana@"), "whom it was for is not kept");
        let audit = browser.get("/painel/auditoria").await;
        assert_eq!(audit.html.matches("documento.email").count(), 1, "asked for once: {}", audit.html);
        assert_eq!(smtp.taken().len(), 3);
        app.check_invariants().await;
    }
}

both! {
    async fn keys_are_shown_once_and_work_until_revoked(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/chaves").await;
        let made = browser.send("/painel/chaves", &[("nome", "Servidor"), ("escopo", "consulta"), ("escopo", "dados")]).await;
        let key = made.id("chave-nova").to_owned();
        assert!(key.starts_with("svc_test_"), "{}", made.html);
        let list = browser.get("/painel/chaves").await;
        assert!(list.has("consulta, dados") && list.has("selo ok\">ativa<") && !list.has(">Estado<") && !list.has(&key), "{}", list.html);
        let with = |path: &str| app.http().get(format!("{}{path}", app.base_url)).bearer_auth(&key);
        assert_eq!(app.send(with("/api/v1/conta")).await.status, 200);
        assert_eq!(app.send(with("/api/v1/chaves")).await.summary(), "403 sem_permissao");
        app.calls_logged().await;
        let usage = browser.get("/painel/uso").await;
        assert!(usage.has("chaves.list") && usage.has("sem_permissao"), "{}", usage.html);
        assert!(usage.has("Lista as chaves da conta") && usage.has(">recusada<"), "{}", usage.html);
        // The days are those of the sums, and the calls are the newest of any day.
        assert!(usage.has("De (UTC)") && usage.has("Até (UTC)") && usage.has("<h2>Últimas chamadas</h2>"), "{}", usage.html);
        assert!(!usage.has("usage.chamadas.list"), "looking at pages is no use of the API");
        let id = list.html.split("/painel/chaves/key_").nth(1).and_then(|rest| rest.split('/').next()).expect("an id");
        browser.send(&format!("/painel/chaves/key_{id}/revogar"), &[]).await;
        assert_eq!(app.send(with("/api/v1/conta")).await.summary(), "401 chave_revogada");
    }
}

both! {
    async fn webhooks_are_registered_tested_and_sent_again(app: TestApp) {
        let receiver = Receiver::start().await;
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/webhooks").await;
        let bad = browser.send("/painel/webhooks", &[("url", "ftp://x")]).await;
        assert!(bad.has("role=\"alert\"") && bad.has("url"), "{}", bad.html);
        let made = browser.send("/painel/webhooks", &[("url", &receiver.url("/")), ("descricao", "Loja"), ("evento", "nfe.autorizada")]).await;
        assert!(made.id("segredo").starts_with("whsec_"), "{}", made.html);
        let list = browser.get("/painel/webhooks").await;
        assert!(!list.has("whsec_") && list.has(&receiver.url("/")), "{}", list.html);
        let id = list.html.split("/painel/webhooks/whk_").nth(1).and_then(|rest| rest.split('/').next()).expect("an id").to_owned();
        let sent = browser.send(&format!("/painel/webhooks/whk_{id}/testar"), &[]).await;
        receiver.until(1).await;
        let page = browser.until(&sent.to, "entregue").await;
        assert!(page.has("HTTP 200") && page.has("Tentativa 1"), "{}", page.html);
        let again = browser.send(&format!("{}/reenviar", sent.to), &[]).await;
        assert_eq!(again.to, sent.to);
        receiver.until(2).await;
        assert_eq!(browser.send(&format!("/painel/webhooks/whk_{id}/remover"), &[]).await.to, "/painel/webhooks?feito=removido");
    }
}

both! {
    async fn deliveries_of_a_resting_webhook_say_that_it_rests(app: TestApp) {
        let receiver = Receiver::start().await;
        receiver.answer(500);
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let account = account(&mut browser).await;
        browser.send("/painel/mundo", &[("mundo", "producao"), ("volta", "/painel")]).await;
        browser.get("/painel/webhooks").await;
        browser.send("/painel/webhooks", &[("url", &receiver.url("/")), ("evento", "nfe.autorizada")]).await;
        app.stop_clock();
        tests::events::write(&app.app.db, &account.into(), app.app.now_ms(), 60).await;
        browser.until("/painel/webhooks", "Em pausa até").await;
        let list = browser.get("/painel/webhooks").await;
        assert!(list.has("pendente, em pausa"), "{}", list.html);
        assert!(!list.has("id=\"entregas\" data-atualiza"), "nothing to wait for: {}", list.html);
        // The newest was not tried yet.
        let newest = list.html.split("/painel/webhooks/entregas/").nth(1).and_then(|rest| rest.split(['"', '?', '/']).next()).expect("a delivery");
        let delivery = browser.get(&format!("/painel/webhooks/entregas/{newest}")).await;
        assert!(delivery.has("em pausa até") && !delivery.has("na fila"), "{}", delivery.html);
    }
}

/// The account a browser looks at.
pub async fn account(browser: &mut Browser) -> String {
    let page = browser.get("/painel/configuracoes").await;
    let id = page
        .html
        .split("<dd class=\"mono\">")
        .nth(1)
        .and_then(|rest| rest.split('<').next());
    id.expect("the account's id").to_owned()
}

both! {
    async fn test_and_live_worlds_are_apart(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/chaves").await;
        browser.send("/painel/chaves", &[("nome", "De teste")]).await;
        assert_eq!(browser.send("/painel/mundo", &[("mundo", "producao"), ("volta", "/painel/documentos/nfe_1?x=2")]).await.to, "/painel/documentos");
        let live = browser.get("/painel/chaves").await;
        let made = browser.send("/painel/chaves", &[("nome", "De verdade")]).await;
        assert!(made.id("chave-nova").starts_with("svc_live_"), "{}", live.html);
        browser.send("/painel/mundo", &[("mundo", "teste"), ("volta", "/painel")]).await;
        let made = browser.send("/painel/chaves", &[("nome", "Outra de teste")]).await;
        assert!(made.id("chave-nova").starts_with("svc_test_"), "{}", made.html);
    }
}

both! {
    async fn municipalities_are_found_with_their_evidence(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let found = browser.get("/painel/cobertura?q=sao%20joao%20del%20rei").await;
        assert!(found.has("São João del Rei/MG") && found.has("3162500"), "{}", found.html);
        let one = browser.get("/painel/cobertura?ibge=3106200").await;
        let said = app.get("/api/v1/nfse/cobertura?codigo_ibge=3106200").await;
        let source = said.body.pointer("/evidencia/fonte").and_then(Value::as_str).expect("a source");
        assert!(one.has("Belo Horizonte/MG") && one.has(source) && one.has(said.text_at("/resposta")), "{}", one.html);
        assert!(browser.get("/painel/cobertura?ibge=9999999").await.has("role=\"alert\""));
        let state = browser.get("/painel/cobertura?uf=SP").await;
        assert!(state.has("Municípios de SP") && state.has("Adamantina/SP") && !state.has("/MG<"), "{}", state.html);
        assert!(state.has("municípios do estado com resposta Sim ou Parcial: os parciais contam"), "{}", state.html);
        // Counts by state and by system are those of the API; nothing was measured here.
        let all = app.post("/api/v1/fiscal/nfse/provedores", &json!({})).await.body;
        let cities = all["por_uf"]["AC"]["municipios"].as_i64().expect("a count");
        assert!(state.has(&format!(">AC</a></td><td data-rotulo=\"Municípios\" class=\"num\">{cities}</td>")), "{}", state.html);
        let system = all["provedores"].as_array().expect("systems").iter().find(|one| one["acesso"].is_object()).expect("one");
        let addresses = &system["acesso"];
        assert_eq!((&addresses["nao_medidos"], &addresses["respondem"]), (&json!(addresses["enderecos"].as_i64().expect("a count") - addresses["sem_tls"].as_i64().expect("a count")), &json!(0)), "{addresses}");
        assert!(state.has(system["nome"].as_str().expect("a name")) && state.has("id=\"sistemas\"") && one.has("<dt>Acesso</dt><dd>Não medido"), "{}", state.html);
    }
}

both! {
    async fn every_page_is_guarded_and_complete_without_a_script(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        // Those of the menu, whatever it has, and what it does not lead to.
        let mut paths = browser.get("/painel").await.links();
        paths.retain(|path| !path.contains('?'));
        paths.extend(["/painel/emitir", "/painel/lotes", "/painel/exportacoes", "/painel/busca"].map(str::to_owned));
        paths.sort();
        paths.dedup();
        for known in ["/painel/documentos", "/painel/clientes", "/painel/produtos", "/painel/recebidas", "/painel/relatorio", "/painel/numeracao", "/painel/autorizadores", "/painel/emitentes", "/painel/ferramentas", "/painel/chaves", "/painel/webhooks", "/painel/uso", "/painel/cobertura", "/painel/adaptadores", "/painel/creditos", "/painel/equipe", "/painel/auditoria", "/painel/configuracoes"] {
            assert!(paths.iter().any(|path| path == known), "{known}: {paths:?}");
        }
        for path in paths {
            let page = browser.get(&path).await;
            assert_eq!(page.status, 200, "{path}: {}", page.html);
            let header = |name: &str| page.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            assert!(header("content-security-policy").contains("default-src 'none'"), "{path}");
            assert_eq!((header("x-frame-options"), header("cache-control")), ("DENY", "no-store"), "{path}");
            assert!(!page.has(" style=") && !page.has("onclick") && !page.has("href=\"#\""), "{path}");
            assert!(page.has("lang=\"pt-BR\"") && page.has("<h1>"), "{path}");
            assert!(!page.has("<button class=\"botao\">Procurar"), "the buttons that look for something are alike: {path}");
        }
        assert_eq!(browser.get("/painel/nada").await.status, 404);
        assert_eq!(browser.get("/painel/documentos/nfe_nada").await.status, 404);
        assert_eq!(browser.get("/").await.to, "/painel");
    }
}

both! {
    async fn credits_are_bought_paid_and_refunded(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/creditos").await;
        let two = browser.send("/painel/creditos", &[("valor", "120.000"), ("meio", "pix"), ("vez", "1")]).await;
        assert!(two.status == 422 && two.has("Pode ser 120000 ou 120,000") && two.tag("valor").contains(" autofocus"), "{}", two.html);
        let low = browser.send("/painel/creditos", &[("valor", "10,00"), ("meio", "pix"), ("vez", "1")]).await;
        assert!(low.has("role=\"alert\"") && low.has("120,00"), "{}", low.html);
        // As in other forms: the box leads to the field, which says what is wrong with it.
        assert!(low.has("Nada foi feito. Corrija um campo:") && low.has("<a href=\"#valor\">Valor</a>: O valor vai de"), "{}", low.html);
        for mark in ["value=\"10,00\"", "aria-invalid=\"true\"", "aria-describedby=\"valor-falha valor-dica\"", " autofocus"] {
            assert!(low.tag("valor").contains(mark), "{mark}: {}", low.html);
        }
        assert!(low.has("id=\"valor-falha\"") && low.focused() == 1, "{}", low.html);
        let bought = browser.send("/painel/creditos", &[("valor", "300,00"), ("meio", "pix"), ("vez", "2")]).await;
        assert!(bought.to.starts_with("/painel/creditos/compras/cmp_"), "{} {}", bought.status, bought.html);
        let twice = browser.send("/painel/creditos", &[("valor", "300,00"), ("meio", "pix"), ("vez", "2")]).await;
        assert_eq!(twice.to, bought.to, "a form that is sent twice buys once");
        let waiting = browser.get(&bought.to).await;
        assert!(waiting.id("brcode").starts_with("000201") && waiting.has("aguardando"), "{}", waiting.html);
        // Without a script the page changes when it is loaded again.
        let again = format!("quando chegar. <a href=\"{}\">Atualizar</a>", bought.to);
        assert!(waiting.has(&again) && !waiting.has("avisa"), "{}", waiting.html);
        browser.send(&format!("{}/simular", bought.to), &[]).await;
        let page = browser.until(&bought.to, "paga</span>").await;
        assert!(page.has("30.000 créditos entraram"), "{}", page.html);
        assert!(browser.get("/painel/creditos").await.has("R$ 302,00"));
        let refunded = browser.follow(&format!("{}/reembolso", bought.to), &[("motivo", "Desisti")]).await;
        assert!(refunded.has("Desisti"), "{}", refunded.html);
        assert!(browser.get("/painel/creditos").await.has("R$ 2,00"));
        let alert = browser.follow("/painel/creditos/alerta", &[("limiares", "500 100"), ("canal", "webhook")]).await;
        assert!(alert.has("Alerta salvo"), "{}", alert.html);
        app.check_invariants().await;
    }
}

/// Words of sentences that are written for programs.
const OF_PROGRAMS: [&str; 10] = [
    "/api/",
    "GET ",
    "PUT ",
    "POST ",
    "JSON",
    "Idempotency",
    "Retry-After",
    "request_id",
    "em campos",
    "arâmetro",
];

on_sqlite! {
    async fn refusals_are_said_for_people(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        for path in ["recebidas/ciencia?nota=x:y", "recebidas/123", "documentos/nfe_nada", "emitentes/emi_nada", "creditos/compras/cmp_nada", "uso/chamadas/req_nada", "webhooks/entregas/ent_nada"] {
            let page = browser.get(&format!("/painel/{path}")).await;
            assert!((400..500).contains(&page.status), "{path}: {} {}", page.status, page.html);
            let (_, said) = page.html.split_once("<h1").expect("a title");
            for word in OF_PROGRAMS {
                assert!(!said.contains(word), "{path} {word}: {said}");
            }
        }
        let forms: [(&str, &[(&str, &str)]); 6] = [
            ("/painel/creditos", &[("valor", ""), ("meio", "pix")]),
            ("/painel/creditos", &[("valor", "abc"), ("meio", "pix")]),
            ("/painel/creditos", &[("valor", "10,00"), ("meio", "nada")]),
            ("/painel/creditos/alerta", &[("limiares", "x"), ("canal", "nada")]),
            ("/painel/ferramentas/simples", &[("anexo", "IX"), ("rbt12", "abc")]),
            ("/painel/autorizadores", &[("uf", "XX")]),
        ];
        for (path, fields) in forms {
            browser.get("/painel/creditos").await;
            let page = browser.send(path, fields).await;
            let (_, said) = page.html.split_once("role=\"alert\"").unwrap_or_else(|| panic!("{path} {fields:?}: {}", page.html));
            let (said, _) = said.split_once("</div>").expect("the end of the box");
            assert!(said.contains("Código para o suporte") || page.has("aria-invalid=\"true\""), "{path} {fields:?}: {said}");
            for word in OF_PROGRAMS {
                assert!(!said.contains(word), "{path} {fields:?} {word}: {said}");
            }
            assert!(said.contains("<strong>") && !said.contains("<strong></strong>"), "{path} {fields:?}: {said}");
        }
    }
}

both! {
    async fn people_use_the_tools_without_a_program(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let list = browser.get("/painel/ferramentas").await;
        assert!(list.has("Fator R") && list.has("Conferir um XML"), "{}", list.html);
        let sale = vec![
            ("uf_origem", "SP"), ("uf_destino", "RJ"), ("regime", "normal"), ("ncm", "09012100"), ("cfop", "6102"),
            ("origem", "0"), ("quantidade", "2"), ("valor_unitario", "18,90"), ("contribuinte", "1"),
        ];
        let rate = vec!["<dt>Alíquota efetiva</dt><dd>8,6%</dd>", "<dt>Receita de 12 meses</dt><dd>R$ 360.000,00</dd>", "<dt>Repartição</dt>"];
        let taxes = vec![
            "<dt>Valor da operação</dt><dd>R$ 37,80</dd>", "Fundamento", "<dt>ICMS ST</dt>", "<dt>Situação</dt><dd>sem tabela</dd>",
            "<dt>Faltam</dt><dd>classificação tributária do IBS e da CBS</dd>",
        ];
        for (tool, fields, shown) in [
            ("simples", vec![("anexo", "III"), ("rbt12", "360.000,00")], rate),
            ("fator-r", vec![("folha12", "84.000,00"), ("rbt12", "300.000,00")], vec!["<dd>anexo III</dd>"]),
            ("ncm", vec![("q", "café torrado")], vec!["0901", "<dt>Descrição</dt>", "<dt>Vigência</dt>"]),
            ("ncm", vec![("q", "0901.21.00")], vec!["09012100"]),
            ("cfop", vec![("q", "5102")], vec!["5102"]),
            ("cnpj", vec![("cnpj", "11.222.333/0001-81")], vec!["ATIVA", "<dd>11.222.333/0001-81</dd>", "<dt>Razão social</dt>"]),
            ("cep", vec![("cep", "80010-000")], vec!["Curitiba", "<dd>80010-000</dd>"]),
            ("impostos", sale, taxes),
        ] {
            let path = format!("/painel/ferramentas/{tool}");
            let form = browser.get(&path).await;
            assert!(form.has("Consultar"), "{tool}: {}", form.html);
            let page = browser.send(&path, &fields).await;
            assert_eq!(page.status, 200, "{tool}: {}", page.html);
            assert!(page.has("Resultado") && shown.iter().all(|one| page.has(one)), "{tool} {shown:?}: {}", page.html);
            let named = page.html.split("role=\"region\" aria-label=\"").skip(1);
            let mut named: Vec<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
            let all = named.len();
            named.sort_unstable();
            named.dedup();
            assert_eq!(named.len(), all, "{tool}: two tables of one name: {named:?}");
        }
        // 360.000 is three hundred and sixty for some.
        let two = browser.send("/painel/ferramentas/simples", &[("anexo", "III"), ("rbt12", "360.000")]).await;
        assert!(two.has("Receita dos últimos 12 meses (R$): Pode ser 360000 ou 360,000") && !two.has("Resultado"), "{}", two.html);
        let hint = browser.get("/painel/ferramentas/cfop").await;
        assert!(hint.has("Como 5102 ou venda."), "{}", hint.html);
        let refused = browser.send("/painel/ferramentas/cnpj", &[("cnpj", "11.222.333/0001-82")]).await;
        assert!(refused.has("Não é um CNPJ") && refused.has("11.222.333/0001-82"), "{}", refused.html);
        assert_eq!(browser.get("/painel/ferramentas/nada").await.status, 404);
    }
}

on_sqlite! {
    async fn the_taxes_of_a_sale_start_as_the_company_sells(app: TestApp) {
        const PATH: &str = "/painel/ferramentas/impostos";
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let form = browser.get(PATH).await;
        assert_eq!(form.html.matches("<option value=\"SP\" selected>").count(), 2, "{}", form.html);
        let own = format!("/painel/emitentes/{}", company(&mut browser).await);
        let form = browser.get(PATH).await;
        assert!(form.has("<option value=\"normal\" selected>"), "{}", form.html);
        let (shown, to) = (browser.get(&own).await, format!("{own}/perfil"));
        assert_eq!(browser.submit(&to, &shown.filled(&to, &[("regime", "simples_nacional")])).await.status, 303);
        let form = browser.get(PATH).await;
        assert!(form.has("<option value=\"simples_nacional\" selected>"), "{}", form.html);
        assert_eq!(form.html.matches("<option value=\"MG\" selected>").count(), 2, "{}", form.html);
        assert!(form.has("name=\"consumidor_final\" value=\"1\" checked>"), "{}", form.html);
        let mut sale = vec![
            ("uf_origem", "MG"), ("uf_destino", "MG"), ("regime", "normal"), ("regime_pis_cofins", ""), ("ncm", "09012100"), ("cfop", "5102"),
            ("origem", "0"), ("cclass_trib", ""), ("quantidade", "2"), ("valor_unitario", "18,90"), ("consumidor_final", "1"),
        ];
        let lacks = |page: &Page, what: &str| {
            let mut lists = page.html.split("<dt>Faltam</dt><dd>").skip(1);
            lists.any(|rest| rest.split("</dd>").next().is_some_and(|list| list.contains(what)))
        };
        let more = ["PIS e COFINS de quem vende", "classificação tributária do IBS e da CBS"];
        let page = browser.send(PATH, &sale).await;
        assert!(page.has("Resultado") && more.iter().all(|one| lacks(&page, one)), "{}", page.html);
        sale.retain(|(name, _)| !matches!(*name, "regime_pis_cofins" | "cclass_trib"));
        sale.extend([("regime_pis_cofins", "nao_cumulativo"), ("cclass_trib", "000001")]);
        let page = browser.send(PATH, &sale).await;
        assert!(page.has("<dt>Alíquota</dt><dd>7,6%</dd>") && page.has("<dt>Alíquota</dt><dd>1,65%</dd>"), "{}", page.html);
        assert!(!more.iter().any(|one| lacks(&page, one)), "{}", page.html);
        assert!(page.has("Confira com o seu contador.") && !page.has("nforme alíquota") && !page.has("Informe fcp"), "{}", page.html);
        assert!(page.has("<option value=\"nao_cumulativo\" selected>") && page.has("value=\"000001\""), "{}", page.html);
        // Who unticks it finds it so again.
        sale.retain(|(name, _)| *name != "consumidor_final");
        sale.push(("contribuinte", "1"));
        let page = browser.send(PATH, &sale).await;
        assert!(page.has("name=\"consumidor_final\" value=\"1\">"), "{}", page.html);
    }
}

on_sqlite! {
    async fn tools_say_what_to_fill_in(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let sale = [
            ("uf_origem", "SP"), ("uf_destino", "RJ"), ("regime", "normal"), ("ncm", "09012100"), ("cfop", "6102"), ("origem", "0"),
            ("quantidade", " "), ("valor_unitario", "18,90"),
        ];
        let class = [
            ("uf_origem", "SP"), ("uf_destino", "RJ"), ("regime", "normal"), ("ncm", "09012100"), ("cfop", "6102"), ("origem", "0"),
            ("quantidade", "2"), ("valor_unitario", "18,90"), ("contribuinte", "1"), ("cclass_trib", "999999"),
        ];
        let forms: [(_, &[_], _); 10] = [
            ("impostos", &class, "<strong>Classificação tributária do IBS e da CBS</strong>: "),
            ("cep", &[("cep", " ")], "Preencha o CEP."),
            ("cnpj", &[("cnpj", "")], "Preencha o CNPJ."),
            ("ncm", &[("q", "")], "Preencha o código ou as palavras."),
            ("ncm", &[("q", "77000000")], "Confira o código, ou procure por palavras."),
            ("simples", &[("anexo", ""), ("rbt12", "360.000,00")], "Escolha o anexo."),
            ("simples", &[("anexo", "IX"), ("rbt12", "360.000,00")], "<strong>Anexo</strong>: Não é um dos valores possíveis."),
            ("fator-r", &[("folha12", "abc"), ("rbt12", "300.000,00")], "<strong>Folha de 12 meses</strong>: Não é um número. Escreva como 1500,00."),
            ("impostos", &sale, "Preencha a quantidade."),
            ("xml", &[], "Escolha o arquivo XML."),
        ];
        for (tool, fields, said) in forms {
            let path = format!("/painel/ferramentas/{tool}");
            browser.get(&path).await;
            let page = browser.send(&path, fields).await;
            assert!(page.status == 200 && page.has("role=\"alert\"") && page.has(said), "{tool} {fields:?}: {} {}", page.status, page.html);
        }
    }
}

/// What the label of a field says, with its mark.
fn label<'p>(page: &'p Page, name: &str) -> &'p str {
    let rest = page.html.split_once(&format!("<label for=\"{name}\">"));
    let rest = rest.map_or("", |(_, rest)| rest);
    rest.split("</label>").next().unwrap_or_default()
}

on_sqlite! {
    async fn fields_that_must_be_filled_in_are_marked(app: TestApp) {
        let door = Browser::new(&app).get("/painel/cadastrar").await;
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let company = company(&mut browser).await;
        let own = format!("/painel/emitentes/{company}");
        let asked: [(&str, &[&str], &[&str]); 6] = [
            ("/painel/emitir", &["descricao", "ncm", "valor", "quantidade", "documento", "bairro", "servico"], &["desconto", "complemento", "email", "aliquota"]),
            ("/painel/emitentes", &["cnpj", "razao_social", "regime"], &["ie", "cep"]),
            (&own, &["certificado", "razao_social"], &["senha", "nome_fantasia"]),
            ("/painel/clientes", &["cpf_cnpj", "nome"], &["email", "cep"]),
            ("/painel/produtos", &["descricao"], &["ncm", "valor"]),
            ("/painel/webhooks", &["url"], &["descricao"]),
        ];
        let mut pages: Vec<(Page, &[&str], &[&str])> = vec![(door, &["nome", "email", "senha"], &["conta"])];
        for (path, needed, free) in asked {
            pages.push((browser.get(path).await, needed, free));
        }
        for (page, needed, free) in &pages {
            assert!(page.has("Campos com * são obrigatórios."), "{}", page.html);
            for name in *needed {
                let label = label(page, name);
                assert!(label.contains("<span aria-hidden=\"true\"> *</span>") && label.contains("(obrigatório)"), "{name}: {label} {}", page.html);
            }
            for name in *free {
                let label = label(page, name);
                assert!(!label.is_empty() && !label.contains('*'), "{name}: {label} {}", page.html);
            }
        }
        // No browser keeps a draft of it from being saved.
        let form = browser.get("/painel/emitir").await;
        assert!(!form.has(" required"), "{}", form.html);
    }
}

on_sqlite! {
    async fn a_text_that_is_too_long_to_be_looked_for_is_refused(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = browser.get(&format!("/painel/documentos?q={}", "%27".repeat(10_000))).await;
        assert!(page.status == 414 && page.has("Texto longo demais"), "{} {}", page.status, page.html);
    }
}
