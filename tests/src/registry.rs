//! A registry of a few cities, for hubs that shall ask only these.

/// Everything but the cities: one system of ABRASF, spoken to by its adapter.
pub const HEAD: &str = r#"[registro]
versao = 1
verificado = 2026-11-20
emissor_nacional_fonte = "lei"
mudanca_presumida = 2026-01-01
mudanca_presumida_fonte = "lei"

[fontes.lei]
nome = "Lei"
data = 2025-01-16

[adapters.abrasf]
componente = "abrasf"
endpoints = ["nfse"]

[systems.base]
nome = "Base"
padrao = "ABRASF 2.02"
adapter = "abrasf"
fonte = "lei"

[municipios]
"#;

/// The line of a city of that system at an address.
pub fn city(ibge: &str, url: &str) -> String {
    format!(
        "{ibge} = {{ nome = \"Cidade {ibge}\", uf = \"RO\", rota = {{ sistema = \"base\", producao = \"{url}\" }}, fonte = \"lei\" }}\n"
    )
}
