//! Where things stand: no text is over another, nothing leaves the page.

use prints::pdf::font::width;
use prints::pdf::sheet::{A4_HEIGHT, A4_WIDTH, Item, Sheets};

/// Left, top, right and bottom of a text, and what it says.
fn texts(page: &[Item]) -> Vec<([f32; 4], String)> {
    page.iter()
        .filter_map(|item| match item {
            Item::Text {
                x,
                y,
                size,
                font,
                text,
                ..
            } => {
                let says = text.iter().map(|b| char::from(*b)).collect();
                let right = x + width(text, *font, *size);
                Some(([*x, y - size * 0.66, right, y + size * 0.1], says))
            }
            _ => None,
        })
        .collect()
}

/// No text is over another or leaves the page.
pub fn assert_texts_apart(name: &str, sheets: &Sheets) {
    for page in &sheets.pages {
        let texts = texts(page);
        for (at, (a, says)) in texts.iter().enumerate() {
            assert!(a[0] >= 8.0 && a[2] <= A4_WIDTH - 8.0, "{name}: {says}");
            assert!(a[1] >= 8.0 && a[3] <= A4_HEIGHT - 8.0, "{name}: {says}");
            for (b, other) in &texts[at + 1..] {
                let apart = a[2] <= b[0] + 0.2
                    || b[2] <= a[0] + 0.2
                    || a[3] <= b[1] + 0.2
                    || b[3] <= a[1] + 0.2;
                assert!(apart, "{name}: {says} over {other} {a:?} {b:?}");
            }
        }
    }
}

/// Frames have a size and stay on the page.
pub fn assert_frames_inside(name: &str, sheets: &Sheets) {
    for item in sheets.pages.iter().flatten() {
        if let Item::Frame {
            x,
            y,
            width,
            height,
            ..
        } = item
        {
            assert!(*x >= 0.0 && x + width <= A4_WIDTH, "{name}");
            assert!(*y >= 0.0 && y + height <= A4_HEIGHT, "{name}: {y} {height}");
            assert!(*height > 0.0 && *width > 0.0, "{name}");
        }
    }
}
