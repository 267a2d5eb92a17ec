//! ABRASF 1.00 to 2.0x and the cities that follow them more or less.
//!
//! In 1.00 everything lies in `InfNfse`; from 2.00 on what was declared lies in
//! `DeclaracaoPrestacaoServico/InfDeclaracaoPrestacaoServico`. Both places are
//! asked for everything.

use rust_decimal::Decimal;

use super::ibs_cbs::{self, somar};
use crate::danfse::reading::descriptions::abrasf as descricao;
use crate::danfse::reading::group::Grupo;
use crate::danfse::reading::national::em_linha;
use crate::danfse::{
    Danfse, Destinatario, Municipio, Padrao, Pessoa, Prestador, Servico, Situacao, Totais,
    TributacaoFederal, TributacaoMunicipal,
};
use markup::format::{data, uf_do_ibge};
use markup::xml::Element;

/// Longest address taken from a city's answer, in bytes.
const MAX_URL: usize = 300;

/// The two places a value may be in.
#[derive(Clone, Copy)]
struct Nota<'d> {
    inf: Grupo<'d>,
    declaracao: Grupo<'d>,
}

impl<'d> Nota<'d> {
    fn um_de(self, caminhos: &[&str]) -> Grupo<'d> {
        let achado = self.inf.um_de(caminhos);
        if achado.existe() {
            achado
        } else {
            self.declaracao.um_de(caminhos)
        }
    }

    fn texto(self, caminhos: &[&str]) -> String {
        self.um_de(caminhos).proprio_texto()
    }

    fn valor(self, caminhos: &[&str]) -> Option<Decimal> {
        crate::danfse::reading::group::numero(&self.texto(caminhos))
    }
}

pub(super) fn ler(elemento: Element<'_>) -> Danfse {
    let inf = Grupo::from(elemento);
    let declaracao = inf
        .em("DeclaracaoPrestacaoServico")
        .um_de(&["InfDeclaracaoPrestacaoServico"]);
    let declaracao = if declaracao.existe() {
        declaracao
    } else {
        inf.em("DeclaracaoPrestacaoServico")
    };
    let nota = Nota { inf, declaracao };
    let (situacao, situacao_texto) = situacao(elemento);
    let valores = valores(nota);
    let orgao = nota.um_de(&["OrgaoGerador"]);
    let prestador = prestador(nota);
    let municipio = if orgao.existe() {
        municipio(&orgao.texto("CodigoMunicipio"), orgao.texto("Uf"))
    } else {
        prestador.pessoa.municipio.clone()
    };
    let tomador = nota.um_de(&["TomadorServico", "Tomador"]);
    let intermediario = nota.um_de(&["IntermediarioServico", "Intermediario"]);
    let ibs_cbs = ibs_cbs(nota);
    Danfse {
        padrao: Padrao::Abrasf,
        situacao,
        municipio,
        ambiente_gerador: "Prefeitura".to_owned(),
        codigo_verificacao: nota.texto(&["CodigoVerificacao"]),
        url_consulta: url(&inf.texto_de(&["LinkNfse", "LinkVisualizacaoNfse", "UrlNfse"])),
        numero: inf.texto("Numero"),
        competencia: nota.texto(&["Competencia"]),
        emissao: inf.texto("DataEmissao"),
        numero_dps: nota.texto(&["IdentificacaoRps/Numero", "Rps/IdentificacaoRps/Numero"]),
        serie_dps: nota.texto(&["IdentificacaoRps/Serie", "Rps/IdentificacaoRps/Serie"]),
        emissao_dps: nota.texto(&["DataEmissaoRps", "Rps/DataEmissao"]),
        emitente: "Prestador".to_owned(),
        situacao_texto,
        prestador,
        tomador: tomador.existe().then(|| pessoa(tomador)),
        destinatario: Destinatario::NaoIdentificado,
        intermediario: intermediario.existe().then(|| pessoa(intermediario)),
        servico: servico(nota),
        iss: iss(nota, &valores),
        federal: valores.federal.clone(),
        totais: totais(
            &valores,
            ibs_cbs
                .as_ref()
                .map(|grupo| [grupo.valor_ibs, grupo.valor_cbs]),
        ),
        ibs_cbs,
        informacoes: informacoes(nota),
        ..Danfse::default()
    }
}

/// A cancellation or substitution beside the note, in its `CompNfse`. An empty
/// element says nothing, and `Sucesso` false says no.
fn situacao(inf: Element<'_>) -> (Situacao, String) {
    let around = std::iter::successors(inf.parent(), |element| element.parent());
    let comp = around
        .take(2)
        .filter(|element| element.name().to_ascii_lowercase().starts_with("comp"))
        .map(Grupo::from)
        .next();
    let Some(comp) = comp else {
        return (Situacao::Normal, "NFS-e emitida".to_owned());
    };
    let substituicao = comp.um_de(&["NfseSubstituicao", "SubstituicaoNfse"]);
    let substituta = substituicao.dentro("NfseSubstituidora").proprio_texto();
    if !substituta.is_empty() {
        return (
            Situacao::Substituida,
            format!("NFS-e substituída pela NFS-e {substituta}"),
        );
    }
    let cancelamento = comp.um_de(&["NfseCancelamento", "CancelamentoNfse"]);
    let recusado = matches!(
        &*cancelamento.dentro("Sucesso").proprio_texto(),
        "false" | "0"
    );
    if cancelamento.dentro("Confirmacao").existe() && !recusado {
        let quando = ["DataHora", "DataHoraCancelamento"]
            .map(|nome| data(&cancelamento.dentro(nome).proprio_texto()))
            .into_iter()
            .find(|quando| !quando.is_empty());
        let texto = quando.map_or_else(
            || "NFS-e cancelada".to_owned(),
            |quando| format!("NFS-e cancelada em {quando}"),
        );
        return (Situacao::Cancelada, texto);
    }
    (Situacao::Normal, "NFS-e emitida".to_owned())
}

/// Only an address one can open goes into the QR code.
fn url(texto: &str) -> String {
    let ok = texto.len() <= MAX_URL
        && texto.starts_with("https://")
        && texto.bytes().all(|b| b.is_ascii_graphic());
    if ok { texto.to_owned() } else { String::new() }
}

fn municipio(codigo: &str, uf: String) -> Municipio {
    Municipio {
        codigo: codigo.to_owned(),
        nome: String::new(),
        uf: if uf.is_empty() {
            uf_do_ibge(codigo).to_owned()
        } else {
            uf
        },
        pais: String::new(),
    }
}

fn prestador(nota: Nota<'_>) -> Prestador {
    let completo = nota.um_de(&["PrestadorServico"]);
    let mut pessoa = pessoa(completo);
    // In 2.0x the declaration names the provider again, by number only.
    let declarado = self::pessoa(nota.declaracao.em("Prestador"));
    for (to, from) in [
        (&mut pessoa.documento, declarado.documento),
        (
            &mut pessoa.inscricao_municipal,
            declarado.inscricao_municipal,
        ),
        (&mut pessoa.nome, declarado.nome),
    ] {
        if to.is_empty() {
            *to = from;
        }
    }
    Prestador {
        pessoa,
        simples_nacional: descricao::sim_nao(
            &nota.texto(&["OptanteSimplesNacional"]),
            "Optante",
            "Não Optante",
        ),
        regime_apuracao: String::new(),
    }
}

/// Identification lies in a group of its own, except for the intermediary of
/// 1.00 and the provider of a declaration.
fn pessoa(grupo: Grupo<'_>) -> Pessoa {
    let id = grupo.um_de(&[
        "IdentificacaoPrestador",
        "IdentificacaoTomador",
        "IdentificacaoIntermediario",
    ]);
    let id = if id.existe() { id } else { grupo };
    let endereco = grupo.em("Endereco");
    let partes = ["Endereco", "Numero", "Complemento", "Bairro"].map(|nome| endereco.texto(nome));
    let rua = endereco.texto_de(&["TipoLogradouro"]);
    let mut endereco_linha = em_linha(&partes);
    if !rua.is_empty() && !endereco_linha.is_empty() {
        endereco_linha = format!("{rua} {endereco_linha}");
    }
    Pessoa {
        documento: Some(id.texto_de(&["CpfCnpj/Cnpj", "CpfCnpj/Cpf", "Cnpj", "Cpf"]))
            .filter(|documento| !documento.is_empty())
            .unwrap_or_else(|| grupo.texto_de(&["NifTomador", "IdentificacaoTomador/NifTomador"])),
        inscricao_municipal: id.texto("InscricaoMunicipal"),
        nome: grupo.texto_de(&["RazaoSocial", "NomeFantasia"]),
        telefone: grupo.texto_de(&["Contato/Telefone", "Telefone"]),
        email: grupo.texto_de(&["Contato/Email", "Email"]),
        endereco: if endereco_linha.is_empty() {
            grupo.texto_de(&["EnderecoExterior/EnderecoCompletoExterior"])
        } else {
            endereco_linha
        },
        municipio: municipio(
            // The intermediary has a municipality and no address.
            &Some(endereco.texto_de(&["CodigoMunicipio", "Cidade"]))
                .filter(|codigo| !codigo.is_empty())
                .unwrap_or_else(|| grupo.texto("CodigoMunicipio")),
            endereco.texto_de(&["Uf", "Estado"]),
        ),
        cep: endereco.texto("Cep"),
    }
}

fn servico(nota: Nota<'_>) -> Servico {
    let servico = nota.um_de(&["Servico"]);
    let mut local = municipio(&servico.texto("CodigoMunicipio"), String::new());
    // 1058 is Brazil in the table of the central bank.
    local.pais = Some(servico.texto("CodigoPais"))
        .filter(|pais| pais != "1058")
        .unwrap_or_default();
    Servico {
        codigo_nacional: servico.texto("ItemListaServico"),
        codigo_municipal: servico.texto("CodigoTributacaoMunicipio"),
        cnae: servico.texto("CodigoCnae"),
        nbs: servico.texto("CodigoNbs"),
        local,
        descricao_codigo: nota.texto(&[
            "DescricaoCodigoTributacaoMunicipio",
            "DescricaoCodigoTributacaoMunicípio",
        ]),
        descricao: servico.texto("Discriminacao"),
    }
}

/// Amounts, read once: several depend on each other.
struct Valores {
    servicos: Option<Decimal>,
    deducoes: Option<Decimal>,
    incondicionado: Option<Decimal>,
    condicionado: Option<Decimal>,
    base: Option<Decimal>,
    aliquota: Option<Decimal>,
    iss: Option<Decimal>,
    iss_retido: Option<Decimal>,
    retido: String,
    liquido: Option<Decimal>,
    federal: TributacaoFederal,
}

fn valores(nota: Nota<'_>) -> Valores {
    // What the city computed comes before what was declared.
    let em = |nome: &str| {
        nota.valor(&[
            format!("ValoresNfse/{nome}").as_str(),
            format!("Servico/Valores/{nome}").as_str(),
        ])
    };
    let base = em("BaseCalculo");
    let iss = em("ValorIss");
    let retido = nota.texto(&["Servico/IssRetido", "Servico/Valores/IssRetido"]);
    Valores {
        servicos: em("ValorServicos"),
        deducoes: em("ValorDeducoes"),
        incondicionado: em("DescontoIncondicionado"),
        condicionado: em("DescontoCondicionado"),
        aliquota: em("Aliquota").map(|aliquota| em_percentual(aliquota, base, iss)),
        iss_retido: em("ValorIssRetido").or_else(|| if retido == "1" { iss } else { None }),
        base,
        iss,
        retido,
        liquido: em("ValorLiquidoNfse"),
        federal: TributacaoFederal {
            irrf: em("ValorIr"),
            previdencia: em("ValorInss"),
            contribuicoes_sociais: em("ValorCsll"),
            pis: em("ValorPis"),
            cofins: em("ValorCofins"),
            descricao_retencao: String::new(),
            outras_retencoes: em("OutrasRetencoes"),
        },
    }
}

/// Cities write five percent as 5 or as 0.05. Base and tax tell which, where
/// they are known; otherwise a rate of up to 0.05 is the greatest legal one
/// (LC 116/2003, art. 8) as a fraction, as 2 % is the least (art. 8-A).
fn em_percentual(aliquota: Decimal, base: Option<Decimal>, iss: Option<Decimal>) -> Decimal {
    let cem = Decimal::ONE_HUNDRED;
    let Some(como_percentual) = aliquota.checked_mul(cem) else {
        return aliquota;
    };
    let conhecidos = base
        .zip(iss)
        .filter(|(base, iss)| !base.is_zero() && !iss.is_zero());
    let fracao = match conhecidos.and_then(|(base, iss)| iss.checked_div(base)) {
        Some(razao) => (razao - aliquota).abs() < (razao - aliquota / cem).abs(),
        None => aliquota <= Decimal::new(5, 2),
    };
    if fracao { como_percentual } else { aliquota }
}

fn iss(nota: Nota<'_>, valores: &Valores) -> TributacaoMunicipal {
    let exigibilidade = nota.texto(&["Servico/ExigibilidadeISS"]);
    let retencao = match (
        &*valores.retido,
        &*nota.texto(&["Servico/ResponsavelRetencao"]),
    ) {
        ("1", "1") => "Retido pelo Tomador".to_owned(),
        ("1", "2") => "Retido pelo Intermediário".to_owned(),
        (retido, _) => descricao::sim_nao(retido, "Retido", "Não Retido"),
    };
    TributacaoMunicipal {
        tributacao: if exigibilidade.is_empty() {
            descricao::natureza(&nota.texto(&["NaturezaOperacao"]))
        } else {
            descricao::exigibilidade(&exigibilidade)
        },
        incidencia: municipio(
            &nota.texto(&[
                "Servico/MunicipioIncidencia",
                "Servico/CodigoMunicipioIncidencia",
            ]),
            String::new(),
        ),
        regime_especial: descricao::regime_especial(&nota.texto(&["RegimeEspecialTributacao"])),
        processo_suspensao: nota.texto(&["Servico/NumeroProcesso"]),
        deducoes: valores.deducoes,
        desconto_incondicionado: valores.incondicionado,
        base_calculo: valores.base,
        aliquota: valores.aliquota,
        retencao,
        valor: valores.iss,
        ..TributacaoMunicipal::default()
    }
}

fn totais(valores: &Valores, ibs_cbs: Option<[Option<Decimal>; 2]>) -> Totais {
    let federal = &valores.federal;
    Totais {
        servico: valores.servicos,
        desconto_incondicionado: valores.incondicionado,
        desconto_condicionado: valores.condicionado,
        retencoes: somar([
            valores.iss_retido,
            federal.irrf,
            federal.previdencia,
            federal.contribuicoes_sociais,
            federal.pis,
            federal.cofins,
            federal.outras_retencoes,
        ]),
        liquido: valores.liquido,
        ibs_cbs: ibs_cbs.and_then(somar),
        liquido_com_ibs_cbs: None,
    }
}

/// Cities put the group at different depths; what the city computed is the one
/// with totals.
fn ibs_cbs(nota: Nota<'_>) -> Option<crate::danfse::IbsCbs> {
    let declarado = nota.declaracao.dentro("IBSCBS");
    let declarado = if declarado.existe() {
        declarado
    } else {
        nota.inf.dentro("IBSCBS")
    };
    let apurado = [nota.inf.em("ValoresNfse"), nota.inf]
        .into_iter()
        .map(|grupo| grupo.dentro("IBSCBS"))
        .find(|grupo| grupo.dentro("totCIBS").existe())
        .unwrap_or(declarado);
    ibs_cbs::ler(declarado, apurado, None)
}

fn informacoes(nota: Nota<'_>) -> Vec<String> {
    let rotulados = [
        ("", nota.texto(&["OutrasInformacoes"])),
        ("", nota.texto(&["InformacoesComplementares"])),
        ("NFS-e substituída: ", nota.inf.texto("NfseSubstituida")),
        (
            "Código da obra: ",
            nota.texto(&["ConstrucaoCivil/CodigoObra"]),
        ),
        ("ART: ", nota.texto(&["ConstrucaoCivil/Art"])),
        (
            "Incentivo fiscal: ",
            descricao::sim_nao(
                &nota.texto(&["IncentivoFiscal", "IncentivadorCultural"]),
                "Sim",
                "",
            ),
        ),
    ];
    rotulados
        .into_iter()
        .filter(|(_, texto)| !texto.is_empty())
        .map(|(rotulo, texto)| format!("{rotulo}{texto}"))
        .collect()
}
