//! Events of the consumption tax reform (NT 2025.002).
//!
//! All go to SVRS, whatever the state (NT 2025.002 v1.20, second-hand). The
//! schema fixes `tpAutor` of each. 211110: the schema of v1.40 says the issuer
//! (1) where earlier versions had the addressee (2); followed as written.

use crate::nfe::event::fields::{
    ITEM_NUMBER, PERCENT, QUANTITY, UNIT, VALUE, codigo, field, group, list, option, optional, text,
};
use crate::nfe::event::kind::{Author, BASE, EventField, Formato, Head, Kind, Receiver};

/// How much, with the unit.
macro_rules! stock_of {
    ($quantity:literal, $unit:literal) => {
        group(
            "gControleEstoque",
            "estoque",
            "Estoque",
            "Quantidade de que se fala.",
            &[quantity($quantity), unit($unit)],
        )
    };
}

pub(super) const EVENTOS: [Kind; 17] = [
    Kind {
        codigo: "110001",
        nome: "Cancelamento de evento",
        descricao: "Cancelamento de Evento",
        explicacao: "Desfaz um evento da reforma registrado por engano. Só quem o registrou pode cancelá-lo.",
        autores: &[
            Author::Emitente,
            Author::Destinatario,
            Author::Sucessora,
            Author::Fisco,
        ],
        sequencia_maxima: 99,
        campos: &[
            field(
                "tpEventoAut",
                "tipo_evento",
                option(CANCELLABLE),
                "Evento a cancelar",
                "Código do evento que será desfeito.",
            ),
            field(
                "nProtEvento",
                "protocolo_evento",
                Formato::Protocolo,
                "Protocolo do evento",
                "Protocolo do evento que será desfeito.",
            ),
        ],
        cabeca: Head::Agency,
        ..REFORMA
    },
    Kind {
        codigo: "112110",
        nome: "Pagamento integral para liberar crédito presumido do adquirente",
        descricao: "Informação de efetivo pagamento integral para liberar crédito presumido do adquirente",
        explicacao: "O emitente declara que a nota foi paga por inteiro, o que libera ao comprador o crédito presumido.",
        campos: &[field(
            "indQuitacao",
            "quitacao",
            option(&[codigo("1", "sim", "Nota paga integralmente")]),
            "Quitação",
            "Confirma o pagamento integral; só existe a resposta 1.",
        )],
        ..REFORMA
    },
    Kind {
        codigo: "112120",
        nome: "Importação em ALC/ZFM não convertida em isenção",
        descricao: "Importação em ALC/ZFM não convertida em isenção",
        explicacao: "O importador de área de livre comércio ou da Zona Franca informa quanto não cumpriu os \
                     requisitos da isenção.",
        campos: &[items(
            "gConsumo",
            &[
                ITEM_NUMBER,
                ibs("IBS da quantidade que não cumpriu os requisitos."),
                cbs("CBS da quantidade que não cumpriu os requisitos."),
                stock_of!("qtde", "unidade"),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "112130",
        nome: "Perecimento, perda, roubo ou furto no transporte contratado pelo fornecedor",
        descricao: "Perecimento, perda, roubo ou furto durante o transporte contratado pelo fornecedor",
        explicacao: "O fornecedor informa o que se perdeu no caminho, com o imposto da nota e o crédito a estornar.",
        campos: &[items(
            "gPerecimento",
            &[
                ITEM_NUMBER,
                ibs("IBS da nota sobre a quantidade perdida."),
                cbs("CBS da nota sobre a quantidade perdida."),
                group(
                    "gControleEstoque",
                    "estoque",
                    "Estoque",
                    "Quantidade perdida e créditos das compras a estornar.",
                    &[
                        quantity("qPerecimento"),
                        unit("uPerecimento"),
                        ibs("Crédito de IBS das aquisições a estornar."),
                        cbs("Crédito de CBS das aquisições a estornar."),
                    ],
                ),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "112140",
        nome: "Fornecimento não realizado com pagamento antecipado",
        descricao: "Fornecimento não realizado com pagamento antecipado",
        explicacao: "O fornecedor recebeu antes, debitou o imposto e não entregou: informa o que não foi fornecido.",
        campos: &[items(
            "gItemNaoFornecido",
            &[
                ITEM_NUMBER,
                ibs("IBS debitado sobre a quantidade não fornecida."),
                cbs("CBS debitada sobre a quantidade não fornecida."),
                stock_of!("qNaoFornecida", "uNaoFornecida"),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "112150",
        nome: "Atualização da data de previsão de entrega",
        descricao: "Atualização da Data de Previsão de Entrega",
        explicacao: "O fornecedor muda o dia em que o bem será entregue ou posto à disposição.",
        campos: &[field(
            "dPrevEntrega",
            "data_prevista",
            Formato::Data,
            "Nova data prevista",
            "Dia da entrega ou da disponibilização do bem.",
        )],
        ..REFORMA
    },
    Kind {
        codigo: "211110",
        nome: "Solicitação de apropriação de crédito presumido",
        descricao: "Solicitação de Apropriação de crédito presumido",
        explicacao: "Pede o crédito presumido das compras que dão direito a ele, item por item.",
        campos: &[items(
            "gCredPres",
            &[
                ITEM_NUMBER,
                field(
                    "vBC",
                    "base",
                    VALUE,
                    "Base",
                    "Base de cálculo do crédito no item.",
                ),
                optional(group(
                    "gIBS",
                    "ibs",
                    "Crédito de IBS",
                    "Crédito presumido de IBS do item.",
                    PRESUMED_CREDIT,
                )),
                optional(group(
                    "gCBS",
                    "cbs",
                    "Crédito de CBS",
                    "Crédito presumido de CBS do item.",
                    PRESUMED_CREDIT,
                )),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "211120",
        nome: "Destinação de item para consumo pessoal",
        descricao: "Destinação de item para consumo pessoal",
        explicacao: "Informava itens comprados que foram para uso pessoal, sem crédito. A NT 2025.002 v1.40 \
                     extinguiu o evento; fica no catálogo para leitura.",
        autores: &[Author::Destinatario, Author::Emitente],
        campos: &[items(
            "gConsumo",
            &[
                ITEM_NUMBER,
                ibs("IBS da quantidade de uso pessoal."),
                cbs("CBS da quantidade de uso pessoal."),
                stock_of!("qConsumo", "uConsumo"),
                group(
                    "DFeReferenciado",
                    "documento_referenciado",
                    "Documento da saída",
                    "Nota emitida para a saída de uso pessoal.",
                    &[
                        field(
                            "chaveAcesso",
                            "chave",
                            Formato::Chave,
                            "Chave",
                            "Chave da NF-e ou NFC-e da saída.",
                        ),
                        field(
                            "nItem",
                            "item",
                            Formato::Item,
                            "Item",
                            "Item do documento da saída.",
                        ),
                    ],
                ),
            ],
        )],
        envia: false,
        ..REFORMA
    },
    Kind {
        codigo: "211124",
        nome: "Perecimento, perda, roubo ou furto no transporte contratado pelo adquirente",
        descricao: "Perecimento, perda, roubo ou furto durante o transporte contratado pelo adquirente",
        explicacao: "O comprador, que contratou o frete, informa o que se perdeu no caminho.",
        autores: &[Author::Destinatario],
        campos: &[items(
            "gPerecimento",
            &[
                ITEM_NUMBER,
                ibs("IBS da nota de compra sobre a quantidade perdida."),
                cbs("CBS da nota de compra sobre a quantidade perdida."),
                stock_of!("qPerecimento", "uPerecimento"),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "211128",
        nome: "Aceite de débito na apuração por nota de crédito",
        descricao: "Aceite de débito na apuração por emissão de nota de crédito",
        explicacao: "O destinatário aceita ou recusa o débito que uma nota de crédito lança na sua apuração.",
        autores: &[Author::Destinatario],
        campos: &[ACCEPTANCE],
        ..REFORMA
    },
    Kind {
        codigo: "211130",
        nome: "Imobilização de item",
        descricao: "Imobilização de Item",
        explicacao: "O comprador informa o que entrou no seu ativo imobilizado, para o prazo do ressarcimento \
                     (LC 214/2025, art. 40, I).",
        autores: &[Author::Destinatario],
        campos: &[items(
            "gImobilizacao",
            &[
                ITEM_NUMBER,
                ibs("IBS da quantidade imobilizada."),
                cbs("CBS da quantidade imobilizada."),
                stock_of!("qImobilizado", "uImobilizado"),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "211140",
        nome: "Solicitação de apropriação de crédito de combustível",
        descricao: "Solicitação de Apropriação de Crédito de Combustível",
        explicacao: "Quem é da cadeia de combustíveis pede o crédito do que consumiu na própria atividade \
                     (LC 214/2025, art. 172).",
        autores: &[Author::Destinatario],
        campos: &[items(
            "gConsumoComb",
            &[
                ITEM_NUMBER,
                ibs("IBS do combustível consumido."),
                cbs("CBS do combustível consumido."),
                stock_of!("qComb", "uComb"),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "211150",
        nome: "Solicitação de crédito que depende de atividade do adquirente",
        descricao: "Solicitação de Apropriação de Crédito para bens e serviços que dependem de atividade do adquirente",
        explicacao: "O comprador pede o crédito que só existe conforme o uso que faz do bem ou serviço.",
        autores: &[Author::Destinatario],
        campos: &[items(
            "gCredito",
            &[
                ITEM_NUMBER,
                field(
                    "vCredIBS",
                    "valor_ibs",
                    VALUE,
                    "Crédito de IBS",
                    "Crédito de IBS pedido no item.",
                ),
                field(
                    "vCredCBS",
                    "valor_cbs",
                    VALUE,
                    "Crédito de CBS",
                    "Crédito de CBS pedido no item.",
                ),
            ],
        )],
        ..REFORMA
    },
    Kind {
        codigo: "212110",
        nome: "Manifestação sobre transferência de crédito de IBS na sucessão",
        descricao: "Manifestação sobre Pedido de Transferência de Crédito de IBS em Operação de Sucessão",
        explicacao: "Cada sucessora aceita ou recusa a transferência de créditos de IBS da empresa sucedida.",
        autores: &[Author::Sucessora],
        campos: &[ACCEPTANCE],
        ..REFORMA
    },
    Kind {
        codigo: "212120",
        nome: "Manifestação sobre transferência de crédito de CBS na sucessão",
        descricao: "Manifestação sobre Pedido de Transferência de Crédito de CBS em Operação de Sucessão",
        explicacao: "Cada sucessora aceita ou recusa a transferência de créditos de CBS da empresa sucedida.",
        autores: &[Author::Sucessora],
        campos: &[ACCEPTANCE],
        ..REFORMA
    },
    Kind {
        codigo: "412120",
        nome: "Manifestação do fisco sobre transferência de crédito de IBS na sucessão",
        descricao: "Manifestação do Fisco sobre Pedido de Transferência de Crédito de IBS em Operação de Sucessão",
        ..DECISION
    },
    Kind {
        codigo: "412130",
        nome: "Manifestação do fisco sobre transferência de crédito de CBS na sucessão",
        descricao: "Manifestação do Fisco sobre Pedido de Transferência de Crédito de CBS em Operação de Sucessão",
        ..DECISION
    },
];

const REFORMA: Kind = Kind {
    receptor: Receiver::Svrs,
    // Each event adds to the ones before; the layout has two digits.
    sequencia_maxima: 99,
    prazo: "sem prazo fixado",
    nota_tecnica: "2025.002",
    reforma: true,
    cabeca: Head::Complete,
    ..BASE
};

const DECISION: Kind = Kind {
    explicacao: "O fisco defere ou indefere a transferência de créditos entre sucessoras. Só se recebe.",
    autores: &[Author::Fisco],
    envia: false,
    campos: &[
        field(
            "indDeferimento",
            "deferido",
            option(&[
                codigo("0", "nao", "Indeferido"),
                codigo("1", "sim", "Deferido"),
            ]),
            "Deferimento",
            "Decisão do fisco.",
        ),
        field(
            "cMotivo",
            "codigo_motivo",
            option(&[
                codigo(
                    "1",
                    "falta_manifestacao",
                    "Nem todas as sucessoras se manifestaram",
                ),
                codigo("2", "outros", "Outros motivos"),
            ]),
            "Código do motivo",
            "Por que se decidiu assim.",
        ),
        field(
            "xMotivo",
            "motivo",
            text(1, 500),
            "Motivo",
            "Fundamento da decisão.",
        ),
    ],
    ..REFORMA
};

const CANCELLABLE: &[crate::nfe::event::kind::Codigo] = &[
    codigo("112110", "pagamento_integral", "Pagamento integral"),
    codigo("112120", "importacao_alc_zfm", "Importação em ALC/ZFM"),
    codigo(
        "112130",
        "perecimento_fornecedor",
        "Perda no transporte do fornecedor",
    ),
    codigo("112140", "nao_fornecido", "Fornecimento não realizado"),
    codigo("112150", "previsao_entrega", "Previsão de entrega"),
    codigo("211110", "credito_presumido", "Crédito presumido"),
    codigo("211120", "consumo_pessoal", "Consumo pessoal"),
    codigo(
        "211124",
        "perecimento_adquirente",
        "Perda no transporte do adquirente",
    ),
    codigo("211128", "aceite_debito", "Aceite de débito"),
    codigo("211130", "imobilizacao", "Imobilização"),
    codigo("211140", "credito_combustivel", "Crédito de combustível"),
    codigo(
        "211150",
        "credito_atividade",
        "Crédito por atividade do adquirente",
    ),
    codigo("212110", "sucessao_ibs", "Sucessão, IBS"),
    codigo("212120", "sucessao_cbs", "Sucessão, CBS"),
    codigo("412120", "fisco_sucessao_ibs", "Decisão do fisco, IBS"),
    codigo("412130", "fisco_sucessao_cbs", "Decisão do fisco, CBS"),
];

const ACCEPTANCE: EventField = field(
    "indAceitacao",
    "aceite",
    option(&[
        codigo("0", "nao", "Não aceita"),
        codigo("1", "sim", "Aceita"),
    ]),
    "Aceite",
    "Se aceita ou recusa.",
);

const PRESUMED_CREDIT: &[EventField] = &[
    field(
        "cCredPres",
        "codigo",
        Formato::Digitos { tamanho: 2 },
        "Código",
        "Código da tabela de créditos presumidos.",
    ),
    field(
        "pCredPres",
        "aliquota",
        PERCENT,
        "Percentual",
        "Percentual do crédito.",
    ),
    field("vCredPres", "valor", VALUE, "Valor", "Valor do crédito."),
];

/// The list of items most of these events are.
const fn items(tag: &'static str, fields: &'static [EventField]) -> EventField {
    list(
        990,
        group(
            tag,
            "itens",
            "Itens",
            "Um para cada item da nota de que se fala, sem repetir.",
            fields,
        ),
    )
}

const fn ibs(explanation: &'static str) -> EventField {
    field("vIBS", "valor_ibs", VALUE, "Valor do IBS", explanation)
}

const fn cbs(explanation: &'static str) -> EventField {
    field("vCBS", "valor_cbs", VALUE, "Valor da CBS", explanation)
}

const fn quantity(tag: &'static str) -> EventField {
    field(
        tag,
        "quantidade",
        QUANTITY,
        "Quantidade",
        "Quantidade de que se fala, na unidade abaixo.",
    )
}

const fn unit(tag: &'static str) -> EventField {
    field(
        tag,
        "unidade",
        UNIT,
        "Unidade",
        "Unidade da quantidade, como na nota.",
    )
}
