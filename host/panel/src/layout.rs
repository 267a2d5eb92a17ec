//! The frame of every page.

use super::assets;
use super::parts::{icon, issue};
use super::visitor::Visitor;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A page of somebody who is logged in. `active`: the entry of the menu.
pub fn page(visitor: &Visitor, active: &str, title: &str, content: Markup) -> Markup {
    document(
        title,
        visitor.tema,
        html! {
            a class="pular" href="#conteudo" { "Ir para o conteúdo" }
            div class="moldura" {
                div class="lado" {
                    (brand())
                    (menu(visitor, active))
                }
                header class="barra" {
                    (brand())
                    details {
                        summary { "Menu" }
                        div class="lado" { (menu(visitor, active)) }
                    }
                }
                main id="conteudo" class="conteudo" tabindex="-1" {
                    @if visitor.repeated {
                        div class="aviso-caixa aviso" role="status" {
                            p { "Este formulário já tinha sido enviado: nada foi feito de novo. Esta página mostra o resultado do primeiro envio." }
                        }
                    }
                    (content)
                }
            }
        },
    )
}

/// A page of somebody who is not logged in.
pub fn door(title: &str, tema: &str, content: Markup) -> Markup {
    document(
        title,
        tema,
        html! {
            div class="porta" {
                main {
                    (brand())
                    div class="cartao" {
                        h1 { (title) }
                        (content)
                    }
                }
            }
        },
    )
}

/// A page anybody may read, logged in or not.
pub fn open(title: &str, content: Markup) -> Markup {
    document(
        title,
        "",
        html! {
            a class="pular" href="#conteudo" { "Ir para o conteúdo" }
            div class="aberta" {
                (brand())
                main id="conteudo" tabindex="-1" { (content) }
            }
        },
    )
}

fn document(title: &str, tema: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" data-tema=[Some(tema).filter(|tema| !tema.is_empty())] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · hub" }
                link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b6b5e'/%3E%3Cpath d='M9 8v16M23 8v16M9 16h14' stroke='white' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E";
                link rel="stylesheet" href=(assets::style());
                script src=(assets::script()) defer {}
            }
            body { (body) }
        }
    }
}

fn brand() -> Markup {
    html! {
        a class="marca" href="/painel" {
            (PreEscaped("<svg viewBox='0 0 32 32' aria-hidden='true'><rect width='32' height='32' rx='8' fill='#0b6b5e'/><path d='M9 8v16M23 8v16M9 16h14' stroke='#fff' stroke-width='3' stroke-linecap='round' fill='none'/></svg>"))
            "hub"
        }
    }
}

/// An entry of the menu: address, word, icon.
type Entry = (&'static str, &'static str, &'static str);

const WORK: &[Entry] = &[
    ("/painel", "Visão geral", "casa"),
    ("/painel/documentos", "Documentos", "folha"),
    ("/painel/emitir", "Emitir", "mais"),
    ("/painel/emitentes", "Emitentes", "loja"),
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
                    @for (tema, words) in [("claro", "Tema claro"), ("escuro", "Tema escuro")] {
                        @if visitor.tema != tema {
                            button class=(if visitor.tema.is_empty() { format!("botao secundario mini para-{tema}") } else { "botao secundario mini".to_owned() }) name="tema" value=(tema) { (words) }
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
