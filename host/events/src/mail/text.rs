//! What mails say, as data, and the text that is made of it: subject, plain
//! text and HTML, in pt-BR.

use ::accounts::letters::{Carta, Documento};
use base::money::{reais, whole};
use base::when;
use maud::{DOCTYPE, Markup, html};

/// A mail as it is read.
pub struct Escrita {
    pub assunto: String,
    pub texto: String,
    pub html: String,
}

/// What the texts need to know of the hub.
pub struct Casa<'a> {
    /// Without a slash at its end.
    pub base_url: &'a str,
    /// The link of an invitation.
    pub convite: &'a (dyn Fn(&str) -> String + Sync),
    /// The link to a new password.
    pub senha: &'a (dyn Fn(&str) -> String + Sync),
    /// The link that shows that an address is its person's.
    pub confirmacao: &'a (dyn Fn(&str) -> String + Sync),
}

/// A line of a mail: a word and what stands behind it.
type Fato = (&'static str, String);

/// Parts that both forms of a mail have.
struct Partes {
    assunto: String,
    /// What stands first and is seen at once; empty: nothing.
    aviso: String,
    paragrafos: Vec<String>,
    fatos: Vec<Fato>,
    /// Words and address.
    link: Option<(&'static str, String)>,
    /// The sender's own words, line by line.
    mensagem: String,
    rodape: &'static str,
}

/// The text of a mail.
pub fn escrever(carta: &Carta, casa: &Casa<'_>) -> Escrita {
    let partes = match carta {
        Carta::Documento(documento) => self::documento(documento),
        Carta::Certificado {
            empresa,
            cnpj,
            valido_ate_ms,
            dias,
        } => certificado(empresa, cnpj, *valido_ate_ms, *dias, casa),
        Carta::Saldo {
            conta,
            saldo,
            limiar,
        } => self::saldo(conta, *saldo, *limiar, casa),
        Carta::Convite {
            conta,
            papel,
            por,
            semente,
            vence_ms,
        } => convite(conta, papel, por, (casa.convite)(semente), *vence_ms),
        Carta::Senha { nome, semente } => senha(nome, (casa.senha)(semente)),
        Carta::Confirmacao { nome, semente } => confirmacao(nome, (casa.confirmacao)(semente)),
    };
    Escrita {
        assunto: one_line(&partes.assunto),
        texto: texto(&partes),
        html: pagina(&partes).into_string(),
    }
}

/// A message of an app: a short line.
pub fn mensagem(carta: &Carta, casa: &Casa<'_>) -> String {
    let escrita = escrever(carta, casa);
    let first = escrita.texto.lines().find(|line| !line.is_empty());
    let text = format!("{}. {}", escrita.assunto, first.unwrap_or_default());
    text.chars().take(1_000).collect()
}

fn documento(d: &Documento) -> Partes {
    let number = match (d.numero.as_str(), d.serie.as_str()) {
        ("", _) => String::new(),
        (numero, "") => format!(" {numero}"),
        (numero, serie) => format!(" {numero}, série {serie}"),
    };
    let cancelada = if d.cancelada { " CANCELADA" } else { "" };
    let mut fatos = vec![
        ("Emitente", format!("{} ({})", d.emitente, cnpj(&d.cnpj))),
        ("Destinatário", d.destinatario.clone()),
        ("Valor", reais(d.valor_centavos)),
        ("Chave de acesso", d.chave.clone()),
        ("Código de verificação", d.codigo_verificacao.clone()),
    ];
    fatos.retain(|(_, value)| !value.is_empty());
    let mut avisos = Vec::new();
    if d.cancelada {
        avisos.push(format!(
            "Esta {} foi CANCELADA e não tem validade.",
            d.titulo
        ));
    }
    if d.sem_valor {
        avisos.push("Documento SEM VALOR FISCAL, emitido em ambiente de testes.".to_owned());
    }
    Partes {
        assunto: format!("{}{number}{cancelada} - {}", d.titulo, d.emitente),
        aviso: avisos.join(" "),
        paragrafos: vec![format!(
            "Seguem em anexo o XML e a impressão em PDF da {}{number} de {}.",
            d.titulo, d.emitente
        )],
        fatos,
        link: Some(("Consultar a nota", d.url_consulta.clone())).filter(|(_, url)| linkable(url)),
        mensagem: d.mensagem.clone(),
        rodape: "Mensagem enviada a pedido do emitente da nota. Guarde o XML: é ele o documento fiscal.",
    }
}

fn certificado(
    empresa: &str,
    numero: &str,
    valido_ate_ms: i64,
    dias: i64,
    casa: &Casa<'_>,
) -> Partes {
    let quando = match dias {
        0 => "venceu".to_owned(),
        1 => "vence em 1 dia".to_owned(),
        dias => format!("vence em {dias} dias"),
    };
    Partes {
        assunto: format!("O certificado de {empresa} {quando}"),
        aviso: String::new(),
        paragrafos: vec![
            format!("O certificado digital A1 de {empresa} ({}) {quando}.", cnpj(numero)),
            "Sem um certificado válido nenhuma nota é emitida. Envie o novo arquivo .pfx no painel, em Emitentes, ou em PUT /api/v1/emitters/{id}/certificado.".to_owned(),
        ],
        fatos: vec![("Validade", dia(valido_ate_ms))],
        link: Some(("Abrir o painel", format!("{}/painel/emitentes", casa.base_url)))
            .filter(|_| !casa.base_url.is_empty()),
        mensagem: String::new(),
        rodape: "Aviso automático: 30, 15, 7 e 1 dia antes do vencimento, e quando ele chega.",
    }
}

fn saldo(conta: &str, saldo: i64, limiar: i64, casa: &Casa<'_>) -> Partes {
    Partes {
        assunto: format!("Saldo baixo: restam {} créditos", whole(saldo)),
        aviso: String::new(),
        paragrafos: vec![format!(
            "O saldo da conta {conta} chegou a {} créditos ({}) e passou pelo limiar de {}.",
            whole(saldo),
            reais(saldo),
            whole(limiar)
        )],
        fatos: Vec::new(),
        link: Some((
            "Comprar créditos",
            format!("{}/painel/creditos", casa.base_url),
        ))
        .filter(|_| !casa.base_url.is_empty()),
        mensagem: String::new(),
        rodape: "Aviso automático, uma vez por limiar. Os limiares são definidos no painel, em Créditos.",
    }
}

fn convite(conta: &str, papel: &str, por: &str, link: String, vence_ms: i64) -> Partes {
    Partes {
        assunto: format!("Convite para a conta {conta}"),
        aviso: String::new(),
        paragrafos: vec![
            format!("{por} convidou você para a conta {conta}, com o papel {papel}."),
            format!("O convite vale até {} e serve uma vez.", dia(vence_ms)),
        ],
        fatos: Vec::new(),
        link: Some(("Aceitar o convite", link)),
        mensagem: String::new(),
        rodape: "Se você não esperava este convite, ignore esta mensagem: nada acontece.",
    }
}

fn senha(nome: &str, link: String) -> Partes {
    Partes {
        assunto: "Uma senha nova para o seu cadastro".to_owned(),
        aviso: String::new(),
        paragrafos: vec![
            format!("{nome}, alguém pediu uma senha nova para este endereço."),
            "O link vale por uma hora, até a senha ser trocada. As sessões abertas terminam."
                .to_owned(),
        ],
        fatos: Vec::new(),
        link: Some(("Escolher a senha", link)),
        mensagem: String::new(),
        rodape: "Se não foi você quem pediu, ignore esta mensagem: a sua senha continua valendo.",
    }
}

fn confirmacao(nome: &str, link: String) -> Partes {
    Partes {
        assunto: "Confirme o seu e-mail".to_owned(),
        aviso: String::new(),
        paragrafos: vec![format!(
            "{nome}, este endereço foi usado em um cadastro. Confirme que é seu para que a conta possa enviar notas por e-mail."
        )],
        fatos: Vec::new(),
        link: Some(("Confirmar o e-mail", link)),
        mensagem: String::new(),
        rodape: "Se não foi você quem se cadastrou, ignore esta mensagem: nada será enviado em seu nome.",
    }
}

fn texto(partes: &Partes) -> String {
    let mut lines = Vec::new();
    if !partes.aviso.is_empty() {
        lines.extend([partes.aviso.clone(), String::new()]);
    }
    for paragrafo in &partes.paragrafos {
        lines.extend([paragrafo.clone(), String::new()]);
    }
    for (word, value) in &partes.fatos {
        lines.push(format!("{word}: {value}"));
    }
    if !partes.fatos.is_empty() {
        lines.push(String::new());
    }
    if !partes.mensagem.is_empty() {
        lines.extend([partes.mensagem.clone(), String::new()]);
    }
    if let Some((word, url)) = &partes.link {
        lines.extend([format!("{word}: {url}"), String::new()]);
    }
    lines.extend(["--".to_owned(), partes.rodape.to_owned()]);
    let text: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    text.join("\r\n") + "\r\n"
}

/// Styles stand in the elements: mail programs drop all others.
fn pagina(partes: &Partes) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" {
            head { meta charset="utf-8"; title { (printable(&partes.assunto)) } }
            body style="margin:0;padding:24px;background:#f4f5f7;font-family:Arial,Helvetica,sans-serif;color:#1c2430;font-size:15px;line-height:1.5" {
                div style="max-width:600px;margin:0 auto;background:#ffffff;padding:24px;border-radius:6px" {
                    @if !partes.aviso.is_empty() {
                        p style="margin:0 0 16px;padding:12px;background:#fdecea;color:#8a1c12;font-weight:bold" { (printable(&partes.aviso)) }
                    }
                    @for paragrafo in &partes.paragrafos { p { (printable(paragrafo)) } }
                    @if !partes.fatos.is_empty() {
                        table style="border-collapse:collapse;margin:16px 0" {
                            @for (word, value) in &partes.fatos {
                                tr {
                                    th style="text-align:left;padding:4px 16px 4px 0;color:#5b6675;font-weight:normal;vertical-align:top" { (word) }
                                    td style="padding:4px 0;word-break:break-all" { (printable(value)) }
                                }
                            }
                        }
                    }
                    @if !partes.mensagem.is_empty() {
                        div style="margin:16px 0;padding:12px;border-left:3px solid #c9d1dc" {
                            @for line in partes.mensagem.lines() { (printable(line)) br; }
                        }
                    }
                    @if let Some((word, url)) = &partes.link {
                        p { a href=(url) style="color:#1457b8" { (word) } }
                    }
                    p style="margin:24px 0 0;color:#5b6675;font-size:13px" { (partes.rodape) }
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
fn dia(ms: i64) -> String {
    let day = when::today(ms, "DF");
    format!(
        "{:02}/{:02}/{}",
        day.day(),
        u8::from(day.month()),
        day.year()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASA: Casa<'static> = Casa {
        base_url: "https://hub.exemplo.com.br",
        convite: &|seed| format!("https://hub.exemplo.com.br/painel/convite/{seed}"),
        senha: &|seed| format!("https://hub.exemplo.com.br/painel/senha/{seed}"),
        confirmacao: &|seed| format!("https://hub.exemplo.com.br/painel/confirmar/{seed}"),
    };

    fn nota() -> Documento {
        Documento {
            titulo: "NF-e".to_owned(),
            numero: "1523".to_owned(),
            serie: "1".to_owned(),
            emitente: "Padaria São João Ltda".to_owned(),
            cnpj: "11222333000181".to_owned(),
            valor_centavos: 123_456,
            ..Documento::default()
        }
    }

    #[test]
    fn a_cancelled_note_says_so_in_subject_text_and_page() {
        let carta = |cancelada| {
            let documento = Documento {
                cancelada,
                ..nota()
            };
            escrever(&Carta::Documento(documento), &CASA)
        };
        let (valid, cancelled) = (carta(false), carta(true));
        assert_eq!(valid.assunto, "NF-e 1523, série 1 - Padaria São João Ltda");
        assert!(valid.texto.contains("R$ 1.234,56") && valid.html.contains("R$ 1.234,56"));
        for text in [&cancelled.assunto, &cancelled.texto, &cancelled.html] {
            assert!(text.contains("CANCELADA"), "{text}");
        }
        assert!(!valid.texto.contains("CANCELADA") && !valid.html.contains("CANCELADA"));
    }

    #[test]
    fn what_others_wrote_stays_text() {
        let documento = Documento {
            emitente: "A\r\nBcc: x@y.z\u{0}".to_owned(),
            mensagem: "<script>alert(1)</script>\nsegunda\u{7}".to_owned(),
            url_consulta: "javascript:alert(1)".to_owned(),
            ..nota()
        };
        let escrita = escrever(&Carta::Documento(documento), &CASA);
        assert!(
            !escrita.assunto.contains(['\r', '\n', '\u{0}']),
            "{}",
            escrita.assunto
        );
        assert!(!escrita.html.contains("<script") && !escrita.html.contains("javascript:"));
        assert!(!escrita.texto.contains('\u{7}') && escrita.texto.contains("segunda"));
    }

    #[test]
    fn notices_say_how_long_and_where() {
        let carta = |dias| Carta::Certificado {
            empresa: "Loja".to_owned(),
            cnpj: String::new(),
            valido_ate_ms: 1_800_000_000_000,
            dias,
        };
        for (dias, words) in [
            (30, "vence em 30 dias"),
            (1, "vence em 1 dia"),
            (0, "venceu"),
        ] {
            let escrita = escrever(&carta(dias), &CASA);
            assert!(escrita.assunto.ends_with(words), "{}", escrita.assunto);
            assert!(escrita.texto.contains("15/01/2027"), "{}", escrita.texto);
        }
        let saldo = Carta::Saldo {
            conta: "Loja".to_owned(),
            saldo: 480,
            limiar: 500,
        };
        assert_eq!(
            escrever(&saldo, &CASA).assunto,
            "Saldo baixo: restam 480 créditos"
        );
    }
}
