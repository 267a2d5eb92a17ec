//! Imported bases, asked over HTTP while no source is asked or answers: companies
//! of the Receita Federal, streets of the e-DNE and the CNEFE.

use crate::common::{ask, assert_refusal};
use datasets::ImportError;
use datasets::formats::Options;
use datasets::import::{Ended, Outcome};
use datasets::sweep::{SILENT_MS, sweep};
use reqwest::Method;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::sync::atomic::Ordering;
use store::tables::companies::{self, EstablishmentRow};
use store::tables::editions::{self, DatasetKind, EditionRow, EditionStatus};
use tests::app::Backend;
use tests::bases::{
    Address, CNEFE_HEADER, Firm, Named, branch, cnefe, edne, import_folder, import_folder_with,
    month,
};
use tests::imports::{latin1, zipped};
use tests::{Answer, TestApp, both, on_sqlite};

const ACTIVE: Firm<'_> = Firm {
    base: "11222333",
    name: "COMÉRCIO DE EXEMPLO LTDA",
    uf: "PR",
    city: "7535",
    status: "02",
};
const LETTERS: Firm<'_> = Firm {
    base: "AB12CD34",
    name: "LETRAS E NÚMEROS LTDA",
    uf: "SP",
    city: "7107",
    status: "02",
};
const CLOSED: Firm<'_> = Firm {
    base: "44555666",
    name: "FECHADA LTDA",
    uf: "SP",
    city: "7107",
    status: "08",
};

async fn company(app: &TestApp, cnpj: &str) -> Answer {
    app.post("/api/v1/empresa/cnpj", &json!({ "cnpj": cnpj }))
        .await
}

/// How many questions the source got.
fn asked(app: &TestApp) -> u64 {
    let received = app.app.simulator.sim.overview().recebidas;
    received.get("fontes").map_or(0, |of| of.values().sum())
}

/// The next question to the source fails, and it rests then.
fn silence(app: &TestApp) {
    app.app.simulator.sim.add_fault(Fault {
        quando: When {
            host: Some("fontes".to_owned()),
            ..When::default()
        },
        falha: FaultKind::Erro500,
        ..Fault::default()
    });
}

/// Replaces a file.
fn with(mut files: Named, name: &str, bytes: Vec<u8>) -> Named {
    let file = files.iter_mut().find(|(known, _)| *known == name);
    file.expect("a file").1 = bytes;
    files
}

fn establishments(text: &str) -> Vec<u8> {
    zipped(&[("K3241.K03200Y0.D51114.ESTABELE", latin1(text))])
}

fn refused(outcome: Result<Outcome, ImportError>, why: &str) {
    let told = match outcome {
        Ok(outcome) => {
            assert_eq!(outcome.ended, Ended::Refused, "{why}");
            format!("{:?}", outcome.report.shown)
        }
        Err(error) => error.to_string(),
    };
    assert!(told.contains(why), "{why}: {told}");
}

both! {
    async fn a_company_is_answered_from_the_base(app: TestApp) {
        let (before, _) = app.balance().await;
        let outcome = import_folder(&app, DatasetKind::Cnpj, &month(&[ACTIVE, LETTERS, CLOSED])).await.expect("imported");
        assert_eq!((outcome.ended, outcome.report.wrong, outcome.editions[0].rows), (Ended::Imported, 0, 3), "{:?}", outcome.report);
        assert_eq!(outcome.editions[0].label.version, "2025-11-14", "the day in the names of the files");

        let found = company(&app, "11.222.333/0001-81").await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert_eq!(found.text_at("/fonte"), "base local (Receita Federal, dados abertos do CNPJ, 2025-11-14)");
        assert!(found.text_at("/consultado_em").starts_with("20"), "{}", found.text);
        for (path, value) in [
            ("/razao_social", json!("COMÉRCIO DE EXEMPLO LTDA")),
            ("/nome_fantasia", json!("LOJA DO JOÃO")),
            ("/matriz", json!(true)),
            ("/situacao", json!({ "codigo": "02", "descricao": "ATIVA", "desde": "2020-01-05", "motivo": null })),
            ("/abertura", json!("2019-12-31")),
            ("/natureza_juridica", json!({ "codigo": "2062", "descricao": "Sociedade Empresária Limitada" })),
            ("/porte", json!("MICRO EMPRESA")),
            ("/cnaes_secundarios/1/codigo", json!("4721102")),
            ("/endereco/logradouro", json!("RUA DAS FLORES")),
            ("/endereco/cidade", json!("Curitiba")),
            ("/endereco/codigo_ibge", json!("4106902")),
            ("/contatos", json!({ "telefones": ["4130000000"], "email": "loja@exemplo.test" })),
            ("/socios", json!([
                { "nome": "ANA DO EXEMPLO", "qualificacao": "Sócio", "desde": "2019-12-31" },
                { "nome": "MARIA DO EXEMPLO", "qualificacao": "Sócio-Administrador", "desde": "2020-01-02" },
            ])),
            ("/simples", json!({ "optante": true, "desde": "2020-01-01", "ate": null })),
            ("/mei/optante", json!(false)),
        ] {
            assert_eq!(found.body.pointer(path), Some(&value), "{path}: {}", found.text);
        }
        assert_eq!(found.body["capital_social"].to_string(), "1000.50");
        // With letters, in either case.
        let letters = company(&app, &LETTERS.cnpj().to_lowercase()).await;
        assert_eq!(letters.text_at("/endereco/codigo_ibge"), "3550308", "{}", letters.text);
        let closed = company(&app, &CLOSED.cnpj()).await;
        assert_eq!(closed.text_at("/situacao/descricao"), "BAIXADA", "{}", closed.text);
        let profile = app.post("/api/v1/fiscal/perfil-sugerido", &json!({ "cnpj": ACTIVE.cnpj() })).await;
        assert_eq!(profile.text_at("/perfil/endereco/codigo_ibge"), "4106902", "{}", profile.text);
        assert!(profile.text_at("/fonte").starts_with("base local"), "{}", profile.text);
        assert_eq!(asked(&app), 0, "no source was asked");
        assert_eq!(app.balance().await.0, before - 16);

        // What the base does not have is asked for; when nobody answers, all places are told.
        let other = "11444777000161";
        silence(&app);
        let (before, _) = app.balance().await;
        let missing = company(&app, other).await;
        assert_refusal(&missing, "502 fonte_indisponivel");
        assert_eq!(missing.body["procurado_em"], json!([
            { "fonte": "base local (Receita Federal, dados abertos do CNPJ, 2025-11-14)", "resultado": "inexistente" },
            { "fonte": "simulado", "resultado": "falhou" },
        ]));
        assert_eq!(app.balance().await.0, before);
        app.ahead_ms.fetch_add(3_600_000, Ordering::Relaxed);
        let outside = company(&app, other).await;
        assert_eq!((outside.status, outside.text_at("/fonte")), (200, "simulado"), "{}", outside.text);
    }
}

both! {
    async fn a_filter_keeps_the_base_small(app: TestApp) {
        let all = month(&[ACTIVE, LETTERS, CLOSED]);
        let options = Options { uf: Some("sp, rj".to_owned()), only_active: true, ..Options::default() };
        let looked = import_folder_with(&app, DatasetKind::Cnpj, &all, options.clone(), true).await.expect("read");
        assert_eq!((looked.ended, looked.editions[0].rows), (Ended::DryRun, 1));
        let outcome = import_folder_with(&app, DatasetKind::Cnpj, &all, options, false).await.expect("imported");
        // Two establishments, and of each of their companies itself, Simples and two partners.
        assert_eq!((outcome.ended, outcome.editions[0].rows, outcome.report.skipped), (Ended::Imported, 1, 2 + 2 * 4), "{:?}", outcome.report);
        let here = company(&app, &LETTERS.cnpj()).await;
        assert_eq!(here.text_at("/fonte"), "base local (Receita Federal, dados abertos do CNPJ, 2025-11-14 (SP, RJ; só ativas))", "{}", here.text);
        let mut conn = app.app.db.read().await.expect("connection");
        let edition = editions::active(&mut conn, DatasetKind::Cnpj, "").await.expect("read").expect("active");
        for firm in [ACTIVE, CLOSED] {
            let found = companies::get(&mut conn, edition.id, firm.base, &branch(firm.base, "0001")).await.expect("read");
            assert_eq!(found, None);
            let records = companies::records(&mut conn, edition.id, firm.base, 10).await.expect("read");
            assert_eq!(records, []);
        }
        let none = import_folder_with(&app, DatasetKind::Cnpj, &all, Options { uf: Some("XX".to_owned()), ..Options::default() }, false).await;
        refused(none, "no such state");
    }
}

both! {
    async fn a_base_that_is_refused_leaves_the_one_before(app: TestApp) {
        let good = month(&[ACTIVE, LETTERS]);
        import_folder(&app, DatasetKind::Cnpj, &good).await.expect("imported");
        let again = import_folder(&app, DatasetKind::Cnpj, &good).await.expect("read");
        assert_eq!(again.ended, Ended::Unchanged);
        let lines = [ACTIVE, LETTERS].map(|firm| firm.establishment()).concat();
        let zip = "Estabelecimentos0.zip";
        let wrong_digits = lines.replace("\"0001\";\"81\"", "\"0001\";\"82\"");
        let utf16: Vec<u8> = lines.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16 = [vec![0xff, 0xfe], utf16].concat();
        let cut = latin1(&lines[..lines.len() - 40]);
        let whole = establishments(&lines);
        for (bytes, why) in [
            (whole[..whole.len() - 30].to_vec(), "not a whole ZIP"),
            (zipped(&[("K3241.K03200Y0.D51114.ESTABELE", cut)]), "ends in the middle of line 2"),
            (zipped(&[("K3241.K03200Y0.D51114.ESTABELE", utf16)]), "UTF-16"),
            (establishments(&lines.replace(";\"\";\"\"\r\n", "\r\n")), "has 28 columns, not 30"),
            (establishments(&wrong_digits.repeat(3)), "the cnpj is wrong"),
            (zipped(&[("K3241.K03200Y0.D51114.ESTABELE", lines.replace("JOÃO", "JOÃ£O").into_bytes())]), "UTF-8 that was encoded twice"),
            (establishments(&lines.repeat(2)), "is there already; the first one counts"),
            (establishments(""), "is empty"),
        ] {
            refused(import_folder(&app, DatasetKind::Cnpj, &with(good.clone(), zip, bytes)).await, why);
            let served = company(&app, &ACTIVE.cnpj()).await;
            assert!(served.text_at("/fonte").starts_with("base local"), "{why}: {}", served.text);
        }
        let without: Named = good.iter().filter(|(name, _)| !name.starts_with("Empresas")).cloned().collect();
        refused(import_folder(&app, DatasetKind::Cnpj, &without).await, "no file of Empresas");
        let few = import_folder(&app, DatasetKind::Cnpj, &month(&[])).await;
        assert!(few.is_err(), "files without a line");
        // What an import left that failed after it had begun is given up.
        sweep(&app.app.db, app.app.now_ms()).await.expect("swept");
        let mut conn = app.app.db.read().await.expect("connection");
        let left = editions::all(&mut conn).await.expect("editions");
        assert_eq!(left.iter().map(|edition| edition.status).collect::<Vec<_>>(), [EditionStatus::Active]);
    }
}

both! {
    async fn a_second_base_replaces_the_first(app: TestApp) {
        import_folder(&app, DatasetKind::Cnpj, &month(&[ACTIVE, LETTERS])).await.expect("imported");
        // A killed import: an edition that loads, with a row.
        let row = EditionRow {
            id: 0,
            kind: DatasetKind::Cnpj,
            scope: String::new(),
            status: EditionStatus::Loading,
            version: "2025-12-13".to_owned(),
            source: String::new(),
            sha256: String::new(),
            row_count: 1,
            valid_until: String::new(),
            created_at_ms: app.app.now_ms(),
            updated_at_ms: app.app.now_ms(),
        };
        let written = app.app.db.write(row, |row, conn| {
            Box::pin(async move {
                let id = editions::begin(conn, row).await?;
                let rows = [EstablishmentRow { base: "99999999".to_owned(), branch: "000191".to_owned(), content: "{}".to_owned() }];
                let there = companies::insert_establishments(conn, id, &rows).await?;
                let twice = companies::insert_establishments(conn, id, &rows).await?;
                Ok::<_, store::TxError<std::convert::Infallible>>((id, there, twice))
            })
        });
        let (died, there, twice) = written.await.expect("written");
        assert_eq!((there, twice), (vec![], vec![0]), "what is there already is told");
        assert_eq!(company(&app, &ACTIVE.cnpj()).await.text_at("/razao_social"), ACTIVE.name);
        app.ahead_ms.store(SILENT_MS + 1_000, Ordering::Relaxed);
        let renamed = Firm { name: "OUTRO NOME LTDA", ..ACTIVE };
        let outcome = import_folder(&app, DatasetKind::Cnpj, &month(&[renamed, LETTERS, CLOSED])).await.expect("imported");
        assert_eq!(outcome.ended, Ended::Imported);
        assert_eq!(company(&app, &ACTIVE.cnpj()).await.text_at("/razao_social"), "OUTRO NOME LTDA");
        let mut conn = app.app.db.read().await.expect("connection");
        let found = companies::get(&mut conn, died, "99999999", "000191").await.expect("read");
        assert_eq!(found, None, "the rows of the import that died are gone");
        drop(conn);
        // The third takes the place of the first: there are two at most.
        import_folder(&app, DatasetKind::Cnpj, &month(&[ACTIVE, LETTERS, CLOSED])).await.expect("imported");
        let mut conn = app.app.db.read().await.expect("connection");
        let statuses: Vec<EditionStatus> = editions::all(&mut conn).await.expect("editions").iter().map(|edition| edition.status).collect();
        assert_eq!(statuses, [EditionStatus::Previous, EditionStatus::Active]);
    }
}

on_sqlite! {
    async fn a_suggested_profile_leaves_out_what_no_profile_takes(app: TestApp) {
        let line = ACTIVE.establishment().replace("LOJA@EXEMPLO.TEST", "LOJA@EXEMPLO");
        let files = with(month(&[ACTIVE]), "Estabelecimentos0.zip", establishments(&line));
        import_folder(&app, DatasetKind::Cnpj, &files).await.expect("imported");
        let known = company(&app, &ACTIVE.cnpj()).await;
        assert_eq!(known.text_at("/contatos/email"), "loja@exemplo", "{}", known.text);
        let answer = app.post("/api/v1/fiscal/perfil-sugerido", &json!({ "cnpj": ACTIVE.cnpj() })).await;
        let profile = &answer.body["perfil"];
        assert!(profile["email"].is_null() && !profile["telefone"].is_null(), "{}", answer.text);
        let emitter = app.emitter_without_certificate(&ACTIVE.cnpj(), "4106902").await;
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let kept = ask(&app, Method::PUT, &path, Some(profile)).await;
        assert_eq!(kept.status, 200, "{}", kept.text);
    }
}

/// A street of Curitiba in the census, at some millionths of a degree.
fn one(
    cep: &'static str,
    name: &'static str,
    latitude: &'static str,
    longitude: &'static str,
) -> Address<'static> {
    [
        "4106902", cep, "CENTRO", "RUA", "", name, latitude, longitude, "1",
    ]
}

fn addresses() -> Named {
    let all = [
        one("80020310", "XV DE NOVEMBRO", "-25.429100", "-49.270100"),
        one("80020310", "XV DE NOVEMBRO", "-25,429300", "-49,270300"),
        // The census tract says too little.
        [
            "4106902",
            "80020310",
            "CENTRO",
            "RUA",
            "",
            "XV DE NOVEMBRO",
            "-20.0",
            "-40.0",
            "6",
        ],
        [
            "4106902",
            "80240210",
            "ÁGUA VERDE",
            "AVENIDA",
            "PRESIDENTE",
            "EXEMPLO",
            "-25.45",
            "-49.29",
            "2",
        ],
        // Two streets of one name, far from each other.
        one("80300001", "DO MEIO", "-25.40", "-49.20"),
        one("80300002", "DO MEIO", "-25.50", "-49.35"),
        // One CEP for all streets of a town.
        [
            "4100202", "83490000", "SEDE", "RUA", "", "PRIMEIRA", "-24.65", "-48.99", "1",
        ],
        [
            "4100202", "83490000", "SEDE", "RUA", "", "SEGUNDA", "-24.67", "-48.97", "1",
        ],
        [
            "4100202", "", "SEDE", "RUA", "", "SEM CEP", "-24.67", "-48.97", "1",
        ],
    ];
    vec![("41_PR.zip", cnefe("41_PR.csv", &all))]
}

fn number(answer: &Answer, name: &str) -> String {
    answer.body[name].to_string()
}

both! {
    async fn streets_of_the_census_have_coordinates(app: TestApp) {
        let outcome = import_folder(&app, DatasetKind::Cnefe, &addresses()).await.expect("imported");
        assert_eq!((outcome.ended, outcome.editions[0].rows, outcome.report.skipped, outcome.report.wrong), (Ended::Imported, 6, 1, 0), "{:?}", outcome.report);
        let street = app.get("/api/v1/geo/cep/80020-310").await;
        assert_eq!(street.status, 200, "{}", street.text);
        assert!(street.text_at("/fonte").starts_with("base local (IBGE, CNEFE, 20"), "{}", street.text);
        for (member, value) in [("logradouro", "RUA XV DE NOVEMBRO"), ("bairro", "CENTRO"), ("localidade", "Curitiba"), ("uf", "PR"), ("ibge", "4106902"), ("precisao", "cep")] {
            assert_eq!(street.body[member], value, "{}", street.text);
        }
        assert_eq!((number(&street, "latitude"), number(&street, "longitude")), ("-25.4292".to_owned(), "-49.2702".to_owned()));
        // A CEP of a whole town names no street.
        let town = app.get("/api/v1/geo/cep/83490000").await;
        assert_eq!((town.text_at("/logradouro"), town.text_at("/localidade")), ("", "Adrianópolis"), "{}", town.text);
        assert_eq!((number(&town, "latitude"), number(&town, "longitude")), ("-24.66".to_owned(), "-48.98".to_owned()));

        let by_cep = app.get("/api/v1/geo/geocoding?cep=80020310").await;
        assert_eq!((by_cep.text_at("/precisao"), number(&by_cep, "latitude")), ("cep", "-25.4292".to_owned()), "{}", by_cep.text);
        for query in [
            "endereco=Rua%20XV%20de%20Novembro%2C%2050&cidade=curitiba&uf=pr",
            "endereco=R.%20XV%20de%20Novembro%2050%2C%20Curitiba%20-%20PR",
        ] {
            let point = app.get(&format!("/api/v1/geo/geocoding?{query}")).await;
            assert_eq!((point.text_at("/precisao"), number(&point, "longitude")), ("rua", "-49.2702".to_owned()), "{}", point.text);
            assert!(point.text_at("/fonte").starts_with("base local (IBGE, CNEFE"), "{}", point.text);
            assert_eq!((point.text_at("/endereco/cep"), point.text_at("/endereco/codigo_ibge")), ("80020310", "4106902"));
        }
        let titled = app.get("/api/v1/geo/geocoding?endereco=Av%20Pres%20Exemplo%2C%20Curitiba%2C%20PR").await;
        assert_eq!(number(&titled, "latitude"), "-25.45", "{}", titled.text);
        let near = app.get("/api/v1/geo/geocoding/reverso?lat=-25.4295&lon=-49.2705").await;
        assert_eq!((near.text_at("/precisao"), near.text_at("/endereco/logradouro"), near.text_at("/endereco/cidade")), ("rua", "RUA XV DE NOVEMBRO", "Curitiba"), "{}", near.text);
        let way = json!({ "origem": { "endereco": "Rua XV de Novembro, 50, Curitiba, PR" }, "destino": { "endereco": "Av. Presidente Exemplo, 1, Curitiba, PR" } });
        let way = app.post("/api/v1/geo/distancia", &way).await;
        assert_eq!(way.status, 200, "{}", way.text);
        assert_eq!(asked(&app), 0, "no source was asked");
        // Streets of one name far apart: nobody knows which is meant, and the source is asked.
        let twice = app.get("/api/v1/geo/geocoding?endereco=Rua%20do%20Meio&cidade=Curitiba&uf=PR").await;
        assert_eq!(twice.text_at("/fonte"), "simulado", "{}", twice.text);
        assert_eq!(asked(&app), 1);
    }
}

both! {
    async fn streets_of_the_directory(app: TestApp) {
        let outcome = import_folder(&app, DatasetKind::Edne, &edne()).await.expect("imported");
        // Three streets, three special CEPs, a town and its village.
        assert_eq!((outcome.ended, outcome.editions[0].rows, outcome.report.wrong), (Ended::Imported, 8, 0), "{:?}", outcome.report);
        for (cep, street, district, city, other) in [
            ("80020310", "Rua XV de Novembro", "Centro", "Curitiba", "- até 999/1000"),
            ("80240210", "Avenida República Argentina", "Água Verde", "Curitiba", "- de 1001/1002 ao fim"),
            ("80020100", "Praça Tiradentes", "Centro", "Curitiba", ""),
            ("80020900", "Rua XV de Novembro, 50", "Centro", "Curitiba", "Empresa de Exemplo"),
            ("80020970", "Rua XV de Novembro, 700", "Centro", "Curitiba", "AC Exemplo"),
            ("83490990", "Estrada da Colônia, s/n", "", "Adrianópolis", "Colônia"),
            ("83490000", "", "", "Adrianópolis", ""),
            ("83495000", "", "Porto Novo", "Adrianópolis", ""),
        ] {
            let found = app.get(&format!("/api/v1/geo/cep/{cep}")).await;
            assert_eq!(found.status, 200, "{cep}: {}", found.text);
            let said = [found.text_at("/complemento"), found.text_at("/unidade")].concat();
            assert_eq!((found.text_at("/logradouro"), found.text_at("/bairro"), found.text_at("/localidade"), said.as_str()), (street, district, city, other), "{cep}");
            assert!(found.text_at("/fonte").starts_with("base local (Correios, e-DNE, "), "{}", found.text);
            assert_eq!(found.body["latitude"], Value::Null);
        }
        // By a part of the name, without accents and in any case.
        for (part, codes) in [("republica", vec!["80240-210"]), ("NOVEMBRO", vec!["80020-310", "80020-900", "80020-970"]), ("iraden", vec!["80020-100"])] {
            let list = app.get(&format!("/api/v1/geo/cep?uf=PR&cidade=CURITIBA&logradouro={part}")).await;
            let found: Vec<&str> = list.body["itens"].as_array().expect("itens").iter().map(|one| one["cep"].as_str().expect("cep")).collect();
            assert_eq!(found, codes, "{part}: {}", list.text);
            assert_eq!(list.text_at("/procurado_em/0/resultado"), "achado");
        }
        let batch = app.post("/api/v1/geo/cep/batch", &json!({ "ceps": ["80020310", "80020-310", "80240210"] })).await;
        assert_eq!((batch.status, &batch.body["cobrados"]), (207, &json!(2)), "{}", batch.text);
        assert_eq!(asked(&app), 0, "no source was asked");
        // With the census besides, the Correios say how a street is called and the IBGE where it is.
        import_folder(&app, DatasetKind::Cnefe, &addresses()).await.expect("imported");
        let both = app.get("/api/v1/geo/cep/80020310").await;
        assert_eq!((both.text_at("/logradouro"), number(&both, "latitude")), ("Rua XV de Novembro", "-25.4292".to_owned()));
        assert!(both.text_at("/fonte").contains("; coordenadas: IBGE, CNEFE"), "{}", both.text);
        let none = app.get("/api/v1/geo/cep?uf=PR&cidade=Curitiba&logradouro=Rua%20999").await;
        assert_eq!((&none.body["itens"], &none.body["creditos"]["debitado"]), (&json!([]), &json!(0)), "{}", none.text);
        assert_eq!(none.body["procurado_em"].as_array().map(Vec::len), Some(3), "{}", none.text);
    }
}

both! {
    async fn streets_that_are_refused_leave_those_before(app: TestApp) {
        import_folder(&app, DatasetKind::Edne, &edne()).await.expect("imported");
        import_folder(&app, DatasetKind::Cnefe, &addresses()).await.expect("imported");
        let street = "100@PR@1@10@@XV de Novembro@@80020310@Rua@S@R XV\r\n";
        for (name, text, why) in [
            ("LOG_LOGRADOURO_PR.TXT", "100@PR@1@10@@XV de Novembro@@80020310@Rua@S\r\n".to_owned(), "has 10 columns, not 11"),
            ("LOG_LOGRADOURO_PR.TXT", street.repeat(3), "number 100 is there already; the first one counts"),
            ("LOG_LOGRADOURO_PR.TXT", street.replace("@1@10@", "@77@10@").repeat(2).replacen("100@", "101@", 1), "locality 77 is not in LOG_LOCALIDADE"),
            ("LOG_LOGRADOURO_PR.TXT", format!("{street}101@PR@1@10@@XV"), "ends in the middle of line 2"),
            ("LOG_BAIRRO.TXT", String::new(), "is empty"),
        ] {
            refused(import_folder(&app, DatasetKind::Edne, &with(edne(), name, latin1(&text))).await, why);
        }
        let without: Named = edne().into_iter().filter(|(name, _)| *name != "LOG_LOCALIDADE.TXT").collect();
        refused(import_folder(&app, DatasetKind::Edne, &without).await, "no LOG_LOCALIDADE.TXT");
        let census = |text: String| [("41_PR.zip", zipped(&[("41_PR.csv", text.into_bytes())]))];
        let line = "1;41;4106902;0;0;0;1;1;80020310;CENTRO;RUA;;A;1;;;;;;;;;;;;-25.4;-49.2;1;1;;1;1;;1";
        let wrong = |from: &str, to: &str| format!("{CNEFE_HEADER}\n{}", format!("{}\n", line.replace(from, to)).repeat(2));
        for (text, why) in [
            (CNEFE_HEADER.replace("NV_GEO_COORD", "NIVEL"), "it lacks NV_GEO_COORD"),
            (wrong("4106902", "4106903"), "COD_MUNICIPIO is no municipality"),
            (wrong("80020310", "8002031"), "CEP has not 8 digits"),
            (wrong("-25.4", "-95.4"), "LATITUDE is no number of degrees"),
            (wrong(";;1;1;;1", ";;1"), "columns, not 34"),
            (format!("{CNEFE_HEADER}\n{line}\n{}", &line[..40]), "ends in the middle of line 3"),
            (format!("{CNEFE_HEADER}\n{}", format!("{line}\n").repeat(3)), "the same line is there already; the first one counts"),
        ] {
            refused(import_folder(&app, DatasetKind::Cnefe, &census(text)).await, why);
        }
        let [(_, zip)] = <[_; 1]>::try_from(addresses()).expect("one file");
        let twice = [("41_PR.zip", zip.clone()), ("41_PR_2.zip", zip.clone())];
        refused(import_folder(&app, DatasetKind::Cnefe, &twice).await, "a second file of the municipality");
        refused(import_folder(&app, DatasetKind::Cnefe, &[("41_PR.zip", zip[..zip.len() - 40].to_vec())]).await, "not a whole ZIP");
        let both = app.get("/api/v1/geo/cep/80020310").await;
        assert!(both.text_at("/fonte").contains("Correios, e-DNE") && both.text_at("/fonte").contains("CNEFE"), "{}", both.text);
    }
}

on_sqlite! {
    async fn a_range_says_at_least_the_state(app: TestApp) {
        silence(&app);
        // In the range of the state, and in that of no municipality.
        let (before, _) = app.balance().await;
        let found = app.get("/api/v1/geo/cep/10000-000").await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert_eq!((found.text_at("/precisao"), found.text_at("/localidade")), ("uf", ""), "{}", found.text);
        assert_eq!((found.text_at("/estado"), found.text_at("/uf")), ("São Paulo", "SP"));
        assert_eq!(app.balance().await.0, before);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_source_the_base_is_all_there_is() {
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.authorities.mode = base::config::AuthoritiesMode::Official;
    });
    let app = app.await.expect("SQLite is always there");
    let other = company(&app, "11444777000161").await;
    assert_refusal(&other, "503 fonte_nao_configurada");
    import_folder(&app, DatasetKind::Cnpj, &month(&[ACTIVE]))
        .await
        .expect("imported");
    let (before, _) = app.balance().await;
    let other = company(&app, "11444777000161").await;
    assert_refusal(&other, "404 sem_resultado");
    assert_eq!(
        other.text_at("/procurado_em/0/resultado"),
        "inexistente",
        "{}",
        other.text
    );
    assert_eq!(app.balance().await.0, before);
    let here = company(&app, &ACTIVE.cnpj()).await;
    assert_eq!(here.status, 200, "{}", here.text);
}
