//! Keys of other documents that a transport document names.

use super::Judged;
use fiscal::nfe::reading::judging::Findings;
use markup::ids::chave::Chave;
use markup::xml::Element;
use std::collections::BTreeSet;

/// What the keys in one element are.
pub(crate) struct Named {
    /// Element of the key: `chNFe`.
    pub field: &'static str,
    /// The element it stands in; none for any.
    pub parent: Option<&'static str>,
    /// Models it may be of.
    pub models: &'static [u8],
    /// In sentences: `da NF-e transportada`.
    pub of: &'static str,
    /// What is answered to one that is not right, and to one that comes twice.
    pub wrong: &'static str,
    pub twice: Option<&'static str>,
}

/// Every key of a document against its check digit and model.
pub(crate) fn check(judged: &Judged<'_>, table: &[Named], findings: &mut Findings) {
    for named in table {
        let mut seen = BTreeSet::new();
        let keys = judged
            .all(named.field)
            .filter(|key| is_there(*key, named.parent));
        for key in keys {
            let text = key.text();
            if !right(&text, named.models) {
                let models: Vec<String> = named.models.iter().map(u8::to_string).collect();
                findings
                    .error(
                        judged.place(key),
                        named.wrong,
                        format!(
                            "A chave {} não existe, ou não é do modelo {}.",
                            named.of,
                            models.join(" ou ")
                        ),
                        "Copie a chave de 44 posições do documento.",
                    )
                    .value(&text);
            }
            if let Some(twice) = named.twice
                && !seen.insert(text.clone().into_owned())
            {
                findings
                    .error(
                        judged.place(key),
                        twice,
                        format!("A chave {} foi informada mais de uma vez.", named.of),
                        "Retire a repetição.",
                    )
                    .value(&text);
            }
        }
    }
}

fn is_there(key: Element<'_>, parent: Option<&str>) -> bool {
    parent.is_none_or(|name| key.parent().is_some_and(|parent| parent.name() == name))
}

/// A key with its check digit, of one of the models.
pub(crate) fn right(text: &str, models: &[u8]) -> bool {
    Chave::parse(text).is_ok_and(|chave| models.contains(&chave.model()))
}
