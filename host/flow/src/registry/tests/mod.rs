//! Tests of the registry: the shipped file, and small ones with one mistake.

mod answers;
mod facts;
mod hostile;
mod mistakes;
mod routing;

use std::sync::OnceLock;

use super::Registry;

/// The shipped registry.
const SHIPPED: &str = include_str!("../../../../../providers.toml");

/// The shipped registry, read once.
fn shipped() -> &'static Registry {
    static READ: OnceLock<Registry> = OnceLock::new();
    READ.get_or_init(|| {
        Registry::parse(SHIPPED).unwrap_or_else(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("providers.toml:\n{}", lines.join("\n"))
        })
    })
}

/// A small registry that is right; tests replace a piece of it.
const SMALL: &str = r#"[registro]
versao = 1
verificado = 2026-11-20
emissor_nacional_fonte = "lista"
mudanca_presumida = 2026-01-01
mudanca_presumida_fonte = "lei"

[fontes.lei]
nome = "Lei"
data = 2025-01-16

[fontes.lista]
nome = "Lista oficial"
data = 2026-09-28

[adapters.abrasf]
componente = "abrasf"
endpoints = ["nfse"]

[adapters.abrasf.options]
aliquota = { tipo = "escolha", valores = ["fracao", "percentual"] }
assina = { tipo = "lista", valores = ["lote", "rps"] }
certificado_tls = { tipo = "logico" }
intervalo_ms = { tipo = "inteiro" }
limite = { tipo = "decimal" }
namespace = { tipo = "texto" }

[adapters.dps]
componente = "dps"
endpoints = ["sefin"]

[systems.nacional]
nome = "Padrão Nacional"
via = "nacional"
adapter = "dps"
producao = { sefin = "https://sefin.example/SefinNacional" }
fonte = "lei"

[systems.base]
nome = "Base"
adapter = "abrasf"
fonte = "lei"
options = { aliquota = "fracao", namespace = "urn:base" }

[systems.filho]
herda = "base"
padrao = "ABRASF 2.02"
credenciais = ["usuario"]
options = { aliquota = "percentual", assina = ["rps", "lote"] }

[systems.outro]
nome = "Outro"
fonte = "lei"

[regras.simples]
regimes = ["simples_me_epp"]
sistema = "nacional"
de = 2026-11-01
motivo = "ME e EPP emitem pelo emissor nacional."
fonte = "lei"

[conflitos.dois]
motivo = "As fontes discordam."
fontes = ["lei", "lista"]

[municipios]
1100015 = { nome = "Alta", uf = "RO", rota = { sistema = "filho", producao = "https://alta.example/ws" }, fonte = "lei" }
1100023 = { nome = "Baixa", uf = "RO", rota = { sistema = "outro" }, emissor_nacional = true, conflito = "dois", fonte = "lei" }
1100031 = { nome = "Calada", uf = "RO" }
1100049 = { nome = "Dobrada", uf = "RO", rota = { sistema = "nacional" }, anterior = { sistema = "filho", verificado = 2025-06-16, producao = "https://dobrada.example/ws" }, fonte = "lei" }
"#;

/// [`SMALL`] with one piece replaced, which must be there once.
fn small_with(old: &str, new: &str) -> String {
    assert_eq!(
        SMALL.matches(old).count(),
        1,
        "\"{old}\" must be there once"
    );
    SMALL.replace(old, new)
}
