//! What `hub client --package` writes: the programs of the registries make a package of
//! it, which installs into an empty folder and is imported there. None asks a network.

use crate::lane::program;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package that the command writes, in a folder that it makes.
fn written(folder: &Path, registry: &str) -> PathBuf {
    let package = folder.join(registry);
    let mut command = Command::new(program());
    command.args(["client", "--package", registry, "--folder"]);
    let said = done(command.arg(&package), folder);
    assert_eq!(said.trim(), package.display().to_string());
    package
}

/// What a program prints that works in a folder.
fn done(command: &mut Command, folder: &Path) -> String {
    command
        .current_dir(folder)
        .env("npm_config_cache", folder.join("cache"))
        .env("npm_config_offline", "true")
        .env("PIP_NO_INDEX", "1")
        .env("PIP_NO_CACHE_DIR", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // The tests' own file of roots has none: pip cannot read it.
        .env_remove("SSL_CERT_FILE")
        // `cargo test` says where the checkout is.
        .env_remove("CARGO_MANIFEST_DIR");
    let ran = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {said}{errors}");
    said
}

fn empty(folder: &Path, name: &str) -> PathBuf {
    let made = folder.join(name);
    std::fs::create_dir(&made).expect("a folder");
    made
}

/// The licence is the project's own.
fn assert_terms(file: &Path) {
    let read = |path: &Path| std::fs::read_to_string(path).expect("a licence");
    let own = tests::adapters::workspace().join("LICENSE");
    assert_eq!(read(file), read(&own));
}

#[test]
fn the_npm_package_is_packed_installed_and_imported() {
    if !judges::has("npm") || !judges::has("node") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let package = written(at, "npm");
    let said = done(Command::new("npm").args(["pack", "--silent"]), &package);
    let packed = package.join(said.trim());
    let place = empty(at, "program");
    // Without it npm would look for a program in the folders above.
    std::fs::write(place.join("package.json"), "{\"private\":true}").expect("written");
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]);
    done(install.arg(packed), &place);
    let installed = place.join("node_modules/hub-cliente");
    assert_terms(&installed.join("LICENSE"));
    assert!(installed.join("index.d.ts").exists(), "without its types");
    let script = "import { Hub, ErroDoHub } from \"hub-cliente\";\n\
        const hub = new Hub({ base_url: \"https://hub.example\", chave: \"svc_test_1\" });\n\
        console.log(typeof hub.nfe_create, typeof hub.nfe_list_todos, ErroDoHub.name);\n";
    std::fs::write(place.join("program.mjs"), script).expect("written");
    let said = done(Command::new("node").arg("program.mjs"), &place);
    assert_eq!(said.trim(), "function function ErroDoHub");
}

/// The Python of the tests, if its setuptools builds what the package declares.
fn builder() -> Option<String> {
    let python = tests::python::with("setuptools.build_meta, pip")?;
    let version = "import setuptools; print(setuptools.__version__.split('.')[0])";
    let said = Command::new(&python).args(["-c", version]).output();
    let said = String::from_utf8(said.expect("it runs").stdout).expect("text");
    let version: u32 = said.trim().parse().expect("a number");
    if version < 77 {
        judges::skipped(format_args!("setuptools {version} is older than 77"));
        return None;
    }
    Some(python)
}

#[test]
fn the_python_package_is_built_installed_and_imported() {
    let Some(python) = builder() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let package = written(at, "pypi");
    let pip = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "--quiet"]).args(arguments);
        command
    };
    let build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir"];
    let built = empty(at, "built");
    done(pip(&build).arg(&built).arg("."), &package);
    let mut made = std::fs::read_dir(&built).expect("a folder");
    let archive = made.next().expect("a wheel").expect("an entry").path();
    let place = empty(at, "program");
    let install = ["install", "--no-deps", "--target", "."];
    done(pip(&install).arg(&archive), &place);
    let about = std::fs::read_dir(&place).expect("a folder");
    let mut about = about.map(|entry| entry.expect("an entry").path());
    let about = about.find(|path| path.extension().is_some_and(|kind| kind == "dist-info"));
    assert_terms(
        &about
            .expect("what it says of itself")
            .join("licenses/LICENSE"),
    );
    let typed = place.join("hub_cliente/py.typed");
    assert!(typed.exists(), "without its types");
    let script = "from importlib.metadata import version\n\
        from hub_cliente import ErroDoHub, Hub\n\
        hub = Hub(base_url=\"https://hub.example\", chave=\"svc_test_1\")\n\
        print(callable(hub.nfe_create), callable(hub.nfe_list_todos), ErroDoHub.__name__, version(\"hub-cliente\"))\n";
    std::fs::write(place.join("program.py"), script).expect("written");
    let said = done(Command::new(&python).arg("program.py"), &place);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said.trim(), format!("True True ErroDoHub {version}"));
}
