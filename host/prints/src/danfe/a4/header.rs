//! Head of every page (MOC 7.0, Anexo II §3.5): who issued the note, its number,
//! its key and protocol; and the stub of the first page.

use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::code128::Code128;
use crate::danfe::a4::paging::Form;
use crate::danfe::nota::Nota;
use crate::danfe::values::{date_and_time, group, join, nota_number, serie, value};
use crate::pdf::font::{Font, fit_size, width, win_ansi, wrap};
use crate::pdf::image::Image;
use crate::pdf::sheet::Item;
use markup::format::{cep, document, telephone};

const QUERY: &str = "Consulta de autenticidade no portal nacional da NF-e \
    www.nfe.fazenda.gov.br/portal ou no site da Sefaz Autorizadora";

/// The header of page `sheet` of `sheets`.
pub(super) fn header(
    board: &mut Board,
    form: &Form,
    nota: &Nota<'_>,
    logo: Option<&Image>,
    (sheet, sheets): (usize, usize),
) {
    let top = if sheet == 1 { form.top } else { form.next_top };
    let (of_danfe, of_chave) = if form.landscape {
        (34.0 * MM, 130.0 * MM)
    } else {
        (34.0 * MM, 90.0 * MM)
    };
    let area = |x, width| Area {
        x,
        y: top,
        width,
        height: form.identification,
    };
    let of_emitter = form.width - of_danfe - of_chave;
    emitter(board, area(form.x, of_emitter), nota, logo);
    let x = form.x + of_emitter;
    danfe(board, area(x, of_danfe), nota, (sheet, sheets));
    let code = Code128::new(nota.chave).ok();
    let mut in_frame = code.as_ref();
    let mut y = top + form.identification;
    if form.bar_strip > 0.0 {
        bar_code_row(board, form, y, in_frame.take());
        y += form.bar_strip;
    }
    chave(board, area(x + of_danfe, of_chave), nota, in_frame);
    fields(board, form, nota, y, (of_emitter + of_danfe, of_chave));
}

/// A bar code that needs more than the key's box, in a row of its own.
fn bar_code_row(board: &mut Board, form: &Form, y: f32, code: Option<&Code128>) {
    let strip = Area {
        x: form.x,
        y,
        width: form.width,
        height: form.bar_strip,
    };
    board.frame(strip);
    if let Some(code) = code {
        // NT 2025.001 conjunta: at least 11.5 cm wide and 0.8 cm high.
        let bars = Area {
            x: strip.x + 30.0 * MM,
            y: strip.y + 1.5 * MM,
            width: strip.width - 60.0 * MM,
            height: strip.height - 3.0 * MM,
        };
        board.barcode(bars, code);
    }
}

/// The rows below the boxes: operation and protocol, as wide as the boxes above
/// them, the issuer's registrations and tax regime.
fn fields(
    board: &mut Board,
    form: &Form,
    nota: &Nota<'_>,
    mut y: f32,
    (left, of_chave): (f32, f32),
) {
    let (label, text) = protocol(nota);
    board.row(
        form.row(y),
        &[
            Field::new(left / MM, "NATUREZA DA OPERAÇÃO", nota.ide.t("natOp")),
            Field::new(of_chave / MM, label, text).aligned(Align::Centre),
        ],
    );
    y += form.field;
    board.row(
        form.row(y),
        &[
            Field::new(0.0, "INSCRIÇÃO ESTADUAL", nota.emit.t("IE")),
            Field::new(
                0.0,
                "INSCRIÇÃO ESTADUAL DO SUBST. TRIBUTÁRIO",
                nota.emit.t("IEST"),
            ),
            Field::new(
                0.0,
                "CNPJ / CPF",
                document(&nota.emit.one_of(&["CNPJ", "CPF"])),
            ),
        ],
    );
    y += form.field;
    if form.reforma {
        board.row(
            form.row(y),
            &[
                Field::new(0.0, "CÓDIGO DO REGIME TRIBUTÁRIO", crt(&nota.emit.t("CRT"))),
                // Kept empty until a note gives it a tag (NT 2026.010 §4.2, second-hand).
                Field::new(0.0, "TIPO DE REGIME DE APURAÇÃO DO IBS E DA CBS", ""),
            ],
        );
    }
}

/// `CRT` in words (MOC, C21; NT 2024.001 for 4).
fn crt(code: &str) -> String {
    match code {
        "1" => "1 - Simples Nacional".to_owned(),
        "2" => "2 - Simples Nacional, excesso de sublimite de receita bruta".to_owned(),
        "3" => "3 - Regime Normal".to_owned(),
        "4" => "4 - Simples Nacional, Microempreendedor Individual (MEI)".to_owned(),
        other => other.to_owned(),
    }
}

/// Caption and content of the box of the protocol.
fn protocol(nota: &Nota<'_>) -> (&'static str, String) {
    let number = nota.prot.t("nProt");
    if number.is_empty() {
        return (
            "PROTOCOLO DE AUTORIZAÇÃO DE USO",
            "NF-e SEM PROTOCOLO DE AUTORIZAÇÃO".to_owned(),
        );
    }
    let (day, hour) = date_and_time(&nota.prot.t("dhRecbto"));
    let when = join([&*day, &*hour], " ");
    let label = if nota.denied() {
        "PROTOCOLO DE DENEGAÇÃO DE USO"
    } else {
        "PROTOCOLO DE AUTORIZAÇÃO DE USO"
    };
    (label, join([&*number, &*when], " - "))
}

/// A line of a box whose text stands in the middle.
struct Line {
    text: Vec<u8>,
    font: Font,
    size: f32,
}

/// The issuer's logo, name and address.
fn emitter(board: &mut Board, area: Area, nota: &Nota<'_>, logo: Option<&Image>) {
    board.frame(area);
    let mut bounds = (area.x + INDENT, area.right() - INDENT);
    if let Some(logo) = logo {
        bounds.0 += place_logo(board, area, logo) + INDENT;
    }
    let name = nota.emit.t("xNome");
    let parts = address(nota);
    let space = (bounds.1 - bounds.0, area.height - 2.0 * INDENT);
    let lines = name_and_address(&name, &parts, space);
    let mut y = area.y + ((area.height - lines_height(&lines)) / 2.0).max(INDENT);
    let mut cut = false;
    for line in lines {
        if y + line.size > area.bottom() {
            cut = true;
            break;
        }
        y += line.size;
        let font = (line.font, line.size);
        board.written(bounds, y, font, Align::Centre, line.text);
        y += line.size * 0.12;
    }
    if cut {
        let whole = join(
            std::iter::once(&*name).chain(parts.iter().map(|part| &**part)),
            ", ",
        );
        board.left_overs.push(("EMITENTE".to_owned(), whole));
    }
}

/// Draws the logo on the left of an area; returns how wide it is there.
fn place_logo(board: &mut Board, area: Area, logo: &Image) -> f32 {
    let space = (area.width * 0.34, area.height - 2.0 * INDENT);
    let (width, height) = within(logo, space);
    board.items.push(Item::Logo {
        x: area.x + INDENT,
        y: area.y + (area.height - height) / 2.0,
        width,
        height,
    });
    width
}

/// Trade name, address and telephone of the issuer, each on lines of its own.
fn address(nota: &Nota<'_>) -> [String; 5] {
    let ender = nota.emit.node("enderEmit");
    let named = |name: &str, text: &str, format: fn(&str) -> String| {
        if text.is_empty() {
            String::new()
        } else {
            format!("{name} {}", format(text))
        }
    };
    [
        nota.emit.t("xFant").into_owned(),
        join(
            [&*ender.t("xLgr"), &*ender.t("nro"), &*ender.t("xCpl")],
            ", ",
        ),
        join(
            [&*ender.t("xBairro"), &*named("CEP", &ender.t("CEP"), cep)],
            " - ",
        ),
        join([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        named("Fone:", &ender.t("fone"), telephone),
    ]
}

/// The lines of the issuer's box, of sizes at which they fit this width and,
/// unless they are very many, this height.
fn name_and_address(name: &str, parts: &[String], (width, height): (f32, f32)) -> Vec<Line> {
    let mut lines = Vec::new();
    let name = win_ansi(name);
    // §3.7.6: 12 points; a long name gets smaller before it takes four lines.
    let size = [12.0, 11.0, 10.0, 9.0]
        .into_iter()
        .find(|size| wrap(&name, Font::TimesBold, *size, width).len() <= 3)
        .unwrap_or(8.0);
    add_line(&mut lines, &name, size, width);
    let name_at = lines.len();
    for size in [8.0, 7.0, 6.0] {
        lines.truncate(name_at);
        for part in parts.iter().filter(|part| !part.is_empty()) {
            add_line(&mut lines, &win_ansi(part), size, width);
        }
        if lines_height(&lines) <= height {
            break;
        }
    }
    lines
}

fn lines_height(lines: &[Line]) -> f32 {
    lines.iter().map(|line| line.size * 1.12).sum()
}

fn add_line(lines: &mut Vec<Line>, text: &[u8], size: f32, space: f32) {
    let font = Font::TimesBold;
    lines.extend(wrap(text, font, size, space).into_iter().map(|line| Line {
        text: line.to_vec(),
        font,
        size,
    }));
}

/// Size of a picture within a space, proportions kept.
pub(crate) fn within(logo: &Image, (width, height): (f32, f32)) -> (f32, f32) {
    let (l, a) = (logo.width.max(1) as f32, logo.height.max(1) as f32);
    let scale = (width / l).min(height / a);
    (l * scale, a * scale)
}

fn danfe(board: &mut Board, area: Area, nota: &Nota<'_>, (sheet, sheets): (usize, usize)) {
    board.frame(area);
    let bounds = (area.x + INDENT, area.right() - INDENT);
    let (normal, bold) = (Font::Times, Font::TimesBold);
    let mut y = area.y + 13.0;
    board.fitted(bounds, y, (bold, 12.0), Align::Centre, "DANFE");
    for line in ["Documento Auxiliar da", "Nota Fiscal Eletrônica"] {
        y += 9.0;
        board.fitted(bounds, y, (normal, 8.0), Align::Centre, line);
    }
    y += 13.0;
    let x = area.x + 12.0;
    for (at, line) in ["0 - ENTRADA", "1 - SAÍDA"].into_iter().enumerate() {
        let y = y + at as f32 * 9.0;
        board.fitted(
            (x, area.right() - 26.0),
            y,
            (normal, 8.0),
            Align::Left,
            line,
        );
    }
    let frame = Area {
        x: area.right() - 26.0,
        y: y - 7.0,
        width: 16.0,
        height: 17.0,
    };
    board.frame(frame);
    board.fitted(
        (frame.x, frame.right()),
        frame.bottom() - 5.0,
        (bold, 10.0),
        Align::Centre,
        &nota.ide.t("tpNF"),
    );
    let y = area.bottom() - 28.0;
    let number = format!("Nº {}", nota_number(&nota.ide.t("nNF")));
    let of_series = format!("SÉRIE {}", serie(&nota.ide.t("serie")));
    let of_sheet = format!("FOLHA {sheet} de {sheets}");
    for (at, line) in [number, of_series, of_sheet].iter().enumerate() {
        let y = y + at as f32 * 11.5;
        board.fitted(bounds, y, (bold, 10.0), Align::Centre, line);
    }
}

fn chave(board: &mut Board, area: Area, nota: &Nota<'_>, code: Option<&Code128>) {
    board.frame(area);
    let mut y = area.y;
    if let Some(code) = code {
        let height = 15.0 * MM;
        let bars = Area {
            x: area.x,
            y: y + 1.5 * MM,
            width: area.width,
            height: height - 3.0 * MM,
        };
        board.barcode(bars, code);
        y += height;
    }
    board.line((area.x, y), (area.right(), y), 0.5);
    let of_chave = Area {
        y,
        height: 8.4 * MM,
        ..area
    };
    board.label(of_chave, "CHAVE DE ACESSO");
    let groups = group(nota.chave, 4, " ");
    let bounds = (area.x + INDENT, area.right() - INDENT);
    let font = (Font::TimesBold, 10.0);
    board.fitted(
        bounds,
        of_chave.bottom() - 4.0,
        font,
        Align::Centre,
        &groups,
    );
    let y = of_chave.bottom();
    board.line((area.x, y), (area.right(), y), 0.5);
    let lines = wrap(QUERY.as_bytes(), Font::Times, 9.0, bounds.1 - bounds.0).len();
    let y = (y + area.bottom()) / 2.0 - lines as f32 * 5.0 + 7.5;
    let manner = (Align::Centre, 10.0, 3);
    board.paragraph(bounds, y, (Font::Times, 9.0), manner, QUERY);
}

/// What the recipient signs: on a lying page it runs up the left edge.
pub(super) fn stub(board: &mut Board, form: &Form, nota: &Nota<'_>) {
    let area = form.stub();
    let (day, _) = date_and_time(&nota.ide.one_of(&["dhEmi", "dEmi"]));
    let ender = nota.dest.node("enderDest");
    let target = join(
        [
            &*nota.dest.t("xNome"),
            &*join([&*ender.t("xLgr"), &*ender.t("nro")], ", "),
            &*ender.t("xBairro"),
            &*join([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        ],
        ", ",
    );
    let text = format!(
        "RECEBEMOS DE {} OS PRODUTOS E/OU SERVIÇOS CONSTANTES DA NOTA FISCAL ELETRÔNICA INDICADA AO LADO. \
         EMISSÃO: {day}  VALOR TOTAL: R$ {}  DESTINATÁRIO: {target}",
        nota.emit.t("xNome"),
        value(&nota.total.node("ICMSTot").t("vNF")),
    );
    let number = format!("Nº {}", nota_number(&nota.ide.t("nNF")));
    let of_series = format!("SÉRIE {}", serie(&nota.ide.t("serie")));
    if form.landscape {
        upright(board, area, &text, &number, &of_series);
        let x = (area.right() + form.x) / 2.0;
        board.items.push(Item::CutLine {
            x,
            y: area.y,
            to_x: x,
            to_y: area.bottom(),
        });
        return;
    }
    board.frame(area);
    let boundary = area.right() - 38.0 * MM;
    let middle = area.y + area.height / 2.0;
    let date = area.x + 42.0 * MM;
    board.line((boundary, area.y), (boundary, area.bottom()), 0.5);
    board.line((area.x, middle), (boundary, middle), 0.5);
    board.line((date, middle), (date, area.bottom()), 0.5);
    let bounds = (area.x + INDENT, boundary - INDENT);
    let manner = (Align::Left, 7.0, 3);
    board.paragraph(bounds, area.y + 7.2, (Font::Times, 6.5), manner, &text);
    for (x, label) in [
        (area.x, "DATA DE RECEBIMENTO"),
        (date, "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR"),
    ] {
        let bounds = (x + INDENT, boundary);
        board.fitted(bounds, middle + 6.8, (Font::Times, 6.0), Align::Left, label);
    }
    for (at, line) in ["NF-e", &number, &of_series].into_iter().enumerate() {
        let y = area.y + 14.0 + at as f32 * 14.0;
        let font = (Font::TimesBold, 10.0);
        board.fitted(
            (boundary + INDENT, area.right() - INDENT),
            y,
            font,
            Align::Centre,
            line,
        );
    }
    let y = (area.bottom() + form.top) / 2.0;
    board.items.push(Item::CutLine {
        x: area.x,
        y,
        to_x: area.right(),
        to_y: y,
    });
}

/// The stub of a lying page, to be read from the right.
fn upright(board: &mut Board, area: Area, text: &str, number: &str, of_series: &str) {
    board.frame(area);
    let boundary = area.y + 34.0 * MM;
    let middle = area.x + area.width / 2.0;
    let date = area.bottom() - 42.0 * MM;
    board.line((area.x, boundary), (area.right(), boundary), 0.5);
    board.line((middle, boundary), (middle, area.bottom()), 0.5);
    board.line((middle, date), (area.right(), date), 0.5);
    let mut write = |x: f32, y: f32, font, size, text: Vec<u8>| {
        board.items.push(Item::UprightText {
            x,
            y,
            size,
            font,
            text,
        });
    };
    let space = area.bottom() - boundary - 2.0 * INDENT;
    let text = win_ansi(text);
    let lines = wrap(&text, Font::Times, 6.5, space);
    for (at, line) in lines.iter().take(3).enumerate() {
        let x = area.x + 7.2 + at as f32 * 7.0;
        let line = if at == 2 && lines.len() > 3 {
            crate::board::ellipsis(line, Font::Times, 6.5, space)
        } else {
            line.to_vec()
        };
        write(x, area.bottom() - INDENT, Font::Times, 6.5, line);
    }
    for (y, label) in [
        (area.bottom(), "DATA DE RECEBIMENTO"),
        (date, "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR"),
    ] {
        write(middle + 6.8, y - INDENT, Font::Times, 6.0, win_ansi(label));
    }
    let high = boundary - area.y;
    for (at, line) in ["NF-e", number, of_series].into_iter().enumerate() {
        let line = win_ansi(line);
        let font = Font::TimesBold;
        let size = fit_size(&line, font, 10.0, high - 2.0 * INDENT);
        let y = boundary - (high - width(&line, font, size)) / 2.0;
        write(area.x + 14.0 + at as f32 * 14.0, y, font, size, line);
    }
}
