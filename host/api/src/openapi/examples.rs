//! Examples of requests and answers: one file per operation in
//! `host/api/examples`. Tests send each of them, so they are true.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The file of one operation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Parameters of the path.
    #[serde(default)]
    pub caminho: Map<String, Value>,
    /// Parameters of the query.
    #[serde(default)]
    pub consulta: Map<String, Value>,
    /// The body, where the operation takes one.
    pub pedido: Option<Value>,
    /// The same as a form, where the operation takes one; a file is shown by
    /// its name.
    pub formulario: Option<Map<String, Value>>,
    /// Answers by status.
    #[serde(default)]
    pub respostas: BTreeMap<String, Given>,
}

/// One answer; absent where it is no JSON.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    pub exemplo: Option<Value>,
}

macro_rules! files {
    ($($operation:literal)*) => {
        /// Operation, its file.
        const FILES: &[(&str, &str)] = &[
            $(($operation, include_str!(concat!("../../examples/", $operation, ".json")))),*
        ];
    };
}

files! {
    "autorizadores.list"
    "catalogo.buscar"
    "catalogo.ean.pesavel"
    "chatapp.validar"
    "catalogo.gtin.batch"
    "catalogo.gtin.get"
    "catalogo.gtin.reportar"
    "chaves.create"
    "chaves.delete"
    "chaves.list"
    "chaves.rotacionar"
    "conta"
    "cte-os.create"
    "cte.autorizador.status"
    "cte.cancelar"
    "cte.cce"
    "cte.criar"
    "cte.criar-e-emitir"
    "cte.dacte"
    "cte.emitir"
    "cte.epec"
    "cte.inutilizar"
    "cte.list"
    "cte.status"
    "cte.xml"
    "creditos"
    "creditos.alerta"
    "creditos.compras.create"
    "creditos.compras.get"
    "creditos.compras.reembolso"
    "creditos.extrato"
    "creditos.pacotes"
    "demo.buscar"
    "dere.eventos"
    "dere.lotes"
    "dere.lotes.get"
    "dere.lotes.revalidar"
    "documentos.auditar"
    "documentos.buscar"
    "documentos.danfe"
    "documentos.delete"
    "documentos.email"
    "documentos.exportacoes.arquivo"
    "documentos.exportacoes.get"
    "documentos.exportar"
    "documentos.get"
    "documentos.historico"
    "documentos.list"
    "documentos.resumo"
    "documentos.xml"
    "emitters.batch"
    "emitters.certificado"
    "emitters.certificado.put"
    "emitters.create"
    "emitters.delete"
    "emitters.fiscal-profile"
    "emitters.get"
    "emitters.list"
    "emitters.update"
    "empresa.cnpj"
    "empresa.ie"
    "erros"
    "eventos.get"
    "eventos.list"
    "fiscal.anp"
    "fiscal.anp.get"
    "fiscal.calcular-impostos"
    "fiscal.carga-tributaria"
    "fiscal.cbenef"
    "fiscal.cbenef.get"
    "fiscal.cest"
    "fiscal.cest.get"
    "fiscal.cfop"
    "fiscal.cfop.get"
    "fiscal.cnae"
    "fiscal.cnae.get"
    "fiscal.fci.validar"
    "fiscal.ibpt.get"
    "fiscal.ibs-cbs"
    "fiscal.ibs-cbs.get"
    "fiscal.ncm"
    "fiscal.ncm.get"
    "fiscal.nfse.provedor"
    "fiscal.nfse.provedores"
    "fiscal.perfil-sugerido"
    "fiscal.notas-tecnicas"
    "fiscal.regras"
    "fiscal.simples.aliquota"
    "fiscal.simples.fator-r"
    "fiscal.xml.validar"
    "geo.cep.batch"
    "geo.cep.get"
    "geo.cep.list"
    "geo.cidades"
    "geo.cidades.get"
    "geo.distancia"
    "geo.extras.get"
    "geo.geocoding"
    "geo.geocoding.reverso"
    "geo.ibge.get"
    "geo.rota"
    "geo.rota.otimizar"
    "gnre.calcular"
    "gnre.configuracoes.get"
    "mdfe.autorizador.status"
    "mdfe.cancelar"
    "mdfe.criar"
    "mdfe.criar-e-emitir"
    "mdfe.documento"
    "mdfe.emitir"
    "mdfe.encerrar"
    "mdfe.incluir-condutor"
    "mdfe.incluir-dfe"
    "mdfe.list"
    "mdfe.nao-encerrados"
    "mdfe.status"
    "nfce.autorizador.status"
    "nfce.cancelar"
    "nfce.create"
    "nfce.criar"
    "nfce.emitir"
    "nfce.inutilizar"
    "nfce.janela-cancelamento"
    "nfce.status"
    "nfe-entrada.consultar"
    "nfe-entrada.eventos"
    "nfe-entrada.get"
    "nfe-entrada.list"
    "nfe-entrada.manifestar"
    "nfe.autorizador.status"
    "nfe.cancelar"
    "nfe.cce"
    "nfe.create"
    "nfe.criar"
    "nfe.danfe-xml"
    "nfe.danfe.ler"
    "nfe.econf"
    "nfe.econf.desfazer"
    "nfe.econf.get"
    "nfe.emitir"
    "nfe.eventos-reforma"
    "nfe.eventos-reforma.cancelar"
    "nfe.eventos-reforma.post"
    "nfe.inutilizar"
    "nfe.list"
    "nfe.parse"
    "nfe.split-payment"
    "nfe.status"
    "nfe.travadas"
    "nfe.vinculos"
    "nfe.vinculos.get"
    "nfse.cancelamento.exigencias"
    "nfse.cancelar"
    "nfse.cobertura"
    "nfse.create"
    "nfse.criar"
    "nfse.documento"
    "nfse.emitir"
    "nfse.list"
    "nfse.roteamento"
    "nfse.status"
    "nfse.substituir"
    "openapi"
    "pessoas.create"
    "pessoas.enderecos"
    "pessoas.get"
    "pessoas.list"
    "pessoas.telefones"
    "pessoas.update"
    "pix.brcode"
    "pix.brcode.ler"
    "precos"
    "pronto"
    "psp.aviso"
    "reforma.eventos.catalogo"
    "reforma.eventos.pre-validar"
    "saude"
    "storage.objetos.arquivo"
    "storage.objetos.delete"
    "storage.objetos.get"
    "storage.objetos.list"
    "storage.objetos.put"
    "storage.uso"
    "usage"
    "usage.chamadas.get"
    "usage.chamadas.list"
    "validate.cnpj"
    "validate.cpf"
    "validate.email"
    "validate.telefone"
    "veiculo.fipe.anos"
    "veiculo.fipe.get"
    "veiculo.fipe.marcas"
    "veiculo.fipe.modelos"
    "veiculo.placa.corrigir"
    "veiculo.placa.formato"
    "veiculo.placa.get"
    "webhooks.create"
    "webhooks.delete"
    "webhooks.entregas.get"
    "webhooks.entregas.list"
    "webhooks.entregas.reenviar"
    "webhooks.entregas.reenviar.post"
    "webhooks.get"
    "webhooks.list"
    "webhooks.rotacionar-segredo"
    "webhooks.testar"
    "webhooks.tipos-evento"
    "webhooks.update"
}

/// Operations that have an example.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The example of an operation; a test reads all files.
pub fn example(operation: &str) -> Option<Example> {
    let (_, text) = FILES.iter().find(|(name, _)| *name == operation)?;
    serde_json::from_str(text).ok()
}
