//! Patterns of XML Schema (XSD part 2, appendix F) as deterministic automata:
//! one step per character, whatever the pattern and the text.
//!
//! What is read: alternatives, groups, `?`, `*`, `+`, `{n}`, `{n,}`, `{n,m}`,
//! `.`, classes with ranges and negation, `\d \s \w` and their opposites, `\p`
//! is refused. That is all the fiscal schemas use; anything else is an error
//! when a table is compiled, not a silent acceptance.

mod automaton;
mod syntax;

pub use automaton::Pattern;
pub(super) use syntax::{Node, Span, read};
