//! `emit`, `dest`, `retirada`, `entrega`, `autXML`.

use crate::assembly::preparation::{no_exterior, uf_do};
use crate::context::{Contexto, Onde};
use crate::frame::Ambiente;
use fiscal::nfe::order::{Endereco, IndicadorIe, Local, Pessoa};
use markup::ids::{CpfCnpj, IbgeMunicipio};
use markup::tree::Elemento;

/// What a recipient is called in homologation (MOC, E04-10; rejection 598).
const NOME_HOMOLOGACAO: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// Characters of a name (MOC, C03 and C04).
const NOME: usize = 60;
/// Highest number of who may download the XML (MOC, GA01).
const MAX_AUTORIZADOS: usize = 10;

pub(super) fn emit(ctx: &mut Contexto<'_>) -> Elemento {
    let emitente = ctx.emitente;
    let perfil = Onde::raiz("perfil_fiscal");
    let mut emit = Elemento::grupo("emit");
    match CpfCnpj::parse(&emitente.cpf_cnpj) {
        Ok(CpfCnpj::Cpf(cpf)) => emit.poe(Elemento::campo("CPF", cpf.as_str())),
        Ok(CpfCnpj::Cnpj(cnpj)) => emit.poe(Elemento::campo("CNPJ", cnpj.as_str())),
        Err(_) => ctx.erro(
            perfil.em("cnpj"),
            "perfil_fiscal_incompleto",
            "O emitente não tem CNPJ ou CPF válido.",
            "Corrija o cadastro do emitente.",
        ),
    }
    let nome = cortado(ctx, perfil.em("razao_social"), &emitente.razao_social);
    let nome = ctx.texto_obrigatorio(perfil.em("razao_social"), Some(&nome), NOME);
    let fantasia = emitente
        .nome_fantasia
        .as_deref()
        .map(|nome| cortado(ctx, perfil.em("nome_fantasia"), nome));
    let fantasia = ctx.texto(perfil.em("nome_fantasia"), fantasia.as_deref(), NOME);
    emit = emit.com("xNome", nome).com_se("xFant", fantasia);
    emit.poe(ender(
        ctx,
        perfil,
        "enderEmit",
        &emitente.endereco,
        emitente.telefone.as_deref(),
        true,
    ));
    let ie = emitente
        .ie
        .as_deref()
        .map(so_ie)
        .filter(|ie| !ie.is_empty());
    if ie.is_none() {
        ctx.erro(
            perfil.em("ie"),
            "perfil_fiscal_incompleto",
            "O emitente não tem inscrição estadual no perfil fiscal.",
            "Informe ie em PUT /api/v1/emitters/{id}/fiscal-profile (\"ISENTO\" se for o caso).",
        );
    }
    let iest = emitente
        .ie_substituto
        .iter()
        .find(|ie| ie.uf == ctx.uf_destino && ctx.uf_destino != ctx.uf.sigla)
        .map(|ie| so_ie(&ie.ie));
    let im = ctx.texto(perfil.em("im"), emitente.im.as_deref(), 15);
    // `CNAE` only beside `IM`: the layout groups the two.
    let cnae = im.as_ref().and(ctx.codigo(emitente.cnae.as_deref()));
    emit.com_se("IE", ie)
        .com_se("IEST", iest.filter(|_| !ctx.nfce()))
        .com_se("IM", im)
        .com_se("CNAE", cnae)
        .com("CRT", emitente.regime.crt())
        .com_se("ISUFEmit", ctx.codigo(emitente.suframa.as_deref()))
}

/// The emitter's name as the layout takes it: the registered one may be longer
/// and cannot be another, so it is cut, and that is told.
fn cortado(ctx: &mut Contexto<'_>, onde: Onde<'_>, nome: &str) -> String {
    let inteiro = markup::layout::normalizar_texto(nome);
    let cabe: String = inteiro.chars().take(NOME).collect();
    let cabe = cabe.trim_end().to_owned();
    if cabe.len() < inteiro.len() {
        ctx.aviso(
            onde,
            format!(
                "O nome passa de {NOME} caracteres, o limite do leiaute: a nota leva \"{cabe}\"."
            ),
        );
    }
    cabe
}

/// `dest`; none on an NFC-e without consumer.
pub(super) fn dest(ctx: &mut Contexto<'_>) -> Option<Elemento> {
    let onde = ctx.onde_recebedor();
    let Some(pessoa) = ctx.pedido.recebedor().1 else {
        if !ctx.nfce() {
            ctx.falta(
                onde,
                "A NF-e exige destinatário: informe cpf_cnpj, nome e endereco.",
            );
        }
        return None;
    };
    let mut dest = Elemento::grupo("dest");
    let exterior = no_exterior(pessoa);
    let tem_documento = documento(ctx, onde, pessoa, exterior, &mut dest);
    if ctx.nfce() && !tem_documento {
        return None;
    }
    let antes = ctx.campos.0.len();
    let nome = ctx.texto(onde.em("nome"), pessoa.nome.as_deref(), 60);
    if nome.is_none() && !ctx.nfce() && ctx.campos.0.len() == antes {
        // Also a name of which the layout takes no character (rejection 724).
        ctx.falta(onde.em("nome"), "Informe o nome ou a razão social.");
    }
    let nome = match ctx.dados.ambiente {
        Ambiente::Producao => nome,
        Ambiente::Homologacao if nome.is_some() || !ctx.nfce() => Some(NOME_HOMOLOGACAO.to_owned()),
        Ambiente::Homologacao => None,
    };
    dest = dest.com_se("xNome", nome);
    match &pessoa.endereco {
        Some(endereco) => {
            let telefone = pessoa.telefone.as_deref();
            dest.poe(ender(ctx, onde, "enderDest", endereco, telefone, false));
        }
        None if !ctx.nfce() => {
            ctx.falta(onde.em("endereco"), "Informe o endereço do destinatário.");
        }
        None => {}
    }
    dest = dest.com("indIEDest", ctx.indicador_ie.codigo());
    let ie = pessoa
        .ie
        .as_deref()
        .map(so_ie)
        .filter(|ie| !ie.is_empty() && ie != "ISENTO");
    if ctx.indicador_ie == IndicadorIe::Contribuinte && ie.is_none() {
        ctx.erro(
            onde.em("ie"),
            "obrigatorio",
            "Contribuinte (indicador_ie 1) precisa de inscrição estadual.",
            "Informe ie, ou indicador_ie 2 (isento) ou 9 (não contribuinte).",
        );
    }
    let ie = ie.filter(|_| !ctx.nfce() && ctx.indicador_ie != IndicadorIe::Isento && !exterior);
    Some(dest.com_se("IE", ie))
}

/// `CNPJ`, `CPF` or `idEstrangeiro`; was there any?
fn documento(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    pessoa: &Pessoa,
    exterior: bool,
    dest: &mut Elemento,
) -> bool {
    let vazio = |texto: &Option<String>| texto.as_deref().is_none_or(|t| t.trim().is_empty());
    if !vazio(&pessoa.cpf_cnpj) {
        let texto = pessoa.cpf_cnpj.as_deref();
        if let Some(elemento) = cpf_cnpj(ctx, onde.em("cpf_cnpj"), texto) {
            dest.poe(elemento);
        }
        return true;
    }
    if !vazio(&pessoa.documento_estrangeiro) || exterior {
        let campo = onde.em("documento_estrangeiro");
        let texto = ctx.texto(campo, pessoa.documento_estrangeiro.as_deref(), 20);
        if texto
            .as_ref()
            .is_some_and(|texto| texto.chars().count() < 5 || texto.contains(' '))
        {
            ctx.erro(
                campo,
                "documento_invalido",
                "O documento estrangeiro tem de 5 a 20 caracteres, sem espaços.",
                "Informe o passaporte ou deixe em branco na exportação.",
            );
        }
        dest.poe(Elemento::campo("idEstrangeiro", texto.unwrap_or_default()));
        return true;
    }
    if !ctx.nfce() {
        ctx.falta(
            onde.em("cpf_cnpj"),
            "Informe cpf_cnpj, ou documento_estrangeiro para quem é do exterior.",
        );
    }
    false
}

/// `CNPJ` or `CPF` of a text, with or without mask.
pub(super) fn cpf_cnpj(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    texto: Option<&str>,
) -> Option<Elemento> {
    match CpfCnpj::parse(texto?) {
        Ok(CpfCnpj::Cpf(cpf)) => Some(Elemento::campo("CPF", cpf.as_str())),
        Ok(CpfCnpj::Cnpj(cnpj)) => Some(Elemento::campo("CNPJ", cnpj.as_str())),
        Err(_) => {
            ctx.erro(
                onde,
                "cpf_cnpj_invalido",
                "CPF ou CNPJ inválido: o dígito verificador não confere.",
                "Confira o número; o CNPJ pode ter letras nas 12 primeiras posições.",
            );
            None
        }
    }
}

/// A CNPJ under any element name.
pub(super) fn cnpj(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    nome: &'static str,
    texto: Option<&str>,
) -> Option<Elemento> {
    match markup::ids::Cnpj::parse(texto?) {
        Ok(cnpj) => Some(Elemento::campo(nome, cnpj.as_str())),
        Err(_) => {
            ctx.erro(
                onde,
                "cnpj_invalido",
                "CNPJ inválido: o dígito verificador não confere.",
                "Confira o número; pode ter letras nas 12 primeiras posições.",
            );
            None
        }
    }
}

/// `TEndereco` or `TEnderEmi` of the party at `onde`.
fn ender(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    nome: &'static str,
    endereco: &Endereco,
    telefone: Option<&str>,
    emitente: bool,
) -> Elemento {
    let no_endereco = onde.em("endereco");
    let mut grupo = lugar(ctx, no_endereco, Elemento::grupo(nome), endereco, emitente);
    if let Some(fone) = fone(ctx, onde.em("telefone"), telefone) {
        grupo.poe(Elemento::campo("fone", fone));
    }
    grupo
}

/// The members all addresses share, up to the country.
fn lugar(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    grupo: Elemento,
    endereco: &Endereco,
    emitente: bool,
) -> Elemento {
    let exterior = !emitente
        && (crate::assembly::preparation::pais_estrangeiro(endereco.codigo_pais.as_deref())
            || endereco
                .uf
                .as_deref()
                .is_some_and(|uf| uf.eq_ignore_ascii_case("EX")));
    let logradouro =
        ctx.texto_obrigatorio(onde.em("logradouro"), endereco.logradouro.as_deref(), 60);
    let numero = ctx
        .texto(onde.em("numero"), endereco.numero.as_deref(), 60)
        .unwrap_or_else(|| "S/N".to_owned());
    let complemento = ctx.texto(onde.em("complemento"), endereco.complemento.as_deref(), 60);
    let bairro = ctx.texto_obrigatorio(onde.em("bairro"), endereco.bairro.as_deref(), 60);
    let grupo = grupo
        .com("xLgr", logradouro)
        .com("nro", numero)
        .com_se("xCpl", complemento)
        .com("xBairro", bairro);
    if exterior {
        return fora(ctx, onde, grupo, endereco);
    }
    let codigo = endereco.codigo_ibge.as_deref().map(str::trim);
    if codigo.is_none_or(|codigo| IbgeMunicipio::parse(codigo).is_err()) {
        ctx.campos.add_value(
            onde.em("codigo_ibge").to_string(),
            "municipio_invalido",
            codigo.unwrap_or_default(),
            "Código IBGE do município ausente ou inválido.",
            "Informe os 7 dígitos do código de um município.",
        );
    }
    let cidade = match endereco.cidade.as_deref() {
        None => codigo
            .and_then(|codigo| data::municipalities::get(codigo.parse().ok()?))
            .map(|municipio| markup::layout::normalizar_texto(municipio.nome)),
        cidade => ctx.texto(onde.em("cidade"), cidade, 60),
    };
    // A wrong code is told by itself: the name follows from the right one.
    let told =
        codigo.is_some_and(|codigo| !codigo.is_empty() && IbgeMunicipio::parse(codigo).is_err());
    if cidade.is_none() && !told {
        ctx.falta(onde.em("cidade"), "Informe o nome do município.");
    }
    let uf = uf_do(endereco);
    if uf.is_none() {
        ctx.falta(onde.em("uf"), "Informe a sigla da UF.");
    }
    let cep = ctx.codigo(endereco.cep.as_deref());
    if cep.as_ref().map_or(emitente, |cep| {
        cep.len() != 8 || !cep.bytes().all(|b| b.is_ascii_digit())
    }) {
        ctx.erro(
            onde.em("cep"),
            "cep_invalido",
            "O CEP deve ter 8 dígitos.",
            "Informe os 8 dígitos do CEP.",
        );
    }
    grupo
        .com("cMun", codigo.unwrap_or_default())
        .com("xMun", cidade.unwrap_or_default())
        .com("UF", uf.map_or("", |uf| uf.sigla))
        .com_se("CEP", cep)
        .com("cPais", "1058")
        .com("xPais", "BRASIL")
}

/// An address abroad (MOC, E10: 9999999, EXTERIOR, EX).
fn fora(ctx: &mut Contexto<'_>, onde: Onde<'_>, grupo: Elemento, endereco: &Endereco) -> Elemento {
    let codigo = endereco.codigo_pais.as_deref().unwrap_or_default().trim();
    let pais = match codigo.parse() {
        Ok(numero) => data::countries::get(numero),
        Err(_) => data::countries::por_iso(&codigo.to_ascii_uppercase()),
    };
    if pais.is_none() {
        ctx.campos.add_value(
            onde.em("codigo_pais").to_string(),
            "pais_invalido",
            codigo,
            "País inexistente na tabela do BACEN.",
            "Informe o código do BACEN (\"2496\") ou a sigla ISO (\"US\").",
        );
    }
    let nome = ctx.texto(onde.em("pais"), endereco.pais.as_deref(), 60);
    let nome = nome.or_else(|| pais.map(|pais| pais.nome.chars().take(60).collect::<String>()));
    grupo
        .com("cMun", "9999999")
        .com("xMun", "EXTERIOR")
        .com("UF", "EX")
        .com_se("cPais", pais.map(|pais| pais.codigo.to_string()))
        .com_se("xPais", nome)
}

/// 6 to 14 digits.
pub(super) fn fone(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    telefone: Option<&str>,
) -> Option<String> {
    let digitos: String = telefone?
        .chars()
        .filter(char::is_ascii_digit)
        .take(20)
        .collect();
    if digitos.is_empty() {
        return None;
    }
    if !(6..=14).contains(&digitos.len()) {
        ctx.erro(
            onde,
            "telefone_invalido",
            "O telefone deve ter de 6 a 14 dígitos.",
            "Informe DDD e número.",
        );
        return None;
    }
    Some(digitos)
}

/// `TLocal`.
pub(super) fn local(
    ctx: &mut Contexto<'_>,
    nome: &'static str,
    local: Option<&Local>,
) -> Option<Elemento> {
    let local = local?;
    let onde = Onde::raiz(nome);
    let mut grupo = Elemento::grupo(nome);
    match cpf_cnpj(ctx, onde.em("cpf_cnpj"), local.cpf_cnpj.as_deref()) {
        Some(documento) => grupo.poe(documento),
        None if local.cpf_cnpj.is_none() => {
            ctx.falta(onde.em("cpf_cnpj"), "Informe o CPF ou CNPJ do local.");
        }
        None => {}
    }
    let pessoa = ctx.texto(onde.em("nome"), local.nome.as_deref(), 60);
    grupo = grupo.com_se("xNome", pessoa);
    let vazio = Endereco::default();
    let endereco = local.endereco.as_ref().unwrap_or(&vazio);
    let onde_endereco = onde.em("endereco");
    grupo = lugar(ctx, onde_endereco, grupo, endereco, false);
    let fone = fone(ctx, onde.em("telefone"), local.telefone.as_deref());
    let email = ctx.texto(onde.em("email"), local.email.as_deref(), 60);
    Some(
        grupo
            .com_se("fone", fone)
            .com_se("email", email)
            .com_se("IE", local.ie.as_deref().map(so_ie)),
    )
}

pub(super) fn autorizados(ctx: &mut Contexto<'_>) -> Vec<Elemento> {
    let pedido = ctx.pedido;
    if pedido.autorizados_xml.len() > MAX_AUTORIZADOS {
        ctx.erro(
            Onde::raiz("autorizados_xml"),
            "limite",
            "São no máximo 10 autorizados a baixar o XML.",
            "Retire os excedentes.",
        );
        return Vec::new();
    }
    let mut grupos = Vec::new();
    let recebedor = pedido.recebedor().1;
    let recebedor = recebedor.and_then(|pessoa| pessoa.cpf_cnpj.as_deref());
    let recebedor = recebedor.and_then(|texto| CpfCnpj::parse(texto).ok());
    for (i, texto) in pedido.autorizados_xml.iter().enumerate() {
        let onde = Onde::lista("autorizados_xml", i);
        // Rejections 324 and 326: nothing is lost by leaving it out.
        if recebedor.is_some() && CpfCnpj::parse(texto).ok() == recebedor {
            ctx.aviso(
                onde,
                "O destinatário já pode baixar o XML: não foi repetido entre os autorizados.",
            );
            continue;
        }
        if let Some(documento) = cpf_cnpj(ctx, onde, Some(texto)) {
            grupos.push(Elemento::grupo("autXML").filho(documento));
        }
    }
    grupos
}

/// Digits of a state registration, or `ISENTO`.
pub(super) fn so_ie(ie: &str) -> String {
    let limpo: String = ie
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(20)
        .collect();
    limpo.to_ascii_uppercase()
}
