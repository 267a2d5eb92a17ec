//! Names of children against a content model, whatever their order: what is
//! missing, what is too much, and which order would be the layout's. The
//! automaton says whether there is an error; this says which.

use std::collections::{HashMap, VecDeque};

use crate::layout::table::{ENDLESS, Model, Occurs, Particle, Symbol};
use crate::layout::walk::Walk;

/// How children fit a type.
#[derive(Debug, Default)]
pub(super) struct Arrangement {
    /// Child and declaration, in the order of the layout.
    pub order: Vec<(usize, Place)>,
    pub missing: Vec<Missing>,
    pub left_over: Vec<Leftover>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Element(usize),
    Any(usize),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The declaration, and how often it must occur and does.
    Element {
        declaration: usize,
        min: u32,
        has: u32,
    },
    /// One of these.
    OneOf(Vec<usize>),
    /// Anything, for a wildcard.
    Any,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leftover {
    /// The child, and how often its name may occur.
    Repeated { child: usize, max: u32 },
    /// The child, and the children of the alternative that was taken.
    Excluded { child: usize, by: Vec<usize> },
    /// The layout has no such child here.
    Unknown { child: usize },
}

/// Alternatives, or what was taken of one, that a message names.
const MAX_ALTERNATIVES: usize = 8;

pub(super) fn arrange(model: &Model, names: &[&str]) -> Arrangement {
    let mut queues: HashMap<&str, VecDeque<usize>> = HashMap::with_capacity(names.len().min(64));
    for declaration in &model.declarations {
        queues.entry(declaration.name).or_default();
    }
    let mut other = VecDeque::new();
    for (child, name) in names.iter().enumerate() {
        match queues.get_mut(name) {
            Some(queue) => queue.push_back(child),
            None => other.push_back(child),
        }
    }
    let mut work = Work {
        model,
        queues,
        other,
        excluded: HashMap::new(),
        maxima: HashMap::new(),
        arrangement: Arrangement::default(),
    };
    work.consume(&model.tree);
    work.leftovers();
    work.arrangement
}

/// Order of children by declaration, where names alone decide it: no group
/// repeats, no name has two places, and all are known. The usual case, for
/// writers; says nothing about what is missing or too much.
pub(super) fn simple_order(model: &Model, names: &[&str]) -> Option<Vec<(usize, usize)>> {
    if !model.names_decide {
        return None;
    }
    let mut order = Vec::with_capacity(names.len());
    let mut expected = 0;
    let mut in_order = true;
    for (child, name) in names.iter().enumerate() {
        // Builders nearly always follow the layout: look from the last place on.
        let ahead = model.declarations.get(expected..).unwrap_or_default();
        let place = match ahead.iter().position(|d| d.name == *name) {
            Some(steps) => expected + steps,
            None => {
                in_order = false;
                model.declarations.iter().position(|d| d.name == *name)?
            }
        };
        expected = place;
        order.push((child, place));
    }
    if !in_order {
        order.sort_by_key(|(_, place)| *place);
    }
    Some(order)
}

/// The declaration of each child, where the children already stand in the order
/// of the layout and none is missing or too much. Namespaces are not looked
/// at: writers take that of the declaration. None also where the layout has a
/// wildcard, because a name then does not tell what a child is.
pub(super) fn as_given(model: &Model, names: &[&str]) -> Option<Vec<usize>> {
    if !model.wildcards.is_empty() {
        return None;
    }
    let mut walk = Walk::START;
    let mut declarations = Vec::with_capacity(names.len());
    for name in names {
        let serves = |symbol: Symbol| match symbol {
            Symbol::Element(index) => model
                .declarations
                .get(index)
                .is_some_and(|d| d.name == *name),
            Symbol::Any(_) => false,
        };
        let (next, symbol) = walk.step(model, serves)?;
        let Symbol::Element(index) = symbol else {
            return None;
        };
        declarations.push(index);
        walk = next;
    }
    walk.can_end(&model.automaton).then_some(declarations)
}

struct Work<'m, 'n> {
    model: &'m Model,
    queues: HashMap<&'n str, VecDeque<usize>>,
    other: VecDeque<usize>,
    /// Name of an alternative not taken: what was taken instead.
    excluded: HashMap<&'m str, Vec<usize>>,
    maxima: HashMap<&'m str, u32>,
    arrangement: Arrangement,
}

impl<'m: 'n, 'n> Work<'m, 'n> {
    fn consume(&mut self, occurs: &'m Occurs) {
        match &occurs.o {
            Particle::Element(declaration) => self.element(*declaration, occurs),
            Particle::Any(wildcard) => self.any(*wildcard, occurs),
            group => {
                let mut times = 0;
                while times < occurs.max {
                    let before = self.arrangement.order.len();
                    let present = self.present(group) > 0;
                    if !present && times >= occurs.min {
                        break;
                    }
                    self.group(group);
                    times += 1;
                    // Nothing was there to take: what is missing was said once.
                    if self.arrangement.order.len() == before {
                        break;
                    }
                }
            }
        }
    }

    fn group(&mut self, group: &'m Particle) {
        match group {
            Particle::Sequence(parts) => {
                for part in parts {
                    self.consume(part);
                }
            }
            Particle::Choice(branches) => self.choice(branches),
            _ => {}
        }
    }

    fn choice(&mut self, branches: &'m [Occurs]) {
        let present = |branch: &Occurs| self.present(&branch.o);
        let best = branches
            .iter()
            .enumerate()
            .map(|(index, branch)| (present(branch), std::cmp::Reverse(index)))
            .max()
            .filter(|(count, _)| *count > 0)
            .map(|(_, std::cmp::Reverse(index))| index);
        let Some(best) = best else {
            if !branches.iter().any(|branch| self.can_be_missing(branch)) {
                let mut names = Vec::new();
                for branch in branches {
                    names.extend(self.first(branch));
                }
                names.truncate(MAX_ALTERNATIVES);
                self.arrangement.missing.push(match names.as_slice() {
                    [] => Missing::Any,
                    _ => Missing::OneOf(names),
                });
            }
            return;
        };
        let Some(branch) = branches.get(best) else {
            return;
        };
        let before = self.arrangement.order.len();
        self.consume(branch);
        let taken: Vec<usize> = self
            .arrangement
            .order
            .get(before..)
            .unwrap_or_default()
            .iter()
            .map(|(child, _)| *child)
            .take(MAX_ALTERNATIVES)
            .collect();
        for (index, other) in branches.iter().enumerate() {
            if index != best {
                self.excludes(other, &taken);
            }
        }
    }

    fn excludes(&mut self, occurs: &'m Occurs, by: &[usize]) {
        match &occurs.o {
            Particle::Element(declaration) => {
                if let Some(declaration) = self.model.declarations.get(*declaration) {
                    self.excluded
                        .entry(declaration.name)
                        .or_insert_with(|| by.to_vec());
                }
            }
            Particle::Any(_) => {}
            Particle::Sequence(parts) | Particle::Choice(parts) => {
                for part in parts {
                    self.excludes(part, by);
                }
            }
        }
    }

    fn element(&mut self, declaration: usize, occurs: &Occurs) {
        let Some(name) = self.model.declarations.get(declaration).map(|d| d.name) else {
            return;
        };
        let mut has = 0;
        if let Some(queue) = self.queues.get_mut(name) {
            while has < occurs.max {
                let Some(child) = queue.pop_front() else {
                    break;
                };
                self.arrangement
                    .order
                    .push((child, Place::Element(declaration)));
                has += 1;
            }
        }
        *self.maxima.entry(name).or_insert(0) += occurs.max.min(ENDLESS / 1024);
        if has < occurs.min {
            self.arrangement.missing.push(Missing::Element {
                declaration,
                min: occurs.min,
                has,
            });
        }
    }

    fn any(&mut self, wildcard: usize, occurs: &Occurs) {
        let mut has = 0;
        while has < occurs.max {
            let Some(child) = self.other.pop_front() else {
                break;
            };
            self.arrangement.order.push((child, Place::Any(wildcard)));
            has += 1;
        }
        if has < occurs.min {
            self.arrangement.missing.push(Missing::Any);
        }
    }

    fn leftovers(&mut self) {
        let mut left_over: Vec<(usize, &str)> = Vec::new();
        for (name, queue) in &self.queues {
            left_over.extend(queue.iter().map(|child| (*child, *name)));
        }
        left_over.sort_unstable();
        for (child, name) in left_over {
            self.arrangement
                .left_over
                .push(match self.maxima.get(name) {
                    Some(max) => Leftover::Repeated { child, max: *max },
                    None => Leftover::Excluded {
                        child,
                        by: self.excluded.get(name).cloned().unwrap_or_default(),
                    },
                });
        }
        for child in std::mem::take(&mut self.other) {
            self.arrangement.left_over.push(Leftover::Unknown { child });
        }
    }

    /// How many different names of the group are there.
    fn present(&self, particle: &Particle) -> usize {
        match particle {
            Particle::Element(declaration) => {
                let name = self.model.declarations.get(*declaration).map(|d| d.name);
                let queue = name.and_then(|name| self.queues.get(name));
                usize::from(queue.is_some_and(|queue| !queue.is_empty()))
            }
            Particle::Any(_) => usize::from(!self.other.is_empty()),
            Particle::Sequence(parts) | Particle::Choice(parts) => {
                parts.iter().map(|part| self.present(&part.o)).sum()
            }
        }
    }

    fn can_be_missing(&self, occurs: &Occurs) -> bool {
        if occurs.min == 0 {
            return true;
        }
        match &occurs.o {
            Particle::Element(_) | Particle::Any(_) => false,
            Particle::Sequence(parts) => parts.iter().all(|part| self.can_be_missing(part)),
            Particle::Choice(branches) => {
                branches.is_empty() || branches.iter().any(|branch| self.can_be_missing(branch))
            }
        }
    }

    /// First elements that must or may begin the branch.
    fn first(&self, occurs: &Occurs) -> Vec<usize> {
        match &occurs.o {
            Particle::Element(declaration) => vec![*declaration],
            Particle::Any(_) => Vec::new(),
            Particle::Sequence(parts) => parts
                .iter()
                .find(|part| !self.can_be_missing(part))
                .or(parts.first())
                .map_or_else(Vec::new, |part| self.first(part)),
            Particle::Choice(branches) => branches.iter().flat_map(|r| self.first(r)).collect(),
        }
    }
}

/// Which members of a sequence of places stand out of order: those that are
/// not in a longest increasing subsequence.
pub(super) fn shifted(places: &[usize]) -> Vec<bool> {
    // Patience sorting, with the predecessor of each member kept.
    let mut stacks: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        let stack = stacks.partition_point(|top| places.get(*top).is_some_and(|l| l < place));
        previous.push(stack.checked_sub(1).and_then(|p| stacks.get(p)).copied());
        match stacks.get_mut(stack) {
            Some(top) => *top = index,
            None => stacks.push(index),
        }
    }
    let mut outside = vec![true; places.len()];
    let mut current = stacks.last().copied();
    while let Some(index) = current {
        if let Some(mark) = outside.get_mut(index) {
            *mark = false;
        }
        current = previous.get(index).copied().flatten();
    }
    outside
}
