//! Pre-flight of a service note: everything that can be known to be wrong
//! before a number, a credit or a request to the city is spent.

use super::dps::{
    Conteudo, Endereco, Exigibilidade, IbsCbs, Iss, ModoTributos, Pessoa, Retencao, Retencoes,
    Substitui, TipoPessoa, TributosAproximados, Valores,
};
use crate::nfse::value::Valor;
use markup::field::{Campo, Campos};
use markup::ids::{CpfCnpj, IbgeMunicipio};
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

/// What the rules need to know about the emission besides its content.
pub struct Emissao {
    /// CNPJ of the emitter, without a mask.
    pub prestador: String,
    pub data_emissao: OffsetDateTime,
    pub data_competencia: Date,
    /// The note leaves in the national layout (DPS), which asks for more.
    pub layout_nacional: bool,
}

/// Takes masks off, then lists every problem of the content.
///
/// # Errors
/// All the fields to correct, in the order of the body.
pub fn validate(conteudo: &mut Conteudo, emissao: &Emissao) -> Result<(), Vec<Campo>> {
    let mut campos = Campos::default();
    if let Some(tomador) = &mut conteudo.tomador {
        pessoa(&mut campos, "tomador", tomador);
        let company = tomador
            .cpf_cnpj
            .as_ref()
            .is_some_and(|documento| documento.len() > 11);
        if emissao.layout_nacional && company && tomador.endereco.is_none() {
            // National rule E0235.
            campos.add(
                "tomador.endereco",
                "obrigatorio",
                "O padrão nacional exige o endereço do tomador com CNPJ.",
                "Informe o endereço completo.",
            );
        }
    }
    if let Some(intermediario) = &mut conteudo.intermediario {
        pessoa(&mut campos, "intermediario", intermediario);
    }
    mesma_empresa(&mut campos, conteudo, emissao);
    servico(&mut campos, conteudo, emissao);
    valores(
        &mut campos,
        &conteudo.valores,
        conteudo.intermediario.is_some(),
    );
    if let Some(ibs_cbs) = &mut conteudo.ibs_cbs {
        let has_nbs = conteudo.servico.codigo_nbs.is_some();
        self::ibs_cbs(&mut campos, ibs_cbs, has_nbs);
    }
    if let Some(substitui) = &conteudo.substitui {
        self::substitui(&mut campos, substitui, emissao.layout_nacional);
    }
    if let Some(texto) = &conteudo.informacoes_complementares {
        text(&mut campos, "informacoes_complementares", texto, 1, 2000);
    }
    datas(&mut campos, emissao);
    campos.into_result()
}

/// Nobody renders a service to itself: E0202 and E0262 of the national layout, E52
/// of ABRASF, which says nothing of the intermediary. Another establishment of the
/// company has a CNPJ of its own.
fn mesma_empresa(campos: &mut Campos, conteudo: &Conteudo, emissao: &Emissao) {
    let papeis = [
        ("tomador", "tomador", conteudo.tomador.as_ref()),
        (
            "intermediario",
            "intermediário",
            (conteudo.intermediario.as_ref()).filter(|_| emissao.layout_nacional),
        ),
    ];
    for (path, quem, pessoa) in papeis {
        let documento = pessoa.and_then(|pessoa| pessoa.cpf_cnpj.as_deref());
        if documento == Some(&*emissao.prestador) {
            campos.add(
                format!("{path}.cpf_cnpj"),
                "igual_ao_prestador",
                format!("O {quem} é o próprio prestador do serviço."),
                format!("Informe o CPF ou CNPJ de outro {quem}, ou emita por outro emitente."),
            );
        }
    }
}

fn datas(campos: &mut Campos, emissao: &Emissao) {
    if emissao.data_competencia > emissao.data_emissao.date() {
        campos.add_value(
            "data_competencia",
            "competencia_futura",
            &emissao.data_competencia.to_string(),
            "A competência é posterior à emissão.",
            "Informe a data em que o serviço foi prestado, até o dia da emissão.",
        );
    }
}

fn pessoa(campos: &mut Campos, path: &str, pessoa: &mut Pessoa) {
    if pessoa.tipo == TipoPessoa::Identificado {
        match &pessoa.cpf_cnpj {
            None => campos.add(
                format!("{path}.cpf_cnpj"),
                "obrigatorio",
                "Falta o CPF ou CNPJ.",
                "Informe cpf_cnpj, ou tipo = \"nao_identificado\" ou \"exterior\".",
            ),
            Some(documento) => match CpfCnpj::parse(documento) {
                Ok(documento) => pessoa.cpf_cnpj = Some(documento.to_string()),
                Err(_) => campos.add(
                    format!("{path}.cpf_cnpj"),
                    "cpf_cnpj_invalido",
                    "CPF ou CNPJ inválido: o dígito verificador não confere.",
                    "Confira o número; o CNPJ pode ter letras nas 12 primeiras posições.",
                ),
            },
        }
    }
    let nameless = pessoa
        .nome
        .as_deref()
        .is_none_or(|nome| nome.trim().is_empty());
    if nameless && pessoa.tipo != TipoPessoa::NaoIdentificado {
        campos.add(
            format!("{path}.nome"),
            "obrigatorio",
            "Falta o nome.",
            "Informe o nome ou a razão social.",
        );
    }
    if let Some(nome) = &pessoa.nome {
        text(campos, &format!("{path}.nome"), nome, 1, 300);
    }
    if let Some(email) = &pessoa.email {
        let valid = email.len() <= 80
            && email
                .split_once('@')
                .is_some_and(|(user, domain)| !user.is_empty() && domain.contains('.'))
            && !email.chars().any(|c| c.is_whitespace() || c.is_control());
        if !valid {
            campos.add(
                format!("{path}.email"),
                "email_invalido",
                "E-mail inválido.",
                "Informe um e-mail de até 80 caracteres.",
            );
        }
    }
    if let Some(telefone) = &mut pessoa.telefone {
        telefone.retain(|c| c.is_ascii_digit());
        if !(6..=20).contains(&telefone.len()) {
            campos.add(
                format!("{path}.telefone"),
                "telefone_invalido",
                "Telefone deve ter de 6 a 20 dígitos.",
                "Informe DDD e número.",
            );
        }
    }
    if let Some(endereco) = &mut pessoa.endereco {
        self::endereco(campos, &format!("{path}.endereco"), endereco);
    }
}

fn endereco(campos: &mut Campos, path: &str, endereco: &mut Endereco) {
    let abroad = endereco
        .codigo_pais
        .as_deref()
        .is_some_and(|pais| !matches!(pais, "BR" | "1058"));
    for (name, value, max) in [
        ("logradouro", &endereco.logradouro, 255),
        ("numero", &endereco.numero, 60),
        ("bairro", &endereco.bairro, 60),
    ] {
        match value {
            Some(value) => text(campos, &format!("{path}.{name}"), value, 1, max),
            None => campos.add(
                format!("{path}.{name}"),
                "obrigatorio",
                format!("Falta {name} no endereço."),
                "Complete o endereço ou deixe o grupo inteiro de fora.",
            ),
        }
    }
    if let Some(complemento) = &endereco.complemento {
        text(campos, &format!("{path}.complemento"), complemento, 1, 156);
    }
    if abroad {
        for (name, value) in [
            ("cidade", &endereco.cidade),
            ("estado", &endereco.estado),
            ("codigo_postal", &endereco.codigo_postal),
        ] {
            if value.as_deref().is_none_or(str::is_empty) {
                campos.add(
                    format!("{path}.{name}"),
                    "obrigatorio",
                    format!("Falta {name} no endereço do exterior."),
                    "Informe cidade, estado e codigo_postal.",
                );
            }
        }
        return;
    }
    match &mut endereco.cep {
        Some(cep) => {
            cep.retain(|c| c != '-' && c != '.');
            digits(campos, &format!("{path}.cep"), cep, 8);
        }
        None => campos.add(
            format!("{path}.cep"),
            "obrigatorio",
            "Falta o CEP.",
            "Informe os 8 dígitos.",
        ),
    }
    match &endereco.codigo_ibge {
        Some(codigo) => {
            municipio(campos, &format!("{path}.codigo_ibge"), codigo);
            if endereco.uf.is_none() {
                endereco.uf = IbgeMunicipio::parse(codigo)
                    .ok()
                    .and_then(IbgeMunicipio::sigla_uf)
                    .map(str::to_owned);
            }
        }
        None => campos.add(
            format!("{path}.codigo_ibge"),
            "obrigatorio",
            "Falta o código IBGE do município.",
            "Informe os 7 dígitos.",
        ),
    }
}

fn servico(campos: &mut Campos, conteudo: &mut Conteudo, emissao: &Emissao) {
    let servico = &mut conteudo.servico;
    text(campos, "servico.descricao", &servico.descricao, 1, 2000);
    for (name, value, length) in [
        (
            "codigo_tributacao_nacional",
            &mut servico.codigo_tributacao_nacional,
            6,
        ),
        ("codigo_nbs", &mut servico.codigo_nbs, 9),
        ("cnae", &mut servico.cnae, 7),
    ] {
        if let Some(value) = value {
            value.retain(|c| !matches!(c, '.' | '-' | '/'));
            digits(campos, &format!("servico.{name}"), value, length);
        }
    }
    if emissao.layout_nacional && servico.codigo_tributacao_nacional.is_none() {
        campos.add(
            "servico.codigo_tributacao_nacional",
            "obrigatorio",
            "O padrão nacional exige o código de tributação nacional.",
            "Informe os 6 dígitos da lista nacional (item, subitem e desdobro da LC 116).",
        );
    } else if servico.codigo_tributacao_nacional.is_none() && servico.item_lista_servico.is_none() {
        campos.add(
            "servico.item_lista_servico",
            "obrigatorio",
            "Falta o item da lista de serviços.",
            "Informe item_lista_servico (\"1.01\") ou codigo_tributacao_nacional.",
        );
    }
    if let Some(item) = &servico.item_lista_servico {
        let valid = item.split_once('.').is_some_and(|(group, sub)| {
            (1..=2).contains(&group.len())
                && sub.len() == 2
                && item.chars().all(|c| c.is_ascii_digit() || c == '.')
        });
        if !valid {
            campos.add_value(
                "servico.item_lista_servico",
                "item_invalido",
                item,
                "Item da lista de serviços inválido.",
                "Use o formato da LC 116: \"1.01\" ou \"14.05\".",
            );
        }
    }
    if emissao.layout_nacional
        && let Some(codigo) = &servico.codigo_tributacao_municipio
    {
        digits(campos, "servico.codigo_tributacao_municipio", codigo, 3);
    }
    for (name, value) in [
        (
            "codigo_municipio_prestacao",
            &servico.codigo_municipio_prestacao,
        ),
        (
            "codigo_municipio_incidencia",
            &servico.codigo_municipio_incidencia,
        ),
    ] {
        if let Some(value) = value {
            municipio(campos, &format!("servico.{name}"), value);
        }
    }
    if let Some(pais) = &servico.codigo_pais_prestacao
        && !(pais.len() == 2 && pais.chars().all(|c| c.is_ascii_uppercase()))
    {
        campos.add_value(
            "servico.codigo_pais_prestacao",
            "pais_invalido",
            pais,
            "País inválido.",
            "Use o código ISO de duas letras (\"US\").",
        );
    }
}

fn valores(campos: &mut Campos, valores: &Valores, has_intermediario: bool) {
    money(campos, "valores.servico", valores.servico);
    if *valores.servico <= Decimal::ZERO {
        campos.add_value(
            "valores.servico",
            "valor_invalido",
            &valores.servico.to_string(),
            "O valor do serviço deve ser maior que zero.",
            "Informe o preço do serviço em R$.",
        );
    }
    let mut discounts = Decimal::ZERO;
    for (name, value) in [
        ("recebido", valores.recebido),
        ("desconto_incondicionado", valores.desconto_incondicionado),
        ("desconto_condicionado", valores.desconto_condicionado),
        (
            "deducoes.valor",
            valores
                .deducoes
                .as_ref()
                .and_then(|deducoes| deducoes.valor),
        ),
    ] {
        if let Some(value) = value {
            money(campos, &format!("valores.{name}"), value);
            if name != "recebido" {
                discounts = discounts.saturating_add(*value);
            }
        }
    }
    if discounts > *valores.servico {
        campos.add(
            "valores",
            "soma_invalida",
            "Descontos e deduções passam do valor do serviço.",
            "Confira os valores.",
        );
    }
    if let Some(percentual) = valores
        .deducoes
        .as_ref()
        .and_then(|deducoes| deducoes.percentual)
    {
        percentage(campos, "valores.deducoes.percentual", percentual, 100);
    }
    if let Some(dados) = &valores.iss {
        iss(campos, dados, has_intermediario);
    }
    if let Some(dados) = &valores.retencoes {
        retencoes(campos, dados);
    }
    if let Some(dados) = &valores.tributos_aproximados {
        tributos_aproximados(campos, dados);
    }
}

fn iss(campos: &mut Campos, iss: &Iss, has_intermediario: bool) {
    if let Some(aliquota) = iss.aliquota {
        // LC 116/2003, art. 8: the rate never passes 5 %.
        percentage(campos, "valores.iss.aliquota", aliquota, 5);
    }
    if iss.retencao == Retencao::Intermediario && !has_intermediario {
        campos.add(
            "intermediario",
            "obrigatorio",
            "A retenção é do intermediário, que não foi informado.",
            "Informe o grupo intermediario.",
        );
    }
    let suspended = matches!(
        iss.exigibilidade,
        Some(Exigibilidade::SuspensaJudicial | Exigibilidade::SuspensaAdministrativa)
    );
    if suspended && iss.numero_processo.as_deref().is_none_or(str::is_empty) {
        campos.add(
            "valores.iss.numero_processo",
            "obrigatorio",
            "A exigibilidade suspensa pede o número do processo.",
            "Informe numero_processo.",
        );
    }
}

fn retencoes(campos: &mut Campos, retencoes: &Retencoes) {
    for (name, value) in [
        ("pis", retencoes.pis),
        ("cofins", retencoes.cofins),
        ("inss", retencoes.inss),
        ("ir", retencoes.ir),
        ("csll", retencoes.csll),
        ("outras", retencoes.outras),
        ("base_pis_cofins", retencoes.base_pis_cofins),
    ] {
        if let Some(value) = value {
            money(campos, &format!("valores.retencoes.{name}"), value);
        }
    }
    if let Some(cst) = &retencoes.cst_pis_cofins {
        digits(campos, "valores.retencoes.cst_pis_cofins", cst, 2);
    }
}

fn tributos_aproximados(campos: &mut Campos, tributos: &TributosAproximados) {
    let missing = match tributos.modo {
        ModoTributos::NaoInformado => false,
        ModoTributos::Simples => tributos.percentual.is_none(),
        ModoTributos::Percentuais | ModoTributos::Valores => {
            tributos.federal.is_none()
                || tributos.estadual.is_none()
                || tributos.municipal.is_none()
        }
    };
    if missing {
        campos.add("valores.tributos_aproximados", "obrigatorio", "Faltam os números dos tributos aproximados.", "Com modo \"simples\" informe percentual; com os outros, federal, estadual e municipal.");
    }
}

fn ibs_cbs(campos: &mut Campos, ibs_cbs: &mut IbsCbs, has_nbs: bool) {
    digits(campos, "ibs_cbs.cst", &ibs_cbs.cst, 3);
    digits(campos, "ibs_cbs.cclass_trib", &ibs_cbs.cclass_trib, 6);
    digits(
        campos,
        "ibs_cbs.codigo_indicador_operacao",
        &ibs_cbs.codigo_indicador_operacao,
        6,
    );
    if !has_nbs {
        // National rule E0322.
        campos.add(
            "servico.codigo_nbs",
            "obrigatorio",
            "O grupo IBS/CBS exige o código NBS.",
            "Informe servico.codigo_nbs com 9 dígitos.",
        );
    }
    if let Some(destinatario) = &mut ibs_cbs.destinatario {
        pessoa(campos, "ibs_cbs.destinatario", destinatario);
    }
}

fn substitui(campos: &mut Campos, substitui: &Substitui, layout_nacional: bool) {
    if let Some(motivo) = &substitui.motivo
        && !matches!(motivo.as_str(), "01" | "02" | "03" | "04" | "05" | "99")
    {
        campos.add_value(
            "substitui.motivo",
            "motivo_invalido",
            motivo,
            "Motivo de substituição inválido.",
            "Use 01, 02, 03, 04, 05 ou 99.",
        );
    }
    match &substitui.justificativa {
        Some(texto) => text(campos, "substitui.justificativa", texto, 15, 255),
        // The national layout has no substitution without a motive: 99, others.
        None if substitui.motivo.as_deref() == Some("99")
            || (layout_nacional && substitui.motivo.is_none()) =>
        {
            campos.add(
                "substitui.justificativa",
                "obrigatorio",
                "O motivo 99 pede justificativa.",
                "Escreva de 15 a 255 caracteres.",
            );
        }
        None => {}
    }
}

fn municipio(campos: &mut Campos, path: &str, codigo: &str) {
    if IbgeMunicipio::parse(codigo).is_err() {
        campos.add_value(
            path,
            "municipio_invalido",
            codigo,
            "Código IBGE de município inválido.",
            "Informe os 7 dígitos; GET /api/v1/nfse/cobertura busca por cidade e UF.",
        );
    }
}

/// Text of the layouts: printable Latin-1 and line breaks, trimmed, bounded.
fn text(campos: &mut Campos, path: &str, value: &str, min: usize, max: usize) {
    let length = value.chars().count();
    if length < min || length > max || value.trim().is_empty() {
        campos.add(
            path,
            "tamanho_invalido",
            format!("O texto deve ter de {min} a {max} caracteres."),
            "Ajuste o texto.",
        );
    } else if value
        .chars()
        .any(|c| (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || c as u32 > 0xFF)
    {
        campos.add(
            path,
            "caractere_invalido",
            "O texto tem caracteres que o leiaute não aceita.",
            "Use letras, números e pontuação comuns, sem emojis.",
        );
    } else if value.trim() != value {
        campos.add(
            path,
            "espacos_nas_pontas",
            "O texto começa ou termina com espaço.",
            "Tire os espaços das pontas.",
        );
    }
}

fn digits(campos: &mut Campos, path: &str, value: &str, length: usize) {
    if value.len() != length || !value.bytes().all(|b| b.is_ascii_digit()) {
        campos.add_value(
            path,
            "formato_invalido",
            value,
            format!("Esperados {length} dígitos."),
            "Confira o código.",
        );
    }
}

fn money(campos: &mut Campos, path: &str, value: Valor) {
    if value.is_sign_negative() && !value.is_zero() {
        campos.add_value(
            path,
            "valor_invalido",
            &value.to_string(),
            "O valor não pode ser negativo.",
            "Informe um valor em R$.",
        );
    } else if value.normalize().scale() > 2 || *value >= Decimal::from(1_000_000_000_000_000_u64) {
        campos.add_value(
            path,
            "valor_invalido",
            &value.to_string(),
            "Valor com mais de 2 casas decimais ou 15 inteiras.",
            "Arredonde para centavos.",
        );
    }
}

fn percentage(campos: &mut Campos, path: &str, value: Valor, max: u32) {
    if value.is_sign_negative() && !value.is_zero() || *value > Decimal::from(max) {
        campos.add_value(
            path,
            "percentual_invalido",
            &value.to_string(),
            format!("O percentual vai de 0 a {max}."),
            "Informe em percentual: 2.5 é 2,5 %.",
        );
    } else if value.normalize().scale() > 2 {
        campos.add_value(
            path,
            "percentual_invalido",
            &value.to_string(),
            "O percentual tem no máximo 2 casas decimais.",
            "Arredonde.",
        );
    }
}
