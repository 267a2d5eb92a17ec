//! The small world examples are sent into: a company, notes, persons, a
//! webhook. What an example calls by its made-up name is replaced by what is
//! really there, and back in the answer.

use crate::common::{BELO_HORIZONTE, PASSWORD, ask, pfx};
use crate::creditos::shared;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sim::pki::PfxFormat;
use std::collections::BTreeMap;
use store::tables::editions::DatasetKind;
use tests::bodies::{cte, mdfe, mdfe_loaded_later, nfce, nfe, nfse, with};
use tests::imports::{ean, ibpt, import, products};
use tests::receiver::Receiver;
use tests::{Answer, TestApp};

const CNPJ: &str = "11222333000181";
const CHAVE: &str = "31261111222333000181550010000000011481516235";
const PURCHASE: &str = "31261199888777000154550010000000071481516233";
const CHAVE_NFSE: &str = "31062001211222333000181000000000000126110123456789";
const XML: &str = "PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4=";
const PDF: &str = "JVBERi0xLjcK";
const PFX: &str = "MIIKPAIBAzCCCfYGCSqGSIb3DQEHAaCC";
const PROTOCOL: &str = "131260000000007";
const DAY: &str = "2026-10-05";
const URL: &str = "https://loja.example/avisos";
const EXPIRES: &str = "1791206400";
const SIGNATURE: &str = "assinatura-do-link";
const OBJECT: &str = "/api/v1/storage/objetos/notas/2026/anexo.txt";

/// The made-up id of a kind of thing.
fn id(prefix: &str, number: u32) -> String {
    format!("{prefix}_01KAEXEMPL{number:016}")
}

pub struct World<'a> {
    app: &'a TestApp,
    receiver: Receiver,
    /// Made-up name, what is really there.
    names: BTreeMap<String, String>,
}

impl World<'_> {
    pub async fn new(app: &TestApp) -> World<'_> {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.release(&app.account_id).await;
        // More than the gift of a new account: the examples issue a lot.
        shared::paid(app, &shared::pix(300.0)).await;
        let receiver = Receiver::start().await;
        let mut world = World {
            app,
            names: BTreeMap::new(),
            receiver,
        };
        world.call(&id("emi", 1), &emitter);
        world.call(URL, &world.receiver.url("/avisos"));
        world.call(DAY, &base::when::today(app.app.now_ms(), "DF").to_string());
        world.call("senha-do-certificado", PASSWORD);
        let person = json!({ "cpf_cnpj": "52998224725", "nome": "Cliente Exemplo" });
        let person = world.post("/api/v1/pessoas", &person).await;
        world.call(&id("pes", 1), person.text_at("/id"));
        for number in 1..=2 {
            let hook = json!({ "url": world.receiver.url("/avisos"), "eventos": ["nfe.*"] });
            let hook = world.post("/api/v1/webhooks", &hook).await;
            world.call(&id("whk", number), hook.text_at("/id"));
        }
        world
    }

    fn call(&mut self, name: &str, real: &str) {
        assert!(!real.is_empty(), "{name} is not there");
        self.names.insert(name.to_owned(), real.to_owned());
    }

    /// A value with what is really there in the place of made-up names.
    pub fn real(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.names.get(text).unwrap_or(text).as_str().into(),
            Value::Array(items) => items.iter().map(|item| self.real(item)).collect(),
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, member)| (name.clone(), self.real(member)));
                members.collect::<serde_json::Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }

    /// An answer with the made-up names.
    pub fn told(&self, body: &Value) -> Value {
        let mut text = body.to_string();
        for (name, real) in &self.names {
            // Long contents and days are shown as they came.
            if real.len() < 200 && real.len() > 12 {
                text = text.replace(real.as_str(), name);
            }
        }
        serde_json::from_str(&text).expect("JSON")
    }

    /// The file of the certificate that was prepared.
    pub fn pfx(&self) -> Vec<u8> {
        STANDARD.decode(&self.names[PFX]).expect("base64")
    }

    pub fn signature(&self, body: &str) -> String {
        let offer = payments::offered(&self.app.app).expect("a PSP");
        shared::signature(&offer.secret, self.app.app.now_ms() / 1_000, body)
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        let answer = self.app.post(path, body).await;
        assert!(
            (200..300).contains(&answer.status),
            "{path}: {}",
            answer.text
        );
        answer
    }

    /// A note, by its path and body; it is what the examples call by `name`.
    async fn note(&mut self, name: &str, path: &str, body: &Value) -> Answer {
        let note = self.post(path, body).await;
        self.call(name, note.text_at("/nota_id"));
        note
    }

    /// A table of the IBPT and a list of products.
    async fn imported(&mut self) {
        let rates = [("17019900", "", "0", ["4.20", "6.50", "7.00", "0.00"])];
        let rates = ibpt("26.2.A", "31/12/2099", &rates);
        let product = (ean(1), "Açúcar refinado 1 kg", "Marca", "17019900");
        for (kind, name, bytes) in [
            (DatasetKind::Ibpt, "TabelaIBPTaxSP26.2.A.csv", rates),
            (DatasetKind::Products, "lista.csv", products(&[product])),
        ] {
            let imported = import(self.app, kind, name, &bytes).await;
            imported.expect("imported");
        }
    }

    /// A note with its files.
    async fn files(&mut self) {
        let note = self.note(&id("nfe", 1), "/api/v1/nfe", &nfe()).await;
        let at = format!("/api/v1/documentos/{}", note.text_at("/nota_id"));
        let xml = self.app.get(&format!("{at}/xml")).await;
        let danfe = self.app.get(&format!("{at}/danfe")).await;
        self.call(XML, xml.text_at("/base64"));
        self.call(PDF, danfe.text_at("/base64"));
    }

    /// A note whose payment came later, linked to it; protocol of the link.
    async fn linked(&mut self) {
        let later = json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]);
        self.note(
            &id("nfe", 1),
            "/api/v1/nfe",
            &with(nfe(), "/pagamentos", later),
        )
        .await;
        let day = self.names[DAY].clone();
        let link = json!({ "ref": self.names[&id("nfe", 1)], "pagamentos": [{ "forma": "pix", "valor": 10.0, "data": day }] });
        let linked = self.post("/api/v1/nfe/econf", &link).await;
        self.call(PROTOCOL, linked.text_at("/evento/protocolo"));
    }

    /// A note with an event of the reform.
    async fn reformed(&mut self) {
        self.note(&id("nfe", 1), "/api/v1/nfe", &nfe()).await;
        let event = json!({ "ref": self.names[&id("nfe", 1)], "tipo_evento": "112110", "dados": { "quitacao": "1" } });
        let event = self.post("/api/v1/nfe/eventos-reforma", &event).await;
        self.call(PROTOCOL, event.text_at("/evento/protocolo"));
    }

    /// Notes of a supplier, of which the authority has told.
    async fn received(&mut self) {
        let order = json!({ "cnpj": CNPJ, "ambiente": "producao", "uf": "MG", "quantidade": 1, "valor_centavos": 12_345 });
        let order = serde_json::from_value(order).expect("an order");
        let keys = self.app.app.simulator.sim.deposit(&order).expect("notes");
        self.call(PURCHASE, &keys[0]);
    }

    async fn told_of_a_note(&mut self) {
        self.note(&id("nfe", 1), "/api/v1/nfe", &nfe()).await;
        // The newest delivery may be of a webhook that another example deleted.
        let hooks = self.app.get("/api/v1/webhooks").await;
        let hook = hooks.text_at("/itens/0/id");
        let path = format!("/api/v1/webhooks/entregas?limite=1&webhook_id={hook}");
        let delivered = |seen: &Answer| seen.text_at("/itens/0/status") == "entregue";
        let seen = self.app.until(&path, delivered).await;
        self.call(&id("ent", 1), seen.text_at("/itens/0/id"));
    }

    async fn exported(&mut self) {
        let day = self.names[DAY].clone();
        let asked = json!({ "de": day, "ate": day });
        let asked = self.post("/api/v1/documentos/exportar", &asked).await;
        let exp = asked.text_at("/exportacao_id").to_owned();
        self.call(&id("exp", 1), &exp);
        let path = format!("/api/v1/documentos/exportacoes/{exp}");
        let ready = |seen: &Answer| seen.text_at("/status") == "pronta";
        let seen = self.app.until(&path, ready).await;
        self.link(seen.text_at("/url"));
    }

    /// The parts of a signed link.
    fn link(&mut self, link: &str) {
        let (_, query) = link.split_once('?').expect("a signed link");
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("expira", value)) => self.call(EXPIRES, value),
                Some(("assinatura", value)) => self.call(SIGNATURE, value),
                _ => {}
            }
        }
    }

    async fn object(&mut self) {
        let put = crate::common::raw(self.app, Method::PUT, OBJECT, "text/plain", "anexo").await;
        assert_eq!(put.status, 201, "{}", put.text);
        let shown = self.app.get(OBJECT).await;
        let url = shown.text_at("/url").to_owned();
        self.link(&url);
        let object = url
            .split('?')
            .next()
            .and_then(|path| path.rsplit('/').next());
        self.call(&id("obj", 1), object.expect("an id"));
    }

    /// Events of the DeRE that go together; and their batch, where it is wanted.
    async fn declared(&mut self, batch: bool) {
        let taxpayer = json!({ "regTribPrinc": "2", "indNatTrib": "0" });
        let mut events = Vec::new();
        for (number, code, data) in [
            (1, "D-1001", json!({ "infoContrib": taxpayer })),
            (2, "D-1199", json!({})),
        ] {
            let event =
                json!({ "leiaute": "1.2.0", "tipo": code, "periodo": "2026-10", "dados": data });
            let made = self.post("/api/v1/dere/eventos", &event).await;
            events.push(made.text_at("/evento_id").to_owned());
            self.call(&id("der", number), made.text_at("/evento_id"));
        }
        if batch {
            let made = json!({ "eventos": events });
            let made = self.post("/api/v1/dere/lotes", &made).await;
            self.call(&id("dlo", 1), made.text_at("/lote_id"));
        }
    }

    /// What an operation's example takes for granted.
    pub async fn prepare(&mut self, operation: &str) {
        match operation {
            "nfe.emitir" | "documentos.delete" => {
                self.note(&id("nfe", 1), "/api/v1/nfe/criar", &nfe()).await;
            }
            "nfce.emitir" => {
                self.note(&id("nfce", 1), "/api/v1/nfce/criar", &nfce())
                    .await;
            }
            "nfse.emitir" => {
                self.note(&id("nfse", 1), "/api/v1/nfse/criar", &nfse())
                    .await;
            }
            "cte.emitir" => {
                self.note(&id("cte", 1), "/api/v1/cte/criar", &cte()).await;
            }
            "mdfe.emitir" => {
                self.note(&id("mdfe", 1), "/api/v1/mdfe/criar", &mdfe())
                    .await;
            }
            "cte.cancelar" | "cte.cce" | "cte.status" | "cte.dacte" | "cte.xml" => {
                let path = "/api/v1/cte/criar-e-emitir";
                self.note(&id("cte", 1), path, &cte()).await;
            }
            "mdfe.cancelar"
            | "mdfe.encerrar"
            | "mdfe.incluir-condutor"
            | "mdfe.status"
            | "mdfe.documento"
            | "mdfe.nao-encerrados" => {
                let path = "/api/v1/mdfe/criar-e-emitir";
                self.note(&id("mdfe", 1), path, &mdfe()).await;
            }
            "mdfe.incluir-dfe" => {
                let path = "/api/v1/mdfe/criar-e-emitir";
                self.note(&id("mdfe", 1), path, &mdfe_loaded_later()).await;
            }
            "nfse.substituir" => {
                let note = self.post("/api/v1/nfse", &nfse()).await;
                self.call(CHAVE_NFSE, note.text_at("/chave"));
            }
            "nfe.cancelar"
            | "nfe.cce"
            | "nfe.status"
            | "documentos.get"
            | "documentos.danfe"
            | "documentos.email"
            | "documentos.xml"
            | "documentos.historico"
            | "nfe.split-payment"
            | "nfe.eventos-reforma.post"
            | "reforma.eventos.pre-validar" => {
                self.note(&id("nfe", 1), "/api/v1/nfe", &nfe()).await;
            }
            "nfce.cancelar" | "nfce.status" | "nfce.janela-cancelamento" => {
                self.note(&id("nfce", 1), "/api/v1/nfce", &nfce()).await;
            }
            "nfse.cancelar" | "nfse.status" | "nfse.documento" => {
                self.note(&id("nfse", 1), "/api/v1/nfse", &nfse()).await;
            }
            "nfe.vinculos" | "nfe.vinculos.get" => {
                let first = self.note(&id("nfe", 1), "/api/v1/nfe", &nfe()).await;
                self.call(CHAVE, first.text_at("/chave"));
                self.note(&id("nfe", 2), "/api/v1/nfe", &nfe()).await;
                if operation == "nfe.vinculos.get" {
                    let body = json!({ "ref": self.names[&id("nfe", 2)], "chave_origem": first.text_at("/chave"), "tipo": "devolucao" });
                    self.post("/api/v1/nfe/vinculos", &body).await;
                }
            }
            "nfe.econf" | "nfe.econf.desfazer" | "nfe.econf.get" => self.linked().await,
            "nfe.eventos-reforma" | "nfe.eventos-reforma.cancelar" => self.reformed().await,
            "fiscal.xml.validar" | "nfe.danfe.ler" | "nfe.parse" | "nfe.danfe-xml" => {
                self.files().await
            }
            "nfe-entrada.consultar" => self.received().await,
            "emitters.create" | "emitters.certificado.put" => {
                let cnpj = if operation == "emitters.create" {
                    "22333444000181"
                } else {
                    CNPJ
                };
                let pfx = pfx(self.app, cnpj, PfxFormat::Modern, (-1, 365));
                self.call(PFX, &STANDARD.encode(pfx));
            }
            "fiscal.ibpt.get"
            | "fiscal.carga-tributaria"
            | "catalogo.gtin.get"
            | "catalogo.gtin.batch"
            | "catalogo.buscar"
            | "demo.buscar" => self.imported().await,
            "dere.lotes" => self.declared(false).await,
            "dere.lotes.get" | "dere.lotes.revalidar" => self.declared(true).await,
            "emitters.delete" => {
                let made = json!({ "cnpj": "12345678000195" });
                let made = self.post("/api/v1/emitters", &made).await;
                self.call(&id("emi", 2), made.text_at("/id"));
            }
            "storage.objetos.list"
            | "storage.objetos.get"
            | "storage.objetos.delete"
            | "storage.objetos.arquivo" => self.object().await,
            "webhooks.entregas.list" | "webhooks.entregas.get" | "webhooks.entregas.reenviar" => {
                self.told_of_a_note().await
            }
            "eventos.get" => {
                let events = self.app.get("/api/v1/eventos?limite=1").await;
                self.call(&id("evt", 1), events.text_at("/itens/0/id"));
            }
            "creditos.compras.get" | "psp.aviso" => {
                let bought = shared::bought(self.app, &shared::pix(300.0)).await;
                self.call(&id("cmp", 1), &bought);
            }
            "creditos.compras.reembolso" => {
                let paid = shared::paid(self.app, &shared::pix(300.0)).await;
                self.call(&id("cmp", 1), &paid);
            }
            "chaves.rotacionar" | "chaves.delete" => {
                let body = json!({ "nome": "Loja 7", "tipo": "producao" });
                let made = ask(self.app, Method::POST, "/api/v1/chaves", Some(&body)).await;
                self.call(&id("key", 1), made.text_at("/id"));
            }
            "usage.chamadas.get" => {
                let note = self.post("/api/v1/nfe", &nfe()).await;
                self.call(&id("req", 1), note.text_at("/request_id"));
            }
            "documentos.exportacoes.get" | "documentos.exportacoes.arquivo" => {
                self.exported().await
            }
            _ => {}
        }
    }
}
