//! What the API refused of a company, as the forms of its pages say it: beside a field what
//! is wrong and what to write there, above the form the rest.

use super::inputs;
use crate::form::wrong::Wrongs;
use crate::pages::filling::WRITE_CNPJ;
use crate::pages::issue::inputs as of_notes;
use crate::parts::{day, size};
use crate::reply::plain::plain;
use crate::reply::{status_of, text};
use api::inside::Reply;
use axum::http::StatusCode;
use base::when;
use issuing::emitters::profile::Perfil;
use markup::field::Fields;
use serde::Deserialize as _;
use serde_json::{Value, json};
use vault::a1::MAX_PFX_BYTES;

/// Status of the page that shows a refusal: what failed on our side stays a failure.
pub fn status(reply: &Reply) -> StatusCode {
    let status = status_of(reply);
    if status.is_server_error() {
        status
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    }
}

/// What a field of these pages is called.
pub fn label(name: &str) -> &'static str {
    match name {
        "cnpj" => "CNPJ",
        "regime" => inputs::REGIME,
        "ambiente" => "Ambiente das notas",
        "certificado" => "Arquivo .pfx ou .p12",
        "senha" => "Senha do arquivo",
        inputs::LOGO => inputs::LOGO_FILE,
        _ => inputs::label(name).unwrap_or("Campo"),
    }
}

/// What was refused of a company's data or environment. `known`: whether the form has a field
/// of this name.
pub fn of(reply: &Reply, known: impl Fn(&str) -> bool) -> Wrongs {
    let body = reply.json();
    let code = text(&body, "codigo");
    let mut wrong = Wrongs::default();
    match code {
        "emitente_ja_existe" if known("cnpj") => {
            wrong.add(
                "cnpj",
                "Já há uma empresa com este CNPJ nesta conta. Confira o número, ou abra a empresa na lista.",
            );
            return wrong;
        }
        "versao_desatualizada" => {
            wrong.add_above("Os dados desta empresa mudaram depois que esta página foi aberta. Abra a página da empresa de novo e repita a alteração.");
            return wrong;
        }
        "estado_invalido" if body["proximo_numero"].is_number() => {
            let message = text(&body, "mensagem");
            let next = &body["proximo_numero"];
            if let Some(field) = numbered(message).filter(|field| known(field)) {
                wrong.add(field, &format!("{message} Escreva {next} ou mais."));
                return wrong;
            }
        }
        _ => {}
    }
    let fields = body["campos"].as_array().into_iter().flatten();
    for one in fields {
        place(&mut wrong, code, one, &known);
    }
    if wrong.is_empty() {
        return Wrongs::of(reply, |_| false);
    }
    wrong.in_order(inputs::order)
}

/// Says something that was refused beside its field, or else above the form.
fn place(wrong: &mut Wrongs, code: &str, one: &Value, known: impl Fn(&str) -> bool) {
    let path = text(one, "campo");
    let path = path.strip_prefix("perfil_fiscal.").unwrap_or(path);
    match field_at(path).filter(|name| known(name)) {
        Some(name) if !wrong.has(name) => wrong.add(name, &sentence(name, code, one)),
        Some(_) => {}
        None => {
            let what = plain(text(one, "mensagem"));
            wrong.add_above(
                what.as_deref()
                    .unwrap_or("Um dado da empresa não foi aceito."),
            );
        }
    }
}

/// What the API would refuse of a profile, for a form that was refused before it was asked.
/// `before`: the profile that is stored.
pub fn unasked(profile: &Value, before: &Value) -> Wrongs {
    let (mut wrong, mut found) = (Wrongs::default(), Fields::default());
    if let Ok(mut profile) = Perfil::deserialize(profile) {
        profile.check(&mut found);
        let before = Perfil::deserialize(before).unwrap_or_default();
        profile.normalize(&before, &mut found);
    }
    for one in found.0 {
        place(&mut wrong, "", &json!(one), |_| true);
    }
    wrong
}

/// The field of a path of the API.
pub fn field_at(path: &str) -> Option<&'static str> {
    match path {
        "cnpj" => Some("cnpj"),
        "regime" => Some("regime"),
        "ambiente" => Some("ambiente"),
        "endereco" => Some("cep"),
        "logo_base64" => Some(inputs::LOGO),
        _ => inputs::at(path),
    }
}

/// The field of the next number that a sentence is about.
fn numbered(message: &str) -> Option<&'static str> {
    let fields = [
        ("NFC-e", "nfce_proximo"),
        ("NFS-e", "nfse_proximo"),
        ("NF-e", "nfe_proximo"),
        ("CT-e", "cte_proximo"),
        ("MDF-e", "mdfe_proximo"),
    ];
    let found = fields.iter().find(|(model, _)| message.contains(model));
    found.map(|(_, field)| *field)
}

/// What is wrong with a field and what to write there. `code`: of the whole refusal.
fn sentence(name: &str, code: &str, field: &Value) -> String {
    let told = plain(text(field, "mensagem"));
    let what = match name {
        "municipio" => Some("Não sabemos qual é a cidade.".to_owned()),
        "cnpj" => told,
        // Such a sentence speaks of the types of programs.
        _ if code == "parametro_invalido" || code == "parametro_ausente" => None,
        _ => told,
    };
    let what = what.unwrap_or_else(|| "Não foi aceito.".to_owned());
    let how = match write(name) {
        "" => plain(text(field, "correcao")).unwrap_or_default(),
        known => known.to_owned(),
    };
    format!("{what} {how}").trim().to_owned()
}

/// What to write in a field; empty where only the refusal knows.
pub fn write(name: &str) -> &'static str {
    match name {
        "cnpj" => WRITE_CNPJ,
        "uf" => "Escreva as duas letras do estado, como MG.",
        "regime" => "Escolha o regime da empresa.",
        "ambiente" => "Escolha homologação ou produção.",
        "cep" | "logradouro" | "numero" | "complemento" | "bairro" | "municipio" | "ie"
        | "email" => of_notes::get(name).map_or("", |input| input.write),
        _ => inputs::write(name),
    }
}

/// What was refused of a certificate.
pub fn of_certificate(reply: &Reply) -> Wrongs {
    let body = reply.json();
    let message = text(&body, "mensagem");
    let (field, sentence) = match text(&body, "codigo") {
        "certificado_senha_incorreta" => (
            "senha",
            "A senha não abre este arquivo. Confira a senha com quem gerou o certificado; letras maiúsculas e minúsculas fazem diferença.".to_owned(),
        ),
        "certificado_vencido" => ("certificado", out_of_date(message)),
        "certificado_de_outra_empresa" => {
            let how = "Envie o A1 desta empresa, ou de uma filial ou matriz dela.";
            ("certificado", format!("{message} {how}"))
        }
        "certificado_nao_e_a1" => {
            let how = "Envie o e-CNPJ A1 que a certificadora entregou à empresa; se ele foi exportado do computador, exporte de novo com a chave privada.";
            ("certificado", format!("{message} {how}"))
        }
        "certificado_invalido" if message.contains("KiB") => return too_large(),
        "certificado_invalido" if message.contains("ICP-Brasil") => {
            let how = "Envie um e-CNPJ A1 de uma certificadora da ICP-Brasil.";
            ("certificado", format!("{message} {how}"))
        }
        "certificado_invalido" => {
            let how = "Escolha o arquivo .pfx ou .p12 que a certificadora entregou.";
            ("certificado", format!("{message} {how}"))
        }
        "corpo_grande_demais" => return too_large(),
        _ => return Wrongs::of(reply, |_| false),
    };
    let mut wrong = Wrongs::default();
    wrong.add(field, &sentence);
    wrong
}

/// A file that no certificate is as large as.
pub fn too_large() -> Wrongs {
    let most = size(i64::try_from(MAX_PFX_BYTES).unwrap_or_default());
    let mut wrong = Wrongs::default();
    wrong.add(
        "certificado",
        &format!("O arquivo passa de {most}, e um certificado A1 é menor. Escolha o arquivo .pfx ou .p12 que a certificadora entregou."),
    );
    wrong
}

/// A sentence that ends with a moment, with its day as people write it.
pub fn out_of_date(message: &str) -> String {
    let how = "Envie um certificado que esteja valendo.";
    let moment = message.trim_end_matches('.').rsplit(' ').next();
    let Some(at) = moment.and_then(when::parse) else {
        return format!("O certificado está fora da validade. {how}");
    };
    let local = when::local(when::ms(at), "SP");
    let day = day(&local.date().to_string());
    if message.contains("a partir de") {
        return format!("O certificado só vale a partir de {day}. {how}");
    }
    format!("O certificado venceu em {day}. {how}")
}
