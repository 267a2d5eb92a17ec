//! Pieces pages are made of.

pub mod chart;
pub mod companies;
pub mod listing;
pub mod values;

use super::frame::error_box;
use super::once;
use super::visitor::{Visitor, WORLD};
pub use base::money::{reais, whole};
use base::when;
use data::search::fold;
use data::ufs::UFS;
use maud::{Markup, PreEscaped, html};
use prints::qr::QrCode;
use serde_json::Value;

/// Title of a page, with what can be done there.
pub fn top(title: &str, sentence: &str, actions: Markup) -> Markup {
    html! {
        div class="topo" {
            div {
                h1 { (title) }
                @if !sentence.is_empty() { p class="suave" { (sentence) } }
            }
            div class="acoes" { (actions) }
        }
    }
}

/// A number with its word.
pub fn stat(word: &str, number: &str, more: Markup) -> Markup {
    html! {
        section class="cartao" {
            div class="rotulo" { (word) }
            div class="numero" { (number) }
            (more)
        }
    }
}

/// The hidden fields of every form that changes something: that it is a page
/// of ours, in which world it acts, and a token that is good once.
pub fn hidden(visitor: &Visitor) -> Markup {
    hidden_as(visitor, &once::token(&visitor.panel.app))
}

/// As [`hidden`], with a token the form has already.
pub fn hidden_as(visitor: &Visitor, token: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(visitor.session.row.csrf);
        input type="hidden" name=(WORLD) value=(visitor.ambiente());
        input type="hidden" name=(once::FIELD) value=(token);
    }
}

/// The way to a new form that issues. Its token is in the address, so that
/// Back leads to the same form.
pub fn issue(visitor: &Visitor) -> String {
    let token = once::token(&visitor.panel.app);
    format!("/painel/emitir?{}={token}", once::FIELD)
}

/// The way to a page of a document, in the world that shows it.
pub fn document(id: &str, ambiente: &str) -> String {
    format!("/painel/documentos/{}?ambiente={ambiente}", encoded(id))
}

/// A state, in its colour.
pub fn status(status: &str) -> Markup {
    html! { span class=(class(status)) { (state(status)) } }
}

/// The colour of a state.
fn class(status: &str) -> &'static str {
    match status {
        "autorizada" | "validada" | "entregue" | "paga" | "pronta" | "sim" | "ativo" | "ativa"
        | "valido" | "registrado" => "selo ok",
        "em_transmissao"
        | "pendente_prefeitura"
        | "pendente"
        | "aguardando"
        | "parcial"
        | "vence_em_breve"
        | "processando"
        | "rascunho" => "selo aviso",
        "rejeitada" | "falhou" | "nao_enviada" | "vencido" | "não" | "nao" | "revogada"
        | "divergente" | "denegada" | "rejeitado" | "cancelada" => "selo erro",
        _ => "selo",
    }
}

/// As [`status`], of a document: a note is "autorizada", a CT-e or MDF-e "autorizado".
pub fn status_of_document(model: &str, status: &str) -> Markup {
    let feminine = state(status);
    let stem = feminine.strip_suffix("da");
    match stem.filter(|_| matches!(model, "57" | "58")) {
        Some(stem) => html! { span class=(class(status)) { (stem) "do" } },
        None => self::status(status),
    }
}

/// A state as people write it.
pub fn state(status: &str) -> String {
    match status {
        "em_transmissao" => "em transmissão".to_owned(),
        "pendente_prefeitura" => "na fila da prefeitura".to_owned(),
        "nao_enviada" => "não enviada".to_owned(),
        "valido" => "válido".to_owned(),
        other => other.replace('_', " "),
    }
}

/// A CNPJ as it is printed; anything else as it is.
pub fn cnpj(text: &str) -> String {
    match text.as_bytes() {
        bytes if is_cnpj(bytes) => format!(
            "{}.{}.{}/{}-{}",
            &text[..2],
            &text[2..5],
            &text[5..8],
            &text[8..12],
            &text[12..]
        ),
        _ => text.to_owned(),
    }
}

/// Whether a text is a bare CNPJ: 14 digits, of which the first twelve may be letters. A CPF
/// with its points and dash has as many characters.
fn is_cnpj(bytes: &[u8]) -> bool {
    let mut places = bytes.iter().enumerate();
    bytes.len() == 14
        && places.all(|(at, byte)| byte.is_ascii_digit() || (at < 12 && byte.is_ascii_uppercase()))
}

/// A CPF or CNPJ as it is printed; anything else as it is.
pub fn cpf_cnpj(text: &str) -> String {
    match text.as_bytes() {
        bytes if bytes.len() == 11 && bytes.iter().all(u8::is_ascii_digit) => format!(
            "{}.{}.{}-{}",
            &text[..3],
            &text[3..6],
            &text[6..9],
            &text[9..]
        ),
        _ => cnpj(text),
    }
}

/// The API's name of an environment, with its accents.
pub fn ambiente(name: &str) -> &str {
    match name {
        "producao" => "produção",
        "homologacao" => "homologação",
        other => other,
    }
}

/// An amount of bytes, in the words people know: a KB has 1,024. Of a part of one more tenths
/// are told, as of a length of time.
pub fn size(bytes: i64) -> String {
    const KIB: i64 = 1_024;
    let units = [(KIB * KIB * KIB, "GB"), (KIB * KIB, "MB"), (KIB, "KB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit);
    let Some((unit, word)) = unit else {
        return format!("{} bytes", whole(bytes));
    };
    match (bytes / unit, bytes % unit * 10 / unit) {
        (count, 0) => format!("{} {word}", whole(count)),
        (count, tenths) => format!("{},{tenths} {word}", whole(count)),
    }
}

/// A moment of the API (RFC 3339) as people in Brasília read it.
pub fn moment(text: &str) -> Markup {
    let Some(at) = when::parse(text) else {
        return html! { span class="suave" { (if text.is_empty() { "–" } else { text }) } };
    };
    let local = when::local(when::ms(at), "SP");
    let shown = format!(
        "{:02}/{:02}/{} {:02}:{:02}",
        local.day(),
        u8::from(local.month()),
        local.year(),
        local.hour(),
        local.minute()
    );
    html! { time datetime=(text) { (shown) } }
}

/// A length of time: `320 ms`, `1,2 s`, `25 s`.
pub fn took(ms: i64) -> String {
    match (ms / 1_000, ms % 1_000 / 100) {
        (0, _) => format!("{ms} ms"),
        (seconds, 0) => format!("{} s", whole(seconds)),
        (seconds, tenths) => format!("{},{tenths} s", whole(seconds)),
    }
}

/// A date of the API as people read it.
pub fn day(text: &str) -> String {
    when::parse_date(text).map_or_else(
        || text.to_owned(),
        |day| {
            format!(
                "{:02}/{:02}/{}",
                day.day(),
                u8::from(day.month()),
                day.year()
            )
        },
    )
}

/// An amount of the API (a decimal number) as money.
pub fn money(value: &Value) -> String {
    let text = value.to_string();
    let text = text.trim_matches('"');
    match text.parse::<rust_decimal::Decimal>() {
        Ok(amount) => {
            let fixed = format!("{:.2}", amount.round_dp(2));
            let (whole_part, cents) = fixed.split_once('.').unwrap_or((&fixed, "00"));
            let negative = whole_part.starts_with('-');
            let digits = whole_part.trim_start_matches('-').parse().unwrap_or(0);
            format!(
                "{}R$ {},{cents}",
                if negative { "-" } else { "" },
                whole(digits)
            )
        }
        Err(_) => "–".to_owned(),
    }
}

/// Longest word that stays on one line whatever the width of the screen: a CNPJ has 18 characters.
const KEPT: usize = 24;

/// A sentence whose words with a hyphen (`NF-e`, a CNPJ) are not broken behind it.
pub fn together(sentence: &str) -> Markup {
    html! {
        @for (at, word) in sentence.split(' ').enumerate() {
            @if at > 0 { " " }
            @if word.contains('-') && word.len() <= KEPT { span class="junto" { (word) } } @else { (word) }
        }
    }
}

/// A labelled field. `input` is the input itself, whose id is `name`.
pub fn field(name: &str, label: &str, hint: &str, input: Markup) -> Markup {
    field_of("", name, label, hint, input)
}

/// As [`field`], of one that must be filled in.
pub fn required(name: &str, text: &str, hint: &str, input: Markup) -> Markup {
    labelled_field("", name, label(name, text, MUST), hint, input)
}

/// A labelled field with classes of its own: its width, when it is shown.
pub fn field_of(class: &str, name: &str, text: &str, hint: &str, input: Markup) -> Markup {
    labelled_field(class, name, label(name, text, None), hint, input)
}

fn labelled_field(class: &str, name: &str, label: Markup, hint: &str, input: Markup) -> Markup {
    html! {
        div class=(format!("campo {class}").trim_end()) {
            (label)
            div class="caixa" {
                (input)
                @if !hint.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
            }
        }
    }
}

/// Of a field that must be filled in, whatever the rest of its form says.
pub const MUST: Option<&str> = Some("");

/// The label of a field. `must`: it must be filled in, in forms that show this class; its
/// mark says so to who sees it, and a word to who hears it.
pub fn label(name: &str, text: &str, must: Option<&str>) -> Markup {
    html! {
        label for=(name) {
            (text)
            @if let Some(class) = must {
                span class=(format!("exigido {class}").trim_end()) { span aria-hidden="true" { " *" } span class="so-leitor" { " (obrigatório)" } }
            }
        }
    }
}

/// What the marks of [`label`] mean, above their form.
pub fn marks() -> Markup {
    html! { p class="dica" { "Campos com * são obrigatórios." } }
}

/// An input of one line.
pub fn line(name: &str, kind: &str, value: &str) -> Markup {
    html! { input id=(name) name=(name) type=(kind) value=(value); }
}

/// A choice of one.
pub fn select(name: &str, options: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        select id=(name) name=(name) {
            @for (value, word) in options {
                option value=(value) selected[*value == chosen] { (word) }
            }
        }
    }
}

/// The states as a list to choose from, by their names: the sigla, and what it is called.
pub fn states() -> Vec<(&'static str, &'static str)> {
    let mut states: Vec<(&str, &str)> = UFS.iter().map(|uf| (uf.abbreviation, uf.name)).collect();
    // Accents are no letters of their own: "Pará" is before "Paraíba".
    states.sort_by_cached_key(|(_, name)| fold(name));
    states
}

/// A table that may be wider than the screen. On a narrow one each row is a
/// card, whose cells carry the word of their column.
pub fn table(caption: &str, head: &[&str], rows: Markup) -> Markup {
    let (rows, numbers) = labelled(&rows.0, head);
    html! {
        div class="rolagem" tabindex="0" role="region" aria-label=(caption) {
            table {
                caption class="so-leitor" { (caption) }
                thead {
                    tr {
                        @for (word, number) in head.iter().zip(numbers) {
                            th scope="col" class=[number.then_some("num")] {
                                // Of links and buttons, which need no word to be understood.
                                @if word.is_empty() { span class="so-leitor" { "Ações" } } @else { (word) }
                            }
                        }
                    }
                }
                tbody { (PreEscaped(rows)) }
            }
        }
    }
}

/// Rows whose cells have the word of their column, and the columns that hold
/// numbers. What people wrote is escaped in them: each `<td` is a cell.
pub fn labelled(rows: &str, head: &[&str]) -> (String, Vec<bool>) {
    let mut numbers = vec![false; head.len()];
    let mut out = String::with_capacity(rows.len() * 5 / 4);
    let mut column = 0;
    for (index, piece) in rows.split('<').enumerate() {
        if index > 0 {
            out.push('<');
        }
        let Some(rest) = piece.strip_prefix("td") else {
            if piece.starts_with("tr") {
                column = 0;
            }
            out.push_str(piece);
            continue;
        };
        out.push_str("td");
        if let Some(word) = head.get(column).filter(|word| !word.is_empty()) {
            let word = html! { (word) }.0;
            out.push_str(&format!(" data-rotulo=\"{word}\""));
        }
        let attributes = rest.split('>').next().unwrap_or_default();
        if let Some(number) = numbers.get_mut(column) {
            *number |= attributes.contains("class=\"num");
        }
        column += 1;
        out.push_str(rest);
    }
    (out, numbers)
}

/// Nothing there yet, and what to do about it.
pub fn empty(sign: &str, sentence: &str, action: Markup) -> Markup {
    html! { div class="vazio" { span class="disco" { (icon(sign)) } p { (sentence) } (action) } }
}

/// What went wrong.
pub fn alert(sentence: &str) -> Markup {
    error_box(false, html! { p { (sentence) } })
}

/// Why a form was refused, where no field of it is wrong: the person goes on there.
pub fn refused(sentence: &str) -> Markup {
    error_box(true, html! { p { (sentence) } })
}

/// Good news above a page.
pub fn done(sentence: &str) -> Markup {
    html! { div class="aviso-caixa ok" role="status" { p { (sentence) } } }
}

/// A text to be copied, shown once or not.
pub fn copy(id: &str, text: &str) -> Markup {
    html! {
        div class="segredo" {
            code id=(id) { (text) }
            button type="button" class="botao secundario mini" data-copia=(format!("#{id}")) { "Copiar" }
        }
    }
}

/// Next page of a listing; `query` holds the other parameters.
pub fn pager(path: &str, query: &str, answer: &Value) -> Markup {
    let cursor = answer["proximo_cursor"].as_str().unwrap_or_default();
    let more = answer["tem_mais"].as_bool().unwrap_or(false) && !cursor.is_empty();
    let joined = if query.is_empty() {
        String::new()
    } else {
        format!("&{query}")
    };
    html! {
        @if more {
            nav class="paginas" aria-label="Páginas" {
                a class="botao secundario mini" href=(format!("{path}?cursor={cursor}{joined}")) { "Mais antigos" }
            }
        }
    }
}

/// A drawing of one line, beside a word.
pub fn icon(name: &str) -> Markup {
    let path = match name {
        "casa" => "M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z",
        "folha" => {
            "M6 3h8l4 4v13a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM14 3v4h4M8 12h8M8 16h6"
        }
        "mais" => "M12 5v14M5 12h14",
        "certo" => "M5 12.5l4.5 4.5L19 7.5",
        "conta" => "M6 3h12v18H6zM9 7h6M9 12h.01M12 12h.01M15 12h.01M9 16h.01M12 16h.01M15 16h.01",
        "carta" => "M4 6h16v12H4zM4 7l8 6 8-6",
        "loja" => "M4 9l1-5h14l1 5M5 9v11h14V9M9 20v-6h6v6M4 9h16",
        "chave" => {
            "M15.5 8.5m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M12 12l-8 8M6 18l2 2M9 15l2 2"
        }
        "sino" => "M6 16V11a6 6 0 1 1 12 0v5l2 2H4zM10 20h4",
        "barras" => "M5 20V11M12 20V4M19 20v-6M3 20h18",
        "lupa" => "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
        "entrada" => "M12 3v11M8 10l4 4 4-4M4 15v5h16v-5",
        "numeros" => "M5 4v16M9 4v16M13 4v16M19 4v16M16 4v16",
        "soma" => "M5 4h14v16H5zM9 9h6M9 13h6M9 17h3",
        "sinal" => "M5 20v-4M10 20v-8M15 20V8M20 20V4",
        "mapa" => "M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14",
        "peca" => "M10 4h4v3h5v5h-3v4h3v4H5V7h5z",
        "moeda" => {
            "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9h4a2 2 0 0 1 0 4H9m0 0h5a2 2 0 0 1 0 4H9M9 9v8"
        }
        "gente" => {
            "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6 6 0 0 1 3 5.5"
        }
        "pessoa" => "M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
        "caixa" => "M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8",
        "lista" => "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
        "ajuste" => "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
        _ => "M12 4v16",
    };
    PreEscaped(format!(
        "<svg viewBox='0 0 24 24' fill='none' stroke='currentColor' stroke-width='1.8' stroke-linecap='round' stroke-linejoin='round' aria-hidden='true'><path d='{path}'/></svg>"
    ))
}

/// A QR code, dark on light whatever the theme.
pub fn qr(content: &str, label: &str) -> Markup {
    let Ok(code) = QrCode::encode(content.as_bytes()) else {
        return html! {};
    };
    let size = code.size();
    let mut path = String::new();
    for row in 0..size {
        for column in 0..size {
            if code.is_dark(column, row) {
                path.push_str(&format!("M{} {}h1v1h-1z", column + 4, row + 4));
            }
        }
    }
    let side = size + 8;
    html! {
        svg viewBox=(format!("0 0 {side} {side}")) width="220" height="220" role="img" aria-label=(label) {
            rect width=(side) height=(side) fill="#fff" {}
            path d=(path) fill="#000" {}
        }
    }
}

/// A text made safe to stand in an address.
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
