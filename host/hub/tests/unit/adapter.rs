use hub::adapter::build::{progress, why};
use hub::adapter::scaffold::check_name;

#[test]
fn progress_is_told_from_what_the_compiler_says() {
    let blocked = "    Blocking waiting for file lock on build directory";
    let waiting = "waiting for file lock on build directory";
    assert_eq!(progress(blocked), Some(("Blocking", waiting)));
    let compiling = "   Compiling sdk v0.1.0";
    assert_eq!(progress(compiling), Some(("Compiling", "sdk v0.1.0")));
    for said in [
        "error: cannot find value",
        "warning: unused variable: `a`",
        " --> src/lib.rs:1:1",
        "  |",
        "12 |     let a = 1;",
        "   = note: `#[warn(unused_variables)]` on by default",
        "",
    ] {
        assert_eq!(progress(said), None, "{said}");
    }
}

#[test]
fn a_stale_lock_file_is_no_error_of_the_compiler() {
    for said in [
        "error: cannot update the lock file /hub/Cargo.lock because --locked was passed to prevent this\n",
        "error: the lock file /hub/Cargo.lock needs to be updated but --locked was passed to prevent this\n",
    ] {
        let reason = why("adapter-a", said);
        assert!(
            reason.starts_with("Cargo.lock is out of date"),
            "{said}{reason}"
        );
    }
    let reason = why("adapter-a", "error[E0425]: cannot find value `lock`\n");
    assert!(reason.contains("does not compile"), "{reason}");
}

#[test]
fn names_are_plain() {
    for good in ["betha", "webiss-2", "a"] {
        assert!(check_name(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "sdk",
        "Betha",
        "../x",
        "2x",
        "x-",
        "a b",
        "ação",
        &"x".repeat(40),
    ] {
        assert!(check_name(bad).is_err(), "{bad}");
    }
}
