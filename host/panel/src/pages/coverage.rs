//! Coverage of NFS-e: the map of Brazil by state, the systems with what was measured
//! of their addresses, and what is known of a municipality, with who says so.

use crate::Panel;
use crate::layout::page;
use crate::parts::{day, empty, encoded, field, moment, stat, status, table, took, top, whole};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::routing::get;
use base::config::Authorities;
use base::when;
use flow::registry::{Municipality, Registry, fold};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use time::Date;

/// States where they lie, row by row; a dot is the sea or a neighbour.
pub const MAP: &[&str] = &[
    ". RR . AP . . .",
    "AM PA MA CE RN . .",
    "AC TO PI PB PE . .",
    "RO MT DF BA AL SE .",
    ". MS GO MG ES . .",
    ". . PR SP RJ . .",
    ". . RS SC . . .",
];
/// What the levels of a state's share mean.
const LEVELS: [&str; 5] = ["nenhum", "até 24%", "25 a 59%", "60 a 94%", "95% ou mais"];
/// Municipalities a search shows.
const MOST: usize = 60;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/cobertura", get(coverage))
}

#[derive(Default, Clone, Copy)]
struct Share {
    all: i64,
    yes: i64,
    part: i64,
    no: i64,
}

impl Share {
    /// Hundredths of the municipalities that issue, wholly or in part.
    fn percent(self) -> i64 {
        (self.yes + self.part) * 100 / self.all.max(1)
    }

    /// Municipalities that no source speaks of.
    fn unmeasured(self) -> i64 {
        self.all - self.yes - self.part - self.no
    }

    /// From nothing (0) to all (4).
    fn level(self) -> i64 {
        match self.percent() {
            0 => 0,
            1..=24 => 1,
            25..=59 => 2,
            60..=94 => 3,
            _ => 4,
        }
    }
}

async fn coverage(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let given = |name: &str| query.get(name).map_or("", String::as_str).trim();
    let (uf, name, ibge) = (given("uf"), given("q"), given("ibge"));
    let registry = visitor.panel.app.registry.load();
    let today = when::utc(visitor.panel.app.now_ms()).date();
    let authorities = &visitor.panel.app.config.authorities;
    let shares = shares(authorities, &registry, today);
    let found = search(&registry, name, uf);
    let one = if ibge.is_empty() {
        None
    } else {
        Some(answer(&visitor, ibge).await?)
    };
    let systems = systems(&visitor).await?;
    let total = shares.values().fold(Share::default(), |sum, share| Share {
        all: sum.all + share.all,
        yes: sum.yes + share.yes,
        part: sum.part + share.part,
        no: sum.no + share.no,
    });
    let unmeasured = total.unmeasured();
    Ok(page(
        &visitor,
        "/painel/cobertura",
        "Cobertura",
        html! {
            (top("Cobertura da NFS-e", "Em quais municípios a API emite hoje, por qual caminho, e quem diz.", html! {}))
            @if let Some(one) = one { (one) }
            div class="grade" {
                @for (word, number) in [("Sim", total.yes), ("Parcial", total.part), ("Não", total.no), ("Não medido", unmeasured)] {
                    (stat(word, &whole(number), html! { div class="rotulo" { (percent(number, total.all)) " dos municípios" } }))
                }
            }
            div class="grade larga" {
                (map(&shares, uf))
                section class="cartao" {
                    h2 { "Procurar um município" }
                    p class="suave" { "Escolha um estado no mapa, ou procure em todo o país." }
                    form class="filtros" method="get" action="/painel/cobertura#municipios" {
                        @if !uf.is_empty() { input type="hidden" name="uf" value=(uf); }
                        (field("q", "Município ou código IBGE", "", html! { input id="q" name="q" type="search" value=(name); }))
                        button class="botao secundario" { "Procurar" }
                    }
                    p class="pequeno suave" { "A mesma resposta: " code { "GET /api/v1/nfse/cobertura?codigo_ibge=…" } }
                }
            }
            @if !name.is_empty() || !uf.is_empty() {
                section class="cartao" id="municipios" {
                    h2 { @if uf.is_empty() { "Resultado" } @else { "Municípios de " (uf) } }
                    @if found.is_empty() { (empty("mapa", "Nenhum município com este nome.", html! {})) } @else {
                        (table("Municípios", &["Município", "Resposta", "Provedor", "IBGE"], html! {
                            @for city in found.iter().take(MOST) { (line(authorities, &registry, city, today)) }
                        }))
                        @if found.len() > MOST { p class="suave" { "E mais " (found.len() - MOST) "; procure pelo nome." } }
                    }
                }
            }
            (states(&shares))
            (systems)
        },
    ))
}

/// The states where they lie, each with the share of its municipalities that issue.
fn map(shares: &BTreeMap<String, Share>, uf: &str) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Brasil" }
            div class="mapa" {
                @for row in MAP {
                    @for cell in row.split(' ') {
                        @match shares.get(cell) {
                            Some(share) => a class=(format!("n{}", share.level())) href=(format!("/painel/cobertura?uf={cell}#municipios"))
                                aria-current=[(cell == uf).then_some("true")]
                                title=(format!("{cell}: {} de {} municípios", whole(share.yes + share.part), whole(share.all))) {
                                (cell) small { (share.percent()) "%" }
                            },
                            None => span class="vago" {},
                        }
                    }
                }
            }
            ul class="legenda mapa-legenda" aria-label="Municípios que emitem, por estado" {
                @for (level, word) in LEVELS.iter().enumerate() { li { span class=(format!("cor n{level}")) {} (word) } }
            }
            p class="pequeno suave" { "A porcentagem é a parte dos municípios do estado com resposta Sim ou Parcial: os parciais contam como os outros." }
        }
    }
}

/// The municipalities of each state by their answers.
fn states(shares: &BTreeMap<String, Share>) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Por estado" }
            (table("Municípios por estado", &["UF", "Municípios", "Sim", "Parcial", "Não", "Não medido"], html! {
                @for (uf, share) in shares {
                    tr {
                        td { a href=(format!("/painel/cobertura?uf={uf}#municipios")) { (uf) } }
                        @for number in [share.all, share.yes, share.part, share.no, share.unmeasured()] {
                            td class="num" { (whole(number)) }
                        }
                    }
                }
            }))
        }
    }
}

/// The systems the hub speaks to, with what the questions to their addresses showed.
async fn systems(visitor: &Visitor) -> Result<Markup, Problem> {
    let path = "/api/v1/fiscal/nfse/provedores";
    let reply = visitor.ask(Method::POST, path, Some(&json!({}))).await?;
    if !reply.ok() {
        return Ok(refusal(&reply));
    }
    let answer = reply.json();
    let systems = answer["provedores"].as_array();
    let with_adapter = systems
        .into_iter()
        .flatten()
        .filter(|system| system["acesso"].is_object());
    Ok(html! {
        section class="cartao densa" id="sistemas" {
            h2 { "Sistemas" }
            p class="suave" { "O nível diz o que os casos gravados do sistema provam: bronze, uma nota emitida, uma recusada e uma cancelada; prata, também a consulta e as respostas cortadas ou sem sentido; ouro, também uma troca real." }
            p class="suave" { "O que a última sondagem de cada endereço de produção mostrou: uma pergunta sem certificado e sem documento." }
            (table("Sistemas", &["Sistema", "Nível", "Municípios", "Endereços", "Respondem", "Instáveis", "Fora", "Sem TLS", "Não medidos", "Medido em"], html! {
                @for system in with_adapter { (system_line(system)) }
            }))
        }
    })
}

fn system_line(system: &Value) -> Markup {
    let access = &system["acesso"];
    let count = |value: &Value| whole(value.as_i64().unwrap_or_default());
    html! {
        tr {
            td { (text(system, "nome")) " " span class="suave" { (text(system, "padrao")) } }
            td { (text(system, "nivel")) }
            td class="num" { (count(&system["municipios"])) }
            @for name in ["enderecos", "respondem", "instaveis", "fora", "sem_tls", "nao_medidos"] {
                td class="num" { (count(&access[name])) }
            }
            td { @match access["medido_em"].as_str() {
                Some(at) => (moment(at)),
                None => "não medido",
            } }
        }
    }
}

/// What was measured of a municipality, as facts.
fn measured(one: &Value) -> Markup {
    let (access, evidence) = (&one["acesso"], &one["evidencia"]);
    let state = match text(access, "estado") {
        "responde" => "Responde",
        "instavel" => "Instável",
        "fora" => "Fora do ar",
        "sem_tls" => "Sem TLS: a API não envia por http",
        _ => "Não medido",
    };
    let agreement = &one["convenio"];
    let yes = |name: &str| {
        if agreement[name] == true {
            "sim"
        } else {
            "não"
        }
    };
    html! {
        dt { "Convênio nacional" }
        dd { @match agreement["medido_em"].as_str() {
            Some(at) => { "ambiente nacional: " (yes("ambiente_nacional")) ", emissor nacional: " (yes("emissor_nacional")) ", " (moment(at)) },
            None => "não medido",
        } }
        dt { "Acesso" }
        dd {
            (state)
            @if let Some(at) = access["medido_em"].as_str() { ", " (moment(at)) }
            @if let Some(latency) = access["latencia_ms"].as_i64() { ", " (took(latency)) }
        }
        dt { "Última nota real" }
        dd { @match evidence["ultima_emissao_em"].as_str() {
            Some(last) => (day(last)),
            None => "não medido",
        } }
        @if let Some(class) = evidence["amostra_classe"].as_str() {
            dt { "Notas em " (evidence["janela_dias"].as_i64().unwrap_or_default()) " dias" }
            dd {
                @match evidence["amostra"].as_i64() {
                    Some(notes) => (whole(notes)),
                    None => (class.replace('_', " ")),
                }
                @if let Some(share) = evidence["taxa_sucesso_classe"].as_str() { ", taxa de sucesso " (share) }
            }
        }
    }
}

fn percent(part: i64, all: i64) -> String {
    let tenths = part * 1_000 / all.max(1);
    format!("{},{}%", tenths / 10, tenths % 10)
}

fn line(
    authorities: &Authorities,
    registry: &Registry,
    city: &Municipality,
    today: Date,
) -> Markup {
    let code = format!("{:07}", city.ibge);
    let found = registry.cobertura_without(city.ibge, today, |url| authorities.never_sends(url));
    html! {
        tr {
            td { a href=(format!("/painel/cobertura?ibge={code}")) { (city.name) "/" (city.uf) } }
            td { @if let Some(found) = &found { (status(found.answer.as_str())) } }
            td { @if let Some(found) = &found { (found.provedor.clone().unwrap_or_default()) } }
            td class="mono" { (code) }
        }
    }
}

fn shares(authorities: &Authorities, registry: &Registry, today: Date) -> BTreeMap<String, Share> {
    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    for city in registry.municipalities() {
        let share = shares.entry(city.uf.to_string()).or_default();
        share.all += 1;
        match registry
            .cobertura_without(city.ibge, today, |url| authorities.never_sends(url))
            .map(|found| found.answer.codigo())
        {
            Some("sim") => share.yes += 1,
            Some("parcial") => share.part += 1,
            Some("nao") => share.no += 1,
            _ => {}
        }
    }
    shares
}

/// By code, by the beginning or a part of the name, or all of a state.
fn search<'r>(registry: &'r Registry, name: &str, uf: &str) -> Vec<&'r Municipality> {
    let wanted = fold(name);
    let mut found: Vec<&Municipality> = registry
        .municipalities()
        .iter()
        .filter(|city| uf.is_empty() || *city.uf == *uf)
        .filter(|city| {
            wanted.is_empty()
                || fold(&city.name).contains(&wanted)
                || format!("{:07}", city.ibge) == wanted
        })
        .collect();
    found.sort_by_key(|city| (!fold(&city.name).starts_with(&wanted), fold(&city.name)));
    if name.is_empty() && uf.is_empty() {
        found.clear();
    }
    found
}

/// What the API says of a municipality.
async fn answer(visitor: &Visitor, ibge: &str) -> Result<Markup, Problem> {
    let path = format!("/api/v1/nfse/cobertura?codigo_ibge={}", encoded(ibge));
    let reply = visitor.ask(Method::GET, &path, None).await?;
    if !reply.ok() {
        return Ok(refusal(&reply));
    }
    let one = reply.json();
    let caveats: Vec<&str> = one["ressalvas"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    Ok(html! {
        section class="cartao" {
            h2 { (text(&one, "cidade")) "/" (text(&one, "uf")) " " (status(text(&one, "resposta"))) }
            p { (text(&one, "caminho")) }
            dl class="fatos" {
                dt { "Provedor" } dd { (text(&one, "provedor")) }
                dt { "Padrão" } dd { (text(&one, "padrao")) }
                dt { "Nível" } dd { (one["nivel"].as_str().unwrap_or("nenhum")) }
                dt { "Via" } dd { (text(&one, "via")) }
                dt { "Evidência" } dd { (text(&one["evidencia"], "fonte")) ", " (day(text(&one["evidencia"], "medido_em"))) }
                (measured(&one))
            }
            @if !caveats.is_empty() { h3 { "Ressalvas" } ul { @for caveat in &caveats { li { (caveat) } } } }
            h3 { "Por regime" }
            (table("Por regime", &["Regime", "Resposta", "Motivo"], html! {
                @for regime in one["regimes"].as_array().into_iter().flatten() {
                    tr { td { (regime_name(text(regime, "regime"))) } td { (status(text(regime, "resposta"))) } td class="texto" { (text(regime, "motivo")) } }
                }
            }))
        }
    })
}

fn regime_name(word: &str) -> &str {
    match word {
        "normal" => "Normal",
        "simples_me_epp" => "ME e EPP do Simples",
        "mei" => "MEI",
        other => other,
    }
}
