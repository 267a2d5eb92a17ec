//! The issuer's logo: JPEG goes into the PDF as it is, PNG is taken apart.
//!
//! What comes in is a customer's file: sizes are bounded before anything is
//! unpacked.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::deflate::comprimir;

/// Largest file.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Longest side, and most pixels: 4 million are 16 MB unpacked.
const MAX_LADO: u32 = 4096;
const MAX_PIXELS: u32 = 4_000_000;

/// A picture ready for a PDF.
#[derive(Debug, PartialEq)]
pub(crate) struct Imagem {
    /// Pixels.
    pub largura: i32,
    pub altura: i32,
    /// 1 grey, 3 RGB, 4 CMYK.
    pub componentes: u8,
    /// A JPEG of four components written by Adobe counts from white.
    pub invertido: bool,
    /// `dados` is a whole JPEG; else deflated samples of 8 bits.
    pub jpeg: bool,
    pub dados: Vec<u8>,
    /// Deflated opacity.
    pub mascara: Option<Vec<u8>>,
}

/// A JPEG or PNG; none if it is neither, broken, too large, or of a kind that
/// is not read (interlaced PNG, 12-bit JPEG).
pub(crate) fn ler(arquivo: &[u8]) -> Option<Imagem> {
    if arquivo.len() > MAX_BYTES {
        return None;
    }
    if arquivo.starts_with(&[0xFF, 0xD8]) {
        jpeg(arquivo)
    } else {
        png(arquivo.strip_prefix(b"\x89PNG\r\n\x1a\n")?)
    }
}

fn cabe(largura: u32, altura: u32) -> bool {
    (1..=MAX_LADO).contains(&largura)
        && (1..=MAX_LADO).contains(&altura)
        && largura * altura <= MAX_PIXELS
}

/// Walks the segments up to the frame header (ITU-T T.81, annex B).
fn jpeg(arquivo: &[u8]) -> Option<Imagem> {
    let mut at = 2;
    let mut adobe = false;
    loop {
        let [0xFF, tipo] = *arquivo.get(at..at + 2)? else {
            return None;
        };
        if tipo == 0xFF {
            at += 1;
            continue;
        }
        let tamanho = usize::from(u16_de(arquivo, at + 2)?);
        let corpo = arquivo.get(at + 4..(at + 2).checked_add(tamanho)?)?;
        match tipo {
            0xEE => adobe |= corpo.starts_with(b"Adobe"),
            // Baseline, extended and progressive frames.
            0xC0..=0xC2 => {
                let [8, a1, a2, l1, l2, componentes, ..] = *corpo else {
                    return None;
                };
                let altura = u16::from_be_bytes([a1, a2]);
                let largura = u16::from_be_bytes([l1, l2]);
                if !cabe(largura.into(), altura.into()) || !matches!(componentes, 1 | 3 | 4) {
                    return None;
                }
                return Some(Imagem {
                    largura: largura.into(),
                    altura: altura.into(),
                    componentes,
                    invertido: componentes == 4 && adobe,
                    jpeg: true,
                    dados: arquivo.to_vec(),
                    mascara: None,
                });
            }
            // Other frames, the scan, the end: no frame header we read.
            0xC3 | 0xC5..=0xC7 | 0xC9..=0xCF | 0xD8..=0xDA => return None,
            _ => {}
        }
        at += 2 + tamanho;
    }
}

fn u16_de(bytes: &[u8], at: usize) -> Option<u16> {
    let dois = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(dois.try_into().ok()?))
}

/// Unpacks a PNG and splits colour from opacity.
fn png(resto: &[u8]) -> Option<Imagem> {
    let chunks = chunks(resto)?;
    let grid = grid(&chunks)?;
    let (cores, opacidade) = colour_and_opacity(&chunks, &grid, unpacked(&chunks, &grid)?)?;
    let opaca = opacidade.iter().all(|um| *um == 255);
    Some(Imagem {
        largura: i32::try_from(grid.largura).ok()?,
        altura: i32::try_from(grid.altura).ok()?,
        componentes: chunks.componentes(),
        invertido: false,
        jpeg: false,
        dados: comprimir(&cores)?,
        mascara: if opaca {
            None
        } else {
            Some(comprimir(&opacidade)?)
        },
    })
}

/// What the chunks of a PNG say.
struct Chunks<'a> {
    /// Pixels.
    largura: u32,
    altura: u32,
    /// Of a sample.
    bits: u8,
    /// 0 grey, 2 RGB, 3 palette, 4 grey and opacity, 6 RGB and opacity.
    cor: u8,
    paleta: &'a [u8],
    transparencia: &'a [u8],
    comprimido: Vec<u8>,
}

impl Chunks<'_> {
    /// Samples of a pixel's colour, opacity left out.
    fn componentes(&self) -> u8 {
        if self.cor == 0 || self.cor == 4 { 1 } else { 3 }
    }
}

/// Walks the chunks (PNG, 3rd edition, §11). Check sums are not looked at.
fn chunks(mut resto: &[u8]) -> Option<Chunks<'_>> {
    let mut cabecalho: Option<(u32, u32, u8, u8)> = None;
    let (mut paleta, mut transparencia): (&[u8], &[u8]) = (&[], &[]);
    let mut comprimido = Vec::new();
    while let Some((tamanho, depois)) = resto.split_first_chunk::<4>() {
        let tamanho = u32::from_be_bytes(*tamanho) as usize;
        let (tipo, depois) = depois.split_first_chunk::<4>()?;
        let corpo = depois.get(..tamanho)?;
        match tipo {
            b"IHDR" => {
                let [l1, l2, l3, l4, a1, a2, a3, a4, bits, cor, 0, 0, 0] = *corpo else {
                    return None;
                };
                let largura = u32::from_be_bytes([l1, l2, l3, l4]);
                let altura = u32::from_be_bytes([a1, a2, a3, a4]);
                cabecalho = Some((largura, altura, bits, cor));
            }
            b"PLTE" => paleta = corpo,
            b"tRNS" => transparencia = corpo,
            b"IDAT" => comprimido.extend_from_slice(corpo),
            b"IEND" => break,
            _ => {}
        }
        resto = depois.get(tamanho + 4..)?;
    }
    let (largura, altura, bits, cor) = cabecalho?;
    Some(Chunks {
        largura,
        altura,
        bits,
        cor,
        paleta,
        transparencia,
        comprimido,
    })
}

/// How the pixels of a PNG lie in its unpacked bytes.
struct Grid {
    /// Pixels.
    largura: usize,
    altura: usize,
    /// Samples of a pixel.
    canais: usize,
    /// Bytes of a pixel, at least one.
    passo: usize,
    /// Bytes of a row, without the one that names its filter.
    linha: usize,
}

/// None for kinds of colour that PNG does not have, and for pictures too large.
fn grid(chunks: &Chunks<'_>) -> Option<Grid> {
    let canais = match (chunks.cor, chunks.bits) {
        (0 | 3, 1 | 2 | 4 | 8) | (0, 16) => 1,
        (2, 8 | 16) => 3,
        (4, 8 | 16) => 2,
        (6, 8 | 16) => 4,
        _ => return None,
    };
    if !cabe(chunks.largura, chunks.altura) {
        return None;
    }
    let (largura, altura) = (chunks.largura as usize, chunks.altura as usize);
    let bits = usize::from(chunks.bits);
    Some(Grid {
        largura,
        altura,
        canais,
        passo: (canais * bits).div_ceil(8),
        linha: (largura * canais * bits).div_ceil(8),
    })
}

/// The rows, each with its filter; none if they are not as many bytes as that.
fn unpacked(chunks: &Chunks<'_>, grid: &Grid) -> Option<Vec<u8>> {
    let esperado = (grid.linha + 1) * grid.altura;
    let mut bruto = Vec::with_capacity(esperado);
    ZlibDecoder::new(&*chunks.comprimido)
        .take(esperado as u64)
        .read_to_end(&mut bruto)
        .ok()?;
    (bruto.len() == esperado).then_some(bruto)
}

/// Undoes the filters of the rows and takes the pixels apart, into samples of
/// eight bits.
fn colour_and_opacity(
    chunks: &Chunks<'_>,
    grid: &Grid,
    mut bruto: Vec<u8>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let (bits, cor) = (chunks.bits, chunks.cor);
    let pixels = grid.largura * grid.altura;
    let mut cores = Vec::with_capacity(pixels * usize::from(chunks.componentes()));
    let mut opacidade = Vec::with_capacity(pixels);
    let mut anterior = vec![0; grid.linha];
    for faixa in bruto.chunks_exact_mut(grid.linha + 1) {
        let (filtro, dados) = faixa.split_first_mut()?;
        desfiltrar(*filtro, dados, &anterior, grid.passo)?;
        let amostra = |indice: usize| amostra(dados, indice, bits);
        for x in 0..grid.largura {
            let base = x * grid.canais;
            match cor {
                0 | 4 => {
                    let cinza = amostra(base);
                    cores.push(if cor == 0 { escala(cinza, bits) } else { cinza });
                    opacidade.push(if cor == 4 { amostra(base + 1) } else { 255 });
                }
                3 => {
                    let indice = usize::from(amostra(base));
                    cores.extend_from_slice(chunks.paleta.get(indice * 3..indice * 3 + 3)?);
                    opacidade.push(chunks.transparencia.get(indice).copied().unwrap_or(255));
                }
                _ => {
                    cores.extend([amostra(base), amostra(base + 1), amostra(base + 2)]);
                    opacidade.push(if cor == 6 { amostra(base + 3) } else { 255 });
                }
            }
        }
        anterior.copy_from_slice(dados);
    }
    Some((cores, opacidade))
}

/// A sample as it stands; of 16 bits the upper eight.
fn amostra(dados: &[u8], indice: usize, bits: u8) -> u8 {
    let byte = |at: usize| dados.get(at).copied().unwrap_or(0);
    match bits {
        16 => byte(indice * 2),
        8 => byte(indice),
        _ => {
            let bits = usize::from(bits);
            let at = indice * bits;
            let desloca = 8 - bits - at % 8;
            byte(at / 8) >> desloca & ((1 << bits) - 1)
        }
    }
}

/// Grey of fewer than eight bits spread over the whole range.
fn escala(cinza: u8, bits: u8) -> u8 {
    match bits {
        1 => cinza * 255,
        2 => cinza * 85,
        4 => cinza * 17,
        _ => cinza,
    }
}

/// PNG, §9.2.
pub(crate) fn desfiltrar(filtro: u8, dados: &mut [u8], acima: &[u8], passo: usize) -> Option<()> {
    for at in 0..dados.len() {
        let lado = |fila: &[u8]| {
            at.checked_sub(passo)
                .and_then(|x| fila.get(x))
                .copied()
                .unwrap_or(0)
        };
        let esquerda = lado(dados);
        let cima = acima.get(at).copied().unwrap_or(0);
        let canto = lado(acima);
        let previsto = match filtro {
            0 => return Some(()),
            1 => esquerda,
            2 => cima,
            3 => ((u16::from(esquerda) + u16::from(cima)) / 2) as u8,
            4 => {
                let soma = i16::from(esquerda) + i16::from(cima) - i16::from(canto);
                let longe = |valor: u8| (soma - i16::from(valor)).abs();
                if longe(esquerda) <= longe(cima) && longe(esquerda) <= longe(canto) {
                    esquerda
                } else if longe(cima) <= longe(canto) {
                    cima
                } else {
                    canto
                }
            }
            _ => return None,
        };
        let byte = dados.get_mut(at)?;
        *byte = byte.wrapping_add(previsto);
    }
    Some(())
}
