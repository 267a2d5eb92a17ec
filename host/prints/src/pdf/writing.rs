//! Writes the finished pages as PDF 1.7: standard fonts, no file identifier and
//! no dates, so the same note gives the same bytes.

use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::deflate::compress;
use crate::pdf::font::{Font, width, win_ansi};
use crate::pdf::image::Image;
use crate::pdf::sheet::{Item, Mark, Sheets};

const CATALOGUE: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const INFO: Ref = Ref::new(3);
const QR: Ref = Ref::new(4);
const LOGO: Ref = Ref::new(5);
const LOGO_MASK: Ref = Ref::new(6);
/// One object for each font from here on.
const FONTS: i32 = 7;
/// Two objects for each page from here on.
const FIRST: i32 = 11;

/// Direction of the marks across the page: a right triangle of 3, 4 and 5, so
/// no sine is computed and every machine writes the same digits.
const COSINE: f32 = 0.6;
const SINE: f32 = 0.8;

/// From one mark to the next, in sizes.
const BETWEEN_MARKS: f32 = 1.4;

/// Grey of shaded fields: 5 % (NT 008, item 2.2.3).
const SHADOW_GREY: f32 = 0.95;

/// The document as PDF, with this title.
pub(crate) fn write(title: &str, sheets: &Sheets) -> Vec<u8> {
    let (width, height) = sheets.size;
    let mut pdf = Pdf::new();
    let ids: Vec<(Ref, Ref)> = (0i32..)
        .zip(&sheets.pages)
        .map(|(at, _)| {
            let id = FIRST + 2 * at;
            (Ref::new(id), Ref::new(id + 1))
        })
        .collect();

    let mut catalogue = pdf.catalog(CATALOGUE);
    catalogue.pages(PAGES).lang(TextStr("pt-BR"));
    catalogue.viewer_preferences().display_doc_title(true);
    catalogue.finish();
    pdf.document_info(INFO).title(TextStr(title));
    pdf.pages(PAGES)
        .kids(ids.iter().map(|(page, _)| *page))
        .count(i32::try_from(ids.len()).unwrap_or(i32::MAX));
    let fonts = used(sheets);
    for font in &fonts {
        pdf.type1_font(object_of(*font))
            .base_font(Name(font.base()))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    if let Some(qr) = &sheets.qr {
        let side = i32::try_from(qr.size()).unwrap_or(0);
        let lines = qr.rows_one_bit();
        let mut image = pdf.image_xobject(QR, &lines);
        image.width(side).height(side).bits_per_component(1);
        image.color_space().device_gray();
        image.interpolate(false);
    }
    if let Some(logo) = &sheets.logo {
        draw_logo(&mut pdf, logo);
    }

    for ((page, content), items) in ids.iter().zip(&sheets.pages) {
        let mut page = pdf.page(*page);
        page.parent(PAGES)
            .media_box(Rect::new(0.0, 0.0, point(width), point(height)))
            .contents(*content);
        let mut resources = page.resources();
        let mut dictionary = resources.fonts();
        for font in &fonts {
            dictionary.pair(name_of(*font), object_of(*font));
        }
        dictionary.finish();
        if sheets.qr.is_some() || sheets.logo.is_some() {
            let mut objects = resources.x_objects();
            if sheets.qr.is_some() {
                objects.pair(Name(b"Q"), QR);
            }
            if sheets.logo.is_some() {
                objects.pair(Name(b"L"), LOGO);
            }
        }
        resources.finish();
        page.finish();
        let ink = paint(items, sheets);
        match compress(&ink) {
            Some(smallest) => {
                pdf.stream(*content, &smallest).filter(Filter::FlateDecode);
            }
            None => {
                pdf.stream(*content, &ink);
            }
        }
    }
    pdf.finish()
}

/// Fonts that are drawn with, in the order of [`Font::ALL`].
fn used(sheets: &Sheets) -> Vec<Font> {
    let marked = if sheets.marks.is_empty() {
        None
    } else {
        Some(Font::Bold)
    };
    Font::ALL
        .into_iter()
        .filter(|one| {
            marked == Some(*one)
                || sheets.pages.iter().flatten().any(|item| {
                    matches!(item, Item::Text { font, .. } | Item::UprightText { font, .. } if font == one)
                })
        })
        .collect()
}

fn draw_logo(pdf: &mut Pdf, logo: &Image) {
    let mut image = pdf.image_xobject(LOGO, &logo.data);
    image.filter(if logo.jpeg {
        Filter::DctDecode
    } else {
        Filter::FlateDecode
    });
    image
        .width(logo.width)
        .height(logo.height)
        .bits_per_component(8);
    match logo.components {
        1 => image.color_space().device_gray(),
        3 => image.color_space().device_rgb(),
        _ => image.color_space().device_cmyk(),
    };
    if logo.inverted {
        image.decode([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    }
    if logo.mask.is_some() {
        image.s_mask(LOGO_MASK);
    }
    image.finish();
    if let Some(mask) = &logo.mask {
        let mut image = pdf.image_xobject(LOGO_MASK, mask);
        image.filter(Filter::FlateDecode);
        image
            .width(logo.width)
            .height(logo.height)
            .bits_per_component(8);
        image.color_space().device_gray();
    }
}

/// Grey first, then the marks, then all that has to be read over them.
fn paint(items: &[Item], sheets: &Sheets) -> Vec<u8> {
    let sheet_height = sheets.size.1;
    let mut ink = Content::new();
    ink.set_fill_gray(SHADOW_GREY);
    for item in items {
        if let Item::Shadow {
            x,
            y,
            width,
            height,
        } = item
        {
            let bottom = point(sheet_height - (y + height));
            rectangle(&mut ink, *x, bottom, *width, *height).fill_nonzero();
        }
    }
    mark(&mut ink, &sheets.marks, sheets.size);
    ink.set_fill_gray(0.0);
    for item in items {
        draw(&mut ink, item, sheet_height);
    }
    ink.finish().into_vec()
}

/// Draws an item in black; shades were drawn before.
fn draw(ink: &mut Content, item: &Item, sheet_height: f32) {
    let below = |y: f32| point(sheet_height - y);
    match item {
        Item::Shadow { .. } => {}
        Item::Line {
            x,
            y,
            to_x,
            to_y,
            thickness,
        } => {
            ink.set_line_width(*thickness);
            stroke(ink, (point(*x), below(*y)), (point(*to_x), below(*to_y)));
        }
        Item::CutLine { x, y, to_x, to_y } => {
            ink.set_line_width(0.5).set_dash_pattern([3.0, 2.0], 0.0);
            stroke(ink, (point(*x), below(*y)), (point(*to_x), below(*to_y)));
            ink.set_dash_pattern([], 0.0);
        }
        Item::Frame {
            x,
            y,
            width,
            height,
            thickness,
        } => {
            ink.set_line_width(*thickness);
            rectangle(ink, *x, below(y + height), *width, *height).stroke();
        }
        Item::Bars {
            x,
            y,
            height,
            module,
            widths,
        } => bars(ink, (*x, below(y + height)), *height, *module, widths),
        Item::Text {
            x,
            y,
            size,
            font,
            red,
            text,
        } => write_text(ink, (*x, below(*y)), (*font, *size), *red, text),
        Item::UprightText {
            x,
            y,
            size,
            font,
            text,
        } => rising_text(ink, (*x, below(*y)), (*font, *size), text),
        Item::Qr { x, y, side } => board(ink, *x, below(y + side), *side, *side, b"Q"),
        Item::Logo {
            x,
            y,
            width,
            height,
        } => board(ink, *x, below(y + height), *width, *height, b"L"),
    }
}

/// The outline of a rectangle above `bottom`, to be stroked or filled.
fn rectangle(ink: &mut Content, x: f32, bottom: f32, width: f32, height: f32) -> &mut Content {
    ink.rect(point(x), bottom, point(width), point(height))
}

/// A line of text to the right, in black or red.
fn write_text(
    ink: &mut Content,
    (x, y): (f32, f32),
    (font, size): (Font, f32),
    red: bool,
    text: &[u8],
) {
    if red {
        ink.set_fill_rgb(1.0, 0.0, 0.0);
    }
    ink.begin_text()
        .set_font(name_of(font), point(size))
        .next_line(point(x), y)
        .show(Str(text))
        .end_text();
    if red {
        ink.set_fill_gray(0.0);
    }
}

/// A line of text that runs upwards.
fn rising_text(ink: &mut Content, (x, y): (f32, f32), (font, size): (Font, f32), text: &[u8]) {
    ink.begin_text()
        .set_font(name_of(font), point(size))
        .set_text_matrix([0.0, 1.0, -1.0, 0.0, point(x), y])
        .show(Str(text))
        .end_text();
}

/// A straight line between two points of the page.
fn stroke(ink: &mut Content, from: (f32, f32), to: (f32, f32)) {
    ink.move_to(from.0, from.1).line_to(to.0, to.1).stroke();
}

/// Every other width is a bar, the ones between are white.
fn bars(ink: &mut Content, (mut x, bottom): (f32, f32), height: f32, module: f32, widths: &[u8]) {
    for (at, width) in widths.iter().enumerate() {
        let width = f32::from(*width) * module;
        if at % 2 == 0 {
            // Finer than a hundredth: bars must not grow uneven.
            ink.rect(thin(x), bottom, thin(width), point(height));
        }
        x += width;
    }
    ink.fill_nonzero();
}

/// A picture of the document, as large as this.
fn board(ink: &mut Content, x: f32, bottom: f32, width: f32, height: f32, name: &[u8]) {
    ink.save_state()
        .transform([point(width), 0.0, 0.0, point(height), point(x), bottom])
        .x_object(Name(name))
        .restore_state();
}

/// The marks one below the other around the middle, rising to the right.
fn mark(ink: &mut Content, marks: &[Mark], (sheet_width, sheet_height): (f32, f32)) {
    let greatest = marks.iter().map(|mark| mark.size).fold(0.0, f32::max);
    let space = greatest * BETWEEN_MARKS;
    let first = marks.len().saturating_sub(1) as f32 / 2.0 * space;
    for (at, mark) in marks.iter().enumerate() {
        let size = mark.size;
        let middle = width(&mark.text, Font::Bold, size) / 2.0;
        // Along the text half its width back, across it to its own line; a
        // third of the size puts the middle of the capitals on that line.
        let deviation = first - at as f32 * space - size / 3.0;
        let x = sheet_width / 2.0 - COSINE * middle - SINE * deviation;
        let y = sheet_height / 2.0 - SINE * middle + COSINE * deviation;
        ink.set_fill_gray(mark.grey)
            .begin_text()
            .set_font(name_of(Font::Bold), point(size))
            .set_text_matrix([COSINE, SINE, -SINE, COSINE, point(x), point(y)])
            .show(Str(&mark.text))
            .end_text();
    }
}

/// Marks of these words, as large as the page takes and at most `max`; all
/// measures in points.
pub fn marks(words: &[&str], sheet: (f32, f32), max: f32) -> Vec<Mark> {
    /// Light enough to read what is over them.
    const GREY: f32 = 0.80;
    let texts: Vec<Vec<u8>> = words.iter().map(|word| win_ansi(word)).collect();
    let mut size = max;
    while size > 4.0 && !fit(&texts, sheet, size) {
        size *= 0.95;
    }
    let mark = |text| Mark {
        text,
        size,
        grey: GREY,
    };
    texts.into_iter().map(mark).collect()
}

/// Do all of them stay on the page, one below the other?
fn fit(texts: &[Vec<u8>], (sheet_width, sheet_height): (f32, f32), size: f32) -> bool {
    let outside = texts.len().saturating_sub(1) as f32 / 2.0 * size * BETWEEN_MARKS + size / 2.0;
    texts.iter().all(|text| {
        let middle = width(text, Font::Bold, size) / 2.0;
        COSINE * middle + SINE * outside < sheet_width / 2.0 - 4.0
            && SINE * middle + COSINE * outside < sheet_height / 2.0 - 4.0
    })
}

fn name_of(font: Font) -> Name<'static> {
    match font {
        Font::Normal => Name(b"N"),
        Font::Bold => Name(b"B"),
        Font::Times => Name(b"T"),
        Font::TimesBold => Name(b"U"),
    }
}

fn object_of(font: Font) -> Ref {
    let at = Font::ALL.iter().position(|one| *one == font);
    Ref::new(FONTS + i32::try_from(at.unwrap_or(0)).unwrap_or(0))
}

/// Hundredths of a point are finer than any printer.
fn point(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn thin(value: f32) -> f32 {
    (value * 10_000.0).round() / 10_000.0
}
