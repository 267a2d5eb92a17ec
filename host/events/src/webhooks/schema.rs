//! Events as JSON Schema, for the document: what `envelope` and `catalogue`
//! make. Tests hold examples and real deliveries against it.

use super::catalogue::{Exemplo, TIPOS, Tipo};
use crate::attempt::envelope::framed;
use serde_json::{Map, Value, json};
use store::tables::outbox::OutboxRow;

/// 2026-10-05T13:15:03Z.
const EXAMPLE_MS: i64 = 1_791_206_103_000;
const EXAMPLE_EMITTER: &str = "emi_01JTESTE00000000000000000A";

impl Tipo {
    /// Name of the schema: kinds that tell the same members share one.
    pub fn schema_name(&self) -> &'static str {
        match self.exemplo {
            Exemplo::Nota { .. } => "Evento_nota",
            Exemplo::Faixa => "Evento_faixa",
            Exemplo::Recebida => "Evento_recebida",
            Exemplo::Certificado => "Evento_certificado",
            Exemplo::Saldo => "Evento_saldo",
            Exemplo::Lacuna => "Evento_lacuna",
            Exemplo::Cobertura => "Evento_cobertura",
        }
    }

    /// The whole event, frame included.
    pub fn schema(&self) -> Value {
        let name = self.schema_name();
        let alike = TIPOS.iter().filter(|tipo| tipo.schema_name() == name);
        let tipos: Vec<&str> = alike.map(|tipo| tipo.nome).collect();
        object([
            (
                "id",
                text("O mesmo de X-Webhook-Id, em toda tentativa: despreze um repetido."),
            ),
            ("tipo", json!({ "type": "string", "enum": tipos })),
            ("versao", json!({ "type": "string", "const": "1" })),
            ("criado_em", moment("Quando aconteceu.")),
            (
                "ambiente",
                text_or_null("Ambiente a que se refere; null se a nenhum."),
            ),
            (
                "teste",
                boolean("true: um exemplo, pedido por POST /api/v1/webhooks/{id}/testar."),
            ),
            ("conta_id", text("A conta.")),
            (
                "emitente_id",
                text_or_null("O emitente; null se o evento é da conta toda, e em um teste."),
            ),
            (
                "sequencia",
                json!({
                    "type": ["integer", "null"],
                    "description": "Lugar na ordem da conta: as entregas podem chegar fora dela. null em um teste.",
                }),
            ),
            ("dados", self.dados()),
        ])
    }

    /// An event of this kind as it is delivered.
    pub fn example(&self, base_url: &str) -> Value {
        let (emitter, ambiente) = match self.exemplo {
            Exemplo::Saldo => ("", ""),
            Exemplo::Cobertura => (EXAMPLE_EMITTER, ""),
            _ => (EXAMPLE_EMITTER, "producao"),
        };
        let event = OutboxRow {
            id: "evt_01JTESTE00000000000000000A".to_owned(),
            account_id: "con_01JTESTE00000000000000000A".to_owned(),
            tipo: self.nome.to_owned(),
            created_at_ms: EXAMPLE_MS,
            emitter_id: emitter.to_owned(),
            ambiente: ambiente.to_owned(),
            sequencia: 88_121,
            ..OutboxRow::default()
        };
        framed(&event, self.exemplo(), base_url)
    }

    fn dados(&self) -> Value {
        match self.exemplo {
            Exemplo::Nota { .. } => nota(),
            Exemplo::Faixa => faixa(),
            Exemplo::Recebida => recebida(),
            Exemplo::Certificado => object([
                ("emitente_id", text("O emitente.")),
                ("cnpj", text("O CNPJ do certificado.")),
                ("valido_ate", moment("Quando vence.")),
                ("dias_restantes", integer("Dias que restam; 0: venceu.")),
            ]),
            Exemplo::Saldo => object([
                ("saldo", integer("Créditos que restam.")),
                ("limiar", integer("O limiar alcançado.")),
            ]),
            Exemplo::Lacuna => object([
                ("emitente_id", text("O emitente.")),
                ("ambiente", text("Ambiente da série.")),
                ("modelo", text("55 ou 65.")),
                ("serie", text("A série.")),
                ("numero_inicial", integer("O primeiro sem nota.")),
                ("numero_final", integer("O último sem nota.")),
                ("livre_desde", moment("Desde quando.")),
                (
                    "inutilizar_ate",
                    text("O prazo para inutilizar, AAAA-MM-DD."),
                ),
            ]),
            Exemplo::Cobertura => object([
                ("emitente_id", text("O emitente.")),
                ("antes", cobertura("Como o município emitia.")),
                ("agora", cobertura("Como o município emite.")),
            ]),
        }
    }
}

fn nota() -> Value {
    let mut rejeicao = object([
        ("origem", text("Quem recusou.")),
        ("codigo", text("O código da autoridade.")),
        ("motivo", text("O texto da autoridade.")),
        ("correcao", text("O que fazer; pode ser vazio.")),
    ]);
    rejeicao["type"] = json!(["object", "null"]);
    rejeicao["description"] = "O que a autoridade disse, se recusou.".into();
    let serie = json!({
        "type": ["integer", "string"],
        "description": "Na NF-e e na NFC-e um número, na NFS-e um texto.",
    });
    object([
        ("nota_id", text("O id da nota.")),
        ("referencia", text_or_null("A referencia dada na emissão.")),
        (
            "chave",
            text_or_null("Chave de acesso; null enquanto não há."),
        ),
        (
            "status",
            text("O estado da nota quando o evento aconteceu."),
        ),
        ("serie", serie),
        (
            "numero",
            integer("Número da nota; na NFS-e, o do RPS ou da DPS."),
        ),
        (
            "numero_nfse",
            text_or_null("Número da NFS-e; null enquanto não há e nos outros modelos."),
        ),
        (
            "protocolo",
            text_or_null("Protocolo da autoridade; null enquanto não há."),
        ),
        ("valor_total", decimal("Valor da nota.")),
        ("rejeicao", rejeicao),
        (
            "creditos",
            object([("debitado", integer("Créditos que a nota custou."))]),
        ),
        ("simulada", boolean("true: a autoridade é simulada.")),
        ("links", links()),
    ])
}

/// Each model has one of the two prints.
fn links() -> Value {
    let mut links = object([
        ("documento", text("O registro da nota.")),
        ("xml", text("O XML.")),
        ("danfe", text("O DANFE, da NF-e e da NFC-e.")),
        ("pdf", text("O PDF da NFS-e.")),
    ]);
    links["required"] = json!(["documento", "xml"]);
    links
}

fn faixa() -> Value {
    let faixa = object([
        ("modelo", text("55 ou 65.")),
        ("ano", integer("Dois algarismos.")),
        ("serie", integer("A série.")),
        ("numero_inicial", integer("O primeiro.")),
        ("numero_final", integer("O último.")),
        ("justificativa", text("A justificativa enviada.")),
    ]);
    object([
        ("evento_id", text("O id da inutilização.")),
        ("faixa", faixa),
        ("protocolo", text("Protocolo da autoridade.")),
    ])
}

fn recebida() -> Value {
    let emitente = object([
        ("cpf_cnpj", text_or_null("CPF ou CNPJ.")),
        ("nome", text_or_null("Nome ou razão social.")),
    ]);
    object([
        ("recebida_id", text("O id da nota recebida.")),
        (
            "emitente_id",
            text("O emitente desta conta contra quem a nota foi emitida."),
        ),
        ("ambiente", text("Ambiente da nota.")),
        ("simulada", boolean("true: a autoridade é simulada.")),
        ("chave", text("Chave de acesso.")),
        ("nsu", integer("O NSU da distribuição.")),
        ("completa", boolean("false: só o resumo chegou.")),
        ("situacao", text("autorizada, denegada ou cancelada.")),
        ("emitente", emitente),
        ("valor", decimal("Valor da nota.")),
        ("emitida_em", text_or_null("Quando foi emitida.")),
        ("protocolo", text_or_null("Protocolo da autoridade.")),
        (
            "manifestacao",
            text_or_null("A última manifestação registrada pelo hub."),
        ),
        ("recebida_em", moment("Quando o hub a recebeu.")),
        (
            "links",
            object([(
                "recebida",
                text("O registro da nota, relativo a este endereço da API."),
            )]),
        ),
    ])
}

fn cobertura(about: &str) -> Value {
    let mut made = object([
        ("codigo_ibge", text("O município.")),
        ("cidade", text("O seu nome.")),
        ("uf", text("A sua UF.")),
        ("regime", text("O regime do emitente.")),
        ("resposta", text("A resposta em palavras.")),
        ("resposta_codigo", text("A mesma como código.")),
        ("via", text_or_null("nacional ou municipal.")),
        ("provedor", text_or_null("O sistema do município.")),
    ]);
    made["description"] = about.into();
    made
}

/// All members are always there, if only as null.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = members
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    json!({ "type": "object", "required": names, "properties": properties })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn text_or_null(about: &str) -> Value {
    json!({ "type": ["string", "null"], "description": about })
}

fn moment(about: &str) -> Value {
    json!({ "type": "string", "format": "date-time", "description": about })
}

fn integer(about: &str) -> Value {
    json!({ "type": "integer", "description": about })
}

fn decimal(about: &str) -> Value {
    json!({ "type": ["number", "null"], "description": about })
}

fn boolean(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}
