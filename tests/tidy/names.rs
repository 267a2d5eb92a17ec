//! Names of files and modules: English, but for the words that the law, a
//! layout or the API coined.

use super::{files, inside, report, text};
use std::collections::{BTreeMap, BTreeSet};
use tests::adapters::workspace;

/// The English words that names are made of, one a line.
pub const ENGLISH: &str = include_str!("words.txt");

/// Where the words begin that may stay Portuguese.
const COINED: &str = "\n## Words in names\n";

/// Every word of a name, with one file that has it. The folder of an adapter has
/// the name of a system, which may be anything.
fn used() -> BTreeMap<String, String> {
    let mut used = BTreeMap::new();
    for room in ["host", "plugins", "tests"] {
        for path in files(&workspace().join(room), "rs") {
            let name = inside(&path);
            let parts = name.trim_end_matches(".rs").split('/');
            let adapter = room == "plugins" && !name.starts_with("plugins/sdk/");
            for part in parts.skip(if adapter { 2 } else { 0 }) {
                for word in part.split(['_', '-']) {
                    used.entry(word.to_owned()).or_insert_with(|| name.clone());
                }
            }
        }
    }
    used
}

/// Words of the glossary's list, of the API's paths and of the tables.
pub fn coined() -> BTreeSet<String> {
    let glossary = text(&workspace().join("docs/GLOSSARY.md"));
    let (_, list) = glossary.split_once(COINED).expect("the list of words");
    let mut words: BTreeSet<String> = list
        .split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect();
    let operations = text(&workspace().join("host/base/operations.csv"));
    for row in operations.lines().skip(1) {
        let path = row.split(',').nth(3).unwrap_or_default();
        words.extend(path.split(['/', '-', '{', '}']).map(String::from));
    }
    for path in files(&workspace().join("migrations"), "sql") {
        let sql = text(&path);
        for table in sql.split("CREATE TABLE ").skip(1) {
            let name = table.split([' ', '(']).next().unwrap_or_default();
            words.extend(name.split('_').map(String::from));
        }
    }
    words
}

#[test]
fn names_are_english_or_of_the_glossary() {
    let used = used();
    let coined = coined();
    let english: Vec<&str> = ENGLISH.lines().collect();
    let mut problems = Vec::new();
    for (word, path) in &used {
        if !coined.contains(word) && !english.contains(&word.as_str()) {
            problems.push(format!(
                "{path}: `{word}` is in no list. An English word goes to tests/tidy/words.txt; \
                 a word that the law, a layout or the API coined, to docs/GLOSSARY.md, \"Words in names\""
            ));
        }
    }
    for word in &english {
        if !used.contains_key(*word) || coined.contains(*word) {
            problems.push(format!(
                "tests/tidy/words.txt: `{word}` is in no name, or in another list"
            ));
        }
    }
    if !english.is_sorted() {
        problems.push("tests/tidy/words.txt is not sorted".to_owned());
    }
    report(problems);
}
