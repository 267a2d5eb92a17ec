//! A finished document: for each page the things to draw on it.

use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::qr::QrCode;

/// Points of a centimetre.
pub(crate) const CM: f32 = 72.0 / 2.54;
/// A4, the short side, in points.
pub const A4_WIDTH: f32 = 21.0 * CM;
/// A4, the long side, in points.
pub const A4_HEIGHT: f32 = 29.7 * CM;

/// Something to draw. Measures are points from the top left corner of the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Text in WinAnsi, its baseline beginning on the left at this point.
    Text {
        x: f32,
        y: f32,
        size: f32,
        font: Font,
        red: bool,
        text: Vec<u8>,
    },
    /// Text in WinAnsi that runs upwards, its baseline beginning at this point.
    UprightText {
        x: f32,
        y: f32,
        size: f32,
        font: Font,
        text: Vec<u8>,
    },
    /// A straight line between two points.
    Line {
        x: f32,
        y: f32,
        to_x: f32,
        to_y: f32,
        thickness: f32,
    },
    /// A dashed line, to cut along.
    CutLine {
        x: f32,
        y: f32,
        to_x: f32,
        to_y: f32,
    },
    /// The outline of a box.
    Frame {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        thickness: f32,
    },
    /// Grey of 5 %, below everything else.
    Shadow {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
    /// A bar code: widths in modules of bar, space, bar… over the whole height.
    Bars {
        x: f32,
        y: f32,
        height: f32,
        module: f32,
        widths: Vec<u8>,
    },
    /// The QR code, one for all pages.
    Qr { x: f32, y: f32, side: f32 },
    /// The logo, one for all pages.
    Logo {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
}

/// A finished document, to be written as PDF.
#[derive(Debug, Default, PartialEq)]
pub struct Sheets {
    /// Width and height of every page, in points.
    pub size: (f32, f32),
    /// For each page what is on it.
    pub pages: Vec<Vec<Item>>,
    /// What [`Item::Qr`] shows.
    pub qr: Option<QrCode>,
    /// What [`Item::Logo`] shows.
    pub logo: Option<Image>,
    /// What stands across every page, from the top down.
    pub marks: Vec<Mark>,
}

/// Words across each page.
#[derive(Debug, PartialEq)]
pub struct Mark {
    /// In WinAnsi.
    pub text: Vec<u8>,
    /// In points.
    pub size: f32,
    /// 0 black to 1 white.
    pub grey: f32,
}
