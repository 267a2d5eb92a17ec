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
use issuing::model::{Ambiente, Modelo};
use issuing::route;
use serde_json::{Map, Value, json};
use store;
use store::Conn;
use store::tables::certificates::CertificateRow;
use store::tables::emitters::EmitterRow;
use store::tables::numbers::{self, Series};
use vault::roots::Cadeia;

const DAY_MS: i64 = 24 * 3_600_000;
/// From how many days before its end a certificate is worth a warning.
const SOON_DAYS: i64 = 30;

/// The emitter of a path, with the certificate it uses.
///
/// # Errors
/// 404 for one that is not the account's.
pub async fn load(conn: &mut Conn, caller: &Caller, id: &str) -> Result<Emitente, Failure> {
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
    let certificate = match row.certificate_id.as_str() {
        "" => None,
        id => store::tables::certificates::get(conn, &row.account_id, id).await?,
    };
    Ok(Emitente { row, certificate })
}

/// The record of an emitter.
///
/// # Errors
/// The database failed.
pub async fn emitter(
    app: &Services,
    conn: &mut Conn,
    emitente: &Emitente,
) -> Result<Map<String, Value>, Failure> {
    let Emitente { row, certificate } = emitente;
    let perfil: Perfil = serde_json::from_str(&row.perfil)?;
    let secrets = store::tables::secrets::names_of(conn, &row.account_id, &row.id).await?;
    let next = next_numbers(conn, row, &perfil).await?;
    let pending = pending(app, emitente, &perfil, &secrets, &next);
    let mut codes: Vec<&str> = pending.iter().map(|one| one.codigo).collect();
    codes.dedup();
    let details: Vec<Value> = pending
        .iter()
        .map(|one| json!({ "codigo": one.codigo, "campo": one.campo, "mensagem": one.mensagem }))
        .collect();
    let mut record = Map::new();
    let mut set = |key: &str, value: Value| {
        record.insert(key.to_owned(), value);
    };
    set("id", json!(row.id));
    set("cnpj", json!(row.cnpj));
    set("razao_social", json!(row.razao_social));
    set("apelido", json!(row.apelido));
    set("ambiente", json!(row.ambiente));
    set("padrao", json!(row.padrao == 1));
    set(
        "certificado",
        certificate
            .as_ref()
            .map_or(Value::Null, |one| self::certificate(app, one)),
    );
    set("perfil_fiscal", profile(perfil, &next)?);
    set("credenciais_informadas", json!(secrets));
    set("pendencias", json!(codes));
    set("pendencias_detalhes", json!(details));
    set("criado_em", json!(when::rfc3339(row.created_at_ms)));
    set("atualizado_em", json!(when::rfc3339(row.updated_at_ms)));
    Ok(record)
}

/// The facts of a certificate.
pub fn certificate(app: &Services, row: &CertificateRow) -> Value {
    let now_ms = app.now_ms();
    let days = (row.valido_ate_ms - now_ms).div_euclid(DAY_MS);
    let situacao = match row.valido_ate_ms - now_ms {
        left if left < 0 => "vencido",
        left if left <= SOON_DAYS * DAY_MS => "vence_em_breve",
        _ => "valido",
    };
    json!({
        "titular": row.titular,
        "cnpj": row.documento,
        "emissor": row.emissor,
        "valido_de": when::rfc3339(row.valido_de_ms),
        "valido_ate": when::rfc3339(row.valido_ate_ms),
        "dias_restantes": days.max(0),
        "impressao_digital": row.impressao_digital,
        "situacao": situacao,
        "cadeia": cadeia(app, row).as_str(),
    })
}

fn cadeia(app: &Services, row: &CertificateRow) -> Cadeia {
    let chain = split_chain(&row.chain_der);
    app.roots.cadeia(&row.impressao_digital, &chain)
}

/// The profile with the number that comes next now, so that it can be sent
/// back as it is shown.
fn profile(mut perfil: Perfil, next: &Next) -> Result<Value, Failure> {
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
    Ok(serde_json::to_value(perfil)?)
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
        *place = known.and_then(|next| u64::try_from(next).ok());
    }
    Ok(next)
}

/// Something an NFS-e of this emitter still needs.
struct Pending {
    codigo: &'static str,
    campo: String,
    mensagem: String,
}

impl Pending {
    fn new(codigo: Code, campo: &str, mensagem: String) -> Pending {
        Pending {
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
) -> Vec<Pending> {
    let mut found: Vec<Pending> = of_certificate(app, emitente).into_iter().collect();
    let incomplete = Code::PerfilFiscalIncompleto;
    if perfil.regime.is_none() {
        found.push(Pending::new(
            incomplete,
            "regime",
            "Falta o regime tributário; sem ele vale o normal.".to_owned(),
        ));
    }
    let municipio = perfil.municipio().unwrap_or_default();
    if municipio.is_empty() {
        found.push(Pending::new(
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
        found.push(Pending {
            codigo: "numeracao_nao_configurada",
            campo: "nfse.proximo_numero".to_owned(),
            mensagem: mensagem.to_owned(),
        });
    }
    found
}

/// What is wrong with the certificate.
fn of_certificate(app: &Services, emitente: &Emitente) -> Option<Pending> {
    let pending = |codigo, mensagem| Pending::new(codigo, "certificado", mensagem);
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
            if emitente.row.ambiente == Ambiente::Producao
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
fn of_route(app: &Services, perfil: &Perfil, secrets: &[String], municipio: &str) -> Vec<Pending> {
    let mut found = Vec::new();
    let mut add = |codigo: Code, campo: &str, mensagem: String| {
        found.push(Pending::new(codigo, campo, mensagem));
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
