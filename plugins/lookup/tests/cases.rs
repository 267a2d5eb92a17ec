//! Every cassette of this adapter, played natively.

#[test]
fn cases() {
    sdk::cassette::play_all(env!("CARGO_MANIFEST_DIR"), adapter_lookup::adapter());
}
