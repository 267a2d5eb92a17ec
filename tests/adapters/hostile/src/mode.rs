//! Which misbehaviour this copy has.

/// A mark, and after its colon the name, filled up with spaces. The tests
/// overwrite the name in the compiled module.
#[used]
static MODE: [u8; 40] = *b"HOSTILE-MODE:good                       ";

const MARK: usize = "HOSTILE-MODE:".len();

pub fn mode() -> &'static str {
    // Without the box the compiler would use the name it sees here.
    let name = std::hint::black_box(&MODE).get(MARK..).unwrap_or_default();
    std::str::from_utf8(name).unwrap_or_default().trim_end()
}
