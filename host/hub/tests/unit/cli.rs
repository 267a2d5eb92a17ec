use clap::ValueEnum as _;
use clap_complete::Shell;
use hub::cli::bench::product::{no_verdict, schema};
use hub::cli::log::OURS;
use hub::cli::serve::{ends_with_its_terminal, listen};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Every crate of the host is in `OURS`: one that is not would log nothing
/// below `warn`.
#[test]
fn every_crate_of_the_host_has_a_level() {
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folders = std::fs::read_dir(host).expect("the folder of the crates");
    let mut crates: Vec<String> = folders
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    crates.sort();
    assert_eq!(crates, OURS);
}

#[tokio::test]
async fn an_address_in_use_is_named_with_what_helps() {
    let first = listen("server.listen", "127.0.0.1:0", "--listen").await;
    let address = first.as_ref().expect("a port").local_addr();
    let address = address.expect("an address").to_string();
    let second = listen("server.listen", &address, "--listen").await;
    let said = second.expect_err("it is taken").to_string();
    assert!(
        said.starts_with(&format!("server.listen = {address}: ")),
        "{said}"
    );
    assert!(
        said.ends_with("; choose another with --listen, or stop what listens there"),
        "{said}"
    );
    let nowhere = listen("server.listen", "nowhere", "--listen").await;
    let said = nowhere.expect_err("no address").to_string();
    assert!(!said.contains("--listen"), "{said}");
}

#[test]
fn who_ignores_the_terminal_goes_on_ignoring_it() {
    let status = |mask: &str| format!("SigBlk:\t0000000000000000\nSigIgn:\t{mask}\n");
    assert!(ends_with_its_terminal(&status("0000000000001000")));
    assert!(!ends_with_its_terminal(&status("0000000000001001")));
    assert!(!ends_with_its_terminal(""));
}

#[test]
fn a_schema_that_is_a_folder_is_told_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given = |path: &Path| schema(Some(path.into())).map_err(|error| error.to_string());
    let said = given(folder).expect_err("a folder");
    assert!(
        said.contains("a folder") && said.contains("nfe_v4.00.xsd"),
        "{said}"
    );
    let said = given(&folder.join("nfe_v4.00.xsd")).expect_err("no file");
    assert!(said.contains("no such file"), "{said}");
    let file = folder.join("Cargo.toml");
    assert_eq!(given(&file), Ok(file));
    let said = schema(None).expect_err("not set").to_string();
    assert!(said.starts_with("set HUB_BENCH_XSD"), "{said}");
}

#[test]
fn only_a_verdict_of_the_schema_is_told_as_one() {
    let schema = Path::new("nfe.xsd");
    let said = no_verdict(Some(3), schema, b"0.xml:1: element NFe\n0.xml fails");
    assert_eq!(
        said,
        "the official XSD refuses the note: 0.xml:1: element NFe"
    );
    let said = no_verdict(Some(5), schema, b"WXS schema nfe.xsd failed to compile\n");
    assert!(
        said.starts_with("xmllint cannot use nfe.xsd: WXS"),
        "{said}"
    );
}

/// Commands that print something else than a list, or that change something: those alone
/// need no `--json`. Whoever adds a command decides.
const NO_LIST: [&str; 33] = [
    "up",
    "serve",
    "migrate",
    "backup",
    "restore",
    "move-store",
    "completions",
    "manual",
    "health",
    // It is JSON.
    "openapi",
    "collection postman",
    "collection bruno",
    "client",
    "account",
    "release",
    "password",
    "second-factor",
    "adapter new",
    "adapter build",
    "adapter pack",
    "adapter record",
    "adapter dev",
    "adapter install",
    "adapter canary",
    "adapter promote",
    "adapter activate",
    "adapter rollback",
    // Its format is chosen by `--format`.
    "registry export",
    "vault rotate",
    "layouts compile",
    "data import",
    "data undo",
    "roots import",
];
/// What is printed while it is done, line by line: nobody waits for the end.
const RUNS: [&str; 6] = [
    "adapter test",
    "compact",
    "load fill",
    "registry agreements",
    "sim",
    "bench",
];

/// Every command with its words behind `hub`, groups too.
fn commands() -> Vec<(String, clap::Command)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), hub::cli::command())];
    while let Some((words, command)) = open.pop() {
        for below in command.get_subcommands() {
            if below.get_name() != "help" {
                let words = format!("{words} {}", below.get_name());
                open.push((words.trim_start().to_owned(), below.clone()));
            }
        }
        found.push((words, command));
    }
    found
}

/// The words of an example, as a shell reads it: up to a redirection.
fn words(example: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in example.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(letter),
        }
    }
    let end = words.iter().position(|word| word == ">");
    words.truncate(end.unwrap_or(words.len()));
    words
}

#[test]
fn every_help_has_an_example_that_is_taken() {
    let all = commands();
    assert!(all.len() > 50, "only {} commands", all.len());
    for (name, command) in all {
        let help = command.get_after_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let example = help.lines().find_map(|line| line.strip_prefix("Example: "));
        let example = example.unwrap_or_else(|| panic!("hub {name} --help has no example"));
        let words = words(example);
        assert_eq!(words[0], "hub", "{example}");
        let taken = hub::cli::command().try_get_matches_from(&words);
        let taken = taken.unwrap_or_else(|error| panic!("{example}: {error}"));
        // It is one of this command, not of another.
        let mut matches = &taken;
        for word in name.split(' ').filter(|word| !word.is_empty()) {
            let (found, below) = matches.subcommand().unwrap_or_else(|| panic!("{example}"));
            assert_eq!(found, word, "{example}");
            matches = below;
        }
    }
}

#[test]
fn every_list_is_there_for_programs() {
    let mut unused: Vec<&str> = NO_LIST.into_iter().chain(RUNS).collect();
    for (name, command) in commands() {
        if command
            .get_subcommands()
            .any(|below| below.get_name() != "help")
        {
            continue;
        }
        let json = command
            .get_arguments()
            .any(|argument| argument.get_long() == Some("json"));
        let excepted = unused.iter().position(|known| *known == name);
        assert!(
            json != excepted.is_some(),
            "hub {name}: with --json it is in no list here, and without it in one of them"
        );
        if let Some(place) = excepted {
            unused.remove(place);
        }
    }
    assert!(unused.is_empty(), "no such commands: {unused:?}");
}

/// Runs the program.
fn printed(arguments: &[&str]) -> String {
    let mut hub = Command::new(env!("CARGO_BIN_EXE_hub"));
    let ran = hub.args(arguments).output().expect("hub");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {said}");
    String::from_utf8(ran.stdout).expect("text")
}

/// Runs a program of the machine; None: it is not there.
fn asked(program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).output().ok()
}

/// Each script names the commands and flags, and its shell reads it where it is on the
/// machine.
#[test]
fn every_shell_has_completions() {
    let folder = tempfile::tempdir().expect("folder");
    for shell in Shell::value_variants() {
        let shell = shell.to_string();
        let script = printed(&["completions", &shell]);
        for word in ["accounts", "unblock", "move-store", "requests-per-minute"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let read_only = match shell.as_str() {
            "bash" | "zsh" => "-n",
            "fish" => "--no-execute",
            _ => continue,
        };
        let file = folder.path().join(&shell);
        std::fs::write(&file, script).expect("written");
        let file = file.to_str().expect("a path");
        let Some(read) = asked(&shell, &[read_only, file]) else {
            continue;
        };
        let said = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success() && said.is_empty(), "{shell}: {said}");
    }
}

/// A page of each command, with its example; `man` or `mandoc` shows it where it is on the
/// machine.
#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("folder");
    let pages = folder.path().join("man1");
    let path = pages.to_str().expect("a path");
    assert!(printed(&["manual", path]).contains(path));
    let names = std::fs::read_dir(&pages).expect("pages").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names: BTreeSet<String> = names.collect();
    let expected: BTreeSet<String> = commands()
        .into_iter()
        .map(|(words, _)| format!("hub {words}").trim_end().replace(' ', "-") + ".1")
        .collect();
    assert_eq!(names, expected);
    for name in &names {
        let page = std::fs::read_to_string(pages.join(name)).expect("a page");
        for part in [".TH hub", ".SH NAME", "Example: hub "] {
            assert!(page.contains(part), "{name}: {part}");
        }
    }
    let page = pages.join("hub-accounts-limits.1");
    let page = page.to_str().expect("a path");
    // An image without manual pages has a script of this name, which shows none.
    let version = asked("man", &["--version"]);
    let is_known = version.is_some_and(|said| said.stdout.starts_with(b"man "));
    let mut readers = vec![("mandoc", vec!["-T", "utf8", page])];
    if is_known {
        readers.push(("man", vec!["-P", "cat", "-l", page]));
    }
    for (reader, arguments) in readers {
        let Some(shown) = asked(reader, &arguments) else {
            continue;
        };
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.status.success(), "{reader}: {text}");
        assert!(text.contains("accounts"), "{reader}: {text}");
    }
}
