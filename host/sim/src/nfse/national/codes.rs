//! Codes of refusals. The codes are those of Anexo I v1.01 (2026-02-09) unless
//! a line says otherwise; the texts are short forms of ours.

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub code: String,
    pub complement: String,
    /// Text that replaces the code's own (fault `recusar`).
    pub description: Option<String>,
}

impl From<&str> for Refusal {
    fn from(code: &str) -> Self {
        Self::with(code, "")
    }
}

impl Refusal {
    pub fn with(code: &str, complement: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            complement: complement.into(),
            description: None,
        }
    }

    /// Text of this refusal.
    pub fn text(&self) -> &str {
        self.description
            .as_deref()
            .unwrap_or_else(|| description(&self.code))
    }
}

/// Text of a code.
fn description(code: &str) -> &'static str {
    TEXTS
        .iter()
        .find(|(known, _)| *known == code)
        .map_or("Documento recusado.", |(_, text)| text)
}

const TEXTS: [(&str, &str); 99] = [
    ("E0004", "O identificador difere dos campos que o formam."),
    (
        "E0006",
        "O ambiente informado não é o ambiente que recebeu o documento.",
    ),
    ("E0008", "A emissão da DPS é posterior ao processamento."),
    ("E0010", "Série fora da faixa do emissor."),
    (
        "E0014",
        "Série, número, município e CNPJ/CPF desta DPS já têm NFS-e.",
    ),
    ("E0015", "Competência posterior à emissão da DPS."),
    (
        "E0029",
        "Motivo da emissão não cabe quando o emitente é o prestador.",
    ),
    ("E0034", "Chave de NFS-e rejeitada não cabe nesta emissão."),
    (
        "E0037",
        "Município emissor inexistente no cadastro de convênios.",
    ),
    ("E0042", "Chave da NFS-e a substituir inválida."),
    ("E0044", "NFS-e a substituir não encontrada."),
    ("E0046", "NFS-e cancelada não pode ser substituída."),
    ("E0050", "Fora do prazo do município para substituir."),
    (
        "E0061",
        "Tomador, competência ou valor não podem mudar na substituição de optante do Simples.",
    ),
    ("E0078", "Motivo 99 exige a descrição do motivo."),
    ("E0080", "CNPJ do prestador inválido."),
    ("E0096", "CPF do prestador inválido."),
    (
        "E0114",
        "Prestador emitente só se identifica por CNPJ ou CPF.",
    ),
    (
        "E0121",
        "Nome do prestador não deve ser informado quando ele é o emitente.",
    ),
    (
        "E0128",
        "Endereço do prestador não deve ser informado quando ele é o emitente.",
    ),
    (
        "E0162",
        "Regime de apuração do Simples não cabe para não optante e MEI.",
    ),
    (
        "E0166",
        "Regime de apuração do Simples é obrigatório para ME/EPP.",
    ),
    ("E0172", "Regime especial só cabe em operação tributável."),
    ("E0174", "Regime especial não cabe para MEI."),
    (
        "E0175",
        "Regime especial não cabe com apuração pelo Simples.",
    ),
    ("E0188", "CNPJ do tomador inválido."),
    ("E0202", "Prestador e tomador são o mesmo."),
    ("E0204", "Retenção indicada sem CNPJ ou CPF do tomador."),
    ("E0206", "CPF do tomador inválido."),
    (
        "E0235",
        "Endereço nacional do tomador é obrigatório para CNPJ.",
    ),
    (
        "E0237",
        "Endereço do tomador é obrigatório quando ele retém o ISSQN.",
    ),
    ("E0248", "CNPJ do intermediário inválido."),
    ("E0262", "Prestador e intermediário são o mesmo."),
    (
        "E0264",
        "Retenção indicada sem CNPJ ou CPF do intermediário.",
    ),
    ("E0266", "CPF do intermediário inválido."),
    ("E0302", "Local da prestação inexistente."),
    ("E0310", "Código de tributação nacional inexistente."),
    (
        "E0315",
        "Código de tributação municipal 000 não é permitido.",
    ),
    ("E0318", "NBS é obrigatória na exportação."),
    ("E0322", "NBS é obrigatória com IBS/CBS."),
    ("E0330", "Comércio exterior é obrigatório na exportação."),
    ("E0370", "Grupo obra é obrigatório para este serviço."),
    ("E0372", "Grupo obra não cabe para este serviço."),
    (
        "E0580",
        "Retenção não cabe com imunidade, exportação ou não incidência.",
    ),
    ("E0583", "Retenção não cabe para MEI."),
    ("E0585", "Suspensão só cabe em operação tributável."),
    ("E0588", "Retenção não cabe com regime especial."),
    (
        "E0592",
        "Tipo de imunidade é obrigatório na imunidade e só nela.",
    ),
    ("E0593", "Tipo de imunidade 0 não é permitido na DPS."),
    ("E0595", "Alíquota acima de 5%."),
    ("E0600", "Alíquota não cabe para MEI."),
    (
        "E0602",
        "Alíquota não cabe com imunidade, exportação ou não incidência.",
    ),
    ("E0604", "Alíquota não cabe com regime especial."),
    (
        "E0617",
        "Alíquota não cabe: o município de incidência está ativo.",
    ),
    (
        "E0621",
        "Alíquota obrigatória (mínimo 1,80%) na retenção de ME/EPP.",
    ),
    ("E0625", "Alíquota não cabe para ME/EPP sem retenção."),
    (
        "E0635",
        "Alíquota não cabe para ME/EPP com ISSQN fora do Simples.",
    ),
    ("E0675", "Tributos federais não cabem para pessoa física."),
    ("E0676", "Tributos federais não cabem para MEI."),
    ("E0677", "Base de PIS/COFINS maior que o serviço."),
    ("E0694", "PIS diferente de base vezes alíquota."),
    ("E0696", "COFINS diferente de base vezes alíquota."),
    ("E0699", "Valor de CP fora da faixa."),
    ("E0700", "Valor de IRRF fora da faixa."),
    ("E0701", "Valor de CSLL fora da faixa."),
    ("E0710", "pTotTribSN não cabe para MEI."),
    ("E0712", "indTotTrib não cabe para ME/EPP."),
    ("E0713", "pTotTribSN não cabe para não optante."),
    ("E0714", "Erro na assinatura do arquivo."),
    ("E0715", "Certificado da assinatura inválido."),
    ("E0716", "Certificado da assinatura fora do padrão."),
    ("E0717", "A assinatura é obrigatória."),
    ("E0718", "A assinatura não é do certificado do emitente."),
    (
        "E0720",
        "vRetCSLL não cabe sem retenção de PIS/COFINS/CSLL.",
    ),
    ("E0850", "IBS/CBS só a partir da competência 01/01/2026."),
    ("E0854", "IBS/CBS só a partir da versão 1.01 da DPS."),
    ("E0910", "Destinatário não cabe para este indDest."),
    ("E0911", "CNPJ do destinatário inválido."),
    ("E0913", "CPF do destinatário inválido."),
    ("E1203", "Certificado de transmissão expirado."),
    ("E1205", "Erro na cadeia do certificado de transmissão."),
    ("E1209", "Certificado de transmissão sem CNPJ ou CPF."),
    ("E1225", "Falha na decodificação base64."),
    ("E1226", "Estrutura descompactada mal formada."),
    ("E1228", "Prefixo de namespace não permitido."),
    ("E1229", "XML fora da codificação UTF-8."),
    ("E1235", "Falha no esquema XML do DF-e."),
    ("E1242", "Tipo de DF-e não tratado."),
    ("E1508", "Valor líquido menor que zero."),
    (
        "E9996",
        "Emissão por tomador ou intermediário não é permitida nesta versão.",
    ),
    // Events: seen in quoted answers of the running API.
    ("E0822", "Fora do prazo do município para cancelar."),
    ("E0840", "A NFS-e já tem este evento."),
    // Chosen for the simulator: the table of event rules was not available.
    ("E0802", "NFS-e do evento não encontrada."),
    ("E0806", "A chave do pedido difere da chave do endereço."),
    ("E0812", "O autor do evento não pode registrar este evento."),
    (
        "E0816",
        "Este tipo de evento não é recebido do contribuinte.",
    ),
    ("E2404", "Documento não encontrado."),
    ("E2400", "Identificador inválido."),
    ("E2403", "Consulta não permitida para este certificado."),
];
