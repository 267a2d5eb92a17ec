//! Bases imported into a database of SQLite: archives, folders, names.

use base::when::Clock;
use datasets::ImportError;
use datasets::bases::cnpj::Part;
use datasets::bases::cnpj::layout::{Establishment, keys, shown_day};
use datasets::bases::companies::{Answer, get};
use datasets::bases::edne::File;
use datasets::bases::streets::{folded_name, of_cep};
use datasets::formats::Options;
use datasets::import::{self, Ended, Order, Outcome};
use datasets::progress::Progress;
use flate2::Crc;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Db;
use store::tables::editions::DatasetKind;

/// A ZIP with one stored file; its sizes and places are in the records of ZIP64, as
/// beyond 4 GiB.
fn zip64(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(bytes);
    let size = bytes.len() as u64;
    let large = u32::MAX.to_le_bytes();
    let mut zip = Vec::new();
    let begin = |zip: &mut Vec<u8>, magic: &[u8]| {
        zip.extend_from_slice(magic);
        // Version, flags, method, time, day.
        zip.extend_from_slice(&[45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        zip.extend_from_slice(&crc.sum().to_le_bytes());
        zip.extend_from_slice(&[large, large].concat());
        zip.extend_from_slice(&(name.len() as u16).to_le_bytes());
    };
    begin(&mut zip, b"PK\x03\x04");
    zip.extend_from_slice(&20_u16.to_le_bytes());
    zip.extend_from_slice(name.as_bytes());
    zip.extend_from_slice(&[1, 0, 16, 0]);
    zip.extend_from_slice(&[size.to_le_bytes(), size.to_le_bytes()].concat());
    zip.extend_from_slice(bytes);
    let directory = zip.len() as u64;
    let mut entry = Vec::new();
    begin(&mut entry, b"PK\x01\x02\x2d\x00");
    // Another field stands before that of ZIP64.
    entry.extend_from_slice(&34_u16.to_le_bytes());
    entry.extend_from_slice(&[0; 10]);
    entry.extend_from_slice(&large);
    entry.extend_from_slice(name.as_bytes());
    entry.extend_from_slice(&[0x55, 0x54, 2, 0, 9, 9]);
    entry.extend_from_slice(&[1, 0, 24, 0]);
    entry.extend_from_slice(&[size, size, 0].map(u64::to_le_bytes).concat());
    let length = entry.len() as u64;
    zip.extend_from_slice(&entry);
    let end = zip.len() as u64;
    zip.extend_from_slice(b"PK\x06\x06");
    zip.extend_from_slice(&44_u64.to_le_bytes());
    zip.extend_from_slice(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    zip.extend_from_slice(&[1, 1, length, directory].map(u64::to_le_bytes).concat());
    zip.extend_from_slice(b"PK\x06\x07\0\0\0\0");
    zip.extend_from_slice(&end.to_le_bytes());
    zip.extend_from_slice(&1_u32.to_le_bytes());
    zip.extend_from_slice(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff");
    zip.extend_from_slice(&[large, large].concat());
    zip.extend_from_slice(&[0, 0]);
    zip
}

/// An establishment of a generated company.
pub(crate) fn line(base: &str, branch: &str) -> String {
    let (order, digits) = branch.split_at(4);
    format!(
        "\"{base}\";\"{order}\";\"{digits}\";\"2\";\"\";\"2\";\"20200230\";\"01\";\"\";\"\";\"19991231\";\"4711302\";\"\";\"RUA\";\"A\";\"S/N\";\"\";\"CENTRO\";\"80010000\";\"PR\";\"7535\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"00000000\"\n"
    )
}

pub(crate) fn company(base: &str) -> String {
    format!("\"{base}\";\"EXEMPLO\";\"2135\";\"50\";\"0,00\";\"05\";\"\"\n")
}

pub(crate) struct World {
    folder: tempfile::TempDir,
    db: Db,
}

impl World {
    pub(crate) async fn new() -> World {
        let folder = tempfile::tempdir().expect("folder");
        let url = format!("sqlite:{}", folder.path().join("hub.db").display());
        let db = Db::open(&url, 1).await.expect("database");
        std::fs::create_dir(folder.path().join("mes")).expect("folder");
        World { folder, db }
    }

    pub(crate) fn month(&self) -> PathBuf {
        self.folder.path().join("mes")
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.month().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(path, bytes).expect("written");
    }

    pub(crate) async fn import(
        &self,
        kind: DatasetKind,
        path: &Path,
    ) -> Result<Outcome, ImportError> {
        let order = Order {
            kind,
            paths: vec![path.to_owned()],
            options: Options {
                today: "2026-11-26".to_owned(),
                ..Options::default()
            },
            dry_run: false,
        };
        let clock: Clock = base::when::system_clock();
        let progress = Arc::new(Progress::default());
        import::run(&self.db, &clock, &order, &progress).await
    }
}

#[tokio::test]
async fn a_large_archive_is_read() {
    let world = World::new().await;
    let lines = line("11222333", "000181");
    world.write(
        "Estabelecimentos0.zip",
        &zip64("K1.D61114.ESTABELE", lines.as_bytes()),
    );
    world.write(
        "Empresas0.zip",
        &zip64("K1.D61114.EMPRECSV", company("11222333").as_bytes()),
    );
    let outcome = world
        .import(DatasetKind::Cnpj, &world.month())
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.editions[0].rows),
        (Ended::Imported, 1)
    );
    assert_eq!(outcome.editions[0].label.version, "2026-11-14");
    let whole = zip64("K1.D61114.ESTABELE", lines.as_bytes());
    let mut changed = whole.clone();
    // A byte of the text: the sum is wrong.
    changed[80] ^= 1;
    for (bytes, why) in [
        (changed, "the sum of a file is wrong"),
        (
            whole[..whole.len() - 22].to_vec(),
            "its directory is missing",
        ),
        (
            [&whole[..whole.len() - 98], &whole[whole.len() - 42..]].concat(),
            "not a whole ZIP",
        ),
    ] {
        world.write("Estabelecimentos0.zip", &bytes);
        let error = world
            .import(DatasetKind::Cnpj, &world.month())
            .await
            .expect_err(why);
        assert!(error.to_string().contains(why), "{why}: {error}");
    }
}

#[tokio::test]
async fn many_rows_in_no_order() {
    let world = World::new().await;
    let check = |base: &str| {
        let mut text = format!("{base}0001");
        for _ in 0..2 {
            let weights = (2..=9).cycle();
            let digits = text.bytes().rev().zip(weights);
            let sum: u32 = digits
                .map(|(byte, weight)| u32::from(byte - 48) * weight)
                .sum();
            let digit = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
            text.push_str(&digit.to_string());
        }
        text.split_off(8)
    };
    let bases: Vec<String> = (0..6_000_u64)
        .map(|n| format!("{:08}", n * 7_919_993 % 99_999_989 + 1))
        .collect();
    let mut lines: String = bases.iter().map(|base| line(base, &check(base))).collect();
    // Some stand there twice, far from each other: few enough to be borne.
    let twice: Vec<&String> = bases.iter().take(5).collect();
    lines.extend(twice.iter().map(|base| line(base, &check(base))));
    let companies: String = bases.iter().rev().map(|base| company(base)).collect();
    let others: String = (0..50).map(|n| company(&format!("999999{n:02}"))).collect();
    world.write("um/Estabelecimentos.csv", lines.as_bytes());
    world.write(
        "dois/Empresas.csv",
        format!("{companies}{others}").as_bytes(),
    );
    world.write("leia-me.pdf", b"no text");
    let outcome = world
        .import(DatasetKind::Cnpj, &world.month())
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.editions[0].rows),
        (Ended::Imported, 6_000)
    );
    assert_eq!(
        (
            outcome.report.wrong,
            outcome.report.skipped,
            outcome.report.lines
        ),
        (5, 50, 12_055)
    );
    let shown = &outcome.report.shown[0];
    assert_eq!(
        (shown.file.as_str(), shown.line >= 6_001),
        ("Estabelecimentos.csv", true),
        "{shown:?}"
    );
    let mut conn = world.db.read().await.expect("connection");
    for base in bases.iter().step_by(997) {
        let cnpj = format!("{base}{}", check(base));
        let Answer::Found(found) = get(&mut conn, &cnpj).await.expect("read") else {
            panic!("{cnpj} is not there");
        };
        let name = found.registration.expect("a company").name;
        assert_eq!(
            (found.establishment.cep.as_str(), name.as_str()),
            ("80010000", "EXEMPLO")
        );
    }
    let answer = get(&mut conn, "99999900000191").await.expect("read");
    assert!(matches!(answer, Answer::Missing(_)), "{answer:?}");
}

#[tokio::test]
async fn the_release_is_in_the_name() {
    let world = World::new().await;
    world.write(
        "eDNE_Basico_26071/Delimitado/LOG_LOCALIDADE.TXT",
        b"2@PR@Adrian\xf3polis@83490000@0@M@@Adrian\xf3polis@4100202\r\n",
    );
    world.write(
        "eDNE_Basico_26071/Delimitado/LOG_BAIRRO.TXT",
        b"10@PR@2@Centro@Centro\r\n",
    );
    world.write(
        "eDNE_Basico_26071/Delimitado/LOG_LOGRADOURO_PR.TXT",
        b"1@PR@2@10@@\"A\" e B@@83490001@Rua@S@R A\r\n",
    );
    world.write("eDNE_Basico_26071/Fixo/DNE_GU_PR.TXT", b"another layout");
    let outcome = world
        .import(DatasetKind::Edne, &world.month())
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.editions[0].rows),
        (Ended::Imported, 2),
        "{:?}",
        outcome.report
    );
    assert_eq!(outcome.editions[0].label.version, "26071");
    let mut conn = world.db.read().await.expect("connection");
    let looked = of_cep(&mut conn, 83_490_001).await.expect("read");
    let found = looked.found.expect("a street");
    assert_eq!(
        (found.words.street.as_str(), found.municipality),
        ("Rua \"A\" e B", 4_100_202)
    );
    assert_eq!(found.spot, None);
    drop(conn);
    let wrong = world
        .import(DatasetKind::Cnpj, &world.month())
        .await
        .expect_err("no such files");
    assert!(
        wrong.to_string().contains("no file of cnpj is there"),
        "{wrong}"
    );
}

#[test]
fn files_are_known_by_their_names() {
    for (file, inside, part) in [
        (
            "Estabelecimentos3.zip",
            "K3241.K03200Y3.D51108.ESTABELE",
            Some(Part::Establishments),
        ),
        (
            "3.zip",
            "K3241.K03200Y3.D51108.EMPRECSV",
            Some(Part::Companies),
        ),
        (
            "Simples.zip",
            "F.K03200$W.SIMPLES.CSV.D51108",
            Some(Part::Simples),
        ),
        ("Socios9.zip", "", Some(Part::Partners)),
        ("leia-me.txt", "", None),
    ] {
        assert_eq!(Part::of(file, inside), part, "{file}");
    }
    for (name, file) in [
        ("LOG_LOGRADOURO_SP.TXT", Some(File::Streets)),
        ("log_logradouro_to.txt", Some(File::Streets)),
        ("LOG_LOGRADOURO_XX.TXT", None),
        ("LOG_CPC.TXT", Some(File::Boxes)),
        ("LOG_FAIXA_CPC.TXT", None),
    ] {
        assert_eq!(File::of(name, ""), file, "{name}");
        assert_eq!(File::of("eDNE.zip", name), file, "{name}");
    }
}

#[test]
fn columns_of_an_establishment() {
    let text = line("11222333", "000181");
    let columns: Vec<&str> = text
        .trim()
        .split(';')
        .map(|column| column.trim_matches('"'))
        .collect();
    let read = Establishment::read(&columns).expect("read");
    assert_eq!(
        (
            read.status.as_str(),
            read.status_day.as_str(),
            read.reason.as_str()
        ),
        ("02", "", "1"),
        "no calendar has the day"
    );
    assert_eq!(
        keys(&columns),
        Ok(("11222333".to_owned(), "000181".to_owned()))
    );
    assert_eq!(shown_day(&read.begun).as_deref(), Some("1999-12-31"));
    for (place, text, why) in [
        (5, "9", "situacao 09 is none of"),
        (19, "XX", "uf XX is no state"),
        (10, "hoje", "inicio is no day"),
        (14, &"A".repeat(3_000), "column 15 has more than 2000 bytes"),
    ] {
        let mut wrong = columns.clone();
        wrong[place] = text;
        let error = Establishment::read(&wrong).expect_err(why);
        assert!(error.starts_with(why), "{error}");
    }
    let small = ["ab12cd34", "0001", "00"];
    assert!(keys(&small).is_err());
}

#[test]
fn names_are_folded() {
    for (name, folded) in [
        ("Rua São João", "rua sao joao"),
        ("  AV.  Dr. D'Ávila-Mello ", "av dr d avila mello"),
        ("100%_", "100"),
        ("", ""),
    ] {
        assert_eq!(folded_name(name), folded);
    }
}
