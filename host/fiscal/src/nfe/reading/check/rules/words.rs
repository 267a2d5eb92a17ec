//! What rules say in our own words.

/// What a rule without a text of the authority says, and how to mend what it
/// finds; sorted by code.
pub(super) const OWN_WORDS: &[(&str, &str, &str)] = &[
    (
        "E0004",
        "O Id não é feito dos campos do documento",
        "Monte o Id com os campos do documento e assine outra vez.",
    ),
    (
        "E0008",
        "A DPS foi emitida no futuro",
        "Acerte o relógio e a data de emissão.",
    ),
    (
        "E0015",
        "A competência é posterior à emissão da DPS",
        "Informe o dia em que o serviço foi prestado.",
    ),
    (
        "E0080",
        "CNPJ do prestador inválido",
        "Confira o documento do prestador.",
    ),
    (
        "E0096",
        "CPF do prestador inválido",
        "Confira o documento do prestador.",
    ),
    (
        "E0188",
        "CNPJ do tomador inválido",
        "Confira o documento do tomador.",
    ),
    (
        "E0202",
        "Prestador e tomador são o mesmo",
        "Confira o documento do tomador.",
    ),
    (
        "E0206",
        "CPF do tomador inválido",
        "Confira o documento do tomador.",
    ),
    (
        "E0248",
        "CNPJ do intermediário inválido",
        "Confira o documento do intermediário.",
    ),
    (
        "E0262",
        "Prestador e intermediário são o mesmo",
        "Confira o documento do intermediário.",
    ),
    (
        "E0266",
        "CPF do intermediário inválido",
        "Confira o documento do intermediário.",
    ),
    (
        "E0714",
        "A assinatura não é do conteúdo do documento",
        "Envie o XML como foi assinado, ou assine outra vez.",
    ),
    (
        "ambiente_diferente",
        "Documento e protocolo são de ambientes diferentes",
        "Junte o protocolo do mesmo ambiente.",
    ),
    (
        "autor_invalido",
        "O documento do autor do evento é inválido",
        "Confira o documento do autor.",
    ),
    (
        "cest_inexistente",
        "O CEST não está na tabela",
        "Confira o CEST do produto.",
    ),
    (
        "cest_ncm",
        "O CEST não é do NCM do item",
        "Confira o CEST e o NCM do produto.",
    ),
    (
        "cfop_inexistente",
        "O CFOP não está na tabela",
        "Procure o CFOP da operação na tabela.",
    ),
    (
        "chave_diverge",
        "A nota não é a da sua chave",
        "Obtenha o XML autorizado; este foi alterado.",
    ),
    (
        "chave_invalida",
        "A chave de outro documento tem UF, mês, modelo ou emitente que não existem",
        "Copie a chave do documento autorizado.",
    ),
    (
        "cnpj_invalido",
        "CNPJ de um participante inválido",
        "Confira o CNPJ no cadastro.",
    ),
    (
        "componentes_divergem",
        "A soma dos componentes difere do valor da prestação",
        "Confira os componentes e vTPrest.",
    ),
    (
        "cpf_invalido",
        "CPF de um participante inválido",
        "Confira o CPF no cadastro.",
    ),
    (
        "cst_inexistente",
        "O código não está na tabela do imposto",
        "Consulte a tabela de CST ou CSOSN.",
    ),
    (
        "digest_diferente",
        "O conteúdo autorizado não é o deste arquivo",
        "Obtenha o XML autorizado; este foi alterado ou é de outra tentativa.",
    ),
    (
        "encerramento_no_futuro",
        "O dia do encerramento ainda não chegou",
        "Informe o dia em que o transporte terminou.",
    ),
    (
        "evento_no_futuro",
        "O evento é do futuro",
        "Acerte o relógio e a data do evento.",
    ),
    (
        "municipio_inexistente",
        "O município de um participante não existe",
        "Use o código de 7 dígitos do IBGE.",
    ),
    (
        "nao_autorizada",
        "O protocolo não é de autorização",
        "Veja o motivo em xMotivo.",
    ),
    (
        "nao_homologada",
        "O retorno não é de homologação da faixa",
        "Veja o motivo em xMotivo.",
    ),
    (
        "nao_registrado",
        "O retorno não é de registro do evento",
        "Veja o motivo em xMotivo.",
    ),
    (
        "ncm_inexistente",
        "O NCM não está na tabela do dia da emissão",
        "Confira o código na tabela NCM vigente (Siscomex).",
    ),
    (
        "partilha_diverge",
        "A partilha do ICMS difere da conta",
        "Confira a base e as alíquotas de ICMSUFFim.",
    ),
    (
        "percurso_invalido",
        "As UFs do percurso não fazem divisa na ordem dada",
        "Informe, na ordem do trajeto, as UFs entre a de início e a de fim.",
    ),
    (
        "protocolo_ausente",
        "O arquivo não tem o protocolo de autorização",
        "Consulte o documento pela chave para obter o protocolo.",
    ),
    (
        "protocolo_de_outra_nota",
        "O protocolo é de outro documento",
        "Junte o protocolo da chave deste documento.",
    ),
    (
        "qrcode_ambiente",
        "O ambiente do QR code não é o do documento",
        "Gere o QR code com o tpAmb do documento.",
    ),
    (
        "qrcode_chave",
        "A chave do QR code não é a da nota",
        "Gere o QR code com a chave da nota.",
    ),
    (
        "qrcode_forma",
        "O QR code não tem os campos da sua versão",
        "Gere o QR code outra vez.",
    ),
    (
        "retorno_de_outra_faixa",
        "O retorno é de outra faixa",
        "Junte o retorno deste pedido.",
    ),
    (
        "retorno_de_outro_evento",
        "O retorno é de outro evento",
        "Junte o retorno deste evento.",
    ),
    (
        "total_difere",
        "Um total de quantidade difere da soma dos itens",
        "Some as quantidades dos itens.",
    ),
];
