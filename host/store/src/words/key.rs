//! Words of a key, and of all that one made.

use super::words;

words! {
    /// Which environment a key opens.
    #[derive(Default)]
    pub enum KeyKind {
        /// Never reaches production.
        #[default]
        Test = "test",
        Live = "live",
    }
}
