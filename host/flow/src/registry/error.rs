//! What is wrong with a registry text.

use std::fmt;

/// One finding: where it is and what would be accepted there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryError {
    /// Line in the text, from 1.
    pub line: usize,
    /// For the operator: names the value found and what is accepted.
    pub message: String,
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for RegistryError {}

/// Turns byte offsets into line numbers.
pub(super) struct Lines {
    /// Offset of the first byte of each line but the first.
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let starts = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        Self { starts }
    }

    pub(super) fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) + 1
    }
}
