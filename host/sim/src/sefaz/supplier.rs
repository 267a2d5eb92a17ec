//! Incoming notes on order: a simulated supplier issues against a company, so
//! that its distribution has something.

use serde::Deserialize;

use super::chave::digit;
use super::{NS, SYSTEM};
use crate::documents::{abbreviation_of, cnpj_ok, code_of, cpf_ok};
use crate::notes::{Record, Status};
use crate::pki::Pair;
use crate::sefaz::answer::{Place, Protocol, local_time, protocol, receipt, tp_amb};
use crate::sefaz::authorize::record_of;
use crate::sefaz::document::Dfe;
use crate::sefaz::event;
use crate::sefaz::memory::Call;
use crate::sefaz::services::{Op, of};
use crate::sefaz::taxpayers::registration;
use crate::xml::signature::sign_sha1;

/// Most notes of one order.
pub const MAX_QUANTITY: u32 = 200;
/// The supplier when the order names none: made up, with right digits.
pub const SUPPLIER: &str = "99888777000100";

/// An order: notes of a supplier against a company.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepositOrder {
    /// CNPJ or CPF of the recipient.
    pub cnpj: String,
    /// `homologacao` unless said otherwise.
    #[serde(default)]
    pub ambiente: Option<String>,
    /// CNPJ of the supplier.
    #[serde(default)]
    pub fornecedor: Option<String>,
    /// State of both, `SP` unless said otherwise.
    #[serde(default)]
    pub uf: Option<String>,
    /// Value of each note, cents; 10000 unless said otherwise.
    #[serde(default)]
    pub valor_centavos: Option<u64>,
    /// How many.
    #[serde(default)]
    pub quantidade: Option<u32>,
}

impl DepositOrder {
    /// CNPJ whose certificate signs.
    pub fn supplier(&self) -> &str {
        self.fornecedor.as_deref().unwrap_or(SUPPLIER)
    }

    fn check(&self) -> Result<(), String> {
        let recipient = cnpj_ok(&self.cnpj) || cpf_ok(&self.cnpj);
        let problem = if !recipient {
            "cnpj: CNPJ ou CPF inválido"
        } else if !cnpj_ok(self.supplier()) {
            "fornecedor: CNPJ inválido"
        } else if self.supplier() == self.cnpj {
            "fornecedor: igual ao destinatário"
        } else if !matches!(self.local(), "homologacao" | "producao") {
            "ambiente: homologacao ou producao"
        } else if code_of(self.uf()).is_none() {
            "uf: sigla desconhecida"
        } else if !(1..=MAX_QUANTITY).contains(&self.quantidade.unwrap_or(1)) {
            "quantidade: 1 a 200"
        } else if !(1..=99_999_999_999).contains(&self.value_cents()) {
            "valor_centavos: fora dos limites"
        } else {
            return Ok(());
        };
        Err(problem.to_owned())
    }

    fn local(&self) -> &str {
        self.ambiente.as_deref().unwrap_or("homologacao")
    }

    fn uf(&self) -> &str {
        self.uf.as_deref().unwrap_or("SP")
    }

    fn value_cents(&self) -> u64 {
        self.valor_centavos.unwrap_or(10_000)
    }
}

/// Issues the notes of an order; their keys.
pub(crate) fn deposit(
    call: &mut Call<'_>,
    order: &DepositOrder,
    signer: &Pair,
) -> Result<Vec<String>, String> {
    order.check()?;
    let ambiente = tp_amb(order.local());
    let service = of(Op::Authorize, "55", order.uf(), ambiente)
        .ok_or_else(|| "uf: sem autorizador".to_owned())?;
    let place = Place { service };
    let mut keys = Vec::new();
    for _ in 0..order.quantidade.unwrap_or(1) {
        let number = call
            .notes
            .next_number(SYSTEM, place.local(), order.supplier());
        let text = note(call, order, number, ambiente);
        let signed = sign_sha1(&text, "infNFe", signer).ok_or("assinatura")?;
        let root = crate::xml::parse(&signed).map_err(|e| e.to_string())?;
        let nfe = Dfe::note(signed, root);
        let key = nfe.chave();
        let cuf = nfe.t("ide/cUF");
        let protocol = protocol(call, &cuf);
        let receipt = receipt(call, &cuf);
        let digest = nfe
            .root
            .text_at("Signature/SignedInfo/Reference/DigestValue")
            .unwrap_or_default();
        let prot = Protocol {
            place,
            chave: &key,
            dh: local_time(call.now_ms, &cuf),
            protocol: Some(&protocol),
            digest: Some(&digest),
            code: "100",
            reason: place.text("100"),
        }
        .xml();
        let now = call.now_ms;
        let nota = record_of(&nfe, place, &prot, &protocol, "100", &receipt, (now, now));
        call.record(Record::Nota(Box::new(nota)))
            .map_err(|_| "diário do simulador")?;
        keys.push(key);
    }
    Ok(keys)
}

/// A note with one item, taxed by the simple regime's CSOSN 102.
fn note(call: &Call<'_>, order: &DepositOrder, number: u64, ambiente: &str) -> String {
    let uf = order.uf();
    let cuf = code_of(uf).unwrap_or("35");
    let supplier = order.supplier();
    let now = local_time(call.now_ms, cuf);
    let cnf = 10_000_001 + 2 * call.draw(&format!("cnf|{supplier}|{number}"), 40_000_000);
    let body = format!(
        "{cuf}{}{}{supplier:0>14}55001{number:09}1{cnf:08}",
        now.get(2..4).unwrap_or_default(),
        now.get(5..7).unwrap_or_default()
    );
    let dv = digit(&body).unwrap_or(0);
    let value = format!(
        "{}.{:02}",
        order.value_cents() / 100,
        order.value_cents() % 100
    );
    let mun = format!("{cuf}{}", capital(cuf));
    let ie = registration(call, uf, supplier);
    let name = if ambiente == "2" {
        "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL".to_owned()
    } else {
        format!("DESTINATARIO {}", order.cnpj)
    };
    let (who, ind) = if order.cnpj.len() == 14 {
        let ie = registration(call, uf, &order.cnpj);
        (
            format!("<CNPJ>{}</CNPJ>", order.cnpj),
            format!("<indIEDest>1</indIEDest><IE>{ie}</IE>"),
        )
    } else {
        (
            format!("<CPF>{}</CPF>", order.cnpj),
            "<indIEDest>9</indIEDest>".to_owned(),
        )
    };
    let final_ = u8::from(order.cnpj.len() == 11);
    let address = format!(
        "<xLgr>RUA SIMULADA</xLgr><nro>1</nro><xBairro>CENTRO</xBairro><cMun>{mun}</cMun><xMun>MUNICIPIO {mun}</xMun><UF>{uf}</UF><CEP>01001000</CEP>"
    );
    let before = zeros(&[
        "vBC",
        "vICMS",
        "vICMSDeson",
        "vFCP",
        "vBCST",
        "vST",
        "vFCPST",
        "vFCPSTRet",
    ]);
    let after = zeros(&[
        "vFrete",
        "vSeg",
        "vDesc",
        "vII",
        "vIPI",
        "vIPIDevol",
        "vPIS",
        "vCOFINS",
        "vOutro",
    ]);
    format!(
        "<NFe xmlns=\"{NS}\"><infNFe Id=\"NFe{body}{dv}\" versao=\"4.00\"><ide><cUF>{cuf}</cUF><cNF>{cnf:08}</cNF><natOp>VENDA</natOp><mod>55</mod>\
         <serie>1</serie><nNF>{number}</nNF><dhEmi>{now}</dhEmi><tpNF>1</tpNF><idDest>1</idDest><cMunFG>{mun}</cMunFG><tpImp>1</tpImp><tpEmis>1</tpEmis>\
         <cDV>{dv}</cDV><tpAmb>{ambiente}</tpAmb><finNFe>1</finNFe><indFinal>{final_}</indFinal><indPres>1</indPres><procEmi>0</procEmi>\
         <verProc>simulador</verProc></ide><emit><CNPJ>{supplier}</CNPJ><xNome>FORNECEDOR SIMULADO LTDA</xNome><enderEmit>{address}</enderEmit>\
         <IE>{ie}</IE><CRT>1</CRT></emit><dest>{who}<xNome>{name}</xNome><enderDest>{address}</enderDest>{ind}</dest>\
         <det nItem=\"1\"><prod><cProd>1</cProd><cEAN>SEM GTIN</cEAN><xProd>PRODUTO SIMULADO</xProd><NCM>84713012</NCM><CFOP>5102</CFOP><uCom>UN</uCom>\
         <qCom>1.0000</qCom><vUnCom>{value}</vUnCom><vProd>{value}</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib><qTrib>1.0000</qTrib>\
         <vUnTrib>{value}</vUnTrib><indTot>1</indTot></prod><imposto><ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>\
         <PIS><PISNT><CST>08</CST></PISNT></PIS><COFINS><COFINSNT><CST>08</CST></COFINSNT></COFINS></imposto></det>\
         <total><ICMSTot>{before}<vProd>{value}</vProd>{after}<vNF>{value}</vNF></ICMSTot></total><transp><modFrete>9</modFrete></transp>\
         <pag><detPag><tPag>01</tPag><vPag>{value}</vPag></detPag></pag></infNFe></NFe>"
    )
}

/// Totals of nothing.
fn zeros(fields: &[&str]) -> String {
    fields
        .iter()
        .map(|field| format!("<{field}>0.00</{field}>"))
        .collect()
}

/// Last five digits of a capital's code.
fn capital(cuf: &str) -> &'static str {
    const CAPITALS: [(&str, &str); 27] = [
        ("11", "00205"),
        ("12", "00401"),
        ("13", "02603"),
        ("14", "00100"),
        ("15", "01402"),
        ("16", "00303"),
        ("17", "21000"),
        ("21", "11300"),
        ("22", "11001"),
        ("23", "04400"),
        ("24", "08102"),
        ("25", "07507"),
        ("26", "11606"),
        ("27", "04302"),
        ("28", "00308"),
        ("29", "27408"),
        ("31", "06200"),
        ("32", "05309"),
        ("33", "04557"),
        ("35", "50308"),
        ("41", "06902"),
        ("42", "05407"),
        ("43", "14902"),
        ("50", "02704"),
        ("51", "03403"),
        ("52", "08707"),
        ("53", "00108"),
    ];
    CAPITALS
        .iter()
        .find(|(c, _)| *c == cuf)
        .map_or("50308", |(_, rest)| rest)
}

/// The supplier cancels a note it issued.
pub(crate) fn cancel(call: &mut Call<'_>, key: &str, signer: &Pair) -> Result<(), String> {
    let nota = call
        .notes
        .note_by_key(key)
        .filter(|n| n.sistema == SYSTEM && n.situacao == Status::Normal)
        .ok_or("chave: nota desconhecida ou já cancelada")?;
    let ambiente = tp_amb(&nota.local);
    let cuf = key.get(..2).unwrap_or_default();
    let uf = abbreviation_of(cuf).ok_or("chave")?;
    let service = of(Op::Event, "55", uf, ambiente).ok_or("uf: sem autorizador")?;
    let text = format!(
        "<evento xmlns=\"{NS}\" versao=\"1.00\"><infEvento Id=\"ID110111{key}01\"><cOrgao>{cuf}</cOrgao><tpAmb>{ambiente}</tpAmb>\
         <CNPJ>{}</CNPJ><chNFe>{key}</chNFe><dhEvento>{}</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento>\
         <verEvento>1.00</verEvento><detEvento versao=\"1.00\"><descEvento>Cancelamento</descEvento><nProt>{}</nProt>\
         <xJust>Cancelamento pelo fornecedor simulado</xJust></detEvento></infEvento></evento>",
        nota.prestador,
        local_time(call.now_ms, cuf),
        nota.dados.get("nProt").map_or("", String::as_str),
    );
    let signed = sign_sha1(&text, "infEvento", signer).ok_or("assinatura")?;
    event::register_made(call, Place { service }, &signed, "135", nota)
}
