//! Which misbehaviour this copy has.

/// A mark, and after its colon the name, filled up with spaces. The tests
/// overwrite the name in the compiled module.
#[used]
static MODE: [u8; 40] = *b"HOSTILE-MODE:good                       ";

const MARK: usize = "HOSTILE-MODE:".len();

/// How this copy misbehaves.
pub fn mode() -> &'static str {
    marked().split_once('@').map_or(marked(), |(mode, _)| mode)
}

/// The adapter it says it is: what stands after an `@`, or a name of its own.
pub fn name() -> String {
    let other = marked().split_once('@').map(|(_, name)| name.to_owned());
    other.unwrap_or_else(|| format!("hostil-{}", mode()))
}

fn marked() -> &'static str {
    // Without the box the compiler would use the name it sees here.
    let name = std::hint::black_box(&MODE).get(MARK..).unwrap_or_default();
    std::str::from_utf8(name).unwrap_or_default().trim_end()
}
