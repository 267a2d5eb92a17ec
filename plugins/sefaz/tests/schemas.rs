//! What the adapter reads and answers is what `wit/schemas` publishes.

#[test]
fn contents_are_published() {
    sdk::cassette::published(
        env!("CARGO_MANIFEST_DIR"),
        adapter_sefaz::adapter(),
        "sefaz.",
    );
}
