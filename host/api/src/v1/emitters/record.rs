//! An emitter as the API shows it: never a key, a password or a login.

use crate::Services;
use accounts::caller::Caller;
use authority::customer::split_chain;
use base::config::AuthoritiesMode;
use base::errors::{Code, Failure, Refusal};
use base::when;
use flow::registry::Caminho;
use issuing::emitters::Emitente;
use issuing::emitters::profile::{Perfil, ViaPedida};
use issuing::model::Modelo;
use issuing::route;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;
use store::tables::certificates::CertificateRow;
use store::tables::emitters::EmitterRow;
use store::tables::numbers::{self, Series};
use store::words;
use store::{Conn, Readable as _};
use vault::roots::Cadeia;

const DAY_MS: i64 = 24 * 3_600_000;
/// From how many days before its end a certificate is worth a warning.
const SOON_DAYS: i64 = 30;

/// The emitter of a path, with the certificate it uses.
///
/// # Errors
/// 404 for one that is not the account's.
pub async fn load(conn: &mut Conn, caller: &Caller, id: &EmitterId) -> Result<Emitente, Failure> {
    let row = store::tables::emitters::get(conn, &caller.account_id, id)
        .await?
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Emitente não encontrado."))?;
    with_certificate(conn, row).await
}

/// A row with the certificate it uses.
///
/// # Errors
/// The database failed.
pub async fn with_certificate(conn: &mut Conn, row: EmitterRow) -> Result<Emitente, Failure> {
    let certificate = match row.certificate_id.as_ref() {
        None => None,
        Some(id) => store::tables::certificates::get(conn, &row.account_id, id).await?,
    };
    Ok(Emitente { row, certificate })
}

/// Ambiente das autoridades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AmbienteDoEmitente")]
pub enum Ambiente {
    #[default]
    Homologacao,
    Producao,
}

impl Ambiente {
    /// As a customer is told of the environment of a row.
    fn of(stored: words::Ambiente) -> Ambiente {
        match stored {
            words::Ambiente::Simulado | words::Ambiente::Homologacao => Ambiente::Homologacao,
            words::Ambiente::Producao => Ambiente::Producao,
        }
    }

    /// As an emitter's row has it.
    pub fn stored(self) -> words::Ambiente {
        match self {
            Ambiente::Homologacao => words::Ambiente::Homologacao,
            Ambiente::Producao => words::Ambiente::Producao,
        }
    }
}

/// Uma empresa emitente.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Emitente")]
pub struct EmitenteOut {
    id: EmitterId,
    #[serde(flatten)]
    dados: DadosDoEmitente,
}

/// O que se sabe de uma empresa emitente.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DadosDoEmitente {
    cnpj: String,
    razao_social: String,
    apelido: String,
    ambiente: Ambiente,
    /// O emitente padrão da conta.
    padrao: bool,
    /// `null`: não tem.
    certificado: Option<Certificado>,
    /// Com o próximo número de agora; nunca com senhas, tokens ou CSC.
    perfil_fiscal: Perfil,
    /// Nomes das credenciais guardadas.
    credenciais_informadas: Vec<String>,
    /// Códigos do que falta para emitir.
    pendencias: Vec<&'static str>,
    pendencias_detalhes: Vec<Pendencia>,
    criado_em: String,
    atualizado_em: String,
}

/// Os fatos de um certificado A1.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Certificado {
    titular: String,
    /// O documento do titular.
    cnpj: String,
    emissor: String,
    valido_de: String,
    valido_ate: String,
    /// 0: venceu, ou vence hoje.
    dias_restantes: i64,
    /// SHA-256 do certificado.
    impressao_digital: String,
    situacao: SituacaoDoCertificado,
    cadeia: CadeiaDoCertificado,
}

/// A validade de um certificado.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SituacaoDoCertificado {
    Valido,
    VenceEmBreve,
    Vencido,
}

/// A que raiz o certificado leva.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CadeiaDoCertificado {
    IcpBrasil,
    Desconhecida,
}

impl From<Cadeia> for CadeiaDoCertificado {
    fn from(cadeia: Cadeia) -> CadeiaDoCertificado {
        match cadeia {
            Cadeia::IcpBrasil => CadeiaDoCertificado::IcpBrasil,
            Cadeia::Desconhecida => CadeiaDoCertificado::Desconhecida,
        }
    }
}

/// The record of an emitter.
///
/// # Errors
/// The database failed, or the row is damaged.
pub async fn emitter(
    app: &Services,
    conn: &mut Conn,
    emitente: &Emitente,
) -> Result<EmitenteOut, Failure> {
    Ok(EmitenteOut {
        id: emitente.row.id.clone(),
        dados: dados(app, conn, emitente).await?,
    })
}

/// The record of an emitter, without its id.
///
/// # Errors
/// The database failed, or the row is damaged.
pub async fn dados(
    app: &Services,
    conn: &mut Conn,
    emitente: &Emitente,
) -> Result<DadosDoEmitente, Failure> {
    let Emitente { row, certificate } = emitente;
    let perfil: Perfil = serde_json::from_str(&row.perfil)?;
    let secrets = store::tables::secrets::names_of(conn, &row.account_id, &row.id).await?;
    let next = next_numbers(conn, row, &perfil).await?;
    let pending = pending(app, emitente, &perfil, &secrets, &next);
    let mut codes: Vec<&str> = pending.iter().map(|one| one.codigo).collect();
    codes.dedup();
    Ok(DadosDoEmitente {
        cnpj: row.cnpj.clone(),
        razao_social: row.razao_social.clone(),
        apelido: row.apelido.clone(),
        ambiente: Ambiente::of(row.ambiente),
        padrao: row.padrao == 1,
        certificado: certificate.as_ref().map(|one| self::certificate(app, one)),
        perfil_fiscal: profile(perfil, &next),
        credenciais_informadas: secrets,
        pendencias: codes,
        pendencias_detalhes: pending,
        criado_em: when::rfc3339(row.created_at_ms),
        atualizado_em: when::rfc3339(row.updated_at_ms),
    })
}

/// The facts of a certificate.
pub fn certificate(app: &Services, row: &CertificateRow) -> Certificado {
    let now_ms = app.now_ms();
    let days = (row.valido_ate_ms - now_ms).div_euclid(DAY_MS);
    let situacao = match row.valido_ate_ms - now_ms {
        left if left < 0 => SituacaoDoCertificado::Vencido,
        left if left <= SOON_DAYS * DAY_MS => SituacaoDoCertificado::VenceEmBreve,
        _ => SituacaoDoCertificado::Valido,
    };
    Certificado {
        titular: row.titular.clone(),
        cnpj: row.documento.clone(),
        emissor: row.emissor.clone(),
        valido_de: when::rfc3339(row.valido_de_ms),
        valido_ate: when::rfc3339(row.valido_ate_ms),
        dias_restantes: days.max(0),
        impressao_digital: row.impressao_digital.clone(),
        situacao,
        cadeia: cadeia(app, row).into(),
    }
}

fn cadeia(app: &Services, row: &CertificateRow) -> Cadeia {
    let chain = split_chain(&row.chain_der);
    app.roots.cadeia(&row.impressao_digital, &chain)
}

/// The profile with the number that comes next now, so that it can be sent
/// back as it is shown.
fn profile(mut perfil: Perfil, next: &Next) -> Perfil {
    if let (Some(nfse), Some(next)) = (&mut perfil.nfse, next.nfse) {
        nfse.proximo_numero = Some(next);
    }
    if let (Some(nfe), Some(next)) = (&mut perfil.nfe, next.nfe) {
        nfe.proximo_numero = Some(next);
    }
    if let (Some(nfce), Some(next)) = (&mut perfil.nfce, next.nfce) {
        nfce.proximo_numero = Some(next);
    }
    // Stored profiles have no secrets; this keeps it so if one ever had.
    drop(perfil.take_secrets());
    perfil
}

/// Next number of the profile's series, by model, where one was used or set.
#[derive(Default)]
struct Next {
    nfse: Option<u64>,
    nfe: Option<u64>,
    nfce: Option<u64>,
}

async fn next_numbers(conn: &mut Conn, row: &EmitterRow, perfil: &Perfil) -> Result<Next, Failure> {
    let mut next = Next::default();
    for (modelo, place) in [
        (Modelo::Nfse, &mut next.nfse),
        (Modelo::Nfe, &mut next.nfe),
        (Modelo::Nfce, &mut next.nfce),
    ] {
        let series = Series::new(&row.id, row.ambiente, modelo, &perfil.serie(modelo));
        let known = numbers::next(conn, &series).await?;
        *place = match known {
            Some(next) => Some(u64::try_from(next).readable("next number of a company", &row.id)?),
            None => None,
        };
    }
    Ok(next)
}

/// O que falta para o emitente emitir uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
struct Pendencia {
    codigo: &'static str,
    campo: String,
    mensagem: String,
}

impl Pendencia {
    fn new(codigo: Code, campo: &str, mensagem: String) -> Pendencia {
        Pendencia {
            codigo: codigo.as_str(),
            campo: campo.to_owned(),
            mensagem,
        }
    }
}

fn pending(
    app: &Services,
    emitente: &Emitente,
    perfil: &Perfil,
    secrets: &[String],
    next: &Next,
) -> Vec<Pendencia> {
    let mut found: Vec<Pendencia> = of_certificate(app, emitente).into_iter().collect();
    let incomplete = Code::PerfilFiscalIncompleto;
    if perfil.regime.is_none() {
        found.push(Pendencia::new(
            incomplete,
            "regime",
            "Falta o regime tributário; sem ele vale o normal.".to_owned(),
        ));
    }
    let municipio = perfil.municipio().unwrap_or_default();
    if municipio.is_empty() {
        found.push(Pendencia::new(
            incomplete,
            "endereco.codigo_ibge",
            "Falta o município do emitente.".to_owned(),
        ));
    } else {
        found.extend(of_route(app, perfil, secrets, municipio));
    }
    if next.nfse.is_none()
        && perfil
            .nfse
            .as_ref()
            .is_none_or(|nfse| nfse.proximo_numero.is_none())
    {
        let mensagem = "Sem proximo_numero a série começa em 1; informe-o se a empresa já emitiu por outro sistema.";
        found.push(Pendencia {
            codigo: "numeracao_nao_configurada",
            campo: "nfse.proximo_numero".to_owned(),
            mensagem: mensagem.to_owned(),
        });
    }
    found
}

/// What is wrong with the certificate.
fn of_certificate(app: &Services, emitente: &Emitente) -> Option<Pendencia> {
    let pending = |codigo, mensagem| Pendencia::new(codigo, "certificado", mensagem);
    match &emitente.certificate {
        None => Some(pending(
            Code::CertificadoAusente,
            "Falta o certificado A1.".to_owned(),
        )),
        Some(row) if row.valido_ate_ms < app.now_ms() => {
            let mensagem = format!(
                "O certificado venceu em {}.",
                when::rfc3339(row.valido_ate_ms)
            );
            Some(pending(Code::CertificadoVencido, mensagem))
        }
        // The simulator's own authority is of no ICP.
        Some(row)
            if emitente.row.ambiente == words::Ambiente::Producao
                && app.config.authorities.mode == AuthoritiesMode::Official
                && cadeia(app, row) == Cadeia::Desconhecida =>
        {
            let mensagem = format!(
                "O certificado, emitido por {}, não leva a uma raiz conhecida da ICP-Brasil; as autoridades costumam recusá-lo.",
                row.emissor
            );
            Some(pending(Code::CertificadoInvalido, mensagem))
        }
        Some(_) => None,
    }
}

/// What the route of a municipality asks for and the company does not have.
fn of_route(
    app: &Services,
    perfil: &Perfil,
    secrets: &[String],
    municipio: &str,
) -> Vec<Pendencia> {
    let mut found = Vec::new();
    let mut add = |codigo: Code, campo: &str, mensagem: String| {
        found.push(Pendencia::new(codigo, campo, mensagem));
    };
    let incomplete = Code::PerfilFiscalIncompleto;
    let registry = app.registry.load();
    let today = when::today(app.now_ms(), route::uf(&registry, municipio));
    let regime = route::regime(perfil.opcao_simples());
    let via = perfil.via(ViaPedida::Auto).into();
    match route::route(&registry, municipio, regime, today, via) {
        Ok(route) => {
            if route.via == Caminho::Municipal && perfil.im.is_none() {
                add(
                    incomplete,
                    "im",
                    format!("{} pede a inscrição municipal.", route.nome),
                );
            }
            for name in route
                .credenciais_exigidas
                .iter()
                .filter(|name| !secrets.contains(name))
            {
                let mensagem = format!("{} pede a credencial {name}.", route.nome);
                add(incomplete, &format!("nfse.credenciais.{name}"), mensagem);
            }
            // An adapter that is not installed is nothing the company can mend.
            if let Err(refusal) = route::component(&registry, &app.catalog, &route)
                && refusal.code == Code::MunicipioNaoAtendido
            {
                add(
                    refusal.code,
                    "endereco.codigo_ibge",
                    refusal.mensagem.unwrap_or_default(),
                );
            }
        }
        Err(refusal) => add(
            refusal.code,
            "endereco.codigo_ibge",
            refusal.mensagem.unwrap_or_default(),
        ),
    }
    found
}
