//! What people call what programs name: operations of the API, requests to an
//! authority, changes in the audit. What has no name here is shown as it is.

use maud::{Markup, html};

/// Where the sentence of an operation begins to say more than what it does.
const PAUSES: [&str; 4] = [": ", "; ", ". ", " ("];

/// Requests to an authority, by a part of the name they have there, the more exact
/// parts first. Cities give names of their own, so these are parts and not whole names.
const REQUESTS: [(&[&str], &str); 19] = [
    (&["inutiliza"], "Inutilização de números"),
    (&["cancela"], "Cancelamento de nota"),
    (&["substitu"], "Substituição de nota"),
    (&["statusservico"], "Situação do autorizador"),
    (&["distdfe"], "Busca de notas recebidas"),
    (
        &["consultacadastro"],
        "Consulta ao cadastro de contribuintes",
    ),
    (&["naoenc"], "Consulta de MDF-e não encerrados"),
    (&["get eventos"], "Consulta de eventos"),
    (&["evento"], "Registro de evento"),
    (&["retautorizacao"], "Resultado da autorização"),
    (&["cteconsulta"], "Consulta de CT-e"),
    (&["mdfeconsulta"], "Consulta de MDF-e"),
    (&["cterecepcao"], "Autorização de CT-e"),
    (&["mdferecepcao"], "Autorização de MDF-e"),
    (&["autorizacao"], "Autorização de nota"),
    (
        &["login", "sessao", "autentica"],
        "Entrada no sistema da prefeitura",
    ),
    (
        &["situacaolote", "consultarlote", "consultalote", "protocolo"],
        "Consulta do lote de notas",
    ),
    (
        &[
            "consult",
            "get ",
            "head ",
            "post dps",
            "pegaxml",
            "impressao",
        ],
        "Consulta de nota",
    ),
    (
        &[
            "emit", "gera", "env", "recepc", "import", "processa", "nfse", "nfe", "rps",
        ],
        "Envio de nota",
    ),
];

/// Why nothing came back, by the words of the history and of the record of a call.
const FAULTS: [(&[&str], &str); 9] = [
    (
        &["dns", "nome_nao_encontrado"],
        "O endereço da autoridade não foi encontrado.",
    ),
    (
        &["connect", "sem_conexao"],
        "Não foi possível conectar à autoridade.",
    ),
    (
        &["tls"],
        "A conexão segura com a autoridade não se completou.",
    ),
    (
        &["client-certificate-refused", "certificado_recusado"],
        "A autoridade recusou o certificado da empresa.",
    ),
    (
        &["timeout", "tempo_esgotado"],
        "A autoridade não respondeu no tempo de espera.",
    ),
    (
        &["reset", "conexao_encerrada"],
        "A autoridade encerrou a conexão antes de responder.",
    ),
    (
        &["too-large", "resposta_grande_demais"],
        "A resposta da autoridade é grande demais.",
    ),
    (&["blocked", "nao_enviada"], "O pedido não foi enviado."),
    (
        &["other", "outra"],
        "A comunicação com a autoridade falhou.",
    ),
];

/// Changes in the audit that people and operators made; those of keys are operations.
const CHANGES: [(&str, &str); 76] = [
    ("adaptador.ativado", "Adaptador ativado"),
    ("adaptador.desfeito", "Mudança de adaptador desfeita"),
    ("adaptador.em_canario", "Adaptador em canário"),
    ("adaptador.em_quarentena", "Adaptador em quarentena"),
    ("adaptador.instalado", "Adaptador instalado"),
    ("adaptador.promovido", "Adaptador promovido"),
    ("adaptador.recusado", "Adaptador recusado"),
    (
        "autorizador.pausa_encerrada",
        "Pausa do autorizador encerrada",
    ),
    ("chave.criada", "Chave de API criada"),
    ("chave.revogada", "Chave de API revogada"),
    ("chave.rotacionada", "Chave de API trocada por outra"),
    ("cofre.chave_trocada", "Chave do cofre trocada"),
    ("cofre.regravado", "Cofre regravado com a chave atual"),
    ("conta.aberta", "Conta aberta"),
    ("conta.bloqueada", "Conta bloqueada"),
    ("conta.desbloqueada", "Conta desbloqueada"),
    ("conta.liberacao", "Documento liberado para a conta"),
    (
        "conta.liberacao_retirada",
        "Liberação de documento retirada",
    ),
    ("conta.limite", "Limite da conta alterado"),
    ("creditos.alerta", "Alerta de saldo alterado"),
    ("creditos.compra", "Compra de créditos"),
    ("creditos.concedidos", "Créditos concedidos"),
    ("creditos.reembolso", "Reembolso pedido"),
    ("dados.desfeitos", "Importação de dados desfeita"),
    ("dados.importados", "Dados de referência importados"),
    ("documento.cancelado", "Documento cancelado"),
    ("documento.condutor", "Condutor incluído"),
    ("documento.consultado", "Documento consultado na autoridade"),
    ("documento.corrigido", "Carta de correção registrada"),
    ("documento.email", "Documento enviado por e-mail"),
    ("documento.emitido", "Documento emitido"),
    ("documento.encerrado", "Documento encerrado"),
    ("documento.excluido", "Rascunho excluído"),
    ("documento.exportado", "Documentos exportados"),
    ("documento.notas_incluidas", "Notas incluídas no MDF-e"),
    ("documento.pagamento", "Pagamento vinculado à nota"),
    (
        "documento.pagamento_desfeito",
        "Vínculo de pagamento desfeito",
    ),
    ("documento.substituido", "Nota substituída"),
    ("documento.vinculado", "Nota ligada a outra"),
    ("emitente.ambiente", "Ambiente do emitente alterado"),
    ("emitente.cadastrado", "Emitente cadastrado"),
    ("emitente.certificado", "Certificado do emitente trocado"),
    (
        "emitente.certificado_removido",
        "Certificado do emitente removido",
    ),
    ("emitente.logotipo", "Logotipo do emitente trocado"),
    (
        "emitente.logotipo_removido",
        "Logotipo do emitente removido",
    ),
    ("emitente.perfil", "Perfil do emitente alterado"),
    ("entrega.reenviada", "Aviso enviado de novo"),
    (
        "entregas.reenviadas",
        "Avisos que falharam enviados de novo",
    ),
    ("equipe.convite", "Convite enviado"),
    ("equipe.convite_retirado", "Convite retirado"),
    ("equipe.entrada", "Convite aceito"),
    ("equipe.papel", "Papel de uma pessoa alterado"),
    ("lote.descartado", "Lote descartado"),
    ("lote.emitido", "Lote emitido"),
    ("nota.consulta_pedida", "Consulta da nota pedida"),
    ("numeracao.inutilizada", "Numeração inutilizada"),
    ("pessoa.alterada", "Cliente alterado"),
    ("pessoa.autenticador_desligado", "Autenticador desligado"),
    ("pessoa.autenticador_ligado", "Autenticador ligado"),
    ("pessoa.cadastrada", "Cliente cadastrado"),
    ("pessoa.entrada", "Entrada no painel"),
    ("pessoa.link_de_senha", "Link para trocar a senha criado"),
    ("pessoa.senha", "Senha trocada"),
    ("pessoa.senha_recuperada", "Senha recuperada"),
    ("produto.alterado", "Produto alterado"),
    ("produto.cadastrado", "Produto cadastrado"),
    ("produto.excluido", "Produto excluído"),
    ("raizes.importadas", "Certificados de confiança importados"),
    ("rascunho.guardado", "Rascunho guardado"),
    ("recebida.manifestada", "Manifestação de nota recebida"),
    ("recebidas.consultadas", "Busca de notas recebidas"),
    ("webhook.criado", "Webhook registrado"),
    ("webhook.mudado", "Webhook alterado"),
    ("webhook.removido", "Webhook removido"),
    ("webhook.segredo_trocado", "Segredo do webhook trocado"),
    ("webhook.testado", "Aviso de teste enviado"),
];

/// What an operation of the API does, as the catalogue says it, without the details.
pub fn operation(id: &str) -> Option<String> {
    let built = api::built().iter().find(|one| one.operation == id)?;
    let summary = built.docs.summary;
    let summary = summary.strip_prefix("Beta, grátis: ").unwrap_or(summary);
    let ends = PAUSES.iter().filter_map(|pause| summary.find(*pause));
    let end = ends.min().unwrap_or(summary.len());
    Some(capital(summary[..end].trim_end_matches('.')))
}

/// What a request to an authority asks for.
pub fn request(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let has = |parts: &&[&str]| parts.iter().any(|part| name.contains(part));
    let known = REQUESTS.iter().find(|(parts, _)| has(parts));
    known.map(|(_, title)| *title)
}

/// Why nothing came back from an authority.
pub fn fault(word: &str) -> Option<&'static str> {
    let known = FAULTS.iter().find(|(words, _)| words.contains(&word));
    known.map(|(_, sentence)| *sentence)
}

/// What was done, of an action in the audit: of a person, of an operator or of a key.
pub fn change(action: &str) -> Option<String> {
    let known = CHANGES.iter().find(|(word, _)| *word == action);
    known.map_or_else(|| operation(action), |(_, name)| Some((*name).to_owned()))
}

/// A name with the word that programs use below it, small; the word alone where it has
/// no name.
pub fn named(name: Option<&str>, word: &str) -> Markup {
    html! {
        @match name {
            Some(name) => { (name) div class="suave pequeno mono quebra" { (word) } },
            None => span class="mono" { (word) },
        }
    }
}

/// An operation of the API, with its id below.
pub fn operation_named(id: &str) -> Markup {
    named(operation(id).as_deref(), id)
}

/// An action of the audit, with its word below.
pub fn change_named(action: &str) -> Markup {
    named(change(action).as_deref(), action)
}

/// The same with a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
