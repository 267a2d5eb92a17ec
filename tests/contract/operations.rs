//! The list of operations nobody has built yet only gets shorter.

use std::collections::BTreeSet;
use tests::adapters::workspace;

/// `BLESS=1` removes the lines of what is built; nothing ever adds one.
#[test]
fn missing_operations_only_shrink() {
    let path = workspace().join("host/hub/missing-operations.txt");
    let text = std::fs::read_to_string(&path).expect("the list");
    let listed: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let missing: BTreeSet<&str> = api::missing()
        .into_iter()
        .map(|row| row.operation.as_str())
        .collect();
    let lost: Vec<_> = missing.difference(&listed).collect();
    assert!(
        lost.is_empty(),
        "these operations were built, or are new in the table, and answer 501 now: {lost:?}"
    );
    let built: Vec<_> = listed.difference(&missing).collect();
    if built.is_empty() {
        return;
    }
    assert!(
        std::env::var_os("BLESS").is_some(),
        "built by now, run with BLESS=1 to remove them from {}: {built:?}",
        path.display()
    );
    let kept: String = text
        .lines()
        .filter(|line| line.starts_with('#') || missing.contains(line))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(path, kept).expect("write");
}
