//! The certificate of a company: the form that sends one, and the step that
//! removes it.

use super::company::{Company, page_of};
use super::facts::validity;
use crate::Panel;
use crate::form::Sent;
use crate::form::fields::{framed, needed};
use crate::form::wrong::Wrongs;
use crate::layout::page;
use crate::pages::issue::register;
use crate::parts::{alert, cnpj, done, hidden, marks, top};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::errors::Failure;
use maud::{Markup, html};
use serde_json::Value;
use store::ids::EmitterId;
use store::tables::emitters;

const HERE: &str = "/painel/emitentes";
/// Hint of a field.
const KEPT: &str = "A senha não fica guardada; a chave do certificado fica, cifrada.";
/// What the page of a company is told after its certificate was removed.
pub const REMOVED: &str = "removido";

pub fn router() -> Router<Panel> {
    Router::new().route(
        "/painel/emitentes/{id}/certificado/remover",
        get(ask).post(remove),
    )
}

/// The form that sends a certificate, and the way to remove the one that is there.
pub fn card(visitor: &Visitor, emitter: &Value, wrong: &Wrongs) -> Markup {
    let has = has(emitter);
    let path = format!("{}/certificado", page_of(emitter));
    html! {
        section class="cartao" {
            h2 { (if has { "Trocar o certificado" } else { "Enviar o certificado" }) }
            p class="suave" { "O certificado A1 (e-CNPJ) da empresa, em arquivo. Com ele, as NF-e e NFC-e feitas no ambiente de teste vão para a homologação da SEFAZ e custam o mesmo que em produção." }
            (marks())
            form class="campos" method="post" action=(path) enctype="multipart/form-data" {
                (hidden(visitor))
                (needed(wrong, "", "certificado", "Arquivo .pfx ou .p12", "", html! { input id="certificado" name="certificado" type="file" accept=".pfx,.p12,application/x-pkcs12" required aria-invalid=[wrong.invalid("certificado")] aria-describedby=[wrong.described("certificado", "")] autofocus[wrong.focus("certificado")]; }))
                (framed(wrong, "", "senha", "Senha do arquivo", KEPT, html! { input id="senha" name="senha" type="password" autocomplete="off" aria-invalid=[wrong.invalid("senha")] aria-describedby=[wrong.described("senha", KEPT)] autofocus[wrong.focus("senha")]; }))
                div class="acoes" {
                    button class="botao" { "Salvar certificado" }
                    @if has { a class="botao perigo" href=(format!("{path}/remover")) { "Remover certificado" } }
                }
            }
        }
    }
}

/// Above the page of a company whose certificate was removed; nothing where
/// another one is there by now.
pub fn removed(emitter: &Value) -> Markup {
    html! {
        @if !has(emitter) {
            (done("Certificado removido: a chave dele foi apagada. Para esta empresa voltar a emitir em produção, envie outro certificado A1 abaixo."))
        }
    }
}

async fn ask(visitor: Visitor, Path(id): Path<String>) -> Result<Response, Problem> {
    visitor.must(Action::Emitters)?;
    let company = Company::read(&visitor, &id).await?;
    if !has(&company.record) {
        return Ok(Redirect::to(&page_of(&company.record)).into_response());
    }
    Ok(question(&visitor, &company, html! {}).into_response())
}

fn has(emitter: &Value) -> bool {
    emitter["certificado"].is_object()
}

/// Asks before a certificate is removed.
fn question(visitor: &Visitor, company: &Company, note: Markup) -> Markup {
    let emitter = &company.record;
    let (name, back) = (text(emitter, "razao_social"), page_of(emitter));
    page(
        visitor,
        HERE,
        "Remover certificado",
        html! {
            (top("Remover certificado", name, html! { a class="botao secundario mini" href=(back) { "Voltar à empresa" } }))
            (note)
            section class="cartao" {
                h2 { "Confira" }
                dl class="fatos" {
                    dt { "Empresa" } dd { (name) " (" (cnpj(text(emitter, "cnpj"))) ")" }
                    dt { "Titular do certificado" } dd { (text(&emitter["certificado"], "titular")) }
                    dt { "Certificado" } dd { (validity(&emitter["certificado"])) }
                }
                p { "Até que outro certificado desta empresa seja enviado:" }
                ul class="simples" {
                    li { "em produção, a empresa não emite NF-e nem NFC-e, nem as NFS-e que pedem certificado; também não cancela, não corrige e não inutiliza;" }
                    li { "as notas em transmissão ficam sem resposta, porque a SEFAZ e a prefeitura não podem ser consultadas sobre elas;" }
                    li { "as notas emitidas contra a empresa não são buscadas nem manifestadas;" }
                    li { "as NF-e e NFC-e do ambiente de teste são só simuladas." }
                }
                p { "As notas já emitidas, a numeração e os dados da empresa ficam como estão." }
                div class="aviso-caixa aviso" { p { strong { "A chave do certificado é apagada e não pode ser recuperada: para voltar a usá-lo, é preciso enviar o arquivo e a senha de novo." } } }
                form class="campos" method="post" action=(format!("{back}/certificado/remover")) {
                    (hidden(visitor))
                    input type="hidden" name="versao" value=(company.etag);
                    div class="acoes" {
                        button class="botao perigo" { "Remover certificado" }
                        a class="botao secundario" href=(back) { "Desistir" }
                    }
                }
            }
        },
    )
}

/// Removes the certificate that the question was about. Where there is none any
/// more, nothing is left to do.
async fn remove(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    register::must(visitor)?;
    let company = Company::read(visitor, &id).await?;
    let to = format!("{}?feito={REMOVED}", page_of(&company.record));
    if !has(&company.record) {
        return Ok(Redirect::to(&to).into_response());
    }
    if removes(visitor, &id, sent.fields.get("versao")).await? {
        visitor
            .note("emitente.certificado_removido", &id, "")
            .await?;
        return Ok(Redirect::to(&to).into_response());
    }
    let company = Company::read(visitor, &id).await?;
    let note = alert(
        "Nada foi removido: os dados ou o certificado desta empresa mudaram depois que esta página foi aberta. Confira e confirme de novo.",
    );
    let page = question(visitor, &company, note);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// Removes the certificate of a company that is still as the person saw it;
/// false where it is not. `version`: the one they saw.
async fn removes(visitor: &Visitor, id: &str, version: &str) -> Result<bool, Problem> {
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let row = emitters::get(&mut conn, account, &EmitterId::from(id)).await;
    drop(conn);
    let row = row.map_err(anyhow::Error::from)?;
    let Some(row) = row.filter(|row| format!("\"{}\"", row.version) == version) else {
        return Ok(false);
    };
    match issuing::emitters::remove_certificate(&visitor.panel.app, row).await {
        Ok(_) => Ok(true),
        // Somebody else changed it at the same moment.
        Err(Failure::Refused(_)) => Ok(false),
        Err(failure) => Err(failure.into()),
    }
}
