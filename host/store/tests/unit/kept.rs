//! Pages of documents whose XML is kept, along the runs of a list.

use rusqlite::{Connection, params};
use std::path::Path;
use store::ids::AccountId;
use store::tables::documents::{self, Kept};
use store::tables::exportacoes::{self, Selection};
use store::words::Maybe;
use store::{Period, copy};

const DAY_MS: i64 = 86_400_000;
const INSERT: &str = "INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
     conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
     valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms) \
     VALUES (?1, 'con_1', ?2, ?3, ?4, 0, ?5, '1', ?6, 1, '', '', 'nacional', '', '', '', ?7, '1.00', '', '', 0, '', '', '', '', '', '', '', '', '', '', '', '', ?8, 0)";

/// Id, company, model, environment, state, day of emission, day of arrival.
const NOTES: [(&str, &str, &str, &str, &str, &str, i64); 10] = [
    ("nfse_a", "emi_1", "nfse", "producao", "autorizada", "", 10),
    (
        "nfe_b",
        "emi_1",
        "55",
        "producao",
        "cancelada",
        "1970-01-11",
        10,
    ),
    // It arrived on the day after its emission, and a month after it.
    (
        "nfe_c",
        "emi_2",
        "55",
        "producao",
        "autorizada",
        "1970-01-11",
        11,
    ),
    (
        "nfce_d",
        "emi_1",
        "65",
        "producao",
        "autorizada",
        "1970-01-11",
        40,
    ),
    ("nfse_e", "emi_1", "nfse", "producao", "validada", "", 10),
    // None of these is of the tenth day, is kept, or is seen; the last one came too late.
    (
        "nfe_f",
        "emi_1",
        "55",
        "producao",
        "autorizada",
        "1970-01-13",
        10,
    ),
    ("nfse_g", "emi_1", "nfse", "producao", "autorizada", "", 11),
    ("nfse_h", "emi_1", "nfse", "producao", "rejeitada", "", 10),
    ("nfse_i", "emi_1", "nfse", "simulado", "autorizada", "", 10),
    (
        "nfe_j",
        "emi_1",
        "55",
        "producao",
        "autorizada",
        "1970-01-11",
        103,
    ),
];

fn written(file: &Path) {
    let own = Connection::open(file).expect("database");
    own.execute_batch(
        "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ('con_1', '', 1, 0); \
         INSERT INTO emitters (id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, version, created_at_ms, updated_at_ms) \
         VALUES ('emi_1', 'con_1', '1', '', '', 'producao', 1, '{}', 0, 0, 0), ('emi_2', 'con_1', '2', '', '', 'producao', 0, '{}', 0, 0, 0)",
    )
    .expect("an account");
    for (number, (id, emitter, model, ambiente, status, issued, arrived)) in (1_i64..).zip(NOTES) {
        let at_ms = arrived * DAY_MS;
        let values = params![id, emitter, model, ambiente, status, number, issued, at_ms];
        own.execute(INSERT, values).expect(id);
    }
}

#[tokio::test]
async fn what_is_kept_is_read_page_by_page_in_the_order_of_arrival() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    let mut conn = copy::migrated(&copy::sqlite_url(&file))
        .await
        .expect("migrated");
    written(&file);
    let account = AccountId::from("con_1");
    let period = Period {
        from_ms: 10 * DAY_MS,
        to_ms: 11 * DAY_MS,
        from_day: "1970-01-11".to_owned(),
        to_day: "1970-01-11".to_owned(),
    };
    let cases = [
        ("", "", vec!["nfe_b", "nfse_a", "nfse_e", "nfe_c", "nfce_d"]),
        ("", "emi_2", vec!["nfe_c"]),
        ("nfse,65", "", vec!["nfse_a", "nfse_e", "nfce_d"]),
        ("57", "", vec![]),
    ];
    for (models, emitter, expected) in cases {
        let which = Kept {
            modelos: models.to_owned(),
            emitter_id: &Maybe::of(emitter),
            period: &period,
            since_ms: 9 * DAY_MS,
            left_out: "homologacao,simulado",
        };
        for limit in [1, 2, 100] {
            let (mut read, mut after) = (Vec::new(), None);
            loop {
                let page = documents::kept(&mut conn, &account, &which, after, limit).await;
                let page = page.expect("a page");
                read.extend(page.rows.into_iter().map(|row| row.id.to_string()));
                let Some(next) = page.next else { break };
                // An audit goes on by the id alone.
                let at_ms = documents::place_of(&mut conn, &account, &next.1).await;
                assert_eq!(at_ms.expect("a moment"), next.0);
                after = Some(next);
            }
            assert_eq!(read, expected, "{models} {emitter} {limit}");
        }
    }
    // An export is counted before it is made.
    let selection = Selection {
        account_id: account,
        left_out: "homologacao,simulado",
        period: period.clone(),
        modelos: [true; 3],
        ..Selection::default()
    };
    let counted = exportacoes::count(&mut conn, &selection).await;
    assert_eq!(counted.expect("a count"), 5);
}
