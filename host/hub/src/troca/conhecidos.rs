//! What was hidden once, to be hidden wherever it is repeated: authorities
//! put names and numbers of a note into their sentences.

use std::collections::{BTreeMap, BTreeSet};

/// Values remembered of one document; one of 990 items has many more, but
/// those of its people come first.
const VALORES: usize = 4_000;
/// Values looked for letter by letter.
const JUNTOS: usize = 500;
/// Words of a value; an authority does not repeat a whole text.
const PALAVRAS: usize = 40;
/// Letters two words must have together to stand for the value they begin.
const PREFIXO: usize = 8;

#[derive(Default)]
pub(super) struct Conhecidos {
    /// Values as their words, by the first of them.
    frases: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Letters and digits of values that are numbers of something.
    numeros: BTreeSet<String>,
    /// Amounts without their cents, and short numbers: too common to be
    /// looked for but in sentences.
    curtos: BTreeSet<String>,
    /// Long ones without their blanks, to be found within other words.
    juntos: BTreeSet<Vec<char>>,
    quantos: usize,
}

/// A word and where it stands, in characters.
struct Palavra {
    texto: String,
    de: usize,
    ate: usize,
}

impl Conhecidos {
    pub(super) fn aprender(&mut self, valor: &str) {
        if self.quantos >= VALORES {
            return;
        }
        let letters: Vec<char> = valor.chars().take(2_000).collect();
        let words: Vec<String> = palavras(&letters)
            .into_iter()
            .take(PALAVRAS)
            .map(|palavra| palavra.texto)
            .collect();
        let joined: String = words.concat();
        let digits = joined.bytes().filter(u8::is_ascii_digit).count();
        if digits >= 6 && joined.len() >= 8 {
            self.quantos += usize::from(self.numeros.insert(joined.clone()));
        }
        let short = match words.as_slice() {
            [whole] if digits == joined.len() && digits >= 4 => Some(whole),
            [whole, cents] if digits == joined.len() && whole.len() >= 3 && cents.len() == 2 => {
                Some(whole)
            }
            _ => None,
        };
        if let Some(short) = short {
            self.quantos += usize::from(self.curtos.insert(short.clone()));
        }
        let letters = joined.chars().any(char::is_alphabetic);
        if letters && joined.chars().count() >= PREFIXO && self.juntos.len() < JUNTOS {
            self.juntos.insert(joined.chars().collect());
        }
        if joined.chars().count() >= 4 && letters || digits >= 8 {
            self.frase(words);
        }
    }

    fn frase(&mut self, words: Vec<String>) {
        if let Some(first) = words.first() {
            let known = self.frases.entry(first.clone()).or_default();
            self.quantos += usize::from(known.insert(words));
        }
    }

    /// Whether a text repeats one of these values.
    pub(super) fn repete(&self, texto: &str) -> bool {
        let letters: Vec<char> = texto.chars().collect();
        let mut hidden = vec![false; letters.len()];
        self.marcar(&letters, &mut hidden);
        hidden.contains(&true)
    }

    /// Whether a value that should be a code is one of these, or has one of
    /// their numbers within.
    pub(super) fn contem(&self, valor: &str) -> bool {
        let letters: Vec<char> = valor.chars().collect();
        let words = palavras(&letters).into_iter();
        let bare: String = words.map(|palavra| palavra.texto).collect();
        let number = bare.len() >= 8 && self.numeros.iter().any(|number| bare.contains(number));
        number || self.repete(valor)
    }

    /// Marks what a sentence repeats.
    pub(super) fn ocultar(&self, letters: &[char], hidden: &mut [bool]) {
        self.marcar(letters, hidden);
        for word in palavras(letters) {
            if self.curtos.contains(&word.texto) {
                mark(hidden, word.de, word.ate);
            }
        }
        let compact: Vec<(usize, char)> = letters
            .iter()
            .enumerate()
            .filter(|(_, letter)| letter.is_alphanumeric())
            .map(|(at, letter)| (at, dobrada(*letter)))
            .collect();
        for known in &self.juntos {
            for part in compact.windows(known.len()) {
                let same = part
                    .iter()
                    .zip(known)
                    .all(|((_, letter), known)| letter == known);
                if let ([(from, _), ..], [.., (to, _)], true) = (part, part, same) {
                    mark(hidden, *from, to + 1);
                }
            }
        }
    }

    fn marcar(&self, letters: &[char], hidden: &mut [bool]) {
        let words = palavras(letters);
        for (index, first) in words.iter().enumerate() {
            let Some(known) = self.frases.get(&first.texto) else {
                continue;
            };
            let rest = words.get(index..).unwrap_or_default();
            let longest = known.iter().map(|frase| repeated(rest, frase)).max();
            if let Some(last) = longest.and_then(|count| rest.get(count.checked_sub(1)?)) {
                mark(hidden, first.de, last.ate);
            }
        }
    }
}

fn mark(hidden: &mut [bool], from: usize, to: usize) {
    if let Some(letters) = hidden.get_mut(from..to) {
        letters.fill(true);
    }
}

/// How many words from here on are those of a value: all of them, or enough
/// of its beginning to tell it.
fn repeated(words: &[Palavra], frase: &[String]) -> usize {
    let same = words
        .iter()
        .zip(frase)
        .take_while(|(word, known)| word.texto == **known)
        .count();
    let letters: usize = frase
        .iter()
        .take(same)
        .map(|word| word.chars().count())
        .sum();
    if same == frase.len() || same >= 2 && letters >= PREFIXO {
        same
    } else {
        0
    }
}

/// Runs of letters and digits, without case and accents.
fn palavras(letters: &[char]) -> Vec<Palavra> {
    let mut words: Vec<Palavra> = Vec::new();
    for (index, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            continue;
        }
        let plain = dobrada(*letter);
        match words.last_mut() {
            Some(word) if word.ate == index => {
                word.texto.push(plain);
                word.ate = index + 1;
            }
            _ => words.push(Palavra {
                texto: plain.to_string(),
                de: index,
                ate: index + 1,
            }),
        }
    }
    words
}

/// A letter as it is compared.
fn dobrada(letter: char) -> char {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    match lower {
        'à'..='å' | 'ª' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'º' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}
