//! What keeps objects.

use super::backend::Store;
use std::ops::Deref;
use std::sync::Arc;
use store::node::Node;

/// Handle to the objects customers keep.
pub type Objects = Arc<Parts>;

/// What keeping objects needs. It dereferences to the node, the handle of a
/// crate below.
pub struct Parts {
    pub node: Node,
    /// Their files.
    pub objects: Store,
    /// Packed records that moved out of the database.
    pub records: Arc<Store>,
}

impl Deref for Parts {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}
