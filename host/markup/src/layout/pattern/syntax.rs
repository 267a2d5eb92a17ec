//! Text of a pattern to its tree.

use crate::layout::glushkov;

/// Inclusive range of code points.
pub(in crate::layout) type Trecho = (u32, u32);

/// A pattern taken apart: symbols are one character of these ranges (sorted,
/// not touching).
pub(in crate::layout) type No = glushkov::No<Vec<Trecho>>;

/// Deepest nesting of groups.
const MAX_FUNDO: usize = 32;
/// Highest count in braces.
const MAX_VEZES: u32 = 4096;
const ULTIMO: u32 = 0x0010_FFFF;

/// Reads a pattern.
///
/// # Errors
/// A sentence in English: the pattern is malformed or uses what is not supported.
pub(in crate::layout) fn le(padrao: &str) -> Result<No, String> {
    let mut leitor = Leitor {
        resto: padrao.chars().collect(),
        em: 0,
    };
    let no = leitor.escolha(0)?;
    match leitor.espia() {
        None => Ok(no),
        Some(c) => Err(format!("unexpected {c:?} in the pattern {padrao:?}")),
    }
}

struct Leitor {
    resto: Vec<char>,
    em: usize,
}

impl Leitor {
    fn espia(&self) -> Option<char> {
        self.resto.get(self.em).copied()
    }

    fn come(&mut self) -> Option<char> {
        let c = self.espia();
        self.em += usize::from(c.is_some());
        c
    }

    fn come_se(&mut self, c: char) -> bool {
        let aqui = self.espia() == Some(c);
        self.em += usize::from(aqui);
        aqui
    }

    fn escolha(&mut self, fundo: usize) -> Result<No, String> {
        if fundo > MAX_FUNDO {
            return Err("groups are nested too deeply".to_owned());
        }
        let mut ramos = vec![self.sequencia(fundo)?];
        while self.come_se('|') {
            ramos.push(self.sequencia(fundo)?);
        }
        Ok(match ramos.len() {
            1 => ramos.remove(0),
            _ => No::Escolha(ramos),
        })
    }

    fn sequencia(&mut self, fundo: usize) -> Result<No, String> {
        let mut partes = Vec::new();
        while let Some(c) = self.espia() {
            if c == '|' || c == ')' {
                break;
            }
            let atomo = self.atomo(fundo)?;
            partes.push(self.quantidade(atomo)?);
        }
        Ok(match partes.len() {
            1 => partes.remove(0),
            _ => No::Sequencia(partes),
        })
    }

    fn atomo(&mut self, fundo: usize) -> Result<No, String> {
        match self.come() {
            Some('(') => {
                let dentro = self.escolha(fundo + 1)?;
                if self.come_se(')') {
                    Ok(dentro)
                } else {
                    Err("a group is not closed".to_owned())
                }
            }
            Some('[') => Ok(No::Simbolo(self.classe()?)),
            Some('.') => Ok(No::Simbolo(inverte(&[(0xA, 0xA), (0xD, 0xD)]))),
            Some('\\') => Ok(No::Simbolo(self.escape()?)),
            Some(c @ ('?' | '*' | '+' | '{' | '}' | ']')) => {
                Err(format!("{c:?} stands where a character is expected"))
            }
            Some(c) => Ok(No::Simbolo(vec![um(c)])),
            None => Err("the pattern ends too early".to_owned()),
        }
    }

    fn quantidade(&mut self, atomo: No) -> Result<No, String> {
        let (minimo, maximo) = match self.espia() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                self.em += 1;
                let minimo = self.numero()?;
                let maximo = match self.come() {
                    Some('}') => Some(minimo),
                    Some(',') if self.come_se('}') => None,
                    Some(',') => {
                        let maximo = self.numero()?;
                        if !self.come_se('}') {
                            return Err("a count is not closed".to_owned());
                        }
                        Some(maximo)
                    }
                    _ => return Err("a count is not closed".to_owned()),
                };
                if maximo.is_some_and(|maximo| maximo < minimo) {
                    return Err("a count whose end is before its beginning".to_owned());
                }
                return Ok(No::Vezes(Box::new(atomo), minimo, maximo));
            }
            _ => return Ok(atomo),
        };
        self.em += 1;
        Ok(No::Vezes(Box::new(atomo), minimo, maximo))
    }

    fn numero(&mut self) -> Result<u32, String> {
        let mut valor: Option<u32> = None;
        while let Some(digito) = self.espia().and_then(|c| c.to_digit(10)) {
            self.em += 1;
            let novo = valor.unwrap_or(0) * 10 + digito;
            if novo > MAX_VEZES {
                return Err("a count is too high".to_owned());
            }
            valor = Some(novo);
        }
        valor.ok_or_else(|| "a count without number".to_owned())
    }

    /// After `[`.
    fn classe(&mut self) -> Result<Vec<Trecho>, String> {
        let negada = self.come_se('^');
        let mut trechos = Vec::new();
        loop {
            let inicio = match self.come() {
                None => return Err("a class is not closed".to_owned()),
                Some(']') if !trechos.is_empty() => break,
                Some('[') => return Err("\"[\" in a class".to_owned()),
                Some('\\') => {
                    let lista = self.escape()?;
                    match lista.as_slice() {
                        [(de, ate)] if de == ate => *de,
                        _ => {
                            trechos.extend(lista);
                            continue;
                        }
                    }
                }
                Some('-') if self.espia() == Some('[') => {
                    return Err("class subtraction is not supported".to_owned());
                }
                Some(c) => u32::from(c),
            };
            // A hyphen at the end stands for itself.
            let faixa = self.espia() == Some('-')
                && !matches!(self.resto.get(self.em + 1), Some(']' | '[') | None);
            if !faixa {
                trechos.push((inicio, inicio));
                continue;
            }
            self.em += 1;
            let fim = match self.come() {
                Some('\\') => match self.escape()?.as_slice() {
                    [(de, ate)] if de == ate => *de,
                    _ => return Err("a range that ends in a class".to_owned()),
                },
                Some(c) => u32::from(c),
                None => return Err("a class is not closed".to_owned()),
            };
            if fim < inicio {
                return Err("a range whose end is before its beginning".to_owned());
            }
            trechos.push((inicio, fim));
        }
        let trechos = junta(trechos);
        Ok(if negada { inverte(&trechos) } else { trechos })
    }

    /// After the backslash.
    fn escape(&mut self) -> Result<Vec<Trecho>, String> {
        let c = self.come().ok_or("the pattern ends in a backslash")?;
        Ok(match c {
            'n' => vec![(0xA, 0xA)],
            'r' => vec![(0xD, 0xD)],
            't' => vec![(0x9, 0x9)],
            's' => espacos(),
            'S' => inverte(&espacos()),
            'd' => digitos(),
            'D' => inverte(&digitos()),
            '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^'
            | ',' | '/' | ':' => vec![um(c)],
            _ => return Err(format!("the escape \\{c} is not supported")),
        })
    }
}

fn um(c: char) -> Trecho {
    (u32::from(c), u32::from(c))
}

fn espacos() -> Vec<Trecho> {
    vec![(0x9, 0xA), (0xD, 0xD), (0x20, 0x20)]
}

/// Decimal digits of all scripts of the basic plane: `\d` is `\p{Nd}` (XSD
/// part 2, F.1.1), so a date in Devanagari digits matches. Each block has ten.
fn digitos() -> Vec<Trecho> {
    const BLOCOS: [u32; 20] = [
        0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50,
        0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0x1946, 0xFF10,
    ];
    BLOCOS.iter().map(|&de| (de, de + 9)).collect()
}

/// Sorts and joins ranges that touch.
fn junta(mut trechos: Vec<Trecho>) -> Vec<Trecho> {
    trechos.sort_unstable();
    let mut saida: Vec<Trecho> = Vec::with_capacity(trechos.len());
    for (de, ate) in trechos {
        match saida.last_mut() {
            Some((_, fim)) if de <= fim.saturating_add(1) => *fim = (*fim).max(ate),
            _ => saida.push((de, ate)),
        }
    }
    saida
}

fn inverte(trechos: &[Trecho]) -> Vec<Trecho> {
    let mut saida = Vec::new();
    let mut livre = 0;
    for &(de, ate) in trechos {
        if de > livre {
            saida.push((livre, de - 1));
        }
        livre = ate + 1;
    }
    if livre <= ULTIMO {
        saida.push((livre, ULTIMO));
    }
    saida
}
