//! What knows the people and the keys of accounts.

pub mod known;
pub mod password;

use known::Keys;
use password::Hasher;
use std::ops::Deref;
use std::sync::Arc;
use store::node::Node;
use vault::envelope::Keyring;

/// Handle to people and keys.
pub type People = Arc<Parts>;

/// What the code about people and keys needs. It dereferences to the node, the
/// handle of the crate below.
pub struct Parts {
    pub node: Node,
    /// Seals the seeds of second factors.
    pub keyring: Arc<Keyring>,
    /// Passwords of people.
    pub hasher: Hasher,
    /// Keys of the API, remembered for a moment.
    pub keys: Keys,
}

impl Deref for Parts {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}
