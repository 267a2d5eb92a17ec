//! Particles: their tree and their automaton.

use super::{ENDLESS, Namespace};
use crate::layout::glushkov::{Graph, Node};

/// A particle and how often it occurs.
#[derive(Clone, Debug)]
pub(in crate::layout) struct Occurs {
    pub o: Particle,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Debug)]
pub(in crate::layout) enum Particle {
    /// Place in [`Model::declarations`].
    Element(usize),
    /// Place in [`Model::wildcards`].
    Any(usize),
    Sequence(Vec<Occurs>),
    Choice(Vec<Occurs>),
}

/// How closely content of a wildcard is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Check {
    Nothing,
    /// What has a global declaration.
    Known,
    /// There must be one.
    All,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Wildcard {
    /// Any namespace but this one, and not none.
    pub except: Option<Namespace>,
    pub check: Check,
}

/// A place where a child may stand.
#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Position {
    pub o: Symbol,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Symbol {
    Element(usize),
    Any(usize),
}

/// Automaton of a type. The official schemas obey Unique Particle Attribution
/// (XSD part 1, §3.8.6), so a child's name picks at most one way on. An element
/// that repeats is one position with a counter.
pub(in crate::layout) type Automaton = Graph<Position>;

impl Occurs {
    pub(super) fn node(&self) -> Node<Position> {
        let group = |parts: &[Occurs]| parts.iter().map(Occurs::node).collect();
        let o = match &self.o {
            Particle::Element(index) => return self.position(Symbol::Element(*index)),
            Particle::Any(index) => return self.position(Symbol::Any(*index)),
            Particle::Sequence(parts) => Node::Sequence(group(parts)),
            Particle::Choice(branches) => Node::Choice(group(branches)),
        };
        let max = (self.max != ENDLESS).then_some(self.max);
        Node::Times(Box::new(o), self.min, max)
    }

    fn position(&self, o: Symbol) -> Node<Position> {
        let position = Node::Symbol(Position {
            o,
            min: self.min.max(1),
            max: self.max,
        });
        match self.min {
            0 => Node::Times(Box::new(position), 0, Some(1)),
            _ => position,
        }
    }

    /// Does a group repeat, here or inside?
    pub(super) fn group_repeats(&self) -> bool {
        match &self.o {
            Particle::Element(_) | Particle::Any(_) => false,
            Particle::Sequence(parts) | Particle::Choice(parts) => {
                self.max > 1 || parts.iter().any(Occurs::group_repeats)
            }
        }
    }
}
