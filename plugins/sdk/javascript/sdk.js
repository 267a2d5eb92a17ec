// The library of adapters in JavaScript: a flow as one generator function, ends of a
// flow, text, XML and decimals. `plugins/sdk/javascript/README.md` is the guide.
//
// The sandbox has no clock, no network and no files; what JavaScript usually has for
// them (Date, fetch, TextEncoder) is missing or of no use.

import diagnostics from "fiscal:provider/diagnostics@0.1.0";
import secrets from "fiscal:provider/secrets@0.1.0";
import signer from "fiscal:provider/signer@0.1.0";

/** Most steps of a flow: the hub ends it at 64, what follows a poll needs room. */
export const MAX_STEPS = 56;

// Contents and answers beyond these are refused: reading them would take longer than a
// step may compute.
const MAX_CONTENT = 131_072;
const MAX_ANSWER = 1_048_576;
const MAX_EVIDENCE = 4_096;
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 5_000;
const MAX_ATTRIBUTES = 64;
/** Characters of a text of the authority that is kept. */
const MAX_TEXT = 2_000;
/** Bytes in which the end of an XML declaration is looked for. */
const MAX_DECLARATION = 200;
/** More broken characters than these are no damage: the text is of another encoding. */
const MAX_BROKEN = 64;
const STATE_VERSION = 1;

// ---- text --------------------------------------------------------------------------

/** UTF-8 of a text. */
export function encode(text) {
  const binary = unescape(encodeURIComponent(String(text).toWellFormed()));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Bytes of the UTF-8 character that begins at a place; where it breaks, those it had
 *  until there, or the one that begins none, as a negative number. Longer forms than
 *  needed and halves of pairs are none, as RFC 3629 says. */
function characterAt(binary, at) {
  const lead = binary.charCodeAt(at);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let next = 1; next < length; next += 1) {
    const byte = binary.charCodeAt(at + next);
    const fits = next === 1 ? byte >= low && byte <= high : byte >= 0x80 && byte <= 0xbf;
    if (!fits) return -next;
  }
  return length;
}

/** Bytes as UTF-8 with one U+FFFD for each character that breaks, and how many of more
 *  than one byte are whole; null: more break than damage explains. */
function lossy(binary) {
  const parts = [];
  let whole = 0;
  let broken = 0;
  let end = 0;
  const foreign = /[\x80-\xff]+/g;
  for (let found = foreign.exec(binary); found !== null; found = foreign.exec(binary)) {
    const run = found[0];
    parts.push(binary.slice(end, found.index));
    end = foreign.lastIndex;
    let from = 0;
    for (let at = 0; at < run.length; ) {
      const length = characterAt(run, at);
      if (length > 0) {
        whole += 1;
        at += length;
        continue;
      }
      broken += 1;
      if (broken > MAX_BROKEN) return null;
      parts.push(decodeURIComponent(escape(run.slice(from, at))), "\ufffd");
      at -= length;
      from = at;
    }
    parts.push(decodeURIComponent(escape(run.slice(from))));
  }
  parts.push(binary.slice(end));
  return { text: parts.join(""), whole };
}

/** Whether the declaration names UTF-8; null: it names no encoding, is none, or does not
 *  end soon. */
function saysUtf8(binary) {
  const head = lossy(binary.slice(0, MAX_DECLARATION));
  const declaration = /^\p{White_Space}*<\?xml([^]*?)\?>/iu.exec(head?.text ?? "");
  const named = declaration && /encoding[="' ]*(utf-?8)?/i.exec(declaration[1]);
  return named && named[1] !== undefined;
}

/** Bytes that are not UTF-8 but were meant as it, with U+FFFD for what is damaged; null:
 *  they were not. The rule is that of `plugins/sdk/src/xml/reader.rs`: few characters break,
 *  and some of more than one byte are whole; one is enough where the XML says UTF-8. */
function damaged(binary) {
  const utf8 = saysUtf8(binary);
  if (utf8 === false) return null;
  const read = lossy(binary);
  return read !== null && read.whole > (utf8 ? 0 : 1) ? read.text : null;
}

/** The text of bytes, without a byte order mark: UTF-8, with U+FFFD for single damaged
 *  characters of it, or, where they are not that, ISO-8859-1. Throws a SyntaxError where
 *  they are more than an answer may have. */
export function decode(bytes) {
  if (bytes.length > MAX_ANSWER) throw new SyntaxError("too long");
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let binary = "";
  for (let at = marked ? 3 : 0; at < bytes.length; at += 4096) {
    binary += String.fromCharCode.apply(null, bytes.slice(at, at + 4096));
  }
  try {
    return decodeURIComponent(escape(binary));
  } catch {
    return damaged(binary) ?? binary;
  }
}

/** At most so many UTF-16 units of a text. */
export function cut(text, most) {
  return String(text).slice(0, most).toWellFormed();
}

/** Lower case, without accents, white space in one: for comparing what cities write. */
export function simplify(text) {
  return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/\s+/g, " ").trim();
}

// ---- decimals ----------------------------------------------------------------------

/** Decimal text as [digits, scale], or null where it is none. */
function parsed(text) {
  const found = /^(-?)(\d{1,30})(?:\.(\d{1,40}))?$/.exec(String(text ?? ""));
  if (!found) return null;
  const fraction = found[3] ?? "";
  return [BigInt(found[1] + found[2] + fraction), fraction.length];
}

/** The same for arithmetic: nothing given is zero. Throws invalid-input for what is no
 *  decimal, because a wrong amount would be signed. */
function number(text) {
  if (text === null || text === undefined || text === "") return [0n, 0];
  const value = parsed(text);
  if (!value) throw fail.invalidInput([fieldError("", "valor", `Não é um número decimal: ${cut(text, 40)}.`)]);
  return value;
}

function written(digits, scale) {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function scaled([digits, scale], to) {
  return digits * 10n ** BigInt(to - scale);
}

/** Arithmetic with decimal text; nothing given counts as zero, and what is no decimal
 *  ends the flow as invalid-input. No floats. */
export const decimal = {
  /** Whether it is decimal text. */
  is: (text) => parsed(text) !== null,
  /** With so many decimals; null where digits would be lost, or it is no decimal. */
  fixed(text, places) {
    const value = parsed(text);
    if (!value) return null;
    const [digits, scale] = value;
    if (scale <= places) return written(scaled(value, places), places);
    const cut = 10n ** BigInt(scale - places);
    return digits % cut === 0n ? written(digits / cut, places) : null;
  },
  /** The same, rounded half away from zero. */
  rounded(text, places) {
    const [digits, scale] = number(text);
    if (scale <= places) return written(scaled([digits, scale], places), places);
    const cut = 10n ** BigInt(scale - places);
    const half = digits < 0n ? -cut / 2n : cut / 2n;
    return written((digits + half) / cut, places);
  },
  add(a, b) {
    const [one, two] = [number(a), number(b)];
    const scale = Math.max(one[1], two[1]);
    return written(scaled(one, scale) + scaled(two, scale), scale);
  },
  subtract(a, b) {
    const [digits, scale] = number(b);
    return decimal.add(a, written(-digits, scale));
  },
  multiply(a, b) {
    const [one, two] = [number(a), number(b)];
    return written(one[0] * two[0], one[1] + two[1]);
  },
  isZero: (text) => number(text)[0] === 0n,
  isNegative: (text) => number(text)[0] < 0n,
  same: (a, b) => decimal.isZero(decimal.subtract(a, b)),
};

// ---- XML ---------------------------------------------------------------------------

/** A text inside an element or an attribute. */
export function escapeXml(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

/** An element with a text. An empty text gives an empty element; no text at all is an error, `optional` leaves the element out. */
export function leaf(name, text) {
  if (text === null || text === undefined) throw new TypeError(`leaf("${name}") has no text`);
  // As canonical XML writes texts, so that what is signed is what is sent.
  const safe = String(text).replace(/[&<>\r]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" })[c]);
  return `<${name}>${safe}</${name}>`;
}

/** The same, or nothing where there is no text. */
export function optional(name, text) {
  return text === null || text === undefined || text === "" ? "" : leaf(name, text);
}

/** An element around XML; `attributes` is an object, `{}` for none. */
export function group(name, attributes, ...inside) {
  if (attributes === null || typeof attributes !== "object" || Array.isArray(attributes)) throw new TypeError(`group("${name}"): its attributes are no object`);
  let head = name;
  for (const key of Object.keys(attributes)) head += ` ${key}="${escapeXml(attributes[key])}"`;
  return `<${head}>${inside.join("")}</${name}>`;
}

/** An element that was read. Names are local ones, without prefix. */
export class Element {
  constructor(name, attributes, from) {
    this.name = name;
    /** Attributes by their names as written; declarations of namespaces among them. */
    this.attributes = attributes;
    this.children = [];
    this.text = "";
    /** Where it begins and ends in the text that was read. */
    this.from = from;
    this.to = from;
    this.parent = null;
  }

  /** The first child of this name. */
  child(name) {
    return this.children.find((child) => child.name === name) ?? null;
  }

  /** By a path of names, `a/b`. */
  find(path) {
    let found = this;
    for (const name of path.split("/")) found = found?.child(name) ?? null;
    return found;
  }

  /** The text at a path without blanks around it; null where there is none. */
  textAt(path) {
    return this.find(path)?.text.trim() || null;
  }

  /** Every element of this name below, in order. */
  all(name) {
    const found = [];
    const open = [...this.children].reverse();
    while (open.length > 0) {
      const one = open.pop();
      if (one.name === name) found.push(one);
      for (let at = one.children.length - 1; at >= 0; at -= 1) open.push(one.children[at]);
    }
    return found;
  }

  /** The first element of this name below. */
  first(name) {
    return this.all(name)[0] ?? null;
  }
}

const FOREIGN = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/;

function unescapeXml(text) {
  if (!text.includes("&")) return text;
  if (FOREIGN.test(text)) throw new SyntaxError("entity");
  // Whole texts at once: a message inside an envelope has thousands of them.
  const plain = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'");
  if (!plain.includes("&#")) return plain.replaceAll("&amp;", "&");
  return plain.replace(/&(?:amp|#(?:x([0-9a-fA-F]+)|(\d+)));/g, (whole, hex, digits) => {
    if (whole === "&amp;") return "&";
    const point = parseInt(hex ?? digits, hex ? 16 : 10);
    if (point > 0x10ffff || UNKNOWN.test(String.fromCodePoint(point))) throw new SyntaxError("character");
    return String.fromCodePoint(point);
  });
}

/** What is no character of XML 1.0 (section 2.2). */
const UNKNOWN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

function attributesOf(text) {
  const found = Object.create(null);
  // From where the last one ended, so that nothing is read twice.
  const next = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
  let end = 0;
  let count = 0;
  for (let one = next.exec(text); one; one = next.exec(text)) {
    count += 1;
    if (count > MAX_ATTRIBUTES || one[1] in found) throw new SyntaxError("attributes");
    found[one[1]] = unescapeXml(one[2] ?? one[3] ?? "");
    end = next.lastIndex;
  }
  if (text.slice(end).trim() !== "") throw new SyntaxError("attributes");
  return found;
}

/** Where a piece of markup at `at` ends, which may be a comment, CDATA or a tag. */
function closing(text, mark, at) {
  const end = text.indexOf(mark, at);
  if (end < 0) throw new SyntaxError(`no ${mark}`);
  return end;
}

/** The root of a document. No DTD, no entity but the five of XML.
 *  Throws a SyntaxError where it is no XML or too large. */
export function parseXml(text) {
  if (text.length > MAX_ANSWER) throw new SyntaxError("too long");
  if (UNKNOWN.test(text)) throw new SyntaxError("character");
  const top = new Element("", {}, 0);
  let open = top;
  let depth = 0;
  let count = 0;
  let at = 0;
  while (at < text.length) {
    const mark = text.indexOf("<", at);
    const between = text.slice(at, mark < 0 ? text.length : mark);
    if (open !== top) open.text += unescapeXml(between);
    else if (/[^\s\ufeff]/.test(between)) throw new SyntaxError("text outside");
    if (mark < 0) break;
    if (text.startsWith("<![CDATA[", mark)) {
      const end = closing(text, "]]>", mark);
      open.text += text.slice(mark + 9, end);
      at = end + 3;
    } else if (text.startsWith("<!--", mark)) {
      at = closing(text, "-->", mark + 4) + 3;
    } else if (text.startsWith("<?", mark)) {
      at = closing(text, "?>", mark + 2) + 2;
    } else if (text.startsWith("<!", mark)) {
      throw new SyntaxError("doctype");
    } else {
      const end = closing(text, ">", mark);
      at = end + 1;
      if (text[mark + 1] === "/") {
        const name = text.slice(mark + 2, end).trim();
        if (open === top || local(name) !== open.name) throw new SyntaxError(`</${name}>`);
        open.to = at;
        open = open.parent;
        depth -= 1;
        continue;
      }
      const alone = text[end - 1] === "/";
      const tag = /^([^\s/<>"'=!?]+)([\s\S]*)$/.exec(text.slice(mark + 1, alone ? end - 1 : end));
      if (!tag || (open === top && top.children.length > 0)) throw new SyntaxError("tag");
      const made = new Element(local(tag[1]), attributesOf(tag[2]), mark);
      made.parent = open;
      made.to = at;
      open.children.push(made);
      count += 1;
      if (count > MAX_ELEMENTS || depth >= MAX_DEPTH) throw new SyntaxError("too many elements");
      if (!alone) {
        open = made;
        depth += 1;
      }
    }
  }
  if (open !== top || top.children.length !== 1) throw new SyntaxError("not closed");
  top.children[0].parent = null;
  return top.children[0];
}

function local(name) {
  return name.slice(name.indexOf(":") + 1);
}

/** An element as a document of its own, byte for byte, with the declarations of
 *  namespaces that it takes from the elements around it; `text` is what was read. */
export function standalone(text, element) {
  const source = text.slice(element.from, element.to);
  const signed = element.first("Signature") !== null;
  const prefixes = new Set([...source.matchAll(/[<\s/]([^\s<>/:="']+):/g)].map((one) => one[1]));
  const added = Object.create(null);
  for (let around = element.parent; around; around = around.parent) {
    for (const [name, value] of Object.entries(around.attributes)) {
      const declares = name === "xmlns" || name.startsWith("xmlns:");
      const used = signed || name === "xmlns" || prefixes.has(name.slice(6));
      const known = name in added || name in element.attributes;
      if (declares && used && !known) added[name] = value;
    }
  }
  const name = /^<[^\s/>]+/.exec(source)[0];
  const names = Object.keys(added).sort().map((key) => ` ${key}="${escapeXml(added[key])}"`);
  return name + names.join("") + source.slice(name.length);
}

// ---- how a flow ends ---------------------------------------------------------------

/** An end that is no success. `throw` it. */
export class Failure {
  constructor(reason, detail) {
    this.reason = reason;
    this.mayExist = false;
    this.detail = detail;
    this.evidence = null;
  }

  /** The document may exist on the other side all the same: the hub asks again. */
  maybeExists() {
    this.mayExist = true;
    return this;
  }

  /** What the authority answered, for support. */
  withEvidence(body) {
    const bytes = (body instanceof Uint8Array ? body : encode(body)).slice(0, MAX_EVIDENCE);
    this.evidence = bytes.length > 0 ? bytes : null;
    return this;
  }
}

/** A message: code and text of the authority, what it says to correct, the field. */
export function message(codigo, texto, correcao = null, campo = null) {
  const short = (text) => (text === null ? null : cut(text, MAX_TEXT));
  return { codigo: cut(codigo, 60), texto: short(texto), correcao: short(correcao), campo };
}

/** A field that the layout cannot take; `texto` is pt-BR, for customers. */
export function fieldError(campo, regra, texto) {
  return { campo, regra, texto };
}

/** Failures by their reasons. */
export const fail = {
  rejected: (messages) => new Failure({ tag: "rejected", val: messages }, "recusado pela autoridade"),
  credentials: (messages) => new Failure({ tag: "credentials", val: messages }, "credencial recusada"),
  invalidInput: (fields) => new Failure({ tag: "invalid-input", val: fields }, "conteudo invalido para o leiaute"),
  notSupported: (what) => new Failure({ tag: "not-supported", val: what }, "operacao nao suportada"),
  unexpected: (what, body) =>
    new Failure({ tag: "unexpected-response", val: what }, "resposta inesperada").withEvidence(body),
  other: (what) => new Failure({ tag: "other", val: what }, what),
  signing: (error) => new Failure({ tag: "signing", val: error }, "assinatura nao realizada"),
  /** Try later; `retryAfterMs` null where the authority does not say when. */
  unavailable: (retryAfterMs, what) =>
    new Failure({ tag: "unavailable", val: { retryAfterMs, mensagens: [] } }, what),
  /** No usable answer arrived: may-exist as the fault says. */
  transport(fault) {
    const made = new Failure({ tag: "transport", val: fault }, fault.detail);
    made.mayExist = fault.maybeArrived;
    return made;
  },
};

/** A success; `more` has any of documentos, protocolo, mensagens, conteudo. */
export function success(situacao, more = {}) {
  const { documentos = [], protocolo = null, mensagens = [], conteudo = null } = more;
  return { situacao, documentos, protocolo, mensagens, conteudo };
}

/** A document; `xml` is bytes or text, `valores` an object of decimal texts. */
export function documento(tipo, situacao, more = {}) {
  const { xml = null, numero = null, serie = null, chave = null, codigoVerificacao = null } = more;
  const { protocolo = null, emitidoEm = null, urlConsulta = null, valores = {} } = more;
  return {
    tipo,
    situacao,
    xml: xml === null || xml instanceof Uint8Array ? xml : encode(xml),
    numero,
    serie,
    chave,
    codigoVerificacao,
    protocolo,
    emitidoEm,
    urlConsulta,
    valores: Object.keys(valores).sort().map((name) => ({ name, value: valores[name] })),
  };
}

// ---- what the adapter says of itself -----------------------------------------------

/** What `describe` says. Give name, version, schemas, operations and endpoints. */
export function description(said) {
  const option = (one) => ({ choices: [], default: null, required: false, ...one });
  return {
    name: said.name,
    version: said.version,
    schemas: said.schemas,
    operations: said.operations.map(([name, synchronous, notes]) => ({ name, synchronous, notes })),
    options: (said.options ?? []).map(option),
    endpoints: said.endpoints,
    stateVersion: STATE_VERSION,
    resumes: [],
    maintainers: said.maintainers ?? [],
  };
}

/** All that an adapter may do with keys, secrets and certificates; the hub refuses the
 *  rest. Elements are `{ name, namespaces, purpose }`, a namespace is null (none), a
 *  text, or `{ configured: option }`. */
export function permissions({ elements = [], texts = [], secrets: given = [], certificateEndpoints = [] }) {
  const namespace = (one) => {
    if (one === null) return { tag: "absent" };
    return one.configured ? { tag: "configured", val: one.configured } : { tag: "exact", val: one };
  };
  return {
    elements: elements.map((one) => ({ ...one, namespaces: one.namespaces.map(namespace) })),
    texts,
    secrets: given,
    certificateEndpoints,
  };
}

// ---- what the host does ------------------------------------------------------------

/** Signs the element whose id is `reference` ("" is the whole document) and returns the
 *  document. Throws a Failure. */
export function signXml(xml, reference, options = {}) {
  const all = {
    algorithm: "rsa-sha1",
    canonicalization: "c14n",
    placement: "after-reference",
    idAttribute: "Id",
    includeChain: false,
    emptyUri: false,
    ...options,
  };
  try {
    return signer.signXml(xml, reference, all);
  } catch (error) {
    // What an import refuses is an Error that has the value of the contract.
    if (error?.payload === undefined) throw error;
    throw fail.signing(error.payload);
  }
}

/** A placeholder that the host fills while it sends; null: there is no such secret. */
export const secret = (name, encoding) => secrets.reference(name, encoding);
export const basicAuth = (user, password) => secrets.basicAuth(user, password);
/** Into the flow's trace: no keys, XML or CPF. */
export const log = (level, text) => diagnostics.log(level, text);

/** The value of an option of the call, or null. */
export function option(ctx, name) {
  return ctx.options.find((one) => one.name === name)?.value ?? null;
}

/** The content of an operation as an object. Throws invalid-input where it is none. */
export function content(op, schema) {
  const { schema: given, json } = op.conteudo;
  const wrong = (texto) => fail.invalidInput([fieldError("", "formato", texto)]);
  if (given !== schema) throw wrong(`Esperado um conteúdo ${schema}.`);
  if (json.length > MAX_CONTENT) throw wrong("O conteúdo é grande demais.");
  let read = null;
  try {
    read = parseJson(json);
  } catch {
    throw wrong("O conteúdo não é um JSON, ou é um que este adaptador não lê.");
  }
  if (read === null || typeof read !== "object" || Array.isArray(read)) throw wrong("O conteúdo não é um objeto JSON.");
  return read;
}

/** The value of a JSON text. Throws a SyntaxError where it is none, is too long or too
 *  deep, or has a whole number that would not be kept as it is written. */
export function parseJson(text) {
  if (text.length > MAX_ANSWER || tooDeep(text)) throw new SyntaxError("too large");
  return JSON.parse(text, (_, value) => {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new SyntaxError("number");
    return value;
  });
}

/** More brackets open than any content has: the reader of JSON would overflow. */
function tooDeep(json) {
  let depth = 0;
  for (const bracket of json.match(/[[\]{}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

// ---- the flow ----------------------------------------------------------------------

/** One flow. `run` starts from its top at every step, and what it asked before is
 *  answered from the record: what it depends on must be its arguments and answers. */
export class Flow {
  constructor(ctx, record, event) {
    this.ctx = ctx;
    this.record = record;
    this.event = event;
    this.at = 0;
    /** Whether someone gave up on the flow. */
    this.cancelled = false;
    /** Whether something was sent that may change something. */
    this.changed = false;
  }

  /** Questions so far. */
  get asks() {
    return this.record.filter((entry) => entry.kind !== "keep").length;
  }

  /** A text computed once: what is sent again must be the same bytes. */
  keep(label, make) {
    const known = this.record[this.at];
    if (known) {
      this.same(known, "keep", label);
      this.at += 1;
      return known.value;
    }
    const value = make();
    this.record.push({ kind: "keep", label, value });
    this.at += 1;
    return value;
  }

  /** Sends a request and gives `{ value }`, what `read` makes of the answer, or
   *  `{ fault }`. Only the value is remembered, so it must be what JSON can hold, and
   *  small. A request has label, effect and endpoint (with path) or url; method, headers
   *  (pairs), body (a text, or a function that gives it), clientCertificate, timeoutMs. */
  *send(request, read) {
    const { label, effect, method = "POST", endpoint = null, path = "", url = null } = request;
    const about = [method, endpoint, path, url, effect, label].join(" ");
    const given = this.answered("send", about);
    if (given && effect !== "read-only") this.changed = true;
    if (!given) {
      const { headers = [], body = "", clientCertificate = false, timeoutMs = null } = request;
      const bytes = typeof body === "function" ? body() : body;
      const target = url === null ? { tag: "endpoint", val: { endpoint, path } } : { tag: "url", val: url };
      yield {
        kind: "send",
        label: about,
        request: {
          target,
          method,
          headers: headers.map(([name, value]) => ({ name, value })),
          body: bytes instanceof Uint8Array ? bytes : encode(bytes),
          effect,
          timeoutMs,
          clientCertificate,
          label,
        },
      };
    }
    if (given.event) given.entry.value = this.taken(given.event, read);
    return given.entry.value;
  }

  taken(event, read) {
    if (event.tag === "response") return { value: read(event.val) ?? null };
    if (event.tag === "no-response") return { fault: event.val };
    this.cancelled = true;
    return { fault: { kind: "other", detail: "o fluxo foi abandonado", maybeArrived: true }, cancelled: true };
  }

  /** Sleeps. False: someone gave up on the flow. */
  *wait(durationMs, reason) {
    const given = this.answered("wait", `${durationMs} ${reason}`);
    if (!given) yield { kind: "wait", label: `${durationMs} ${reason}`, durationMs, reason };
    if (given.event) given.entry.value = given.event.tag !== "cancelled";
    if (!given.entry.value) this.cancelled = true;
    return given.entry.value;
  }

  /** The entry of the record that answers this question; null: it is a new one. */
  answered(kind, label) {
    const entry = this.record[this.at];
    if (!entry) return null;
    this.same(entry, kind, label);
    this.at += 1;
    if (entry.value !== undefined) {
      if (entry.value?.cancelled) this.cancelled = true;
      return { entry };
    }
    const event = this.event;
    this.event = null;
    return { entry, event };
  }

  same(entry, kind, label) {
    if (entry.kind !== kind || entry.label !== label) {
      throw fail.other(`divergencia: ${kind} ${label}`).maybeExists();
    }
  }
}

/** The end of a flow that someone gave up on. */
export const gaveUp = () => fail.other("o fluxo foi abandonado").maybeExists();

const done = (outcome) => ({ tag: "done", val: outcome });
const failed = ({ reason, mayExist, detail, evidence }) =>
  done({ tag: "err", val: { reason, mayExist, detail, evidence } });

/** One step: `run` from its top, with the record of what was answered. */
function step(run, op, ctx, record, event) {
  const flow = new Flow(ctx, record, event);
  let asked;
  try {
    asked = run(flow, op).next();
  } catch (error) {
    if (error instanceof Failure) return failed(error);
    const broken = fail.other(`erro no adaptador: ${error?.message ?? error}`);
    broken.mayExist = flow.changed;
    return failed(broken);
  }
  if (asked.done) return done({ tag: "ok", val: asked.value });
  const question = asked.value;
  record.push({ kind: question.kind, label: question.label });
  const state = encode(JSON.stringify({ version: STATE_VERSION, op, record }));
  if (question.kind === "send") return { tag: "send", val: { request: question.request, state } };
  return { tag: "wait", val: { durationMs: question.durationMs, reason: question.reason, state } };
}

/** The exports of an adapter of service notes. `describe` and `permissions` are what the
 *  functions of these names give; `operations` is an object of generator functions
 *  `(flow, op)` by the names of the operations. */
export function adapter({ describe, permissions: declared, operations }) {
  const run = function* (flow, op) {
    if (!Object.hasOwn(operations, op.nome)) throw fail.notSupported(op.nome);
    return yield* operations[op.nome](flow, op);
  };
  return {
    describe: { describe: () => describe },
    declaration: { declare: () => declared },
    nfse: {
      start: (op, ctx) => step(run, op, ctx, [], null),
      resume(state, event, ctx) {
        let read;
        try {
          read = JSON.parse(decode(state));
        } catch {
          read = null;
        }
        if (read?.version !== STATE_VERSION) return failed(fail.other("estado desconhecido").maybeExists());
        return step(run, read.op, ctx, read.record, event);
      },
    },
  };
}
