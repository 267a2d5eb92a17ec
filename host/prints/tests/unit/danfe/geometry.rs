//! Where things stand: nothing overlaps, nothing leaves the page, bar codes have
//! their measures.

use super::generator::{Generator, letters, notas, receipts};
use markup::xml::Document;
use prints::danfe::nota::Nota;
use prints::danfe::{Layout, Orientation, PrintOptions, a4};
use prints::pdf::font::width;
use prints::pdf::sheet::{Item, Sheets};

/// Every printout as things to draw, by name.
fn sheets() -> Vec<(String, Sheets)> {
    let mut out = Vec::new();
    for (name, nota) in notas() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(name);
        let nota = Nota::read(&doc).expect(name);
        for orientation in [Orientation::Portrait, Orientation::Landscape] {
            for layout in [Layout::Moc7, Layout::Nt2026010] {
                let options = PrintOptions {
                    orientation: Some(orientation),
                    layout,
                    ..PrintOptions::default()
                };
                let sheets = a4::assemble(&nota, &options, None).expect(name);
                out.push((format!("{name} {orientation:?} {layout:?}"), sheets));
            }
        }
    }
    for (name, nota, options) in receipts() {
        let xml = nota.xml();
        let doc = Document::parse(&xml).expect(name);
        let nota = Nota::read(&doc).expect(name);
        let sheets = prints::danfe::nfce::assemble(&nota, &options, None).expect(name);
        out.push((name.to_owned(), sheets));
    }
    let nota = Generator::default();
    let of_nota = nota.xml();
    let of_nota = Document::parse(&of_nota).expect("note");
    let of_nota = Nota::read(&of_nota).expect("note");
    for count in [1, 20] {
        let xml = letters(&nota, count);
        let doc = Document::parse(&xml).expect("letters");
        for who in [None, Some(&of_nota)] {
            let sheets = prints::danfe::cce::assemble(&doc, who, &PrintOptions::default(), None);
            out.push((format!("cce {count}"), sheets.expect("letters")));
        }
    }
    out
}

/// Left, top, right and bottom of something printed, and what it is.
type Frame = ([f32; 4], String);

fn frames(page: &[Item]) -> Vec<Frame> {
    let say = |text: &[u8]| text.iter().map(|b| char::from(*b)).collect::<String>();
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
                // From the top of the capitals to the foot of a comma.
                let right = x + width(text, *font, *size);
                Some(([*x, y - size * 0.66, right, y + size * 0.1], say(text)))
            }
            Item::UprightText {
                x,
                y,
                size,
                font,
                text,
            } => {
                let upper = y - width(text, *font, *size);
                Some(([x - size * 0.66, upper, x + size * 0.1, *y], say(text)))
            }
            Item::Qr { x, y, side } => Some(([*x, *y, x + side, y + side], "QR".to_owned())),
            Item::Bars {
                x,
                y,
                height,
                module,
                widths,
            } => {
                let total: f32 = widths.iter().map(|l| f32::from(*l) * module).sum();
                Some(([*x, *y, x + total, y + height], "bar code".to_owned()))
            }
            _ => None,
        })
        .collect()
}

/// Ends of each line and each side of a box.
fn strokes(page: &[Item]) -> Vec<[f32; 4]> {
    page.iter()
        .flat_map(|item| match item {
            Item::Line {
                x, y, to_x, to_y, ..
            } => vec![[*x, *y, *to_x, *to_y]],
            Item::Frame {
                x,
                y,
                width,
                height,
                ..
            } => {
                let (right, bottom) = (x + width, y + height);
                vec![
                    [*x, *y, right, *y],
                    [*x, bottom, right, bottom],
                    [*x, *y, *x, bottom],
                    [right, *y, right, bottom],
                ]
            }
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn nothing_overlaps_nothing_is_crossed_and_nothing_leaves_the_page() {
    let mut seen = 0;
    for (name, sheets) in sheets() {
        let (width, height) = sheets.size;
        // Pages after the third look like the third; the last one is its own.
        let last = sheets.pages.len().saturating_sub(1);
        for (number, page) in sheets.pages.iter().enumerate() {
            if number > 3 && number < last {
                continue;
            }
            let mut frames = frames(page);
            let strokes = strokes(page);
            frames.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
            for (at, ([x, y, right, bottom], text)) in frames.iter().enumerate() {
                assert!(
                    *x > 4.0 && *y > 4.0 && *right < width - 4.0 && *bottom < height - 4.0,
                    "{name}, page {number}: {text} leaves the page"
                );
                // Sorted by their tops: whatever begins below the foot is apart.
                let near = frames.iter().skip(at + 1);
                for ([other_x, other_y, other_right, _], other) in
                    near.take_while(|(b, _)| b[1] < *bottom)
                {
                    let apart = right <= other_x || other_right <= x || bottom <= other_y;
                    assert!(apart, "{name}, page {number}: {text} lies on {other}");
                }
                for [from_x, from_y, to_x, to_y] in &strokes {
                    // A point of the line inside of the text, a hair from its edge.
                    let crossed = *from_x < *right - 0.2
                        && *to_x > *x + 0.2
                        && *from_y < *bottom - 0.2
                        && *to_y > *y + 0.2;
                    assert!(!crossed, "{name}, page {number}: a line through {text}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

/// Words of a page, as printed.
fn texts(page: &[Item]) -> Vec<String> {
    frames(page).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn the_first_page_has_no_hole_and_begins_the_items() {
    let mut seen = 0;
    for (name, sheets) in sheets() {
        let Some(page) = sheets.pages.first() else {
            continue;
        };
        let (width, height) = sheets.size;
        // Coupons and letters are other things.
        if height.max(width).round() != 842.0 || name.starts_with("cce") {
            continue;
        }
        let mut strips: Vec<(f32, f32)> = page
            .iter()
            .filter_map(|item| match item {
                // Not the stub of a lying page.
                Item::Frame { x, y, height, .. } if width < 800.0 || *x > 70.0 => {
                    Some((*y, y + height))
                }
                _ => None,
            })
            .collect();
        strips.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut bottom = strips.first().map_or(0.0, |strip| strip.1);
        for (top, to) in strips {
            // A title, or the line to cut along.
            assert!(top - bottom < 13.0, "{name}: a hole from {bottom} to {top}");
            bottom = bottom.max(to);
        }
        assert!(height - bottom < 20.0, "{name}: a hole below {bottom}");
        let texts = texts(page);
        let has = |part: &str| texts.iter().any(|text| text.starts_with(part));
        assert!(has("TRANSPORTADOR"), "{name}");
        // On a lying page both places and an invoice leave no room for them.
        if !(name.contains("Landscape")
            && name.contains("Nt2026010")
            && has("INFORMAÇÕES DO LOCAL"))
        {
            assert!(has("SKU00001"), "{name}: no item on the first page");
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn items_get_the_room_the_additional_data_leave() {
    let nota = Generator {
        items: 60,
        reforma: true,
        simples: true,
        tp_imp: 2,
        inf_cpl: String::new(),
        ..Generator::default()
    };
    let xml = nota.xml();
    let doc = Document::parse(&xml).expect("a note");
    let nota = Nota::read(&doc).expect("a note");
    let sheets = a4::assemble(&nota, &PrintOptions::default(), None).expect("pages");
    let first = texts(sheets.pages.first().expect("a page"));
    let items = first.iter().filter(|text| text.starts_with("SKU"));
    assert!(items.count() >= 3, "{first:?}");
}

#[test]
fn marks_stay_on_their_page() {
    for sheet in [
        (595.0, 842.0),
        (842.0, 595.0),
        (164.0, 500.0),
        (227.0, 9_000.0),
    ] {
        for words in [
            &["SEM VALOR FISCAL"][..],
            &["SEM VALOR FISCAL", "CANCELADA", "SIMULADA"],
        ] {
            for mark in prints::pdf::writing::marks(words, sheet, 60.0) {
                let takes = width(&mark.text, prints::pdf::font::Font::Bold, mark.size);
                assert!(takes * 0.6 < sheet.0 && takes * 0.8 < sheet.1);
                assert!(mark.size > 8.0, "{sheet:?} {}", mark.size);
            }
        }
    }
}

#[test]
fn bar_codes_have_the_measures_of_the_technical_note() {
    // NT 2025.001 conjunta: 11.5 cm wide where there are letters, 0.8 cm high,
    // no bar finer than 0.02 cm.
    const CM: f32 = 72.0 / 2.54;
    let mut seen = 0;
    for (name, sheets) in sheets() {
        for item in sheets.pages.iter().flatten() {
            if let Item::Bars {
                height,
                module,
                widths,
                ..
            } = item
            {
                let total: f32 = widths.iter().map(|l| f32::from(*l) * module).sum();
                let smallest = if name.contains("alfanumerico") {
                    11.5
                } else {
                    6.0
                };
                assert!(total >= smallest * CM, "{name}: {}", total / CM);
                assert!(*height >= 0.8 * CM && *module >= 0.02 * CM, "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50);
}
