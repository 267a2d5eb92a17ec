//! An emitter as the API shows it: never a key, a password or a login.

use accounts::caller::Caller;
use authority::customer::split_chain;
use base::config::AuthoritiesMode;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfse::dps::SimplesOption;
use flow::registry::Caminho;
use gate::Services;
use issuing::emitters::Emitter;
use issuing::emitters::profile::{Perfil, RequestedVia};
use issuing::model::Model;
use issuing::route;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;
use store::tables::certificates::CertificateRow;
use store::tables::emitters::EmitterRow;
use store::tables::numbers::{self, Series};
use store::words;
use store::{Conn, Readable as _};
use vault::roots::Chain;

const DAY_MS: i64 = 24 * 3_600_000;
/// From how many days before its end a certificate is worth a warning.
const SOON_DAYS: i64 = 30;

/// The emitter of a path, with the certificate it uses.
///
/// # Errors
/// 404 for one that is not the account's.
pub async fn load(conn: &mut Conn, caller: &Caller, id: &EmitterId) -> Result<Emitter, Failure> {
    let row = store::tables::emitters::get(conn, &caller.account_id, id)
        .await?
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Emitente não encontrado."))?;
    with_certificate(conn, row).await
}

/// A row with the certificate it uses.
///
/// # Errors
/// The database failed.
pub async fn with_certificate(conn: &mut Conn, row: EmitterRow) -> Result<Emitter, Failure> {
    let certificate = match row.certificate_id.as_ref() {
        None => None,
        Some(id) => store::tables::certificates::get(conn, &row.account_id, id).await?,
    };
    Ok(Emitter { row, certificate })
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
            words::Ambiente::Simulated | words::Ambiente::Homologacao => Ambiente::Homologacao,
            words::Ambiente::Production => Ambiente::Producao,
        }
    }

    /// As an emitter's row has it.
    pub fn stored(self) -> words::Ambiente {
        match self {
            Ambiente::Homologacao => words::Ambiente::Homologacao,
            Ambiente::Producao => words::Ambiente::Production,
        }
    }
}

/// Uma empresa emitente.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Emitente")]
pub struct EmitterOut {
    id: EmitterId,
    #[serde(flatten)]
    dados: IssuerData,
}

/// O que se sabe de uma empresa emitente.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DadosDoEmitente")]
pub struct IssuerData {
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
    pendencias_detalhes: Vec<PendingItem>,
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
    situacao: CertificateStatus,
    cadeia: CertificateChain,
}

/// A validade de um certificado.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SituacaoDoCertificado")]
#[serde(rename_all = "snake_case")]
enum CertificateStatus {
    Valido,
    VenceEmBreve,
    Vencido,
}

/// A que raiz o certificado leva.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CadeiaDoCertificado")]
#[serde(rename_all = "snake_case")]
enum CertificateChain {
    IcpBrasil,
    Desconhecida,
}

impl From<Chain> for CertificateChain {
    fn from(chain: Chain) -> CertificateChain {
        match chain {
            Chain::IcpBrasil => CertificateChain::IcpBrasil,
            Chain::Unknown => CertificateChain::Desconhecida,
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
    emitter: &Emitter,
) -> Result<EmitterOut, Failure> {
    Ok(EmitterOut {
        id: emitter.row.id.clone(),
        dados: data(app, conn, emitter).await?,
    })
}

/// The record of an emitter, without its id.
///
/// # Errors
/// The database failed, or the row is damaged.
pub async fn data(
    app: &Services,
    conn: &mut Conn,
    emitter: &Emitter,
) -> Result<IssuerData, Failure> {
    let Emitter { row, certificate } = emitter;
    let perfil: Perfil = serde_json::from_str(&row.perfil)?;
    let secrets = store::tables::secrets::names_of(conn, &row.account_id, &row.id).await?;
    let next = next_numbers(conn, row, &perfil).await?;
    let pending = pending(app, emitter, &perfil, &secrets, &next);
    let mut codes: Vec<&str> = pending.iter().map(|one| one.codigo).collect();
    codes.dedup();
    Ok(IssuerData {
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
    let status = match row.valido_ate_ms - now_ms {
        left if left < 0 => CertificateStatus::Vencido,
        left if left <= SOON_DAYS * DAY_MS => CertificateStatus::VenceEmBreve,
        _ => CertificateStatus::Valido,
    };
    Certificado {
        titular: row.titular.clone(),
        cnpj: row.documento.clone(),
        emissor: row.emissor.clone(),
        valido_de: when::rfc3339(row.valido_de_ms),
        valido_ate: when::rfc3339(row.valido_ate_ms),
        dias_restantes: days.max(0),
        impressao_digital: row.impressao_digital.clone(),
        situacao: status,
        cadeia: chain(app, row).into(),
    }
}

fn chain(app: &Services, row: &CertificateRow) -> Chain {
    let chain = split_chain(&row.chain_der);
    app.roots.chain(&row.impressao_digital, &chain)
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
    if let (Some(cte), Some(next)) = (&mut perfil.cte, next.cte) {
        cte.proximo_numero = Some(next);
    }
    if let (Some(mdfe), Some(next)) = (&mut perfil.mdfe, next.mdfe) {
        mdfe.proximo_numero = Some(next);
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
    cte: Option<u64>,
    mdfe: Option<u64>,
}

async fn next_numbers(conn: &mut Conn, row: &EmitterRow, perfil: &Perfil) -> Result<Next, Failure> {
    let mut next = Next::default();
    for (model, place) in [
        (Model::Nfse, &mut next.nfse),
        (Model::Nfe, &mut next.nfe),
        (Model::Nfce, &mut next.nfce),
        (Model::Cte, &mut next.cte),
        (Model::Mdfe, &mut next.mdfe),
    ] {
        let series = Series::new(&row.id, row.ambiente, model, &perfil.serie(model));
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
#[schemars(rename = "Pendencia")]
struct PendingItem {
    codigo: &'static str,
    campo: String,
    mensagem: String,
}

impl PendingItem {
    fn new(codigo: Code, field: &str, message: String) -> PendingItem {
        PendingItem {
            codigo: codigo.as_str(),
            campo: field.to_owned(),
            mensagem: message,
        }
    }
}

fn pending(
    app: &Services,
    emitter: &Emitter,
    perfil: &Perfil,
    secrets: &[String],
    next: &Next,
) -> Vec<PendingItem> {
    let mut found: Vec<PendingItem> = of_certificate(app, emitter).into_iter().collect();
    let incomplete = Code::PerfilFiscalIncompleto;
    if perfil.regime.is_none() {
        found.push(PendingItem::new(
            incomplete,
            "regime",
            "Falta o regime tributário; sem ele vale o normal.".to_owned(),
        ));
    }
    let municipality = perfil.municipality().unwrap_or_default();
    if municipality.is_empty() {
        found.push(PendingItem::new(
            incomplete,
            "endereco.codigo_ibge",
            "Falta o município do emitente.".to_owned(),
        ));
    } else {
        found.extend(of_route(app, emitter, perfil, secrets, municipality));
    }
    if next.nfse.is_none()
        && perfil
            .nfse
            .as_ref()
            .is_none_or(|nfse| nfse.proximo_numero.is_none())
    {
        let message = "A numeração das NFS-e começa em 1. Se a empresa já emitiu por outro sistema, informe o próximo número.";
        found.push(PendingItem {
            codigo: "numeracao_nao_configurada",
            campo: "nfse.proximo_numero".to_owned(),
            mensagem: message.to_owned(),
        });
    }
    found
}

/// What is wrong with the certificate.
fn of_certificate(app: &Services, emitter: &Emitter) -> Option<PendingItem> {
    let pending = |codigo, message| PendingItem::new(codigo, "certificado", message);
    match &emitter.certificate {
        None => Some(pending(
            Code::CertificadoAusente,
            "Falta o certificado A1.".to_owned(),
        )),
        Some(row) if row.valido_ate_ms < app.now_ms() => {
            let message = format!(
                "O certificado venceu em {}.",
                when::rfc3339(row.valido_ate_ms)
            );
            Some(pending(Code::CertificadoVencido, message))
        }
        Some(row) if !is_trusted(app, row) => {
            let message = format!(
                "O certificado, emitido por {}, não leva a uma raiz conhecida da ICP-Brasil. A SEFAZ só aceita certificados da ICP-Brasil: as notas serão recusadas. Envie o A1 da empresa.",
                row.emissor
            );
            Some(pending(Code::CertificadoInvalido, message))
        }
        Some(_) => None,
    }
}

/// Whether the authorities take certificates of who issued this one. The simulator's own
/// authority is of no ICP, and counts where the simulator stands in for them.
fn is_trusted(app: &Services, row: &CertificateRow) -> bool {
    let chain = split_chain(&row.chain_der);
    let simulated = app.config.authorities.mode == AuthoritiesMode::Simulator;
    app.roots.chain(&row.impressao_digital, &chain) != Chain::Unknown
        || simulated && app.simulator.issued(&chain)
}

/// What the route of a municipality asks for and the company does not have.
fn of_route(
    app: &Services,
    emitter: &Emitter,
    perfil: &Perfil,
    secrets: &[String],
    municipality: &str,
) -> Vec<PendingItem> {
    let mut found = Vec::new();
    let mut add = |codigo: Code, field: &str, message: String| {
        found.push(PendingItem::new(codigo, field, message));
    };
    let incomplete = Code::PerfilFiscalIncompleto;
    let registry = app.registry.load();
    let today = when::today(app.now_ms(), route::uf(&registry, municipality));
    let regime = route::regime(perfil.simples_option());
    let via = perfil.via(RequestedVia::Auto).into();
    match route::route(&registry, municipality, regime, today, via) {
        Ok(route) => {
            if route.via == Caminho::Municipal && perfil.im.is_none() {
                add(
                    incomplete,
                    "im",
                    format!("{} pede a inscrição municipal.", route.name),
                );
            }
            // National rule E0712; a MEI shows no rate.
            if route.via != Caminho::Municipal
                && perfil.simples_option() == SimplesOption::MeEpp
                && perfil.nominal_rate().is_none()
            {
                let message = "Falta a alíquota nominal do Simples Nacional, que as NFS-e da empresa têm de mostrar.";
                add(incomplete, "simples.aliquota_nominal", message.to_owned());
            }
            for name in route
                .demanded_credentials
                .iter()
                .filter(|name| !secrets.contains(name))
            {
                let message = format!("{} pede a credencial {name}.", route.name);
                add(incomplete, &format!("nfse.credenciais.{name}"), message);
            }
            // An adapter that is not installed is nothing the company can mend.
            if let Err(refusal) = route::component(&registry, &app.catalog, &route, &emitter.row.id)
                && refusal.code == Code::MunicipioNaoAtendido
            {
                add(
                    refusal.code,
                    "endereco.codigo_ibge",
                    refusal.message.unwrap_or_default(),
                );
            }
        }
        Err(refusal) => add(
            refusal.code,
            "endereco.codigo_ibge",
            refusal.message.unwrap_or_default(),
        ),
    }
    found
}
