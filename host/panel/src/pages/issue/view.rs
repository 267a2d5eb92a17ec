//! The form as a page shows it.

use super::SEARCHED;
use super::body::{Line, lines};
use super::companies::Companies;
use super::customers::Customers;
use super::inputs::{
    self, ADDRESS, CHANGE, FORMS, ITEM, ITEM_MORE, Input, KINDS, MORE, PAYMENT, PRESENCES,
    RECIPIENT, SERVICE, WITHHOLDINGS, must, states,
};
use super::lookups::price;
use super::ncm::{self, Search};
use super::places;
use super::products::Product;
use super::rows::{ITEMS, PAYMENTS, named, plain};
use super::services;
use super::wrong::{Refused, label};
use crate::form::Fields;
use crate::parts::{self, done, hidden_as, icon, marks, money};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use data::services::Service;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;
use store::words::Ambiente;

/// Where the form is sent.
pub const ACTION: &str = "/painel/emitir";

/// What a form is shown with.
pub struct Form<'a> {
    pub visitor: &'a Visitor,
    pub fields: &'a Fields,
    /// Of this form, from its first page to the note.
    pub token: &'a str,
    /// Good news above it; empty: there are none.
    pub note: &'a str,
    pub refused: Option<&'a Refused>,
    pub companies: &'a Companies,
    pub customers: &'a Customers,
    /// Products that were looked for.
    pub products: Option<&'a [Product]>,
    /// Services of the national list that were looked for.
    pub services: Option<&'a [&'static Service]>,
    /// The search for the NCM of an item.
    pub search: Option<&'a Search>,
    /// The field the person goes on with; empty: the page's first.
    pub focus: &'a str,
}

impl Form<'_> {
    /// The part of the page that a button of the form may replace.
    pub fn shown(&self) -> Markup {
        html! {
            div id="emissao" data-parcial {
                @if !self.note.is_empty() { (done(self.note)) }
                @if let Some(refused) = self.refused { (refused.summary()) }
                section class="cartao" {
                    (marks())
                    form class="campos blocos" method="post" action=(ACTION) data-soma="#soma" {
                        // Enter in a field sends the form as the main button does.
                        button class="so-leitor" tabindex="-1" aria-hidden="true" { "Continuar" }
                        (hidden_as(self.visitor, self.token))
                        @let draft = self.fields.get("rascunho");
                        @if !draft.is_empty() { input type="hidden" name="rascunho" value=(draft); }
                        (self.seriousness())
                        (self.document())
                        (self.recipient())
                        (self.items())
                        (self.service())
                        (self.payments())
                        (self.more())
                        (self.end())
                    }
                }
            }
        }
    }

    fn document(&self) -> Markup {
        html! {
            fieldset class="bloco" {
                legend { "Documento" }
                (self.choice("tipo", "", "Tipo", KINDS, self.fields.get("tipo")))
                (self.company())
            }
        }
    }

    /// The companies, each with where its notes go: what follows from that is shown of the
    /// chosen one.
    fn company(&self) -> Markup {
        let chosen = self.companies.chosen(self.fields.get("emitente"));
        let wrong = self.wrong("emitente");
        let described = described("emitente", "", wrong);
        let choice = html! {
            select id="emitente" name="emitente" aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[self.focus == "emitente"] {
                @for (id, name) in &self.companies.options {
                    option value=(id) selected[id == chosen] data-lugar=[self.companies.place(id)] { (name) }
                }
            }
        };
        self.framed("", "emitente", "Emitente", html! {}, choice)
    }

    /// What it means to issue in Produção, of the company that is chosen.
    fn seriousness(&self) -> Markup {
        let live = self.visitor.live();
        let goes = |place| live && self.companies.any_goes_to(place);
        html! {
            @if goes(Ambiente::Production) {
                div class="aviso-caixa aviso so-producao" { p { strong { "Produção: a nota tem valor fiscal." } " A página seguinte mostra o total, os impostos e o preço antes de emitir." } }
            }
            @if goes(Ambiente::Homologacao) {
                div class="aviso-caixa so-homologacao" { p { "A empresa ainda emite em homologação: a nota não terá valor fiscal, mas custa como em produção." } }
            }
        }
    }

    fn recipient(&self) -> Markup {
        let visitor = self.visitor;
        html! {
            fieldset class="bloco" {
                legend { (by_kind("Destinatário", "Tomador")) }
                (self.known_customers())
                @for input in RECIPIENT { (self.field(input, 1)) }
                div class="campo c6" {
                    div { (button("cnpj", &format!("Buscar nome e endereço pelo CNPJ{}", price(visitor, "empresa.cnpj")))) }
                }
                @for input in ADDRESS {
                    @if input.name == "uf" { (self.choice("uf", "c2", "UF", &states(), &self.fields.get("uf").to_uppercase())) }
                    @else { (self.field(input, 1)) }
                    @if input.name == "cep" {
                        div class="campo c4 alinhado" {
                            div { (button("cep", &format!("Preencher pelo CEP{}", price(visitor, "geo.cep.get")))) }
                        }
                    }
                }
                datalist id="cidades" {}
                label class="opcao c6" { input type="checkbox" name="guardar" value="1" checked[self.fields.on("guardar")]; "Guardar este cliente para as próximas notas" }
            }
        }
    }

    /// Customers to choose from, where there are any.
    fn known_customers(&self) -> Markup {
        let searched = !self.fields.get("cliente_busca").is_empty();
        if self.customers.options.is_empty() && !searched {
            return html! {};
        }
        let mut options = vec![("", "Escolha um cliente guardado")];
        let known = self.customers.options.iter();
        options.extend(known.map(|(id, name)| (id.as_str(), name.as_str())));
        html! {
            (self.choice("cliente", "c4", "Cliente guardado", &options, self.fields.get("cliente")))
            div class="campo c2 alinhado" { div { (button("cliente", "Usar este cliente")) } }
            @if self.customers.more || searched {
                div class="campo c4" {
                    label for="cliente_busca" { "Procurar cliente pelo nome" }
                    input id="cliente_busca" name="cliente_busca" type="text" value=(self.fields.raw("cliente_busca"));
                }
                div class="campo c2 alinhado" { div { (button("procurar-cliente", "Procurar")) } }
            }
        }
    }

    fn items(&self) -> Markup {
        let count = ITEMS.count(self.fields);
        html! {
            fieldset class="bloco" {
                legend { (by_kind("Produtos", "Itens do serviço")) }
                @for row in 1..=count { (self.item(row, count)) }
                div class="acoes c6" {
                    button class="botao secundario" name="acao" value="item" data-parte formnovalidate { (icon("mais")) "Acrescentar item" }
                }
                (self.known_products())
                p class="c6 soma" { "Total dos itens: " output id="soma" { (total_of_items(self.fields)) } }
            }
        }
    }

    fn item(&self, row: usize, count: usize) -> Markup {
        let fields = self.fields;
        let more = |input: &Input| {
            let name = named(input.name, row);
            !fields.get(&name).is_empty() || self.wrong(&name).is_some()
        };
        html! {
            fieldset class="bloco c6 item" {
                legend { "Item " (row) }
                @for input in ITEM { (self.field(input, row)) }
                @if let Some(search) = self.search.filter(|search| search.row == row) { (self.search_of_ncm(search)) }
                details class="c6 so-produto" open[ITEM_MORE.iter().any(more)] {
                    summary { "Código, CFOP, unidade e outros" }
                    div class="bloco" { @for input in ITEM_MORE { (self.field(input, row)) } }
                }
                div class="acoes c6" {
                    button class="ligado so-produto" name="acao" value=(format!("procurar-ncm:{row}")) data-parte formnovalidate { "Procurar o NCM" @if count > 1 { " do item " (row) } }
                    @if self.visitor.may(Action::Emitters) {
                        button class="ligado so-produto" name="acao" value=(format!("guardar-produto:{row}")) data-parte formnovalidate { "Guardar produto" @if count > 1 { " do item " (row) } }
                    }
                    @if count > 1 {
                        button class="ligado" name="acao" value=(format!("retirar-item:{row}")) data-parte formnovalidate { "Retirar o item " (row) }
                    }
                }
            }
        }
    }

    /// Looking for the NCM of an item.
    fn search_of_ncm(&self, search: &Search) -> Markup {
        let wrong = self.wrong(ncm::WORDS);
        let described = described(ncm::WORDS, "", wrong);
        let words = format!("Procurar NCM{}", price(self.visitor, "fiscal.ncm"));
        html! {
            div class="bloco c6 so-produto" {
                div class="campo c6" {
                    label for=(ncm::WORDS) { (label(ncm::WORDS)) }
                    div class="caixa" {
                        input id=(ncm::WORDS) name=(ncm::WORDS) type="text" maxlength=(SEARCHED) value=(self.fields.raw(ncm::WORDS)) aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[self.focus == ncm::WORDS];
                        @if let Some(sentence) = wrong { span class="falha" id=(format!("{}-erro", ncm::WORDS)) { (sentence) } }
                    }
                }
                div class="acoes c6" { (button(&format!("ncm:{}", search.row), &words)) }
                @if let Some(found) = &search.found { (ncm::results(search.row, found)) }
            }
        }
    }

    /// Looking for products that are registered, were sold before, or are in the
    /// catalogue.
    fn known_products(&self) -> Markup {
        let searched = self.products.is_some();
        html! {
            details class="c6 so-produto" open[searched] {
                summary { "Procurar um produto" }
                div class="bloco" {
                    div class="campo c6" {
                        label for="produto_busca" { "Nome ou código de barras" }
                        div class="caixa" {
                            input id="produto_busca" name="produto_busca" type="text" value=(self.fields.raw("produto_busca")) aria-invalid=[self.wrong("produto_busca").map(|_| "true")];
                            @if let Some(sentence) = self.wrong("produto_busca") { span class="falha" { (sentence) } }
                        }
                    }
                    div class="acoes c6" {
                        (button("produtos", "No cadastro e nas últimas notas"))
                        (button("catalogo", &format!("No catálogo{}", price(self.visitor, "catalogo.buscar"))))
                    }
                    @if let Some(products) = self.products { (results(products)) }
                }
            }
        }
    }

    fn service(&self) -> Markup {
        html! {
            fieldset class="bloco so-servico" {
                legend { "Serviço" }
                p class="dica c6" { "A NFS-e tem um serviço só: os itens acima viram a descrição, e a soma deles, o valor." }
                @for input in SERVICE { (self.field(input, 1)) }
                (self.choice("retido", "", "ISS retido", WITHHOLDINGS, self.fields.get("retido")))
                @if let Some(service) = services::get(self.fields.get("servico")) {
                    p class="dica c6" { (services::printed(&service.codigo)) ": " (service.description) }
                }
                (self.known_services())
            }
        }
    }

    /// Looking for the code of a service.
    fn known_services(&self) -> Markup {
        let wrong = self.wrong("servico_busca");
        let described = described("servico_busca", "", wrong);
        let focus = self.focus == "servico_busca";
        html! {
            details class="c6" open[self.services.is_some() || wrong.is_some()] {
                summary { "Procurar o código do serviço" }
                div class="bloco" {
                    div class="campo c6" {
                        label for="servico_busca" { "O que é o serviço" }
                        div class="caixa" {
                            input id="servico_busca" name="servico_busca" type="text" value=(self.fields.raw("servico_busca")) aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[focus];
                            @if let Some(sentence) = wrong { span class="falha" id="servico_busca-erro" { (sentence) } }
                        }
                    }
                    div class="acoes c6" { (button("servicos", "Procurar serviço")) }
                    @if let Some(found) = self.services { (services::results(found)) }
                }
            }
        }
    }

    fn payments(&self) -> Markup {
        let count = PAYMENTS.count(self.fields);
        html! {
            fieldset class="bloco so-produto" {
                legend { "Pagamento" }
                @for row in 1..=count {
                    @for input in PAYMENT {
                        @if input.name == "forma" {
                            (self.choice(&named("forma", row), "", "Forma", FORMS, self.fields.get(&named("forma", row))))
                        } @else { (self.field(input, row)) }
                    }
                    @if count > 1 {
                        div class="c6" {
                            button class="ligado" name="acao" value=(format!("retirar-pagamento:{row}")) data-parte formnovalidate { "Retirar o pagamento " (row) }
                        }
                    }
                }
                @for input in CHANGE { (self.field(input, 1)) }
                div class="acoes c6" {
                    button class="botao secundario" name="acao" value="pagamento" data-parte formnovalidate { (icon("mais")) "Acrescentar pagamento" }
                }
            }
        }
    }

    fn more(&self) -> Markup {
        let filled = |input: &Input| {
            !self.fields.get(input.name).is_empty() || self.wrong(input.name).is_some()
        };
        html! {
            details class="mais" open[MORE.iter().any(filled)] {
                summary { (by_kind("Frete, natureza da operação e outros dados", "Outros dados")) }
                div class="bloco" {
                    @for input in MORE {
                        @if input.name == "presenca" {
                            (self.choice("presenca", input.class, input.label, PRESENCES, self.fields.get("presenca")))
                        } @else { (self.field(input, 1)) }
                    }
                }
            }
        }
    }

    fn end(&self) -> Markup {
        let live = self.visitor.live();
        let place = Ambiente::Homologacao;
        let charged = !live && self.companies.any_goes_to(place);
        // Service notes of Teste are simulated; both kinds of product notes cost the same.
        let class = "so-homologacao so-produto";
        let cost = places::cost(place, "nfe.create");
        html! {
            @if charged {
                p class=(format!("dica {class}")) { "A empresa tem certificado: a nota vai à homologação da SEFAZ, sem valor fiscal, e custa como em produção se for autorizada." }
            }
            div class="acoes" {
                @if live { button class="botao" { "Conferir antes de emitir" } }
                @else {
                    button class="botao" { "Emitir nota de teste" @if charged { span class=(class) { (cost) } } }
                    button class="botao secundario" name="acao" value="conferir" { "Conferir total e impostos" }
                }
                button class="botao secundario" name="acao" value="rascunho" { "Guardar rascunho" }
            }
        }
    }

    /// What is wrong with a field.
    fn wrong(&self, name: &str) -> Option<&str> {
        let wrong = self.refused?.wrong.iter();
        wrong
            .filter(|one| one.field == name)
            .map(|one| one.sentence.as_str())
            .next()
    }

    /// A field of a row with its label, hint and error.
    fn field(&self, input: &Input, row: usize) -> Markup {
        let name = named(input.name, row);
        let value = self.fields.raw(&name);
        let wrong = self.wrong(&name);
        let said = match input.name {
            // Without a server of mail no note is sent.
            "email" if !self.visitor.panel.app.config.mail.on() => "",
            _ => input.hint,
        };
        let described = described(&name, said, wrong);
        let hint = match input.name {
            "documento" => by_kind(said, inputs::DOCUMENT_HINT_OF_SERVICE),
            _ => html! { (said) },
        };
        let (kind, keyboard) = match input.keyboard {
            "date" => ("date", None),
            "email" => ("text", Some("email")),
            other => ("text", Some(other)),
        };
        let city = (input.name == "municipio").then_some("cidades");
        self.framed(
            input.class,
            &name,
            input.label,
            hint,
            html! {
                @if input.name == "informacoes" {
                    textarea id=(name) name=(name) maxlength="2000" aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[self.focus == name] { (value) }
                } @else {
                    input id=(name) name=(name) type=(kind) inputmode=[keyboard] value=(value) autocomplete="off" list=[city] data-sugere=[city.map(|_| "/painel/emitir/cidades")]
                        aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[self.focus == name];
                }
            },
        )
    }

    /// A choice of one with its label and error.
    fn choice(
        &self,
        name: &str,
        class: &str,
        label: &str,
        options: &[(&str, &str)],
        chosen: &str,
    ) -> Markup {
        let wrong = self.wrong(name);
        let described = described(name, "", wrong);
        self.framed(
            class,
            name,
            label,
            html! {},
            html! {
                select id=(name) name=(name) aria-describedby=[described] aria-invalid=[wrong.map(|_| "true")] autofocus[self.focus == name] {
                    @for (value, word) in options { option value=(value) selected[*value == chosen] { (word) } }
                }
            },
        )
    }

    fn framed(&self, class: &str, name: &str, label: &str, hint: Markup, input: Markup) -> Markup {
        html! {
            div class=(format!("campo {class}").trim_end()) {
                (parts::label(name, label, must(plain(name).0)))
                div class="caixa" {
                    (input)
                    @if let Some(sentence) = self.wrong(name) { span class="falha" id=(format!("{name}-erro")) { (sentence) } }
                    @if !hint.0.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
                }
            }
        }
    }
}

/// The words of a product note and those of a service note: the kind that is chosen shows its
/// own, without a script, too.
fn by_kind(product: &str, service: &str) -> Markup {
    html! { span class="so-produto" { (product) } span class="so-servico" { (service) } }
}

/// Ids of the texts that describe a field.
fn described(name: &str, hint: &str, wrong: Option<&str>) -> Option<String> {
    let mut ids = Vec::new();
    if wrong.is_some() {
        ids.push(format!("{name}-erro"));
    }
    if !hint.is_empty() {
        ids.push(format!("{name}-dica"));
    }
    (!ids.is_empty()).then(|| ids.join(" "))
}

/// A button that fills something in and shows the form again.
fn button(action: &str, words: &str) -> Markup {
    html! {
        button class="botao secundario mini" name="acao" value=(action) data-parte formnovalidate { (words) }
    }
}

/// Products that were found, each with a button that adds it.
fn results(products: &[Product]) -> Markup {
    html! {
        @if products.is_empty() {
            p class="c6 suave" { "Nenhum produto encontrado." }
        } @else {
            ul class="c6 achados" {
                @for product in products {
                    li {
                        span { (product.name()) @if !product.facts().is_empty() { " " span class="suave pequeno" { (product.facts()) } } }
                        button class="botao secundario mini" name="acao" value=(format!("produto:{}", product.carried())) data-parte formnovalidate aria-label=(format!("Acrescentar {}", product.name())) { "Acrescentar" }
                    }
                }
            }
        }
    }
}

/// The sum of the items; none where what is written of one is wrong.
fn total_of_items(fields: &Fields) -> String {
    let (lines, wrong) = lines(fields);
    if wrong.iter().any(|one| !fields.get(&one.field).is_empty()) {
        return "–".to_owned();
    }
    let total: Decimal = lines.iter().map(Line::total).sum();
    money(&Value::from(format!("{total:.2}")))
}
