//! An import that is killed leaves the edition that is served.

use crate::lane::program;
use datasets::sweep::{SILENT_MS, sweep};
use std::path::Path;
use store::Db;
use tests::app::Backend;
use tests::bases::{Firm, month};
use tests::imports::{IbptRow, ean, ibpt, ncm, products};
use tests::postgres;

const ROW: IbptRow<'_> = ("17019900", "", "0", ["1.00", "2.00", "3.00", "0.00"]);

const FIRM: Firm<'_> = Firm {
    base: "11222333",
    name: "PRIMEIRA LTDA",
    uf: "PR",
    city: "7535",
    status: "02",
};
const OTHER: Firm<'_> = Firm {
    base: "44555666",
    ..FIRM
};

/// Runs the program on a database; whether it ended well, and what it said.
async fn hub(folder: &Path, url: &str, point: &str, arguments: &[&str]) -> (bool, String) {
    let program = tokio::task::spawn_blocking(program).await.expect("hub");
    let mut command = tokio::process::Command::new(program);
    command.args(arguments);
    command.env("HUB_STORAGE_DATA_DIR", folder.join("data"));
    command.env_remove("HUB_LOG");
    command.env_remove("HUB_FAULT_ARMED");
    if !url.is_empty() {
        command.env("HUB_DATABASE_URL", url);
    }
    if !point.is_empty() {
        command.env("HUB_FAULT_KILL", point);
    }
    let ran = command.output().await.expect("hub");
    let text = [ran.stdout, ran.stderr].concat();
    (
        ran.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

async fn run(backend: Backend) {
    let url = match backend {
        Backend::Sqlite => String::new(),
        Backend::Postgres => match postgres::migrated().await {
            Some(url) => url,
            None => return,
        },
    };
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).expect("written");
    write("TabelaIBPTaxSP1.csv", &ibpt("24.1.A", "31/12/2099", &[ROW]));
    write("TabelaIBPTaxSP2.csv", &ibpt("24.2.A", "31/12/2099", &[ROW]));
    let rows = |name: &'static str| products(&[(ean(1), name, "", ""), (ean(2), "Outro", "", "")]);
    write("lista1.csv", &rows("Primeiro"));
    write("lista2.csv", &rows("Segundo"));
    write(
        "ncm1.json",
        &ncm("20/11/2026", "01012100", &[("99990001", "Primeiro")]),
    );
    write(
        "ncm2.json",
        &ncm("21/11/2026", "01012100", &[("99990001", "Segundo")]),
    );
    for (name, firms) in [("mes1", &[FIRM][..]), ("mes2", &[FIRM, OTHER][..])] {
        std::fs::create_dir(at(name)).expect("folder");
        for (file, bytes) in month(firms) {
            std::fs::write(folder.path().join(name).join(file), bytes).expect("written");
        }
    }
    // How the line of the first is told from that of the second.
    for (kind, first, second, mark) in [
        (
            "ibpt",
            "TabelaIBPTaxSP1.csv",
            "TabelaIBPTaxSP2.csv",
            "SP1.csv",
        ),
        ("produtos", "lista1.csv", "lista2.csv", "lista1.csv"),
        ("ncm", "ncm1.json", "ncm2.json", "ncm1.json"),
        ("cnpj", "mes1", "mes2", "\t1\tactive"),
    ] {
        let import = |name: &str| {
            [
                "data".to_owned(),
                "import".to_owned(),
                kind.to_owned(),
                at(name),
            ]
        };
        let ask = |point: &'static str, arguments: [String; 4]| {
            let (folder, url) = (&folder, &url);
            async move {
                let arguments = arguments.each_ref().map(String::as_str);
                hub(folder.path(), url, point, &arguments).await
            }
        };
        let (done, said) = ask("", import(first)).await;
        assert!(done && said.contains("imported and active"), "{said}");
        for point in ["datasets.batch", "datasets.switch"] {
            let (done, said) = ask(point, import(second)).await;
            assert!(!done, "{point}: {said}");
            let (_, said) = hub(folder.path(), &url, "", &["data", "list"]).await;
            let active: Vec<&str> = said
                .lines()
                .filter(|line| line.starts_with(kind) && line.contains("\tactive"))
                .collect();
            assert!(
                active.len() == 1 && active[0].contains(mark),
                "{point}: {said}"
            );
        }
        let address = match backend {
            Backend::Sqlite => format!("sqlite:{}", folder.path().join("data/hub.db").display()),
            Backend::Postgres => url.clone(),
        };
        let db = Db::open(&address, 2).await.expect("database");
        let now_ms = base::when::system_clock()();
        let gone = sweep(&db, now_ms + SILENT_MS + 60_000).await;
        assert_eq!(gone.expect("swept"), 2, "both that died");
        drop(db);
        let (done, said) = ask("", import(second)).await;
        assert!(done && said.contains("imported and active"), "{said}");
    }
    let (done, said) = hub(
        folder.path(),
        &url,
        "",
        &["data", "import", "ibpt", "--dry-run", &at("lista1.csv")],
    )
    .await;
    assert!(
        !done && said.contains("header is not that of the IBPT"),
        "{said}"
    );
    let (_, said) = hub(folder.path(), &url, "", &["data", "list"]).await;
    let of_ncm: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("ncm\t"))
        .collect();
    assert!(
        of_ncm.len() == 3
            && of_ncm[0].contains("\t2026-08-13\t15156\tbuilt in, replaced\t")
            && of_ncm[1].contains("\t2026-11-20\t15156\tprevious\t")
            && of_ncm[2].contains("\t2026-11-21\t15156\tactive, answers\t"),
        "{said}"
    );
    for told in [
        "active again: ncm 2026-11-20",
        "no edition is active now: the built-in table answers",
    ] {
        let (done, said) = hub(folder.path(), &url, "", &["data", "undo", "ncm"]).await;
        assert!(done && said.contains(told), "{said}");
    }
    let (done, said) = hub(folder.path(), &url, "", &["data", "undo", "ncm"]).await;
    assert!(
        !done && said.contains("no edition of ncm is active: the built-in table answers"),
        "{said}"
    );
    let (_, said) = hub(folder.path(), &url, "", &["data", "list"]).await;
    assert!(said.contains("\t2026-08-13\t15156\tbuilt in\t"), "{said}");
    let (done, said) = hub(folder.path(), &url, "", &["data", "update"]).await;
    assert!(
        done && said.contains("ibpt\timported 0 days ago") && said.contains("off\tnot imported"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
