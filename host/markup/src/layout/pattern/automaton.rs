//! Tree of a pattern to a table of states.

use std::collections::HashMap;

use crate::layout::glushkov::Graph;
use crate::layout::pattern::syntax::{Span, read};

/// States of the table. Reached only by a pattern that was not made for people.
const MAX_STATES: usize = 20_000;
/// No way on.
const DEAD: u32 = 0;
/// May a text end in a state?
const NO: u32 = 0;
const YES: u32 = 1;

/// A pattern ready to be asked.
#[derive(Debug)]
pub struct Pattern {
    /// Class of each character below U+0100.
    low: [u8; 256],
    /// First code point and class of each further range, sorted.
    high: Vec<(u32, u8)>,
    classes: usize,
    /// A row for each state: by the class, where the row of the next state begins; then whether
    /// the text may end here. The first row is that of the dead state, the second one that of
    /// the first state. A row's place is kept and not the state's number: a step multiplies
    /// nothing.
    rows: Vec<u32>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// A sentence in English: the pattern is malformed or uses what is not
    /// supported, or the automaton would be too large.
    pub fn compile(pattern: &str) -> Result<Pattern, String> {
        Pattern::determine(&Graph::from(&read(pattern)?)?)
    }

    /// Does the whole text fit?
    pub fn matches(&self, text: &str) -> bool {
        let mut row = self.classes + 1;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let class = if byte < 0x80 {
                at += 1;
                self.low.get(usize::from(byte)).copied().unwrap_or(0)
            } else {
                let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                    return false;
                };
                at += c.len_utf8();
                self.class(u32::from(c))
            };
            let step = self.rows.get(row + usize::from(class));
            let next = step.copied().unwrap_or(DEAD);
            if next == DEAD {
                return false;
            }
            row = next as usize;
        }
        let ends = self.rows.get(row + self.classes);
        ends.is_some_and(|ends| *ends != NO)
    }

    fn class(&self, point: u32) -> u8 {
        if let Some(class) = self.low.get(point as usize) {
            return *class;
        }
        let after = self.high.partition_point(|(from, _)| *from <= point);
        after
            .checked_sub(1)
            .and_then(|i| self.high.get(i))
            .map_or(0, |(_, class)| *class)
    }

    fn determine(graph: &Graph<Vec<Span>>) -> Result<Pattern, String> {
        let alphabet = Alphabet::from(&graph.symbols)?;
        let mut sets: HashMap<Vec<u16>, u32> = HashMap::new();
        let width = alphabet.classes + 1;
        let mut rows = vec![DEAD; width * 2];
        let mut states = 2;
        if let (true, Some(ends)) = (graph.empty, rows.last_mut()) {
            *ends = YES;
        }
        // The first state has nothing behind it; all others are sets of positions.
        let mut pending = vec![(1usize, graph.start.clone())];
        while let Some((state, next)) = pending.pop() {
            let mut by_class: Vec<Vec<u16>> = vec![Vec::new(); alphabet.classes];
            for &position in &next {
                let Some(classes) = alphabet.of_position.get(usize::from(position)) else {
                    continue;
                };
                for &class in classes {
                    if let Some(list) = by_class.get_mut(usize::from(class)) {
                        list.push(position);
                    }
                }
            }
            for (class, mut set) in by_class.into_iter().enumerate() {
                if set.is_empty() {
                    continue;
                }
                set.sort_unstable();
                set.dedup();
                let target = match sets.get(&set) {
                    Some(target) => *target,
                    None => {
                        let number = states;
                        if number >= MAX_STATES {
                            return Err("the pattern needs too many states".to_owned());
                        }
                        states += 1;
                        let target = u32::try_from(rows.len()).unwrap_or(DEAD);
                        rows.resize(rows.len() + alphabet.classes, DEAD);
                        let ends = set.iter().any(|p| graph.ends_in(*p));
                        rows.push(if ends { YES } else { NO });
                        let mut next: Vec<u16> = set
                            .iter()
                            .filter_map(|p| graph.goes_on.get(usize::from(*p)))
                            .flatten()
                            .copied()
                            .collect();
                        next.sort_unstable();
                        next.dedup();
                        pending.push((number, next));
                        sets.insert(set.clone(), target);
                        target
                    }
                };
                if let Some(step) = rows.get_mut(state * width + class) {
                    *step = target;
                }
            }
        }
        Ok(Pattern {
            low: alphabet.low,
            high: alphabet.high,
            classes: alphabet.classes,
            rows,
        })
    }
}

/// Characters that no position tells apart are one class.
struct Alphabet {
    low: [u8; 256],
    high: Vec<(u32, u8)>,
    classes: usize,
    of_position: Vec<Vec<u8>>,
}

impl Alphabet {
    fn from(positions: &[Vec<Span>]) -> Result<Alphabet, String> {
        let mut cuts: Vec<u32> = vec![0];
        for &(from, to) in positions.iter().flatten() {
            cuts.push(from);
            cuts.push(to + 1);
        }
        cuts.sort_unstable();
        cuts.dedup();
        let classes = cuts.len();
        if classes > 255 {
            return Err("the pattern tells too many characters apart".to_owned());
        }
        let class_of = |point: u32| (cuts.partition_point(|cut| *cut <= point) - 1) as u8;
        let mut low = [0; 256];
        for (point, class) in (0u32..).zip(low.iter_mut()) {
            *class = class_of(point);
        }
        let high = std::iter::once(256)
            .chain(cuts.iter().copied().filter(|cut| *cut > 256))
            .map(|cut| (cut, class_of(cut)))
            .collect();
        let of_position = positions
            .iter()
            .map(|spans| {
                spans
                    .iter()
                    .flat_map(|&(from, to)| class_of(from)..=class_of(to))
                    .collect()
            })
            .collect();
        Ok(Alphabet {
            low,
            high,
            classes,
            of_position,
        })
    }
}
