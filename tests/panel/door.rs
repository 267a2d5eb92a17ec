//! Registration, login, sessions, second factor, forms of other sites.

use crate::browser::Browser;
use crate::registered;
use std::sync::atomic::Ordering;
use tests::both;

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
    async fn what_is_wrong_with_a_registration_is_said(app: TestApp) {
        let mut browser = Browser::new(&app);
        let page = browser.send("/painel/cadastrar", &[("nome", " "), ("email", "nada"), ("senha", "curta")]).await;
        assert_eq!(page.status, 422);
        for text in ["Informe o nome", "Informe um endereço de e-mail", "pelo menos 10"] {
            assert!(page.has(text), "{text}");
        }
        registered(&app, "maria@exemplo.com.br").await;
        let twice = browser.send("/painel/cadastrar", &[("nome", "Outra"), LOGIN[0], LOGIN[1]]).await;
        assert_eq!((twice.status, twice.has("Já existe um cadastro")), (422, true));
        app.check_invariants().await;
    }
}

both! {
    async fn guessing_is_slow(app: TestApp) {
        registered(&app, "maria@exemplo.com.br").await;
        let mut browser = Browser::new(&app);
        let mut answers = Vec::new();
        for _ in 0..14 {
            answers.push(browser.send("/painel/entrar", &[LOGIN[0], ("senha", "tentativa numero mil")]).await.status);
        }
        // On a slow machine one more may be due by the end.
        let judged = answers.iter().filter(|status| **status == 401).count();
        assert!((10..=12).contains(&judged), "{answers:?}");
        assert_eq!(answers[13], 429);
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

both! {
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
        let secret = hub::users::totp::from_base32(&key).expect("a secret");
        let code = |app: &tests::TestApp| hub::users::totp::code(&secret, app.app.now_ms());
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
        let off = browser.follow(path, &[("acao", "desligar"), ("senha", LOGIN[1].1)]).await;
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
