//! Glushkov's construction: a tree of symbols to the positions they stand at
//! and what may follow each. Patterns (symbols are classes of characters) and
//! content models (symbols are children) are both made of it.

/// A tree over symbols `S`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node<S> {
    Symbol(S),
    Sequence(Vec<Node<S>>),
    Choice(Vec<Node<S>>),
    /// Between so many and so many times; no upper bound is `None`.
    Times(Box<Node<S>>, u32, Option<u32>),
}

/// Positions of one graph after counts are written out: far more than any
/// official schema has, few enough to be counted by 16 bits.
const MAX_POSITIONS: usize = 20_000;

/// A symbol at each position, and which positions come after which.
#[derive(Debug)]
pub(super) struct Graph<S> {
    pub symbols: Vec<S>,
    /// May nothing come at all?
    pub empty: bool,
    pub start: Vec<u16>,
    pub goes_on: Vec<Vec<u16>>,
    /// Sorted.
    final_states: Vec<u16>,
}

impl<S: Clone> Graph<S> {
    /// The graph of a tree.
    ///
    /// # Errors
    /// It would be too large.
    pub fn from(tree: &Node<S>) -> Result<Graph<S>, String> {
        let mut graph = Graph {
            symbols: Vec::new(),
            empty: true,
            start: Vec::new(),
            goes_on: Vec::new(),
            final_states: Vec::new(),
        };
        let integer = graph.build(tree)?;
        graph.empty = integer.empty;
        graph.start = integer.first;
        graph.final_states = integer.last;
        graph.final_states.sort_unstable();
        graph.final_states.dedup();
        Ok(graph)
    }

    /// May it end at this position?
    pub fn ends_in(&self, position: u16) -> bool {
        self.final_states.binary_search(&position).is_ok()
    }

    fn build(&mut self, node: &Node<S>) -> Result<Part, String> {
        match node {
            Node::Symbol(symbol) => self.position(symbol),
            Node::Sequence(parts) => {
                let mut together = Part::nothing();
                for part in parts {
                    let part = self.build(part)?;
                    together = self.splice(together, part);
                }
                Ok(together)
            }
            Node::Choice(branches) => {
                let mut together = Part::nothing();
                together.empty = branches.is_empty();
                for branch in branches {
                    let branch = self.build(branch)?;
                    together.empty |= branch.empty;
                    together.first.extend(branch.first);
                    together.last.extend(branch.last);
                }
                Ok(together)
            }
            Node::Times(within, min, max) => self.times(within, *min, *max),
        }
    }

    fn position(&mut self, symbol: &S) -> Result<Part, String> {
        let position = self.symbols.len();
        if position >= MAX_POSITIONS {
            return Err("more positions than are kept".to_owned());
        }
        self.symbols.push(symbol.clone());
        self.goes_on.push(Vec::new());
        Ok(Part {
            empty: false,
            first: vec![position as u16],
            last: vec![position as u16],
        })
    }

    fn times(&mut self, within: &Node<S>, min: u32, max: Option<u32>) -> Result<Part, String> {
        let mut together = Part::nothing();
        for _ in 0..min {
            let part = self.build(within)?;
            together = self.splice(together, part);
        }
        let mut rest = Part::nothing();
        match max {
            None => {
                rest = self.build(within)?;
                for last in &rest.last {
                    self.link(*last, &rest.first);
                }
                rest.empty = true;
            }
            // a{0,3} is (a(a(a)?)?)?: built from the inside, joined from the outside.
            Some(max) => {
                for _ in min..max {
                    let part = self.build(within)?;
                    rest = self.splice(part, rest);
                    rest.empty = true;
                }
            }
        }
        Ok(self.splice(together, rest))
    }

    fn splice(&mut self, before: Part, after: Part) -> Part {
        for last in &before.last {
            self.link(*last, &after.first);
        }
        let mut first = before.first;
        if before.empty {
            first.extend_from_slice(&after.first);
        }
        let mut ends = after.last;
        if after.empty {
            ends.extend_from_slice(&before.last);
        }
        Part {
            empty: before.empty && after.empty,
            first,
            last: ends,
        }
    }

    fn link(&mut self, from: u16, to: &[u16]) {
        if let Some(list) = self.goes_on.get_mut(usize::from(from)) {
            list.extend_from_slice(to);
        }
    }
}

/// What a part of the tree begins and ends with.
struct Part {
    empty: bool,
    first: Vec<u16>,
    last: Vec<u16>,
}

impl Part {
    fn nothing() -> Part {
        Part {
            empty: true,
            first: Vec::new(),
            last: Vec::new(),
        }
    }
}
