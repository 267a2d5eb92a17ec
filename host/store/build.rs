//! Lists the migrations of both engines for `src/migrations.rs`: names and
//! texts, in the order of their numbers.

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut list = String::new();
    for engine in ["sqlite", "postgres"] {
        let folder = folder.join(engine);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<_> = fs::read_dir(&folder)
            .expect("folder of migrations")
            .map(|entry| entry.expect("migration").path())
            .collect();
        files.sort();
        list += &format!(
            "pub const {}: &[(&str, &str)] = &[\n",
            engine.to_uppercase()
        );
        for file in files {
            let name = file
                .file_stem()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            let file = fs::canonicalize(&file).expect("migration");
            list += &format!("    ({name:?}, include_str!({file:?})),\n");
        }
        list += "];\n";
    }
    let out = env::var_os("OUT_DIR").expect("OUT_DIR");
    fs::write(Path::new(&out).join("migrations.rs"), list).expect("list of migrations");
}
