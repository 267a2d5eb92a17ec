//! Events of the consumption tax reform (NT 2025.002).
//!
//! All go to SVRS, whatever the state (NT 2025.002 v1.20, second-hand). The
//! schema fixes `tpAutor` of each. 211110: the schema of v1.40 says the issuer
//! (1) where earlier versions had the addressee (2); followed as written.

use crate::nfe::event::fields::{
    NUMERO_ITEM, PERCENTUAL, QUANTIDADE, UNIDADE, VALOR, campo, codigo, grupo, lista, opcao,
    opcional, texto,
};
use crate::nfe::event::kind::{Autor, BASE, Cabeca, CampoEvento, Formato, Receptor, Tipo};

/// How much, with the unit.
macro_rules! estoque_de {
    ($quantidade:literal, $unidade:literal) => {
        grupo(
            "gControleEstoque",
            "estoque",
            "Estoque",
            "Quantidade de que se fala.",
            &[quantidade($quantidade), unidade($unidade)],
        )
    };
}

pub(super) const EVENTOS: [Tipo; 17] = [
    Tipo {
        codigo: "110001",
        nome: "Cancelamento de evento",
        descricao: "Cancelamento de Evento",
        explicacao: "Desfaz um evento da reforma registrado por engano. Só quem o registrou pode cancelá-lo.",
        autores: &[
            Autor::Emitente,
            Autor::Destinatario,
            Autor::Sucessora,
            Autor::Fisco,
        ],
        sequencia_maxima: 99,
        campos: &[
            campo(
                "tpEventoAut",
                "tipo_evento",
                opcao(CANCELAVEIS),
                "Evento a cancelar",
                "Código do evento que será desfeito.",
            ),
            campo(
                "nProtEvento",
                "protocolo_evento",
                Formato::Protocolo,
                "Protocolo do evento",
                "Protocolo do evento que será desfeito.",
            ),
        ],
        cabeca: Cabeca::Orgao,
        ..REFORMA
    },
    Tipo {
        codigo: "112110",
        nome: "Pagamento integral para liberar crédito presumido do adquirente",
        descricao: "Informação de efetivo pagamento integral para liberar crédito presumido do adquirente",
        explicacao: "O emitente declara que a nota foi paga por inteiro, o que libera ao comprador o crédito presumido.",
        campos: &[campo(
            "indQuitacao",
            "quitacao",
            opcao(&[codigo("1", "sim", "Nota paga integralmente")]),
            "Quitação",
            "Confirma o pagamento integral; só existe a resposta 1.",
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "112120",
        nome: "Importação em ALC/ZFM não convertida em isenção",
        descricao: "Importação em ALC/ZFM não convertida em isenção",
        explicacao: "O importador de área de livre comércio ou da Zona Franca informa quanto não cumpriu os \
                     requisitos da isenção.",
        campos: &[itens(
            "gConsumo",
            &[
                NUMERO_ITEM,
                ibs("IBS da quantidade que não cumpriu os requisitos."),
                cbs("CBS da quantidade que não cumpriu os requisitos."),
                estoque_de!("qtde", "unidade"),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "112130",
        nome: "Perecimento, perda, roubo ou furto no transporte contratado pelo fornecedor",
        descricao: "Perecimento, perda, roubo ou furto durante o transporte contratado pelo fornecedor",
        explicacao: "O fornecedor informa o que se perdeu no caminho, com o imposto da nota e o crédito a estornar.",
        campos: &[itens(
            "gPerecimento",
            &[
                NUMERO_ITEM,
                ibs("IBS da nota sobre a quantidade perdida."),
                cbs("CBS da nota sobre a quantidade perdida."),
                grupo(
                    "gControleEstoque",
                    "estoque",
                    "Estoque",
                    "Quantidade perdida e créditos das compras a estornar.",
                    &[
                        quantidade("qPerecimento"),
                        unidade("uPerecimento"),
                        ibs("Crédito de IBS das aquisições a estornar."),
                        cbs("Crédito de CBS das aquisições a estornar."),
                    ],
                ),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "112140",
        nome: "Fornecimento não realizado com pagamento antecipado",
        descricao: "Fornecimento não realizado com pagamento antecipado",
        explicacao: "O fornecedor recebeu antes, debitou o imposto e não entregou: informa o que não foi fornecido.",
        campos: &[itens(
            "gItemNaoFornecido",
            &[
                NUMERO_ITEM,
                ibs("IBS debitado sobre a quantidade não fornecida."),
                cbs("CBS debitada sobre a quantidade não fornecida."),
                estoque_de!("qNaoFornecida", "uNaoFornecida"),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "112150",
        nome: "Atualização da data de previsão de entrega",
        descricao: "Atualização da Data de Previsão de Entrega",
        explicacao: "O fornecedor muda o dia em que o bem será entregue ou posto à disposição.",
        campos: &[campo(
            "dPrevEntrega",
            "data_prevista",
            Formato::Data,
            "Nova data prevista",
            "Dia da entrega ou da disponibilização do bem.",
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "211110",
        nome: "Solicitação de apropriação de crédito presumido",
        descricao: "Solicitação de Apropriação de crédito presumido",
        explicacao: "Pede o crédito presumido das compras que dão direito a ele, item por item.",
        campos: &[itens(
            "gCredPres",
            &[
                NUMERO_ITEM,
                campo(
                    "vBC",
                    "base",
                    VALOR,
                    "Base",
                    "Base de cálculo do crédito no item.",
                ),
                opcional(grupo(
                    "gIBS",
                    "ibs",
                    "Crédito de IBS",
                    "Crédito presumido de IBS do item.",
                    CREDITO_PRESUMIDO,
                )),
                opcional(grupo(
                    "gCBS",
                    "cbs",
                    "Crédito de CBS",
                    "Crédito presumido de CBS do item.",
                    CREDITO_PRESUMIDO,
                )),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "211120",
        nome: "Destinação de item para consumo pessoal",
        descricao: "Destinação de item para consumo pessoal",
        explicacao: "Informava itens comprados que foram para uso pessoal, sem crédito. A NT 2025.002 v1.40 \
                     extinguiu o evento; fica no catálogo para leitura.",
        autores: &[Autor::Destinatario, Autor::Emitente],
        campos: &[itens(
            "gConsumo",
            &[
                NUMERO_ITEM,
                ibs("IBS da quantidade de uso pessoal."),
                cbs("CBS da quantidade de uso pessoal."),
                estoque_de!("qConsumo", "uConsumo"),
                grupo(
                    "DFeReferenciado",
                    "documento_referenciado",
                    "Documento da saída",
                    "Nota emitida para a saída de uso pessoal.",
                    &[
                        campo(
                            "chaveAcesso",
                            "chave",
                            Formato::Chave,
                            "Chave",
                            "Chave da NF-e ou NFC-e da saída.",
                        ),
                        campo(
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
    Tipo {
        codigo: "211124",
        nome: "Perecimento, perda, roubo ou furto no transporte contratado pelo adquirente",
        descricao: "Perecimento, perda, roubo ou furto durante o transporte contratado pelo adquirente",
        explicacao: "O comprador, que contratou o frete, informa o que se perdeu no caminho.",
        autores: &[Autor::Destinatario],
        campos: &[itens(
            "gPerecimento",
            &[
                NUMERO_ITEM,
                ibs("IBS da nota de compra sobre a quantidade perdida."),
                cbs("CBS da nota de compra sobre a quantidade perdida."),
                estoque_de!("qPerecimento", "uPerecimento"),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "211128",
        nome: "Aceite de débito na apuração por nota de crédito",
        descricao: "Aceite de débito na apuração por emissão de nota de crédito",
        explicacao: "O destinatário aceita ou recusa o débito que uma nota de crédito lança na sua apuração.",
        autores: &[Autor::Destinatario],
        campos: &[ACEITE],
        ..REFORMA
    },
    Tipo {
        codigo: "211130",
        nome: "Imobilização de item",
        descricao: "Imobilização de Item",
        explicacao: "O comprador informa o que entrou no seu ativo imobilizado, para o prazo do ressarcimento \
                     (LC 214/2025, art. 40, I).",
        autores: &[Autor::Destinatario],
        campos: &[itens(
            "gImobilizacao",
            &[
                NUMERO_ITEM,
                ibs("IBS da quantidade imobilizada."),
                cbs("CBS da quantidade imobilizada."),
                estoque_de!("qImobilizado", "uImobilizado"),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "211140",
        nome: "Solicitação de apropriação de crédito de combustível",
        descricao: "Solicitação de Apropriação de Crédito de Combustível",
        explicacao: "Quem é da cadeia de combustíveis pede o crédito do que consumiu na própria atividade \
                     (LC 214/2025, art. 172).",
        autores: &[Autor::Destinatario],
        campos: &[itens(
            "gConsumoComb",
            &[
                NUMERO_ITEM,
                ibs("IBS do combustível consumido."),
                cbs("CBS do combustível consumido."),
                estoque_de!("qComb", "uComb"),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "211150",
        nome: "Solicitação de crédito que depende de atividade do adquirente",
        descricao: "Solicitação de Apropriação de Crédito para bens e serviços que dependem de atividade do adquirente",
        explicacao: "O comprador pede o crédito que só existe conforme o uso que faz do bem ou serviço.",
        autores: &[Autor::Destinatario],
        campos: &[itens(
            "gCredito",
            &[
                NUMERO_ITEM,
                campo(
                    "vCredIBS",
                    "valor_ibs",
                    VALOR,
                    "Crédito de IBS",
                    "Crédito de IBS pedido no item.",
                ),
                campo(
                    "vCredCBS",
                    "valor_cbs",
                    VALOR,
                    "Crédito de CBS",
                    "Crédito de CBS pedido no item.",
                ),
            ],
        )],
        ..REFORMA
    },
    Tipo {
        codigo: "212110",
        nome: "Manifestação sobre transferência de crédito de IBS na sucessão",
        descricao: "Manifestação sobre Pedido de Transferência de Crédito de IBS em Operação de Sucessão",
        explicacao: "Cada sucessora aceita ou recusa a transferência de créditos de IBS da empresa sucedida.",
        autores: &[Autor::Sucessora],
        campos: &[ACEITE],
        ..REFORMA
    },
    Tipo {
        codigo: "212120",
        nome: "Manifestação sobre transferência de crédito de CBS na sucessão",
        descricao: "Manifestação sobre Pedido de Transferência de Crédito de CBS em Operação de Sucessão",
        explicacao: "Cada sucessora aceita ou recusa a transferência de créditos de CBS da empresa sucedida.",
        autores: &[Autor::Sucessora],
        campos: &[ACEITE],
        ..REFORMA
    },
    Tipo {
        codigo: "412120",
        nome: "Manifestação do fisco sobre transferência de crédito de IBS na sucessão",
        descricao: "Manifestação do Fisco sobre Pedido de Transferência de Crédito de IBS em Operação de Sucessão",
        ..DECISAO
    },
    Tipo {
        codigo: "412130",
        nome: "Manifestação do fisco sobre transferência de crédito de CBS na sucessão",
        descricao: "Manifestação do Fisco sobre Pedido de Transferência de Crédito de CBS em Operação de Sucessão",
        ..DECISAO
    },
];

const REFORMA: Tipo = Tipo {
    receptor: Receptor::Svrs,
    // Each event adds to the ones before; the layout has two digits.
    sequencia_maxima: 99,
    prazo: "sem prazo fixado",
    nota_tecnica: "2025.002",
    reforma: true,
    cabeca: Cabeca::Completa,
    ..BASE
};

const DECISAO: Tipo = Tipo {
    explicacao: "O fisco defere ou indefere a transferência de créditos entre sucessoras. Só se recebe.",
    autores: &[Autor::Fisco],
    envia: false,
    campos: &[
        campo(
            "indDeferimento",
            "deferido",
            opcao(&[
                codigo("0", "nao", "Indeferido"),
                codigo("1", "sim", "Deferido"),
            ]),
            "Deferimento",
            "Decisão do fisco.",
        ),
        campo(
            "cMotivo",
            "codigo_motivo",
            opcao(&[
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
        campo(
            "xMotivo",
            "motivo",
            texto(1, 500),
            "Motivo",
            "Fundamento da decisão.",
        ),
    ],
    ..REFORMA
};

const CANCELAVEIS: &[crate::nfe::event::kind::Codigo] = &[
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

const ACEITE: CampoEvento = campo(
    "indAceitacao",
    "aceite",
    opcao(&[
        codigo("0", "nao", "Não aceita"),
        codigo("1", "sim", "Aceita"),
    ]),
    "Aceite",
    "Se aceita ou recusa.",
);

const CREDITO_PRESUMIDO: &[CampoEvento] = &[
    campo(
        "cCredPres",
        "codigo",
        Formato::Digitos { tamanho: 2 },
        "Código",
        "Código da tabela de créditos presumidos.",
    ),
    campo(
        "pCredPres",
        "aliquota",
        PERCENTUAL,
        "Percentual",
        "Percentual do crédito.",
    ),
    campo("vCredPres", "valor", VALOR, "Valor", "Valor do crédito."),
];

/// The list of items most of these events are.
const fn itens(tag: &'static str, campos: &'static [CampoEvento]) -> CampoEvento {
    lista(
        990,
        grupo(
            tag,
            "itens",
            "Itens",
            "Um para cada item da nota de que se fala, sem repetir.",
            campos,
        ),
    )
}

const fn ibs(explicacao: &'static str) -> CampoEvento {
    campo("vIBS", "valor_ibs", VALOR, "Valor do IBS", explicacao)
}

const fn cbs(explicacao: &'static str) -> CampoEvento {
    campo("vCBS", "valor_cbs", VALOR, "Valor da CBS", explicacao)
}

const fn quantidade(tag: &'static str) -> CampoEvento {
    campo(
        tag,
        "quantidade",
        QUANTIDADE,
        "Quantidade",
        "Quantidade de que se fala, na unidade abaixo.",
    )
}

const fn unidade(tag: &'static str) -> CampoEvento {
    campo(
        tag,
        "unidade",
        UNIDADE,
        "Unidade",
        "Unidade da quantidade, como na nota.",
    )
}
