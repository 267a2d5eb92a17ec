//! Pre-flight of a service note: everything that can be known to be wrong
//! before a number, a credit or a request to the city is spent.

use super::dps::{
    Address, ApproximateTaxes, Content, Exigibility, IbsCbs, Iss, Person, PersonKind, Replacement,
    SimplesOption, TaxesMode, Values, Withholding, Withholdings,
};
use crate::nfse::value::FieldValue;
use markup::field::{Field, Fields};
use markup::ids::{CpfCnpj, IbgeMunicipality, Takes};
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

/// What the rules need to know about the emission besides its content.
pub struct Issue {
    /// CNPJ of the emitter, without a mask.
    pub prestador: String,
    pub issue_date: OffsetDateTime,
    pub period_date: Date,
    /// The note leaves in the national layout (DPS), which asks for more.
    pub layout_nacional: bool,
}

/// Takes masks off, then lists every problem of the content.
///
/// # Errors
/// All the fields to correct, in the order of the body.
pub fn validate(content: &mut Content, issue: &Issue) -> Result<(), Vec<Field>> {
    let mut fields = Fields::default();
    if let Some(tomador) = &mut content.tomador {
        person(&mut fields, "tomador", tomador);
        let company = tomador
            .cpf_cnpj
            .as_ref()
            .is_some_and(|documento| documento.len() > 11);
        if issue.layout_nacional && company && tomador.endereco.is_none() {
            // National rule E0235.
            fields.add(
                "tomador.endereco",
                "obrigatorio",
                "O padrão nacional exige o endereço do tomador com CNPJ.",
                "Informe o endereço completo.",
            );
        }
    }
    if let Some(intermediary) = &mut content.intermediario {
        person(&mut fields, "intermediario", intermediary);
    }
    same_company(&mut fields, content, issue);
    service(&mut fields, content, issue);
    values(
        &mut fields,
        &content.valores,
        content.intermediario.is_some(),
    );
    simples_rate(&mut fields, content, issue);
    if let Some(ibs_cbs) = &mut content.ibs_cbs {
        let has_nbs = content.servico.codigo_nbs.is_some();
        self::ibs_cbs(&mut fields, ibs_cbs, has_nbs);
    }
    if let Some(replacement) = &content.substitui {
        self::replacement(&mut fields, replacement, issue.layout_nacional);
    }
    if let Some(words) = &content.informacoes_complementares {
        text(&mut fields, "informacoes_complementares", words, 1, 2000);
    }
    dates(&mut fields, issue);
    fields.into_result()
}

/// Nobody renders a service to itself: E0202 and E0262 of the national layout, E52
/// of ABRASF, which says nothing of the intermediary. Another establishment of the
/// company has a CNPJ of its own.
fn same_company(fields: &mut Fields, content: &Content, issue: &Issue) {
    let roles = [
        ("tomador", "tomador", content.tomador.as_ref()),
        (
            "intermediario",
            "intermediário",
            (content.intermediario.as_ref()).filter(|_| issue.layout_nacional),
        ),
    ];
    for (path, who, person) in roles {
        let documento = person.and_then(|person| person.cpf_cnpj.as_deref());
        if documento == Some(&*issue.prestador) {
            fields.add(
                format!("{path}.cpf_cnpj"),
                "igual_ao_prestador",
                format!("O {who} é o próprio prestador do serviço."),
                format!("Informe o CPF ou CNPJ de outro {who}, ou emita por outro emitente."),
            );
        }
    }
}

fn dates(fields: &mut Fields, issue: &Issue) {
    if issue.period_date > issue.issue_date.date() {
        fields.add_value(
            "data_competencia",
            "competencia_futura",
            &issue.period_date.to_string(),
            "A competência é posterior à emissão.",
            "Informe a data em que o serviço foi prestado, até o dia da emissão.",
        );
    }
}

fn person(fields: &mut Fields, path: &str, person: &mut Person) {
    if person.tipo == PersonKind::Identificado {
        match &person.cpf_cnpj {
            None => fields.add(
                format!("{path}.cpf_cnpj"),
                "obrigatorio",
                "Falta o CPF ou CNPJ.",
                "Informe cpf_cnpj, ou tipo = \"nao_identificado\" ou \"exterior\".",
            ),
            Some(documento) => match CpfCnpj::parse(documento) {
                Ok(documento) => person.cpf_cnpj = Some(documento.to_string()),
                Err(_) => {
                    fields.add_number(format!("{path}.cpf_cnpj"), Takes::CpfCnpj, documento);
                }
            },
        }
    }
    let nameless = person
        .nome
        .as_deref()
        .is_none_or(|name| name.trim().is_empty());
    if nameless && person.tipo != PersonKind::NaoIdentificado {
        fields.add(
            format!("{path}.nome"),
            "obrigatorio",
            "Falta o nome.",
            "Informe o nome ou a razão social.",
        );
    }
    if let Some(name) = &person.nome {
        text(fields, &format!("{path}.nome"), name, 1, 300);
    }
    if let Some(email) = &person.email {
        let valid = email.len() <= 80
            && email
                .split_once('@')
                .is_some_and(|(user, domain)| !user.is_empty() && domain.contains('.'))
            && !email.chars().any(|c| c.is_whitespace() || c.is_control());
        if !valid {
            fields.add(
                format!("{path}.email"),
                "email_invalido",
                "E-mail inválido.",
                "Informe um e-mail de até 80 caracteres.",
            );
        }
    }
    if let Some(telefone) = &mut person.telefone {
        telefone.retain(|c| c.is_ascii_digit());
        if !(6..=20).contains(&telefone.len()) {
            fields.add(
                format!("{path}.telefone"),
                "telefone_invalido",
                "Telefone deve ter de 6 a 20 dígitos.",
                "Informe DDD e número.",
            );
        }
    }
    if let Some(address) = &mut person.endereco {
        self::address(fields, &format!("{path}.endereco"), address);
    }
}

fn address(fields: &mut Fields, path: &str, address: &mut Address) {
    let abroad = address
        .codigo_pais
        .as_deref()
        .is_some_and(|country| !matches!(country, "BR" | "1058"));
    for (name, value, max) in [
        ("logradouro", &address.logradouro, 255),
        ("numero", &address.numero, 60),
        ("bairro", &address.bairro, 60),
    ] {
        match value {
            Some(value) => text(fields, &format!("{path}.{name}"), value, 1, max),
            None => fields.add(
                format!("{path}.{name}"),
                "obrigatorio",
                format!("Falta {name} no endereço."),
                "Complete o endereço ou deixe o grupo inteiro de fora.",
            ),
        }
    }
    if let Some(complement) = &address.complemento {
        text(fields, &format!("{path}.complemento"), complement, 1, 156);
    }
    if abroad {
        for (name, value) in [
            ("cidade", &address.cidade),
            ("estado", &address.estado),
            ("codigo_postal", &address.codigo_postal),
        ] {
            if value.as_deref().is_none_or(str::is_empty) {
                fields.add(
                    format!("{path}.{name}"),
                    "obrigatorio",
                    format!("Falta {name} no endereço do exterior."),
                    "Informe cidade, estado e codigo_postal.",
                );
            }
        }
        return;
    }
    match &mut address.cep {
        Some(cep) => {
            cep.retain(|c| c != '-' && c != '.');
            digits(fields, &format!("{path}.cep"), cep, 8);
        }
        None => fields.add(
            format!("{path}.cep"),
            "obrigatorio",
            "Falta o CEP.",
            "Informe os 8 dígitos.",
        ),
    }
    match &address.codigo_ibge {
        Some(codigo) => {
            municipality(fields, &format!("{path}.codigo_ibge"), codigo);
            if address.uf.is_none() {
                address.uf = IbgeMunicipality::parse(codigo)
                    .ok()
                    .and_then(IbgeMunicipality::uf_abbreviation)
                    .map(str::to_owned);
            }
        }
        None => fields.add(
            format!("{path}.codigo_ibge"),
            "obrigatorio",
            "Falta o código IBGE do município.",
            "Informe os 7 dígitos.",
        ),
    }
}

fn service(fields: &mut Fields, content: &mut Content, issue: &Issue) {
    let service = &mut content.servico;
    text(fields, "servico.descricao", &service.descricao, 1, 2000);
    for (name, value, length) in [
        (
            "codigo_tributacao_nacional",
            &mut service.codigo_tributacao_nacional,
            6,
        ),
        ("codigo_nbs", &mut service.codigo_nbs, 9),
        ("cnae", &mut service.cnae, 7),
    ] {
        if let Some(value) = value {
            value.retain(|c| !matches!(c, '.' | '-' | '/'));
            digits(fields, &format!("servico.{name}"), value, length);
        }
    }
    if issue.layout_nacional && service.codigo_tributacao_nacional.is_none() {
        fields.add(
            "servico.codigo_tributacao_nacional",
            "obrigatorio",
            "O padrão nacional exige o código de tributação nacional.",
            "Informe os 6 dígitos da lista nacional (item, subitem e desdobro da LC 116).",
        );
    } else if service.codigo_tributacao_nacional.is_none() && service.item_lista_servico.is_none() {
        fields.add(
            "servico.item_lista_servico",
            "obrigatorio",
            "Falta o item da lista de serviços.",
            "Informe item_lista_servico (\"1.01\") ou codigo_tributacao_nacional.",
        );
    }
    if let Some(item) = &service.item_lista_servico {
        let valid = item.split_once('.').is_some_and(|(group, sub)| {
            (1..=2).contains(&group.len())
                && sub.len() == 2
                && item.chars().all(|c| c.is_ascii_digit() || c == '.')
        });
        if !valid {
            fields.add_value(
                "servico.item_lista_servico",
                "item_invalido",
                item,
                "Item da lista de serviços inválido.",
                "Use o formato da LC 116: \"1.01\" ou \"14.05\".",
            );
        }
    }
    if issue.layout_nacional
        && let Some(codigo) = &service.codigo_tributacao_municipio
    {
        digits(fields, "servico.codigo_tributacao_municipio", codigo, 3);
    }
    for (name, value) in [
        (
            "codigo_municipio_prestacao",
            &service.codigo_municipio_prestacao,
        ),
        (
            "codigo_municipio_incidencia",
            &service.codigo_municipio_incidencia,
        ),
    ] {
        if let Some(value) = value {
            municipality(fields, &format!("servico.{name}"), value);
        }
    }
    if let Some(country) = &service.codigo_pais_prestacao
        && !(country.len() == 2 && country.chars().all(|c| c.is_ascii_uppercase()))
    {
        fields.add_value(
            "servico.codigo_pais_prestacao",
            "pais_invalido",
            country,
            "País inválido.",
            "Use o código ISO de duas letras (\"US\").",
        );
    }
}

fn values(fields: &mut Fields, values: &Values, has_intermediary: bool) {
    money(fields, "valores.servico", values.servico);
    if *values.servico <= Decimal::ZERO {
        fields.add_value(
            "valores.servico",
            "valor_invalido",
            &values.servico.to_string(),
            "O valor do serviço deve ser maior que zero.",
            "Informe o preço do serviço em R$.",
        );
    }
    let mut discounts = Decimal::ZERO;
    for (name, value) in [
        ("recebido", values.recebido),
        ("desconto_incondicionado", values.desconto_incondicionado),
        ("desconto_condicionado", values.desconto_condicionado),
        (
            "deducoes.valor",
            values
                .deducoes
                .as_ref()
                .and_then(|deductions| deductions.valor),
        ),
    ] {
        if let Some(value) = value {
            money(fields, &format!("valores.{name}"), value);
            if name != "recebido" {
                discounts = discounts.saturating_add(*value);
            }
        }
    }
    if discounts > *values.servico {
        fields.add(
            "valores",
            "soma_invalida",
            "Descontos e deduções passam do valor do serviço.",
            "Confira os valores.",
        );
    }
    if let Some(percent) = values
        .deducoes
        .as_ref()
        .and_then(|deductions| deductions.percentual)
    {
        percentage(fields, "valores.deducoes.percentual", percent, 100);
    }
    if let Some(data) = &values.iss {
        iss(fields, data, has_intermediary);
    }
    if let Some(data) = &values.retencoes {
        withholdings(fields, data);
    }
    if let Some(data) = &values.tributos_aproximados {
        approximate_taxes(fields, data);
    }
}

fn iss(fields: &mut Fields, iss: &Iss, has_intermediary: bool) {
    if let Some(aliquota) = iss.aliquota {
        // LC 116/2003, art. 8: the rate never passes 5 %.
        percentage(fields, "valores.iss.aliquota", aliquota, 5);
    }
    if iss.retencao == Withholding::Intermediario && !has_intermediary {
        fields.add(
            "intermediario",
            "obrigatorio",
            "A retenção é do intermediário, que não foi informado.",
            "Informe o grupo intermediario.",
        );
    }
    let suspended = matches!(
        iss.exigibilidade,
        Some(Exigibility::SuspensaJudicial | Exigibility::SuspensaAdministrativa)
    );
    if suspended && iss.numero_processo.as_deref().is_none_or(str::is_empty) {
        fields.add(
            "valores.iss.numero_processo",
            "obrigatorio",
            "A exigibilidade suspensa pede o número do processo.",
            "Informe numero_processo.",
        );
    }
}

fn withholdings(fields: &mut Fields, withholdings: &Withholdings) {
    for (name, value) in [
        ("pis", withholdings.pis),
        ("cofins", withholdings.cofins),
        ("inss", withholdings.inss),
        ("ir", withholdings.ir),
        ("csll", withholdings.csll),
        ("outras", withholdings.outras),
        ("base_pis_cofins", withholdings.base_pis_cofins),
    ] {
        if let Some(value) = value {
            money(fields, &format!("valores.retencoes.{name}"), value);
        }
    }
    if let Some(cst) = &withholdings.cst_pis_cofins {
        digits(fields, "valores.retencoes.cst_pis_cofins", cst, 2);
    }
}

fn approximate_taxes(fields: &mut Fields, taxes: &ApproximateTaxes) {
    let missing = match taxes.modo {
        TaxesMode::NaoInformado => false,
        TaxesMode::Simples => taxes.percentual.is_none(),
        TaxesMode::Percentuais | TaxesMode::Valores => {
            taxes.federal.is_none() || taxes.estadual.is_none() || taxes.municipal.is_none()
        }
    };
    if missing {
        fields.add("valores.tributos_aproximados", "obrigatorio", "Faltam os números dos tributos aproximados.", "Com modo \"simples\" informe percentual; com os outros, federal, estadual e municipal.");
    }
}

/// National rule E0712: a company of the Simples Nacional that is no MEI shows what
/// taxes its price has in it. The content is complete: where nothing is there, the
/// profile has no nominal rate. `inf_dps` may bring the element itself.
fn simples_rate(fields: &mut Fields, content: &Content, issue: &Issue) {
    let me_epp = content
        .regime
        .as_ref()
        .is_some_and(|regime| regime.opcao_simples == SimplesOption::MeEpp);
    let own = content
        .inf_dps
        .as_ref()
        .and_then(|extra| extra.get("valores"))
        .and_then(|values| values.get("trib"))
        .and_then(|trib| trib.get("totTrib"));
    if !issue.layout_nacional || !me_epp || own.is_some() {
        return;
    }
    match &content.valores.tributos_aproximados {
        None => fields.add(
            "perfil_fiscal.simples.aliquota_nominal",
            "perfil_fiscal_incompleto",
            "Falta a alíquota nominal do Simples Nacional no cadastro da empresa.",
            "Informe simples.aliquota_nominal em PUT /api/v1/emitters/{id}/fiscal-profile, ou valores.tributos_aproximados na nota.",
        ),
        Some(taxes) if taxes.modo == TaxesMode::NaoInformado => fields.add(
            "valores.tributos_aproximados",
            "obrigatorio",
            "No padrão nacional, ME ou EPP do Simples Nacional informa os tributos aproximados.",
            "Com modo \"simples\" informe percentual, a alíquota nominal; ou informe federal, estadual e municipal.",
        ),
        Some(_) => {}
    }
}

fn ibs_cbs(fields: &mut Fields, ibs_cbs: &mut IbsCbs, has_nbs: bool) {
    digits(fields, "ibs_cbs.cst", &ibs_cbs.cst, 3);
    digits(fields, "ibs_cbs.cclass_trib", &ibs_cbs.cclass_trib, 6);
    digits(
        fields,
        "ibs_cbs.codigo_indicador_operacao",
        &ibs_cbs.codigo_indicador_operacao,
        6,
    );
    if !has_nbs {
        // National rule E0322.
        fields.add(
            "servico.codigo_nbs",
            "obrigatorio",
            "O grupo IBS/CBS exige o código NBS.",
            "Informe servico.codigo_nbs com 9 dígitos.",
        );
    }
    if let Some(recipient) = &mut ibs_cbs.destinatario {
        person(fields, "ibs_cbs.destinatario", recipient);
    }
}

fn replacement(fields: &mut Fields, replacement: &Replacement, layout_nacional: bool) {
    if let Some(reason) = &replacement.motivo
        && !matches!(reason.as_str(), "01" | "02" | "03" | "04" | "05" | "99")
    {
        fields.add_value(
            "substitui.motivo",
            "motivo_invalido",
            reason,
            "Motivo de substituição inválido.",
            "Use 01, 02, 03, 04, 05 ou 99.",
        );
    }
    match &replacement.justificativa {
        Some(words) => text(fields, "substitui.justificativa", words, 15, 255),
        // The national layout has no substitution without a motive: 99, others.
        None if replacement.motivo.as_deref() == Some("99")
            || (layout_nacional && replacement.motivo.is_none()) =>
        {
            fields.add(
                "substitui.justificativa",
                "obrigatorio",
                "O motivo 99 pede justificativa.",
                "Escreva de 15 a 255 caracteres.",
            );
        }
        None => {}
    }
}

fn municipality(fields: &mut Fields, path: &str, codigo: &str) {
    if IbgeMunicipality::parse(codigo).is_err() {
        fields.add_value(
            path,
            "municipio_invalido",
            codigo,
            "Código IBGE de município inválido.",
            "Informe os 7 dígitos; GET /api/v1/nfse/cobertura busca por cidade e UF.",
        );
    }
}

/// Text of the layouts: printable Latin-1 and line breaks, trimmed, bounded.
fn text(fields: &mut Fields, path: &str, value: &str, min: usize, max: usize) {
    let length = value.chars().count();
    if length < min || length > max || value.trim().is_empty() {
        fields.add(
            path,
            "tamanho_invalido",
            format!("O texto deve ter de {min} a {max} caracteres."),
            "Ajuste o texto.",
        );
    } else if value
        .chars()
        .any(|c| (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || c as u32 > 0xFF)
    {
        fields.add(
            path,
            "caractere_invalido",
            "O texto tem caracteres que o leiaute não aceita.",
            "Use letras, números e pontuação comuns, sem emojis.",
        );
    } else if value.trim() != value {
        fields.add(
            path,
            "espacos_nas_pontas",
            "O texto começa ou termina com espaço.",
            "Tire os espaços das pontas.",
        );
    }
}

fn digits(fields: &mut Fields, path: &str, value: &str, length: usize) {
    if value.len() != length || !value.bytes().all(|b| b.is_ascii_digit()) {
        fields.add_value(
            path,
            "formato_invalido",
            value,
            format!("Esperados {length} dígitos."),
            "Confira o código.",
        );
    }
}

fn money(fields: &mut Fields, path: &str, value: FieldValue) {
    if value.is_sign_negative() && !value.is_zero() {
        fields.add_value(
            path,
            "valor_invalido",
            &value.to_string(),
            "O valor não pode ser negativo.",
            "Informe um valor em R$.",
        );
    } else if value.normalize().scale() > 2 || *value >= Decimal::from(1_000_000_000_000_000_u64) {
        fields.add_value(
            path,
            "valor_invalido",
            &value.to_string(),
            "Valor com mais de 2 casas decimais ou 15 inteiras.",
            "Arredonde para centavos.",
        );
    }
}

fn percentage(fields: &mut Fields, path: &str, value: FieldValue, max: u32) {
    if value.is_sign_negative() && !value.is_zero() || *value > Decimal::from(max) {
        fields.add_value(
            path,
            "percentual_invalido",
            &value.to_string(),
            format!("O percentual vai de 0 a {max}."),
            "Informe em percentual: 2.5 é 2,5 %.",
        );
    } else if value.normalize().scale() > 2 {
        fields.add_value(
            path,
            "percentual_invalido",
            &value.to_string(),
            "O percentual tem no máximo 2 casas decimais.",
            "Arredonde.",
        );
    }
}
