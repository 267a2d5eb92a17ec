//! What is no file of a bounded size is not read.

use flow::component::bounded;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

#[test]
fn devices_and_large_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.wasm");
    std::fs::write(&file, [7; 10]).expect("written");
    assert_eq!(bounded::read(&file, 10).expect("read"), [7; 10]);
    let kind = |path: &Path, limit| bounded::read(path, limit).map_err(|error| error.kind());
    assert_eq!(kind(&file, 9), Err(ErrorKind::FileTooLarge));
    assert_eq!(
        kind(Path::new("/dev/zero"), 10),
        Err(ErrorKind::InvalidInput)
    );
    let fifo = folder.path().join("b.wasm");
    let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    assert_eq!(kind(&fifo, 10), Err(ErrorKind::InvalidInput));
    assert_eq!(kind(folder.path(), 10), Err(ErrorKind::InvalidInput));
}
