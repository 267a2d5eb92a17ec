//! The page of somebody who is logged in: menu and content.

use super::frame::{PANEL, framed};
use super::parts::{icon, issue};
use super::visitor::Visitor;
use maud::{Markup, html};

/// A page of somebody who is logged in. `active`: the entry of the menu.
pub fn page(visitor: &Visitor, active: &str, title: &str, content: Markup) -> Markup {
    let content = html! {
        @if let Some(reason) = visitor.blocked() {
            div class="aviso-caixa erro" role="status" {
                p { "Esta conta está bloqueada. Motivo: " (reason) }
                p { "As chaves são recusadas, e nada pode ser emitido. O que está guardado pode ser lido e baixado. Fale com o suporte." }
            }
        }
        @if visitor.repeated {
            div class="aviso-caixa aviso" role="status" {
                p { "Este formulário já tinha sido enviado: nada foi feito de novo. Esta página mostra o resultado do primeiro envio." }
            }
        }
        (content)
    };
    framed(PANEL, title, visitor.theme, &menu(visitor, active), content)
}

/// An entry of the menu: address, word, icon.
type Entry = (&'static str, &'static str, &'static str);

const WORK: &[Entry] = &[
    ("/painel", "Visão geral", "casa"),
    ("/painel/documentos", "Documentos", "folha"),
    ("/painel/emitir", "Emitir", "mais"),
    ("/painel/recebidas", "Notas recebidas", "entrada"),
    ("/painel/relatorio", "Relatório", "soma"),
    ("/painel/numeracao", "Numeração", "numeros"),
    ("/painel/autorizadores", "SEFAZ", "sinal"),
    ("/painel/emitentes", "Emitentes", "loja"),
    ("/painel/clientes", "Clientes", "pessoa"),
    ("/painel/produtos", "Produtos", "caixa"),
    ("/painel/ferramentas", "Ferramentas", "conta"),
];
const INTEGRATION: &[Entry] = &[
    ("/painel/chaves", "Chaves de API", "chave"),
    ("/painel/webhooks", "Webhooks", "sino"),
    ("/painel/uso", "Uso", "barras"),
    ("/painel/cobertura", "Cobertura", "mapa"),
    ("/painel/adaptadores", "Adaptadores", "peca"),
];
const ACCOUNT: &[Entry] = &[
    ("/painel/creditos", "Créditos", "moeda"),
    ("/painel/equipe", "Equipe", "gente"),
    ("/painel/auditoria", "Auditoria", "lista"),
    ("/painel/configuracoes", "Configurações", "ajuste"),
];

/// Address and word of each entry of the menu.
pub fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let groups = [WORK, INTEGRATION, ACCOUNT];
    let entries = groups.into_iter().flatten();
    entries.map(|(href, word, _)| (*href, *word))
}

fn menu(visitor: &Visitor, active: &str) -> Markup {
    let group = |title: Option<&str>, entries: &[Entry]| {
        html! {
            @if let Some(title) = title { div class="grupo" { (title) } }
            ul {
                @for (href, word, sign) in entries {
                    // Each link leads to a form of its own.
                    @let to = if *href == "/painel/emitir" { issue(visitor) } else { (*href).to_owned() };
                    li { a href=(to) aria-current=[(*href == active).then_some("page")] { (icon(sign)) (word) } }
                }
            }
        }
    };
    html! {
        form method="post" action="/painel/mundo" class="mundo" aria-label="Ambiente" {
            input type="hidden" name="csrf" value=(visitor.session.row.csrf);
            input type="hidden" name="volta" value=(visitor.path);
            button name="mundo" value="teste" aria-pressed=(if visitor.live() { "false" } else { "true" }) { "Teste" }
            button name="mundo" value="producao" aria-pressed=(if visitor.live() { "true" } else { "false" }) { "Produção" }
        }
        form class="busca-geral" method="get" action="/painel/busca" role="search" aria-label="Buscar em tudo" {
            (icon("lupa"))
            input name="q" type="search" maxlength="60" aria-label="Buscar em tudo" placeholder="Buscar" autocomplete="off" data-busca;
            kbd data-so-script { "Ctrl K" }
            button class="so-leitor" { "Buscar" }
        }
        nav aria-label="Principal" {
            (group(None, WORK))
            (group(Some("Integração"), INTEGRATION))
            (group(Some("Conta"), ACCOUNT))
        }
        div class="pe" {
            div class="acoes" {
                a href="/docs" { "Documentação" }
                a href="/docs/erros" { "Erros" }
            }
            div {
                strong class="quebra" { (visitor.session.member.conta) }
                div class="suave quebra" { (visitor.session.user.email) }
                a href="/painel/equipe" { "Equipe e contas" }
            }
            div class="acoes" {
                form method="post" action="/painel/tema" {
                    input type="hidden" name="csrf" value=(visitor.session.row.csrf);
                    input type="hidden" name="volta" value=(visitor.path);
                    // Without a choice the system's theme holds: the style shows the other one.
                    @for (theme, words) in [("claro", "Tema claro"), ("escuro", "Tema escuro")] {
                        @if visitor.theme != theme {
                            button class=(if visitor.theme.is_empty() { format!("botao secundario mini para-{theme}") } else { "botao secundario mini".to_owned() }) name="tema" value=(theme) { (words) }
                        }
                    }
                }
                form method="post" action="/painel/sair" {
                    input type="hidden" name="csrf" value=(visitor.session.row.csrf);
                    button class="botao secundario mini" { "Sair" }
                }
            }
        }
    }
}
