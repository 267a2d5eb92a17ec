//! Tests of the registry: the shipped file, and small ones with one mistake.

mod addresses;
mod answers;
mod export;
mod facts;
mod hostile;
mod mistakes;
mod routing;
mod sefaz;

use std::sync::OnceLock;

use flow::registry::Registry;

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
maximo = { tipo = "inteiro" }
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

[adapters.sefaz]
componente = "sefaz"
endpoints = ["autorizacao", "consulta"]

[adapters.sefaz.options]
metodo = { tipo = "escolha", valores = ["um", "dois"] }
soap = { tipo = "escolha", valores = ["1.1", "1.2"] }

[autorizadores.AN]
nome = "Ambiente Nacional"
adapter = "sefaz"
orgao = 91
fonte = "lei"

[autorizadores.AN.nfe.servicos]
distribuicao = { producao = "https://an.example/dist", homologacao = "https://hom-an.example/dist" }
evento_an = { producao = "https://an.example/evento" }

[autorizadores.SVC-AN]
nome = "Contingência"
adapter = "sefaz"
tp_emis = 6
fonte = "lei"

[autorizadores.SVC-AN.nfe]
producao = "https://svc.example/ws"
servicos = { autorizacao = "aut.asmx", consulta = "cons.asmx" }

[autorizadores.SVC-SP]
nome = "Contingência de CT-e"
adapter = "sefaz"
tp_emis = 8
fonte = "lei"

[autorizadores.SVC-SP.cte]
producao = "https://svc-cte.example/ws"
servicos = { autorizacao = "Sinc", consulta = "Consulta" }

[autorizadores.SVX]
nome = "SEFAZ Virtual"
adapter = "sefaz"
fonte = "lei"
verificado = 2026-06-23
options = { metodo = "dois" }

[autorizadores.SVX.nfe]
producao = "https://nfe.svx.example/ws"
homologacao = "https://hom.svx.example/ws"
servicos = { autorizacao = "a/Aut4.asmx", consulta = "Cons4.asmx", cadastro = { producao = "https://cad.svx.example/cad.asmx" } }

[autorizadores.SVX.nfce]
producao = "https://nfce.svx.example/ws"
servicos = { autorizacao = "Aut4", consulta = "Cons4" }
options = { soap = "1.1" }

[autorizadores.SVX.cte]
producao = "https://cte.svx.example/ws"
servicos = { autorizacao = "Sinc4", consulta = "Consulta4" }

[autorizadores.SVX.mdfe]
producao = "https://mdfe.svx.example/ws"
servicos = { autorizacao = "Sinc3", consulta = "Consulta3", nao_encerrados = "NaoEnc3" }

[ufs]
AC = { ibge = 12, nfe = "SVX", nfce = "SVX", contingencia = "SVC-AN", cte = "SVX", contingencia_cte = "SVC-SP", mdfe = "SVX", cadastro = "SVX", fuso = "-05:00", fonte = "lei" }
AL = { ibge = 27, nfe = "SVX", nfce = "SVX", cte = "SVX", contingencia_cte = "SVC-SP", mdfe = "SVX", contingencia = "SVC-AN", fuso = "-03:00", fonte = "lei", verificado = 2026-01-31 }

[tls]
"cad.svx.example" = { renegociacao = true, nivel_seguranca = 1, cifras = ["DHE-RSA-AES128-GCM-SHA256"], raiz = "publica", evidencia = "provavel", fonte = "lista" }
"nfe.svx.example" = { raiz = "icp_brasil", evidencia = "sonda", fonte = "lista", verificado = 2026-09-25 }

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
