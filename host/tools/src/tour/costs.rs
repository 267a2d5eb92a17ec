//! Distances of a way between two fixed ends.
//!
//! All three endings become one: a way from node 0 over all others to a fixed last
//! node. Of a closed way this is a second node at the place of the first, of an open
//! one a node that everything reaches for nothing.

use super::Ending;

/// Nearest nodes that are tried as a node's new neighbours, in each direction.
const NEAR: usize = 8;

/// Distances between nodes, and which are near.
pub(super) struct Costs {
    size: usize,
    metres: Vec<u32>,
    last: usize,
    /// For each node those that are reached from it with the shortest way.
    behind: Vec<Vec<usize>>,
    /// For each node those from which it is reached with the shortest way.
    before: Vec<Vec<usize>>,
}

impl Costs {
    pub(super) fn new(places: usize, metres: &[u32], ending: Ending) -> Costs {
        let (size, last) = match ending {
            Ending::At(end) => (places, end),
            Ending::Closed | Ending::Open => (places + 1, places),
        };
        let mut all = Vec::with_capacity(size * size);
        for (node, row) in metres.chunks(places.max(1)).enumerate() {
            all.extend_from_slice(row);
            match ending {
                Ending::Closed if node > 0 => all.extend(row.first()),
                Ending::Closed | Ending::Open => all.push(0),
                Ending::At(_) => {}
            }
        }
        all.resize(size * size, 0);
        let mut costs = Costs {
            size,
            metres: all,
            last,
            behind: Vec::new(),
            before: Vec::new(),
        };
        let nodes = || 0..size;
        costs.behind = nodes()
            .map(|node| costs.nearest(node, 0, |other| costs.get(node, other)))
            .collect();
        costs.before = nodes()
            .map(|node| costs.nearest(node, last, |other| costs.get(other, node)))
            .collect();
        costs
    }

    /// The nodes nearest to one, by a measure; one end of the way is never a
    /// neighbour on this side.
    fn nearest(&self, node: usize, end: usize, measure: impl Fn(usize) -> i64) -> Vec<usize> {
        let mut others: Vec<usize> = (0..self.size)
            .filter(|other| *other != node && *other != end)
            .collect();
        others.sort_by_key(|other| measure(*other));
        others.truncate(NEAR);
        others
    }

    /// How many nodes there are, both ends included.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The node at which the way ends.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Metres from one node to another.
    pub(super) fn get(&self, from: usize, to: usize) -> i64 {
        let metres = self.metres.get(from * self.size + to);
        metres.map_or(0, |metres| i64::from(*metres))
    }

    /// Nodes that are near behind a node.
    pub(super) fn behind(&self, node: usize) -> &[usize] {
        self.behind.get(node).map_or(&[], Vec::as_slice)
    }

    /// Nodes that are near before a node.
    pub(super) fn before(&self, node: usize) -> &[usize] {
        self.before.get(node).map_or(&[], Vec::as_slice)
    }

    /// The nodes in the order of their numbers, the ends at the ends.
    pub(super) fn as_sent(&self) -> Vec<usize> {
        let between = (0..self.size).filter(|node| *node != self.last);
        between.chain([self.last]).collect()
    }

    /// From the first node to `second`, then always to the nearest node that is
    /// left.
    pub(super) fn greedy(&self, second: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (1..self.size)
            .filter(|node| *node != self.last && *node != second)
            .collect();
        let mut order = vec![0, second];
        let mut at = second;
        while let Some(place) = (0..left.len())
            .min_by_key(|place| left.get(*place).map_or(0, |node| self.get(at, *node)))
        {
            at = left.remove(place);
            order.push(at);
        }
        order.push(self.last);
        order
    }
}
