//! A way, and what it costs to change it.

use super::costs::Costs;

/// An order of nodes whose first and last stay. Changes are weighed without being
/// made, in constant time, also where the two directions of an edge differ: sums of
/// edges from the beginning are kept in both directions.
pub(super) struct Path<'a> {
    costs: &'a Costs,
    order: Vec<usize>,
    /// Where each node stands in `order`.
    places: Vec<usize>,
    /// Metres from the first node to the node at each place.
    ahead: Vec<i64>,
    /// Metres from the node at each place back to the first, over the same edges.
    back: Vec<i64>,
}

/// A change of a way. Places count from 0.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// The nodes at these places in the other direction.
    Reverse { from: usize, to: usize },
    /// The nodes at the places `from` to `to` behind the one at `behind`, which is
    /// not one of them; in the other direction if `flip`.
    Shift {
        from: usize,
        to: usize,
        behind: usize,
        flip: bool,
    },
    /// The nodes of `from..middle` change places with those of `middle..to`.
    Swap {
        from: usize,
        middle: usize,
        to: usize,
    },
}

impl<'a> Path<'a> {
    pub(super) fn new(costs: &'a Costs, order: Vec<usize>) -> Path<'a> {
        let size = costs.size();
        let mut path = Path {
            costs,
            order,
            places: vec![0; size],
            ahead: vec![0; size],
            back: vec![0; size],
        };
        path.refresh(0);
        path
    }

    /// Metres of the whole way.
    pub(super) fn length(&self) -> u64 {
        u64::try_from(self.metres()).unwrap_or_default()
    }

    fn metres(&self) -> i64 {
        self.ahead.last().copied().unwrap_or_default()
    }

    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(super) fn into_order(self) -> Vec<usize> {
        self.order
    }

    /// Takes another order of the same nodes.
    pub(super) fn restore(&mut self, order: &[usize]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.refresh(0);
    }

    /// The place of the last node.
    pub(super) fn end(&self) -> usize {
        self.order.len().saturating_sub(1)
    }

    /// The node at a place.
    pub(super) fn node(&self, place: usize) -> usize {
        self.order.get(place).copied().unwrap_or_default()
    }

    /// The place of a node.
    pub(super) fn place(&self, node: usize) -> usize {
        self.places.get(node).copied().unwrap_or_default()
    }

    /// Metres that a change adds; below zero it shortens the way. None where the
    /// change would move an end, or nothing.
    pub(super) fn added(&self, change: Change) -> Option<i64> {
        match change {
            Change::Reverse { from, to } => {
                let moves = 1 <= from && from < to && to < self.end();
                moves.then(|| {
                    self.edge(from - 1, to) + self.edge(from, to + 1)
                        - self.edge(from - 1, from)
                        - self.edge(to, to + 1)
                        + self.turned(from, to)
                })
            }
            Change::Shift {
                from,
                to,
                behind,
                flip,
            } => {
                let outside = behind + 1 < from || behind > to;
                let moves = 1 <= from && from <= to && to < self.end() && behind < self.end();
                (moves && outside).then(|| {
                    let (front, rear) = if flip { (to, from) } else { (from, to) };
                    let turned = if flip { self.turned(from, to) } else { 0 };
                    self.edge(from - 1, to + 1)
                        + self.edge(behind, front)
                        + self.edge(rear, behind + 1)
                        - self.edge(from - 1, from)
                        - self.edge(to, to + 1)
                        - self.edge(behind, behind + 1)
                        + turned
                })
            }
            Change::Swap { from, middle, to } => {
                let moves = 1 <= from && from < middle && middle < to && to <= self.end();
                moves.then(|| {
                    self.edge(from - 1, middle)
                        + self.edge(to - 1, from)
                        + self.edge(middle - 1, to)
                        - self.edge(from - 1, from)
                        - self.edge(middle - 1, middle)
                        - self.edge(to - 1, to)
                })
            }
        }
    }

    /// Makes a change for which [`Path::added`] has a number.
    pub(super) fn apply(&mut self, change: Change) {
        let lowest = match change {
            Change::Reverse { from, to } => {
                if let Some(run) = self.order.get_mut(from..=to) {
                    run.reverse();
                }
                from
            }
            Change::Shift {
                from,
                to,
                behind,
                flip,
            } => self.shift(from, to, behind, flip),
            Change::Swap { from, middle, to } => {
                if let Some(run) = self.order.get_mut(from..to) {
                    run.rotate_left(middle - from);
                }
                from
            }
        };
        self.refresh(lowest);
    }

    /// Moves a run of nodes; returns the lowest place that changed.
    fn shift(&mut self, from: usize, to: usize, behind: usize, flip: bool) -> usize {
        let length = to + 1 - from;
        let (lowest, first) = if behind > to {
            if let Some(run) = self.order.get_mut(from..=behind) {
                run.rotate_left(length);
            }
            (from, behind + 1 - length)
        } else {
            if let Some(run) = self.order.get_mut(behind + 1..=to) {
                run.rotate_right(length);
            }
            (behind + 1, behind + 1)
        };
        if flip && let Some(run) = self.order.get_mut(first..first + length) {
            run.reverse();
        }
        lowest
    }

    /// Metres from the node at one place to the node at another.
    pub(super) fn edge(&self, from: usize, to: usize) -> i64 {
        self.costs.get(self.node(from), self.node(to))
    }

    /// Metres that are added inside of a run when it is walked backwards.
    fn turned(&self, from: usize, to: usize) -> i64 {
        let sum = |sums: &[i64], place: usize| sums.get(place).copied().unwrap_or_default();
        let back = sum(&self.back, to) - sum(&self.back, from);
        let ahead = sum(&self.ahead, to) - sum(&self.ahead, from);
        back - ahead
    }

    /// Places and sums anew from a place on.
    fn refresh(&mut self, from: usize) {
        let from = from.saturating_sub(1);
        let sum = |sums: &[i64]| sums.get(from).copied().unwrap_or_default();
        let (mut ahead, mut back) = match from {
            0 => (0, 0),
            _ => (sum(&self.ahead), sum(&self.back)),
        };
        let mut before: Option<usize> = None;
        for (place, node) in self.order.iter().copied().enumerate().skip(from) {
            if let Some(before) = before {
                ahead += self.costs.get(before, node);
                back += self.costs.get(node, before);
            }
            before = Some(node);
            for (list, value) in [(&mut self.ahead, ahead), (&mut self.back, back)] {
                if let Some(slot) = list.get_mut(place) {
                    *slot = value;
                }
            }
            if let Some(slot) = self.places.get_mut(node) {
                *slot = place;
            }
        }
    }
}
