//! What the recorded cases prove of each system, in three tiers. Nobody claims a
//! tier: `hub registry tiers` computes the list from the cases, and a test compares.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The list built into the program: `system,tier`, sorted.
pub const BUILT_IN: &str = include_str!("../../../../plugins/tiers.csv");

/// How much the cases of a system prove, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A note is issued, another one is refused, and one is cancelled where the system
    /// cancels by service.
    Bronze,
    /// Also: a note is found by a query, and nothing is lost or issued twice when an
    /// answer is cut or cannot be understood.
    Silver,
    /// Also: a case is of a real exchange.
    Gold,
}

impl Tier {
    pub const ALL: [Tier; 3] = [Tier::Bronze, Tier::Silver, Tier::Gold];

    /// The word of the API and of the list.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Bronze => "bronze",
            Tier::Silver => "prata",
            Tier::Gold => "ouro",
        }
    }
}

/// The tier of a system; `None`: its cases prove less than the lowest one, or there
/// are none.
#[must_use]
pub fn tier(system: &str) -> Option<Tier> {
    static READ: OnceLock<HashMap<&'static str, Tier>> = OnceLock::new();
    let read = READ.get_or_init(|| BUILT_IN.lines().filter_map(line).collect());
    read.get(system).copied()
}

fn line(line: &'static str) -> Option<(&'static str, Tier)> {
    let (system, word) = line.split_once(',')?;
    let tier = Tier::ALL.into_iter().find(|tier| tier.as_str() == word)?;
    Some((system, tier))
}
