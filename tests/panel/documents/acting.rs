//! A document's page: what it says, and what is done to it, each once.

use super::{Shop, place};
use crate::browser::Page;
use crate::pages::account;
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::ids::EventoId;
use store::tables::eventos::{self, EventKind, EventoRow};
use store::words::Maybe;
use tests::bodies::{mdfe, nfce, nfe, nfse, with};
use tests::{TestApp, both, on_sqlite};

pub const REASON: &str = "Cliente desistiu da compra feita.";

/// Actions a page offers, by the ends of their addresses.
pub fn offered(page: &Page, place: &str) -> Vec<String> {
    let begin = format!("{place}/");
    let mut found: Vec<String> = page
        .links()
        .iter()
        .filter_map(|link| Some(link.strip_prefix(&begin)?.split('?').next()?.to_owned()))
        .collect();
    found.retain(|word| !word.contains('/'));
    found
}

both! {
    async fn a_note_says_what_the_authority_keeps(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let body = with(nfe(), "/informacoes_complementares", "Entregar <b>à tarde</b>");
        let note = shop.issue(&app, "/api/v1/nfe", body).await;
        let page = shop.page(&place(&note)).await;
        let chave = note.text_at("/chave");
        assert_eq!((page.id("chave-de-acesso"), page.id("protocolo-de-autorizacao"), page.id("nota-id")), (chave, note.text_at("/protocolo"), note.text_at("/nota_id")));
        assert!(page.has("data-copia=\"#chave-de-acesso\""), "{}", page.html);
        for text in ["Loja Exemplo Ltda", "11.222.333/0001-81", "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO", "12.345.678/0001-95", "Rua da Bahia, 1000, Centro, Belo Horizonte/MG, CEP 30140-071",
            "Café torrado 1 kg", "09012100", "5102", "R$ 18,90", "R$ 37,80", "ICMS", "COFINS", "PIX", "Linha do tempo", "Entregar &lt;b&gt;à tarde&lt;/b&gt;", "Venda de mercadoria"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        // All notes of homologation have one recipient's name; it is found by the one given.
        let found = shop.page("/painel/documentos?q=cliente%20exemplo").await;
        assert!(found.has("Cliente Exemplo Ltda") && found.has(&place(&note)), "{}", found.html);
        // Found by its key, too; what it links to goes by the id.
        let by_key = shop.page(&format!("/painel/documentos/{chave}")).await;
        assert!(by_key.has(&format!("{}/pdf?", place(&note))), "{}", by_key.html);
        assert_eq!(offered(&page, &place(&note)), ["pdf", "xml", "cce", "vinculo", "pagamento", "consultar", "cancelar"]);

        let service = shop.issue(&app, "/api/v1/nfse", nfse()).await;
        let page = shop.page(&place(&service)).await;
        for text in ["Prestador", "Tomador", "Desenvolvimento de software", "R$ 1.500,00", "ISS"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let coupon = shop.issue(&app, "/api/v1/nfce", nfce()).await;
        let page = shop.page(&place(&coupon)).await;
        assert!(page.has("Dinheiro") && page.has("Troco") && page.has("R$ 1,10"), "{}", page.html);
        assert_eq!(offered(&page, &place(&coupon)), ["pdf", "xml", "consultar", "cancelar"]);
        assert!(shop.page(&format!("{}/cancelar", place(&coupon))).await.has("O prazo de 30 minutos termina em"));
    }
}

both! {
    async fn a_letter_a_link_and_a_cancellation_are_done_once(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let origin = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let note = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let origin_page = place(&origin);
        let place = place(&note);

        // What is missing is said beside the field, before anything is asked.
        let path = format!("{place}/cce");
        let form = shop.page(&path).await.filled(&path, &[("correcao", "curta")]);
        let short = shop.browser.submit(&path, &form).await;
        assert_eq!(short.status, 422);
        assert!(short.has("id=\"correcao-falha\"") && short.has("há 5.") && short.has("aria-invalid=\"true\"") && short.has(">curta<"), "{}", short.html);
        assert!(short.tag("correcao").contains(" autofocus") && short.focused() == 1, "{}", short.html);
        let long = "a".repeat(1_200);
        let long = shop.browser.submit(&path, &short.filled(&path, &[("correcao", long.as_str())])).await;
        assert!(long.status == 422 && long.has("Escreva de 15 a 1.000 caracteres; há 1.200."), "{}", long.html);
        let text = "Onde se lê volume 1, leia-se volume 2.";
        let asking = shop.browser.submit(&path, &short.filled(&path, &[("correcao", text)])).await;
        assert!(asking.has("Confira") && asking.has(text) && asking.has("4 créditos (R$ 0,04)"), "{}", asking.html);
        let history = format!("/api/v1/documentos/{}/historico", note.text_at("/nota_id"));
        assert!(!shop.get(&app, &history).await.text.contains("\"cce\""), "nothing was sent yet");
        let mut back = asking.form(&path);
        back.push(("corrigir".to_owned(), "1".to_owned()));
        assert!(shop.browser.submit(&path, &back).await.has(&format!(">{text}<")), "the form as it was");
        let mut form = asking.form(&path);
        form.push(("confirmado".to_owned(), "1".to_owned()));
        let (mut one, mut two) = (shop.browser.clone(), shop.browser.clone());
        let (one, two) = tokio::join!(one.submit(&path, &form), two.submit(&path, &form));
        assert_eq!((one.status, &one.to), (303, &two.to), "{} {}", one.html, two.html);
        let done = shop.page(&one.to).await;
        assert!(done.has("Carta de correção registrada") && done.has("PDF da carta"), "{}", done.html);
        // What happened is said with the gender of the word, and not with a program's words.
        for text in [">Carta de correção: pedida<", ">Carta de correção: registrada<", ">Pedido enviado: Autorização de nota<", ">Resposta da autoridade<"] {
            assert!(done.has(text), "{text}: {}", done.html);
        }
        let step = done.html.split("<li").find(|step| step.contains(">Carta de correção: registrada<"));
        assert!(step.is_some_and(|step| step.contains(&format!("<div class=\"linhas\">{text}</div>"))) && done.html.matches(text).count() == 1, "what the letter says: {}", done.html);
        // The facts lead to the step of the letter.
        let event = done.html.split("<a href=\"#").find(|rest| rest.contains(">Tem carta de correção<")).and_then(|rest| rest.split('"').next()).expect("a link");
        assert!(step.is_some_and(|step| step.contains(&format!("id=\"{event}\""))), "{event}: {}", done.html);
        // What was sent and paid is folded below what became of the document.
        let (what, how) = done.html.split_once("<summary>Envios e créditos (").expect("steps of programs");
        assert!(what.contains(">Autorizada<") && !what.contains("Pedido enviado"), "{what}");
        assert!(how.contains("Pedido enviado"), "{how}");
        for text in [">Cce<", ">Carta de correção: registrado<", ">Carta de correção registrada<", "(HTTP 200)", "aviso aos webhooks"] {
            assert!(!done.has(text), "{text}: {}", done.html);
        }
        let told = shop.get(&app, &history).await.text;
        assert_eq!(told.matches("\"tipo\":\"cce\",").count(), 2, "asked for and registered, once: {told}");
        let letter = done.links().into_iter().find(|link| link.contains("/evento/") && link.contains("/pdf")).expect("a letter");
        let letter = shop.page(&letter).await;
        assert!(letter.bytes.starts_with(b"%PDF"));
        assert_eq!(letter.file_name(), "NF-e-000000002-serie-1-carta-de-correcao-1.pdf");

        // The next letter replaces this one, and begins with what it says.
        assert!(shop.page(&path).await.has(&format!(">{text}</textarea>")));

        // Linked to another note: traced from both sides.
        let path = format!("{place}/vinculo");
        let wrong = shop.confirm(&path, &[("chave_origem", "123"), ("tipo", "devolucao")]).await;
        assert!(wrong.has("id=\"chave_origem-falha\"") && wrong.has("value=\"123\""), "{}", wrong.html);
        assert!(!wrong.has("Código para o suporte") && !wrong.has("a corrigir"), "the person mends it alone: {}", wrong.html);
        let linked = shop.confirm(&path, &[("chave_origem", origin.text_at("/chave")), ("tipo", "devolucao")]).await;
        assert_eq!(linked.to, format!("{place}?feito=vinculo"), "{}", linked.html);
        assert!(shop.page(&place).await.has(origin.text_at("/chave")));
        assert!(shop.page(&origin_page).await.has("devolução desta"));

        // Cancelled: nothing else of it is offered, and nothing is done again.
        let path = format!("{place}/cancelar");
        let form = shop.page(&path).await;
        assert_eq!(form.focused(), 0, "{}", form.html);
        let empty = shop.browser.submit(&path, &form.filled(&path, &[("justificativa", "")])).await;
        assert!(empty.status == 422 && empty.tag("justificativa").contains(" autofocus") && empty.focused() == 1, "{}", empty.html);
        // Whose note it is and how much it says stands where somebody confirms.
        let asking = shop.browser.submit(&path, &form.filled(&path, &[("justificativa", REASON)])).await;
        for text in ["<dt>Destinatário</dt><dd>", "<dt>Valor</dt><dd>R$ 37,80</dd>"] {
            assert!(asking.has(text), "{text}: {}", asking.html);
        }
        let cancelled = shop.confirm(&path, &[("justificativa", REASON)]).await;
        assert_eq!(cancelled.to, format!("{place}?feito=cancelar"), "{}", cancelled.html);
        let page = shop.page(&cancelled.to).await;
        assert!(page.has("Cancelamento registrado") && page.has("class=\"selo erro\">cancelada<"), "{}", page.html);
        assert!(page.has("vinculado a <span class=\"junto\">NF-e</span></dd>"), "{}", page.html);
        assert!(page.has("<dt>Cancelada em</dt>") && page.has(&format!("<dt>Motivo</dt><dd>{REASON}</dd>")), "{}", page.html);
        // What webhooks are told of it is no second step.
        assert!(page.has(">Cancelamento: registrado<") && !page.has(">Cancelada<"), "{}", page.html);
        assert!(!offered(&page, &place).contains(&"cancelar".to_owned()), "{}", page.html);
        let over = shop.browser.get(&path).await;
        assert!(over.status == 409 && over.has("A situação é “cancelada”"), "{}", over.html);
        assert_eq!(shop.browser.get(&format!("{place}/nada")).await.status, 404);
        let audit = shop.page("/painel/auditoria").await;
        for word in ["documento.corrigido", "documento.vinculado", "documento.cancelado"] {
            assert_eq!(audit.html.matches(word).count(), 1, "{word}: {}", audit.html);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn a_draft_is_issued_or_deleted(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let draft = shop.issue(&app, "/api/v1/nfe/criar", nfe()).await;
        let path = place(&draft);
        assert_eq!(offered(&shop.page(&path).await, &path), ["emitir", "excluir"]);
        let issued = shop.confirm(&format!("{path}/emitir"), &[]).await;
        assert_eq!(issued.to, format!("{path}?feito=emitir"), "{}", issued.html);
        assert!(shop.page(&path).await.has("selo ok\">autorizada<"));
        let other = shop.issue(&app, "/api/v1/nfe/criar", nfe()).await;
        let path = place(&other);
        let gone = shop.confirm(&format!("{path}/excluir"), &[]).await;
        assert_eq!(gone.to, "/painel/documentos?status=rascunho", "{}", gone.html);
        assert_eq!(shop.browser.get(&path).await.status, 404);
    }
}

/// Live notes of the account that the test application begins with.
pub async fn live(app: &TestApp) -> Shop {
    let mut browser = crate::registered(app, "maria@exemplo.com.br").await;
    let emitter = crate::worlds::live_company(app, &mut browser).await;
    crate::worlds::turn(&mut browser, "producao").await;
    let key = super::key(&mut browser).await;
    Shop {
        browser,
        emitter,
        key,
    }
}

on_sqlite! {
    async fn a_service_note_is_replaced_by_another(app: TestApp) {
        let mut shop = live(&app).await;
        let note = shop.issue(&app, "/api/v1/nfse", nfse()).await;
        let old = place(&note);
        let path = format!("{old}/substituir");
        let form = shop.page(&path).await;
        assert!(form.has("value=\"Cliente Exemplo Ltda\"") && form.has("Desenvolvimento de software"), "what the note says: {}", form.html);
        let short = shop.browser.submit(&path, &form.filled(&path, &[("descricao", "Outro serviço prestado"), ("motivo", "99"), ("justificativa", "x")])).await;
        assert!(short.status == 422 && short.has("justificativa-falha"), "{}", short.html);
        assert!(short.tag("justificativa").contains(" autofocus"), "{}", short.html);
        // Nobody sends a reason that they did not choose.
        let unchosen = shop.browser.submit(&path, &form.filled(&path, &[("justificativa", "Descrição do serviço corrigida.")])).await;
        assert!(unchosen.status == 422 && unchosen.has("motivo-falha") && unchosen.tag("motivo").contains(" autofocus"), "{}", unchosen.html);
        assert!(form.tag("valor").contains("value=\"1500,00\""), "{}", form.html);
        let two = [("valor", "1.500"), ("motivo", "99"), ("justificativa", "Descrição do serviço corrigida.")];
        let two = shop.browser.submit(&path, &form.filled(&path, &two)).await;
        assert!(two.status == 422 && two.has("Pode ser 1500 ou 1,500") && two.tag("valor").contains(" autofocus"), "{}", two.html);
        let fields = [("descricao", "Outro serviço prestado"), ("valor", "1.200,50"), ("motivo", "99"), ("justificativa", "Descrição do serviço corrigida.")];
        let replaced = shop.confirm(&path, &fields).await;
        assert!(replaced.to.ends_with("?feito=substituir"), "{} {}", replaced.status, replaced.html);
        let new = shop.page(&replaced.to).await;
        assert!(new.has("Outro serviço prestado") && new.has("R$ 1.200,50") && new.has("Esta nota substitui"), "{}", new.html);
        let shown = shop.page(&old).await;
        assert!(shown.has("Esta nota foi substituída por") && !shown.has("/substituir?"), "{}", shown.html);
        assert_eq!(shop.browser.get(&path).await.status, 409);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_manifest_is_closed_on_its_page(app: TestApp) {
        let mut shop = live(&app).await;
        let account = account(&mut shop.browser).await;
        app.release(&account.as_str().into()).await;
        let manifest = shop.issue(&app, "/api/v1/mdfe/criar-e-emitir", mdfe()).await;
        let path = place(&manifest);
        let page = shop.page(&path).await;
        assert_eq!(offered(&page, &path), ["pdf", "xml", "encerrar", "condutor", "documentos", "consultar", "cancelar"]);
        let driver = shop.confirm(&format!("{path}/condutor"), &[("nome", "Outro Motorista"), ("cpf", "111.444.777-35")]).await;
        assert_eq!(driver.to, format!("{path}?feito=condutor"), "{}", driver.html);
        let close = format!("{path}/encerrar");
        for (city, uf, field, said) in [("1", "PR", "codigo_ibge", "Não achamos esta cidade"), ("Curitib", "PR", "codigo_ibge", "Talvez: Curitiba/PR"), ("Bom Jesus", "", "uf", "mais de uma cidade"), ("", "PR", "codigo_ibge", "Preencha")] {
            let form = shop.page(&close).await.filled(&close, &[("uf", uf), ("codigo_ibge", city)]);
            let wrong = shop.browser.submit(&close, &form).await;
            assert!(wrong.status == 422 && wrong.has(&format!("id=\"{field}-falha\"")) && wrong.has(said), "{city}: {}", wrong.html);
            assert!(wrong.has(&format!("value=\"{city}\"")), "{city}: {}", wrong.html);
        }
        // The state follows from the city.
        let form = shop.page(&close).await.filled(&close, &[("codigo_ibge", "curitiba")]);
        let asked = shop.browser.submit(&close, &form).await;
        assert!(asked.has("Curitiba/PR") && asked.has("name=\"confirmado\""), "{}", asked.html);
        let mut form = asked.form(&close);
        form.push(("confirmado".to_owned(), "1".to_owned()));
        let closed = shop.browser.submit(&close, &form).await;
        assert_eq!(closed.to, format!("{path}?feito=encerrar"), "{}", closed.html);
        let page = shop.page(&path).await;
        assert!(page.has("Encerrado em") && page.has("Encerramento: registrado") && page.has("<dt>Criado em</dt>") && page.has("selo ok\">autorizado<"), "{}", page.html);
        assert_eq!(offered(&page, &path), ["pdf", "xml", "consultar"]);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_payment_made_later_is_linked(app: TestApp) {
        let mut shop = live(&app).await;
        let later = json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]);
        let note = shop.issue(&app, "/api/v1/nfe", with(nfe(), "/pagamentos", later)).await;
        let path = format!("{}/pagamento", place(&note));
        let day = base::when::today(app.app.now_ms(), "SP").to_string();
        let form = shop.page(&path).await;
        let two = [("forma", "pix"), ("valor", "1.500"), ("data", day.as_str())];
        let two = shop.browser.submit(&path, &form.filled(&path, &two)).await;
        assert!(two.status == 422 && two.has("Pode ser 1500 ou 1,500"), "{}", two.html);
        for nothing in ["0", "0,00", "-5"] {
            let nothing = [("forma", "pix"), ("valor", nothing), ("data", day.as_str())];
            let refused = shop.browser.submit(&path, &form.filled(&path, &nothing)).await;
            assert!(refused.status == 422 && refused.has("Escreva um valor acima de zero.") && refused.tag("valor").contains("aria-invalid"), "{}", refused.html);
        }
        let linked = shop.confirm(&path, &[("forma", "pix"), ("valor", "20,00"), ("data", &day)]).await;
        assert_eq!(linked.to, format!("{}?feito=pagamento", place(&note)), "{}", linked.html);
        let page = shop.page(&place(&note)).await;
        assert!(page.has("Pagamentos vinculados") && page.has("Falta vincular R$ 17,80 de R$ 37,80"), "{}", page.html);
        assert!(offered(&page, &place(&note)).contains(&"desfazer-pagamento".to_owned()), "{}", page.html);
        let asked = shop.confirm(&format!("{}/consultar", place(&note)), &[]).await;
        assert_eq!(asked.to, format!("{}?feito=consultar", place(&note)), "{}", asked.html);
    }
}

on_sqlite! {
    async fn a_letter_that_cannot_be_read_is_not_shown_as_an_empty_one(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let note = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let page = place(&note);
        let letter = shop.confirm(&format!("{page}/cce"), &[("correcao", "Onde se lê volume 1, leia-se volume 2.")]).await;
        assert_eq!(letter.to, format!("{page}?feito=cce"), "{}", letter.html);
        assert!(shop.page(&page).await.has("leia-se volume 2"));
        let of = account(&mut shop.browser).await;
        let mut conn = app.app.db.read().await.expect("connection");
        let events = eventos::of_nota(&mut conn, &of.as_str().into(), &note.text_at("/nota_id").into()).await.expect("events");
        drop(conn);
        let letter = events.into_iter().find(|event| event.tipo == EventKind::Cce).expect("the letter");
        let damaged = EventoRow {
            id: EventoId::new(app.app.now_ms()),
            sequencia: letter.sequencia + 1,
            hold_id: Maybe(None),
            detalhes: "{".to_owned(),
            ..letter
        };
        let written = app.app.db.write(damaged, |damaged, conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(eventos::insert(conn, damaged).await?) })
        });
        assert!(written.await.expect("written"));
        assert_eq!(shop.browser.get(&page).await.status, 500);
    }
}
