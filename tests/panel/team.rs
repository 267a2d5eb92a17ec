//! People of an account: invitations, parts, and what belongs to others.

use crate::browser::Browser;
use crate::pages::account;
use crate::worlds::{live_company, turn};
use crate::{confirmed, registered};
use accounts::users::totp;
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::tables::users;
use tests::{both, on_sqlite};

/// What the page says that refuses somebody by their part in the account.
const NOT_ALLOWED: &str = "O seu papel nesta conta não permite esta ação.";

/// Invites somebody as the owner; their browser, logged in.
async fn invited(app: &tests::TestApp, owner: &mut Browser, email: &str, role: &str) -> Browser {
    let path = invitation(owner, email, role).await;
    let path = path.as_str();
    let mut browser = Browser::new(app);
    assert!(browser.get(path).await.has(email));
    let joined = browser
        .send(
            path,
            &[
                ("nome", "João Convidado"),
                ("senha", "outra frase bem longa"),
            ],
        )
        .await;
    assert_eq!(joined.to, "/painel", "{}", joined.html);
    assert_eq!(
        Browser::new(app).get(path).await.status,
        404,
        "an invitation is good once"
    );
    browser
}

on_sqlite! {
    async fn parts_allow_what_they_say(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        for (role, keys, team, credits) in [("administrador", 200, 200, 303), ("desenvolvedor", 200, 403, 403), ("financeiro", 403, 403, 303), ("leitura", 403, 403, 403)] {
            let email = format!("{role}@exemplo.com.br");
            let mut person = invited(&app, &mut owner, &email, role).await;
            assert!(person.get("/painel/equipe").await.has("Loja Exemplo"), "{role} sees the account");
            assert_eq!(person.send("/painel/chaves", &[("nome", "Chave")]).await.status, keys, "{role}");
            assert_eq!(person.send("/painel/equipe", &[("email", "x@exemplo.com.br"), ("papel", "leitura")]).await.status, team, "{role}");
            let bought = person.send("/painel/creditos", &[("valor", "300,00"), ("meio", "pix"), ("vez", role)]).await;
            assert_eq!(bought.status, credits, "{role}");
            for path in ["/painel/emitir", "/painel/documentos/nfe_1/email", "/painel/webhooks", "/painel/emitentes", "/painel/emitentes/emi_1/certificado", "/painel/emitentes/emi_1/certificado/remover", "/painel/emitentes/emi_1/ambiente", "/painel/emitentes/emi_1/logotipo", "/painel/emitentes/emi_1/logotipo/remover", "/painel/exportacoes", "/painel/lotes", "/painel/clientes", "/painel/produtos", "/painel/produtos/prd_1", "/painel/produtos/prd_1/excluir"] {
                if !matches!(role, "administrador" | "desenvolvedor") {
                    assert_eq!(person.send(path, &[("url", "https://exemplo.com.br")]).await.status, 403, "{role} {path}");
                }
            }
        }
    }
}

on_sqlite! {
    async fn who_may_not_issue_spends_no_credits(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let company = live_company(&app, &mut owner).await;
        let account = account(&mut owner).await;
        let balances = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let read = accounts::ledger::balances(&mut conn, &account.as_str().into()).await.expect("balances");
            (read.available, read.held)
        };
        let before = balances().await;
        let simples = [("anexo", "III"), ("rbt12", "360.000,00")];
        let company = company.as_str();
        let forms: [(&str, &[(&str, &str)]); 20] = [
            ("/painel/autorizadores", &[("uf", "MG"), ("modelo", "55")]),
            ("/painel/autorizadores", &[("uf", "MG"), ("modelo", "65")]),
            ("/painel/ferramentas/simples", &simples),
            ("/painel/ferramentas/fator-r", &[("folha12", "84.000,00"), ("rbt12", "300.000,00")]),
            ("/painel/ferramentas/impostos", &[("uf_origem", "SP"), ("uf_destino", "RJ"), ("regime", "normal"), ("ncm", "09012100"), ("cfop", "6102"), ("origem", "0"), ("quantidade", "2"), ("valor_unitario", "18,90")]),
            ("/painel/ferramentas/ncm", &[("q", "0901.21.00")]),
            ("/painel/ferramentas/cfop", &[("q", "5102")]),
            ("/painel/ferramentas/cnpj", &[("cnpj", "11.222.333/0001-81")]),
            ("/painel/ferramentas/cep", &[("cep", "80010-000")]),
            ("/painel/ferramentas/xml", &[("xml", "")]),
            ("/painel/emitir", &[("acao", "cep"), ("cep", "80010-000")]),
            ("/painel/emitir", &[("acao", "cnpj"), ("documento", "11.222.333/0001-81")]),
            ("/painel/emitir", &[("acao", "ncm:1"), ("descricao", "café torrado")]),
            ("/painel/clientes", &[("acao", "cnpj"), ("cpf_cnpj", "11.222.333/0001-81")]),
            ("/painel/emitentes", &[("acao", "cep"), ("cep", "80010-000")]),
            ("/painel/emitentes/emi_1/perfil", &[("acao", "cep"), ("cep", "80010-000")]),
            ("/painel/recebidas/consultar", &[("empresa", company)]),
            ("/painel/recebidas/1/manifestar", &[("tipo", "ciencia"), ("empresa", company)]),
            ("/painel/recebidas/ciencia", &[("nota", "1:1"), ("confirmado", "1")]),
            ("/painel/numeracao/inutilizar", &[("emitente", company), ("confirmado", "1")]),
        ];
        for role in ["financeiro", "leitura"] {
            let mut person = invited(&app, &mut owner, &format!("{role}@exemplo.com.br"), role).await;
            let page = person.get("/painel/ferramentas/simples").await;
            assert!(page.has("Consultar</button>"), "it is free in Teste: {}", page.html);
            assert!(person.send("/painel/ferramentas/simples", &simples).await.has("Resultado"), "{role}");
            turn(&mut person, "producao").await;
            let page = person.get("/painel/ferramentas/cnpj").await;
            assert!(page.has("não permite gastá-los") && !page.has("Consultar</button>"), "{role}: {}", page.html);
            let page = person.get("/painel/autorizadores").await;
            assert!(page.has("não permite perguntar") && !page.has("Perguntar</button>"), "{role}: {}", page.html);
            for (path, fields) in forms {
                let refused = person.send(path, fields).await;
                assert!(refused.status == 403 && refused.has(NOT_ALLOWED), "{role} {path} {fields:?}: {} {}", refused.status, refused.html);
                assert_eq!(balances().await, before, "{role} {path} {fields:?}");
            }
        }
        // Who may issue pays.
        turn(&mut owner, "producao").await;
        assert!(owner.send("/painel/ferramentas/simples", &simples).await.has("Resultado"));
        assert_eq!(balances().await, (before.0 - 4, before.1));
    }
}

both! {
    async fn an_invitation_is_as_good_as_who_gave_it(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        for (name, change) in [("removido", ("acao", "remover")), ("rebaixado", ("papel", "leitura"))] {
            let mut person = invited(&app, &mut owner, &format!("{name}@exemplo.com.br"), "administrador").await;
            let way_back = invitation(&mut person, &format!("{name}.volta@exemplo.com.br"), "administrador").await;
            let team = owner.get("/painel/equipe").await;
            let after = team.html.split(&format!("{name}@")).nth(1).unwrap_or_default();
            let id = after.split("/painel/equipe/usr_").nth(1).and_then(|rest| rest.split('"').next());
            let path = format!("/painel/equipe/usr_{}", id.expect("a person"));
            assert_eq!(owner.send(&path, &[change]).await.status, 303, "{path}");
            assert!(!owner.get("/painel/equipe").await.has(&format!("{name}.volta@")), "it is taken back");
            let mut back = Browser::new(&app);
            let refused = back.send(&way_back, &[("nome", "João"), ("senha", "outra frase bem longa")]).await;
            assert_eq!(refused.status, 404, "{name}: {}", refused.html);
            assert_eq!(back.get("/painel/equipe").await.to, "/painel/entrar?volta=/painel/equipe");
        }
        // Given at the very moment in which its giver changed.
        let mut person = invited(&app, &mut owner, "ana@exemplo.com.br", "administrador").await;
        let path = invitation(&mut person, "ana.volta@exemplo.com.br", "administrador").await;
        let mut conn = app.app.db.read().await.expect("connection");
        let ana = users::by_email(&mut conn, "ana@exemplo.com.br").await.expect("read").expect("a person");
        let account = users::accounts_of(&mut conn, &ana.id).await.expect("read").remove(0).account_id;
        drop(conn);
        let written = app.app.db.write((account, ana.id), |(account, id), conn| {
            Box::pin(async move { users::set_role(conn, account, id, users::Role::ReadOnly).await.map_err(TxError::<Infallible>::Db) })
        });
        written.await.expect("written");
        let refused = Browser::new(&app).send(&path, &[("nome", "João"), ("senha", "outra frase bem longa")]).await;
        assert!(refused.status == 422 && refused.has("não pode mais convidar"), "{} {}", refused.status, refused.html);
    }
}

/// The link of an invitation that is shown to who invites.
async fn invitation(owner: &mut Browser, email: &str, role: &str) -> String {
    owner.get("/painel/equipe").await;
    let page = owner
        .send("/painel/equipe", &[("email", email), ("papel", role)])
        .await;
    let link = page.id("convite").to_owned();
    link[link.find("/painel/convite/").expect("a link")..].to_owned()
}

both! {
    async fn an_invitation_proves_no_less_than_a_login(app: TestApp) {
        registered(&app, "ana@exemplo.com.br").await;
        let secret = totp::new_secret().expect("random");
        let mut conn = app.app.db.read().await.expect("connection");
        let ana = users::by_email(&mut conn, "ana@exemplo.com.br").await.expect("read").expect("a person");
        drop(conn);
        let sealed = app.app.keyring.seal(&secret, &totp::aad(&ana.id)).expect("sealed");
        let written = app.app.db.write((ana.id.clone(), sealed), |(id, sealed), conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(users::set_totp(conn, id, sealed, 0, 0).await?) })
        });
        written.await.expect("written");
        // Whoever invites has the link, and may have the password.
        let mut other = registered(&app, "outro@exemplo.com.br").await;
        let path = invitation(&mut other, "ana@exemplo.com.br", "leitura").await;
        let mut guest = Browser::new(&app);
        let right = ("senha", "cavalo bateria grampo");
        let asked = guest.send(&path, &[right]).await;
        assert!(asked.status == 200 && asked.has("codigo"), "{}", asked.html);
        assert_eq!(guest.get("/painel").await.status, 303, "not logged in");
        let wrong = guest.send(&path, &[right, ("codigo", "000000")]).await;
        assert_eq!(wrong.status, 422, "{}", wrong.html);
        let code = totp::code(&secret, app.app.now_ms());
        let joined = guest.send(&path, &[right, ("codigo", &code)]).await;
        assert_eq!((joined.status, joined.to.as_str()), (303, "/painel"), "{}", joined.html);

        let path = invitation(&mut other, "maria@exemplo.com.br", "leitura").await;
        let mut guesses = Vec::new();
        registered(&app, "maria@exemplo.com.br").await;
        app.stop_clock();
        for number in 0..14 {
            let guess = format!("palpite número {number}");
            guesses.push(Browser::new(&app).send(&path, &[("senha", &guess)]).await.status);
        }
        assert_eq!((guesses[0], guesses[13]), (422, 429), "{guesses:?}");
    }
}

both! {
    async fn an_account_keeps_an_owner_and_ranks_hold(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let mut admin = invited(&app, &mut owner, "ana@exemplo.com.br", "administrador").await;
        let team = owner.get("/painel/equipe").await;
        let ids: Vec<String> = team.html.split("action=\"/painel/equipe/usr_").skip(1).filter_map(|rest| rest.split('"').next()).map(|id| format!("usr_{id}")).collect();
        assert_eq!(ids.len(), 2, "{}", team.html);
        let (maria, ana) = (&ids[0], &ids[1]);
        let alone = owner.send(&format!("/painel/equipe/{maria}"), &[("papel", "leitura"), ("acao", "mudar")]).await;
        assert!(alone.has("A conta precisa de um dono"), "{}", alone.html);
        admin.get("/painel/equipe").await;
        let usurper = admin.send(&format!("/painel/equipe/{maria}"), &[("acao", "remover"), ("papel", "")]).await;
        assert!(usurper.has("não permite"), "{}", usurper.html);
        let climber = admin.send(&format!("/painel/equipe/{ana}"), &[("acao", "mudar"), ("papel", "dono")]).await;
        assert!(climber.has("não permite"), "{}", climber.html);
        owner.send(&format!("/painel/equipe/{ana}"), &[("acao", "remover"), ("papel", "")]).await;
        assert_eq!(admin.get("/painel").await.status, 303, "out at once");
    }
}

on_sqlite! {
    async fn another_accounts_things_are_not_there(app: TestApp) {
        let mut maria = registered(&app, "maria@exemplo.com.br").await;
        let mut joao = registered(&app, "joao@exemplo.com.br").await;
        maria.get("/painel/chaves").await;
        maria.send("/painel/chaves", &[("nome", "De Maria")]).await;
        let list = maria.get("/painel/chaves").await;
        let key = list.html.split("/painel/chaves/key_").nth(1).and_then(|rest| rest.split('/').next()).expect("an id").to_owned();
        joao.get("/painel/chaves").await;
        let page = joao.send(&format!("/painel/chaves/key_{key}/revogar"), &[]).await;
        assert!(page.has("role=\"alert\""), "{}", page.html);
        assert!(!joao.get("/painel/chaves").await.has("De Maria"));
        assert!(!joao.get("/painel/auditoria").await.has("maria@"));
        let mut conn = app.app.db.read().await.expect("connection");
        let accounts = store::tables::users::by_email(&mut conn, "maria@exemplo.com.br").await.expect("database").expect("Maria");
        let of_maria = store::tables::users::accounts_of(&mut conn, &accounts.id).await.expect("database").remove(0).account_id;
        drop(conn);
        let page = joao.send("/painel/equipe/conta", &[("conta", &of_maria)]).await;
        assert!(page.has("Você não está nesta conta"), "{}", page.html);
    }
}

tests::mailed! {
    async fn an_invitation_comes_by_mail_where_there_is_a_server(app: TestApp, smtp: Smtp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        confirmed(&app, "maria@exemplo.com.br").await;
        assert!(owner.get("/painel/equipe").await.has("O convite vai por e-mail"));
        let page = owner.send("/painel/equipe", &[("email", "joao@exemplo.com.br"), ("papel", "financeiro")]).await;
        assert!(page.has("Convite enviado por e-mail"), "{}", page.html);
        assert!(!page.has("/painel/convite/"), "the link is for the invited alone");
        // The other one asked her to confirm.
        let taken = smtp.until(2).await.into_iter().find(|taken| taken.to == ["joao@exemplo.com.br"]);
        let taken = taken.expect("the invitation");
        let mail = taken.read();
        assert_eq!(mail["subject"], "Convite para a conta Loja Exemplo");
        let text = mail["text"].as_str().expect("text");
        assert!(text.contains("Maria Exemplo convidou você") && text.contains("Financeiro"), "{text}");
        let path = &text[text.find("/painel/convite/").expect("a link")..];
        let path = path.split_whitespace().next().expect("a path");
        let mut joao = Browser::new(&app);
        assert!(joao.get(path).await.has("joao@exemplo.com.br"));
        let joined = joao.send(path, &[("nome", "João Convidado"), ("senha", "outra frase bem longa")]).await;
        assert_eq!(joined.to, "/painel", "{}", joined.html);
    }
}

both! {
    async fn without_mail_the_panel_shows_the_link_and_offers_no_channel(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        assert!(owner.get("/painel/equipe").await.has("Este hub não envia e-mail"));
        let page = owner.send("/painel/equipe", &[("email", "joao@exemplo.com.br"), ("papel", "leitura")]).await;
        assert!(page.has("/painel/convite/"), "{}", page.html);
        let credits = owner.get("/painel/creditos").await;
        assert!(!credits.has("value=\"email\"") && !credits.has("value=\"2000 500\""), "{}", credits.html);
        owner.send("/painel/creditos/alerta", &[("limiares", "700 30"), ("canal", "webhook")]).await;
        let credits = owner.get("/painel/creditos").await;
        assert!(credits.has("value=\"700 30\""), "{}", credits.html);
        assert!(credits.has("Avisar quando o saldo ficar abaixo de 700 e de 30 créditos."), "{}", credits.html);
        owner.send("/painel/creditos/alerta", &[("limiares", "2.000 500 30"), ("canal", "webhook")]).await;
        let credits = owner.get("/painel/creditos").await;
        assert!(credits.has("value=\"2.000 500 30\"") && credits.has("abaixo de 2.000, de 500 e de 30 créditos."), "{}", credits.html);
    }
}

on_sqlite! {
    async fn an_alert_keeps_the_telephones_that_its_form_does_not_show(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        owner.get("/painel/chaves").await;
        let made = owner.send("/painel/chaves", &[("nome", "Servidor")]).await;
        let key = made.id("chave-nova").to_owned();
        let alert = json!({ "limiares": [500], "canais": ["webhook"], "telefones": ["+5511999998888"] });
        let put = app.http().put(format!("{}/api/v1/creditos/alerta", app.base_url)).header("content-type", "application/json");
        let stored = app.send(put.bearer_auth(&key).body(alert.to_string())).await;
        assert_eq!(stored.status, 200, "{}", stored.text);
        let told = || app.http().get(format!("{}/api/v1/creditos", app.base_url)).bearer_auth(&key);
        let form = owner.get("/painel/creditos").await;
        assert!(form.has("value=\"500\"") && !form.has("name=\"telefones\""), "{}", form.html);

        // Credits are whole: a fraction is refused, and nothing of the form is stored.
        for (fraction, said) in [("20.5", "20.5"), ("20,5", "20,5"), ("0.500", "0.500"), ("1.2.3", "1.2.3"), ("2.000,50 abc", "2.000,50"), ("300 abc", "abc")] {
            let refused = owner.send("/painel/creditos/alerta", &[("limiares", fraction)]).await;
            assert!(refused.to.is_empty() && refused.has("role=\"alert\""), "{fraction}: {}", refused.html);
            // In words of the page; what was sent stands in the form.
            let mistake = format!("<a href=\"#limiares\">Avisar quando o saldo ficar abaixo de</a>: “{said}” não é um número inteiro de créditos.");
            assert!(refused.status == 422 && refused.has(&mistake) && !refused.has("aspas"), "{fraction}: {}", refused.html);
            assert!(refused.has(&format!("value=\"{fraction}\"")) && !refused.has("value=\"webhook\" checked"), "{fraction}: {}", refused.html);
            assert_eq!(app.send(told()).await.body["alerta"], alert, "{fraction}");
        }
        let saved = owner.send("/painel/creditos/alerta", &[("limiares", "2.000 1.500,00 300"), ("canal", "webhook")]).await;
        assert_eq!(saved.to, "/painel/creditos?alerta=1", "{}", saved.html);
        let kept = json!({ "limiares": [2000, 1500, 300], "canais": ["webhook"], "telefones": ["+5511999998888"] });
        assert_eq!(app.send(told()).await.body["alerta"], kept);
        // Copied from a page, thousands may have a space at which no line breaks.
        for two in ["500\u{a0}30", "300\u{a0}00", "500\u{a0}0", "2.000\u{a0}500"] {
            let refused = owner.send("/painel/creditos/alerta", &[("limiares", two)]).await;
            assert!(refused.status == 422 && refused.has("não é um número inteiro de créditos. O espaço dentro dele"), "{two}: {}", refused.html);
        }
        let saved = owner.send("/painel/creditos/alerta", &[("limiares", "1\u{a0}500 300"), ("canal", "webhook")]).await;
        assert_eq!(saved.to, "/painel/creditos?alerta=1", "{}", saved.html);
        assert_eq!(app.send(told()).await.body["alerta"]["limiares"], json!([1500, 300]));

        // A number of instalments that cannot be read is not one.
        let card = [("valor", "300,00"), ("meio", "cartao"), ("parcelas", "duas")];
        let refused = owner.send("/painel/creditos", &card).await;
        assert!(refused.to.is_empty() && refused.has("id=\"parcelas-falha\""), "{} {}", refused.status, refused.html);
    }
}

both! {
    async fn keys_a_person_gives_do_no_more_than_the_person(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        owner.get("/painel/equipe").await;
        let page = owner.send("/painel/equipe", &[("email", "joao@exemplo.com.br"), ("papel", "desenvolvedor")]).await;
        let path = &page.html[page.html.find("/painel/convite/").expect("a link")..];
        let path = path.split('<').next().expect("a path").to_owned();
        let mut joao = Browser::new(&app);
        joao.get(&path).await;
        joao.send(&path, &[("nome", "João"), ("senha", "outra frase bem longa")]).await;
        assert!(!joao.get("/painel/chaves").await.has("value=\"creditos\""));
        let richer = joao.send("/painel/chaves", &[("nome", "Rica"), ("escopo", "creditos"), ("escopo", "chaves")]).await;
        assert!(richer.has("role=\"alert\"") && richer.has("creditos"), "{}", richer.html);
        let plain = joao.send("/painel/chaves", &[("nome", "Simples")]).await;
        let key = plain.html.split("svc_").nth(1).expect("a key").split('<').next().expect("a key");
        let listed = app.http().get(format!("{}/api/v1/chaves", app.base_url)).bearer_auth(format!("svc_{key}"));
        let listed = app.send(listed).await;
        let items = listed.body["itens"].as_array().expect("items").clone();
        let made = items.iter().find(|item| item["nome"] == "Simples").expect("the key");
        let scopes = made["escopos"].as_array().expect("scopes");
        assert!(scopes.len() == 10 && !scopes.contains(&"creditos".into()), "nor without being asked: {made}");
        assert!(owner.get("/painel/auditoria").await.has("equipe.entrada"));
    }
}
