//! Names and texts as they are looked for: lower case without the accents of Portuguese. Both
//! engines find what is folded here, once, when it is written.

/// A piece of text as it is looked for: lower case without accents, and the
/// wildcards of LIKE taken literally.
pub fn part(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in plain(text.trim()) {
        if matches!(letter, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Column `busca`: what pieces of text are looked for in. A line each, so that a
/// pattern can ask for the first.
pub(super) fn searched(name: &str, reference: &str) -> String {
    let mut text: String = plain(name).collect();
    text.push('\n');
    text.extend(plain(reference));
    text.push('\n');
    text
}

/// Each letter of a text is one letter of the folded one.
pub(super) fn is_letter_by_letter(text: &str) -> bool {
    plain(text).count() == text.chars().count()
}

/// A pattern that every text has which has this part ([`part`]) once it is folded, and others,
/// too: engines lower and fold in ways of their own. Empty: none.
pub(super) fn near(part: &str) -> String {
    if part.is_empty() {
        return String::new();
    }
    let mut pattern = "%".to_owned();
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                pattern.push(letter);
                pattern.extend(letters.next());
            }
            // What is folded to these signs may be another one: "á", "ç", the Kelvin sign, a
            // line feed.
            'a' | 'e' | 'i' | 'o' | 'u' | 'c' | 'k' | ' ' => pattern.push('_'),
            other if other.is_ascii() => pattern.push(other),
            _ => pattern.push('_'),
        }
    }
    pattern.push('%');
    pattern
}

/// Whether a text has this part ([`part`]) once it is folded.
pub(super) fn has(text: &str, part: &str) -> bool {
    let mut literal = String::with_capacity(part.len());
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        literal.extend(if letter == '\\' {
            letters.next()
        } else {
            Some(letter)
        });
    }
    plain(text).collect::<String>().contains(&literal)
}

/// The pattern of a name that has this part; empty: any name.
pub(super) fn in_name(part: &str) -> String {
    match part {
        "" => String::new(),
        part => format!("%{part}%\n%\n"),
    }
}

/// A name as it is looked for.
pub(super) fn folded(name: &str) -> String {
    plain(name.trim()).collect()
}

/// Lower case without the accents of Portuguese, whatever the engine lowers.
fn plain(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .flat_map(char::to_lowercase)
        .map(|letter| match letter {
            'á' | 'à' | 'â' | 'ã' => 'a',
            'é' | 'ê' => 'e',
            'í' => 'i',
            'ó' | 'ô' | 'õ' => 'o',
            'ú' | 'ü' => 'u',
            'ç' => 'c',
            // The end of a line is that of a name.
            '\n' => ' ',
            other => other,
        })
}
