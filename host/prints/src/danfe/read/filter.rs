//! What streams are packed with (ISO 32000-1, §7.4), unpacked within a limit.

use std::io::Read as _;

use flate2::read::{DeflateDecoder, ZlibDecoder};

use crate::danfe::read::object::Dicionario;

/// Unpacked size of one stream.
pub(super) const MAX_FLUXO: usize = 24 * 1024 * 1024;
/// Filters one after the other.
const MAX_FILTROS: usize = 4;

/// What came of a stream.
pub(super) enum Aberto {
    Bytes(Vec<u8>),
    /// Packed in a way that is not for text (pictures), or broken.
    Ilegivel,
    /// More than the limit came out.
    Demais,
}

/// Applies the filters; `gasto` grows by all that was unpacked on the way.
pub(super) fn abrir(
    dados: &[u8],
    filtros: &[(Vec<u8>, Option<Dicionario>)],
    limite: usize,
    gasto: &mut usize,
) -> Aberto {
    if filtros.len() > MAX_FILTROS {
        return Aberto::Ilegivel;
    }
    let limite = limite.min(MAX_FLUXO);
    let mut atual = dados.to_vec();
    for (nome, parametros) in filtros {
        // One byte more than is allowed tells that there was more.
        let Some(aberto) = um(&atual, nome, parametros.as_ref(), limite + 1) else {
            return Aberto::Ilegivel;
        };
        atual = aberto;
        *gasto += atual.len();
        if atual.len() > limite {
            return Aberto::Demais;
        }
    }
    Aberto::Bytes(atual)
}

/// One filter; stops soon after `limite` bytes.
fn um(
    dados: &[u8],
    nome: &[u8],
    parametros: Option<&Dicionario>,
    limite: usize,
) -> Option<Vec<u8>> {
    match nome {
        b"FlateDecode" | b"Fl" => previsor(inflar(dados, limite)?, parametros),
        b"LZWDecode" | b"LZW" => {
            let cedo = parametros
                .and_then(|p| p.numero(b"EarlyChange"))
                .is_none_or(|valor| valor != 0.0);
            previsor(lzw(dados, cedo, limite)?, parametros)
        }
        b"ASCII85Decode" | b"A85" => ascii85(dados),
        b"ASCIIHexDecode" | b"AHx" => Some(hexadecimal(dados)),
        b"RunLengthDecode" | b"RL" => repeticoes(dados, limite),
        _ => None,
    }
}

/// What can be unpacked of a damaged stream is kept: text often is at its start.
fn inflar(dados: &[u8], limite: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut leitor = ZlibDecoder::new(dados).take(limite as u64);
    let inteiro = leitor.read_to_end(&mut out).is_ok();
    if !inteiro && out.is_empty() {
        // Without the two bytes of zlib's header, as some writers do.
        let mut leitor = DeflateDecoder::new(dados.get(2..)?).take(limite as u64);
        if leitor.read_to_end(&mut out).is_err() && out.is_empty() {
            return None;
        }
    }
    Some(out)
}

/// PNG and TIFF predictors (§7.4.4.4).
fn previsor(dados: Vec<u8>, parametros: Option<&Dicionario>) -> Option<Vec<u8>> {
    let numero = |nome: &[u8], senao: f32| parametros.and_then(|p| p.numero(nome)).unwrap_or(senao);
    let tipo = numero(b"Predictor", 1.0);
    if tipo < 2.0 {
        return Some(dados);
    }
    let cores = numero(b"Colors", 1.0).clamp(1.0, 32.0) as usize;
    let bits = numero(b"BitsPerComponent", 8.0).clamp(1.0, 16.0) as usize;
    let colunas = numero(b"Columns", 1.0).clamp(1.0, 1_000_000.0) as usize;
    let passo = (cores * bits).div_ceil(8);
    // No row is longer than all of the data: that would only cost memory.
    let linha = (cores * bits * colunas).div_ceil(8).min(dados.len()).max(1);
    if tipo < 10.0 {
        // TIFF, only of whole bytes.
        let mut dados = dados;
        if bits == 8 {
            for faixa in dados.chunks_mut(linha) {
                for at in passo..faixa.len() {
                    let antes = faixa.get(at - passo).copied().unwrap_or(0);
                    if let Some(byte) = faixa.get_mut(at) {
                        *byte = byte.wrapping_add(antes);
                    }
                }
            }
        }
        return Some(dados);
    }
    let mut out = Vec::with_capacity(dados.len());
    let mut acima = vec![0; linha];
    for faixa in dados.chunks(linha + 1) {
        let (filtro, faixa) = faixa.split_first()?;
        let mut atual = faixa.to_vec();
        atual.resize(linha, 0);
        crate::pdf::image::desfiltrar(*filtro, &mut atual, &acima, passo)?;
        out.extend_from_slice(&atual);
        acima = atual;
    }
    Some(out)
}

/// §7.4.4: codes of 9 to 12 bits, the most significant first.
fn lzw(dados: &[u8], cedo: bool, limite: usize) -> Option<Vec<u8>> {
    const LIMPAR: usize = 256;
    const FIM: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Each entry is a piece of what was written: where it begins and its length.
    let mut tabela: Vec<(usize, usize)> = Vec::new();
    let mut anterior: Option<(usize, usize)> = None;
    let (mut acumulado, mut tem, mut bits) = (0_u32, 0_u32, 9_u32);
    for byte in dados {
        acumulado = acumulado << 8 | u32::from(*byte);
        tem += 8;
        if tem < bits {
            continue;
        }
        tem -= bits;
        let codigo = (acumulado >> tem & ((1 << bits) - 1)) as usize;
        acumulado &= (1 << tem) - 1;
        match codigo {
            LIMPAR => {
                tabela.clear();
                anterior = None;
                bits = 9;
                continue;
            }
            FIM => break,
            _ => {}
        }
        let inicio = out.len();
        if let Ok(literal) = u8::try_from(codigo) {
            out.push(literal);
        } else if let Some((de, quantos)) = tabela.get(codigo - 258).copied() {
            out.extend_from_within(de..de + quantos);
        } else if codigo - 258 == tabela.len() {
            let (de, quantos) = anterior?;
            out.extend_from_within(de..de + quantos);
            out.push(out.get(de).copied()?);
        } else {
            return None;
        }
        if out.len() >= limite {
            break;
        }
        if let Some((de, quantos)) = anterior {
            // The piece before and the first byte of this one stand together.
            if tabela.len() < 4096 - 258 {
                tabela.push((de, quantos + 1));
            }
        }
        anterior = Some((inicio, out.len() - inicio));
        // The code after the next to be added decides, one earlier as is usual.
        bits = match tabela.len() + 258 + usize::from(cedo) {
            ..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
    }
    Some(out)
}

fn ascii85(dados: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(dados.len() * 4 / 5);
    let mut grupo: Vec<u32> = Vec::with_capacity(5);
    for byte in dados.strip_prefix(b"<~").unwrap_or(dados) {
        match byte {
            b'~' => break,
            b'z' if grupo.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => grupo.push(u32::from(byte - b'!')),
            b if crate::danfe::read::object::branco(*b) => {}
            _ => return None,
        }
        if grupo.len() == 5 {
            out.extend(quatro(&grupo)?);
            grupo.clear();
        }
    }
    if grupo.len() > 1 {
        let quantos = grupo.len() - 1;
        grupo.resize(5, 84);
        out.extend(quatro(&grupo)?.get(..quantos)?);
    }
    Some(out)
}

fn quatro(grupo: &[u32]) -> Option<[u8; 4]> {
    let valor = grupo.iter().try_fold(0_u32, |valor, digito| {
        valor.checked_mul(85)?.checked_add(*digito)
    })?;
    Some(valor.to_be_bytes())
}

fn hexadecimal(dados: &[u8]) -> Vec<u8> {
    let digitos: Vec<u8> = dados
        .iter()
        .take_while(|b| **b != b'>')
        .filter_map(|b| char::from(*b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    digitos
        .chunks(2)
        .map(|par| match par {
            [alto, baixo] => alto << 4 | baixo,
            [alto] => alto << 4,
            _ => 0,
        })
        .collect()
}

fn repeticoes(dados: &[u8], limite: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(tamanho) = dados.get(at) {
        at += 1;
        match usize::from(*tamanho) {
            128 => break,
            tamanho @ 0..=127 => {
                out.extend_from_slice(dados.get(at..=at + tamanho)?);
                at += tamanho + 1;
            }
            tamanho => {
                let byte = *dados.get(at)?;
                out.resize(out.len() + 257 - tamanho, byte);
                at += 1;
            }
        }
        if out.len() >= limite {
            break;
        }
    }
    Some(out)
}
