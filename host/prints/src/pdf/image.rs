//! The issuer's logo: JPEG goes into the PDF as it is, PNG is taken apart.
//!
//! What comes in is a customer's file: sizes are bounded before anything is
//! unpacked.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::deflate::compress;

/// How a PNG begins.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Largest file.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Longest side, and most pixels: 4 million are 16 MB unpacked.
const MAX_SIDE: u32 = 4096;
const MAX_PIXELS: u32 = 4_000_000;

/// Most pixels of a PNG that is taken as a logo from now on. The box of a logo on a DANFE is
/// some 450 by 300 pixels in print (300 dpi), and each print unpacks and packs all of them.
const MAX_LOGO_PIXELS: u32 = 1_000_000;

/// A picture ready for a PDF.
#[derive(Debug, PartialEq)]
pub struct Image {
    /// Pixels.
    pub width: i32,
    /// Pixels.
    pub height: i32,
    /// 1 grey, 3 RGB, 4 CMYK.
    pub components: u8,
    /// A JPEG of four components written by Adobe counts from white.
    pub inverted: bool,
    /// `data` is a whole JPEG; else deflated samples of 8 bits.
    pub jpeg: bool,
    /// A file or samples, as `jpeg` says.
    pub data: Vec<u8>,
    /// Deflated opacity, 8 bits a pixel; none if all of it is opaque.
    pub mask: Option<Vec<u8>>,
}

/// A JPEG or PNG; none if it is neither, broken, too large, or of a kind that
/// is not read (interlaced PNG, 12-bit JPEG).
pub fn read(file: &[u8]) -> Option<Image> {
    if file.len() > MAX_BYTES {
        return None;
    }
    if file.starts_with(&[0xFF, 0xD8]) {
        jpeg(file)
    } else {
        png(file.strip_prefix(PNG)?)
    }
}

/// Whether a file is a PNG with more pixels than a logo may have; nothing is unpacked. A JPEG
/// may have more: it goes into the PDF as it is.
pub fn is_large_png(file: &[u8]) -> bool {
    let chunks = file.strip_prefix(PNG).and_then(chunks);
    chunks.is_some_and(|chunks| chunks.width.saturating_mul(chunks.height) > MAX_LOGO_PIXELS)
}

fn fits(width: u32, height: u32) -> bool {
    (1..=MAX_SIDE).contains(&width)
        && (1..=MAX_SIDE).contains(&height)
        && width * height <= MAX_PIXELS
}

/// Walks the segments up to the frame header (ITU-T T.81, annex B).
fn jpeg(file: &[u8]) -> Option<Image> {
    let mut at = 2;
    let mut adobe = false;
    loop {
        let [0xFF, kind] = *file.get(at..at + 2)? else {
            return None;
        };
        if kind == 0xFF {
            at += 1;
            continue;
        }
        let size = usize::from(u16_at(file, at + 2)?);
        let body = file.get(at + 4..(at + 2).checked_add(size)?)?;
        match kind {
            0xEE => adobe |= body.starts_with(b"Adobe"),
            // Baseline, extended and progressive frames.
            0xC0..=0xC2 => {
                let [8, a1, a2, l1, l2, components, ..] = *body else {
                    return None;
                };
                let height = u16::from_be_bytes([a1, a2]);
                let width = u16::from_be_bytes([l1, l2]);
                if !fits(width.into(), height.into()) || !matches!(components, 1 | 3 | 4) {
                    return None;
                }
                return Some(Image {
                    width: width.into(),
                    height: height.into(),
                    components,
                    inverted: components == 4 && adobe,
                    jpeg: true,
                    data: file.to_vec(),
                    mask: None,
                });
            }
            // Other frames, the scan, the end: no frame header we read.
            0xC3 | 0xC5..=0xC7 | 0xC9..=0xCF | 0xD8..=0xDA => return None,
            _ => {}
        }
        at += 2 + size;
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(two.try_into().ok()?))
}

/// Unpacks a PNG and splits colour from opacity.
fn png(rest: &[u8]) -> Option<Image> {
    let chunks = chunks(rest)?;
    let grid = grid(&chunks)?;
    let (colours, opacity) = colour_and_opacity(&chunks, &grid, unpacked(&chunks, &grid)?)?;
    let opaque = opacity.iter().all(|one| *one == 255);
    Some(Image {
        width: i32::try_from(grid.width).ok()?,
        height: i32::try_from(grid.height).ok()?,
        components: chunks.components(),
        inverted: false,
        jpeg: false,
        data: compress(&colours)?,
        mask: if opaque {
            None
        } else {
            Some(compress(&opacity)?)
        },
    })
}

/// What the chunks of a PNG say.
struct Chunks<'a> {
    /// Pixels.
    width: u32,
    height: u32,
    /// Of a sample.
    bits: u8,
    /// 0 grey, 2 RGB, 3 palette, 4 grey and opacity, 6 RGB and opacity.
    colour: u8,
    palette: &'a [u8],
    transparency: &'a [u8],
    compressed: Vec<u8>,
}

impl Chunks<'_> {
    /// Samples of a pixel's colour, opacity left out.
    fn components(&self) -> u8 {
        if self.colour == 0 || self.colour == 4 {
            1
        } else {
            3
        }
    }
}

/// Walks the chunks (PNG, 3rd edition, §11). Check sums are not looked at.
fn chunks(mut rest: &[u8]) -> Option<Chunks<'_>> {
    let mut header: Option<(u32, u32, u8, u8)> = None;
    let (mut palette, mut transparency): (&[u8], &[u8]) = (&[], &[]);
    let mut compressed = Vec::new();
    while let Some((size, after)) = rest.split_first_chunk::<4>() {
        let size = u32::from_be_bytes(*size) as usize;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let body = after.get(..size)?;
        match kind {
            b"IHDR" => {
                let [l1, l2, l3, l4, a1, a2, a3, a4, bits, colour, 0, 0, 0] = *body else {
                    return None;
                };
                let width = u32::from_be_bytes([l1, l2, l3, l4]);
                let height = u32::from_be_bytes([a1, a2, a3, a4]);
                header = Some((width, height, bits, colour));
            }
            b"PLTE" => palette = body,
            b"tRNS" => transparency = body,
            b"IDAT" => compressed.extend_from_slice(body),
            b"IEND" => break,
            _ => {}
        }
        rest = after.get(size + 4..)?;
    }
    let (width, height, bits, colour) = header?;
    Some(Chunks {
        width,
        height,
        bits,
        colour,
        palette,
        transparency,
        compressed,
    })
}

/// How the pixels of a PNG lie in its unpacked bytes.
struct Grid {
    /// Pixels.
    width: usize,
    height: usize,
    /// Samples of a pixel.
    channels: usize,
    /// Bytes of a pixel, at least one.
    step: usize,
    /// Bytes of a row, without the one that names its filter.
    line: usize,
}

/// None for kinds of colour that PNG does not have, and for pictures too large.
fn grid(chunks: &Chunks<'_>) -> Option<Grid> {
    let channels = match (chunks.colour, chunks.bits) {
        (0 | 3, 1 | 2 | 4 | 8) | (0, 16) => 1,
        (2, 8 | 16) => 3,
        (4, 8 | 16) => 2,
        (6, 8 | 16) => 4,
        _ => return None,
    };
    if !fits(chunks.width, chunks.height) {
        return None;
    }
    let (width, height) = (chunks.width as usize, chunks.height as usize);
    let bits = usize::from(chunks.bits);
    Some(Grid {
        width,
        height,
        channels,
        step: (channels * bits).div_ceil(8),
        line: (width * channels * bits).div_ceil(8),
    })
}

/// The rows, each with its filter; none if they are not as many bytes as that.
fn unpacked(chunks: &Chunks<'_>, grid: &Grid) -> Option<Vec<u8>> {
    let expected = (grid.line + 1) * grid.height;
    let mut raw = Vec::with_capacity(expected);
    ZlibDecoder::new(&*chunks.compressed)
        .take(expected as u64)
        .read_to_end(&mut raw)
        .ok()?;
    (raw.len() == expected).then_some(raw)
}

/// Undoes the filters of the rows and takes the pixels apart, into samples of
/// eight bits.
fn colour_and_opacity(
    chunks: &Chunks<'_>,
    grid: &Grid,
    mut raw: Vec<u8>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let (bits, colour) = (chunks.bits, chunks.colour);
    let pixels = grid.width * grid.height;
    let mut colours = Vec::with_capacity(pixels * usize::from(chunks.components()));
    let mut opacity = Vec::with_capacity(pixels);
    let mut previous = vec![0; grid.line];
    for strip in raw.chunks_exact_mut(grid.line + 1) {
        let (filter, data) = strip.split_first_mut()?;
        unfilter(*filter, data, &previous, grid.step)?;
        let sample = |index: usize| sample(data, index, bits);
        for x in 0..grid.width {
            let base = x * grid.channels;
            match colour {
                0 | 4 => {
                    let grey = sample(base);
                    colours.push(if colour == 0 { scale(grey, bits) } else { grey });
                    opacity.push(if colour == 4 { sample(base + 1) } else { 255 });
                }
                3 => {
                    let index = usize::from(sample(base));
                    colours.extend_from_slice(chunks.palette.get(index * 3..index * 3 + 3)?);
                    opacity.push(chunks.transparency.get(index).copied().unwrap_or(255));
                }
                _ => {
                    colours.extend([sample(base), sample(base + 1), sample(base + 2)]);
                    opacity.push(if colour == 6 { sample(base + 3) } else { 255 });
                }
            }
        }
        previous.copy_from_slice(data);
    }
    Some((colours, opacity))
}

/// A sample as it stands; of 16 bits the upper eight.
fn sample(data: &[u8], index: usize, bits: u8) -> u8 {
    let byte = |at: usize| data.get(at).copied().unwrap_or(0);
    match bits {
        16 => byte(index * 2),
        8 => byte(index),
        _ => {
            let bits = usize::from(bits);
            let at = index * bits;
            let shifts = 8 - bits - at % 8;
            byte(at / 8) >> shifts & ((1 << bits) - 1)
        }
    }
}

/// Grey of fewer than eight bits spread over the whole range.
fn scale(grey: u8, bits: u8) -> u8 {
    match bits {
        1 => grey * 255,
        2 => grey * 85,
        4 => grey * 17,
        _ => grey,
    }
}

/// PNG, §9.2.
pub(crate) fn unfilter(filter: u8, data: &mut [u8], above: &[u8], step: usize) -> Option<()> {
    for at in 0..data.len() {
        let side = |queue: &[u8]| {
            at.checked_sub(step)
                .and_then(|x| queue.get(x))
                .copied()
                .unwrap_or(0)
        };
        let left = side(data);
        let upper = above.get(at).copied().unwrap_or(0);
        let corner = side(above);
        let expected = match filter {
            0 => return Some(()),
            1 => left,
            2 => upper,
            3 => ((u16::from(left) + u16::from(upper)) / 2) as u8,
            4 => {
                let sum = i16::from(left) + i16::from(upper) - i16::from(corner);
                let distance = |value: u8| (sum - i16::from(value)).abs();
                if distance(left) <= distance(upper) && distance(left) <= distance(corner) {
                    left
                } else if distance(upper) <= distance(corner) {
                    upper
                } else {
                    corner
                }
            }
            _ => return None,
        };
        let byte = data.get_mut(at)?;
        *byte = byte.wrapping_add(expected);
    }
    Some(())
}
