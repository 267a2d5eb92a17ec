// What is sent: the messages of ABRASF 2.00, signed, and the envelope around them.

import { decimal, encode, escapeXml, fail, fieldError, group, leaf, optional, secret, signXml } from "../sdk/javascript/sdk.js";

export const NAMESPACE = "http://www.abrasf.org.br/nfse.xsd";
const SERVICE = "http://tempuri.org/";

const EXIGIBILITY = {
  __proto__: null,
  exigivel: "1",
  nao_incidencia: "2",
  isencao: "3",
  exportacao: "4",
  imunidade: "5",
  suspensa_judicial: "6",
  suspensa_administrativa: "7",
};
const OF_TAXATION = {
  __proto__: null,
  tributavel: "exigivel",
  imunidade: "imunidade",
  exportacao: "exportacao",
  nao_incidencia: "nao_incidencia",
};
const REGIME = { __proto__: null, microempresa_municipal: "1", estimativa: "2", sociedade_de_profissionais: "3", ato_cooperado: "4" };
const OF_SIMPLES = { __proto__: null, mei: "5", me_epp: "6" };
const WITHHOLDING = { __proto__: null, tomador: "1", intermediario: "2" };
// 3 (signature) and 5 (processing) are the city's own.
const REASONS = { __proto__: null, erro_emissao: "1", servico_nao_prestado: "2", duplicidade: "4" };

/** Errors of fields, collected: the customer gets all of them at once. */
class Fields {
  constructor() {
    this.errors = [];
  }

  error(campo, regra, texto) {
    this.errors.push(fieldError(campo, regra, texto));
    return "";
  }

  text(campo, value, maximum) {
    const text = String(value ?? "").trim().replace(/\s+/g, " ");
    if (text === "") return this.error(campo, "obrigatorio", "A prefeitura exige este campo.");
    return text.length > maximum ? this.long(campo, maximum) : text;
  }

  optional(campo, value, maximum) {
    const text = String(value ?? "").trim().replace(/\s+/g, " ");
    return text.length > maximum ? this.long(campo, maximum) : text;
  }

  long(campo, maximum) {
    return this.error(campo, "tamanho", `O leiaute da prefeitura aceita até ${maximum} caracteres.`);
  }

  integer(campo, value, maximum) {
    const text = this.text(campo, value, maximum);
    return text === "" || /^\d+$/.test(text) ? text : this.error(campo, "formato", "Informe um número inteiro.");
  }

  digits(campo, value, length) {
    const text = String(value ?? "").replace(/[.-]/g, "");
    if (/^\d+$/.test(text) && text.length === length) return text;
    return this.error(campo, "formato", `Informe ${length} dígitos.`);
  }

  money(campo, value) {
    const text = decimal.fixed(value, 2);
    if (text !== null && !decimal.isNegative(text)) return text;
    return this.error(campo, "valor", "Informe um valor com até duas casas decimais.");
  }

  /** XML that was built, or the refusal with every error. */
  result(xml) {
    if (this.errors.length > 0) throw fail.invalidInput(this.errors);
    return xml;
  }
}

function moment(campo, value, fields) {
  const found = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/.exec(String(value));
  if (!found) return fields.error(campo, "formato", "Informe a data como AAAA-MM-DD.");
  return `${found[1]}T${found[2] ?? "00:00:00"}`;
}

function cpfCnpj(documento, campo, fields) {
  const text = String(documento ?? "").trim();
  if (text.length === 11) return group("CpfCnpj", {}, leaf("Cpf", text));
  if (text.length === 14) return group("CpfCnpj", {}, leaf("Cnpj", text));
  return fields.error(campo, "formato", "Informe 11 posições (CPF) ou 14 (CNPJ).");
}

/** CPF or CNPJ and registration of the emitter. */
function provider(ctx, fields) {
  const { documento, inscricaoMunicipal } = ctx.emitente;
  const im = fields.optional("emitente.inscricao_municipal", inscricaoMunicipal, 15);
  return cpfCnpj(documento, "emitente.documento", fields) + optional("InscricaoMunicipal", im);
}

/** Number, series and type (1, RPS) of a declaration. */
function identification(rps, campo, fields) {
  const number = fields.integer(`${campo}.numero`, rps?.numero, 15);
  const serie = fields.text(`${campo}.serie`, rps?.serie, 5);
  return leaf("Numero", number) + leaf("Serie", serie) + leaf("Tipo", "1");
}

export function exigibility(iss) {
  return iss?.exigibilidade ?? OF_TAXATION[iss?.tributacao] ?? "exigivel";
}

function taxDue(iss) {
  return ["exigivel", "suspensa_judicial", "suspensa_administrativa"].includes(exigibility(iss));
}

function deductions(valores) {
  const given = valores.deducoes;
  if (!given) return "0";
  if (given.valor) return given.valor;
  if (given.percentual) {
    return decimal.rounded(decimal.multiply(decimal.multiply(valores.servico, given.percentual), "0.01"), 2);
  }
  return (given.documentos ?? []).reduce((sum, one) => decimal.add(sum, one.valor_deducao), "0");
}

/** Whether all that the base of the tax is computed of are decimals. */
function computable(valores, fields) {
  const { servico, desconto_incondicionado: discount, deducoes } = valores;
  const given = [
    ["valores.servico", servico],
    ["valores.desconto_incondicionado", discount ?? "0"],
    ["valores.deducoes.valor", deducoes?.valor ?? "0"],
    ["valores.deducoes.percentual", deducoes?.percentual ?? "0"],
    ...(deducoes?.documentos ?? []).map((one, at) => [`valores.deducoes.documentos[${at}].valor_deducao`, one.valor_deducao]),
  ];
  const wrong = given.filter(([, value]) => !decimal.is(value));
  for (const [campo] of wrong) fields.money(campo, null);
  return wrong.length === 0;
}

/** `Valores`: zeros are left out, but the rate is mandatory here. */
function amounts(dps, fields) {
  const { valores } = dps;
  const iss = valores.iss ?? {};
  const retained = valores.retencoes ?? {};
  if (!computable(valores, fields)) return "";
  if (iss.beneficio_municipal) {
    fields.error("valores.iss.beneficio_municipal", "sem_equivalente", "O leiaute da prefeitura não tem campo para benefício municipal; informe a redução em valores.deducoes.");
  }
  const rate = iss.aliquota ?? "0";
  const percent = decimal.fixed(rate, 2);
  if (percent === null || decimal.isNegative(percent) || !decimal.isNegative(decimal.subtract(percent, "100"))) {
    fields.error("valores.iss.aliquota", "valor", "Informe a alíquota em percentual, menor que 100, com até duas casas decimais.");
  }
  const base = decimal.subtract(decimal.subtract(valores.servico, deductions(valores)), valores.desconto_incondicionado ?? "0");
  const tax = decimal.rounded(decimal.multiply(decimal.multiply(base, percent ?? "0"), "0.01"), 2);
  const positive = (name, campo, value) => {
    const given = value !== null && value !== undefined && !(decimal.is(value) && decimal.isZero(value));
    return given ? leaf(name, fields.money(campo, value)) : "";
  };
  return group(
    "Valores",
    {},
    leaf("ValorServicos", fields.money("valores.servico", valores.servico)),
    positive("ValorDeducoes", "valores.deducoes", deductions(valores)),
    positive("ValorPis", "valores.retencoes.pis", retained.pis),
    positive("ValorCofins", "valores.retencoes.cofins", retained.cofins),
    positive("ValorInss", "valores.retencoes.inss", retained.inss),
    positive("ValorIr", "valores.retencoes.ir", retained.ir),
    positive("ValorCsll", "valores.retencoes.csll", retained.csll),
    positive("OutrasRetencoes", "valores.retencoes.outras", retained.outras),
    taxDue(iss) ? positive("ValorIss", "valores.iss.aliquota", tax) : "",
    leaf("Aliquota", percent ?? ""),
    positive("DescontoIncondicionado", "valores.desconto_incondicionado", valores.desconto_incondicionado),
    positive("DescontoCondicionado", "valores.desconto_condicionado", valores.desconto_condicionado),
  );
}

/** Item of LC 116/2003 as `01.05`, from the national code where it is not given. */
function listItem(servico, fields) {
  const national = /^(\d{2})(\d{2})\d{2}$/.exec(servico.codigo_tributacao_nacional ?? "");
  const given = /^(\d{1,2})\.(\d{1,2})$/.exec((servico.item_lista_servico ?? "").trim());
  const found = given ?? (servico.item_lista_servico ? null : national);
  if (found) return `${found[1].padStart(2, "0")}.${found[2].padStart(2, "0")}`;
  return fields.error("servico.item_lista_servico", "formato", 'Informe o item da lista da LC 116/2003, como "1.05".');
}

/** Where the tax is due: what was given, or the emitter's city where nothing points
 *  elsewhere. Otherwise the city decides. */
function incidence(dps) {
  const { servico, codigo_municipio_emissor: home } = dps;
  if (servico.codigo_municipio_incidencia) return servico.codigo_municipio_incidencia;
  const atHome = (servico.codigo_municipio_prestacao ?? home) === home;
  return atHome && taxDue(dps.valores.iss) ? home : null;
}

function service(dps, fields) {
  const { servico, valores } = dps;
  const iss = valores.iss ?? {};
  const kind = exigibility(iss);
  if (kind.startsWith("suspensa") && !iss.numero_processo) {
    fields.error("valores.iss.numero_processo", "obrigatorio", "Informe o número do processo que suspende a exigibilidade.");
  }
  if (servico.codigo_pais_prestacao) {
    fields.error("servico.codigo_pais_prestacao", "sem_equivalente", "O adaptador desta prefeitura não declara serviço prestado no exterior.");
  }
  // The layout has no other place for the complementary information.
  const text = [servico.descricao, dps.informacoes_complementares].filter(Boolean).join(" ");
  const withheld = iss.retencao in WITHHOLDING;
  const due = incidence(dps);
  return group(
    "Servico",
    {},
    amounts(dps, fields),
    leaf("IssRetido", withheld ? "1" : "2"),
    optional("ResponsavelRetencao", WITHHOLDING[iss.retencao]),
    leaf("ItemListaServico", listItem(servico, fields)),
    servico.cnae ? leaf("CodigoCnae", fields.digits("servico.cnae", servico.cnae, 7)) : "",
    optional("CodigoTributacaoMunicipio", fields.optional("servico.codigo_tributacao_municipio", servico.codigo_tributacao_municipio, 20)),
    leaf("Discriminacao", fields.text("servico.descricao", text, 2000)),
    leaf("CodigoMunicipio", fields.digits("servico.codigo_municipio_prestacao", servico.codigo_municipio_prestacao ?? dps.codigo_municipio_emissor, 7)),
    leaf("ExigibilidadeISS", EXIGIBILITY[kind]),
    due ? leaf("MunicipioIncidencia", fields.digits("servico.codigo_municipio_incidencia", due, 7)) : "",
    optional("NumeroProcesso", fields.optional("valores.iss.numero_processo", iss.numero_processo, 30)),
  );
}

function address(given, fields) {
  if (!given) return "";
  const of = (name) => `tomador.endereco.${name}`;
  return group(
    "Endereco",
    {},
    leaf("Endereco", fields.text(of("logradouro"), given.logradouro, 125)),
    leaf("Numero", fields.text(of("numero"), given.numero, 10)),
    optional("Complemento", fields.optional(of("complemento"), given.complemento, 60)),
    leaf("Bairro", fields.text(of("bairro"), given.bairro, 60)),
    leaf("CodigoMunicipio", fields.digits(of("codigo_ibge"), given.codigo_ibge, 7)),
    leaf("Uf", fields.text(of("uf"), given.uf, 2)),
    leaf("Cep", fields.digits(of("cep"), given.cep, 8)),
  );
}

/** `Tomador`; someone who is not identified is left out. */
function taker(person, fields) {
  if (!person || person.tipo === "nao_identificado") return "";
  if (person.tipo === "exterior") {
    return fields.error("tomador.tipo", "sem_equivalente", "O adaptador desta prefeitura não declara tomador no exterior.");
  }
  const im = fields.optional("tomador.im", person.im, 15);
  const known = person.cpf_cnpj ? cpfCnpj(person.cpf_cnpj, "tomador.cpf_cnpj", fields) : "";
  const identified = known + optional("InscricaoMunicipal", im);
  // Without Brazil's country code: 55, two digits of area and eight or nine.
  const telephone = String(person.telefone ?? "").replace(/\D/g, "").replace(/^55(?=\d{10,11}$)/, "");
  const contact = optional("Telefone", telephone.length <= 20 ? telephone : "") + optional("Email", fields.optional("tomador.email", person.email, 80));
  return group(
    "Tomador",
    {},
    identified && group("IdentificacaoTomador", {}, identified),
    leaf("RazaoSocial", fields.text("tomador.nome", person.nome, 150)),
    address(person.endereco, fields),
    contact && group("Contato", {}, contact),
  );
}

function intermediary(person, fields) {
  if (!person) return "";
  const im = fields.optional("intermediario.im", person.im, 15);
  const known = cpfCnpj(person.cpf_cnpj, "intermediario.cpf_cnpj", fields) + optional("InscricaoMunicipal", im);
  const name = leaf("RazaoSocial", fields.text("intermediario.nome", person.nome, 150));
  return group("Intermediario", {}, group("IdentificacaoIntermediario", {}, known), name);
}

function building(work, fields) {
  if (!work) return "";
  const art = leaf("Art", fields.text("obra.art", work.art, 15));
  return group("ConstrucaoCivil", {}, optional("CodigoObra", fields.optional("obra.codigo", work.codigo, 15)), art);
}

function regime(dps) {
  const { especial, opcao_simples: simples, incentivador_cultural: incentive } = dps.regime ?? {};
  const special = REGIME[especial] ?? OF_SIMPLES[simples];
  const opts = simples === "mei" || simples === "me_epp";
  return optional("RegimeEspecialTributacao", special) + leaf("OptanteSimplesNacional", opts ? "1" : "2") + leaf("IncentivoFiscal", incentive ? "1" : "2");
}

/** Everything of one RPS, without its signature. */
function declaration(ctx, dps, id, fields) {
  const replaced = dps.substitui?.rps;
  const rps = group(
    "Rps",
    { Id: id },
    group("IdentificacaoRps", {}, identification(dps.identificacao, "identificacao", fields)),
    leaf("DataEmissao", moment("data_emissao", dps.data_emissao, fields)),
    leaf("Status", "1"),
    replaced ? group("RpsSubstituido", {}, identification(replaced, "substitui.rps", fields)) : "",
  );
  const inside = [
    rps,
    leaf("Competencia", moment("data_competencia", dps.data_competencia, fields)),
    service(dps, fields),
    group("Prestador", {}, provider(ctx, fields)),
    taker(dps.tomador, fields),
    intermediary(dps.intermediario, fields),
    building(dps.obra, fields),
    regime(dps),
  ];
  return group("Rps", {}, group("InfDeclaracaoPrestacaoServico", {}, ...inside));
}

/** The signature behind the declaration it stands in: the schema has it there, and
 *  neither what is signed nor `SignedInfo` changes by the move. */
function behindDeclaration(xml) {
  const found = /<Signature [\s\S]*?<\/Signature>/.exec(xml);
  const end = "</InfDeclaracaoPrestacaoServico>";
  return xml.replace(found[0], "").replace(end, () => end + found[0]);
}

/** `EnviarLoteRpsEnvio` with one RPS, signed. */
export function batch(ctx, dps) {
  const fields = new Fields();
  const { numero, serie } = dps.identificacao ?? {};
  const rpsId = `rps${numero}${serie}`;
  const batchId = `lote${numero}`;
  const xml = group(
    "EnviarLoteRpsEnvio",
    { xmlns: NAMESPACE },
    group(
      "LoteRps",
      { Id: batchId, versao: "2.00" },
      leaf("NumeroLote", numero ?? ""),
      provider(ctx, fields),
      leaf("QuantidadeRps", "1"),
      group("ListaRps", {}, declaration(ctx, dps, rpsId, fields)),
    ),
  );
  const signed = behindDeclaration(signXml(fields.result(xml), rpsId));
  return signXml(signed, batchId);
}

/** `ConsultarLoteRpsEnvio`. */
export function ofProtocol(ctx, protocol) {
  const fields = new Fields();
  const inside = group("Prestador", {}, provider(ctx, fields)) + leaf("Protocolo", protocol);
  return fields.result(group("ConsultarLoteRpsEnvio", { xmlns: NAMESPACE }, inside));
}

/** `ConsultarNfseRpsEnvio`. */
export function ofRps(ctx, rps) {
  const fields = new Fields();
  const asked = group("IdentificacaoRps", {}, identification(rps, "rps", fields));
  const inside = asked + group("Prestador", {}, provider(ctx, fields));
  return fields.result(group("ConsultarNfseRpsEnvio", { xmlns: NAMESPACE }, inside));
}

/** `ConsultarNfseFaixaEnvio` of one number. */
export function ofNumber(ctx, numero) {
  const fields = new Fields();
  const number = fields.text("numero", numero, 15);
  const range = leaf("NumeroNfseInicial", number) + leaf("NumeroNfseFinal", number);
  const inside = group("Prestador", {}, provider(ctx, fields)) + group("Faixa", {}, range) + leaf("Pagina", "1");
  return fields.result(group("ConsultarNfseFaixaEnvio", { xmlns: NAMESPACE }, inside));
}

/** `CancelarNfseEnvio`, signed. */
export function cancellation(ctx, request) {
  const fields = new Fields();
  const number = fields.text("documento.numero", request.documento?.numero, 15);
  const code = REASONS[request.codigo_motivo];
  if (!code) {
    fields.error("codigo_motivo", "sem_equivalente", "A prefeitura aceita erro_emissao, servico_nao_prestado ou duplicidade.");
  }
  const id = `cancelamento${number}`;
  const nota = leaf("Numero", number) + provider(ctx, fields) + leaf("CodigoMunicipio", ctx.municipio.codigo);
  const inside = group("IdentificacaoNfse", {}, nota) + leaf("CodigoCancelamento", code ?? "");
  const asked = group("Pedido", {}, group("InfPedidoCancelamento", { Id: id }, inside));
  return signXml(fields.result(group("CancelarNfseEnvio", { xmlns: NAMESPACE }, asked)), id);
}

/** The header: version, environment (1 production, 2 tests), user and city. The user is
 *  the emitter's CNPJ unless the system knows another. */
function header(ctx) {
  const user = secret("usuario", "xml-text") ?? escapeXml(ctx.emitente.documento);
  const inside = [
    leaf("versaoDados", "2"),
    leaf("TpAmb", ctx.ambiente === "producao" ? "1" : "2"),
    `<Cnpj>${user}</Cnpj>`,
    leaf("CodigoIbge", String(ctx.municipio?.codigo ?? 0).padStart(7, "0")),
  ];
  return group("CabecalhoEnvio", { versao: "2", xmlns: NAMESPACE }, ...inside);
}

/** The request of an operation of the service, with its message as a text. */
export function request(ctx, { operation, parameter, effect, message }) {
  const body = () => {
    const parts = leaf("cabecalho", header(ctx)) + leaf(parameter, message());
    const asked = group(operation, { xmlns: SERVICE }, parts);
    const around = group("soap:Body", {}, asked);
    const envelope = group("soap:Envelope", { "xmlns:soap": "http://schemas.xmlsoap.org/soap/envelope/" }, around);
    return encode(`<?xml version="1.0" encoding="UTF-8"?>${envelope}`);
  };
  return {
    label: operation,
    effect,
    endpoint: "nfse",
    headers: [
      ["SOAPAction", `"${SERVICE}${operation}"`],
      ["Content-Type", "text/xml; charset=utf-8"],
    ],
    clientCertificate: true,
    body,
  };
}

