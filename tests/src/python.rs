//! The Python the tests use, where there is one.

use std::process::Command;

/// An interpreter that has a module: the one `HUB_TEST_PYTHON` names, or the
/// system's. None, and a line that says so, where none has it.
pub fn with(module: &str) -> Option<String> {
    let named = std::env::var("HUB_TEST_PYTHON").ok();
    let all = named
        .into_iter()
        .chain(["/usr/bin/python3".to_owned(), "python3".to_owned()]);
    let has = |python: &String| {
        let asked = Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = all.into_iter().find(has);
    if found.is_none() {
        judges::skipped(format_args!(
            "no python with {module} (set HUB_TEST_PYTHON)"
        ));
    }
    found
}
