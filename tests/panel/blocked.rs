//! An account that an operator blocked: its people read, revoke keys, and change nothing
//! else.

use crate::issuing::filled;
use crate::pages::{account, company};
use crate::registered;
use accounts::operator::{self, Change, Operator};
use std::sync::atomic::Ordering;
use store::ids::AccountId;
use tests::both;

/// The key of the test in the list.
const KEY: &str = "<td data-rotulo=\"Nome\">Chave</td>";

both! {
    async fn people_of_a_blocked_account_read_and_revoke_keys(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let id = AccountId::from(account(&mut owner).await);
        let operator = Operator { door: "hub", now_ms: app.app.now_ms() };
        let block = Change::Block { reason: "Fatura <em> de R$ 10.50 (rejeição do banco)".to_owned() };
        let again = block.clone();
        let made = operator::change(&app.app.db, &id, block, &operator).await;
        assert!(made.expect("blocked").new);
        for path in ["/painel", "/painel/documentos", "/painel/creditos", "/painel/auditoria"] {
            let page = owner.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.has("Esta conta está bloqueada. Motivo: Fatura &lt;em&gt; de R$ 10.50 (rejeição do banco)"), "{}", page.html);
        }
        assert!(owner.get("/painel/auditoria").await.has("conta.bloqueada"));
        let refused = owner.send("/painel/produtos", &[("descricao", "Moedor")]).await;
        assert!(refused.status == 403 && refused.has("A conta está bloqueada"), "{}", refused.html);
        owner.get("/painel/chaves").await;
        let refused = owner.send("/painel/chaves", &[("nome", "Chave")]).await;
        assert!(refused.has("<strong>A conta está bloqueada. Motivo: Fatura &lt;em&gt; de R$ 10.50 (rejeição do banco)</strong>"), "{}", refused.html);
        assert!(!owner.get("/painel/chaves").await.has(KEY), "no key was made");
        let made = operator::change(&app.app.db, &id, Change::Unblock { reason: None }, &operator).await;
        assert!(made.expect("open").new);
        assert!(!owner.get("/painel").await.has("bloqueada"));
        owner.get("/painel/chaves").await;
        owner.send("/painel/chaves", &[("nome", "Chave")]).await;
        let page = owner.get("/painel/chaves").await;
        assert!(page.has(KEY));

        // A key is revoked during a block, too; another one is not made of it.
        let made = operator::change(&app.app.db, &id, again, &operator).await;
        assert!(made.expect("blocked again").new);
        let way = way_of(&page.html, "/rotacionar");
        owner.get("/painel/chaves").await;
        assert!(owner.send(&way, &[]).await.has("A conta está bloqueada"), "no other key is made");
        let way = way_of(&page.html, "/revogar");
        owner.get("/painel/chaves").await;
        let revoked = owner.send(&way, &[]).await;
        assert!(!revoked.has("A conta está bloqueada. Motivo: Fatura &lt;em&gt; de R$ 10.50 (rejeição do banco)</strong>"), "{}", revoked.html);
        assert!(owner.get("/painel/chaves").await.has("<span class=\"selo erro\">revogada</span>"));
        assert!(owner.get("/painel/auditoria").await.has("chave.revogada"));
    }
}

/// The look-ups of the form: their buttons, and what they look for.
const LOOKUPS: [(&str, &str, &str); 4] = [
    ("cep", "cep", "80010-000"),
    ("cnpj", "documento", "11.222.333/0001-81"),
    ("ncm:1", "ncm_busca", "café torrado"),
    ("catalogo", "produto_busca", "café"),
];

both! {
    async fn a_search_says_why_the_account_has_none(app: TestApp) {
        app.stop_clock();
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut owner).await;
        let id = AccountId::from(account(&mut owner).await);
        owner.get("/painel/chaves").await;
        for _ in 0..app.app.config.accounts.requests_per_minute + 10 {
            owner.send("/painel/chaves/key_0/revogar", &[]).await;
        }
        // Reading is not counted, and the CNPJ is sent in a body.
        let (action, field, words) = LOOKUPS[1];
        let form = filled(&mut owner, &emitter, &[(field, words), ("acao", action)]).await;
        let page = owner.submit("/painel/emitir", &form).await;
        assert!(page.status == 429 && page.has("Tente de novo em um minuto") && !page.has("Não foi aceito"), "{} {}", page.status, page.html);
        let operator = Operator { door: "hub", now_ms: app.app.now_ms() };
        let block = Change::Block { reason: "Fatura em aberto".to_owned() };
        let made = operator::change(&app.app.db, &id, block, &operator).await;
        assert!(made.expect("blocked").new);
        // By then calls are let in again.
        app.ahead_ms.fetch_add(120_000, Ordering::Relaxed);
        for (action, field, words) in LOOKUPS {
            let form = filled(&mut owner, &emitter, &[(field, words), ("acao", action)]).await;
            let page = owner.submit("/painel/emitir", &form).await;
            assert!(page.status == 403 && page.has("A conta está bloqueada. Motivo: Fatura em aberto. Fale com o suporte.") && !page.has("Não foi aceito"), "{action}: {} {}", page.status, page.html);
        }
    }
}

/// The first address of a form of a page with this end.
fn way_of(page: &str, end: &str) -> String {
    let (before, _) = page.split_once(&format!("{end}\"")).expect("such a form");
    let (_, way) = before.rsplit_once('"').expect("an address");
    format!("{way}{end}")
}
