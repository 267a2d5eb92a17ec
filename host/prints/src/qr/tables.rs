//! Sizes that depend on the version, for error correction level M
//! (ISO/IEC 18004, tables 1, 7 and 9).

/// Largest version written here.
pub(super) const MAX_VERSION: usize = 20;
/// Content of the largest version, in bytes.
pub const MAX_BYTES: usize = 666;

/// Error correction codewords of each block, by version.
const CORRECTION: [usize; MAX_VERSION] = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
];
/// Blocks the codewords are split into, by version.
const BLOCKS: [usize; MAX_VERSION] = [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
];

/// Modules a side.
pub(super) fn size(version: usize) -> usize {
    version * 4 + 17
}

pub(super) fn correction_codewords(version: usize) -> usize {
    of_version(&CORRECTION, version)
}

pub(super) fn blocks(version: usize) -> usize {
    of_version(&BLOCKS, version)
}

/// Data and error correction together: the modules no function pattern takes.
pub(super) fn all_codewords(version: usize) -> usize {
    let mut modules = (16 * version + 128) * version + 64;
    if version >= 2 {
        let alignments = version / 7 + 2;
        modules -= (25 * alignments - 10) * alignments - 55;
        if version >= 7 {
            modules -= 36;
        }
    }
    modules / 8
}

pub(super) fn data_codewords(version: usize) -> usize {
    all_codewords(version) - correction_codewords(version) * blocks(version)
}

/// The smallest version that holds so many bytes.
pub(super) fn version_for(bytes: usize) -> Option<usize> {
    (1..=MAX_VERSION).find(|version| {
        let count_bits = if *version <= 9 { 8 } else { 16 };
        4 + count_bits + bytes.saturating_mul(8) <= data_codewords(*version) * 8
    })
}

/// Rows and columns in which alignment patterns have their centre.
pub(super) fn alignment_centres(version: usize) -> Vec<usize> {
    if version < 2 {
        return Vec::new();
    }
    let count = version / 7 + 2;
    let last = size(version) - 7;
    // Even steps, counted from the far end; the first gap takes what is left.
    let step = (last - 6).div_ceil(count * 2 - 2) * 2;
    let mut centres: Vec<usize> = (0..count - 1).map(|i| last - i * step).collect();
    centres.push(6);
    centres.reverse();
    centres
}

fn of_version(table: &[usize; MAX_VERSION], version: usize) -> usize {
    table.get(version.wrapping_sub(1)).copied().unwrap_or(0)
}
