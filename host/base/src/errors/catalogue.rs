//! One row per code: HTTP status, sentence and hint in pt-BR.
//!
//! A code is permanent: it is removed only with a new version of the path.

/// A row of the catalogue, as GET /api/v1/erros shows it.
pub struct Entry {
    pub code: Code,
    pub codigo: &'static str,
    pub status: u16,
    pub message: &'static str,
    pub hint: &'static str,
}

macro_rules! catalogue {
    ($($variant:ident $code:literal $status:literal $message:literal $hint:literal;)+) => {
        /// Every error a customer can get.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($variant),+ }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The row of this code.
            pub const fn entry(self) -> Entry {
                match self {
                    $(Code::$variant => Entry {
                        code: Code::$variant,
                        codigo: $code,
                        status: $status,
                        message: $message,
                        hint: $hint,
                    }),+
                }
            }
        }
    };
}

impl Code {
    /// What goes into `X-Error-Code`.
    pub const fn as_str(self) -> &'static str {
        self.entry().codigo
    }

    pub const fn status(self) -> u16 {
        self.entry().status
    }
}

catalogue! {
    JsonInvalido "json_invalido" 400 "O corpo não é um JSON válido." "Confira vírgulas, aspas e o tipo de cada campo.";
    CampoDesconhecido "campo_desconhecido" 400 "O corpo tem campos que a operação não conhece." "Confira a grafia na documentação; com ?tolerante=1 eles são ignorados.";
    ParametroInvalido "parametro_invalido" 400 "Um parâmetro tem valor inválido." "Corrija o parâmetro indicado em campos.";
    ParametroAusente "parametro_ausente" 400 "Falta um parâmetro obrigatório." "Informe o parâmetro indicado em campos.";
    IdempotenciaDivergente "idempotencia_divergente" 400 "O cabeçalho Idempotency-Key e o campo idempotency_key são diferentes." "Envie a mesma chave nos dois, ou em um só.";
    NaoAutenticado "nao_autenticado" 401 "Falta a chave de API." "Envie Authorization: Bearer <chave>, ou X-API-Key com X-API-Secret.";
    ChaveInvalida "chave_invalida" 401 "A chave de API não existe ou está incompleta." "Copie a chave inteira, como foi mostrada ao ser criada.";
    ChaveRevogada "chave_revogada" 401 "A chave de API foi revogada." "Use outra chave da conta; quem tem o escopo chaves cria uma em POST /api/v1/chaves.";
    ChaveExpirada "chave_expirada" 401 "A chave de API expirou." "Use outra chave da conta; quem tem o escopo chaves cria uma em POST /api/v1/chaves.";
    SaldoInsuficiente "saldo_insuficiente" 402 "Saldo insuficiente." "Compre créditos no painel; sem certificado, uma chave de teste simula NF-e e NFC-e sem cobrar.";
    LimiteDaChave "limite_da_chave" 402 "A chave já gastou o que podia neste período." "Espere até renova_em, ou use outra chave da conta.";
    AssinaturaInvalida "assinatura_invalida" 401 "A assinatura do aviso não confere." "Assine t.corpo com o segredo combinado e envie em até 300 segundos.";
    SemPermissao "sem_permissao" 403 "A chave não tem permissão para esta operação." "Use uma chave com o escopo necessário, sempre a partir de um servidor.";
    IpNaoAutorizado "ip_nao_autorizado" 403 "A chave não pode ser usada a partir deste endereço." "Chame de um dos endereços em ips da chave, ou crie uma chave com o endereço novo.";
    ChaveDeTeste "chave_de_teste" 403 "Uma chave de teste nunca chega à produção." "Use uma chave de produção.";
    EmitenteNaoHabilitado "emitente_nao_habilitado" 403 "O emitente não está habilitado para esta operação." "Confira o ambiente e o perfil fiscal do emitente.";
    ContaBloqueada "conta_bloqueada" 403 "A conta está bloqueada." "Fale com o suporte.";
    LiberacaoPeloSuporte "liberacao_pelo_suporte" 403 "A operação é liberada pelo suporte." "Peça a liberação ao suporte.";
    NaoEncontrado "nao_encontrado" 404 "Não encontrado." "Confira o identificador e se ele pertence a esta conta.";
    RotaInexistente "rota_inexistente" 404 "Este endereço não existe." "Veja as operações em /api/v1/openapi.json.";
    SemResultado "sem_resultado" 404 "A consulta não teve resultado; nada foi cobrado." "Confira o que foi procurado.";
    MetodoNaoPermitido "metodo_nao_permitido" 405 "O endereço existe, mas não com este método." "Veja os métodos em /api/v1/openapi.json.";
    FormatoNaoAceito "formato_nao_aceito" 406 "O formato pedido em Accept não é oferecido." "Use application/json ou application/problem+json.";
    RequisicaoIncompleta "requisicao_incompleta" 408 "O corpo da requisição não chegou a tempo." "Envie de novo; o corpo inteiro deve chegar em 30 segundos.";
    RequisicaoEmAndamento "requisicao_em_andamento" 409 "A primeira requisição com esta Idempotency-Key ainda está em andamento." "Repita depois do tempo indicado em Retry-After.";
    EstadoInvalido "estado_invalido" 409 "O estado atual não permite esta operação." "Consulte o documento antes de repetir.";
    JaCancelada "ja_cancelada" 409 "A nota já está cancelada." "Nada a fazer.";
    JaAutorizada "ja_autorizada" 409 "Já existe uma nota com esta referência." "Use outra referencia, ou consulte a nota indicada em nota_id.";
    EmTransmissao "em_transmissao" 409 "A nota ainda está em transmissão." "Aguarde: o resultado aparece em GET /api/v1/documentos/{nota_id}.";
    VersaoDesatualizada "versao_desatualizada" 412 "O registro mudou desde que foi lido." "Leia de novo e repita a alteração com o ETag atual em If-Match.";
    CorpoGrandeDemais "corpo_grande_demais" 413 "O corpo da requisição passa do limite." "O limite de cada corpo está em GET /api/v1/conta.";
    MidiaInvalida "midia_invalida" 415 "O corpo deve ser JSON." "Envie Content-Type: application/json.";
    ValidacaoPrevia "validacao_previa" 422 "A nota tem pontos a corrigir." "Corrija os campos listados e envie de novo.";
    RejeitadaPelaPrefeitura "rejeitada_pela_prefeitura" 422 "A nota foi recusada; o crédito voltou ao saldo." "Veja o motivo e a correção em rejeicao, corrija e envie de novo.";
    RejeitadaPelaSefaz "rejeitada_pela_sefaz" 422 "A SEFAZ recusou o documento; o crédito voltou ao saldo." "Veja o motivo e a correção em rejeicao, corrija e envie de novo.";
    ChaveIdempotenciaReutilizada "chave_idempotencia_reutilizada" 422 "Esta Idempotency-Key já foi usada com outro corpo." "Use uma chave nova para uma requisição nova.";
    CertificadoInvalido "certificado_invalido" 422 "O certificado não pôde ser lido." "Envie o arquivo .pfx ou .p12 inteiro; dentro de um JSON, em base64.";
    CertificadoSenhaIncorreta "certificado_senha_incorreta" 422 "A senha do certificado está incorreta." "Confira a senha com quem exportou o arquivo.";
    CertificadoVencido "certificado_vencido" 422 "O certificado está fora da validade." "Envie um certificado válido em PUT /api/v1/emitters/{id}/certificado.";
    CertificadoDeOutraEmpresa "certificado_de_outra_empresa" 422 "O certificado pertence a outra empresa." "Use o certificado cujo CNPJ tem a mesma raiz do emitente.";
    CertificadoNaoEA1 "certificado_nao_e_a1" 422 "O arquivo não é um certificado A1 utilizável." "Exporte um A1 (e-CNPJ) com chave RSA de 2048 bits ou mais e a chave privada.";
    CertificadoAusente "certificado_ausente" 422 "O emitente não tem certificado." "Envie o A1 em PUT /api/v1/emitters/{id}/certificado.";
    PerfilFiscalIncompleto "perfil_fiscal_incompleto" 422 "O perfil fiscal do emitente está incompleto." "Complete os campos listados em PUT /api/v1/emitters/{id}/fiscal-profile.";
    CredenciaisRecusadas "credenciais_recusadas" 422 "A prefeitura recusou o certificado ou o usuário e a senha do emitente." "Confira as credenciais em PUT /api/v1/emitters/{id}/fiscal-profile.";
    EmitenteJaExiste "emitente_ja_existe" 409 "Já existe um emitente com este CNPJ." "Use o emitente indicado em emitente_id.";
    MunicipioNaoAtendido "municipio_nao_atendido" 422 "O município ainda não é atendido pela emissão." "Veja o caminho e as ressalvas em GET /api/v1/nfse/cobertura.";
    CancelamentoNaoSuportado "cancelamento_nao_suportado_pelo_municipio" 422 "O município não permite cancelar pela API." "Veja as exigências em GET /api/v1/nfse/cancelamento/exigencias.";
    OperacaoNaoSuportada "operacao_nao_suportada_pelo_municipio" 422 "O sistema do município não tem esta operação." "Veja as ressalvas em GET /api/v1/nfse/cobertura.";
    OperacaoNaoSuportadaPelaSefaz "operacao_nao_suportada_pela_sefaz" 422 "A SEFAZ desta UF não oferece esta operação para este modelo." "Confira a UF e o modelo do documento; nada foi cobrado.";
    CscAusente "csc_ausente" 422 "O emitente não tem o CSC que o QR Code desta UF pede." "Informe nfce.csc_id e nfce.csc em PUT /api/v1/emitters/{id}/fiscal-profile.";
    ForaDaJanelaDeCancelamento "fora_da_janela_de_cancelamento" 422 "O prazo de cancelamento já passou." "Emita uma nota de devolução, ou veja o prazo da UF.";
    ContingenciaNaoOferecida "contingencia_nao_oferecida" 422 "A emissão em contingência não é oferecida." "Envie sem forma_emissao; quando a SEFAZ cai a resposta é 503 e nada é cobrado.";
    ExportacaoEmAndamento "exportacao_em_andamento" 409 "A conta já tem uma exportação em andamento." "Aguarde a exportação indicada em exportacao_id e peça outra depois.";
    LimiteDeArmazenamento "limite_de_armazenamento" 422 "O objeto não cabe no armazenamento da conta." "Apague objetos que não usa mais; GET /api/v1/storage/uso mostra o espaço.";
    LinkExpirado "link_expirado" 410 "O link venceu." "Peça outro: GET /api/v1/documentos/exportacoes/{id} ou GET /api/v1/storage/objetos/{caminho}, enquanto o arquivo existe.";
    EntregaExpirada "entrega_expirada" 410 "A entrega é antiga demais para ser reenviada." "Leia o documento pela API; entregas são guardadas por 90 dias.";
    SemCreditoAReembolsar "sem_credito_a_reembolsar" 409 "Não resta crédito comprado desta compra: foi usado ou já reembolsado." "Presentes são gastos primeiro e não são reembolsados; veja GET /api/v1/creditos.";
    ForaDoPrazoDeReembolso "fora_do_prazo_de_reembolso" 422 "O prazo de sete dias do CDC, art. 49, já passou." "Os créditos não expiram: continuam no saldo.";
    PagamentoRecusado "pagamento_recusado" 422 "O prestador de pagamento recusou a cobrança." "Veja o motivo em recusa, corrija e compre de novo.";
    ReembolsoRecusado "reembolso_recusado" 422 "O prestador de pagamento recusou o reembolso; os créditos voltaram ao saldo." "Veja o motivo em recusa e fale com o suporte.";
    FaixaJaInutilizada "faixa_ja_inutilizada" 409 "A faixa tem números já inutilizados." "Consulte as inutilizações da série e envie só os que faltam.";
    UfNaoAtendida "uf_nao_atendida" 422 "Não há autorizador conhecido para esta UF e este modelo." "Confira o endereço do emitente no perfil fiscal.";
    XmlMalformado "xml_malformado" 422 "O XML não pôde ser lido." "Envie o arquivo inteiro, como a SEFAZ ou o emissor o gerou.";
    DocumentoNaoSuportado "documento_nao_suportado" 422 "Este tipo de documento fiscal não é validado aqui." "Envie o XML de uma NF-e, NFC-e, CT-e 4.00 ou MDF-e 3.00, de um evento deles, de uma inutilização de NF-e ou NFC-e, ou de uma NFS-e nacional (DPS, NFSe, evento).";
    PdfSemCamadaDeTexto "pdf_sem_camada_de_texto" 422 "O PDF não tem camada de texto." "Envie o PDF gerado pelo emissor; fotos e digitalizações não são lidas.";
    ChaveDvInvalido "chave_dv_invalido" 422 "Nenhuma chave de acesso com dígito verificador correto foi encontrada." "Confira o arquivo, ou informe a chave.";
    ConsumoIndevidoBloqueado "consumo_indevido_bloqueado" 423 "A SEFAZ pede uma pausa antes da próxima consulta deste CNPJ." "Repita depois do tempo indicado em Retry-After.";
    ChatappNaoConectado "chatapp_nao_conectado" 422 "Nenhum aplicativo de mensagens está conectado." "Quem opera o hub conecta um; para avisos use os canais email ou webhook.";
    LimiteDoLote "limite_do_lote" 422 "O lote passa do limite de itens." "Divida o lote em mais de uma chamada; campos diz quantos itens cabem.";
    ReceitaAcimaDoSimples "receita_acima_do_simples" 422 "A receita de doze meses passa do limite do Simples Nacional." "Acima de R$ 4.800.000,00 a empresa é tributada fora do Simples (LC 123/2006, art. 3º, II).";
    CteEmTeste "cte_em_teste" 422 "A transmissão de CT-e está em fase de teste." "Nada foi gasto; acompanhe a disponibilidade em /api/v1/precos.";
    ModeloRecusado "modelo_recusado" 422 "Este modelo de documento não é emitido." "Use um dos modelos de /api/v1/precos.";
    LimiteDiarioDemo "limite_diario_demo" 429 "As 25 consultas de demonstração de hoje já foram feitas deste endereço." "Espere até reinicia_em, ou use GET /api/v1/catalogo/gtin/{ean} com uma chave de API.";
    LimiteDeRequisicoes "limite_de_requisicoes" 429 "A conta passou do limite de requisições por minuto." "Espere o tempo indicado em Retry-After.";
    LimiteDeEmails "limite_de_emails" 429 "A conta passou do limite de e-mails em 24 horas." "Espere o tempo indicado em Retry-After.";
    ErroInterno "erro_interno" 500 "Erro interno." "Repita; se continuar, informe o request_id ao suporte.";
    EmConstrucao "em_construcao" 501 "Esta operação ainda não está disponível." "Acompanhe a disponibilidade em /api/v1/precos.";
    FalhaDoAdaptador "falha_do_adaptador" 502 "O adaptador da autoridade falhou ou não entendeu a resposta; nada foi cobrado." "Repita mais tarde; se continuar, informe o request_id ao suporte.";
    FonteIndisponivel "fonte_indisponivel" 502 "Nenhuma fonte consultada respondeu; nada foi cobrado." "Repita depois do tempo indicado em Retry-After; procurado_em diz onde se procurou.";
    FonteNaoConfigurada "fonte_nao_configurada" 503 "Este hub não tem fonte para esta consulta; nada foi cobrado." "Peça a quem opera o hub que configure uma fonte em [lookups].";
    FonteTempoEsgotado "fonte_tempo_esgotado" 504 "A fonte não respondeu a tempo; nada foi cobrado." "Repita depois do tempo indicado em Retry-After; procurado_em diz onde se procurou.";
    PrefeituraIndisponivel "prefeitura_indisponivel" 503 "A prefeitura ou o ambiente nacional está indisponível; nada foi cobrado." "Repita depois do tempo indicado em Retry-After.";
    SefazIndisponivel "sefaz_indisponivel" 503 "A SEFAZ está indisponível; nada foi cobrado nem reservado." "Repita depois do tempo indicado em Retry-After; não há emissão em contingência.";
    CompraNaoOferecida "compra_nao_oferecida" 503 "Este hub não vende créditos." "Fale com quem opera o hub: o meio de pagamento não está configurado.";
    PagamentoIndisponivel "pagamento_indisponivel" 503 "O prestador de pagamento não respondeu; nada foi cobrado." "Repita com a mesma Idempotency-Key depois do tempo indicado em Retry-After.";
    EmailNaoOferecido "email_nao_oferecido" 503 "Este hub não envia e-mail." "Fale com quem opera o hub: o servidor de e-mail não está configurado.";
    EspacoEsgotado "espaco_esgotado" 503 "O disco deste hub está cheio; nada foi enviado nem cobrado." "Repita depois do tempo indicado em Retry-After, com a mesma Idempotency-Key; quem opera o hub precisa liberar espaço.";
    Manutencao "manutencao" 503 "O serviço está em manutenção ou sobrecarregado." "Repita depois do tempo indicado em Retry-After.";
}
