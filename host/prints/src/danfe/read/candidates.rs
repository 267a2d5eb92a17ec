//! Which of the numbers of a text is the key of the note.

use std::collections::HashMap;

use crate::danfe::read::page::Trecho;
use markup::ids::chave::digito;

/// Positions of a key.
const TAMANHO: usize = 44;
/// Characters between two positions of a key: blanks, dots, a line end.
const MAX_ENTRE: usize = 3;
/// Different keys that are remembered.
const MAX_CANDIDATAS: usize = 40;

/// A text of 44 positions with the structure of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidata {
    pub chave: String,
    pub dv_confere: bool,
    pontos: i32,
}

impl Candidata {
    pub fn modelo(&self) -> &str {
        self.chave.get(20..22).unwrap_or("")
    }

    /// Of an NF-e or NFC-e.
    pub fn de_nota(&self) -> bool {
        matches!(self.modelo(), "55" | "65")
    }
}

/// Keys of all pages, each once.
#[derive(Default)]
pub(super) struct Candidatas {
    todas: Vec<Candidata>,
    indice: HashMap<String, usize>,
}

impl Candidatas {
    /// Looks through a page: as drawn, and line by line as it is seen.
    pub fn pagina(&mut self, trechos: &[Trecho], primeira: bool) {
        let desenhado = juntar(trechos.iter());
        let visto = linhas(trechos);
        let compacto: String = desenhado
            .chars()
            .filter(|c| c.is_ascii_alphanumeric())
            .collect();
        for texto in [&desenhado, &visto] {
            self.procurar(texto, &compacto, primeira);
        }
    }

    fn procurar(&mut self, texto: &str, compacto: &str, primeira: bool) {
        let bytes = texto.as_bytes();
        let (mut at, mut anterior) = (0, 0);
        while at < bytes.len() {
            let Some(fim) = comeca(bytes, at).then(|| correr(bytes, at)).flatten() else {
                at += 1;
                continue;
            };
            let chave = limpar(bytes.get(at..fim).unwrap_or(&[]));
            if !existe(&chave) {
                at += 1;
                continue;
            }
            let antes = texto.get(..at).unwrap_or("");
            // A caption is of the first key after it.
            let legenda = antes.get(anterior..).unwrap_or("");
            self.contar(chave, (antes, legenda), compacto, primeira);
            (at, anterior) = (fim, fim);
        }
    }

    fn contar(
        &mut self,
        chave: String,
        (antes, legenda): (&str, &str),
        compacto: &str,
        primeira: bool,
    ) {
        let mut pontos = 1;
        let perto = final_de(antes, 160).to_ascii_lowercase();
        if final_de(legenda, 160)
            .to_ascii_lowercase()
            .contains("chave")
        {
            pontos += 20;
        }
        // "NF-e referenciada: …" is somebody else's key.
        if final_de(&perto, 70).contains("refer") {
            pontos -= 40;
        }
        if primeira {
            pontos += 5;
        }
        match self.indice.get(&chave) {
            Some(at) => {
                if let Some(candidata) = self.todas.get_mut(*at) {
                    // Seen twice on each page that shows it: both readings.
                    candidata.pontos = candidata.pontos.max(pontos) + 1;
                }
            }
            None if self.todas.len() < MAX_CANDIDATAS => {
                // The issuer and the number stand elsewhere on the page, too.
                let emitente = chave.get(6..20).unwrap_or("");
                let fora = compacto.matches(emitente).count();
                let dentro = compacto.matches(&*chave).count();
                if fora > dentro {
                    pontos += 15;
                }
                let numero = chave.get(25..34).unwrap_or("");
                if compacto.matches(numero).count() > dentro {
                    pontos += 10;
                }
                let dv = chave.get(..43).map(|base| digito(base.as_bytes()));
                let dado = chave.bytes().last().map(|b| b - b'0');
                if dv == dado {
                    pontos += 12;
                }
                if titulo(compacto)
                    .is_some_and(|modelos| modelos.contains(&chave.get(20..22).unwrap_or("")))
                {
                    pontos += 30;
                }
                self.indice.insert(chave.clone(), self.todas.len());
                self.todas.push(Candidata {
                    dv_confere: dv == dado,
                    chave,
                    pontos,
                });
            }
            None => {}
        }
    }

    /// The key that the paper shows as its own. A paper also names others: a
    /// transport its notes, a return the note of the sale. So neither a right
    /// check digit nor a note's model decides alone.
    pub fn melhor(&self) -> Option<&Candidata> {
        self.todas
            .iter()
            .rev()
            .max_by_key(|candidata| (candidata.pontos, candidata.dv_confere, candidata.de_nota()))
    }
}

/// Models of the document whose paper has this title.
fn titulo(compacto: &str) -> Option<&'static [&'static str]> {
    let titulos: [(&str, &[&str]); 3] = [
        ("DACTE", &["57", "67"]),
        ("DAMDFE", &["58"]),
        ("DANFE", &["55", "65"]),
    ];
    let compacto = compacto.to_ascii_uppercase();
    let achado = titulos
        .into_iter()
        .find(|(titulo, _)| compacto.contains(titulo));
    achado.map(|(_, modelos)| modelos)
}

/// May a key begin here? Not within a longer word or number, but after `NFe`.
fn comeca(bytes: &[u8], at: usize) -> bool {
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let antes = bytes.get(at.saturating_sub(3)..at).unwrap_or(&[]);
    match antes.last() {
        Some(b) if b.is_ascii_alphanumeric() => antes.eq_ignore_ascii_case(b"NFe"),
        _ => true,
    }
}

/// Where 44 positions from here end; none if something else comes between.
fn correr(bytes: &[u8], de: usize) -> Option<usize> {
    let mut posicoes = 0;
    let mut entre = 0;
    let mut at = de;
    while posicoes < TAMANHO {
        let byte = *bytes.get(at)?;
        let serve = match posicoes {
            6..18 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            _ => byte.is_ascii_digit(),
        };
        if serve {
            posicoes += 1;
            entre = 0;
        } else if matches!(
            byte,
            b' ' | b'.' | b'-' | b'/' | b'\n' | b'\r' | b'\t' | 0xA0 | 0xC2
        ) {
            entre += 1;
            if entre > MAX_ENTRE {
                return None;
            }
        } else {
            return None;
        }
        at += 1;
    }
    // Not the beginning of a longer number.
    match bytes.get(at) {
        Some(b) if b.is_ascii_alphanumeric() => None,
        _ => Some(at),
    }
}

fn limpar(bytes: &[u8]) -> String {
    bytes
        .iter()
        .filter(|b| b.is_ascii_alphanumeric())
        .map(|b| char::from(*b))
        .collect()
}

/// State, month and model are such as exist.
fn existe(chave: &str) -> bool {
    let numero = |de: usize, ate: usize| -> u8 {
        chave.get(de..ate).and_then(|t| t.parse().ok()).unwrap_or(0)
    };
    chave.len() == TAMANHO
        && data::ufs::por_codigo(numero(0, 2)).is_some()
        && (1..=12).contains(&numero(4, 6))
        && matches!(numero(20, 22), 55 | 57..=59 | 62..=67)
}

fn final_de(texto: &str, quantos: usize) -> &str {
    let mut de = texto.len().saturating_sub(quantos);
    while !texto.is_char_boundary(de) {
        de += 1;
    }
    texto.get(de..).unwrap_or("")
}

fn juntar<'t>(trechos: impl Iterator<Item = &'t Trecho>) -> String {
    let mut out = String::new();
    for trecho in trechos {
        out.push_str(&trecho.texto);
        out.push('\n');
    }
    out
}

/// The text as it is seen: pieces of the same height are one line.
pub(super) fn linhas(trechos: &[Trecho]) -> String {
    // Along the writing, and down the page.
    let onde = |trecho: &Trecho| match trecho.rumo {
        0 => (trecho.x, -trecho.y),
        1 => (trecho.y, trecho.x),
        2 => (-trecho.x, trecho.y),
        _ => (-trecho.y, -trecho.x),
    };
    let mut ordem: Vec<(u8, f32, f32, &Trecho)> = trechos
        .iter()
        .map(|trecho| {
            let (ao_longo, abaixo) = onde(trecho);
            (trecho.rumo, abaixo, ao_longo, trecho)
        })
        .collect();
    ordem.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut out = String::new();
    let mut resto = &mut ordem[..];
    while let Some(primeiro) = resto.first() {
        let (rumo, altura) = (primeiro.0, primeiro.1);
        // Two points are less than the leading of the smallest print.
        let quantos = resto
            .iter()
            .take_while(|um| um.0 == rumo && um.1 - altura < 2.0)
            .count()
            .max(1);
        let (linha, depois) = resto.split_at_mut(quantos);
        linha.sort_by(|a, b| a.2.total_cmp(&b.2));
        for um in linha.iter() {
            out.push_str(&um.3.texto);
            out.push(' ');
        }
        out.push('\n');
        resto = depois;
    }
    out
}
