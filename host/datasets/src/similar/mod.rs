//! Names that are alike: the words of a name, the letters of a word, and an index
//! of both that is the same on both databases.
//!
//! The index has two levels. The postings of a word are the products whose names
//! have it; the postings of a trigram are the words that have it. A word of a
//! query that no name has is replaced by the words that share most of its
//! trigrams, so that spelling mistakes are borne without trigrams of two
//! million names.

pub mod index;
pub mod postings;
pub mod words;
