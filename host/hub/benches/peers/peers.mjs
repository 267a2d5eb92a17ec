// What public npm packages need for the work `hub bench` measures of ours.
//
//   node peers.mjs --note NOTE.xml --key K.pem --cert C.pem --pfx A1.pfx --password PW [--xsd nfe_v4.00.xsd]
//
// NOTE.xml is a signed NF-e (NFe or nfeProc) of 10 items; the PFX holds the
// same key (RSA-2048) and certificate as the PEM files. One line of JSON per
// measurement:
//
//   {"peer": "xml-crypto 6.3.2", "what": "sign", "per_second": 410.5, "unit": "note"}
//
// A peer that is not installed, or cannot do the work, has "skipped" with the
// reason in place of the figure, and the exit code stays 0. One thread; the
// best of several rounds counts, as in our own measurements, because everything
// else on the machine only adds. Files and keys are read before the clock starts.
//
// What differs from our work is said at each measurement. Building leaves out
// what a request asks of us: checking it, choosing taxes, the rules of the
// authority. The peers get finished amounts.
//
// Packages are looked for beside this file and in NODE_PATH (a node_modules folder).

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const ROUNDS = 5;
const ROUND_MS = 300;
const NFE = 'http://www.portalfiscal.inf.br/nfe';
const find = createRequire(import.meta.url);

// Some packages print while they work: standard output is ours.
for (const name of ['log', 'info', 'debug', 'warn']) console[name] = () => {};

class NotInstalled extends Error {}

/** The folder of an installed package. */
function home(name) {
  const at = (find.resolve.paths(name) ?? []).map((dir) => path.join(dir, name)).find((dir) => fs.existsSync(dir));
  if (!at) throw new NotInstalled();
  return at;
}

/** A package, or a file of it. */
async function load(name, file) {
  const at = home(name);
  const open = (entry) => import(pathToFileURL(entry).href);
  let loaded;
  if (file) {
    loaded = await open(path.join(at, file));
  } else {
    try {
      loaded = await open(find.resolve(name));
    } catch (error) {
      // A package without an entry for require().
      const { exports } = JSON.parse(fs.readFileSync(path.join(at, 'package.json'), 'utf8'));
      const entry = exports?.['.']?.import ?? exports?.import;
      if (typeof (entry?.default ?? entry) !== 'string') throw error;
      loaded = await open(path.join(at, entry.default ?? entry));
    }
  }
  return { ...loaded.default, ...loaded };
}

/** Seconds of one call, of the best round. */
async function best(call) {
  await call(); // lazy loading of the peer is not what is measured
  let seconds = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    let calls = 0;
    while (performance.now() - began < ROUND_MS) {
      await call();
      calls += 1;
    }
    seconds = Math.min(seconds, (performance.now() - began) / 1e3 / calls);
  }
  return seconds;
}

/** `prepare` gives the call to measure and how many units one call makes. */
async function measure(name, what, unit, prepare) {
  const line = { peer: name, what };
  try {
    const { version } = JSON.parse(fs.readFileSync(path.join(home(name), 'package.json'), 'utf8'));
    line.peer = `${name} ${version}`;
    const [call, units] = await prepare();
    line.per_second = Number((units / (await best(call))).toFixed(2));
    line.unit = unit;
  } catch (error) {
    // A peer that fails is a result, not an error of ours.
    line.skipped = error instanceof NotInstalled ? 'not installed' : String(error?.message ?? error).slice(0, 200);
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The note as text: what nfeProc declares is no part of it. */
function read(file) {
  const text = fs.readFileSync(file, 'utf8');
  let signed = text.slice(text.indexOf('<NFe'), text.indexOf('</NFe>') + '</NFe>'.length);
  if (!/^<NFe[^>]*xmlns=/.test(signed)) signed = signed.replace('<NFe', `<NFe xmlns="${NFE}"`);
  const unsigned = signed.replace(/<Signature[\s\S]*<\/Signature>/, '');
  // Two of the printers want the authorized form; this protocol is made up.
  const protocol = {
    tpAmb: 1,
    verAplic: 'bench',
    chNFe: signed.match(/Id="NFe([0-9A-Z]{44})"/)[1],
    dhRecbto: '2026-01-01T00:00:00-03:00',
    nProt: '131260000000001',
    digVal: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    cStat: 100,
    xMotivo: 'Autorizado o uso da NF-e',
  };
  const fields = Object.entries(protocol).map(([name, value]) => `<${name}>${value}</${name}>`);
  const answer = `<protNFe versao="4.00"><infProt>${fields.join('')}</infProt></protNFe>`;
  const proc = `<nfeProc versao="4.00" xmlns="${NFE}">${signed}${answer}</nfeProc>`;
  return { signed, unsigned, proc, megabytes: Buffer.byteLength(signed) / 1e6 };
}

// Reading: text to plain objects, every value as text. No type is checked.
async function fastXmlParse(note) {
  const { XMLParser } = await load('fast-xml-parser');
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false });
  return [() => parser.parse(note.signed), note.megabytes];
}

async function xml2jsParse(note) {
  const { parseStringPromise } = await load('xml2js');
  return [() => parseStringPromise(note.signed), note.megabytes];
}

// Validation: reading the text and judging it by the official schema, which is
// compiled before. No rule beyond the schema.
async function wasmValidate(note, xsd) {
  const { XmlDocument, XsdValidator } = await load('libxml2-wasm', 'lib/index.mjs');
  const { xmlRegisterFsInputProviders } = await load('libxml2-wasm', 'lib/nodejs.mjs');
  xmlRegisterFsInputProviders();
  const schema = XmlDocument.fromBuffer(fs.readFileSync(xsd), { url: path.resolve(xsd) });
  const validator = XsdValidator.fromDoc(schema);
  const call = () => {
    const doc = XmlDocument.fromString(note.signed);
    try {
      validator.validate(doc); // throws what is wrong
    } finally {
      doc.dispose();
    }
  };
  return [call, 1];
}

// libxmljs2 compiles the schema at each call: it has no other way.
async function nativeValidate(note, xsd) {
  const libxml = await load('libxmljs2');
  const schema = libxml.parseXml(fs.readFileSync(xsd, 'utf8'), { baseUrl: path.resolve(xsd) });
  const call = () => {
    const doc = libxml.parseXml(note.signed);
    if (!doc.validate(schema)) throw new Error(String(doc.validationErrors[0]));
  };
  return [call, 1];
}

// Signing: unsigned text in, signed text out, RSA-SHA1 over inclusive C14N.
async function xmlCryptoSign(note, key) {
  const { SignedXml } = await load('xml-crypto');
  const c14n = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
  const call = () => {
    const signer = new SignedXml({
      privateKey: key.pem,
      publicCert: key.cert,
      canonicalizationAlgorithm: c14n,
      signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    });
    signer.addReference({
      xpath: "//*[local-name(.)='infNFe']",
      digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1',
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', c14n],
    });
    signer.computeSignature(note.unsigned, { location: { reference: "//*[local-name(.)='NFe']", action: 'append' } });
    return signer.getSignedXml();
  };
  return [call, 1];
}

/** Attributes out, the rest as the package wants it: names and texts. */
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([name]) => !name.startsWith('@_'));
  return Object.fromEntries(fields.map(([name, field]) => [name, bare(field)]));
}

// node-sped-nfe: objects and text, then the signature. Its own sums are left
// out (the totals of the note are given), and so is vItem of each item. Its signing reads the PFX by a process
// of openssl, once before the clock starts and again, unused, at each note.
async function spedIssue(note, key, sign) {
  const { Make, Tools } = await load('node-sped-nfe');
  const { XMLParser } = await load('fast-xml-parser');
  const { NFe } = new XMLParser({ ignoreAttributes: false, parseTagValue: false }).parse(note.unsigned);
  const inf = bare(NFe.infNFe);
  const without = (group, ...names) => Object.fromEntries(Object.entries(group).filter(([name]) => !names.includes(name)));
  const { CNPJ, xNome, xFant = xNome, ...emit } = without(inf.emit, 'enderEmit'); // the package needs a trade name
  const [payment] = [].concat(inf.pag.detPag);
  const tools =
    sign &&
    new Tools(
      { mod: '55', tpAmb: 1, UF: inf.emit.enderEmit.UF, versao: '4.00', CPF: '', CNPJ, openssl: 'openssl' },
      { pfx: key.pfx, senha: key.password },
    );
  const call = async () => {
    const make = new Make();
    make.tagInfNFe({ Id: null, versao: '4.00' });
    make.tagIde({ ...inf.ide });
    make.tagEmit({ CNPJ, xNome, xFant, ...emit });
    make.tagEnderEmit({ ...inf.emit.enderEmit });
    make.tagDest(without(inf.dest, 'enderDest'));
    make.tagEnderDest({ ...inf.dest.enderDest });
    await make.tagProd(inf.det.map((det) => ({ ...det.prod })));
    inf.det.forEach(({ imposto }, index) => {
      make.tagProdICMS(index, { ...imposto.ICMS.ICMS00 });
      make.tagProdPIS(index, { ...imposto.PIS.PISAliq });
      make.tagProdCOFINS(index, { ...imposto.COFINS.COFINSAliq });
      make.tagProdIBSCBS(index, { ...imposto.IBSCBS });
    });
    make.tagTotal({ ...inf.total }, true);
    make.tagTransp({ ...inf.transp });
    make.tagDetPag([{ ...payment }]);
    const xml = make.xml();
    return tools ? tools.xmlSign(xml, { tag: 'infNFe' }) : xml;
  };
  return [call, 1];
}

/** Pages of a PDF whose page objects are not inside an object stream. */
function pages(pdf) {
  return Math.max(1, pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0);
}

// Printing: the DANFE of the same text, as bytes.
async function danfe(name, note) {
  const { gerarPDF } = await load(name);
  const call = async () => {
    const parts = [];
    for await (const part of await gerarPDF(note.proc, { cancelada: false })) parts.push(part);
    return Buffer.concat(parts);
  };
  return [call, pages(await call())];
}

async function spedDanfe(note) {
  const { DANFe } = await load('node-sped-pdf');
  const { PDFDocument } = await load('pdf-lib');
  const call = () => DANFe({ xml: note.proc });
  return [call, (await PDFDocument.load(await call())).getPageCount()];
}

// A peer's failure outside of its promise must not end the others.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: { note: text, key: text, cert: text, pfx: text, password: text, xsd: text },
});
const note = read(options.note);
const key = {
  pem: fs.readFileSync(options.key, 'utf8'),
  cert: fs.readFileSync(options.cert, 'utf8'),
  pfx: options.pfx,
  password: options.password,
};
await measure('fast-xml-parser', 'parse', 'MB', () => fastXmlParse(note));
await measure('xml2js', 'parse', 'MB', () => xml2jsParse(note));
if (options.xsd) {
  await measure('libxml2-wasm', 'validate', 'note', () => wasmValidate(note, options.xsd));
  await measure('libxmljs2', 'validate', 'note', () => nativeValidate(note, options.xsd));
}
await measure('xml-crypto', 'sign', 'note', () => xmlCryptoSign(note, key));
await measure('node-sped-nfe', 'build', 'note', () => spedIssue(note, key, false));
await measure('node-sped-nfe', 'build+sign', 'note', () => spedIssue(note, key, true));
await measure('@alexssmusica/node-pdf-nfe', 'danfe', 'page', () => danfe('@alexssmusica/node-pdf-nfe', note));
await measure('nfe-danfe-pdf', 'danfe', 'page', () => danfe('nfe-danfe-pdf', note));
await measure('node-sped-pdf', 'danfe', 'page', () => spedDanfe(note));
process.exit(0);
