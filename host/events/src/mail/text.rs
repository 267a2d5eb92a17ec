//! What mails say, as data, and the text that is made of it: subject, plain
//! text and HTML, in pt-BR.

use ::accounts::letters::{Documento, Letter};
use base::money::{reais, whole};
use base::when;
use maud::{DOCTYPE, Markup, html};

/// A mail as it is read.
pub struct Written {
    /// One line.
    pub subject: String,
    /// The plain text; its lines end with CR LF.
    pub text: String,
    /// The same as a page.
    pub html: String,
}

/// What the texts need to know of the hub.
pub struct House<'a> {
    /// Without a slash at its end.
    pub base_url: &'a str,
    /// The link of an invitation.
    pub invite: &'a (dyn Fn(&str) -> String + Sync),
    /// The link to a new password.
    pub password: &'a (dyn Fn(&str) -> String + Sync),
    /// The link that shows that an address is its person's.
    pub confirmation: &'a (dyn Fn(&str) -> String + Sync),
}

/// A line of a mail: a word and what stands behind it.
type Fact = (&'static str, String);

/// Parts that both forms of a mail have.
struct Parts {
    subject: String,
    /// What stands first and is seen at once; empty: nothing.
    aviso: String,
    paragraphs: Vec<String>,
    facts: Vec<Fact>,
    /// Words and address.
    link: Option<(&'static str, String)>,
    /// The sender's own words, line by line.
    message: String,
    footer: &'static str,
}

/// The text of a mail.
pub fn write(letter: &Letter, house: &House<'_>) -> Written {
    let parts = match letter {
        Letter::Documento(documento) => self::documento(documento),
        Letter::Certificado {
            empresa,
            cnpj,
            valido_ate_ms: valid_until_ms,
            dias: days,
        } => certificado(empresa, cnpj, *valid_until_ms, *days, house),
        Letter::Saldo {
            conta,
            saldo: balance,
            limiar: threshold,
        } => self::balance(conta, *balance, *threshold, house),
        Letter::Convite {
            conta,
            papel: role,
            por: by,
            semente: seed,
            vence_ms: expires_ms,
        } => invite(conta, role, by, (house.invite)(seed), *expires_ms),
        Letter::Senha {
            nome: name,
            semente: seed,
        } => password(name, (house.password)(seed)),
        Letter::Confirmacao {
            nome: name,
            semente: seed,
        } => confirmation(name, (house.confirmation)(seed)),
    };
    Written {
        subject: one_line(&parts.subject),
        text: text(&parts),
        html: page(&parts).into_string(),
    }
}

/// A message of an app: a short line.
pub fn message(letter: &Letter, house: &House<'_>) -> String {
    let written = write(letter, house);
    let first = written.text.lines().find(|line| !line.is_empty());
    let text = format!("{}. {}", written.subject, first.unwrap_or_default());
    text.chars().take(1_000).collect()
}

fn documento(d: &Documento) -> Parts {
    let number = match (d.numero.as_str(), d.serie.as_str()) {
        ("", _) => String::new(),
        (plain, "") => format!(" {plain}"),
        (of_serie, serie) => format!(" {of_serie}, série {serie}"),
    };
    let cancelled = if d.cancelada { " CANCELADA" } else { "" };
    let mut facts = vec![
        ("Emitente", format!("{} ({})", d.emitente, cnpj(&d.cnpj))),
        ("Destinatário", d.destinatario.clone()),
        ("Valor", reais(d.valor_centavos)),
        ("Chave de acesso", d.chave.clone()),
        ("Código de verificação", d.codigo_verificacao.clone()),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    let mut notices = Vec::new();
    if d.cancelada {
        notices.push(format!(
            "Esta {} foi CANCELADA e não tem validade.",
            d.titulo
        ));
    }
    if d.sem_valor {
        notices.push("Documento SEM VALOR FISCAL, emitido em ambiente de testes.".to_owned());
    }
    Parts {
        subject: format!("{}{number}{cancelled} - {}", d.titulo, d.emitente),
        aviso: notices.join(" "),
        paragraphs: vec![format!(
            "Seguem em anexo o XML e a impressão em PDF da {}{number} de {}.",
            d.titulo, d.emitente
        )],
        facts,
        link: Some(("Consultar a nota", d.url_consulta.clone())).filter(|(_, url)| linkable(url)),
        message: d.mensagem.clone(),
        footer: "Mensagem enviada a pedido do emitente da nota. Guarde o XML: é ele o documento fiscal.",
    }
}

fn certificado(
    empresa: &str,
    number: &str,
    valid_until_ms: i64,
    days: i64,
    house: &House<'_>,
) -> Parts {
    let when = match days {
        0 => "venceu".to_owned(),
        1 => "vence em 1 dia".to_owned(),
        days => format!("vence em {days} dias"),
    };
    Parts {
        subject: format!("O certificado de {empresa} {when}"),
        aviso: String::new(),
        paragraphs: vec![
            format!("O certificado digital A1 de {empresa} ({}) {when}.", cnpj(number)),
            "Sem um certificado válido nenhuma nota é emitida. Envie o novo arquivo .pfx no painel, em Emitentes, ou em PUT /api/v1/emitters/{id}/certificado.".to_owned(),
        ],
        facts: vec![("Validade", day(valid_until_ms))],
        link: Some(("Abrir o painel", format!("{}/painel/emitentes", house.base_url)))
            .filter(|_| !house.base_url.is_empty()),
        message: String::new(),
        footer: "Aviso automático: 30, 15, 7 e 1 dia antes do vencimento, e quando ele chega.",
    }
}

fn balance(conta: &str, balance: i64, threshold: i64, house: &House<'_>) -> Parts {
    Parts {
        subject: format!("Saldo baixo: restam {} créditos", whole(balance)),
        aviso: String::new(),
        paragraphs: vec![format!(
            "O saldo da conta {conta} chegou a {} créditos ({}) e passou pelo limiar de {}.",
            whole(balance),
            reais(balance),
            whole(threshold)
        )],
        facts: Vec::new(),
        link: Some((
            "Comprar créditos",
            format!("{}/painel/creditos", house.base_url),
        ))
        .filter(|_| !house.base_url.is_empty()),
        message: String::new(),
        footer: "Aviso automático, uma vez por limiar. Os limiares são definidos no painel, em Créditos.",
    }
}

fn invite(conta: &str, role: &str, by: &str, link: String, expires_ms: i64) -> Parts {
    Parts {
        subject: format!("Convite para a conta {conta}"),
        aviso: String::new(),
        paragraphs: vec![
            format!("{by} convidou você para a conta {conta}, com o papel {role}."),
            format!("O convite vale até {} e serve uma vez.", day(expires_ms)),
        ],
        facts: Vec::new(),
        link: Some(("Aceitar o convite", link)),
        message: String::new(),
        footer: "Se você não esperava este convite, ignore esta mensagem: nada acontece.",
    }
}

fn password(name: &str, link: String) -> Parts {
    Parts {
        subject: "Uma senha nova para o seu cadastro".to_owned(),
        aviso: String::new(),
        paragraphs: vec![
            format!("{name}, alguém pediu uma senha nova para este endereço."),
            "O link vale por uma hora, até a senha ser trocada. As sessões abertas terminam."
                .to_owned(),
        ],
        facts: Vec::new(),
        link: Some(("Escolher a senha", link)),
        message: String::new(),
        footer: "Se não foi você quem pediu, ignore esta mensagem: a sua senha continua valendo.",
    }
}

fn confirmation(name: &str, link: String) -> Parts {
    Parts {
        subject: "Confirme o seu e-mail".to_owned(),
        aviso: String::new(),
        paragraphs: vec![format!(
            "{name}, este endereço foi usado em um cadastro. Confirme que é seu para que a conta possa enviar notas por e-mail."
        )],
        facts: Vec::new(),
        link: Some(("Confirmar o e-mail", link)),
        message: String::new(),
        footer: "Se não foi você quem se cadastrou, ignore esta mensagem: nada será enviado em seu nome.",
    }
}

fn text(parts: &Parts) -> String {
    let mut lines = Vec::new();
    if !parts.aviso.is_empty() {
        lines.extend([parts.aviso.clone(), String::new()]);
    }
    for paragraph in &parts.paragraphs {
        lines.extend([paragraph.clone(), String::new()]);
    }
    for (word, value) in &parts.facts {
        lines.push(format!("{word}: {value}"));
    }
    if !parts.facts.is_empty() {
        lines.push(String::new());
    }
    if !parts.message.is_empty() {
        lines.extend([parts.message.clone(), String::new()]);
    }
    if let Some((word, url)) = &parts.link {
        lines.extend([format!("{word}: {url}"), String::new()]);
    }
    lines.extend(["--".to_owned(), parts.footer.to_owned()]);
    let text: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    text.join("\r\n") + "\r\n"
}

/// Styles stand in the elements: mail programs drop all others.
fn page(parts: &Parts) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" {
            head { meta charset="utf-8"; title { (printable(&parts.subject)) } }
            body style="margin:0;padding:24px;background:#f4f5f7;font-family:Arial,Helvetica,sans-serif;color:#1c2430;font-size:15px;line-height:1.5" {
                div style="max-width:600px;margin:0 auto;background:#ffffff;padding:24px;border-radius:6px" {
                    @if !parts.aviso.is_empty() {
                        p style="margin:0 0 16px;padding:12px;background:#fdecea;color:#8a1c12;font-weight:bold" { (printable(&parts.aviso)) }
                    }
                    @for paragraph in &parts.paragraphs { p { (printable(paragraph)) } }
                    @if !parts.facts.is_empty() {
                        table style="border-collapse:collapse;margin:16px 0" {
                            @for (word, value) in &parts.facts {
                                tr {
                                    th style="text-align:left;padding:4px 16px 4px 0;color:#5b6675;font-weight:normal;vertical-align:top" { (word) }
                                    td style="padding:4px 0;word-break:break-all" { (printable(value)) }
                                }
                            }
                        }
                    }
                    @if !parts.message.is_empty() {
                        div style="margin:16px 0;padding:12px;border-left:3px solid #c9d1dc" {
                            @for line in parts.message.lines() { (printable(line)) br; }
                        }
                    }
                    @if let Some((word, url)) = &parts.link {
                        p { a href=(url) style="color:#1457b8" { (word) } }
                    }
                    p style="margin:24px 0 0;color:#5b6675;font-size:13px" { (parts.footer) }
                }
            }
        }
    }
}

/// Text for one header: no line breaks, no other control characters.
fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}

/// Without control characters but line breaks and tabs.
fn printable(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

fn linkable(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// `11.222.333/0001-81`; anything else as it is.
fn cnpj(digits: &str) -> String {
    match (digits.len(), digits.is_ascii()) {
        (14, true) => format!(
            "CNPJ {}.{}.{}/{}-{}",
            &digits[..2],
            &digits[2..5],
            &digits[5..8],
            &digits[8..12],
            &digits[12..]
        ),
        _ => digits.to_owned(),
    }
}

/// A day of Brasília.
fn day(ms: i64) -> String {
    let day = when::today(ms, "DF");
    format!(
        "{:02}/{:02}/{}",
        day.day(),
        u8::from(day.month()),
        day.year()
    )
}
