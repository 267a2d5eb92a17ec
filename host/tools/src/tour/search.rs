//! Shorter ways, step by step.

use super::costs::Costs;
use super::path::{Change, Path};

/// Ways of the nearest neighbour that are begun with.
const STARTS: usize = 8;
/// Longest run of nodes that is moved at once.
const RUN: usize = 3;
/// Rounds of cutting the best way and repairing it, for each place.
const ROUNDS: usize = 5;
/// Longest of the two runs that a round exchanges.
const CUT: usize = 30;
/// Most changes in all, for each place: the bound for matrices made to be hard. The
/// instances of the tests need below a third of them.
const CHANGES: usize = 200;

/// The best way that was found; never longer than the one given.
pub(super) fn shorten<'a>(costs: &'a Costs, sent: Path<'a>) -> Path<'a> {
    let mut best = sent;
    let mut changes = CHANGES * costs.size();
    improve_all(costs, &mut best, &mut changes);
    let seconds = costs.behind(0).iter().filter(|node| **node != costs.last());
    for second in seconds.take(STARTS) {
        let mut path = Path::new(costs, costs.greedy(*second));
        improve_all(costs, &mut path, &mut changes);
        if path.length() < best.length() {
            best = path;
        }
    }
    cut_and_repair(costs, &mut best, &mut changes);
    best
}

/// Exchanges two neighbouring runs of the way (a double bridge, which no reversal
/// undoes), repairs what is around, and keeps what is not longer.
fn cut_and_repair(costs: &Costs, path: &mut Path, changes: &mut usize) {
    let between = path.end().saturating_sub(1);
    if between < 2 {
        return;
    }
    let mut kept = path.order().to_vec();
    let mut length = path.length();
    let mut numbers = Numbers(1);
    for _ in 0..ROUNDS * costs.size() {
        let longest = CUT.min(between - 1);
        let first = 1 + numbers.below(longest);
        let second = 1 + numbers.below(longest.min(between - first));
        let from = 1 + numbers.below(between + 1 - first - second);
        let (middle, to) = (from + first, from + first + second);
        let cuts = [from - 1, from, middle - 1, middle, to - 1, to];
        let open = cuts.map(|place| path.node(place));
        path.apply(Change::Swap { from, middle, to });
        improve(costs, path, open.to_vec(), changes);
        if path.length() <= length {
            length = path.length();
            kept.clear();
            kept.extend_from_slice(path.order());
        } else {
            path.restore(&kept);
        }
    }
}

fn improve_all(costs: &Costs, path: &mut Path, changes: &mut usize) {
    let nodes = path.order().to_vec();
    improve(costs, path, nodes, changes);
}

/// Makes the best change around each open node, and opens the nodes whose
/// neighbours changed, until none is open or no changes are left.
fn improve(costs: &Costs, path: &mut Path, mut open: Vec<usize>, changes: &mut usize) {
    let mut is_open = vec![false; costs.size()];
    for node in &open {
        mark(&mut is_open, *node, true);
    }
    while let Some(node) = open.pop() {
        mark(&mut is_open, node, false);
        while *changes > 0
            && let Some(change) = best_change(costs, path, node)
        {
            *changes -= 1;
            for place in touched(change) {
                let node = path.node(place);
                if mark(&mut is_open, node, true) {
                    open.push(node);
                }
            }
            path.apply(change);
        }
    }
}

/// Sets a mark; whether it was another before.
fn mark(marks: &mut [bool], node: usize, value: bool) -> bool {
    let slot = marks.get_mut(node);
    slot.is_some_and(|slot| std::mem::replace(slot, value) != value)
}

/// Places whose nodes get another neighbour.
fn touched(change: Change) -> [usize; 6] {
    match change {
        Change::Reverse { from, to } => [from - 1, from, to, to + 1, from, to],
        Change::Shift {
            from, to, behind, ..
        } => [from - 1, from, to, to + 1, behind, behind + 1],
        Change::Swap { from, middle, to } => [from - 1, from, middle - 1, middle, to - 1, to],
    }
}

/// The change that shortens the way most, of those that give a node one of the
/// nodes near it as a neighbour. An edge that is not shorter than both edges of the
/// node is not tried here: where such a change pays, another of its edges is.
fn best_change(costs: &Costs, path: &Path, node: usize) -> Option<Change> {
    let at = path.place(node);
    let before = at.checked_sub(1);
    let edges = [before.map(|before| (before, at)), Some((at, at + 1))];
    let edges = edges.into_iter().flatten();
    let longest = edges.map(|(from, to)| path.edge(from, to)).max();
    let longest = longest.unwrap_or_default();
    let mut best: Option<(i64, Change)> = None;
    let mut weigh = |change: Change| {
        if let Some(added) = path.added(change)
            && added < best.map_or(0, |(least, _)| least)
        {
            best = Some((added, change));
        }
    };
    let behind = costs.behind(node).iter();
    for near in behind.take_while(|near| costs.get(node, **near) < longest) {
        let near = path.place(*near);
        // node -> near: near turned to the place behind node, or node to the place
        // before near.
        weigh(Change::Reverse {
            from: at + 1,
            to: near,
        });
        if let Some(to) = near.checked_sub(1) {
            weigh(Change::Reverse { from: at, to });
            shifts(at, to, false, &mut weigh);
        }
    }
    let ahead = costs.before(node).iter();
    for near in ahead.take_while(|near| costs.get(**near, node) < longest) {
        let near = path.place(*near);
        weigh(Change::Reverse {
            from: near + 1,
            to: at,
        });
        if let Some(to) = before {
            weigh(Change::Reverse { from: near, to });
        }
        shifts(at, near, true, &mut weigh);
    }
    best.map(|(_, change)| change)
}

/// Every move behind a place of a short run that begins or ends with a node; the
/// node is then the front of the run, or its rear.
fn shifts(at: usize, behind: usize, to_front: bool, weigh: &mut impl FnMut(Change)) {
    for more in 0..RUN {
        weigh(Change::Shift {
            from: at,
            to: at + more,
            behind,
            flip: !to_front,
        });
        if more > 0
            && let Some(from) = at.checked_sub(more)
        {
            weigh(Change::Shift {
                from,
                to: at,
                behind,
                flip: to_front,
            });
        }
    }
}

/// Numbers that are spread evenly and always the same: the steps of a linear
/// congruential generator (Knuth's MMIX). Which rounds are tried must not depend on
/// chance.
struct Numbers(u64);

impl Numbers {
    /// A number from 0 to one below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}
