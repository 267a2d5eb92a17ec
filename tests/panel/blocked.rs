//! An account that an operator blocked: its people read, revoke keys, and change nothing
//! else.

use crate::pages::account;
use crate::registered;
use accounts::operator::{self, Change, Operator};
use store::ids::AccountId;
use tests::both;

/// The key of the test in the list.
const KEY: &str = "<td data-rotulo=\"Nome\">Chave</td>";

both! {
    async fn people_of_a_blocked_account_read_and_revoke_keys(app: TestApp) {
        let mut owner = registered(&app, "maria@exemplo.com.br").await;
        let id = AccountId::from(account(&mut owner).await);
        let operator = Operator { door: "hub", now_ms: app.app.now_ms() };
        let block = Change::Block { reason: "Fatura <em> aberto".to_owned() };
        let again = block.clone();
        let made = operator::change(&app.app.db, &id, block, &operator).await;
        assert!(made.expect("blocked").new);
        for path in ["/painel", "/painel/documentos", "/painel/creditos", "/painel/auditoria"] {
            let page = owner.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.has("Esta conta está bloqueada. Motivo: Fatura &lt;em&gt; aberto"), "{}", page.html);
        }
        assert!(owner.get("/painel/auditoria").await.has("conta.bloqueada"));
        let refused = owner.send("/painel/produtos", &[("descricao", "Moedor")]).await;
        assert!(refused.status == 403 && refused.has("A conta está bloqueada"), "{}", refused.html);
        owner.get("/painel/chaves").await;
        let refused = owner.send("/painel/chaves", &[("nome", "Chave")]).await;
        assert!(refused.has("<strong>A conta está bloqueada. Motivo: Fatura &lt;em&gt; aberto</strong>"), "{}", refused.html);
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
        assert!(!revoked.has("A conta está bloqueada. Motivo: Fatura &lt;em&gt; aberto</strong>"), "{}", revoked.html);
        assert!(owner.get("/painel/chaves").await.has("<span class=\"selo erro\">revogada</span>"));
        assert!(owner.get("/painel/auditoria").await.has("chave.revogada"));
    }
}

/// The first address of a form of a page with this end.
fn way_of(page: &str, end: &str) -> String {
    let (before, _) = page.split_once(&format!("{end}\"")).expect("such a form");
    let (_, way) = before.rsplit_once('"').expect("an address");
    format!("{way}{end}")
}
