//! A finished document: for each page the things to draw on it.

use crate::pdf::font::Fonte;
use crate::pdf::image::Imagem;
use crate::qr::QrCode;

/// Points of a centimetre.
pub(crate) const CM: f32 = 72.0 / 2.54;
/// A4, the short side.
pub(crate) const A4_LARGURA: f32 = 21.0 * CM;
/// A4, the long side.
pub(crate) const A4_ALTURA: f32 = 29.7 * CM;

/// Something to draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    /// Baseline on the left, at this point.
    Texto {
        x: f32,
        y: f32,
        tamanho: f32,
        fonte: Fonte,
        vermelho: bool,
        texto: Vec<u8>,
    },
    /// Text that runs upwards, its baseline beginning at this point.
    TextoEmPe {
        x: f32,
        y: f32,
        tamanho: f32,
        fonte: Fonte,
        texto: Vec<u8>,
    },
    Linha {
        x: f32,
        y: f32,
        ate_x: f32,
        ate_y: f32,
        espessura: f32,
    },
    /// A dashed line, to cut along.
    Picote {
        x: f32,
        y: f32,
        ate_x: f32,
        ate_y: f32,
    },
    /// The outline of a box.
    Caixa {
        x: f32,
        y: f32,
        largura: f32,
        altura: f32,
        espessura: f32,
    },
    /// Grey of 5 %, below everything else.
    Sombra {
        x: f32,
        y: f32,
        largura: f32,
        altura: f32,
    },
    /// A bar code: widths in modules of bar, space, bar… over the whole height.
    Barras {
        x: f32,
        y: f32,
        altura: f32,
        modulo: f32,
        larguras: Vec<u8>,
    },
    /// The QR code, one for all pages.
    Qr { x: f32, y: f32, lado: f32 },
    /// The logo, one for all pages.
    Logo {
        x: f32,
        y: f32,
        largura: f32,
        altura: f32,
    },
}

/// A finished document, to be written as PDF.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folhas {
    /// Width and height of every page.
    pub tamanho: (f32, f32),
    pub paginas: Vec<Vec<Item>>,
    pub qr: Option<QrCode>,
    pub logo: Option<Imagem>,
    pub marcas: Vec<Marca>,
}

/// Words across each page.
#[derive(Debug, PartialEq)]
pub(crate) struct Marca {
    pub texto: Vec<u8>,
    pub tamanho: f32,
    /// 0 black to 1 white.
    pub cinza: f32,
}
