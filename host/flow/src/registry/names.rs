//! Comparing municipality names the way people type them.

/// Longest name looked at, in characters: the longest of the table has 32.
const MAX_CHARS: usize = 120;

/// Lower case, without accents, spaces and punctuation: "Embu-Guaçu" and
/// "embu guacu" become the same text, and so do "d'Oeste" and "D Oeste".
pub fn fold(name: &str) -> String {
    name.chars()
        .take(MAX_CHARS)
        .flat_map(char::to_lowercase)
        .map(plain)
        .filter(|c| c.is_ascii_alphanumeric())
        .collect()
}

fn plain(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        // Combining marks and everything else fall to the filter.
        other => other,
    }
}
