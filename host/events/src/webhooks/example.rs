//! Examples of events, with numbers of nobody: shown in the document, and sent
//! by "test this webhook".

use super::catalogue::{Example, Kind};
use crate::attempt::envelope::{Evento, KeptData};
use crate::attempt::payload::{
    BalanceEvent, CertificadoEvento, CoberturaEvento, CreditosDoEvento, Data, EventRejection,
    GapEvent, MunicipalityCoverage, NotaEvento, RangeEvent, ReceivedIssuer, ReceivedLinks,
    ReceivedNotaEvent, SerieDoEvento, VoidedRange,
};
use serde_json::json;
use store::ids::EmitterId;
use store::tables::outbox::{self, OutboxRow};
use store::words::{Ambiente, Maybe};

/// 2026-10-05T13:15:03Z.
const MOMENT_MS: i64 = 1_791_206_103_000;
const EMITTER: &str = "emi_01JTESTE00000000000000000A";
const CHAVE: &str = "35261011222333000181550010000015231000015235";

impl Kind {
    /// What an event of this kind writes.
    pub fn sample(&self) -> Data {
        match self.example {
            Example::Nota { prefix, status } => Data::Nota(self.nota(prefix, status)),
            Example::Range => Data::Faixa(range()),
            Example::ReceivedNota => Data::Recebida(received()),
            Example::Certificado => Data::Certificado(CertificadoEvento {
                emitente_id: EMITTER.into(),
                cnpj: "11222333000181".to_owned(),
                valido_ate: "2026-12-20T12:00:00Z".to_owned(),
                dias_restantes: 30,
            }),
            Example::Balance => Data::Saldo(BalanceEvent {
                saldo: 480,
                limiar: 500,
            }),
            Example::Gap => Data::Lacuna(GapEvent {
                emitente_id: EMITTER.into(),
                ambiente: "producao".to_owned(),
                modelo: "55".to_owned(),
                serie: "1".to_owned(),
                numero_inicial: 10,
                numero_final: 12,
                livre_desde: "2026-11-20T12:00:00Z".to_owned(),
                inutilizar_ate: "2026-12-10".to_owned(),
            }),
            Example::Cobertura => Data::Cobertura(CoberturaEvento {
                emitente_id: EMITTER.into(),
                antes: cobertura("não", "nao", None),
                agora: cobertura("sim", "sim", Some("municipal")),
            }),
        }
    }

    /// The same as a receiver sees it, from a hub at this address.
    pub fn example_data(&self, base_url: &str) -> KeptData {
        KeptData::of(json!(self.sample()), base_url)
    }

    /// An event of this kind as it is delivered.
    pub fn example(&self, base_url: &str) -> Evento {
        let (emitter, ambiente) = match self.example {
            Example::Balance => (Maybe(None), None),
            Example::Cobertura => (EmitterId::from(EMITTER).into(), None),
            _ => (EmitterId::from(EMITTER).into(), Some(Ambiente::Production)),
        };
        let event = OutboxRow {
            id: "evt_01JTESTE00000000000000000A".into(),
            account_id: "con_01JTESTE00000000000000000A".into(),
            tipo: self.name.to_owned(),
            created_at_ms: MOMENT_MS,
            emitter_id: emitter,
            ambiente: Maybe(ambiente),
            sequencia: 88_121,
            ..OutboxRow::default()
        };
        Evento::framed(&event, self.example_data(base_url))
    }

    fn nota(&self, prefix: &str, status: &str) -> NotaEvento {
        let authorized = matches!(status, "autorizada" | "cancelada");
        let paid = outbox::is_authorization(self.name);
        let service = prefix == "nfse";
        let rejection = EventRejection {
            origem: "sefaz".to_owned(),
            codigo: "778".to_owned(),
            motivo: "Rejeição: Informado NCM inexistente".to_owned(),
            correcao: "Corrija o NCM do item.".to_owned(),
        };
        NotaEvento {
            id: None,
            nota_id: format!("{prefix}_01JTESTE00000000000000000A").into(),
            referencia: Some("pedido-8812".to_owned()),
            chave: authorized.then(|| CHAVE.to_owned()),
            status: status.to_owned(),
            serie: if service {
                SerieDoEvento::Texto("1".to_owned())
            } else {
                SerieDoEvento::Numero(1)
            },
            numero: 1_523,
            numero_nfse: service.then(|| "1523".to_owned()),
            protocolo: authorized.then(|| "135260000000001".to_owned()),
            valor_total: Some(37.80),
            rejeicao: Some(rejection).filter(|_| status == "rejeitada"),
            creditos: CreditosDoEvento {
                debitado: if paid { 4 } else { 0 },
            },
            simulada: true,
            links: None,
        }
    }
}

fn range() -> RangeEvent {
    RangeEvent {
        id: None,
        evento_id: "eve_01JTESTE00000000000000000A".into(),
        faixa: VoidedRange {
            modelo: "55".to_owned(),
            ano: 26,
            serie: 1,
            numero_inicial: 10,
            numero_final: 12,
            justificativa: "Salto de numeração por falha do sistema".to_owned(),
        },
        protocolo: "135260000000002".to_owned(),
    }
}

fn received() -> ReceivedNotaEvent {
    ReceivedNotaEvent {
        id: None,
        recebida_id: "rec_01JTESTE00000000000000000A".into(),
        emitente_id: EMITTER.into(),
        ambiente: "producao".to_owned(),
        simulada: true,
        chave: CHAVE.to_owned(),
        nsu: 123,
        completa: true,
        situacao: "autorizada".to_owned(),
        emitente: ReceivedIssuer {
            cpf_cnpj: Some("11222333000181".to_owned()),
            nome: Some("Fornecedor Exemplo Ltda".to_owned()),
        },
        valor: Some(100.00),
        emitida_em: Some("2026-10-05T10:15:03-03:00".to_owned()),
        protocolo: Some("135260000000003".to_owned()),
        manifestacao: None,
        recebida_em: "2026-10-05T13:20:00Z".to_owned(),
        links: ReceivedLinks {
            recebida: format!("/api/v1/nfe-entrada/{CHAVE}?emitente_id={EMITTER}"),
        },
    }
}

fn cobertura(answer: &str, codigo: &str, via: Option<&str>) -> MunicipalityCoverage {
    MunicipalityCoverage {
        codigo_ibge: "3550308".to_owned(),
        cidade: "São Paulo".to_owned(),
        uf: "SP".to_owned(),
        regime: "normal".to_owned(),
        resposta: answer.to_owned(),
        resposta_codigo: codigo.to_owned(),
        via: via.map(str::to_owned),
        provedor: Some("Paulistana".to_owned()),
        fora_do_ar_desde: None,
    }
}
