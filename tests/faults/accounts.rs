//! Commands of operators. `hub accounts` beside a hub that runs: each command, for people
//! and for programs. What commands did is among the actions of operators.

use crate::lane::{City, Lane, Node};
use serde_json::{Value, json};
use store::tables::operator_actions;
use tests::app::Backend;
use tests::imports::{IbptRow, ibpt};

const ROW: IbptRow<'_> = ("17019900", "", "0", ["1.00", "2.00", "3.00", "0.00"]);
const UNKNOWN: &str = "con_00000000000000000000000000";

/// Runs `hub accounts` with `--json`.
async fn read(lane: &Lane, arguments: &[&str]) -> Value {
    let all = [["accounts"].as_slice(), arguments, &["--json"]].concat();
    let ran = lane.ran(&all).await;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {said}");
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// Runs `hub accounts`; what it printed for people.
async fn printed(lane: &Lane, arguments: &[&str]) -> String {
    let ran = lane
        .ran(&[["accounts"].as_slice(), arguments].concat())
        .await;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Runs `hub accounts`, which is refused with this exit code and these words.
async fn refused(lane: &Lane, arguments: &[&str], code: i32, words: &str) {
    let ran = lane
        .ran(&[["accounts"].as_slice(), arguments].concat())
        .await;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(ran.stdout.is_empty(), "{arguments:?}");
    assert!(said.contains(words), "{arguments:?}, {words}: {said}");
}

/// What the account's key is answered: status, code of the error, body.
async fn answered(lane: &Lane, node: &Node) -> (u16, String, Value) {
    let url = format!("{}/api/v1/conta", node.base_url);
    let asked = lane.http.get(url).bearer_auth(&lane.live_key).send();
    let answer = asked.await.expect("an answer");
    let status = answer.status().as_u16();
    let code = answer.headers().get("x-error-code");
    let code = code.map_or("", |code| code.to_str().expect("text"));
    let code = code.to_owned();
    let text = answer.text().await.expect("a body");
    (status, code, serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_looks_after_accounts_by_command() {
    let lane = Lane::open(Backend::Sqlite, &[City::National]).await;
    let lane = lane.expect("always there");
    let node = lane.node().await;
    let id = lane.account_id.as_str();

    let listed = read(&lane, &["list", "--search", "falhas"]).await;
    assert_eq!(listed["contas"][0]["id"], id);
    assert_eq!(listed["proxima"], Value::Null);
    let credits = listed["contas"][0]["saldo"].as_i64().expect("a balance");
    let line = format!("{id}\topen\t{credits}\tFalhas\n");
    assert_eq!(printed(&lane, &["list"]).await, line);
    assert_eq!(printed(&lane, &["list", "--search", "ninguem"]).await, "");
    assert_eq!(printed(&lane, &["list", "--before", id]).await, "");

    let shown = printed(&lane, &["show", id]).await;
    for words in [
        format!("account:   {id} Falhas\n"),
        "blocked:   no\n".to_owned(),
    ] {
        assert!(shown.contains(&words), "{words}: {shown}");
    }
    assert!(!shown.contains(&lane.live_key), "{shown}");

    credits_and_limits(&lane, credits).await;
    a_block_holds_until_it_ends(&lane, &node).await;

    let whole = read(&lane, &["show", id]).await;
    let audit = whole["auditoria"].as_array().expect("an audit");
    let done: Vec<[&str; 3]> = audit
        .iter()
        .map(|row| ["quem", "acao", "detalhe"].map(|name| row[name].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(
        done,
        [
            ["hub", "conta.desbloqueada", "Fatura paga"],
            ["hub", "conta.bloqueada", "Fatura em aberto"],
            ["hub", "conta.limite", "78 requisições por minuto"],
            ["hub", "conta.limite", "77 requisições por minuto: Contrato"],
            [
                "hub",
                "creditos.concedidos",
                "500 créditos (2026-117): Contrato"
            ],
        ]
    );
    what_is_refused_changes_nothing(&lane, &whole).await;
    let mut conn = lane.db.read().await.expect("connection");
    let findings = store::checks::run(&mut conn).await.expect("checks");
    assert!(findings.is_empty(), "{findings:?}");
}

async fn credits_and_limits(lane: &Lane, credits: i64) {
    let id = lane.account_id.as_str();
    let reference = ["--reference", "2026-117", "--reason", "Contrato"];
    let grant = [["credit", id, "500"].as_slice(), &reference].concat();
    let granted = read(lane, &grant).await;
    assert_eq!(
        (&granted["mudou"], &granted["saldo"]),
        (&json!(true), &json!(credits + 500))
    );
    let again = printed(lane, &grant).await;
    assert!(again.starts_with("nothing changed"), "{again}");
    let balance = format!("credits:   {} and 0 held\n", credits + 500);
    assert!(again.contains(&balance), "{again}");
    let other = [["credit", id, "501"].as_slice(), &reference].concat();
    refused(lane, &other, 1, "500 credits were granted").await;

    let limit = ["limits", id, "--requests-per-minute"];
    let first = [limit.as_slice(), &["77", "--reason", "Contrato"]].concat();
    let limited = read(lane, &first).await;
    assert_eq!(limited["requisicoes_por_minuto"], 77);
    assert_eq!(read(lane, &first).await["mudou"], false);
    let limited = printed(lane, &[limit.as_slice(), &["78"]].concat()).await;
    assert!(limited.contains("a minute:  78 calls\n"), "{limited}");
}

/// The hub has not seen the key before: what it is answered first, it is because of the
/// block.
async fn a_block_holds_until_it_ends(lane: &Lane, node: &Node) {
    let id = lane.account_id.as_str();
    let block = ["block", id, "--reason", "Fatura em aberto"];
    let blocked = read(lane, &block).await;
    assert_eq!(blocked["mudou"], true);
    assert_eq!(blocked["bloqueio"]["motivo"], "Fatura em aberto");
    let again = printed(lane, &block).await;
    assert!(again.starts_with("nothing changed"), "{again}");
    assert!(again.contains(": Fatura em aberto\n"), "{again}");
    let listed = printed(lane, &["list", "--blocked"]).await;
    assert!(listed.starts_with(&format!("{id}\tblocked\t")), "{listed}");
    let (status, code, body) = answered(lane, node).await;
    assert_eq!((status, code.as_str()), (403, "conta_bloqueada"), "{body}");
    let message = body["mensagem"].as_str().unwrap_or_default();
    assert!(message.contains("Fatura em aberto"), "{body}");

    let end = ["unblock", id, "--reason", "Fatura paga"];
    let open = printed(lane, &end).await;
    assert!(open.contains("blocked:   no\n"), "{open}");
    let again = read(lane, &end).await;
    assert_eq!(
        (&again["mudou"], &again["bloqueio"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(printed(lane, &["list", "--blocked"]).await, "");
    // Nodes believe what they read of a key for five seconds.
    lane.until("the end of the block", async || {
        let (status, _, body) = answered(lane, node).await;
        status == 200 && body["limites"]["requisicoes_por_minuto"] == 78
    })
    .await;
}

async fn what_is_refused_changes_nothing(lane: &Lane, before: &Value) {
    let id = lane.account_id.as_str();
    let nobody = format!("there is no account {UNKNOWN}");
    for unknown in [
        vec!["show", UNKNOWN],
        vec!["show", UNKNOWN, "--json"],
        vec!["block", UNKNOWN, "--reason", "x"],
        vec!["unblock", UNKNOWN, "--json"],
        vec!["credit", UNKNOWN, "5", "--reference", "1", "--reason", "x"],
        vec!["limits", UNKNOWN, "--requests-per-minute", "60"],
    ] {
        refused(lane, &unknown, 1, &nobody).await;
    }
    for (wrong, code, words) in [
        (vec!["block", id, "--reason", " "], 1, "motivo: one line"),
        (vec!["block", id], 2, "--reason"),
        (
            vec!["limits", id, "--requests-per-minute", "0"],
            1,
            "requisicoes_por_minuto: a whole number from 1 to",
        ),
        (
            vec!["credit", id, "0", "--reference", "1", "--reason", "x"],
            1,
            "creditos: a whole number from 1 to",
        ),
        (vec!["close", id], 2, "close"),
    ] {
        refused(lane, &wrong, code, words).await;
    }
    assert_eq!(&read(lane, &["show", id]).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_commands_did_is_among_the_actions() {
    let lane = Lane::open(Backend::Sqlite, &[City::National]).await;
    let lane = lane.expect("always there");
    let table = lane.file("TabelaIBPTaxSP1.csv");
    let rows = ibpt("24.1.A", "31/12/2099", &[ROW]);
    std::fs::write(&table, rows).expect("written");
    let root = lane.file("ca.pem").display().to_string();
    let table = table.display().to_string();
    let (import, undo) = (["data", "import", "ibpt", &table], ["data", "undo", "ibpt"]);
    for command in [
        vec!["account", "Padaria"],
        vec!["vault", "rotate"],
        vec!["vault", "rotate", "--only-rewrap"],
        import.to_vec(),
        [import.as_slice(), &["--dry-run"]].concat(),
        [undo.as_slice(), &["--state", "SP"]].concat(),
        vec!["roots", "import", &root, "--to", "server"],
        // It is there already.
        vec!["roots", "import", &root, "--to", "server"],
    ] {
        let (went, said) = lane.command(&command).await;
        assert!(went, "{command:?}: {said}");
    }
    let nobody = ["password", "ninguem@exemplo.com.br"];
    let (went, said) = lane.command(&nobody).await;
    assert!(!went && said.contains("nobody is registered"), "{said}");

    let mut conn = lane.db.read().await.expect("connection");
    let done = operator_actions::list(&mut conn, "", 100).await;
    let done = done.expect("actions");
    let actions: Vec<[&str; 2]> = done.iter().map(|row| [&*row.actor, &*row.action]).collect();
    assert_eq!(
        actions,
        [
            ["hub", "raizes.importadas"],
            ["hub", "dados.desfeitos"],
            ["hub", "dados.importados"],
            ["hub", "cofre.regravado"],
            ["hub", "cofre.chave_trocada"],
            ["hub", "conta.aberta"],
        ]
    );
    assert!(done[0].detail.starts_with("SHA-256 "), "{done:?}");
    for row in &done[1..3] {
        assert!(
            row.target == "ibpt" && row.detail.starts_with("SP"),
            "{row:?}"
        );
    }
    assert_eq!(done[3].target, done[4].target, "the key that is in use");
    assert_eq!(done[5].detail, "Padaria");
    assert_eq!(done[5].account_id.as_str(), done[5].target);
}
