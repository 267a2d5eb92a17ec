//! POST /api/v1/pix/brcode: a code of PIX with a fixed amount.

use super::{key, told};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data::municipalities;
use fiscal::nfe::order::Number;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::RefusedField;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::emitters::profile::Perfil;
use issuing::issue::emitter;
use prints::qr::QrCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;
use tools::brcode::{Charge, MAX_CITY, MAX_NAME, PixKey, Problem, crc16, fit};

/// Pixels of a module of the picture.
const SCALE: usize = 8;

pub fn built() -> Built {
    Built {
        operation: "pix.brcode",
        route: |method| on(method, brcode),
        docs: Docs::new("Gera o código PIX copia e cola de um valor fixo, com a chave PIX do emitente ou a do pedido; a imagem só vem se pedida. Não registra cobrança nem avisa do pagamento.")
            .body::<BrcodeIn>()
            .success::<Charged<BrcodeOut>>(),
    }
}

/// O valor, e o que não for o do perfil fiscal do emitente.
#[derive(Deserialize, JsonSchema)]
struct BrcodeIn {
    /// Em reais, maior que zero, com até duas casas.
    valor: Number,
    /// De 1 a 25 letras e dígitos; ausente: `***`.
    #[serde(default)]
    txid: Option<String>,
    /// O que quem paga lê; sem acentos no código.
    #[serde(default)]
    descricao: Option<String>,
    /// Ausente: o emitente padrão da conta.
    #[serde(default)]
    emitente_id: Option<EmitterId>,
    /// A chave PIX que recebe. Ausente: `pix.chave` do perfil fiscal.
    #[serde(default)]
    chave: Option<String>,
    /// Quem recebe, cortado em 25 caracteres. Ausente: o nome do emitente.
    #[serde(default)]
    nome: Option<String>,
    /// A cidade de quem recebe, cortada em 15 caracteres. Ausente: a do emitente.
    #[serde(default)]
    cidade: Option<String>,
    /// A resposta traz o QR code em PNG.
    #[serde(default)]
    png: bool,
    /// `false`: nome, cidade e txid entram como vieram, fora dos limites dos
    /// manuais; bancos podem recusar o código, e `problemas` diz por quê.
    #[serde(default = "yes")]
    estrito: bool,
}

fn yes() -> bool {
    true
}

/// O código PIX.
#[derive(Serialize, JsonSchema)]
struct BrcodeOut {
    /// Para copiar e colar, ou para o QR code.
    brcode: String,
    /// Os quatro dígitos hexadecimais do fim.
    crc16: String,
    /// O QR code; `null` se não foi pedido.
    png_base64: Option<String>,
    /// O que está fora dos manuais; vazio, a não ser com `estrito` em `false`.
    problemas: Vec<RefusedField>,
}

/// Who is paid.
struct Receiver {
    key: PixKey,
    name: String,
    city: String,
}

async fn brcode(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<BrcodeOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: BrcodeIn = body::read(value, call.tolerant)?;
    charge::affordable(&call).await?;
    let receiver = receiver(&call, &body).await?;
    let charge = Charge {
        key: &receiver.key,
        name: &receiver.name,
        city: &receiver.city,
        amount: Some(*body.valor),
        txid: body.txid.as_deref(),
        description: body.descricao.as_deref(),
        once: false,
    };
    let (code, problems) = match (charge.encode(), body.estrito) {
        (Ok(code), _) => (code, Vec::new()),
        (Err(problems), true) => return Err(refused(&problems).into()),
        (Err(problems), false) => {
            let code = charge.layout().map_err(|problem| refused(&[problem]))?;
            (code, problems)
        }
    };
    let png = match body.png {
        true => Some(picture(&code)?),
        false => None,
    };
    let before = code.get(..code.len().saturating_sub(4)).unwrap_or_default();
    let answer = BrcodeOut {
        crc16: format!("{:04X}", crc16(before)),
        png_base64: png,
        brcode: code,
        problemas: problems.iter().map(told).map(RefusedField::from).collect(),
    };
    charge::paid(&call, answer).await
}

/// What the request says, else the profile of the company.
async fn receiver(call: &Call, body: &BrcodeIn) -> Result<Receiver, Failure> {
    let told = (&body.chave, &body.nome, &body.cidade);
    let mut perfil = Perfil::default();
    if !matches!(told, (Some(_), Some(_), Some(_))) || body.emitente_id.is_some() {
        let mut conn = call.app.db.read().await?;
        let row = emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
        drop(conn);
        perfil = serde_json::from_str(&row.perfil)?;
        perfil.razao_social.get_or_insert(row.razao_social);
    }
    let city = perfil.municipality().and_then(|code| code.parse().ok());
    let city = city
        .and_then(municipalities::get)
        .map(|city| city.name.to_owned());
    let own = perfil.pix.and_then(|pix| pix.chave);
    let chave = body.chave.clone().or(own).ok_or_else(|| {
        missing(
            "chave",
            "Falta a chave PIX.",
            "Informe chave, ou pix.chave no perfil fiscal do emitente.",
        )
    })?;
    let name = body
        .nome
        .clone()
        .or(perfil.nome_fantasia)
        .or(perfil.razao_social);
    let name =
        name.ok_or_else(|| missing("nome", "Falta o nome de quem recebe.", "Informe nome."))?;
    let city = body.cidade.clone().or(city).ok_or_else(|| {
        missing(
            "cidade",
            "Falta a cidade de quem recebe.",
            "Informe cidade, ou endereco.codigo_ibge no perfil fiscal do emitente.",
        )
    })?;
    Ok(Receiver {
        key: PixKey::parse(&chave).map_err(|error| wrong("chave", key(error)))?,
        name: if body.estrito {
            fit(&name, MAX_NAME)
        } else {
            name
        },
        city: if body.estrito {
            fit(&city, MAX_CITY)
        } else {
            city
        },
    })
}

fn missing(field: &str, message: &str, correction: &str) -> Refusal {
    Refusal::field(Code::ParametroAusente, field, message, correction)
}

fn wrong(field: &str, message: &str) -> Refusal {
    Refusal::field(Code::ParametroInvalido, field, message, "Corrija o campo.")
}

/// Everything that is not within the limits of the manuals, by member of the body.
fn refused(problems: &[Problem]) -> Refusal {
    let mut refusal = Refusal::new(Code::ParametroInvalido);
    for problem in problems {
        let one = told(problem);
        let member = match one.campo.as_str() {
            "54" => "valor",
            "59" => "nome",
            "60" => "cidade",
            "62-05" => "txid",
            _ => "descricao",
        };
        refusal.fields.extend(wrong(member, &one.mensagem).fields);
    }
    refusal
}

fn picture(code: &str) -> Result<String, Failure> {
    let grid = QrCode::encode(code.as_bytes()).map_err(anyhow::Error::from)?;
    let png = grid.png(SCALE).map_err(anyhow::Error::from)?;
    Ok(STANDARD.encode(png))
}
