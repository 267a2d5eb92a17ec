//! Function patterns, placement of the codewords and choice of the mask
//! (ISO/IEC 18004, §6.3, §7.7 to §7.10).

use super::tables;

/// Bits of error correction level M in the format information.
const LEVEL_M: u32 = 0b00;

/// Modules a side and the modules, row by row.
pub(super) fn draw(version: usize, codewords: &[u8]) -> (usize, Vec<bool>) {
    let mut grid = Grid::new(tables::size(version));
    grid.function_patterns(version);
    grid.codewords(codewords);
    let best = (0..8)
        .map(|mask| grid.masked(mask))
        .min_by_key(Grid::penalty)
        .unwrap_or(grid);
    (best.size, best.dark)
}

#[derive(Clone)]
struct Grid {
    size: usize,
    dark: Vec<bool>,
    /// Modules of function patterns: no data, no mask.
    fixed: Vec<bool>,
}

impl Grid {
    fn new(size: usize) -> Grid {
        Grid {
            size,
            dark: vec![false; size * size],
            fixed: vec![false; size * size],
        }
    }

    fn get(&self, column: usize, row: usize) -> bool {
        self.dark
            .get(row * self.size + column)
            .copied()
            .unwrap_or(false)
    }

    fn is_fixed(&self, column: usize, row: usize) -> bool {
        self.fixed
            .get(row * self.size + column)
            .copied()
            .unwrap_or(true)
    }

    fn set(&mut self, column: usize, row: usize, dark: bool) {
        if let Some(module) = self.dark.get_mut(row * self.size + column) {
            *module = dark;
        }
    }

    fn fix(&mut self, column: usize, row: usize, dark: bool) {
        if column >= self.size || row >= self.size {
            return;
        }
        self.set(column, row, dark);
        if let Some(module) = self.fixed.get_mut(row * self.size + column) {
            *module = true;
        }
    }

    fn function_patterns(&mut self, version: usize) {
        let last = self.size - 7;
        for position in 0..self.size {
            self.fix(6, position, position % 2 == 0);
            self.fix(position, 6, position % 2 == 0);
        }
        for (column, row) in [(0, 0), (last, 0), (0, last)] {
            self.finder(column, row);
        }
        let centres = tables::alignment_centres(version);
        for column in &centres {
            for row in &centres {
                let on_finder = matches!(
                    (*column == 6, *row == 6, *column == last, *row == last),
                    (true, true, _, _) | (true, _, _, true) | (_, true, true, _)
                );
                if !on_finder {
                    self.alignment(*column, *row);
                }
            }
        }
        // Reserved now, written with the mask.
        self.format(0);
        self.version(version);
    }

    /// Seven by seven, with the light border that separates it.
    fn finder(&mut self, column: usize, row: usize) {
        for y in 0..9usize {
            for x in 0..9usize {
                let (Some(at_x), Some(at_y)) =
                    ((column + x).checked_sub(1), (row + y).checked_sub(1))
                else {
                    continue;
                };
                let ring = x.abs_diff(4).max(y.abs_diff(4));
                self.fix(at_x, at_y, ring != 2 && ring != 4);
            }
        }
    }

    fn alignment(&mut self, column: usize, row: usize) {
        for y in 0..5usize {
            for x in 0..5usize {
                let ring = x.abs_diff(2).max(y.abs_diff(2));
                self.fix(column + x - 2, row + y - 2, ring != 1);
            }
        }
    }

    /// Level and mask with their BCH(15,5) check, in both copies.
    fn format(&mut self, mask: u32) {
        let data = LEVEL_M << 3 | mask;
        let check = bch(data, 10, 0x537);
        let bits = (data << 10 | check) ^ 0x5412;
        let bit = |index: usize| bits >> index & 1 == 1;
        let size = self.size;
        for index in 0..15 {
            // Around the first finder, skipping the timing patterns.
            match index {
                0..=5 => self.fix(8, index, bit(index)),
                6 => self.fix(8, 7, bit(index)),
                7 => self.fix(8, 8, bit(index)),
                8 => self.fix(7, 8, bit(index)),
                _ => self.fix(14 - index, 8, bit(index)),
            }
            // Split between the other two.
            if index < 8 {
                self.fix(size - 1 - index, 8, bit(index));
            } else {
                self.fix(8, size - 15 + index, bit(index));
            }
        }
        self.fix(8, size - 8, true);
    }

    /// Version with its BCH(18,6) check, from version 7 on.
    fn version(&mut self, version: usize) {
        if version < 7 {
            return;
        }
        let data = version as u32;
        let bits = data << 12 | bch(data, 12, 0x1F25);
        for index in 0..18 {
            let dark = bits >> index & 1 == 1;
            let (near, far) = (index / 3, self.size - 11 + index % 3);
            self.fix(far, near, dark);
            self.fix(near, far, dark);
        }
    }

    /// Two columns at a time from the right, up and down in turn.
    fn codewords(&mut self, codewords: &[u8]) {
        let mut bits = codewords
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |shift| byte >> shift & 1 == 1));
        let mut right = self.size - 1;
        let mut upward = true;
        loop {
            for step in 0..self.size {
                let row = if upward { self.size - 1 - step } else { step };
                for column in [right, right - 1] {
                    if !self.is_fixed(column, row) {
                        // Modules beyond the last codeword stay light.
                        let dark = bits.next().unwrap_or(false);
                        self.set(column, row, dark);
                    }
                }
            }
            upward = !upward;
            right = match right {
                0..=2 => return,
                // The vertical timing pattern has its column for itself.
                8 => 5,
                _ => right - 2,
            };
        }
    }

    fn masked(&self, mask: u32) -> Grid {
        let mut out = self.clone();
        for row in 0..self.size {
            for column in 0..self.size {
                if !self.is_fixed(column, row) && inverts(mask, column, row) {
                    out.set(column, row, !self.get(column, row));
                }
            }
        }
        out.format(mask);
        out
    }

    /// How hard the code would be to read (§7.8.3).
    fn penalty(&self) -> usize {
        let mut total = 0;
        for line in 0..self.size {
            total += self.line_penalty(|at| self.get(at, line));
            total += self.line_penalty(|at| self.get(line, at));
        }
        for row in 1..self.size {
            for column in 1..self.size {
                let dark = self.get(column, row);
                if dark == self.get(column - 1, row)
                    && dark == self.get(column, row - 1)
                    && dark == self.get(column - 1, row - 1)
                {
                    total += 3;
                }
            }
        }
        let dark = self.dark.iter().filter(|dark| **dark).count();
        let percent = dark * 100 / self.dark.len().max(1);
        total + percent.abs_diff(50) / 5 * 10
    }

    /// Runs of one colour and patterns that look like a finder, in one line.
    fn line_penalty(&self, dark: impl Fn(usize) -> bool) -> usize {
        const FINDER_THEN_LIGHT: u16 = 0b101_1101_0000;
        const LIGHT_THEN_FINDER: u16 = 0b000_0101_1101;
        let (mut total, mut run, mut window) = (0, 0, 0u16);
        for at in 0..self.size {
            let here = dark(at);
            run = if at > 0 && here == dark(at - 1) {
                run + 1
            } else {
                1
            };
            total += match run {
                5 => 3,
                6.. => 1,
                _ => 0,
            };
            window = (window << 1 | u16::from(here)) & 0x7FF;
            if at >= 10 && (window == FINDER_THEN_LIGHT || window == LIGHT_THEN_FINDER) {
                total += 40;
            }
        }
        total
    }
}

/// Does this mask turn the module over (§7.8.2)?
fn inverts(mask: u32, column: usize, row: usize) -> bool {
    let (x, y) = (column, row);
    let rest = match mask {
        0 => (x + y) % 2,
        1 => y % 2,
        2 => x % 3,
        3 => (x + y) % 3,
        4 => (x / 3 + y / 2) % 2,
        5 => x * y % 2 + x * y % 3,
        6 => (x * y % 2 + x * y % 3) % 2,
        _ => ((x + y) % 2 + x * y % 3) % 2,
    };
    rest == 0
}

/// Remainder of the data, shifted by `bits`, divided by the polynomial.
fn bch(data: u32, bits: u32, polynomial: u32) -> u32 {
    (0..bits).fold(data, |rest, _| {
        (rest << 1) ^ ((rest >> (bits - 1)) * polynomial)
    })
}
