//! A person who calls from inside the process, without a key.

use accounts::people::known::Known;
use std::sync::Arc;

/// Who asks; nothing from outside can put it into a request.
#[derive(Clone)]
pub struct Person(pub Arc<Known>);
