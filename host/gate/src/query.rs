//! The query of a call's address.

use std::collections::BTreeMap;

/// Query parameters by name; the last of a repeated name counts.
pub type Query = BTreeMap<String, String>;
