//! The events as data.
//!
//! Codes, `descEvento`, fields and limits are those of the event schemas of
//! CT-e 4.00 and MDF-e 3.00b. How often an event may be registered is of the
//! MOC, second-hand.

use fiscal::nfe::event::fields::{
    JUSTIFICATION, VALUE, codigo, field, group, list, option, optional, text,
};
use fiscal::nfe::event::{BASE, EventField, Family, Formato, Kind};

/// Most corrections of one letter: far above any, below what makes the event
/// too long. The schema has no bound.
pub const MAX_CORRECTIONS: u16 = 200;
/// Most documents of one event 110115, which the schema does not bound.
pub const MAX_DOCUMENTS: u16 = 2000;

/// Every event, CT-e before MDF-e, ordered by code.
pub fn catalogue() -> &'static [Kind] {
    &KINDS
}

/// The event of a family with this `tpEvento`.
pub fn search(family: Family, codigo: &str) -> Option<&'static Kind> {
    KINDS
        .iter()
        .find(|kind| kind.familia == family && kind.codigo == codigo)
}

static KINDS: [Kind; 7] = [
    CTE_CORRECTION,
    CTE_CANCELLATION,
    CTE_EPEC,
    MDFE_CANCELLATION,
    MDFE_CLOSING,
    MDFE_DRIVER,
    MDFE_DOCUMENTS,
];

const OF_CTE: Kind = Kind {
    modelos: &["57"],
    versao: "4.00",
    familia: Family::Cte,
    nota_tecnica: "MOC CT-e 4.00",
    ..BASE
};

const OF_MDFE: Kind = Kind {
    modelos: &["58"],
    versao: "3.00",
    familia: Family::Mdfe,
    nota_tecnica: "MOC MDF-e 3.00b",
    ..BASE
};

/// `TProt`: 15 digits, other than the protocols of the NF-e.
const PROTOCOL: EventField = field(
    "nProt",
    "protocolo",
    Formato::Digitos { tamanho: 15 },
    "Protocolo do documento",
    "Protocolo de autorização do documento, 15 dígitos.",
);

const REASON: EventField = field(
    "xJust",
    "justificativa",
    JUSTIFICATION,
    "Justificativa",
    "Motivo do evento, de 15 a 255 caracteres.",
);

const CTE_CORRECTION: Kind = Kind {
    codigo: "110110",
    nome: "Carta de Correção",
    descricao: "Carta de Correcao",
    explicacao: "Corrige campos do CT-e autorizado. Cada carta substitui a anterior, por isso deve repetir todas \
                 as correções ainda válidas. Não serve para valores, impostos, partes nem datas.",
    sequencia_maxima: 20,
    prazo: "sem prazo fixado",
    campos: &[
        list(
            MAX_CORRECTIONS,
            group(
                "infCorrecao",
                "correcoes",
                "Correções",
                "Uma para cada campo corrigido.",
                &[
                    field(
                        "grupoAlterado",
                        "grupo",
                        text(1, 20),
                        "Grupo",
                        "Elemento do leiaute em que o campo está, como infCarga.",
                    ),
                    field(
                        "campoAlterado",
                        "campo",
                        text(1, 20),
                        "Campo",
                        "Elemento do leiaute que se corrige, como proPred.",
                    ),
                    field(
                        "valorAlterado",
                        "valor",
                        text(1, 500),
                        "Valor",
                        "O que deve ser lido no lugar do que o CT-e traz.",
                    ),
                    optional(field(
                        "nroItemAlterado",
                        "item",
                        text(1, 2),
                        "Item",
                        "Posição na lista, a partir de 1, quando o campo se repete.",
                    )),
                ],
            ),
        ),
        field(
            "xCondUso",
            "condicao_uso",
            Formato::Fixo {
                texto: CONDITION_OF_USE,
            },
            "Condições de uso",
            "Texto fixo do leiaute; o hub preenche.",
        ),
    ],
    elemento: "evCCeCTe",
    ..OF_CTE
};

/// Enumerated by the schema, here in its spelling without accents.
const CONDITION_OF_USE: &str = "A Carta de Correcao e disciplinada pelo Art. 58-B do CONVENIO/SINIEF 06/89: Fica permitida a utilizacao de carta de correcao, para regularizacao de erro ocorrido na emissao de documentos fiscais relativos a prestacao de servico de transporte, desde que o erro nao esteja relacionado com: I - as variaveis que determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade, valor da prestacao;II - a correcao de dados cadastrais que implique mudanca do emitente, tomador, remetente ou do destinatario;III - a data de emissao ou de saida.";

const CTE_CANCELLATION: Kind = Kind {
    codigo: "110111",
    nome: "Cancelamento",
    descricao: "Cancelamento",
    explicacao: "Desfaz um CT-e autorizado cujo serviço não começou.",
    prazo: "168 horas após a autorização",
    campos: &[PROTOCOL, REASON],
    elemento: "evCancCTe",
    ..OF_CTE
};

/// The SVC that takes it is told by `cOrgao`, which the caller gives.
const CTE_EPEC: Kind = Kind {
    codigo: "110113",
    nome: "Emissão prévia em contingência (EPEC)",
    descricao: "EPEC",
    explicacao: "Registra na SVC o essencial do CT-e enquanto a SEFAZ não responde; o CT-e é enviado depois.",
    prazo: "antes do início do serviço",
    campos: &[
        REASON,
        value("vICMS", "valor_icms", "Valor do ICMS"),
        optional(value("vICMSST", "valor_icms_st", "Valor do ICMS ST")),
        value("vTPrest", "valor_prestacao", "Valor da prestação"),
        value("vCarga", "valor_carga", "Valor da carga"),
        group(
            "toma4",
            "tomador",
            "Tomador",
            "Quem paga o frete.",
            &[
                field(
                    "toma",
                    "papel",
                    Formato::Digitos { tamanho: 1 },
                    "Papel",
                    "Papel do tomador no CT-e.",
                ),
                field(
                    "UF",
                    "uf",
                    text(2, 2),
                    "UF",
                    "UF do tomador; EX no exterior.",
                ),
                optional(field(
                    "CNPJ",
                    "cnpj",
                    text(14, 14),
                    "CNPJ",
                    "CNPJ do tomador.",
                )),
                optional(field("CPF", "cpf", text(11, 11), "CPF", "CPF do tomador.")),
                optional(field(
                    "IE",
                    "ie",
                    text(2, 14),
                    "Inscrição estadual",
                    "Inscrição estadual do tomador, ou ISENTO.",
                )),
            ],
        ),
        field(
            "modal",
            "modal",
            Formato::Digitos { tamanho: 2 },
            "Modal",
            "Modal do CT-e.",
        ),
        field(
            "UFIni",
            "uf_inicio",
            text(2, 2),
            "UF de início",
            "Onde o serviço começa.",
        ),
        field(
            "UFFim",
            "uf_fim",
            text(2, 2),
            "UF de término",
            "Onde o serviço termina.",
        ),
        field(
            "tpCTe",
            "tipo",
            option(&[codigo("0", "normal", "Normal")]),
            "Tipo",
            "Só o CT-e normal tem emissão prévia.",
        ),
        field(
            "dhEmi",
            "data_emissao",
            text(25, 25),
            "Data de emissão",
            "Data e hora de emissão do CT-e.",
        ),
    ],
    elemento: "evEPECCTe",
    ..OF_CTE
};

const MDFE_CANCELLATION: Kind = Kind {
    codigo: "110111",
    nome: "Cancelamento",
    descricao: "Cancelamento",
    explicacao: "Desfaz um MDF-e autorizado cujo transporte não começou.",
    prazo: "24 horas após a autorização",
    campos: &[PROTOCOL, REASON],
    elemento: "evCancMDFe",
    ..OF_MDFE
};

const MDFE_CLOSING: Kind = Kind {
    codigo: "110112",
    nome: "Encerramento",
    descricao: "Encerramento",
    explicacao: "Encerra o MDF-e quando o transporte termina ou muda de veículo, motorista ou carga. Enquanto não \
                 é encerrado, a SEFAZ recusa outro MDF-e do mesmo veículo no mesmo trajeto.",
    prazo: "ao fim do transporte",
    campos: &[
        PROTOCOL,
        field(
            "dtEnc",
            "data",
            Formato::Data,
            "Data do encerramento",
            "Dia em que o transporte terminou.",
        ),
        field(
            "cUF",
            "uf",
            Formato::Digitos { tamanho: 2 },
            "UF do encerramento",
            "UF onde o transporte terminou.",
        ),
        field(
            "cMun",
            "codigo_ibge",
            Formato::Digitos { tamanho: 7 },
            "Município do encerramento",
            "Código IBGE de onde o transporte terminou.",
        ),
    ],
    elemento: "evEncMDFe",
    ..OF_MDFE
};

const MDFE_DRIVER: Kind = Kind {
    codigo: "110114",
    nome: "Inclusão de condutor",
    descricao: "Inclusao Condutor",
    explicacao: "Acrescenta um motorista ao MDF-e rodoviário autorizado e não encerrado.",
    sequencia_maxima: 99,
    prazo: "antes do encerramento",
    campos: &[group(
        "condutor",
        "condutor",
        "Condutor",
        "O motorista que se acrescenta.",
        &[
            field("xNome", "nome", text(2, 60), "Nome", "Nome do motorista."),
            field(
                "CPF",
                "cpf",
                Formato::Digitos { tamanho: 11 },
                "CPF",
                "CPF do motorista.",
            ),
        ],
    )],
    elemento: "evIncCondutorMDFe",
    ..OF_MDFE
};

const MDFE_DOCUMENTS: Kind = Kind {
    codigo: "110115",
    nome: "Inclusão de documentos",
    descricao: "Inclusao DF-e",
    explicacao: "Acrescenta NF-e ao MDF-e autorizado com a indicação de que a carga é incluída depois.",
    sequencia_maxima: 99,
    prazo: "antes do encerramento",
    campos: &[
        PROTOCOL,
        city(
            "cMunCarrega",
            "codigo_ibge_carregamento",
            "Município de carregamento",
        ),
        name(
            "xMunCarrega",
            "cidade_carregamento",
            "Cidade de carregamento",
        ),
        list(
            MAX_DOCUMENTS,
            group(
                "infDoc",
                "documentos",
                "Documentos",
                "Um para cada NF-e.",
                &[
                    city(
                        "cMunDescarga",
                        "codigo_ibge_descarga",
                        "Município de descarregamento",
                    ),
                    name(
                        "xMunDescarga",
                        "cidade_descarga",
                        "Cidade de descarregamento",
                    ),
                    field(
                        "chNFe",
                        "chave",
                        Formato::Chave,
                        "Chave da NF-e",
                        "Chave de acesso da NF-e, 44 posições.",
                    ),
                ],
            ),
        ),
    ],
    elemento: "evIncDFeMDFe",
    ..OF_MDFE
};

const fn value(tag: &'static str, name: &'static str, label: &'static str) -> EventField {
    field(tag, name, VALUE, label, "Em reais.")
}

const fn city(tag: &'static str, name: &'static str, label: &'static str) -> EventField {
    field(
        tag,
        name,
        Formato::Digitos { tamanho: 7 },
        label,
        "Código IBGE, sete dígitos.",
    )
}

const fn name(tag: &'static str, name: &'static str, label: &'static str) -> EventField {
    field(tag, name, text(2, 60), label, "Nome do município.")
}
