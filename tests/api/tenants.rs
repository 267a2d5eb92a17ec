//! What belongs to one account does not exist for another.
//!
//! Every operation that can name something of an account is asked twice: by a
//! stranger, who is told that it does not exist, and by the owner with the
//! same words, who is not.

use crate::common::{
    BELO_HORIZONTE, ask, ask_as, assert_refusal, cnpj, emitter_in, profile, stranger,
};
use base::operations::{self, Operation};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{cte, mdfe, nfce, nfe, nfse, with};
use tests::{TestApp, both};

const CNPJ: &str = "11222333000181";
const REASON: &str = "Cancelamento pedido pelo cliente";

/// Operations of an account that name nothing but themselves, or what is
/// looked for: who asks gets what is his.
const NAMELESS: &[&str] = &[
    "nfse.cobertura",
    "nfe.autorizador.status",
    "nfce.autorizador.status",
    "cte.autorizador.status",
    "cte.inutilizar",
    "cte.list",
    "cte-os.create",
    "mdfe.autorizador.status",
    "mdfe.list",
    "nfe.list",
    "nfse.list",
    "nfe.travadas",
    "nfse.cancelamento.exigencias",
    "nfe-entrada.list",
    "nfe-entrada.eventos",
    "documentos.buscar",
    "documentos.list",
    "documentos.resumo",
    "documentos.auditar",
    "autorizadores.list",
    "fiscal.xml.validar",
    "nfe.danfe.ler",
    "nfe.parse",
    "nfe.danfe-xml",
    "fiscal.nfse.provedor",
    "fiscal.nfse.provedores",
    "emitters.create",
    "emitters.batch",
    "emitters.list",
    "pessoas.list",
    "usage",
    "usage.chamadas.list",
    "storage.objetos.put",
    "storage.objetos.list",
    "storage.uso",
    "webhooks.list",
    "webhooks.create",
    "webhooks.tipos-evento",
    "webhooks.entregas.list",
    "eventos.list",
    "creditos",
    "creditos.extrato",
    "creditos.pacotes",
    "creditos.compras.create",
    "creditos.alerta",
    "chaves.list",
    "chaves.create",
    "conta",
    "chatapp.validar",
    "fiscal.notas-tecnicas",
    "fiscal.regras",
    "fiscal.simples.aliquota",
    "fiscal.simples.fator-r",
    "fiscal.fci.validar",
    "fiscal.calcular-impostos",
    "fiscal.anp.get",
    "fiscal.anp",
    "fiscal.cbenef.get",
    "fiscal.cbenef",
    "fiscal.cest.get",
    "fiscal.cest",
    "fiscal.cfop.get",
    "fiscal.cfop",
    "fiscal.cnae.get",
    "fiscal.cnae",
    "fiscal.ibs-cbs.get",
    "fiscal.ibs-cbs",
    "fiscal.ncm.get",
    "fiscal.ncm",
    "gnre.calcular",
    "gnre.configuracoes.get",
    "reforma.eventos.catalogo",
    "fiscal.ibpt.get",
    "fiscal.carga-tributaria",
    "validate.cpf",
    "validate.cnpj",
    "validate.email",
    "validate.telefone",
    "veiculo.placa.formato",
    "veiculo.placa.corrigir",
    "catalogo.ean.pesavel",
    "empresa.cnpj",
    "fiscal.perfil-sugerido",
    "veiculo.placa.get",
    "veiculo.fipe.get",
    "veiculo.fipe.marcas",
    "veiculo.fipe.modelos",
    "veiculo.fipe.anos",
    "geo.cep.get",
    "geo.cep.list",
    "geo.cep.batch",
    "geo.geocoding",
    "geo.geocoding.reverso",
    "catalogo.gtin.get",
    "catalogo.gtin.batch",
    "catalogo.buscar",
    "catalogo.gtin.reportar",
    "geo.distancia",
    "geo.rota",
    "geo.rota.otimizar",
    "geo.cidades",
    "geo.cidades.get",
    "geo.ibge.get",
    "geo.extras.get",
    "pix.brcode.ler",
];
/// Lists and sums: each answers a stranger without a word of the owner's.
const LISTS: &[&str] = &[
    "/api/v1/nfe",
    "/api/v1/nfse",
    "/api/v1/cte",
    "/api/v1/mdfe",
    "/api/v1/documentos",
    "/api/v1/documentos/resumo",
    "/api/v1/nfe/travadas",
    "/api/v1/nfe-entrada",
    "/api/v1/nfe-entrada/eventos",
    "/api/v1/emitters",
    "/api/v1/pessoas",
    "/api/v1/usage",
    "/api/v1/usage/chamadas",
    "/api/v1/storage/objetos",
    "/api/v1/storage/uso",
    "/api/v1/webhooks",
    "/api/v1/webhooks/entregas",
    "/api/v1/eventos?cursor=0",
    "/api/v1/creditos",
    "/api/v1/creditos/extrato",
    "/api/v1/chaves",
    "/api/v1/conta",
];

/// What an account has.
struct World {
    emitter: String,
    nfe: Vec<(String, String)>,
    nfce: String,
    nfse: (String, String),
    drafts: [String; 5],
    cte: (String, String),
    mdfe: (String, String),
    received: String,
    econf: String,
    person: String,
    webhook: String,
    delivery: String,
    evento: String,
    purchase: String,
    chave: String,
    export: String,
    request: String,
    dere: [String; 2],
}

async fn made(app: &TestApp, path: &str, body: &Value) -> tests::Answer {
    let answer = app.post(path, body).await;
    assert!(
        (200..300).contains(&answer.status),
        "{path}: {}",
        answer.text
    );
    answer
}

async fn world(app: &TestApp) -> World {
    let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
    app.release(&app.account_id).await;
    let webhook = made(
        app,
        "/api/v1/webhooks",
        &json!({ "url": "http://127.0.0.1:9/avisos", "eventos": ["*"] }),
    )
    .await;
    let webhook = webhook.text_at("/id").to_owned();
    let mut products = Vec::new();
    for _ in 0..3 {
        let nota = made(
            app,
            "/api/v1/nfe",
            &with(
                nfe(),
                "/pagamentos",
                json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]),
            ),
        )
        .await;
        products.push((
            nota.text_at("/nota_id").to_owned(),
            nota.text_at("/chave").to_owned(),
        ));
    }
    let day = nota_day(app);
    let econf = json!({ "ref": products[0].0, "pagamentos": [{ "forma": "pix", "valor": 20.0, "data": day }] });
    let econf = made(app, "/api/v1/nfe/econf", &econf).await;
    let service = made(app, "/api/v1/nfse", &nfse()).await;
    let consumer = made(app, "/api/v1/nfce", &nfce()).await;
    let mut drafts = Vec::new();
    let mut transport = Vec::new();
    for (path, body) in [("cte", cte()), ("mdfe", mdfe())] {
        let issued = made(app, &format!("/api/v1/{path}/criar-e-emitir"), &body).await;
        let of = |at: &str| issued.text_at(at).to_owned();
        transport.push((of("/nota_id"), of("/chave")));
    }
    let [cte_of, mdfe_of]: [_; 2] = transport.try_into().expect("two documents");
    for (path, body) in [
        ("nfe", nfe()),
        ("nfce", nfce()),
        ("nfse", nfse()),
        ("cte", cte()),
        ("mdfe", mdfe()),
    ] {
        let draft = made(app, &format!("/api/v1/{path}/criar"), &body).await;
        drafts.push(draft.text_at("/nota_id").to_owned());
    }
    let order = json!({ "cnpj": CNPJ, "ambiente": "producao", "uf": "MG", "quantidade": 1, "valor_centavos": 12_345 });
    let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
    let received = app
        .app
        .simulator
        .sim
        .deposit(&order)
        .expect("deposit")
        .remove(0);
    made(app, "/api/v1/nfe-entrada/consultar", &json!({})).await;
    let person = json!({ "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "papeis": ["destinatario"] });
    let person = made(app, "/api/v1/pessoas", &person).await;
    let object = app.http().put(format!(
        "{}/api/v1/storage/objetos/pasta/um.txt",
        app.base_url
    ));
    let object = app.send(object.bearer_auth(&app.live_key).body("um")).await;
    assert_eq!(object.status, 201, "{}", object.text);
    let delivery = made(
        app,
        &format!("/api/v1/webhooks/{webhook}/testar"),
        &json!({}),
    )
    .await;
    let delivery = delivery.text_at("/id").to_owned();
    let told = made_get(app, &format!("/api/v1/webhooks/entregas/{delivery}")).await;
    let purchase = made(
        app,
        "/api/v1/creditos/compras",
        &json!({ "valor": 300.0, "meio": "pix" }),
    )
    .await;
    let chave = made(
        app,
        "/api/v1/chaves",
        &json!({ "nome": "Loja", "tipo": "producao" }),
    )
    .await;
    let export = made(
        app,
        "/api/v1/documentos/exportar",
        &json!({ "de": day, "ate": day, "conteudo": ["xml"] }),
    )
    .await;
    let event = json!({ "leiaute": "1.2.0", "tipo": "D-1199", "periodo": "2026-10", "dados": {} });
    let free = made(app, "/api/v1/dere/eventos", &event).await;
    let taken = made(app, "/api/v1/dere/eventos", &event).await;
    let batch = json!({ "eventos": [taken.text_at("/evento_id")] });
    let batch = made(app, "/api/v1/dere/lotes", &batch).await;
    World {
        dere: [
            free.text_at("/evento_id").to_owned(),
            batch.text_at("/lote_id").to_owned(),
        ],
        emitter,
        nfe: products,
        nfce: consumer.text_at("/nota_id").to_owned(),
        nfse: (
            service.text_at("/nota_id").to_owned(),
            service.text_at("/chave").to_owned(),
        ),
        drafts: drafts.try_into().expect("five drafts"),
        cte: cte_of,
        mdfe: mdfe_of,
        received,
        econf: econf.text_at("/evento/protocolo").to_owned(),
        person: person.text_at("/id").to_owned(),
        webhook,
        evento: told.text_at("/evento_id").to_owned(),
        delivery,
        purchase: purchase.text_at("/compra_id").to_owned(),
        chave: chave.text_at("/id").to_owned(),
        export: export.text_at("/exportacao_id").to_owned(),
        request: service.text_at("/request_id").to_owned(),
    }
}

async fn made_get(app: &TestApp, path: &str) -> tests::Answer {
    let answer = app.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer
}

fn nota_day(app: &TestApp) -> String {
    base::when::today(app.app.now_ms(), "SP").to_string()
}

/// How an operation names something of the account: what takes the place of
/// the parameter of its path, and bodies. Empty: nobody said how.
fn named(world: &World, operation: &str, app: &TestApp) -> Vec<(String, Option<Value>)> {
    let [nfe_draft, nfce_draft, nfse_draft, cte_draft, mdfe_draft] = &world.drafts;
    let (first, key) = (&world.nfe[0].0, &world.nfe[0].1);
    let (second, second_key) = (&world.nfe[1].0, &world.nfe[1].1);
    let at = |id: &str| vec![(id.to_owned(), None)];
    let body = |body: Value| vec![(String::new(), Some(body))];
    let told = |id: &str, value: Value| vec![(id.to_owned(), Some(value))];
    let either = |value: &dyn Fn(&str) -> Value, id: &str, chave: &str| {
        vec![
            (String::new(), Some(value(id))),
            (String::new(), Some(value(chave))),
        ]
    };
    let mine = |note: Value| body(with(note, "/emitente_id", world.emitter.as_str()));
    let cancel = |id: &str| json!({ "ref": id, "justificativa": REASON });
    let range = |serie: i64| json!({ "emitente_id": world.emitter, "ano": 26, "serie": serie, "numero_inicial": 900, "numero_final": 901, "justificativa": REASON });
    match operation {
        "nfe.create" | "nfe.criar" => mine(nfe()),
        "nfce.create" | "nfce.criar" => mine(nfce()),
        "nfse.create" | "nfse.criar" => mine(nfse()),
        "nfse.substituir" => {
            let old = json!({ "chave": world.nfse.1, "motivo": "99", "justificativa": REASON });
            mine(with(nfse(), "/substitui", old))
        }
        "nfse.roteamento" => body(json!({ "emitente_id": world.emitter })),
        "pix.brcode" => body(
            json!({ "emitente_id": world.emitter, "valor": 1, "chave": "+5511987654321", "nome": "X", "cidade": "Y" }),
        ),
        "cte.criar" | "cte.criar-e-emitir" => mine(cte()),
        "cte.epec" => mine(with(cte(), "/justificativa", "SEFAZ de origem fora do ar")),
        "mdfe.criar" | "mdfe.criar-e-emitir" => mine(mdfe()),
        "cte.emitir" => body(json!({ "nota_id": cte_draft })),
        "mdfe.emitir" => body(json!({ "nota_id": mdfe_draft })),
        "cte.cancelar" => either(&cancel, &world.cte.0, &world.cte.1),
        "mdfe.cancelar" => either(&cancel, &world.mdfe.0, &world.mdfe.1),
        "cte.cce" => either(
            &|id| json!({ "ref": id, "correcoes": [{ "grupo": "infCarga", "campo": "proPred", "valor": "Cafe" }] }),
            &world.cte.0,
            &world.cte.1,
        ),
        "cte.status" => either(&|id| json!({ "ref": id }), &world.cte.0, &world.cte.1),
        "mdfe.status" => either(&|id| json!({ "ref": id }), &world.mdfe.0, &world.mdfe.1),
        "cte.xml" | "cte.dacte" => [at(&world.cte.0), at(&world.cte.1), at(cte_draft)].concat(),
        "mdfe.documento" => [at(&world.mdfe.0), at(&world.mdfe.1), at(mdfe_draft)].concat(),
        "mdfe.encerrar" => {
            body(json!({ "ref": world.mdfe.0, "uf": "PR", "codigo_ibge": "4106902" }))
        }
        "mdfe.incluir-condutor" => {
            body(json!({ "ref": world.mdfe.0, "nome": "Outro Motorista", "cpf": "11144477735" }))
        }
        "mdfe.incluir-dfe" => body(json!({
            "ref": world.mdfe.0, "codigo_ibge_carregamento": BELO_HORIZONTE, "codigo_ibge_descarga": "4106902", "chaves": [key]
        })),
        "mdfe.nao-encerrados" => body(json!({ "emitente_id": world.emitter })),
        "nfe.emitir" => body(json!({ "nota_id": nfe_draft })),
        "nfce.emitir" => body(json!({ "nota_id": nfce_draft })),
        "nfse.emitir" => body(json!({ "nota_id": nfse_draft })),
        "nfe.cancelar" => either(&cancel, second, second_key),
        "nfce.cancelar" => body(cancel(&world.nfce)),
        "nfse.cancelar" => either(
            &|id| json!({ "ref": id, "codigo_motivo": "outros", "justificativa": REASON }),
            &world.nfse.0,
            &world.nfse.1,
        ),
        "nfe.cce" => either(
            &|id| json!({ "ref": id, "correcao": "Onde se lê volume 1, leia-se volume 2" }),
            first,
            key,
        ),
        "nfe.inutilizar" | "nfce.inutilizar" => body(range(7)),
        "nfe.status" => either(&|id| json!({ "ref": id }), first, key),
        "nfce.status" => body(json!({ "ref": world.nfce })),
        "nfse.status" => either(&|id| json!({ "ref": id }), &world.nfse.0, &world.nfse.1),
        "nfe.vinculos" => {
            body(json!({ "ref": first, "chave_origem": second_key, "tipo": "devolucao" }))
        }
        "nfe.econf" => body(
            json!({ "ref": first, "pagamentos": [{ "forma": "pix", "valor": 1.0, "data": nota_day(app) }] }),
        ),
        "nfe.econf.desfazer" => body(json!({ "ref": first, "protocolo": world.econf })),
        "nfe.eventos-reforma.post" | "reforma.eventos.pre-validar" => {
            body(json!({ "ref": first, "tipo_evento": "112110", "dados": {} }))
        }
        "nfe.eventos-reforma.cancelar" => body(json!({ "ref": first, "protocolo": world.econf })),
        "nfe.vinculos.get" | "nfe.econf.get" | "nfe.eventos-reforma" | "nfe.split-payment" => {
            [at(first), at(key)].concat()
        }
        "documentos.danfe" | "documentos.xml" | "documentos.historico" | "documentos.get" => {
            [at(first), at(key), at(&world.nfse.0), at(&world.nfse.1)].concat()
        }
        "nfse.documento" => [at(&world.nfse.0), at(&world.nfse.1)].concat(),
        "nfce.janela-cancelamento" => at(&world.nfce),
        "documentos.delete" => at(nfse_draft),
        "documentos.email" => [first, &world.nfse.1]
            .map(|id| {
                (
                    id.clone(),
                    Some(json!({ "para": ["cliente@empresa.example"] })),
                )
            })
            .to_vec(),
        "documentos.exportar" => body(
            json!({ "de": nota_day(app), "ate": nota_day(app), "conteudo": ["xml"], "emitente_id": world.emitter }),
        ),
        "documentos.exportacoes.get" => at(&world.export),
        "empresa.ie" => body(json!({ "uf": "MG", "cnpj": CNPJ, "emitente_id": world.emitter })),
        "nfe-entrada.consultar" => body(json!({ "emitente_id": world.emitter })),
        "nfe-entrada.manifestar" => body(json!({ "chave": world.received, "tipo": "ciencia" })),
        "nfe-entrada.get" => at(&world.received),
        "emitters.get" | "emitters.certificado" => at(&world.emitter),
        "emitters.certificado.put" => {
            told(&world.emitter, emitter_in(app, CNPJ)["certificado"].clone())
        }
        "emitters.fiscal-profile" => told(&world.emitter, profile(BELO_HORIZONTE)),
        "emitters.update" => told(&world.emitter, json!({ "apelido": "Minha" })),
        "emitters.delete" => at(&world.emitter),
        "pessoas.create" => body(
            json!({ "cpf_cnpj": "12345678000195", "nome": "Cliente", "papeis": ["tomador"], "emitente_id": world.emitter }),
        ),
        "pessoas.get" => at(&world.person),
        "pessoas.update" => told(&world.person, json!({ "nome": "Outro nome" })),
        "pessoas.enderecos" => {
            let address = json!({ "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "9", "bairro": "Centro", "codigo_ibge": BELO_HORIZONTE, "uf": "MG" });
            told(&world.person, address)
        }
        "pessoas.telefones" => told(
            &world.person,
            json!({ "numero": "3133334444", "tipo": "fixo" }),
        ),
        "dere.eventos" => body(
            json!({ "emitente_id": world.emitter, "leiaute": "1.2.0", "tipo": "D-1199", "periodo": "2026-10", "dados": {} }),
        ),
        "dere.lotes" => body(json!({ "eventos": [world.dere[0]] })),
        "dere.lotes.get" | "dere.lotes.revalidar" => at(&world.dere[1]),
        "usage.chamadas.get" => at(&world.request),
        "storage.objetos.get" | "storage.objetos.delete" => at("pasta/um.txt"),
        "webhooks.get" | "webhooks.testar" | "webhooks.rotacionar-segredo" | "webhooks.delete" => {
            at(&world.webhook)
        }
        "webhooks.update" => told(&world.webhook, json!({ "descricao": "Minha" })),
        "webhooks.entregas.get" | "webhooks.entregas.reenviar" => at(&world.delivery),
        "webhooks.entregas.reenviar.post" => body(json!({ "webhook_id": world.webhook })),
        "eventos.get" => at(&world.evento),
        "creditos.compras.get" => at(&world.purchase),
        "creditos.compras.reembolso" => told(&world.purchase, json!({ "motivo": "Desistência" })),
        "chaves.rotacionar" | "chaves.delete" => at(&world.chave),
        _ => Vec::new(),
    }
}

fn address(row: &Operation, id: &str) -> String {
    match (row.path.find('{'), row.path.find('}')) {
        (Some(from), Some(to)) => format!("{}{id}{}", &row.path[..from], &row.path[to + 1..]),
        _ => row.path.clone(),
    }
}

both! {
    async fn another_accounts_ids_are_not_found(app: TestApp) {
        let world = world(&app).await;
        let other = stranger(&app).await;
        app.emitter_of(&other.id, &cnpj("11444777"), BELO_HORIZONTE).await;
        app.release(&other.id).await;
        let missing: Vec<&str> = api::missing().iter().map(|row| row.operation.as_str()).collect();
        // Deletions last, and the company's at the very end.
        let mut rows: Vec<&Operation> = operations::all()
            .iter()
            .filter(|row| row.auth == "key" && !missing.contains(&row.operation.as_str()) && !NAMELESS.contains(&row.operation.as_str()))
            .collect();
        rows.sort_by_key(|row| (row.operation == "emitters.delete", row.method == "DELETE"));
        let before = app.balance().await;
        for key in [&other.live_key, &other.test_key] {
            for path in LISTS {
                let answer = ask_as(&app, key, Method::GET, path, None).await;
                assert_eq!(answer.status, 200, "{path}: {}", answer.text);
                let words = [CNPJ, &app.account_id, &world.emitter, &world.nfe[0].0, &world.nfse.0, &world.person, &world.webhook, &world.chave, "um.txt"];
                for word in words {
                    assert!(!answer.text.contains(word), "{path}: {}", answer.text);
                }
            }
        }
        let mut wrong = Vec::new();
        for row in &rows {
            let asks = named(&world, &row.operation, &app);
            assert!(!asks.is_empty(), "{}: can it name what another account has?", row.operation);
            for (id, body) in &asks {
                for key in [&other.live_key, &other.test_key] {
                    let method: Method = row.method.parse().expect("a method");
                    let answer = ask_as(&app, key, method, &address(row, id), body.as_ref()).await;
                    // Credits are not for test keys, whosever they are.
                    if key == &other.test_key && answer.summary() == "403 chave_de_teste" {
                        continue;
                    }
                    if answer.summary() != "404 nao_encontrado" {
                        wrong.push(format!("{} {id}: {}", row.operation, answer.text));
                        continue;
                    }
                    assert_refusal(&answer, "404 nao_encontrado");
                    for word in [CNPJ, &app.account_id] {
                        assert!(!answer.text.contains(word), "{}: {}", row.operation, answer.text);
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(app.balance().await, before, "a stranger spends nothing of the owner's");
        app.check_invariants().await;

        for row in &rows {
            for (id, body) in named(&world, &row.operation, &app) {
                let method: Method = row.method.parse().expect("a method");
                let answer = ask(&app, method, &address(row, &id), body.as_ref()).await;
                // A field that is wrong was read after what it belongs to was found.
                let not_found = answer.status == 404 && answer.body["campos"][0].is_null();
                if not_found || matches!(answer.status, 400 | 405 | 415 | 500) {
                    wrong.push(format!("{} {id}: {}", row.operation, answer.text));
                }
            }
        }
        assert!(wrong.is_empty(), "the owner: {wrong:#?}");
        app.check_invariants().await;
    }
}

both! {
    async fn an_id_within_a_body_is_answered_as_one_nobody_has(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let person = json!({ "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "papeis": ["destinatario"] });
        let person = made(&app, "/api/v1/pessoas", &person).await;
        let emitter = made_get(&app, "/api/v1/emitters").await;
        let other = stranger(&app).await;
        app.emitter_of(&other.id, &cnpj("11444777"), BELO_HORIZONTE).await;
        let known = |note: Value, member: &str, id: &str| with(note, member, json!({ "pessoa_id": id }));
        let received = |id: &str| {
            let ibs_cbs = json!({ "cst": "000", "cclass_trib": "000001", "codigo_indicador_operacao": "100301" });
            with(with(nfse(), "/ibs_cbs", ibs_cbs), "/ibs_cbs/destinatario", json!({ "pessoa_id": id }))
        };
        let webhook = |id: &str| json!({ "url": "http://127.0.0.1:9/x", "eventos": ["*"], "emitente_ids": [id] });
        let (person, emitter) = (person.text_at("/id"), emitter.text_at("/itens/0/id"));
        let nobody = |id: &str| format!("{}_01ARZ3NDEKTSV4RRFFQ69G5FAV", &id[..3]);
        for (path, theirs, unknown) in [
            ("/api/v1/nfe", known(nfe(), "/destinatario", person), known(nfe(), "/destinatario", &nobody(person))),
            ("/api/v1/nfse", known(nfse(), "/tomador", person), known(nfse(), "/tomador", &nobody(person))),
            ("/api/v1/nfse", received(person), received(&nobody(person))),
            ("/api/v1/webhooks", webhook(emitter), webhook(&nobody(emitter))),
        ] {
            let mut answers = Vec::new();
            for body in [theirs, unknown] {
                let answer = ask_as(&app, &other.live_key, Method::POST, path, Some(&body)).await;
                assert!((400..500).contains(&answer.status), "{path}: {}", answer.text);
                answers.push((answer.summary(), answer.body["campos"].clone()));
            }
            assert_eq!(answers[0], answers[1], "{path}");
            assert!(answers[0].1[0]["campo"].is_string(), "{path}: {answers:?}");
        }
    }
}

both! {
    async fn the_same_company_may_be_a_customer_of_both(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let other = stranger(&app).await;
        let same = ask_as(&app, &other.live_key, Method::POST, "/api/v1/emitters", Some(&emitter_in(&app, CNPJ))).await;
        assert_eq!(same.status, 201, "{}", same.text);
        let path = format!("/api/v1/emitters/{}/fiscal-profile", same.text_at("/id"));
        ask_as(&app, &other.live_key, Method::PUT, &path, Some(&profile(BELO_HORIZONTE))).await;
        let replacement = json!({ "chave": note.text_at("/chave"), "motivo": "99", "justificativa": "Nota de outra conta, não minha." });
        let body = with(nfse(), "/substitui", replacement);
        let replaced = ask_as(&app, &other.live_key, Method::POST, "/api/v1/nfse/substituir", Some(&body)).await;
        assert_refusal(&replaced, "422 validacao_previa");
        app.check_invariants().await;
    }
}
