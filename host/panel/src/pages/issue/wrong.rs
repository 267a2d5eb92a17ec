//! What keeps a note from being issued, as the form says it: beside a field
//! what is wrong and what to write, above the form the rest.

use super::inputs::{self, Input};
use super::rows::{ITEMS, named, plain as plain_name};
use crate::form::Fields;
use crate::frame::error_box;
use crate::parts::encoded;
use crate::reply::plain::{first, plain};
use crate::reply::text;
use api::inside::Reply;
use axum::http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;

/// Words of the way to the company's page.
const COMPLETE: &str = "Completar o cadastro da empresa";

/// Something to correct in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Name of the field in the form.
    pub field: String,
    /// What is wrong, and what to write.
    pub sentence: String,
}

impl Wrong {
    /// What is wrong with a field; what to write there is known of it.
    pub fn at(field: &str, what: &str) -> Wrong {
        let write = input(field).map_or("", |input| input.write);
        Wrong {
            field: field.to_owned(),
            sentence: format!("{what} {write}").trim().to_owned(),
        }
    }
}

/// A sentence above the form, with the way to what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub sentence: String,
    /// Address and words.
    pub link: Option<(String, &'static str)>,
}

impl Said {
    pub fn new(sentence: impl Into<String>) -> Said {
        Said {
            sentence: sentence.into(),
            link: None,
        }
    }

    /// With the way to a page of the panel.
    #[must_use]
    pub fn to(mut self, page: &str, words: &'static str) -> Said {
        self.link = Some((page.to_owned(), words));
        self
    }
}

/// Why a note was not issued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Status of the page that says so.
    pub status: u16,
    pub wrong: Vec<Wrong>,
    pub said: Vec<Said>,
    /// Code of the catalogue; empty where the form itself refused.
    pub code: String,
    /// The document the refusal is about; empty: there is none.
    pub document: String,
}

impl Refused {
    /// Fields to correct.
    pub fn of_form(wrong: Vec<Wrong>) -> Refused {
        Refused {
            status: 422,
            wrong,
            ..Refused::default()
        }
    }

    /// A sentence alone.
    pub fn saying(said: Said) -> Refused {
        Refused {
            status: 422,
            said: vec![said],
            ..Refused::default()
        }
    }

    /// What an operation refused of the body that was made of a form.
    pub fn of(reply: &Reply, fields: &Fields) -> Refused {
        let mut refused = Refused::of_body(&reply.json(), fields);
        refused.status = if reply.status < 400 {
            422
        } else {
            reply.status
        };
        refused
    }

    /// As [`Refused::of`], of the body of a refusal.
    pub fn of_body(body: &Value, fields: &Fields) -> Refused {
        let mut refused = Refused {
            status: 422,
            code: text(body, "codigo").to_owned(),
            document: text(body, "nota_id").to_owned(),
            ..Refused::default()
        };
        let rows = ITEMS.used(fields);
        let findings = || body["campos"].as_array().into_iter().flatten();
        // A total below zero follows from the item that is named.
        let of_item = findings().any(|one| text(one, "codigo") == "item_negativo");
        for field in findings() {
            if !(of_item && text(field, "codigo") == "total_negativo") {
                refused.field(field, fields, &rows);
            }
        }
        let rejections = &body["rejeicao"];
        let one = Some(rejections).filter(|one| one.is_object());
        for rejection in rejections.as_array().into_iter().flatten().chain(one) {
            refused.said.push(rejected(rejection, fields));
        }
        if refused.wrong.is_empty() && refused.said.is_empty() {
            refused.said.push(about(body, fields));
        }
        refused
    }

    /// One of the refusal's fields. `rows`: those of the items that were sent.
    fn field(&mut self, field: &Value, fields: &Fields, rows: &[usize]) {
        let (path, code) = (text(field, "campo"), text(field, "codigo"));
        let (message, correction) = (text(field, "mensagem"), text(field, "correcao"));
        let company = self.code == "perfil_fiscal_incompleto"
            || code == "perfil_fiscal_incompleto"
            || path.starts_with("perfil_fiscal");
        if company {
            let what = plain(message).unwrap_or_else(|| "Falta um dado da empresa.".to_owned());
            self.said
                .push(Said::new(what).to(&company_page(fields), COMPLETE));
            return;
        }
        let place = match (place(path, rows), code) {
            (Some(Place::Item(row)), "item_negativo") => Some(Place::Field(named("desconto", row))),
            // Of all items together, where there are some.
            _ if path == "itens" && rows.iter().any(|row| !ITEMS.is_blank(fields, *row)) => None,
            (place, _) => place,
        };
        match place {
            Some(Place::Field(name)) => {
                let sentence = sentence(&name, code, message, correction);
                self.add(Wrong {
                    field: name,
                    sentence,
                });
            }
            Some(Place::Taxes(name)) => {
                let what =
                    plain(message).unwrap_or_else(|| "A tributação não foi aceita.".to_owned());
                let sentence =
                    format!("Tributação do item: {what} Ela vem do cadastro da empresa.");
                self.add(Wrong {
                    field: name,
                    sentence,
                });
            }
            Some(Place::Item(row)) => {
                let what = above(message, correction);
                self.said.push(Said::new(format!("Item {row}: {what}")));
            }
            None => self.said.push(Said::new(above(message, correction))),
        }
    }

    /// Says one thing of each field.
    fn add(&mut self, wrong: Wrong) {
        if self.wrong.iter().all(|one| one.field != wrong.field) {
            self.wrong.push(wrong);
        }
    }

    /// With what is wrong in the order of the form.
    #[must_use]
    pub fn in_order(mut self) -> Refused {
        self.wrong.sort_by_key(|one| {
            let (name, row) = plain_name(&one.field);
            inputs::order(name, row)
        });
        self
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// The box above the form: everything to correct, with ways to the fields.
    pub fn summary(&self) -> Markup {
        let count = self.wrong.len();
        // A refusal of before is read in its turn.
        let now = self.status().is_client_error() || self.status().is_server_error();
        error_box(
            now && count == 0,
            html! {
                @match count {
                    0 => {}
                    1 => p { strong { "Nada foi emitido. Corrija um campo:" } }
                    _ => p { strong { "Nada foi emitido. Corrija " (count) " campos:" } }
                }
                @if count > 0 {
                    ul { @for one in &self.wrong { li { a href=(format!("#{}", one.field)) { (label(&one.field)) } ": " (first(&one.sentence)) } } }
                }
                @for said in &self.said { (said.shown()) }
            },
        )
    }
}

impl Said {
    pub fn shown(&self) -> Markup {
        html! {
            p {
                (self.sentence)
                @if let Some((to, words)) = &self.link {
                    " "
                    // What is filled in stays where it is.
                    @if to.starts_with("/painel/emitentes") { a href=(to) target="_blank" rel="noopener" { (words) span class="so-leitor" { " (abre em outra aba)" } } }
                    @else { a href=(to) { (words) } }
                }
            }
        }
    }
}

/// The field of a name of the form, whatever its row.
fn input(field: &str) -> Option<&'static Input> {
    inputs::get(plain_name(field).0)
}

/// What a field is called, with its row where there are several.
pub fn label(field: &str) -> String {
    let (name, row) = plain_name(field);
    let word = inputs::get(name).map_or(name, |input| input.label);
    let kind = if inputs::PAYMENT.iter().any(|one| one.name == name) {
        "pagamento"
    } else {
        "item"
    };
    if row > 1 {
        format!("{word} ({kind} {row})")
    } else {
        word.to_owned()
    }
}

/// What the form calls what a path of a request is about; None where it has no field of it.
/// Which item it is about, the path says.
pub fn label_of(path: &str) -> Option<String> {
    match place(path, &[])? {
        Place::Field(name) => input(&name).map(|_| label(&name)),
        Place::Taxes(_) => Some("Impostos".to_owned()),
        Place::Item(_) => None,
    }
}

/// Where a finding about a request stands in the form.
enum Place {
    Field(String),
    /// Beside the item, whose taxes the form does not show.
    Taxes(String),
    /// Above the form: the item of this row as a whole.
    Item(usize),
}

/// The place of a path of a request's body.
fn place(path: &str, rows: &[usize]) -> Option<Place> {
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let (head, index) = indexed(head);
    let field = |name: &str| Some(Place::Field(name.to_owned()));
    match (head, rest) {
        ("destinatario" | "consumidor" | "tomador", rest) => field(party(rest)),
        ("itens", rest) => {
            let row = rows.get(index).copied().unwrap_or(1);
            match item(rest) {
                _ if rest.is_empty() && path.ends_with(']') => Some(Place::Item(row)),
                Some(name) => Some(Place::Field(named(name, row))),
                None => Some(Place::Taxes(named("descricao", row))),
            }
        }
        ("pagamentos", "forma" | "descricao") => Some(Place::Field(named("forma", index + 1))),
        ("pagamentos", _) => Some(Place::Field(named("pago", index + 1))),
        ("troco", _) => field("troco"),
        ("servico", "descricao") => field("descricao"),
        ("servico", _) => field("servico"),
        ("valores", "servico") => field("valor"),
        ("valores", "desconto_incondicionado") => field("desconto"),
        ("valores", rest) if rest.starts_with("iss") => field("aliquota"),
        ("data_competencia", _) => field("competencia"),
        ("natureza_operacao", _) => field("natureza"),
        ("informacoes_complementares", _) => field("informacoes"),
        ("frete", _) => field("frete"),
        ("presenca", _) => field("presenca"),
        ("emitente_id", _) => field("emitente"),
        _ => None,
    }
}

/// `itens[2]` is the third of `itens`.
fn indexed(name: &str) -> (&str, usize) {
    let parts = name.strip_suffix(']').and_then(|name| name.split_once('['));
    match parts.and_then(|(name, index)| Some((name, index.parse().ok()?))) {
        Some((name, index)) => (name, index),
        None => (name, 0),
    }
}

/// The field of a member of who receives the note.
fn party(member: &str) -> &'static str {
    match member {
        "nome" => "nome",
        "ie" | "indicador_ie" => "ie",
        "email" => "email",
        "endereco" | "endereco.cep" => "cep",
        "endereco.logradouro" => "logradouro",
        "endereco.numero" => "numero",
        "endereco.complemento" => "complemento",
        "endereco.bairro" => "bairro",
        "endereco.codigo_ibge" | "endereco.cidade" => "municipio",
        "endereco.uf" => "uf",
        _ => "documento",
    }
}

/// The field of a member of an item; None for its taxes.
fn item(member: &str) -> Option<&'static str> {
    Some(match member {
        "" | "descricao" => "descricao",
        "codigo" => "codigo",
        "ncm" => "ncm",
        "cest" => "cest",
        "cfop" => "cfop",
        "unidade" => "unidade",
        "gtin" => "gtin",
        "quantidade" => "quantidade",
        "valor_unitario" | "valor_bruto" => "valor",
        "desconto" => "desconto",
        _ => return None,
    })
}

/// What is said above the form of what has no field there.
fn above(message: &str, correction: &str) -> String {
    let said = plain(message).or_else(|| plain(correction));
    said.unwrap_or_else(|| "Um dado da nota não foi aceito.".to_owned())
}

/// What is wrong with a field and what to write there.
fn sentence(name: &str, code: &str, message: &str, correction: &str) -> String {
    let known = input(name);
    let what = match (known.map(|input| input.name), code) {
        (Some("municipio"), _) => Some("Não sabemos qual é a cidade.".to_owned()),
        (Some("documento"), "cpf_cnpj_invalido") => {
            Some("Este CPF ou CNPJ não é válido: confira os dígitos.".to_owned())
        }
        (Some("ncm"), "ncm_inexistente") => {
            Some("Este NCM não existe na tabela de hoje.".to_owned())
        }
        _ => plain(message),
    };
    let what = what.unwrap_or_else(|| {
        let missing = code == "obrigatorio";
        if missing {
            "Falta preencher."
        } else {
            "Não foi aceito."
        }
        .to_owned()
    });
    let how = known.map(|input| input.write.to_owned());
    let how = how.or_else(|| plain(correction)).unwrap_or_default();
    format!("{what} {how}").trim().to_owned()
}

/// What the authority said of a note.
fn rejected(rejection: &Value, fields: &Fields) -> Said {
    let who = if fields.get("tipo") == "nfse" {
        "A prefeitura"
    } else {
        "A SEFAZ"
    };
    let reason = text(rejection, "motivo").trim_end_matches('.');
    let code = text(rejection, "codigo");
    let how = plain(text(rejection, "correcao")).unwrap_or_default();
    let sentence = format!("{who} recusou a nota: {reason} (código {code}). {how}");
    Said::new(sentence.trim())
}

fn company_page(fields: &Fields) -> String {
    match fields.get("emitente") {
        "" => "/painel/emitentes".to_owned(),
        id => format!("/painel/emitentes/{}", encoded(id)),
    }
}

/// A refusal that names no field.
fn about(body: &Value, fields: &Fields) -> Said {
    let company = company_page(fields);
    match text(body, "codigo") {
        "saldo_insuficiente" => Said::new("Os créditos da conta não bastam para esta nota.")
            .to("/painel/creditos", "Comprar créditos"),
        "certificado_ausente" => {
            Said::new("A empresa ainda não tem certificado A1: sem ele nada pode ser assinado.")
                .to(&company, "Enviar o certificado")
        }
        "certificado_vencido" => {
            Said::new("O certificado A1 da empresa venceu.").to(&company, "Trocar o certificado")
        }
        "csc_ausente" => {
            Said::new("Falta o CSC da NFC-e, que a SEFAZ entrega à empresa.").to(&company, COMPLETE)
        }
        "perfil_fiscal_incompleto" | "credenciais_recusadas" => {
            Said::new("Falta um dado no cadastro da empresa.").to(&company, COMPLETE)
        }
        "municipio_nao_atendido" | "operacao_nao_suportada_pelo_municipio" => {
            Said::new("A NFS-e da cidade da empresa ainda não é emitida por aqui.")
                .to("/painel/cobertura", "Ver a cobertura")
        }
        "sefaz_indisponivel" | "prefeitura_indisponivel" => Said::new(
            "A autoridade não está respondendo. Nada foi emitido nem cobrado: envie de novo daqui a alguns minutos.",
        ),
        "limite_de_requisicoes" => Said::new(
            "A conta fez muitas operações neste minuto. Espere um minuto e envie de novo.",
        ),
        "requisicao_em_andamento" | "em_transmissao" => Said::new(
            "O primeiro envio desta nota ainda não terminou. Espere um minuto e veja na lista o que foi feito dela.",
        )
        .to("/painel/documentos", "Ver os documentos"),
        "chave_idempotencia_reutilizada" => {
            Said::new("Este formulário já foi enviado com outros dados. Veja na lista o que foi feito e, se for outra nota, abra um formulário novo.")
                .to("/painel/documentos", "Ver os documentos")
        }
        "manutencao" => Said::new(
            "O serviço está em manutenção ou sobrecarregado. Envie de novo daqui a alguns minutos.",
        ),
        "conta_bloqueada" => Said::new("A conta está bloqueada: nada pode ser emitido."),
        _ => {
            let message = plain(text(body, "mensagem"))
                .unwrap_or_else(|| "A nota não pôde ser emitida.".to_owned());
            let hint = plain(text(body, "dica")).unwrap_or_default();
            Said::new(format!("{message} {hint}").trim())
        }
    }
}
