"""What public Python packages need for the work `hub bench` measures of ours.

    python peers.py --note NOTE.xml --key K.pem --cert C.pem --pfx A1.pfx --password PW [--xsd nfe_v4.00.xsd]

NOTE.xml is a signed NF-e (NFe or nfeProc) of 10 items; the PFX holds the same
key (RSA-2048) and certificate as the PEM files. One line of JSON per measurement:

    {"peer": "nfelib 3.2.0", "what": "parse", "per_second": 81.2, "unit": "note"}

A peer that is not installed, or cannot do the work, has "skipped" with the
reason in place of the figure, and the exit code stays 0. One thread; the best
of several rounds counts, as in our own measurements, because everything else
on the machine only adds. Files and keys are read before the clock starts.

What differs from our work is said at each measurement. Building everywhere
leaves out what a request asks of us: checking it, choosing taxes, the rules of
the authority. The peers get finished amounts.
"""

import argparse
import contextlib
import dataclasses
import io
import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version

ROUNDS, ROUND_S = 5, 0.3
NFE = "{http://www.portalfiscal.inf.br/nfe}"
DSIG = "{http://www.w3.org/2000/09/xmldsig#}"
C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"


def best(call):
    """Seconds of one call, of the best round."""
    call()  # lazy imports and caches of the peer are not what is measured
    seconds = float("inf")
    for _ in range(ROUNDS):
        began, calls = time.perf_counter(), 0
        while time.perf_counter() - began < ROUND_S:
            call()
            calls += 1
        seconds = min(seconds, (time.perf_counter() - began) / calls)
    return seconds


def measure(package, what, unit, prepare):
    """`prepare` gives the call to measure and how many units one call makes."""
    line = {"peer": package, "what": what}
    try:
        line["peer"] = f"{package} {version(package)}"
        # Some packages print while they work: standard output is ours.
        with contextlib.redirect_stdout(sys.stderr):
            call, units = prepare()
            line["per_second"] = round(units / best(call), 2)
        line["unit"] = unit
    except PackageNotFoundError:
        line["skipped"] = "not installed"
    except Exception as error:  # a peer that fails is a result, not an error of ours
        line["skipped"] = f"{type(error).__name__}: {error}"[:200]
    print(json.dumps(line), flush=True)


class Note:
    """The note in the forms the peers want it in."""

    def __init__(self, path):
        from lxml import etree

        root = etree.parse(path).getroot()
        nfe = root if root.tag == f"{NFE}NFe" else root.find(f"{NFE}NFe")
        # A new document: what nfeProc declares is no part of the note.
        self.signed = etree.tostring(nfe, encoding="unicode")
        nfe = etree.fromstring(self.signed)
        signature = nfe.find(f"{DSIG}Signature")
        if signature is not None:
            nfe.remove(signature)
        self.unsigned = etree.tostring(nfe, encoding="unicode")
        self.inf = nfe.find(f"{NFE}infNFe")
        self.id = self.inf.get("Id")

    def text(self, path, of=None):
        at = (self.inf if of is None else of).find("/".join(NFE + name for name in path.split("/")))
        return "" if at is None or at.text is None else at.text


class Key:
    """An A1 in the forms the peers want it in."""

    def __init__(self, options):
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        self.path, self.password = options.pfx, options.password
        with open(options.key, "rb") as key, open(options.cert, "rb") as cert:
            self.pem, self.cert = key.read(), cert.read()
        self.loaded = load_pem_private_key(self.pem, None)


# Validation: reading the text and judging it by the official schema, which is
# compiled before. No rule beyond the schema.
def lxml_validate(note, xsd):
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(xsd))
    signed = note.signed.encode()
    schema.assertValid(etree.fromstring(signed))
    return lambda: schema.validate(etree.fromstring(signed)), 1


# Reading: text to typed objects, every field.
def nfelib_parse(note):
    from nfelib.nfe.bindings.v4_0.nfe_v4_00 import Nfe
    from xsdata.formats.dataclass.context import XmlContext
    from xsdata.formats.dataclass.parsers import XmlParser

    # The context is kept, as a service would: nfelib's own from_xml makes a new one.
    context = XmlContext()
    return lambda: XmlParser(context=context).from_string(note.signed, Nfe), len(note.signed.encode()) / 1e6


# Building: every object of the note made anew, then the text. The values are
# finished and in the place they belong to: nothing is computed.
def nfelib_build(note):
    from nfelib.nfe.bindings.v4_0.nfe_v4_00 import Nfe
    from xsdata.formats.dataclass.context import XmlContext
    from xsdata.formats.dataclass.parsers import XmlParser
    from xsdata.formats.dataclass.serializers import XmlSerializer

    context = XmlContext()
    model = XmlParser(context=context).from_string(note.unsigned, Nfe)
    names = {None: NFE[1:-1]}

    def again(value):
        if isinstance(value, list):
            return [again(item) for item in value]
        if not dataclasses.is_dataclass(value):
            return value
        return type(value)(**{f.name: again(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init})

    return lambda: XmlSerializer(context=context).render(again(model), ns_map=names), 1


# Signing: unsigned text in, signed text out, RSA-SHA1 over inclusive C14N.
def signxml_sign(note, key):
    import signxml
    from lxml import etree

    class Sha1(signxml.XMLSigner):
        def check_deprecated_methods(self):
            """SHA-1 is what the layout of the NF-e prescribes."""

    def call():
        signer = Sha1(
            method=signxml.methods.enveloped,
            signature_algorithm="rsa-sha1",
            digest_algorithm="sha1",
            c14n_algorithm=C14N,
        )
        signer.excise_empty_xmlns_declarations = True
        signer.namespaces = {None: signxml.namespaces.ds}
        root, uri = etree.fromstring(note.unsigned), "#" + note.id
        signed = signer.sign(root, key=key.loaded, cert=[key.cert], reference_uri=uri)
        return etree.tostring(signed, encoding="unicode")

    return call, 1


def erpbrasil_sign(note, key):
    from erpbrasil.assinatura.assinatura import Assinatura
    from erpbrasil.assinatura.certificado import Certificado
    from lxml import etree

    signer = Assinatura(Certificado(key.path, key.password))
    return lambda: signer.assina_xml2(etree.fromstring(note.unsigned), note.id), 1


# libxmlsec1, in C: the bound of what a Python program can reach.
def xmlsec_sign(note, key):
    import xmlsec
    from lxml import etree

    loaded = xmlsec.Key.from_memory(key.pem, xmlsec.constants.KeyDataFormatPem)
    loaded.load_cert_from_memory(key.cert, xmlsec.constants.KeyDataFormatPem)

    def call():
        root = etree.fromstring(note.unsigned)
        signature = xmlsec.template.create(root, xmlsec.Transform.C14N, xmlsec.Transform.RSA_SHA1)
        root.append(signature)
        reference = xmlsec.template.add_reference(signature, xmlsec.Transform.SHA1, uri="#" + note.id)
        xmlsec.template.add_transform(reference, xmlsec.Transform.ENVELOPED)
        xmlsec.template.add_transform(reference, xmlsec.Transform.C14N)
        xmlsec.template.add_x509_data(xmlsec.template.ensure_key_info(signature))
        context = xmlsec.SignatureContext()
        context.key = loaded
        context.register_id(root[0], "Id")
        context.sign(signature)
        return etree.tostring(root, encoding="unicode")

    return call, 1


# PyNFe: objects, text and signature. It has no IBS/CBS, which our note has in
# each item; the loading of the key at each note is the package's own way.
def pynfe_issue(note, key, sign):
    from datetime import datetime
    from decimal import Decimal

    from pynfe.entidades.cliente import Cliente
    from pynfe.entidades.emitente import Emitente
    from pynfe.entidades.fonte_dados import _fonte_dados
    from pynfe.entidades.notafiscal import NotaFiscal
    from pynfe.processamento.assinatura import AssinaturaA1
    from pynfe.processamento.serializacao import SerializacaoXML
    from pynfe.utils.flags import CODIGO_BRASIL

    text = note.text
    issued = datetime.fromisoformat(text("ide/dhEmi"))
    digits = int(text("ide/nNF"))

    def address(at):
        names = {
            "logradouro": "xLgr", "numero": "nro", "complemento": "xCpl", "bairro": "xBairro",
            "municipio": "xMun", "uf": "UF", "cep": "CEP",
        }
        fields = {f"endereco_{ours}": text(f"{at}/{tag}") for ours, tag in names.items()}
        return fields | {"endereco_pais": CODIGO_BRASIL}

    emitente = dict(
        razao_social=text("emit/xNome"), nome_fantasia=text("emit/xFant") or text("emit/xNome"), cnpj=text("emit/CNPJ"),
        codigo_de_regime_tributario=text("emit/CRT"), inscricao_estadual=text("emit/IE"),
        inscricao_municipal="", cnae_fiscal="", **address("emit/enderEmit"),
    )
    cliente = dict(
        razao_social=text("dest/xNome"), tipo_documento="CNPJ", numero_documento=text("dest/CNPJ"),
        indicador_ie=int(text("dest/indIEDest")), email="", **address("dest/enderDest"),
    )

    def item(det):
        field = lambda path: text(path, det)
        money = lambda path: Decimal(field(path) or "0")
        return dict(
            codigo=field("prod/cProd"), descricao=field("prod/xProd"), ncm=field("prod/NCM"), cfop=field("prod/CFOP"),
            ean="SEM GTIN", ean_tributavel="SEM GTIN", ind_total=1,
            unidade_comercial=field("prod/uCom"), quantidade_comercial=money("prod/qCom"),
            valor_unitario_comercial=money("prod/vUnCom"), valor_total_bruto=money("prod/vProd"),
            unidade_tributavel=field("prod/uTrib"), quantidade_tributavel=money("prod/qTrib"),
            valor_unitario_tributavel=money("prod/vUnTrib"),
            icms_modalidade="00", icms_csosn="", icms_origem=0, icms_modalidade_determinacao_bc=3,
            icms_valor_base_calculo=money("imposto/ICMS/ICMS00/vBC"), icms_aliquota=money("imposto/ICMS/ICMS00/pICMS"),
            icms_valor=money("imposto/ICMS/ICMS00/vICMS"),
            pis_modalidade="01", pis_valor_base_calculo=money("imposto/PIS/PISAliq/vBC"),
            pis_aliquota_percentual=money("imposto/PIS/PISAliq/pPIS"), pis_valor=money("imposto/PIS/PISAliq/vPIS"),
            cofins_modalidade="01", cofins_valor_base_calculo=money("imposto/COFINS/COFINSAliq/vBC"),
            cofins_aliquota_percentual=money("imposto/COFINS/COFINSAliq/pCOFINS"),
            cofins_valor=money("imposto/COFINS/COFINSAliq/vCOFINS"), valor_tributos_aprox="",
        )

    items = [item(det) for det in note.inf.findall(f"{NFE}det")]
    total = Decimal(text("total/ICMSTot/vNF"))
    signer = AssinaturaA1(key.path, key.password) if sign else None

    def call():
        _fonte_dados.limpar_dados()
        nota = NotaFiscal(
            emitente=Emitente(**emitente), cliente=Cliente(**cliente), uf=emitente["endereco_uf"],
            natureza_operacao=text("ide/natOp"), modelo=55, serie="1", numero_nf=str(digits), data_emissao=issued,
            tipo_documento=1, municipio=text("ide/cMunFG"), tipo_impressao_danfe=1, forma_emissao="1",
            cliente_final=1, indicador_destino=1, indicador_presencial=1, finalidade_emissao="1",
            processo_emissao="0", transporte_modalidade_frete=9, forma_pagamento=0, tipo_pagamento=17,
        )
        for fields in items:
            nota.adicionar_produto_servico(**fields)
        nota.adicionar_pagamento(t_pag="17", v_pag=total, ind_pag=0)
        xml = SerializacaoXML(_fonte_dados, homologacao=False).exportar()
        return signer.assinar(xml, retorna_string=True) if signer else xml

    return call, 1


# Printing: the DANFE of the same text, as bytes. `layout` is a class of the
# package: its usual page, or the one with the columns of IBS and CBS.
def danfe(note, layout):
    from importlib import import_module

    module, name = layout
    draw = getattr(import_module(module), name)

    def call():
        pdf = draw(xml=note.signed)
        out = io.BytesIO()
        pdf.output(out)
        return pdf

    return call, len(call().pages)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--note", required=True)
    for name in ("--key", "--cert", "--pfx", "--password"):
        options.add_argument(name, required=True)
    options.add_argument("--xsd")
    options = options.parse_args()
    try:
        note, key = Note(options.note), Key(options)
    except ImportError as missing:  # every peer below needs lxml or cryptography too
        print(json.dumps({"peer": "python", "what": "all", "skipped": f"not installed: {missing.name}"}))
        return
    if options.xsd:
        measure("lxml", "validate", "note", lambda: lxml_validate(note, options.xsd))
    measure("nfelib", "parse", "MB", lambda: nfelib_parse(note))
    measure("nfelib", "build", "note", lambda: nfelib_build(note))
    measure("signxml", "sign", "note", lambda: signxml_sign(note, key))
    measure("erpbrasil.assinatura", "sign", "note", lambda: erpbrasil_sign(note, key))
    measure("xmlsec", "sign", "note", lambda: xmlsec_sign(note, key))
    measure("PyNFe", "build", "note", lambda: pynfe_issue(note, key, sign=False))
    measure("PyNFe", "build+sign", "note", lambda: pynfe_issue(note, key, sign=True))
    usual = ("brazilfiscalreport.danfe", "Danfe")
    reform = ("brazilfiscalreport.danfe.danfe_nt_2026_010", "DanfeNt2026010")
    measure("BrazilFiscalReport", "danfe", "page", lambda: danfe(note, usual))
    measure("BrazilFiscalReport", "danfe NT 2026.010", "page", lambda: danfe(note, reform))


if __name__ == "__main__":
    main()
