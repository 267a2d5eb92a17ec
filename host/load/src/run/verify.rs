//! After a run in which the server was stopped: each document that was
//! acknowledged exists once, and none exists twice.

use crate::client::{Client, escaped};
use serde::Serialize;
use std::collections::HashMap;

/// References named in a report, at most.
const NAMED: usize = 20;

/// What the store holds of what a load issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Documents {
    /// Issuing operations that were answered with a document.
    pub acknowledged: u64,
    /// Documents with a reference of the load.
    pub found: u64,
    /// References that were acknowledged and have no document: how many, and some of them.
    pub lost: u64,
    /// References with two documents or more.
    pub double: u64,
    pub named: Vec<String>,
}

impl Documents {
    pub fn is_exact(&self) -> bool {
        self.lost == 0 && self.double == 0
    }
}

/// Reads all documents since the begin of the run, page by page.
///
/// # Errors
/// The server does not answer as it should.
pub async fn verify(
    client: &Client,
    name: &str,
    began_ms: i64,
    acknowledged: &[u64],
) -> anyhow::Result<Documents> {
    let first = format!(
        "/documentos?limite=100&de={}",
        escaped(&base::when::rfc3339(began_ms))
    );
    let prefix = format!("{name}-");
    let mut found: HashMap<u64, u32> = HashMap::new();
    let mut path = first.clone();
    loop {
        let answer = client.get(&path).await?;
        anyhow::ensure!(answer.is_good(), "the server answers {}", answer.word());
        let body = answer.json();
        let items = body["itens"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        for item in items {
            let reference = item["referencia"].as_str().unwrap_or_default();
            let number = reference
                .strip_prefix(&prefix)
                .and_then(|number| number.parse().ok());
            // A refused document is none: its reference may be used again.
            if let Some(number) = number
                && item["status"] != "rejeitada"
            {
                *found.entry(number).or_default() += 1;
            }
        }
        match body["proximo_cursor"].as_str() {
            Some(cursor) => path = format!("{first}&cursor={}", escaped(cursor)),
            None => return Ok(compared(name, &found, acknowledged)),
        }
    }
}

fn compared(name: &str, found: &HashMap<u64, u32>, acknowledged: &[u64]) -> Documents {
    let mut documents = Documents {
        acknowledged: acknowledged.len() as u64,
        found: found.values().map(|count| u64::from(*count)).sum(),
        ..Documents::default()
    };
    let mut wrong: Vec<(u64, &str)> = Vec::new();
    wrong.extend(
        acknowledged
            .iter()
            .filter(|number| !found.contains_key(number))
            .map(|number| (*number, "lost")),
    );
    documents.lost = wrong.len() as u64;
    wrong.extend(
        found
            .iter()
            .filter(|(_, count)| **count > 1)
            .map(|(number, _)| (*number, "double")),
    );
    documents.double = wrong.len() as u64 - documents.lost;
    wrong.sort_unstable();
    let named = wrong
        .iter()
        .take(NAMED)
        .map(|(number, what)| format!("{name}-{number} {what}"));
    documents.named = named.collect();
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_and_double_documents_are_named() {
        let found = HashMap::from([(1, 1), (2, 2), (9, 1)]);
        let documents = compared("load-7", &found, &[1, 2, 3]);
        assert_eq!((documents.acknowledged, documents.found), (3, 4));
        assert_eq!((documents.lost, documents.double), (1, 1));
        assert_eq!(documents.named, ["load-7-2 double", "load-7-3 lost"]);
        assert!(!documents.is_exact());
        // A document whose answer never came is no mistake.
        assert!(compared("load-7", &HashMap::from([(1, 1), (5, 1)]), &[1]).is_exact());
    }
}
