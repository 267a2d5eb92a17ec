//! Objects of a PDF (ISO 32000-1, §7.3) as a tolerant reader sees them.

/// Deepest nesting of lists and dictionaries.
const MAX_PROFUNDIDADE: usize = 24;
/// Entries of one list or dictionary.
const MAX_ENTRADAS: usize = 100_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Objeto {
    Nulo,
    Numero(f32),
    Nome(Vec<u8>),
    Texto(Vec<u8>),
    Lista(Vec<Objeto>),
    Dicionario(Dicionario),
    Referencia(u32),
}

/// Names and what they stand for, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Dicionario(pub Vec<(Vec<u8>, Objeto)>);

impl Dicionario {
    pub fn get(&self, nome: &[u8]) -> Option<&Objeto> {
        self.0
            .iter()
            .find(|(chave, _)| chave == nome)
            .map(|(_, valor)| valor)
    }

    /// A name among the values, as in `/Type /Page`.
    pub fn nome(&self, nome: &[u8]) -> Option<&[u8]> {
        match self.get(nome)? {
            Objeto::Nome(valor) => Some(valor),
            _ => None,
        }
    }

    pub fn numero(&self, nome: &[u8]) -> Option<f32> {
        self.get(nome)?.numero()
    }
}

impl Objeto {
    pub fn numero(&self) -> Option<f32> {
        match self {
            Objeto::Numero(numero) => Some(*numero),
            _ => None,
        }
    }

    pub fn dicionario(&self) -> Option<&Dicionario> {
        match self {
            Objeto::Dicionario(dicionario) => Some(dicionario),
            _ => None,
        }
    }
}

/// An object, or a word that is none: an operator, `obj`, `stream`.
#[derive(Debug, PartialEq)]
pub(super) enum Simbolo<'p> {
    Objeto(Objeto),
    Palavra(&'p [u8]),
}

/// Reads symbols one after the other.
pub(super) struct Leitor<'p> {
    bytes: &'p [u8],
    pub at: usize,
}

impl<'p> Leitor<'p> {
    pub fn novo(bytes: &'p [u8], at: usize) -> Leitor<'p> {
        Leitor { bytes, at }
    }

    pub fn resto(&self) -> &'p [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn ver(&self, adiante: usize) -> Option<u8> {
        self.bytes.get(self.at + adiante).copied()
    }

    /// Past blanks and comments.
    pub fn pular(&mut self) {
        while let Some(byte) = self.ver(0) {
            if byte == b'%' {
                while self.ver(0).is_some_and(|b| b != b'\n' && b != b'\r') {
                    self.at += 1;
                }
            } else if branco(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The next symbol; none at the end or where nothing can be read, which
    /// ends the reading.
    pub fn simbolo(&mut self) -> Option<Simbolo<'p>> {
        self.ler(MAX_PROFUNDIDADE)
    }

    /// The next symbol if it is an object; `1 0 R` is one.
    pub fn object(&mut self) -> Option<Objeto> {
        let inicio = self.at;
        match self.simbolo()? {
            Simbolo::Objeto(Objeto::Numero(numero)) => {
                let depois = self.at;
                if let Some(referencia) = self.referencia(numero) {
                    return Some(referencia);
                }
                self.at = depois;
                Some(Objeto::Numero(numero))
            }
            Simbolo::Objeto(objeto) => Some(objeto),
            Simbolo::Palavra(b"null" | b"true" | b"false") => Some(Objeto::Nulo),
            Simbolo::Palavra(_) => {
                self.at = inicio;
                None
            }
        }
    }

    /// The rest of `1 0 R` after the 1.
    fn referencia(&mut self, numero: f32) -> Option<Objeto> {
        if numero < 0.0 || numero.fract() != 0.0 || numero > 8_000_000.0 {
            return None;
        }
        self.pular();
        let geracao = self.palavra();
        if geracao.is_empty() || !geracao.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.pular();
        (self.palavra() == b"R").then_some(Objeto::Referencia(numero as u32))
    }

    fn ler(&mut self, profundidade: usize) -> Option<Simbolo<'p>> {
        self.pular();
        let objeto = match self.ver(0)? {
            b'/' => {
                self.at += 1;
                Objeto::Nome(sem_escapes(self.palavra()))
            }
            b'(' => Objeto::Texto(self.literal()?),
            b'<' if self.ver(1) == Some(b'<') => {
                self.at += 2;
                Objeto::Dicionario(self.dicionario(profundidade.checked_sub(1)?)?)
            }
            b'<' => Objeto::Texto(self.hexadecimal()?),
            b'[' => {
                self.at += 1;
                Objeto::Lista(self.lista(profundidade.checked_sub(1)?)?)
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let palavra = self.palavra();
                match numero(palavra) {
                    Some(numero) => Objeto::Numero(numero),
                    None => return Some(Simbolo::Palavra(palavra)),
                }
            }
            b')' | b'>' | b']' | b'{' | b'}' => {
                let um = self.bytes.get(self.at..self.at + 1)?;
                self.at += 1;
                return Some(Simbolo::Palavra(um));
            }
            _ => return Some(Simbolo::Palavra(self.palavra())),
        };
        Some(Simbolo::Objeto(objeto))
    }

    /// Regular characters from here on.
    pub fn palavra(&mut self) -> &'p [u8] {
        let inicio = self.at;
        while self.ver(0).is_some_and(|b| !branco(b) && !delimitador(b)) {
            self.at += 1;
        }
        self.bytes.get(inicio..self.at).unwrap_or(&[])
    }

    fn lista(&mut self, profundidade: usize) -> Option<Vec<Objeto>> {
        let mut out = Vec::new();
        loop {
            match self.ler(profundidade)? {
                Simbolo::Palavra(b"]") => return Some(out),
                Simbolo::Palavra(b"R") => juntar_referencia(&mut out)?,
                Simbolo::Palavra(b"null" | b"true" | b"false") => out.push(Objeto::Nulo),
                Simbolo::Palavra(_) => return None,
                Simbolo::Objeto(objeto) => out.push(objeto),
            }
            if out.len() > MAX_ENTRADAS {
                return None;
            }
        }
    }

    fn dicionario(&mut self, profundidade: usize) -> Option<Dicionario> {
        let mut soltos = Vec::new();
        loop {
            match self.ler(profundidade)? {
                Simbolo::Palavra(b">") => {
                    if self.ver(0) == Some(b'>') {
                        self.at += 1;
                    }
                    break;
                }
                Simbolo::Palavra(b"R") => juntar_referencia(&mut soltos)?,
                Simbolo::Palavra(b"null" | b"true" | b"false") => soltos.push(Objeto::Nulo),
                Simbolo::Palavra(_) => return None,
                Simbolo::Objeto(objeto) => soltos.push(objeto),
            }
            if soltos.len() > MAX_ENTRADAS {
                return None;
            }
        }
        let mut out = Vec::with_capacity(soltos.len() / 2);
        let mut soltos = soltos.into_iter();
        while let Some(chave) = soltos.next() {
            if let (Objeto::Nome(chave), Some(valor)) = (chave, soltos.next()) {
                out.push((chave, valor));
            }
        }
        Some(Dicionario(out))
    }

    /// `( … )` with nested parentheses and escapes (§7.3.4.2).
    fn literal(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let mut out = Vec::new();
        let mut abertos = 1;
        loop {
            let byte = self.ver(0)?;
            self.at += 1;
            match byte {
                b'(' => abertos += 1,
                b')' => {
                    abertos -= 1;
                    if abertos == 0 {
                        return Some(out);
                    }
                }
                b'\\' => {
                    self.escape(&mut out)?;
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let byte = self.ver(0)?;
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => {
                if self.ver(0) == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            b'0'..=b'7' => {
                let mut valor = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digito @ b'0'..=b'7') = self.ver(0) else {
                        break;
                    };
                    valor = valor * 8 + u32::from(digito - b'0');
                    self.at += 1;
                }
                out.push((valor & 0xFF) as u8);
            }
            outro => out.push(outro),
        }
        Some(())
    }

    fn hexadecimal(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let mut out = Vec::new();
        let mut metade: Option<u8> = None;
        loop {
            let byte = self.ver(0)?;
            self.at += 1;
            if byte == b'>' {
                out.extend(metade.map(|alto| alto << 4));
                return Some(out);
            }
            let Some(valor) = char::from(byte).to_digit(16) else {
                continue;
            };
            let valor = valor as u8;
            match metade.take() {
                Some(alto) => out.push(alto << 4 | valor),
                None => metade = Some(valor),
            }
        }
    }
}

/// The last two numbers become a reference.
fn juntar_referencia(soltos: &mut Vec<Objeto>) -> Option<()> {
    soltos.pop()?;
    let numero = soltos.pop()?.numero()?;
    let inteiro = (0.0..=8_000_000.0).contains(&numero) && numero.fract() == 0.0;
    soltos.push(if inteiro {
        Objeto::Referencia(numero as u32)
    } else {
        Objeto::Nulo
    });
    Some(())
}

/// `#41` in a name is an A.
fn sem_escapes(nome: &[u8]) -> Vec<u8> {
    if !nome.contains(&b'#') {
        return nome.to_vec();
    }
    let mut out = Vec::with_capacity(nome.len());
    let mut at = 0;
    while let Some(byte) = nome.get(at) {
        let hexa = nome
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'#')
            .and_then(|dois| std::str::from_utf8(dois).ok())
            .and_then(|dois| u8::from_str_radix(dois, 16).ok());
        match hexa {
            Some(valor) => {
                out.push(valor);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

fn numero(palavra: &[u8]) -> Option<f32> {
    if palavra.len() > 40
        || !palavra
            .iter()
            .all(|b| matches!(b, b'+' | b'-' | b'.' | b'0'..=b'9'))
    {
        return None;
    }
    // Some writers put two signs: "--5".
    let texto = std::str::from_utf8(palavra).ok()?.trim_start_matches("-+");
    let texto = texto.strip_prefix("--").unwrap_or(texto);
    texto.parse().ok()
}

pub(super) fn branco(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn delimitador(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_as_written() {
        let texto = b"<< /A [1 -2.5 (a\\(b\\)\\101(c)) <4142 3>] /B#20C 7 0 R % x\n /D << /E true >> >> stream";
        let mut leitor = Leitor::novo(texto, 0);
        let objeto = leitor.object().expect("a dictionary");
        let dicionario = objeto.dicionario().expect("a dictionary");
        assert_eq!(
            dicionario.get(b"A"),
            Some(&Objeto::Lista(vec![
                Objeto::Numero(1.0),
                Objeto::Numero(-2.5),
                Objeto::Texto(b"a(b)A(c)".to_vec()),
                Objeto::Texto(b"AB0".to_vec()),
            ]))
        );
        assert_eq!(dicionario.get(b"B C"), Some(&Objeto::Referencia(7)));
        assert_eq!(leitor.simbolo(), Some(Simbolo::Palavra(b"stream")));
    }

    #[test]
    fn nesting_and_junk_end() {
        for texto in [
            &b"[".repeat(100_000)[..],
            &b"<<".repeat(100_000)[..],
            b"(((((",
            b"<41",
            b"[1 2",
            b"<< /A",
        ] {
            assert_eq!(Leitor::novo(texto, 0).object(), None);
        }
    }
}
