//! Pages of batches: the file that is sent, what was found, the question, the
//! progress, the result.

use super::batch::{Fault, kept, kept_faults};
use super::columns::Columns;
use super::repeated::{Repeat, name as earlier_name};
use super::result::{kind, number, titles};
use super::state::{Counts, Standing, standing};
use crate::form::Fields;
use crate::form::hidden_of;
use crate::layout::page;
use crate::pages::issue::inputs::{KINDS, word};
use crate::pages::issue::{Offered, company_name, places};
use crate::parts::{
    alert, ambiente, document, empty, encoded, field, hidden, moment, pager, reais, select, table,
    top, whole,
};
use crate::reply::text;
use crate::visitor::Visitor;
use accounts::users::role::Action;
use base::when;
use maud::{Markup, html};
use objects::sheet::LINES;
use serde_json::Value;
use store::tables::lotes::{LoteLineRow, LoteRow, LoteStatus};

/// Longest title of a column that a sentence shows, in characters.
const TITLE_CHARS: usize = 60;
/// Most equal notes that are listed.
const REPEATS: usize = 10;
/// The entry of the menu.
const ACTIVE: &str = "/painel/emitir";

/// Where a batch begins, and the last ones. `wrong`: why a file was not taken; `next`: what
/// follows them.
pub fn list(
    visitor: &Visitor,
    (fields, wrong): (&Fields, &str),
    companies: &Offered,
    batches: &[(LoteRow, Counts)],
    next: &Value,
) -> Markup {
    page(
        visitor,
        ACTIVE,
        "Emitir em lote",
        html! {
            (top("Emitir em lote", "Uma planilha vira muitas notas. Cada linha é conferida antes, e nada é emitido sem a sua confirmação.", html! {
                a class="botao secundario" href="/painel/emitir" { "Emitir uma só" }
            }))
            @if !wrong.is_empty() { (alert(wrong)) }
            @if companies.options.is_empty() {
                div class="aviso-caixa aviso" { p { "Cadastre um emitente antes: é a empresa que assina as notas. " a href="/painel/emitentes" { "Cadastrar emitente" } } }
            } @else if !visitor.may(Action::Documentos) {
                div class="aviso-caixa aviso" { p { "O seu papel nesta conta só permite ver documentos." } }
            } @else {
                div class="grade larga" { (upload(visitor, fields, wrong, companies)) (steps()) }
            }
            section class="cartao" {
                h2 { "Lotes enviados" }
                @if batches.is_empty() { (empty("lista", "Os lotes que você enviar aparecem aqui por 90 dias.", html! {})) }
                @else { (latest(batches)) (pager("/painel/lotes", "", next)) }
            }
        },
    )
}

fn upload(visitor: &Visitor, fields: &Fields, wrong: &str, companies: &Offered) -> Markup {
    let options: Vec<(&str, &str)> = companies
        .options
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let chosen = companies.chosen(fields.get("emitente"));
    html! {
        section class="cartao" {
            h2 { "Enviar a planilha" }
            form class="campos" method="post" action="/painel/lotes" enctype="multipart/form-data" {
                (hidden_of(visitor, fields))
                (field("tipo", "Tipo das notas", "", select("tipo", KINDS, fields.get("tipo"))))
                (field("emitente", "Emitente", "", select("emitente", &options, chosen)))
                (field("arquivo", "Arquivo CSV ou XLSX", &format!("Até {LINES} linhas e 1 MB. Escolha o arquivo ou arraste-o para cá."), html! {
                    input class="soltar" id="arquivo" name="arquivo" type="file" required aria-describedby="arquivo-dica" aria-invalid=[(!wrong.is_empty()).then_some("true")]
                        accept=".csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
                }))
                div { button class="botao" { "Conferir o arquivo" } }
            }
        }
    }
}

fn steps() -> Markup {
    html! {
        section class="cartao" {
            h2 { "Como preencher" }
            ol class="passos" {
                li { span class="disco" { "1" } div {
                    "Baixe o modelo: "
                    @for (at, (kind, words)) in KINDS.iter().enumerate() {
                        @if at > 0 { ", " }
                        @let words = words.split(' ').next().unwrap_or(words);
                        (words) " em " a href=(format!("/painel/lotes/modelo/{kind}.xlsx")) aria-label=(format!("{words} em XLSX")) { "XLSX" }
                        " ou " a href=(format!("/painel/lotes/modelo/{kind}.csv")) aria-label=(format!("{words} em CSV")) { "CSV" }
                    }
                    "."
                } }
                li { span class="disco" { "2" } div { "Uma linha por item. Linhas com o mesmo texto na coluna Nota são uma nota só, com vários itens. Um produto do cadastro pode vir só pelo código, sem descrição e NCM." } }
                li { span class="disco" { "3" } div { "Valores como 18,90. A cidade pelo nome, com a UF. O pagamento como PIX, Dinheiro ou Boleto." } }
                li { span class="disco" { "4" } div { "Envie: mostramos o que corrigir em cada linha, o total e o preço. Só depois você confirma." } }
            }
        }
    }
}

fn latest(batches: &[(LoteRow, Counts)]) -> Markup {
    table(
        "Lotes enviados",
        &["Lote", "Tipo", "Situação", "Notas", "Enviado em"],
        html! {
            @for (batch, counts) in batches {
                tr {
                    td class="quebra" { a href=(format!("/painel/lotes/{}", encoded(&batch.id))) { (name(batch)) } }
                    td { (kind_words(batch)) }
                    td { (seal(batch.status)) }
                    td { (in_words(counts)) }
                    td class="curto" { (moment(&when::rfc3339(batch.created_at_ms))) }
                }
            }
        },
    )
}

fn name(batch: &LoteRow) -> &str {
    if batch.arquivo.is_empty() {
        "Planilha"
    } else {
        &batch.arquivo
    }
}

fn kind_words(batch: &LoteRow) -> &'static str {
    let words = word(KINDS, kind(batch));
    words.split(' ').next().unwrap_or(words)
}

fn seal(status: LoteStatus) -> Markup {
    let (class, words) = match status {
        LoteStatus::Checked => ("selo aviso", "a confirmar"),
        LoteStatus::Issuing => ("selo aviso", "emitindo"),
        LoteStatus::Stopped => ("selo erro", "parado"),
        LoteStatus::Finished => ("selo ok", "concluído"),
    };
    html! { span class=(class) { (words) } }
}

/// `40 emitidas, 5 a corrigir`.
fn in_words(counts: &Counts) -> String {
    let parts = [
        (counts.issued, "emitida", "emitidas"),
        (counts.open, "em transmissão", "em transmissão"),
        (counts.ready, "pronta", "prontas"),
        (counts.refused, "recusada", "recusadas"),
        (counts.uncertain, "a conferir", "a conferir"),
        (counts.wrong, "a corrigir", "a corrigir"),
        (counts.repeated, "repetida", "repetidas"),
    ];
    let there = parts.iter().filter(|(count, _, _)| *count > 0);
    let words = there.map(|(count, one, several)| {
        format!(
            "{} {}",
            whole(*count),
            if *count == 1 { one } else { several }
        )
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What the page of a batch shows.
pub struct Seen<'s> {
    pub batch: &'s LoteRow,
    pub lines: &'s [LoteLineRow],
    /// Its notes that another batch issued, while it waits for a confirmation.
    pub repeats: &'s [Repeat],
    /// Null where it is gone.
    pub company: &'s Value,
    /// Credits of the account.
    pub available: i64,
}

/// The page of a batch.
pub fn batch(visitor: &Visitor, seen: &Seen<'_>) -> Markup {
    let Seen {
        batch,
        lines,
        company,
        ..
    } = *seen;
    let counts = counted(lines);
    let running = batch.status == LoteStatus::Issuing || counts.open > 0;
    let path = format!("/painel/lotes/{}", encoded(&batch.id));
    page(
        visitor,
        ACTIVE,
        &format!("Lote {}", name(batch)),
        html! {
            div id="lote" data-atualiza=[running.then_some("2000")] {
                (top(name(batch), &about(batch, company), html! {
                    (seal(batch.status))
                    a class="botao secundario" href="/painel/lotes" { "Todos os lotes" }
                }))
                @match batch.status {
                    LoteStatus::Checked => (question(visitor, seen, &counts, &path)),
                    LoteStatus::Issuing | LoteStatus::Stopped | LoteStatus::Finished => (progress(visitor, seen, &counts, &path)),
                }
                (wrong_lines(visitor, lines, &path))
                (other_lines(visitor, seen))
            }
        },
    )
}

/// Kind of the notes, and the company while it is registered.
fn about(batch: &LoteRow, company: &Value) -> String {
    let kind = kind_words(batch);
    if company.is_null() {
        kind.to_owned()
    } else {
        format!("{kind} de {}", company_name(company))
    }
}

fn counted(lines: &[LoteLineRow]) -> Counts {
    let mut counts = Counts::default();
    for line in lines {
        counts.add(standing(line), 1, line.valor_centavos);
    }
    counts
}

/// The columns of the file that are not used: nobody knows them, or notes of another kind have them.
fn unused(batch: &LoteRow) -> Markup {
    let columns = Columns::read(&titles(batch), kind(batch));
    let unknown = columns.map(|columns| columns.unknown).unwrap_or_default();
    let words: Vec<String> = unknown.iter().map(|title| cut(title)).collect();
    html! {
        @if !words.is_empty() {
            div class="aviso-caixa aviso" {
                p class="quebra" {
                    strong { (if words.len() == 1 { "Não entendemos uma coluna, e ela não será usada: " } else { "Não entendemos estas colunas, e elas não serão usadas: " }) }
                    (words.join(", ")) "."
                }
                p { "Se alguma faz falta, escreva o título dela como no modelo e envie a planilha de novo." }
            }
        }
    }
}

/// A title as a sentence has room for it.
fn cut(title: &str) -> String {
    title.trim().chars().take(TITLE_CHARS).collect()
}

/// What was found in the file, and whether to issue.
fn question(visitor: &Visitor, seen: &Seen<'_>, counts: &Counts, path: &str) -> Markup {
    let Seen {
        batch,
        company,
        available,
        ..
    } = *seen;
    // Without those that another batch issued.
    let (fresh, fresh_cents) = fresh(counts, seen.repeats);
    let price = batch.preco * fresh;
    let real = visitor.live() && text(company, "ambiente") == "producao";
    html! {
        section class="cartao" {
            h2 { "Conferido: nada foi emitido ainda" }
            dl class="fatos" {
                dt { "Prontas para emitir" } dd { strong { (notes(fresh)) } }
                @if counts.wrong > 0 { dt { "A corrigir" } dd { (notes(counts.wrong)) @if counts.wrong == 1 { ", que não será emitida" } @else { ", que não serão emitidas" } } }
                @if !seen.repeats.is_empty() { dt { "Repetidas" } dd { strong { (notes(repeated_count(seen.repeats))) } } }
                @if fresh > 0 || seen.repeats.is_empty() {
                    dt { "Total das notas prontas" } dd { strong { (reais(fresh_cents)) } }
                    dt { "Preço" } dd { (cost(price)) }
                }
                dt { "Ambiente" } dd {
                    @if batch.preco == 0 { "simulado" }
                    @else { (ambiente(if real { "producao" } else { "homologacao" })) }
                }
            }
            (unused(batch))
            @if counts.ready == 0 {
                div class="aviso-caixa erro" { p { "Nenhuma nota pode ser emitida. Corrija a planilha e envie de novo." } }
            } @else if real {
                div class="aviso-caixa aviso" { p { strong { "As notas terão valor fiscal." } " Depois de autorizadas, elas não podem ser alteradas: " (places::remedy(batch.modelo.as_str())) } }
            }
            @if price > available {
                div class="aviso-caixa erro" { p { "Os créditos da conta não bastam para todas: há " (whole(available)) ". O lote para quando acabarem, e continua depois. " a href="/painel/creditos" { "Comprar créditos" } } }
            }
            @if visitor.may(Action::Documentos) {
                div class="acoes" {
                    @if counts.ready > 0 {
                        form method="post" action=(format!("{path}/emitir")) {
                            (hidden(visitor))
                            (repeats(visitor, seen, counts))
                            @if fresh > 0 { button class="botao" { "Emitir " (notes(fresh)) " de " (reais(fresh_cents)) } }
                        }
                    }
                    (discard(visitor, path, counts))
                }
            }
        }
    }
}

/// Credits, as the page of a batch says them.
fn cost(price: i64) -> String {
    match price {
        0 => "nada: as notas são simuladas".to_owned(),
        1 => format!("1 crédito ({}), só das notas autorizadas", reais(1)),
        price => format!(
            "{} créditos ({}), só das notas autorizadas",
            whole(price),
            reais(price)
        ),
    }
}

/// Notes that are issued if nobody wants those of other batches again, and their
/// value in cents.
fn fresh(counts: &Counts, repeats: &[Repeat]) -> (i64, i64) {
    let left = counts.ready - repeated_count(repeats);
    let cents: i64 = repeats.iter().map(|repeat| repeat.cents).sum();
    (left.max(0), (counts.ready_cents - cents).max(0))
}

fn repeated_count(repeats: &[Repeat]) -> i64 {
    i64::try_from(repeats.len()).unwrap_or(i64::MAX)
}

/// Notes that another batch issued, in the form that confirms, and whether to
/// issue them again.
fn repeats(visitor: &Visitor, seen: &Seen<'_>, counts: &Counts) -> Markup {
    let count = repeated_count(seen.repeats);
    let more = seen.repeats.len().saturating_sub(REPEATS);
    // There is nothing else to confirm.
    let only = count >= counts.ready;
    let also = if count == 1 {
        "Emitir também a nota igual a outra já emitida".to_owned()
    } else {
        format!(
            "Emitir também as {} notas iguais a outras já emitidas",
            whole(count)
        )
    };
    let again = match count {
        1 => "Emitir mesmo assim a repetida".to_owned(),
        count => format!("Emitir mesmo assim as {} repetidas", whole(count)),
    };
    html! {
        @if count > 0 {
            div class="aviso-caixa aviso" {
                p { strong {
                    @if count == 1 { "1 nota é igual a outra já emitida, ou em emissão, e não será emitida de novo." }
                    @else { (whole(count)) " notas são iguais a outras já emitidas, ou em emissão, e não serão emitidas de novo." }
                } }
                ul {
                    @for repeat in seen.repeats.iter().take(REPEATS) {
                        li { "Linha " (repeat.line) ": igual à " a href=(earlier_page(visitor, repeat)) { (earlier_name(&repeat.earlier)) } }
                    }
                    @if more > 0 { li { "e mais " (more) } }
                }
                label class="marcar" { input type="checkbox" name="repetidas" value="1" required[only]; (also) }
                // Seen once the box is ticked.
                p class="so-repetidas" { "Com elas: " (notes(counts.ready)) ", " (reais(counts.ready_cents)) ". Preço: " (cost(seen.batch.preco * counts.ready)) "." }
                @if only && seen.batch.status == LoteStatus::Checked {
                    div { button class="botao secundario" { (again) } }
                }
            }
        }
    }
}

/// The page of a note of another batch; of the batch while it has none.
fn earlier_page(visitor: &Visitor, repeat: &Repeat) -> String {
    match repeat.earlier.nota_id.as_ref() {
        Some(note) => document(note, visitor.ambiente()),
        None => format!("/painel/lotes/{}", encoded(&repeat.earlier.lote_id)),
    }
}

/// What was issued or is on its way stays, and the page says so.
fn discard(visitor: &Visitor, path: &str, counts: &Counts) -> Markup {
    let stay = match counts.issued + counts.open {
        0 => "",
        _ => {
            "As notas já emitidas continuam valendo e ficam em Documentos; só a lista deste lote é apagada."
        }
    };
    let asked = format!("Descartar este lote? {stay}");
    html! {
        form method="post" action=(format!("{path}/descartar")) data-confirma=(asked.trim()) {
            (hidden(visitor))
            button class="botao secundario" { "Descartar o lote" }
            @if !stay.is_empty() { p class="dica" { (stay) } }
        }
    }
}

fn notes(count: i64) -> String {
    if count == 1 {
        "1 nota".to_owned()
    } else {
        format!("{} notas", whole(count))
    }
}

/// How far it is, or what came of it.
fn progress(visitor: &Visitor, seen: &Seen<'_>, counts: &Counts, path: &str) -> Markup {
    let batch = seen.batch;
    let (done, all) = (counts.done(), counts.sending());
    let may = visitor.may(Action::Documentos);
    html! {
        section class="cartao" {
            h2 {
                @match batch.status {
                    LoteStatus::Issuing => "Emitindo",
                    LoteStatus::Stopped => "O lote parou",
                    LoteStatus::Checked | LoteStatus::Finished => "Resultado",
                }
            }
            @if batch.status == LoteStatus::Stopped {
                (stopped(seen))
            }
            label class="andamento" { span { (whole(done)) " de " (notes(all)) } progress max=(all.max(1)) value=(done) { (done) "/" (all) } }
            p { (in_words(counts)) "." }
            @if batch.status == LoteStatus::Issuing { p class="suave" { "Pode fechar esta página: o lote continua, e o resultado fica aqui. " a href=(path) { "Atualizar" } } }
            div class="acoes" {
                @if batch.status == LoteStatus::Stopped && may {
                    form method="post" action=(format!("{path}/emitir")) {
                        (hidden(visitor))
                        (repeats(visitor, seen, counts))
                        button class="botao" { "Continuar o lote" }
                    }
                }
                a class="botao secundario" href=(format!("{path}/resultado.csv?ambiente={}", visitor.ambiente())) { "Baixar o resultado (CSV)" }
                @if batch.status != LoteStatus::Issuing && may { (discard(visitor, path, counts)) }
            }
        }
    }
}

/// Why a batch stopped, where, and the way to credits where they are what it lacks.
fn stopped(seen: &Seen<'_>) -> Markup {
    let left = seen.lines.iter().filter(|line| !line.status.is_over());
    html! {
        div class="aviso-caixa erro" role="status" {
            p {
                (seen.batch.motivo)
                @if let Some(line) = left.map(|line| line.linha).min() { " O lote parou na linha " (line) "." }
                " As notas que faltam não foram emitidas."
                @if seen.available < seen.batch.preco { " " a href="/painel/creditos" { "Comprar créditos" } }
            }
        }
    }
}

/// Lines that are to be corrected, each with what to write.
fn wrong_lines(visitor: &Visitor, lines: &[LoteLineRow], path: &str) -> Markup {
    let wrong: Vec<&LoteLineRow> = lines
        .iter()
        .filter(|line| matches!(standing(line), Standing::Wrong | Standing::Refused))
        .collect();
    html! {
        @if !wrong.is_empty() {
            section class="cartao" {
                div class="cabeca" {
                    h2 { "A corrigir" }
                    a class="botao secundario mini" href=(format!("{path}/corrigir.csv?ambiente={}", visitor.ambiente())) { "Baixar só estas linhas (CSV)" }
                }
                p class="suave" { "Corrija e envie de novo só estas linhas. Linhas iguais a notas já emitidas são apontadas na conferência." }
                (table("Linhas a corrigir", &["Linha", "Destinatário", "Coluna", "O que fazer"], html! {
                    @for line in wrong {
                        @for fault in faults(line) {
                            tr {
                                td class="curto" { span class="so-estreito" { "Linha " } (fault.line) }
                                td { (if line.destinatario.is_empty() { "–" } else { &line.destinatario }) }
                                td { (if fault.column.is_empty() { "–" } else { &fault.column }) }
                                td class="texto" { (fault.sentence) }
                            }
                        }
                    }
                }))
            }
        }
    }
}

/// What is wrong with a note; of one that was refused later, that it was.
fn faults(line: &LoteLineRow) -> Vec<Fault> {
    let known = kept_faults(&line.erros);
    if !known.is_empty() {
        return known;
    }
    vec![Fault {
        line: line.linha,
        column: String::new(),
        sentence: "A autoridade recusou a nota. A página dela diz por quê.".to_owned(),
    }]
}

/// All other notes.
fn other_lines(visitor: &Visitor, seen: &Seen<'_>) -> Markup {
    let Seen {
        batch,
        lines,
        repeats,
        ..
    } = *seen;
    let others: Vec<&LoteLineRow> = lines
        .iter()
        .filter(|line| standing(line) != Standing::Wrong)
        .collect();
    let sent = batch.status != LoteStatus::Checked;
    html! {
        @if !others.is_empty() {
            details class="cartao" open[sent] {
                summary { (if sent || !repeats.is_empty() { "Notas do lote" } else { "Notas prontas" }) " (" (others.len()) ")" }
                (table("Notas do lote", &["Linha", "Destinatário", "Itens", "Valor", "Situação", "Nota"], html! {
                    @for line in others {
                        @let again = !sent && repeats.iter().any(|repeat| repeat.line == line.linha);
                        @let place = if again { Standing::Repeated } else { standing(line) };
                        tr {
                            td class="curto" { span class="so-estreito" { "Linha " } (line.linha) }
                            td { (if line.destinatario.is_empty() { "–" } else { &line.destinatario }) }
                            td class="num" { (kept(&line.celulas).lines.len()) }
                            td class="num" { (reais(line.valor_centavos)) }
                            td {
                                span class=(place.class()) { (place.words()) }
                                @if place == Standing::Repeated { @for why in kept_faults(&line.erros) { " " (why.sentence) } }
                            }
                            td { @if let Some(note) = line.nota_id.as_ref() {
                                a href=(document(note, visitor.ambiente())) { @if number(line).is_empty() { "ver" } @else { (number(line)) } }
                            } }
                        }
                    }
                }))
            }
        }
    }
}
