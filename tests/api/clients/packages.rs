//! Clients as packages: each is compiled and passes its own tests, where the machine has
//! the language.

use super::there;
use api::clients::packages::{Package, files};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A package in a folder of its own.
fn written(package: Package) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (path, text) in files(&super::document(), package) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(path, text).expect("written");
    }
    folder
}

fn passes(command: &mut Command, folder: &Path) {
    let ran = command
        .current_dir(folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("it runs");
    assert!(
        ran.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// The program that a package's README shows, in a file beside it.
fn shown(folder: &Path, fence: &str, file: &str, head: &str) {
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
    let code = readme.split_once(&format!("```{fence}\n"));
    let code = code.and_then(|(_, rest)| rest.split_once("\n```"));
    let (code, _) = code.expect("an example");
    std::fs::write(folder.join(file), format!("{head}{code}\n")).expect("written");
}

#[test]
fn packages_have_what_a_registry_wants() {
    let version = api::openapi::document("")["info"]["version"].clone();
    let version = version.as_str().expect("a version");
    for (package, about) in [
        (Package::Npm, "package.json"),
        (Package::Pypi, "pyproject.toml"),
        (Package::Composer, "composer.json"),
        (Package::Nuget, "HubCliente.csproj"),
    ] {
        let all = files(&super::document(), package);
        let names: BTreeSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), all.len(), "{package:?}: a file twice");
        let text = |wanted: &str| {
            let found = all.iter().find(|(name, _)| name == wanted);
            found
                .unwrap_or_else(|| panic!("{package:?} has no {wanted}"))
                .1
                .as_str()
        };
        assert!(
            text(about).contains(version),
            "{package:?}: {}",
            text(about)
        );
        assert!(
            names.iter().any(|name| name.starts_with("test")),
            "{package:?}"
        );
        let client = all
            .iter()
            .filter(|(name, _)| name.starts_with("src/") || name == "index.js");
        let code: String = client.map(|(_, text)| text.as_str()).collect();
        let readme = text("README.md");
        for said in [
            "## Instalar",
            "base_url",
            "prazo_s",
            "nfe_create",
            "https://hub.example",
        ] {
            assert!(readme.contains(said), "{package:?}: {said}");
        }
        let terms = std::fs::read_to_string(tests::adapters::workspace().join("LICENSE"));
        assert_eq!(text("LICENSE"), terms.expect("a licence"), "{package:?}");
        for left in ["{versao}", "{exemplo}", "{base_url}", "{publicar}"] {
            assert!(!readme.contains(left), "{package:?}: {left}");
        }
        for setting in [
            "base_url",
            "chave",
            "tentativas",
            "prazo_s",
            "espera_maxima_s",
        ] {
            assert!(code.contains(setting), "{package:?}: {setting}");
        }
    }
}

#[test]
fn the_npm_package_passes_its_test() {
    if !there("node") {
        return;
    }
    let folder = written(Package::Npm);
    passes(Command::new("node").arg("--test"), folder.path());
    let Some(compiler) = std::env::var_os("HUB_TEST_TSC") else {
        judges::skipped("HUB_TEST_TSC does not name a TypeScript compiler");
        return;
    };
    // A program with its types.
    let example = "import { Hub } from \"./index.js\";\n\
        const hub = new Hub({ base_url: \"https://hub.example\", chave: \"svc_test_1\", prazo_s: 5 });\n\
        const nota = await hub.nfe_create({ itens: [{ ncm: \"09012100\", quantidade: 2 }] }, { idempotency_key: \"1\" });\n\
        await hub.nfe_create({ itens: [{ quantidade: 2 }] }, {}, { idempotency_key: \"2\" });\n\
        const id: string = nota.id;\n\
        for await (const item of hub.nfe_list_todos({ limite: 10 })) console.log(item.id === id);\n\
        // @ts-expect-error: no such member\n\
        await hub.nfe_create({ itens: [{ quantidad: 2 }] });\n";
    std::fs::write(folder.path().join("program.ts"), example).expect("written");
    let node = "declare const process: { env: Record<string, string | undefined> };\n";
    shown(folder.path(), "ts", "exemplo.ts", node);
    let mut command = Command::new(compiler);
    command.args([
        "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext",
    ]);
    command.args(["--lib", "es2022,dom,dom.iterable"]);
    command.args(["program.ts", "exemplo.ts"]);
    passes(&mut command, folder.path());
}

#[test]
fn the_python_package_passes_its_test() {
    if !there("python3") {
        return;
    }
    let folder = written(Package::Pypi);
    let mut command = Command::new("python3");
    command.args(["-m", "unittest", "discover", "-s", "tests"]);
    let command = command
        .env("PYTHONPATH", "src")
        .env("no_proxy", "127.0.0.1");
    passes(command, folder.path());
    let Some(python) = tests::python::with("mypy") else {
        return;
    };
    shown(folder.path(), "python", "exemplo.py", "");
    let mut command = Command::new(python);
    command.args(["-m", "mypy", "--strict", "--cache-dir", "/dev/null"]);
    let command = command.env("MYPYPATH", "src");
    passes(
        command.args(["src/hub_cliente", "exemplo.py"]),
        folder.path(),
    );
}

#[test]
fn the_php_package_passes_its_test() {
    if there("php") {
        let folder = written(Package::Composer);
        shown(folder.path(), "php", "exemplo.php", "<?php\n");
        for file in ["src/Base.php", "src/Hub.php", "exemplo.php"] {
            passes(Command::new("php").args(["-l", file]), folder.path());
        }
        passes(Command::new("php").arg("tests/teste.php"), folder.path());
    }
}

/// Compiled by Mono, whose compiler knows no newer C# than the client is written in.
#[test]
fn the_csharp_package_passes_its_test() {
    if !there("mcs") || !there("mono") {
        return;
    }
    let folder = written(Package::Nuget);
    let mut command = Command::new("mcs");
    command.args([
        "-langversion:7.2",
        "-r:System.Net.Http.dll",
        "-out:teste.exe",
    ]);
    passes(
        command.args(["src/Hub.cs", "tests/Teste.cs"]),
        folder.path(),
    );
    passes(Command::new("mono").arg("teste.exe"), folder.path());
}
