//! What the caller may choose.

/// Choices of a printout; the default prints what the XML asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintOptions<'o> {
    /// The issuer's logo, a JPEG or PNG file of at most 2 MiB.
    pub logo: Option<&'o [u8]>,
    /// A4 upright or lying; by `tpImp` of the note if none.
    pub orientation: Option<Orientation>,
    /// Blocks of the A4 page.
    pub layout: Layout,
    /// The note was cancelled: the XML of a note alone does not know that.
    pub cancelled: bool,
    /// A word of the caller's across the page ("SIMULADA", "RASCUNHO").
    pub mark: Option<&'o str>,
    /// `;` in `infCpl` and `infAdFisco` begins a new line, as most issuers mean
    /// it: the layout admits no line breaks there.
    pub wrap_at_semicolon: bool,
    /// Width of the roll of a DANFE NFC-e in millimetres, 56 to 120.
    pub width_mm: u16,
}

impl Default for PrintOptions<'_> {
    fn default() -> Self {
        PrintOptions {
            logo: None,
            orientation: None,
            layout: Layout::Automatic,
            cancelled: false,
            mark: None,
            wrap_at_semicolon: true,
            width_mm: 80,
        }
    }
}

/// How the A4 page lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// `tpImp` 1.
    Portrait,
    /// `tpImp` 2.
    Landscape,
}

/// Which set of blocks the DANFE has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// [`Layout::Nt2026010`] for notes that have IBS, CBS or IS and for those
    /// issued from 2026-12-01 on, when it is mandatory; else [`Layout::Moc7`].
    Automatic,
    /// MOC 7.0, Anexo II.
    Moc7,
    /// NT 2026.010: totals of IBS/CBS/IS, the issuer's CRT and, for each item,
    /// bases, rates and amounts of all taxes. Its text was not at hand: blocks
    /// and columns are second-hand (two independent public implementations).
    Nt2026010,
}
