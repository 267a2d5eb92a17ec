//! The options of a system, read once per step.

use crate::version::Versao;
use sdk::nfse::table::edition;
use sdk::soap::{Version, Wrapper};
use sdk::{Context, Failure};

/// How a note is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modo {
    Gerar,
    LoteSincrono,
    Lote,
}

/// How the SOAP operation is written as an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estilo {
    /// `GerarNfseRequest`.
    Request,
    /// `GerarNfse`.
    Metodo,
    /// `gerarNfse`.
    Camel,
}

/// How `ItemListaServico` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// "01.05", the enumeration of 2.03.
    ComZero,
    /// "1.05".
    SemZero,
    /// "0105".
    SemPonto,
}

/// Where the group IBSCBS of LC 214/2025 goes, if the city has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LugarIbsCbs {
    Nenhum,
    /// At the end of `InfDeclaracaoPrestacaoServico` (WebISS).
    Declaracao,
    /// At the end of `Valores` (Giss).
    Valores,
}

/// What carries a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assina {
    pub rps: bool,
    pub lote: bool,
    pub cancelamento: bool,
    pub consulta: bool,
}

/// All options of `describe`, typed.
#[derive(Clone, Debug)]
pub struct Opcoes {
    pub versao: Versao,
    pub modo: Modo,
    pub namespace: String,
    /// With `{mensagem}`: one namespace per message, `namespace` has the types.
    pub namespace_mensagem: Option<String>,
    pub envelope: Wrapper,
    /// None: the message goes without header.
    pub cabecalho: Option<Wrapper>,
    pub versao_cabecalho: String,
    pub versao_lote: bool,
    pub soap: Version,
    pub soap_namespace: String,
    pub soap_action: String,
    pub estilo: Estilo,
    pub parametro_cabecalho: String,
    pub parametro_dados: String,
    pub parametros_qualificados: bool,
    pub assina: Assina,
    pub atributo_id: String,
    pub credenciais: bool,
    pub aliquota_fracao: bool,
    pub item: Item,
    pub data_hora: bool,
    pub ibs_cbs: LugarIbsCbs,
    pub certificado_tls: bool,
    pub intervalo_ms: u64,
}

/// Shortest and longest first interval between two queries.
const INTERVALO_MS: (u64, u64, u64) = (1_000, 5_000, 600_000);

const ESTILOS: [(&str, Estilo); 3] = [
    ("request", Estilo::Request),
    ("metodo", Estilo::Metodo),
    ("camel", Estilo::Camel),
];
const ITENS: [(&str, Item); 3] = [
    ("com_zero", Item::ComZero),
    ("sem_zero", Item::SemZero),
    ("sem_ponto", Item::SemPonto),
];
const LUGARES: [(&str, LugarIbsCbs); 3] = [
    ("nenhum", LugarIbsCbs::Nenhum),
    ("declaracao", LugarIbsCbs::Declaracao),
    ("valores", LugarIbsCbs::Valores),
];
const MODOS: [(&str, Modo); 3] = [
    ("lote", Modo::Lote),
    ("gerar", Modo::Gerar),
    ("lote_sincrono", Modo::LoteSincrono),
];

fn errada(nome: &str) -> Failure {
    Failure::other(&format!("opcao {nome} invalida no cadastro"))
}

/// What the option stands for; the first one where it is not set.
fn escolha<T: Copy>(ctx: &Context, nome: &str, valores: &[(&str, T)]) -> Result<T, Failure> {
    let dado = ctx.option(nome);
    let achado = match dado {
        None => valores.first(),
        Some(dado) => valores.iter().find(|(valor, _)| *valor == dado),
    };
    achado.map(|(_, valor)| *valor).ok_or_else(|| errada(nome))
}

impl Opcoes {
    /// What the city's layout is in the contract's table: its version, and the
    /// system whose extension for IBS and CBS it has.
    pub fn edition(&self) -> u16 {
        let extension = match self.ibs_cbs {
            LugarIbsCbs::Nenhum => 0,
            LugarIbsCbs::Declaracao => edition::WEBISS,
            LugarIbsCbs::Valores => edition::GISS,
        };
        self.versao.edition() | extension
    }

    /// # Errors
    /// A value that `describe` does not list: the registry is wrong, nothing
    /// was sent.
    pub fn ler(ctx: &Context) -> Result<Self, Failure> {
        let texto = |nome: &str, padrao: &str| ctx.option(nome).unwrap_or(padrao).to_owned();
        let versao = ctx
            .option("versao")
            .and_then(Versao::ler)
            .ok_or_else(|| errada("versao"))?;
        let modo = escolha(ctx, "modo", &MODOS)?;
        if versao.primeira() && modo != Modo::Lote {
            return Err(errada("modo"));
        }
        let envelope = Wrapper::from_name(ctx.option("envelope").unwrap_or("esc"))
            .ok_or_else(|| errada("envelope"))?;
        let cabecalho = match ctx.option("cabecalho").unwrap_or("esc") {
            "none" => None,
            nome => Some(Wrapper::from_name(nome).ok_or_else(|| errada("cabecalho"))?),
        };
        let soap = escolha(ctx, "soap", &[("1.1", Version::V11), ("1.2", Version::V12)])?;
        let estilo = escolha(ctx, "metodo_estilo", &ESTILOS)?;
        let item = escolha(ctx, "item_lista", &ITENS)?;
        let ibs_cbs = escolha(ctx, "ibs_cbs", &LUGARES)?;
        let data_hora = match ctx.option("formato_data") {
            None => versao.primeira(),
            Some("data") => false,
            Some("data_hora") => true,
            Some(_) => return Err(errada("formato_data")),
        };
        let aliquota_fracao = escolha(ctx, "aliquota", &[("percentual", false), ("fracao", true)])?;
        let credenciais = escolha(
            ctx,
            "credenciais",
            &[("none", false), ("usuario_senha_nos", true)],
        )?;
        let (menor, padrao, maior) = INTERVALO_MS;
        Ok(Opcoes {
            versao,
            modo,
            namespace: texto("namespace", "http://www.abrasf.org.br/nfse.xsd"),
            namespace_mensagem: ctx.option("namespace_mensagem").map(str::to_owned),
            envelope,
            cabecalho,
            versao_cabecalho: texto("versao_cabecalho", versao.nome()),
            versao_lote: ctx.option_flag("versao_lote", true),
            soap,
            soap_namespace: texto("soap_namespace", "http://nfse.abrasf.org.br"),
            soap_action: texto("soap_action", "http://nfse.abrasf.org.br/{metodo}"),
            estilo,
            parametro_cabecalho: texto("parametro_cabecalho", "nfseCabecMsg"),
            parametro_dados: texto("parametro_dados", "nfseDadosMsg"),
            parametros_qualificados: ctx.option_flag("parametros_qualificados", false),
            assina: assina(ctx.option("assina").unwrap_or_default())
                .ok_or_else(|| errada("assina"))?,
            atributo_id: match ctx.option("atributo_id").unwrap_or("Id") {
                nome @ ("Id" | "id") => nome.to_owned(),
                _ => return Err(errada("atributo_id")),
            },
            credenciais,
            aliquota_fracao,
            item,
            data_hora,
            ibs_cbs,
            certificado_tls: ctx.option_flag("certificado_tls", false),
            intervalo_ms: ctx
                .option_u64("intervalo_consulta_ms", padrao)
                .clamp(menor, maior),
        })
    }

    /// Namespace of a message with this root; of the header for "cabecalho".
    pub fn namespace_de(&self, raiz: &str) -> String {
        match &self.namespace_mensagem {
            Some(modelo) => modelo.replace("{mensagem}", &com_hifens(raiz)),
            None => self.namespace.clone(),
        }
    }
}

/// "cancelamento,lote,rps": how the host hands over a list.
fn assina(lista: &str) -> Option<Assina> {
    let mut assina = Assina::default();
    for parte in lista.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        match parte {
            "rps" => assina.rps = true,
            "lote" => assina.lote = true,
            "cancelamento" => assina.cancelamento = true,
            "consulta" => assina.consulta = true,
            _ => return None,
        }
    }
    Some(assina)
}

/// "EnviarLoteRpsEnvio" as "enviar-lote-rps-envio".
fn com_hifens(nome: &str) -> String {
    let mut saida = String::with_capacity(nome.len() + 8);
    for c in nome.chars() {
        if c.is_ascii_uppercase() && !saida.is_empty() {
            saida.push('-');
        }
        saida.push(c.to_ascii_lowercase());
    }
    saida
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_hyphens() {
        assert_eq!(com_hifens("EnviarLoteRpsEnvio"), "enviar-lote-rps-envio");
        assert_eq!(com_hifens("cabecalho"), "cabecalho");
    }

    #[test]
    fn lists_of_signatures() {
        let assina_rps = Assina {
            rps: true,
            cancelamento: true,
            ..Assina::default()
        };
        assert_eq!(assina("cancelamento, rps"), Some(assina_rps));
        assert_eq!(assina(""), Some(Assina::default()));
        assert_eq!(assina("tudo"), None);
    }
}
