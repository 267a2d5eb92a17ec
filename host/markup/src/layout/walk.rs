//! The automaton of a content model, followed child by child.

use crate::layout::table::{Automaton, Model, Symbol};

/// Where the automaton is.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    /// None before the first child.
    position: Option<u16>,
    /// How often the position was taken in a row.
    pub times: u32,
}

impl Walk {
    pub const START: Walk = Walk {
        position: None,
        times: 0,
    };

    /// The state after a child, and what the child is; `serves` says whether
    /// the child can be the symbol.
    pub fn step(self, model: &Model, serves: impl Fn(Symbol) -> bool) -> Option<(Walk, Symbol)> {
        let automaton = &model.automaton;
        let mut next = automaton.start.as_slice();
        if let Some(number) = self.position {
            let position = automaton.symbols.get(usize::from(number))?;
            if self.times < position.max && serves(position.o) {
                let walk = Walk {
                    position: self.position,
                    times: self.times + 1,
                };
                return Some((walk, position.o));
            }
            if self.times < position.min {
                return None;
            }
            next = automaton.goes_on.get(usize::from(number))?;
        }
        for number in next {
            let position = automaton.symbols.get(usize::from(*number))?;
            if serves(position.o) {
                let walk = Walk {
                    position: Some(*number),
                    times: 1,
                };
                return Some((walk, position.o));
            }
        }
        None
    }

    pub fn can_end(self, automaton: &Automaton) -> bool {
        match self.position {
            None => automaton.empty,
            Some(number) => automaton
                .symbols
                .get(usize::from(number))
                .is_some_and(|position| automaton.ends_in(number) && self.times >= position.min),
        }
    }

    /// How many of the name the layout allows here.
    pub fn max(self, automaton: &Automaton) -> u32 {
        let position = self
            .position
            .and_then(|n| automaton.symbols.get(usize::from(n)));
        position.map_or(1, |position| position.max)
    }
}
