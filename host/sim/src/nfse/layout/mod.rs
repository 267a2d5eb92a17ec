//! Structure of the documents: which elements, in which order, how often and
//! with which text.
//!
//! The tables (`*.layout`) hold the facts of the published schemas in our own
//! notation, one element a line:
//!
//! ```text
//! root DPS TCDPS            document element and its type
//! type TCDPS [ns:label]     an element with children
//!   @versao TVerNFSe        attribute (`?`: may be absent)
//!   infDPS TCInfDPS         child (`?`: may be absent, `{a,b}`: from a to b times)
//!   alt                     one of the lines below it
//!     seq                   the lines below it, in order
//! text TSUF len:2 enum:A|B  an element with text: is base len min max enum pat
//!                           digits fraction ge le
//! ```

mod check;
mod pattern;
mod table;

pub use check::check;
pub use pattern::Pattern;
pub use table::Layout;

use std::sync::LazyLock;

fn load(source: &str) -> Layout {
    // The tables are part of the program: a wrong one is found by the tests.
    Layout::parse(source).unwrap_or_default()
}

macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub static $name: LazyLock<Layout> = LazyLock::new(|| load(include_str!($file)));)*
    };
}

layouts! {
    /// DPS and event request 1.01, bundle of 2026-07-27 (alphanumeric CNPJ).
    NACIONAL = "nacional.layout";
    /// ABRASF 1.00 (requests).
    ABRASF_1_00 = "abrasf-1.00.layout";
    /// ABRASF 2.00 as Fiorilli publishes it (requests).
    FIORILLI_2_00 = "fiorilli-2.00.layout";
    /// ABRASF 2.02 as WebISS publishes it (requests).
    WEBISS_2_02 = "webiss-2.02.layout";
    /// ABRASF 2.03 (requests).
    ABRASF_2_03 = "abrasf-2.03.layout";
    /// ABRASF 2.04 (requests).
    ABRASF_2_04 = "abrasf-2.04.layout";
    /// ABRASF 2.04 as Giss publishes it, one namespace per message (requests).
    GISS_2_04 = "giss-2.04.layout";
}
