//! POST /api/v1/validate/email: the form of an address, whether its domain gives
//! mail boxes for one use, and whether the DNS says that it takes mail.

use authority::dns::MailRoute;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::email::{Email, EmailError};

pub fn built() -> Built {
    Built {
        operation: "validate.email",
        route: |method| on(method, email),
        docs: Docs::new("Confere um e-mail: forma, domínio descartável e se o domínio recebe e-mail (MX no DNS). Não escreve a ninguém: se a caixa existe não se sabe. Grátis quando o DNS não responde.")
            .body::<EmailIn>()
            .success::<Charged<EmailOut>>(),
    }
}

/// Um endereço de e-mail.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ValidarEmailIn")]
struct EmailIn {
    /// Só o endereço, sem nome nem sinais de menor e maior.
    #[schemars(length(min = 1, max = 320))]
    email: String,
}

/// O que se sabe de um endereço.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ValidarEmailOut")]
struct EmailOut {
    /// A forma está certa, o domínio não é descartável e recebe e-mail; `null` se
    /// só isto último não se sabe.
    valido: Option<bool>,
    /// O texto tem a forma de um endereço.
    formato: bool,
    /// O domínio dá caixas de um só uso, por uma lista pública; `null` se a forma
    /// está errada.
    descartavel: Option<bool>,
    /// O domínio recebe e-mail; `null`: o DNS não respondeu, ou não foi perguntado.
    mx: Option<bool>,
    /// Por onde o domínio recebe; `null` se não recebe, ou se não se sabe.
    entrega: Option<Delivery>,
    /// Em minúsculas; `null` se a forma está errada.
    dominio: Option<String>,
    /// O endereço que talvez se quis escrever, com um domínio conhecido; `null` se
    /// nenhum é parecido.
    sugestao: Option<String>,
    /// Por que não é válido, ou não se sabe; `null` se é válido.
    motivo: Option<EmailReason>,
    /// O motivo em uma frase.
    explicacao: Option<&'static str>,
}

/// Por onde um domínio recebe e-mail (RFC 5321, § 5.1).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EntregaDoEmail")]
#[serde(rename_all = "snake_case")]
enum Delivery {
    /// Pelos servidores que ele nomeia (MX).
    Mx,
    /// Não nomeia nenhum: pelo próprio endereço (A ou AAAA).
    Endereco,
}

/// Por que um endereço não é válido, ou não se sabe.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "MotivoDoEmail")]
#[serde(rename_all = "snake_case")]
enum EmailReason {
    Tamanho,
    /// Não há uma só arroba com algo dos dois lados.
    Arroba,
    /// A parte antes da arroba.
    Usuario,
    /// O domínio não tem ponto.
    SemPonto,
    /// O domínio tem forma errada.
    Dominio,
    /// O domínio dá caixas de um só uso.
    Descartavel,
    /// O domínio não existe.
    DominioInexistente,
    /// O domínio existe e não tem servidor de e-mail.
    SemServidor,
    /// O domínio diz que não recebe e-mail (RFC 7505).
    RecusaEmail,
    /// O DNS não respondeu a tempo: não se sabe.
    DnsSemResposta,
}

async fn email(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<EmailOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: EmailIn = body::read(value, call.tolerant)?;
    let email = match Email::parse(&body.email) {
        Ok(email) => email,
        Err(error) => return charge::paid(&call, malformed(error)).await,
    };
    charge::affordable(&call).await?;
    let route = call.app.dns.mail_route(&email.ascii_domain).await;
    let answer = judged(email, route);
    match route {
        MailRoute::Unknown => charge::free(&call, answer).await,
        _ => charge::paid(&call, answer).await,
    }
}

/// What has not the form of an address.
fn malformed(error: EmailError) -> EmailOut {
    let reason = match error {
        EmailError::Length => EmailReason::Tamanho,
        EmailError::At => EmailReason::Arroba,
        EmailError::Local => EmailReason::Usuario,
        EmailError::NoDot => EmailReason::SemPonto,
        EmailError::Domain => EmailReason::Dominio,
    };
    EmailOut {
        valido: Some(false),
        formato: false,
        descartavel: None,
        mx: None,
        entrega: None,
        dominio: None,
        sugestao: None,
        motivo: Some(reason),
        explicacao: Some(sentence(reason)),
    }
}

/// An address, and how its domain takes mail.
fn judged(email: Email, route: MailRoute) -> EmailOut {
    let disposable = email.is_disposable();
    let reason = match route {
        _ if disposable => Some(EmailReason::Descartavel),
        MailRoute::Exchanger | MailRoute::Address => None,
        MailRoute::Refused => Some(EmailReason::RecusaEmail),
        MailRoute::NoServer => Some(EmailReason::SemServidor),
        MailRoute::NoDomain => Some(EmailReason::DominioInexistente),
        MailRoute::Unknown => Some(EmailReason::DnsSemResposta),
    };
    let takes_mail = match route {
        MailRoute::Exchanger | MailRoute::Address => Some(true),
        MailRoute::Refused | MailRoute::NoServer | MailRoute::NoDomain => Some(false),
        MailRoute::Unknown => None,
    };
    EmailOut {
        valido: match disposable {
            true => Some(false),
            false => takes_mail,
        },
        formato: true,
        descartavel: Some(disposable),
        mx: takes_mail,
        entrega: match route {
            MailRoute::Exchanger => Some(Delivery::Mx),
            MailRoute::Address => Some(Delivery::Endereco),
            _ => None,
        },
        sugestao: email.suggestion(),
        dominio: Some(email.domain),
        motivo: reason,
        explicacao: reason.map(sentence),
    }
}

fn sentence(reason: EmailReason) -> &'static str {
    match reason {
        EmailReason::Tamanho => "Um endereço tem de 3 a 254 caracteres.",
        EmailReason::Arroba => "Um endereço tem uma arroba, com algo dos dois lados.",
        EmailReason::Usuario => {
            "A parte antes da arroba tem forma errada: dois pontos seguidos, ponto na ponta, espaço, acento ou outro sinal."
        }
        EmailReason::SemPonto => "O domínio não tem ponto.",
        EmailReason::Dominio => "O domínio tem forma errada.",
        EmailReason::Descartavel => "O domínio dá caixas de um só uso.",
        EmailReason::DominioInexistente => "O domínio não existe.",
        EmailReason::SemServidor => "O domínio não tem servidor de e-mail.",
        EmailReason::RecusaEmail => "O domínio diz que não recebe e-mail.",
        EmailReason::DnsSemResposta => "O DNS não respondeu a tempo; repita mais tarde.",
    }
}
