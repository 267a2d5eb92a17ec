//! An account that an operator blocked: its people read, and change nothing.

use crate::pages::account;
use crate::registered;
use accounts::operator::{self, Change, Operator};
use store::ids::AccountId;
use tests::both;

/// The key of the test in the list.
const KEY: &str = "<td data-rotulo=\"Nome\">Chave</td>";

both! {
    async fn people_of_a_blocked_account_read_and_change_nothing(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let id = AccountId::from(account(&mut owner).await);
        let operator = Operator { door: "hub", now_ms: app.app.now_ms() };
        let block = Change::Block { reason: "Fatura <em> aberto".to_owned() };
        let made = operator::change(&app.app.db, &id, block, &operator).await;
        assert!(made.expect("blocked").new);
        for path in ["/painel", "/painel/documentos", "/painel/creditos", "/painel/auditoria"] {
            let page = owner.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.has("Esta conta está bloqueada. Motivo: Fatura &lt;em&gt; aberto"), "{}", page.html);
        }
        assert!(owner.get("/painel/auditoria").await.has("conta.bloqueada"));
        owner.get("/painel/chaves").await;
        let refused = owner.send("/painel/chaves", &[("nome", "Chave")]).await;
        assert!(refused.has("<strong>A conta está bloqueada. Motivo: Fatura &lt;em&gt; aberto</strong>"), "{}", refused.html);
        assert!(!owner.get("/painel/chaves").await.has(KEY), "no key was made");
        let made = operator::change(&app.app.db, &id, Change::Unblock, &operator).await;
        assert!(made.expect("open").new);
        assert!(!owner.get("/painel").await.has("bloqueada"));
        owner.get("/painel/chaves").await;
        owner.send("/painel/chaves", &[("nome", "Chave")]).await;
        assert!(owner.get("/painel/chaves").await.has(KEY));
    }
}
