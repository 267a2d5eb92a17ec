//! What an import says of the lines it read.

use crate::ImportError;

/// Wrong lines that are shown; the others are only counted.
pub const SHOWN: usize = 20;
/// Wrong lines of a hundred that an import bears; with more it is refused.
const BORNE_PERCENT: u64 = 1;

/// A line that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, or the name inside of an archive.
    pub file: String,
    /// From 1; the header is line 1.
    pub line: u64,
    pub reason: String,
}

/// Lines of all files of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines with data.
    pub lines: u64,
    /// Lines that the kind of import leaves out on purpose, such as products of
    /// other countries.
    pub skipped: u64,
    /// Wrong lines, all of them.
    pub wrong: u64,
    /// The first wrong lines.
    pub shown: Vec<Problem>,
    /// Last lines that were taken although no line end follows them: a file that
    /// was cut inside its last column looks like this, and so do whole files of
    /// some programs.
    pub unended: Vec<Problem>,
}

impl Report {
    pub(crate) fn problem(&mut self, file: &str, line: u64, reason: String) {
        self.wrong += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(Problem {
                file: file.to_owned(),
                line,
                reason,
            });
        }
    }

    /// `line` is the last one, was taken, and has no line end.
    pub(crate) fn unended(&mut self, file: &str, line: u64) {
        self.unended.push(Problem {
            file: file.to_owned(),
            line,
            reason: "the last line has no line end; it counts, but is the file whole?".to_owned(),
        });
    }

    /// The refusal of files in which no line is right, with what is wrong with the
    /// first one.
    pub(crate) fn no_rows(&self) -> ImportError {
        let why = "the files have no rows";
        ImportError::Refused(match self.shown.first() {
            Some(first) => format!(
                "{why}; {}, line {}: {}",
                first.file, first.line, first.reason
            ),
            None => why.to_owned(),
        })
    }

    /// Whether so many lines are wrong that the file is not trusted. A single
    /// wrong line of a short file is borne.
    pub fn too_many(&self) -> bool {
        self.wrong > 1 && self.wrong * 100 > self.lines * BORNE_PERCENT
    }
}
