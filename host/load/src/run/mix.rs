//! What a load is made of: operations and how often each comes.

use crate::seeded::Seeded;
use anyhow::{Context as _, bail};

/// An operation of the API that a load calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// `POST /nfse`.
    Issue,
    /// `POST /nfe`.
    Nfe,
    /// `POST /nfse/cancelar`, of a note that this load issued.
    Cancel,
    /// `GET /documentos`: the first page.
    List,
    /// `GET /nfse/{ref}/documento`, printed.
    Pdf,
    /// `GET /documentos/{ref}`.
    Get,
    /// `GET /usage`.
    Usage,
}

impl Operation {
    pub const ALL: [Operation; 7] = [
        Operation::Issue,
        Operation::Nfe,
        Operation::Cancel,
        Operation::List,
        Operation::Pdf,
        Operation::Get,
        Operation::Usage,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Operation::Issue => "issue",
            Operation::Nfe => "nfe",
            Operation::Cancel => "cancel",
            Operation::List => "list",
            Operation::Pdf => "pdf",
            Operation::Get => "get",
            Operation::Usage => "usage",
        }
    }

    /// Its place in [`Operation::ALL`].
    pub const fn place(self) -> usize {
        self as usize
    }
}

/// Operations with their weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(Vec<(Operation, u64)>);

impl Mix {
    /// Reads `issue=60,cancel=5,list=20`.
    ///
    /// # Errors
    /// A sentence with what is wrong.
    pub fn read(text: &str) -> anyhow::Result<Mix> {
        let mut parts = Vec::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, weight) = part
                .split_once('=')
                .with_context(|| format!("--mix {part}: name=weight, as issue=60"))?;
            let known = Operation::ALL.iter().find(|known| known.name() == name);
            let Some(operation) = known else {
                let names: Vec<&str> = Operation::ALL.iter().map(|known| known.name()).collect();
                bail!("--mix {name}: one of {}", names.join(", "))
            };
            let weight: u32 = weight
                .parse()
                .with_context(|| format!("--mix {part}: the weight is a whole number"))?;
            parts.push((*operation, u64::from(weight)));
        }
        let mix = Mix(parts);
        anyhow::ensure!(mix.total() > 0, "--mix: no operation has a weight");
        Ok(mix)
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|(_, weight)| weight).sum()
    }

    /// The operation of one arrival.
    pub fn draw(&self, seeded: &mut Seeded) -> Operation {
        let mut left = seeded.below(self.total());
        for (operation, weight) in &self.0 {
            if left < *weight {
                return *operation;
            }
            left -= weight;
        }
        Operation::List
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_as_often_as_they_weigh() {
        let mix = Mix::read("issue=60, list=20,pdf=0,usage=20").expect("a mix");
        let mut seeded = Seeded::new(1);
        let mut counts = [0_u32; Operation::ALL.len()];
        for _ in 0..10_000 {
            counts[mix.draw(&mut seeded).place()] += 1;
        }
        assert_eq!(counts[Operation::Pdf.place()], 0);
        assert!(
            counts[Operation::Issue.place()].abs_diff(6_000) < 200,
            "{counts:?}"
        );
        assert!(
            counts[Operation::Usage.place()].abs_diff(2_000) < 160,
            "{counts:?}"
        );
    }

    #[test]
    fn places_are_those_of_the_list() {
        for (place, operation) in Operation::ALL.iter().enumerate() {
            assert_eq!(operation.place(), place);
        }
    }

    #[test]
    fn a_wrong_mix_is_explained() {
        for (text, said) in [
            ("issue", "--mix issue: name=weight, as issue=60"),
            (
                "emit=3",
                "--mix emit: one of issue, nfe, cancel, list, pdf, get, usage",
            ),
            ("issue=-1", "--mix issue=-1: the weight is a whole number"),
            ("issue=0", "--mix: no operation has a weight"),
            ("", "--mix: no operation has a weight"),
        ] {
            let error = Mix::read(text).expect_err("wrong").to_string();
            assert_eq!(error, said);
        }
    }
}
