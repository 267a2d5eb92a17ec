//! From the codes of a font to letters: encodings and ToUnicode maps.

use std::collections::HashMap;

use super::LeituraError;
use crate::danfe::read::file::Arquivo;
use crate::danfe::read::object::{Dicionario, Leitor, Objeto, Simbolo};

/// Entries of one map.
const MAX_ENTRADAS: usize = 70_000;

/// How a font's codes are read.
#[derive(Default)]
pub(super) struct Fonte {
    /// Two bytes for a code.
    dupla: bool,
    /// Codes the file explains itself.
    mapa: HashMap<u32, String>,
    /// Two bytes and no explanation.
    por_glifo: bool,
    /// Entries that were read, the same ones again included.
    passos: usize,
}

impl Fonte {
    pub fn ler(arquivo: &Arquivo<'_>, dicionario: &Dicionario) -> Result<Fonte, LeituraError> {
        let composta = dicionario.nome(b"Subtype") == Some(b"Type0");
        let mut fonte = Fonte {
            dupla: composta,
            ..Fonte::default()
        };
        if let Some(referencia) = dicionario.get(b"ToUnicode")
            && let Some(fluxo) = arquivo.fluxo(referencia)?
            && let Some(cmap) = arquivo.conteudo(&fluxo)?
        {
            fonte.cmap(&cmap);
        } else if composta {
            fonte.por_glifo = true;
        } else if let Some(Objeto::Dicionario(encoding)) = arquivo.valor(dicionario, b"Encoding")?
            && let Some(Objeto::Lista(diferencas)) = arquivo.valor(&encoding, b"Differences")?
        {
            fonte.diferencas(&diferencas);
        }
        Ok(fonte)
    }

    /// `[65 /A /B 200 /zero …]`.
    fn diferencas(&mut self, diferencas: &[Objeto]) {
        let mut codigo = 0_u32;
        for objeto in diferencas.iter().take(MAX_ENTRADAS) {
            match objeto {
                Objeto::Numero(numero) => codigo = numero.max(0.0) as u32,
                Objeto::Nome(nome) => {
                    if let Some(letra) = letra_de(nome) {
                        self.mapa.insert(codigo, letra.to_string());
                    }
                    codigo = codigo.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// A ToUnicode map (§9.10.3): `bfchar` and `bfrange`.
    fn cmap(&mut self, cmap: &[u8]) {
        let mut leitor = Leitor::novo(cmap, 0);
        let mut soltos: Vec<Objeto> = Vec::new();
        while let Some(simbolo) = leitor.simbolo() {
            if self.passos >= MAX_ENTRADAS {
                return;
            }
            match simbolo {
                Simbolo::Objeto(objeto) => {
                    if soltos.len() < MAX_ENTRADAS {
                        soltos.push(objeto);
                    }
                }
                Simbolo::Palavra(palavra) => {
                    match palavra {
                        b"endcodespacerange" => {
                            // One byte a code, also in a composite font.
                            let um = |o: &Objeto| matches!(o, Objeto::Texto(t) if t.len() == 1);
                            if self.dupla && !soltos.is_empty() && soltos.iter().all(um) {
                                self.dupla = false;
                            }
                        }
                        b"endbfchar" => {
                            for par in soltos.chunks_exact(2) {
                                if let [Objeto::Texto(de), Objeto::Texto(para)] = par
                                    && !self.mapear(codigo(de), utf16(para))
                                {
                                    return;
                                }
                            }
                        }
                        b"endbfrange" => self.faixas(&soltos),
                        _ => {}
                    }
                    soltos.clear();
                }
            }
        }
    }

    fn faixas(&mut self, soltos: &[Objeto]) {
        for tres in soltos.chunks_exact(3) {
            if self.passos >= MAX_ENTRADAS {
                return;
            }
            let [Objeto::Texto(de), Objeto::Texto(ate), para] = tres else {
                continue;
            };
            let (de, ate) = (codigo(de), codigo(ate));
            match para {
                Objeto::Texto(para) => {
                    let Some((fim, comeco)) = utf16(para).pop_char() else {
                        continue;
                    };
                    for (passo, codigo) in (de..=ate.min(de.saturating_add(0xFFFF))).enumerate() {
                        let letra = u32::from(fim)
                            .checked_add(passo as u32)
                            .and_then(char::from_u32);
                        let Some(letra) = letra else { break };
                        if !self.mapear(codigo, format!("{comeco}{letra}")) {
                            return;
                        }
                    }
                }
                Objeto::Lista(lista) => {
                    for (codigo, para) in (de..=ate).zip(lista) {
                        if let Objeto::Texto(para) = para
                            && !self.mapear(codigo, utf16(para))
                        {
                            return;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// False when no more is taken.
    fn mapear(&mut self, codigo: u32, texto: String) -> bool {
        self.passos += 1;
        if texto.len() <= 32 {
            self.mapa.insert(codigo, texto);
        }
        self.passos < MAX_ENTRADAS
    }

    /// Letters of a string of codes.
    pub fn texto(&self, bytes: &[u8], out: &mut String) {
        if !self.dupla {
            for byte in bytes {
                match self.mapa.get(&u32::from(*byte)) {
                    Some(texto) => out.push_str(texto),
                    // Latin-1: digits and capitals are the same everywhere.
                    None if *byte >= b' ' => out.push(char::from(*byte)),
                    None => {}
                }
            }
            return;
        }
        for par in bytes.chunks(2) {
            let codigo = codigo(par);
            if let Some(texto) = self.mapa.get(&codigo) {
                out.push_str(texto);
            } else if self.por_glifo {
                // Glyph numbers of Microsoft's fonts: the space is number 3.
                out.extend(
                    (3..=97)
                        .contains(&codigo)
                        .then(|| char::from(codigo as u8 + 29)),
                );
            }
        }
    }
}

trait PopChar {
    fn pop_char(self) -> Option<(char, String)>;
}

impl PopChar for String {
    /// The last letter and what stands before it.
    fn pop_char(mut self) -> Option<(char, String)> {
        let letra = self.pop()?;
        Some((letra, self))
    }
}

fn codigo(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .take(4)
        .fold(0, |codigo, byte| codigo << 8 | u32::from(*byte))
}

fn utf16(bytes: &[u8]) -> String {
    let unidades = bytes.chunks(2).map(|par| codigo(par) as u16);
    char::decode_utf16(unidades)
        .map(|letra| letra.unwrap_or(' '))
        .collect()
}

/// Digits, letters and the punctuation that may stand in a key, by glyph name.
fn letra_de(nome: &[u8]) -> Option<char> {
    let nome = std::str::from_utf8(nome).ok()?;
    let nome = nome.split('.').next()?;
    let mut letras = nome.chars();
    if let (Some(letra), None) = (letras.next(), letras.next()) {
        return Some(letra);
    }
    if let Some(hexa) = nome.strip_prefix("uni").or_else(|| nome.strip_prefix('u'))
        && let Ok(codigo) = u32::from_str_radix(hexa.get(..4).unwrap_or(hexa), 16)
    {
        return char::from_u32(codigo);
    }
    Some(match nome {
        "zero" => '0',
        "one" => '1',
        "two" => '2',
        "three" => '3',
        "four" => '4',
        "five" => '5',
        "six" => '6',
        "seven" => '7',
        "eight" => '8',
        "nine" => '9',
        "space" | "nbspace" => ' ',
        "period" => '.',
        "hyphen" | "minus" => '-',
        "slash" => '/',
        "colon" => ':',
        "comma" => ',',
        _ => return None,
    })
}
