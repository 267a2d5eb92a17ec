// Checks the library inside of the engine that runs it: `emitir` ends with everything
// that is not as it should be.

import {
  Failure,
  Flow,
  adapter,
  content,
  decimal,
  decode,
  description,
  encode,
  escapeXml,
  fail,
  group,
  leaf,
  optional,
  parseXml,
  permissions,
  simplify,
  standalone,
} from "./sdk.js";

const wrong = [];

function same(found, wanted, what) {
  const [one, two] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== two) wrong.push(`${what}: ${one} instead of ${two}`);
}

function refused(action, kind, what) {
  try {
    wrong.push(`${what}: ${JSON.stringify(action())} instead of a refusal`);
  } catch (error) {
    if (!(error instanceof kind)) wrong.push(`${what}: ${error}`);
  }
}

function decimals() {
  same(decimal.fixed("1500.5", 2), "1500.50", "fixed");
  same(decimal.fixed("1.500", 2), "1.50", "zeros are no digits");
  same(decimal.fixed("1.005", 2), null, "digits would be lost");
  same(decimal.fixed("abc", 2), null, "no decimal");
  same(decimal.rounded("2.345", 2), "2.35", "half away from zero");
  same(decimal.rounded("-2.345", 2), "-2.35", "the same below zero");
  same(decimal.rounded("2.344", 2), "2.34", "less than half");
  same(decimal.add("0.1", "0.2"), "0.3", "add");
  same(decimal.subtract("1", "0.99"), "0.01", "subtract");
  same(decimal.subtract("0.5", "1"), "-0.5", "below zero");
  same(decimal.multiply("1237.41", "3.5"), "4330.935", "multiply");
  same([decimal.same("1.0", "1"), decimal.isZero("0.00"), decimal.isNegative("-0.1")], [true, true, true], "compared");
}

function texts() {
  for (const text of ["ação €", "😀", ""]) same(decode(encode(text)), text, "there and back");
  same(decode(new Uint8Array([0x61, 0xe7, 0xe3, 0x6f])), "ação", "ISO-8859-1");
  same(encode("ç").length, 2, "UTF-8");
  damages();
  refused(() => decode(new Uint8Array(1_048_577)), SyntaxError, "too long");
  same(simplify("  RPS  NÃO\nEncontrado "), "rps nao encontrado", "simplify");
}

/** The same as in `plugins/sdk/src/xml/reader.rs`. */
function damages() {
  const bytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const mark = "\xef\xbb\xbf";
  const utf8 = `<?xml version='1.0' encoding="utf-8"?>`;
  const iso = "<?xml version='1.0' encoding='ISO-8859-1'?>";
  const long = (length) => `${"<?xml encoding='utf-8'".padEnd(length - 2)}?>`;
  const [two, one, none] = ["S\xc3\xa3o Jos\xc3\xa9 \xe9", "S\xc3\xa3o \xe9", "S\xe3o"];
  for (const [start, text, read] of [
    ["", two, "São José \ufffd"],
    [utf8, one, "São \ufffd"],
    ["", one, "SÃ£o é"],
    [iso, two, "SÃ£o JosÃ© é"],
    [utf8, none, "São"],
    [utf8, "S\xc3\xa3o \xe2\x82", "São \ufffd"],
    [utf8, "S\xc3\xa3o \xf0\x9f\x98", "São \ufffd"],
    [utf8, "S\xc3\xa3o \xed\xa0\x80", "São \ufffd\ufffd\ufffd"],
    [mark, "S\xc3\xa3o", "São"],
    [mark, one, "SÃ£o é"],
    [mark, two, "São José \ufffd"],
    [mark + utf8, one, "São \ufffd"],
    [mark + utf8, none, "São"],
    [long(200), one, "São \ufffd"],
    [long(201), one, "SÃ£o é"],
  ]) {
    const wanted = `${start.startsWith(mark) ? start.slice(3) : start}<a>${read}</a>`;
    same(decode(bytes(`${start}<a>${text}</a>`)), wanted, "damaged");
  }
  const broken = (count) => bytes(two + "\xe9 ".repeat(count - 1));
  same(decode(broken(64)), `São José \ufffd${"\ufffd ".repeat(63)}`, "some break");
  same(decode(broken(65)), `SÃ£o JosÃ© é${"é ".repeat(64)}`, "many break");
}

function xml() {
  same(leaf("A", "a < b & \"c\""), "<A>a &lt; b &amp; \"c\"</A>", "leaf");
  same(group("A", { Id: "x\"y" }, optional("B", null), leaf("C", 0)), '<A Id="x&quot;y"><C>0</C></A>', "group");
  refused(() => leaf("A", null), TypeError, "no text");
  refused(() => group("A", "<B></B>"), TypeError, "no attributes");
  refused(() => group("A", ["<B></B>"]), TypeError, "a list is no attributes");
  same(escapeXml("<a href=\"x\">"), "&lt;a href=&quot;x&quot;&gt;", "escape");
  const text = `<?xml version="1.0"?><!-- c --><p:R xmlns:p="u:p" xmlns:q="u:q" xmlns="u:d" a='1 &amp; 2'>
    <p:A><B>1</B><B>&amp;lt;&#38;lt;&lt;&#xE7;</B></p:A><C><![CDATA[<x>&amp;]]></C><D/></p:R>`;
  const root = parseXml(text);
  same([root.name, root.attributes.a, root.textAt("A/B"), root.all("B").length], ["R", "1 & 2", "1", 2], "read");
  same(root.all("B")[1].text, "&lt;&lt;<ç", "entities are read once");
  same(root.textAt("C"), "<x>&amp;", "CDATA");
  same(root.textAt("D"), null, "empty");
  same(standalone(text, root.first("D")), '<D xmlns="u:d"/>', "only what is used");
  same(standalone(text, root.first("A")).startsWith('<p:A xmlns="u:d" xmlns:p="u:p"><B>1'), true, "its prefix");
  const signed = '<r xmlns="u" xmlns:x="v"><C><Signature/></C></r>';
  same(standalone(signed, parseXml(signed).first("C")), '<C xmlns="u" xmlns:x="v"><Signature/></C>', "a signature keeps all");
  const deep = `${"<a>".repeat(65)}${"</a>".repeat(65)}`;
  for (const bad of ["", "x", "<a>", "<a></b>", "<a/><b/>", "<a>&nbsp;</a>", "<a>&</a>", "<!DOCTYPE a><a/>", "<a b></a>", "<a>&#0;</a>", deep]) {
    refused(() => parseXml(bad), SyntaxError, bad.slice(0, 20));
  }
}

function contents() {
  const of = (json, schema = "a/1") => ({ conteudo: { schema, json } });
  same(content(of('{"a":1}'), "a/1"), { a: 1 }, "content");
  for (const json of ["", "null", "[]", "{", "[".repeat(5000), `{"a":"${"x".repeat(140_000)}"}`]) {
    refused(() => content(of(json), "a/1"), Failure, json.slice(0, 20));
  }
  refused(() => content(of("{}", "b/1"), "a/1"), Failure, "another schema");
}

/** What a record answers, and that another question than the recorded one ends a flow. */
function records() {
  const asked = (label) => ({ label, effect: "once", endpoint: "ws" });
  const first = new Flow({}, [], null);
  first.keep("k", () => "kept");
  const question = first.send(asked("A"), () => null).next().value;
  same([question.kind, question.request.label, first.record.length], ["send", "A", 1], "asks");
  const record = [...first.record, { kind: "send", label: question.label }];
  const next = new Flow({}, record, { tag: "response", val: { status: 200, headers: [], body: encode("7") } });
  same(next.keep("k", () => "made again"), "kept", "kept");
  same(next.send(asked("A"), ({ body }) => decode(body)).next(), { value: { value: "7" }, done: true }, "answered");
  same([next.changed, record[1].value], [true, { value: "7" }], "recorded");
  const silent = new Flow({}, [{ kind: "send", label: question.label }], { tag: "cancelled" });
  same(silent.send(asked("A"), () => null).next().value.cancelled, true, "given up");
  const other = new Flow({}, [{ kind: "send", label: question.label, value: { value: 1 } }], null);
  refused(() => other.send(asked("B"), () => null).next(), Failure, "another question");
}

function* checks() {
  for (const check of [decimals, texts, xml, contents, records]) check();
  throw fail.other(wrong.length === 0 ? "all is well" : wrong.join("\n"));
}

export const { describe, declaration, nfse } = adapter({
  describe: description({
    name: "checks",
    version: "0.1.0",
    schemas: ["nfse.dps/1"],
    operations: [["emitir", true, "Checks the library."]],
    endpoints: [{ name: "ws", required: true, clientCertificate: false, doc: "None." }],
  }),
  permissions: permissions({}),
  operations: { emitir: checks },
});
