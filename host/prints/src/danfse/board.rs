//! The drawing board: fields, lines and text from the top of a page down, over
//! to the next page when it is full. Knows the measures of NT 008 and nothing
//! of notes. Measures are points, from the top left corner.

use crate::pdf::font::{Fonte, caber, largura, quebrar, win_ansi};
use crate::pdf::sheet::{A4_ALTURA as ALTURA, A4_LARGURA as LARGURA, CM, Folhas, Item, Marca};
use crate::qr::QrCode;

/// Left edges of the four columns (annex I) and where the last one ends.
const COLUNAS: [f32; 5] = [0.30 * CM, 5.41 * CM, 10.51 * CM, 15.62 * CM, 20.70 * CM];
pub(super) const TOPO: f32 = 0.30 * CM;
/// Nothing but the foot of the page lies below.
const FUNDO: f32 = 29.05 * CM;
const RODAPE: f32 = 29.40 * CM;
/// Border of the page: 1 pt (item 2.2.3).
const BORDA: f32 = 0.15 * CM;

/// Sizes of item 2.4: captions 6, titles and content 7.
const ROTULO: f32 = 6.0;
const VALOR: f32 = 7.0;
/// Height of a field with one line of content.
pub(super) const CAMPO: f32 = 0.645 * CM;
/// Each further line.
const LINHA: f32 = 8.2;
/// Space between the edge of a field and its text.
const RECUO: f32 = 0.10 * CM;

/// Lines of one field; a longer content ends in an ellipsis, which item 2.1 of
/// the NT provides for.
const MAX_LINHAS_CAMPO: usize = 6;
/// Lines of one text, some ten pages. Beyond, the document says that it stops:
/// a text of line breaks alone would fill hundreds of pages.
const MAX_LINHAS_TEXTO: usize = 1_000;
const INTERROMPIDO: &str = "[Texto interrompido: o restante consta somente do XML da NFS-e.]";

/// One field of a row.
pub(super) struct Campo<'t> {
    coluna: usize,
    colunas: usize,
    rotulo: &'t str,
    valor: String,
    estilo: Estilo,
}

#[derive(Clone, Copy, PartialEq)]
enum Estilo {
    Comum,
    /// Content in bold on grey.
    Destaque,
    /// Caption on grey.
    Sombreado,
    /// Title of a block: no content.
    Titulo,
}

impl<'t> Campo<'t> {
    /// A field from a column (0 to 3) over so many columns.
    pub fn novo(coluna: usize, colunas: usize, rotulo: &'t str, valor: impl Into<String>) -> Self {
        Campo {
            coluna,
            colunas,
            rotulo,
            valor: valor.into(),
            estilo: Estilo::Comum,
        }
    }

    /// Title of a block, in the first column.
    pub fn titulo(rotulo: &'t str) -> Self {
        Campo {
            estilo: Estilo::Titulo,
            ..Campo::novo(0, 1, rotulo, "")
        }
    }

    pub fn destacado(self) -> Self {
        Campo {
            estilo: Estilo::Destaque,
            ..self
        }
    }

    pub fn sombreado(self) -> Self {
        Campo {
            estilo: Estilo::Sombreado,
            ..self
        }
    }

    fn esquerda(&self) -> f32 {
        coluna(self.coluna)
    }

    fn direita(&self) -> f32 {
        coluna(self.coluna + self.colunas)
    }

    fn fonte(&self) -> Fonte {
        if self.estilo == Estilo::Destaque {
            Fonte::Negrito
        } else {
            Fonte::Normal
        }
    }
}

/// Left edge of a column, 0 to 3; the right edge of the page beyond.
pub(super) fn coluna(indice: usize) -> f32 {
    let [.., fim] = COLUNAS;
    COLUNAS.get(indice).copied().unwrap_or(fim)
}

/// Where the next thing goes.
pub(super) struct Quadro {
    paginas: Vec<Vec<Item>>,
    y: f32,
    /// Head of the pages after the first.
    continuacao: String,
}

impl Quadro {
    /// An empty first page; `continuacao` heads the others.
    pub fn novo(continuacao: String) -> Quadro {
        Quadro {
            paginas: vec![Vec::new()],
            y: TOPO,
            continuacao,
        }
    }

    pub fn y(&self) -> f32 {
        self.y
    }

    pub fn descer_ate(&mut self, y: f32) {
        self.y = y;
    }

    pub fn descer(&mut self, espaco: f32) {
        self.y += espaco;
    }

    /// Begins a new page unless this much is free.
    pub fn reservar(&mut self, altura: f32) {
        if self.y + altura > FUNDO {
            self.nova_pagina();
        }
    }

    /// The thin line between blocks (item 2.2.3: 0.5 pt).
    pub fn divisoria(&mut self) {
        let y = self.y;
        self.linha(coluna(0), y, coluna(4), y, 0.5);
    }

    /// Fields side by side, as tall as the tallest of them.
    pub fn campos(&mut self, campos: &[Campo<'_>]) {
        let valores: Vec<Vec<u8>> = campos.iter().map(|campo| win_ansi(&campo.valor)).collect();
        let linhas: Vec<Vec<&[u8]>> = campos
            .iter()
            .zip(&valores)
            .map(|(campo, valor)| {
                let limite = campo.direita() - campo.esquerda() - 2.0 * RECUO;
                quebrar(valor, campo.fonte(), VALOR, limite)
            })
            .collect();
        let maior = linhas
            .iter()
            .map(|linhas| linhas.len().min(MAX_LINHAS_CAMPO))
            .max()
            .unwrap_or(1);
        let altura = CAMPO + maior.saturating_sub(1) as f32 * LINHA;
        self.reservar(altura);
        for (campo, linhas) in campos.iter().zip(&linhas) {
            self.campo(campo, linhas, altura);
        }
        self.y += altura;
    }

    fn campo(&mut self, campo: &Campo<'_>, linhas: &[&[u8]], altura: f32) {
        let (x, y) = (campo.esquerda(), self.y);
        if campo.estilo != Estilo::Comum {
            self.item(Item::Sombra {
                x,
                y,
                largura: campo.direita() - x,
                altura,
            });
        }
        let x = x + RECUO;
        if campo.estilo == Estilo::Titulo {
            let limite = campo.direita() - x - RECUO;
            let titulo = win_ansi(campo.rotulo);
            for (at, linha) in quebrar(&titulo, Fonte::Negrito, VALOR, limite)
                .into_iter()
                .enumerate()
            {
                let y = y + 8.0 + at as f32 * LINHA;
                self.texto(x, y, VALOR, Fonte::Negrito, linha.to_vec());
            }
            return;
        }
        let rotulo = win_ansi(campo.rotulo);
        self.texto(x, y + 6.6, ROTULO, Fonte::Negrito, rotulo);
        for (at, linha) in linhas.iter().take(MAX_LINHAS_CAMPO).enumerate() {
            let mut linha = linha.to_vec();
            if at + 1 == MAX_LINHAS_CAMPO && linhas.len() > MAX_LINHAS_CAMPO {
                linha.truncate(linha.len().saturating_sub(3));
                linha.extend(b"...");
            }
            let y = y + 14.7 + at as f32 * LINHA;
            self.texto(x, y, VALOR, campo.fonte(), linha);
        }
    }

    /// One line in place of a whole block (item 2.3).
    pub fn frase(&mut self, frase: &str) {
        let altura = 0.36 * CM;
        self.reservar(altura);
        self.divisoria();
        let (x, y) = (coluna(0), self.y);
        self.item(Item::Sombra {
            x,
            y,
            largura: coluna(4) - x,
            altura,
        });
        self.centrado(coluna(0), coluna(4), y + 7.6, VALOR, Fonte::Negrito, frase);
        self.y += altura;
    }

    /// Text of any length over the whole width, under a caption if there is
    /// one. Line breaks stay, empty lines in a row become one.
    pub fn texto_corrido(&mut self, rotulo: &str, texto: &str) {
        let limite = coluna(4) - coluna(0) - 2.0 * RECUO;
        let x = coluna(0) + RECUO;
        if !rotulo.is_empty() {
            // The caption stays with the first line.
            self.reservar(CAMPO);
            self.texto(x, self.y + 6.6, ROTULO, Fonte::Negrito, win_ansi(rotulo));
            self.y += 7.6;
        }
        let mut vazia = false;
        let mut escritas = 0;
        for paragrafo in texto.trim().lines() {
            let paragrafo = win_ansi(paragrafo);
            if paragrafo.trim_ascii().is_empty() {
                if !vazia {
                    self.y += LINHA * 0.6;
                }
                vazia = true;
                continue;
            }
            vazia = false;
            for linha in quebrar(&paragrafo, Fonte::Normal, VALOR, limite) {
                self.reservar(LINHA);
                if escritas == MAX_LINHAS_TEXTO {
                    let aviso = win_ansi(INTERROMPIDO);
                    self.texto(x, self.y + 7.1, VALOR, Fonte::Negrito, aviso);
                    self.y += LINHA + 2.6;
                    return;
                }
                self.texto(x, self.y + 7.1, VALOR, Fonte::Normal, linha.to_vec());
                self.y += LINHA;
                escritas += 1;
            }
        }
        self.y += 2.6;
    }

    /// Text between two edges; made smaller if it would not fit.
    pub fn centrado(&mut self, de: f32, ate: f32, y: f32, tamanho: f32, fonte: Fonte, texto: &str) {
        let texto = win_ansi(texto);
        let tamanho = caber(&texto, fonte, tamanho, ate - de - 2.0 * RECUO);
        let x = (de + ate - largura(&texto, fonte, tamanho)) / 2.0;
        self.texto(x, y, tamanho, fonte, texto);
    }

    /// A line of text from a point, made smaller to end before `ate`.
    pub fn escrito(&mut self, x: f32, ate: f32, y: f32, tamanho: f32, fonte: Fonte, texto: &str) {
        let texto = win_ansi(texto);
        let tamanho = caber(&texto, fonte, tamanho, ate - x);
        self.texto(x, y, tamanho, fonte, texto);
    }

    /// Turns what was written last red.
    pub fn em_vermelho(&mut self) {
        if let Some(Item::Texto { vermelho, .. }) =
            self.paginas.last_mut().and_then(|items| items.last_mut())
        {
            *vermelho = true;
        }
    }

    pub fn sombra(&mut self, x: f32, y: f32, largura: f32, altura: f32) {
        self.item(Item::Sombra {
            x,
            y,
            largura,
            altura,
        });
    }

    pub fn qr(&mut self, x: f32, y: f32, lado: f32) {
        self.item(Item::Qr { x, y, lado });
    }

    /// Borders and page numbers, now that it is known how many pages there are.
    pub fn terminar(mut self, qr: Option<QrCode>, marcas: Vec<Marca>) -> Folhas {
        let total = self.paginas.len();
        for (at, pagina) in self.paginas.iter_mut().enumerate() {
            let (direita, fundo) = (LARGURA - BORDA, ALTURA - BORDA);
            let cantos = [
                (BORDA, BORDA, direita, BORDA),
                (BORDA, fundo, direita, fundo),
                (BORDA, BORDA, BORDA, fundo),
                (direita, BORDA, direita, fundo),
            ];
            pagina.extend(cantos.map(|(x, y, ate_x, ate_y)| Item::Linha {
                x,
                y,
                ate_x,
                ate_y,
                espessura: 1.0,
            }));
            let mut rodape = |x: Option<f32>, fonte, texto: Vec<u8>| {
                pagina.push(Item::Texto {
                    x: x.unwrap_or(coluna(4) - RECUO - largura(&texto, fonte, ROTULO)),
                    y: RODAPE,
                    tamanho: ROTULO,
                    fonte,
                    vermelho: false,
                    texto,
                });
            };
            // The marks once more as plain lines: text across the page is hard
            // to search and to read aloud.
            let palavras: Vec<&[u8]> = marcas.iter().map(|marca| &*marca.texto).collect();
            if !palavras.is_empty() {
                let texto = palavras.join(&b" | "[..]);
                rodape(Some(coluna(0) + RECUO), Fonte::Negrito, texto);
            }
            if total > 1 {
                let texto = win_ansi(&format!("Página {} de {total}", at + 1));
                rodape(None, Fonte::Normal, texto);
            }
        }
        Folhas {
            tamanho: (LARGURA, ALTURA),
            paginas: self.paginas,
            qr,
            logo: None,
            marcas,
        }
    }

    fn nova_pagina(&mut self) {
        self.paginas.push(Vec::new());
        self.y = TOPO;
        let altura = 0.60 * CM;
        self.sombra(coluna(0), self.y, coluna(4) - coluna(0), altura);
        let texto = std::mem::take(&mut self.continuacao);
        let x = coluna(0) + RECUO;
        self.escrito(
            x,
            coluna(4) - RECUO,
            self.y + 11.0,
            VALOR,
            Fonte::Negrito,
            &texto,
        );
        self.continuacao = texto;
        self.y += altura;
        self.divisoria();
        self.y += 2.0;
    }

    fn linha(&mut self, x: f32, y: f32, ate_x: f32, ate_y: f32, espessura: f32) {
        self.item(Item::Linha {
            x,
            y,
            ate_x,
            ate_y,
            espessura,
        });
    }

    fn texto(&mut self, x: f32, y: f32, tamanho: f32, fonte: Fonte, texto: Vec<u8>) {
        if !texto.is_empty() {
            self.item(Item::Texto {
                x,
                y,
                tamanho,
                fonte,
                vermelho: false,
                texto,
            });
        }
    }

    fn item(&mut self, item: Item) {
        if let Some(pagina) = self.paginas.last_mut() {
            pagina.push(item);
        }
    }
}
