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
