//! Registration, login, sessions, second factor, forms of other sites.

use crate::browser::Browser;
use crate::registered;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::tables::sessions;
use tests::{TestApp, both, mailed, on_sqlite};

const LOGIN: [(&str, &str); 2] = [
    ("email", "maria@exemplo.com.br"),
    ("senha", "cavalo bateria grampo"),
];

both! {
    async fn a_person_registers_leaves_and_comes_back(app: TestApp) {
        let mut browser = registered(&app, "Maria@Exemplo.com.br").await;
        let home = browser.get("/painel?bem-vindo=1").await;
        assert_eq!(home.status, 200);
        for text in ["Conta criada", "Loja Exemplo", "maria@exemplo.com.br", "R$ 2,00"] {
            assert!(home.has(text), "{text}: {}", home.html);
        }
        assert_eq!(browser.send("/painel/sair", &[]).await.to, "/painel/entrar");
        assert_eq!(browser.get("/painel").await.to, "/painel/entrar?volta=/painel");
        let mut again = Browser::new(&app);
        assert_eq!(again.get("/painel/chaves").await.to, "/painel/entrar?volta=/painel/chaves");
        let wrong = again.send("/painel/entrar", &[("email", "maria@exemplo.com.br"), ("senha", "outra senha qualquer")]).await;
        let unknown = again.send("/painel/entrar", &[("email", "ninguem@exemplo.com.br"), ("senha", "outra senha qualquer")]).await;
        assert_eq!((wrong.status, unknown.status), (401, 401));
        assert!(wrong.has("role=\"alert\" tabindex=\"-1\" autofocus") && wrong.focused() == 1, "{}", wrong.html);
        assert_eq!(wrong.html.replace("maria@", "x@"), unknown.html.replace("ninguem@", "x@"), "who exists is not told");
        let back = again.send("/painel/entrar", &[LOGIN[0], LOGIN[1], ("volta", "/painel/chaves")]).await;
        assert_eq!((back.status, back.to.as_str()), (303, "/painel/chaves"));
        let cookie = back.headers.get("set-cookie").and_then(|line| line.to_str().ok()).unwrap_or_default();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        let elsewhere = Browser::new(&app).send("/painel/entrar", &[LOGIN[0], LOGIN[1], ("volta", "//outro.example")]).await;
        assert_eq!(elsewhere.to, "/painel");
    }
}

both! {
    async fn a_slash_too_many_leads_to_the_page(app: TestApp) {
        let mut browser = Browser::new(&app);
        for page in ["/painel", "/docs"] {
            let led = browser.get(&format!("{page}/")).await;
            assert_eq!((led.status, led.to.as_str()), (308, page));
        }
        assert_eq!(browser.get("/painel/nada/").await.status, 404);
    }
}

on_sqlite! {
    async fn what_is_wrong_with_a_registration_is_said(app: TestApp) {
        let mut browser = Browser::new(&app);
        let page = browser.send("/painel/cadastrar", &[("nome", " "), ("email", "nada"), ("senha", "curta")]).await;
        assert_eq!(page.status, 422);
        for text in ["Informe o nome", "Informe um endereço de e-mail", "pelo menos 10", "Corrija 3 campos", "href=\"#senha\""] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        // The person goes on with the first of them, with a script or without.
        assert!(page.tag("nome").contains(" autofocus") && page.focused() == 1, "{}", page.html);
        assert!(page.tag("email").contains("aria-invalid=\"true\" aria-describedby=\"email-falha\""), "{}", page.html);
        let empty = browser.get("/painel/cadastrar").await;
        assert_eq!(empty.focused(), 0);
        // An account begins with two keys that nobody is shown: both pages say so.
        assert!(empty.has("uma chave de teste e uma de produção"), "{}", empty.html);
        let keys = registered(&app, "maria@exemplo.com.br").await.get("/painel/chaves").await;
        assert!(keys.has("svc_test_") && keys.has("para usar uma, rotacione-a e copie a nova"), "{}", keys.html);
        let twice = browser.send("/painel/cadastrar", &[("nome", "Outra"), LOGIN[0], LOGIN[1]]).await;
        assert_eq!((twice.status, twice.has("Já existe um cadastro")), (422, true));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn guessing_is_slow(app: TestApp) {
        app.stop_clock();
        registered(&app, "maria@exemplo.com.br").await;
        let mut browser = Browser::new(&app);
        let mut answers = Vec::new();
        for _ in 0..14 {
            answers.push(browser.send("/painel/entrar", &[LOGIN[0], ("senha", "tentativa numero mil")]).await.status);
        }
        assert!(answers[..10] == [401; 10] && answers[10..] == [429; 4], "{answers:?}");
        assert_eq!(browser.send("/painel/entrar", &LOGIN).await.status, 429, "nor with the right one");
        app.ahead_ms.fetch_add(3_600_000, Ordering::Relaxed);
        assert_eq!(browser.send("/painel/entrar", &LOGIN).await.status, 303);
        for number in 0..6 {
            let email = format!("pessoa{number}@exemplo.com.br");
            let status = browser.send("/painel/cadastrar", &[("nome", "P"), ("email", &email), LOGIN[1]]).await.status;
            assert_eq!(status, if number < 5 { 303 } else { 429 }, "{number}");
        }
    }
}

on_sqlite! {
    async fn forms_of_other_sites_and_sessions_are_refused(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel").await;
        let mut other = registered(&app, "joao@exemplo.com.br").await;
        other.get("/painel").await;
        let create = [("nome", "Chave")];
        let stolen = browser.send("/painel/chaves", &[create[0], ("csrf", &other.csrf)]).await;
        assert_eq!(stolen.status, 403, "another session's field");
        assert_eq!(browser.send("/painel/chaves", &[create[0], ("csrf", "")]).await.status, 403);
        for header in [("origin", "https://outro.example"), ("sec-fetch-site", "cross-site"), ("origin", "null")] {
            browser.headers = vec![(header.0, header.1.to_owned())];
            assert_eq!(browser.send("/painel/chaves", &create).await.status, 403, "{header:?}");
            assert_eq!(browser.send("/painel/entrar", &LOGIN).await.status, 403, "{header:?}");
        }
        browser.headers.clear();
        assert_eq!(browser.send("/painel/chaves", &create).await.status, 200);
    }
}

both! {
    async fn sessions_end(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        app.ahead_ms.fetch_add(11 * 3_600_000, Ordering::Relaxed);
        assert_eq!(browser.get("/painel").await.status, 200);
        app.ahead_ms.fetch_add(11 * 3_600_000, Ordering::Relaxed);
        assert_eq!(browser.get("/painel").await.status, 200, "used meanwhile");
        app.ahead_ms.fetch_add(13 * 3_600_000, Ordering::Relaxed);
        assert_eq!(browser.get("/painel").await.status, 303, "idle for too long");
        let mut daily = Browser::new(&app);
        assert_eq!(daily.send("/painel/entrar", &LOGIN).await.status, 303);
        for _ in 0..33 {
            app.ahead_ms.fetch_add(10 * 3_600_000, Ordering::Relaxed);
            assert_eq!(daily.get("/painel").await.status, 200);
        }
        app.ahead_ms.fetch_add(10 * 3_600_000, Ordering::Relaxed);
        assert_eq!(daily.get("/painel").await.status, 303, "two weeks at most");
    }
}

both! {
    async fn a_second_factor_is_asked_for_and_good_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let path = "/painel/configuracoes/autenticador";
        browser.get("/painel/configuracoes").await;
        let prepared = browser.send(path, &[("acao", "preparar")]).await;
        let key = prepared.id("chave-totp").to_owned();
        assert!(key.len() == 32 && prepared.has("<svg"), "{}", prepared.html);
        let secret = accounts::users::totp::from_base32(&key).expect("a secret");
        let code = |app: &tests::TestApp| accounts::users::totp::code(&secret, app.app.now_ms());
        let on = [("acao", "ligar"), ("chave", key.as_str()), ("senha", LOGIN[1].1)];
        let wrong = browser.send(path, &[on[0], on[1], on[2], ("codigo", "000000")]).await;
        assert!(wrong.has("O código não confere"), "{}", wrong.html);
        let right = code(&app);
        let done = browser.follow(path, &[on[0], on[1], on[2], ("codigo", &right)]).await;
        assert!(done.has("Desligar"), "{}", done.html);

        let mut other = Browser::new(&app);
        let asked = other.send("/painel/entrar", &LOGIN).await;
        assert!(asked.status == 200 && asked.has("codigo"), "{}", asked.html);
        assert_eq!(other.send("/painel/entrar", &[LOGIN[0], LOGIN[1], ("codigo", &right)]).await.status, 401, "used when it was set up");
        app.ahead_ms.fetch_add(31_000, Ordering::Relaxed);
        let next = code(&app);
        assert_eq!(other.send("/painel/entrar", &[LOGIN[0], LOGIN[1], ("codigo", &next)]).await.status, 303);
        assert_eq!(Browser::new(&app).send("/painel/entrar", &[LOGIN[0], LOGIN[1], ("codigo", &next)]).await.status, 401, "good once");
        let off = [("acao", "desligar"), ("senha", LOGIN[1].1)];
        let kept = browser.send(path, &off).await;
        assert!(kept.has("Informe também o código") && kept.has("Desligar"), "{}", kept.html);
        let password = [("atual", LOGIN[1].1), ("nova", "outra frase bem longa")];
        let refused = browser.send("/painel/configuracoes/senha", &password).await;
        assert!(refused.has("Informe também o código"), "{}", refused.html);
        app.ahead_ms.fetch_add(31_000, Ordering::Relaxed);
        let off = browser.follow(path, &[off[0], off[1], ("codigo", &code(&app))]).await;
        assert!(off.has("Configurar"), "{}", off.html);
    }
}

both! {
    async fn a_new_password_ends_the_other_sessions(app: TestApp) {
        let mut one = registered(&app, "maria@exemplo.com.br").await;
        let mut two = Browser::new(&app);
        two.send("/painel/entrar", &LOGIN).await;
        one.get("/painel/configuracoes").await;
        let path = "/painel/configuracoes/senha";
        assert!(one.send(path, &[("atual", "errada mesmo"), ("nova", "outra frase bem longa")]).await.has("não confere"));
        assert!(one.send(path, &[("atual", LOGIN[1].1), ("nova", "curta")]).await.has("pelo menos 10"));
        assert!(one.send(path, &[("atual", LOGIN[1].1), ("nova", "outra frase bem longa")]).await.has("Senha trocada"));
        assert_eq!((one.get("/painel").await.status, two.get("/painel").await.status), (200, 303));
        assert_eq!(two.send("/painel/entrar", &LOGIN).await.status, 401);
    }
}

on_sqlite! {
    async fn settings_are_no_place_to_guess_in(app: TestApp) {
        app.stop_clock();
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/configuracoes").await;
        let path = "/painel/configuracoes/senha";
        let mut slower = 0;
        for _ in 0..14 {
            let page = browser.send(path, &[("atual", "tentativa numero mil"), ("nova", "outra frase bem longa")]).await;
            slower += usize::from(page.has("tentativas demais"));
        }
        assert!(slower >= 2, "{slower}");
        let right = browser.send(path, &[("atual", LOGIN[1].1), ("nova", "outra frase bem longa")]).await;
        assert!(right.has("tentativas demais"), "nor with the right one");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_do_not_lock_a_person_out() {
    let change = |config: &mut base::config::Config| {
        config.server.trusted_proxies = vec!["127.0.0.0/8".to_owned()];
    };
    let app = tests::TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    registered(&app, "maria@exemplo.com.br").await;
    let wrong = [LOGIN[0], ("senha", "tentativa numero mil")];
    app.stop_clock();
    // One network, however many addresses it has.
    let mut stranger = Browser::new(&app);
    let mut refused = 0;
    for number in 0..24 {
        stranger.headers = vec![("x-forwarded-for", format!("2001:db8:1:2::{number:x}"))];
        refused += usize::from(stranger.send("/painel/entrar", &wrong).await.status == 429);
    }
    assert_eq!(refused, 14);
    let mut home = Browser::new(&app);
    home.headers = vec![("x-forwarded-for", "192.0.2.7".to_owned())];
    assert_eq!(home.send("/painel/entrar", &LOGIN).await.status, 303);
}

/// The link below a page that one of the mails brings, which come in any order.
fn link_in(taken: &[tests::smtp::Taken], page: &str) -> String {
    let mut links = taken.iter().filter_map(|taken| {
        assert_eq!(taken.to, ["maria@exemplo.com.br"]);
        let mail = taken.read();
        let text = mail["text"].as_str().expect("a text").to_owned();
        let (_, rest) = text.split_once(page)?;
        let secret = rest.split_whitespace().next().expect("a secret");
        Some(format!("{page}{secret}"))
    });
    links.next_back().expect("a link")
}

mailed! {
    async fn an_account_sends_mail_once_its_owner_was_reached(app: TestApp, smtp: Smtp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let link = link_in(&smtp.until(1).await, "/painel/confirmar/");
        assert!(browser.get("/painel").await.has("Confirme o seu e-mail"));
        let invite = [("email", "joao@exemplo.com.br"), ("papel", "leitura")];
        browser.get("/painel/equipe").await;
        let shown = browser.send("/painel/equipe", &invite).await;
        assert!(shown.has("/painel/convite/"), "a link to pass on: {}", shown.html);
        assert_eq!(browser.send("/painel/confirmar", &[]).await.status, 303);
        assert_eq!(link_in(&smtp.until(2).await, "/painel/confirmar/"), link);

        let mut mailbox = Browser::new(&app);
        assert_eq!(mailbox.get(&format!("{link}0")).await.status, 404);
        assert!(mailbox.get(&link).await.has("maria@exemplo.com.br"));
        assert!(browser.get("/painel").await.has("Confirme o seu e-mail"), "opened is not confirmed");
        assert!(mailbox.send(&link, &[]).await.has("foi confirmado"));
        assert!(!browser.get("/painel").await.has("Confirme o seu e-mail"));
        browser.get("/painel/equipe").await;
        browser.send("/painel/equipe", &invite).await;
        let to_joao = smtp.until(3).await.iter().filter(|taken| taken.to == ["joao@exemplo.com.br"]).count();
        assert_eq!(to_joao, 1);
    }
}

mailed! {
    async fn a_forgotten_password_is_replaced_by_mail(app: TestApp, smtp: Smtp) {
        let mut open = registered(&app, "maria@exemplo.com.br").await;
        let mut browser = Browser::new(&app);
        assert!(browser.get("/painel/entrar").await.has("Esqueci a senha"));
        let known = browser.send("/painel/senha", &[LOGIN[0]]).await;
        let unknown = browser.send("/painel/senha", &[("email", "ninguem@exemplo.com.br")]).await;
        assert_eq!((known.status, &known.html), (200, &unknown.html), "who exists is not told");
        // The registration had its own.
        let link = link_in(&smtp.until(2).await, "/painel/senha/");

        assert!(browser.get(&link).await.has("maria@exemplo.com.br"));
        for other in [format!("{link}0"), link.replacen("usr_", "usr_0", 1), "/painel/senha/usr_1.2.3".to_owned()] {
            assert_eq!(browser.get(&other).await.status, 404, "{other}");
        }
        let weak = browser.send(&link, &[("senha", "curta")]).await;
        assert!(weak.status == 422 && weak.has("pelo menos 10"), "{}", weak.html);
        assert!(weak.tag("senha").contains(" autofocus"), "{}", weak.html);
        let set = browser.send(&link, &[("senha", "outra frase bem longa")]).await;
        assert!(set.status == 200 && set.has("foi trocada"), "{}", set.html);
        assert_eq!(open.get("/painel").await.status, 303, "sessions end");
        assert_eq!(browser.send(&link, &[("senha", "mais uma frase longa")]).await.status, 404, "good once");
        assert_eq!(browser.send("/painel/entrar", &LOGIN).await.status, 401);
        assert_eq!(browser.send("/painel/entrar", &[LOGIN[0], ("senha", "outra frase bem longa")]).await.status, 303);

        // Another link, too late; and no flood of them.
        for _ in 0..4 {
            browser.send("/painel/senha", &[LOGIN[0]]).await;
        }
        let taken = smtp.until(4).await;
        assert_eq!(taken.len(), 4, "three of these to one person");
        assert_eq!(browser.send("/painel/senha", &[LOGIN[0]]).await.status, 429);
        let late = link_in(&taken, "/painel/senha/");
        assert_eq!(browser.get(&late).await.status, 200);
        app.ahead_ms.fetch_add(3_601_000, Ordering::Relaxed);
        assert_eq!(browser.get(&late).await.status, 404, "an hour");
    }
}

both! {
    async fn without_mail_the_operator_makes_the_link(app: TestApp) {
        registered(&app, "maria@exemplo.com.br").await;
        let mut browser = Browser::new(&app);
        assert!(!browser.get("/painel/entrar").await.has("Esqueci a senha"));
        assert_eq!(browser.get("/painel/senha").await.status, 404);
        let by_hand = async |email: &str| {
            let (db, pepper) = (&app.app.db, &app.app.pepper);
            accounts::users::recovery::by_hand(db, pepper, "", email, app.app.now_ms()).await.expect("database")
        };
        assert_eq!(by_hand("ninguem@exemplo.com.br").await, None);
        let link = by_hand("Maria@exemplo.com.br").await.expect("a link");
        let mut conn = app.app.db.read().await.expect("connection");
        let done = store::tables::operator_actions::list(&mut conn, "", 100).await.expect("actions");
        drop(conn);
        let done: Vec<_> = done.iter().map(|row| (row.actor.as_str(), row.action.as_str())).collect();
        assert_eq!(done, [("hub", "pessoa.link_de_senha")], "for nobody, none was made");
        assert!(browser.send(&link, &[("senha", "outra frase bem longa")]).await.has("foi trocada"));
    }
}

both! {
    async fn what_a_person_changes_counts_as_a_call_does(app: TestApp) {
        app.stop_clock();
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        browser.get("/painel/chaves").await;
        let most = app.app.config.accounts.requests_per_minute;
        let mut limited = 0;
        for _ in 0..most + 10 {
            let page = browser.send("/painel/chaves/key_0/revogar", &[]).await;
            limited += i64::from(page.has("requisições"));
        }
        assert!(limited > 0, "after {most} a minute");
        assert_eq!(browser.get("/painel/chaves").await.status, 200, "looking is free");
    }
}

both! {
    async fn names_stand_in_a_line_and_nothing_has_a_nul(app: TestApp) {
        let mut browser = Browser::new(&app);
        for conta in ["c\0d", "c\r\nBcc: x@y.com", &"c".repeat(101)] {
            let page = browser.send("/painel/cadastrar", &[("nome", "Maria"), ("conta", conta), LOGIN[0], LOGIN[1]]).await;
            assert!(matches!(page.status, 400 | 422), "{conta:?}: {}", page.status);
        }
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        owner.get("/painel/equipe").await;
        for path in ["/painel/equipe/%00", "/painel/equipe/convites/%00/remover"] {
            assert_eq!(owner.send(path, &[]).await.status, 404, "{path}");
        }
        assert_eq!(owner.send("/painel/equipe/conta", &[("conta", "\0")]).await.status, 400);
        assert_eq!(owner.get("/painel/auditoria?antes=%00").await.status, 404);
        let there = owner.send("/painel/equipe/convites/cvt_INVENTADO/remover", &[]).await;
        assert_eq!(there.status, 303);
        assert!(!owner.get("/painel/auditoria").await.has("cvt_INVENTADO"), "nothing was done");
    }
}

both! {
    async fn who_registered_anothers_address_does_not_keep_its_owner_out(app: TestApp) {
        let mut thief = registered(&app, "maria@exemplo.com.br").await;
        let path = "/painel/configuracoes/autenticador";
        thief.get("/painel/configuracoes").await;
        let prepared = thief.send(path, &[("acao", "preparar")]).await;
        let key = prepared.id("chave-totp").to_owned();
        let secret = accounts::users::totp::from_base32(&key).expect("a secret");
        let code = accounts::users::totp::code(&secret, app.app.now_ms());
        let on = [("acao", "ligar"), ("chave", key.as_str()), ("senha", LOGIN[1].1), ("codigo", &code)];
        assert!(thief.follow(path, &on).await.has("Desligar"));
        let link = accounts::users::recovery::by_hand(&app.app.db, &app.app.pepper, "", LOGIN[0].1, app.app.now_ms()).await;
        let link = link.expect("database").expect("a link");
        let mut owner = Browser::new(&app);
        owner.send(&link, &[("senha", "outra frase bem longa")]).await;
        let entered = owner.send("/painel/entrar", &[LOGIN[0], ("senha", "outra frase bem longa")]).await;
        assert_eq!(entered.status, 303, "no code is asked for: {}", entered.html);
        assert_eq!(thief.get("/painel").await.status, 303);
    }
}

/// How many of so many attempts at one moment are let through: sixty, one each five seconds.
async fn attempts(app: &TestApp, subject: &str, now_ms: i64, many: usize) -> usize {
    let input = (subject.to_owned(), now_ms, many);
    let written = app.app.db.write(input, |(subject, now_ms, many), conn| {
        Box::pin(async move {
            let mut allowed = 0;
            for _ in 0..*many {
                let passed = sessions::attempt(conn, subject, *now_ms, 5_000, 5_000 * 59).await?;
                allowed += usize::from(passed);
            }
            Ok::<_, TxError<Infallible>>(allowed)
        })
    });
    written.await.expect("written")
}

both! {
    async fn a_clock_that_was_set_back_locks_nobody_out(app: TestApp) {
        let now_ms = app.app.now_ms();
        let network = "login 192.0.2.9";
        assert_eq!(attempts(&app, network, now_ms + 86_400_000, 1).await, 1);
        assert_eq!(attempts(&app, network, now_ms, 100).await, 60, "counted as before");
        assert_eq!(attempts(&app, network, now_ms + 5_000, 100).await, 1);
    }
}

on_sqlite! {
    async fn where_somebody_came_in_from_they_come_in_again(app: TestApp) {
        registered(&app, "maria@exemplo.com.br").await;
        let mut home = Browser::new(&app);
        assert_eq!(home.send("/painel/entrar", &LOGIN).await.status, 303);
        // Strangers, from so many networks that none of them is too fast.
        let subject = format!("login {}", LOGIN[0].1);
        let allowed = attempts(&app, &subject, app.app.now_ms(), 100).await;
        assert!(allowed < 100, "strangers are too fast by now");
        assert_eq!(Browser::new(&app).send("/painel/entrar", &LOGIN).await.status, 303, "the same place");
        let mut conn = app.app.db.read().await.expect("connection");
        let known = sessions::is_known(&mut conn, "casa maria@exemplo.com.br 192.0.2.9", app.app.now_ms()).await;
        assert!(!known.expect("database"), "another is none");
    }
}
