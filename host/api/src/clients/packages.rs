//! Clients as packages: a folder with the client, its types, a test and a text for
//! people, as the registry of the language takes it.

use super::model::Model;
use super::{csharp, declarations, php, python, typescript};
use serde_json::{Value, json};

/// Path inside of the package's folder, content.
pub type File = (String, String);

/// Who a package is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Package {
    /// JavaScript and TypeScript.
    Npm,
    /// Python.
    Pypi,
    /// PHP.
    Composer,
    /// C#.
    Nuget,
}

impl Package {
    /// As the command line names it.
    pub fn registry(self) -> &'static str {
        words(self).registry
    }
}

/// What the packages say of themselves.
const ABOUT: &str = "Cliente do hub: documentos fiscais brasileiros por uma API JSON";

/// The text for people, with names in braces in the place of what differs.
const README: &str = include_str!("package/LEIA-ME.md");

/// The licence of the hub, which is that of its clients, too.
const TERMS: &str = include_str!("../../../../LICENSE");

/// All files of a package.
pub fn files(document: &Value, package: Package) -> Vec<File> {
    let model = Model::of(document);
    let mut files = match package {
        Package::Npm => npm(&model),
        Package::Pypi => pypi(&model),
        Package::Composer => composer(&model),
        Package::Nuget => nuget(&model),
    };
    files.push(("README.md".to_owned(), readme(&model, package)));
    files.push(file("LICENSE", TERMS));
    files
}

fn file(path: &str, content: &str) -> File {
    (path.to_owned(), content.to_owned())
}

fn npm(model: &Model) -> Vec<File> {
    let about = json!({
        "name": "hub-cliente",
        "version": model.version,
        "description": ABOUT,
        "license": "MIT",
        "type": "module",
        "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } },
        "types": "./index.d.ts",
        "files": ["index.js", "index.d.ts"],
        "engines": { "node": ">=20" },
        "scripts": { "test": "node --test" },
    });
    let about = serde_json::to_string_pretty(&about).unwrap_or_default();
    vec![
        ("package.json".to_owned(), format!("{about}\n")),
        ("index.js".to_owned(), typescript::client(model, false)),
        ("index.d.ts".to_owned(), declarations::declarations(model)),
        file("test/cliente.test.js", include_str!("package/teste.mjs")),
    ]
}

fn pypi(model: &Model) -> Vec<File> {
    let about = format!(
        "[build-system]\nrequires = [\"setuptools>=77\"]\nbuild-backend = \"setuptools.build_meta\"\n\n\
         [project]\nname = \"hub-cliente\"\nversion = \"{}\"\ndescription = \"{ABOUT}\"\nreadme = \"README.md\"\n\
         requires-python = \">=3.8\"\nlicense = \"MIT\"\nlicense-files = [\"LICENSE\"]\n\n\
         [tool.setuptools]\npackage-dir = {{ \"\" = \"src\" }}\npackages = [\"hub_cliente\"]\n\n\
         [tool.setuptools.package-data]\nhub_cliente = [\"py.typed\"]\n",
        model.version
    );
    vec![
        ("pyproject.toml".to_owned(), about),
        (
            "src/hub_cliente/__init__.py".to_owned(),
            python::client(model),
        ),
        file("src/hub_cliente/py.typed", ""),
        file("tests/test_cliente.py", include_str!("package/teste.py")),
    ]
}

fn composer(model: &Model) -> Vec<File> {
    let about = json!({
        "name": "hub/cliente",
        "version": model.version,
        "description": ABOUT,
        "license": "MIT",
        "type": "library",
        "require": { "php": ">=8.2", "ext-json": "*", "ext-openssl": "*" },
        "autoload": { "psr-4": { "HubCliente\\": "src/" } },
        "scripts": { "test": "php tests/teste.php" },
    });
    let about = serde_json::to_string_pretty(&about).unwrap_or_default();
    let mut files = vec![
        ("composer.json".to_owned(), format!("{about}\n")),
        file("tests/teste.php", include_str!("package/teste.php")),
    ];
    files.extend(php::classes(model));
    files
}

fn nuget(model: &Model) -> Vec<File> {
    let about = format!(
        "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <TargetFramework>netstandard2.0</TargetFramework>\n    \
         <LangVersion>7.2</LangVersion>\n    <PackageId>HubCliente</PackageId>\n    <Version>{}</Version>\n    \
         <Description>{ABOUT}</Description>\n    <PackageLicenseExpression>MIT</PackageLicenseExpression>\n    \
         <PackageReadmeFile>README.md</PackageReadmeFile>\n    <GenerateDocumentationFile>true</GenerateDocumentationFile>\n    \
         <NoWarn>$(NoWarn);CS1591;IDE1006</NoWarn>\n    <EnableDefaultCompileItems>false</EnableDefaultCompileItems>\n  \
         </PropertyGroup>\n  <ItemGroup>\n    <Compile Include=\"src/**/*.cs\" />\n    \
         <None Include=\"README.md;LICENSE\" Pack=\"true\" PackagePath=\"/\" />\n  </ItemGroup>\n</Project>\n",
        model.version
    );
    let test = "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <OutputType>Exe</OutputType>\n    \
                <TargetFramework>net8.0</TargetFramework>\n    <IsPackable>false</IsPackable>\n  </PropertyGroup>\n  \
                <ItemGroup>\n    <ProjectReference Include=\"../HubCliente.csproj\" />\n  </ItemGroup>\n</Project>\n";
    vec![
        ("HubCliente.csproj".to_owned(), about),
        ("src/Hub.cs".to_owned(), csharp::client(model)),
        file("tests/Teste.cs", include_str!("package/Teste.cs")),
        file("tests/Testes.csproj", test),
    ]
}

/// What differs between the texts of packages.
struct Words {
    name: &'static str,
    language: &'static str,
    registry: &'static str,
    install: &'static str,
    highlight: &'static str,
    example: &'static str,
    webhook: &'static str,
    publish: &'static str,
}

fn words(package: Package) -> Words {
    match package {
        Package::Npm => Words {
            name: "hub-cliente",
            language: "JavaScript e TypeScript (Node 20, Deno, Bun)",
            registry: "npm",
            install: "npm install hub-cliente",
            highlight: "ts",
            example: include_str!("package/exemplo.ts"),
            webhook: "await conferir_webhook(segredo, cabecalhos, corpo)",
            publish: "npm test\nnpm publish --access public",
        },
        Package::Pypi => Words {
            name: "hub-cliente",
            language: "Python 3.8 ou mais novo",
            registry: "pypi",
            install: "pip install hub-cliente",
            highlight: "python",
            example: include_str!("package/exemplo.py"),
            webhook: "conferir_webhook(segredo, cabecalhos, corpo)",
            publish: "PYTHONPATH=src python -m unittest discover -s tests\npython -m build\ntwine upload dist/*",
        },
        Package::Composer => Words {
            name: "hub/cliente",
            language: "PHP 8.2 ou mais novo",
            registry: "composer",
            install: "composer require hub/cliente",
            highlight: "php",
            example: include_str!("package/exemplo.php"),
            webhook: "Hub::conferir_webhook($segredo, $cabecalhos, $corpo)",
            publish: "composer test\n# a versão publicada é a da etiqueta do repositório\ngit tag v{versao}",
        },
        Package::Nuget => Words {
            name: "HubCliente",
            language: "C# (.NET Standard 2.0 e mais novos, Mono)",
            registry: "nuget",
            install: "dotnet add package HubCliente",
            highlight: "csharp",
            example: include_str!("package/exemplo.cs"),
            webhook: "Hub.conferir_webhook(segredo, cabecalhos, corpo)",
            publish: "dotnet run --project tests\ndotnet pack HubCliente.csproj -c Release\ndotnet nuget push bin/Release/HubCliente.{versao}.nupkg",
        },
    }
}

fn readme(model: &Model, package: Package) -> String {
    let words = words(package);
    [
        ("{nome}", words.name),
        ("{linguagem}", words.language),
        ("{tipo}", words.registry),
        ("{instalar}", words.install),
        ("{realce}", words.highlight),
        ("{exemplo}", words.example.trim_end()),
        ("{webhook}", words.webhook),
        ("{publicar}", words.publish),
        ("{base_url}", model.address()),
        ("{versao}", &model.version),
    ]
    .into_iter()
    .fold(README.to_owned(), |text, (name, value)| {
        text.replace(name, value)
    })
}
