//! Every classification an NF-e or NFC-e admits gives a group the official
//! schema of each version takes.

use std::fmt::Write as _;
use std::process::Command;

use super::{DAYS, complete, context, d, item};
use compose::ibs_cbs::{
    Context, CredPresOperation, GovPurchase, Group, Item, Model, MonoRate, MonoTax, Purpose,
    SinglePhase, Version, ZfmAlc, group, totals, v_item, v_nf_tot,
};
use markup::tree::{ElementContent, Node};
use rust_decimal::Decimal;
use time::macros::date;

const PACOTES: [&str; 4] = [
    "schemas/nfe/PL_010b_NT2025.002_v1.30",
    "schemas/nfe/PL_010d_NT2026.004_v1.02",
    "schemas/nfe/PL_010e_NT2025.002_v1.01",
    "schemas/nfe/nfelib-3.2.0",
];

#[test]
fn every_classification_fits_the_schema() {
    let mut notas = 0;
    for ((version, data), package) in DAYS.into_iter().zip(PACOTES) {
        let mut batch = Vec::new();
        for model in [Model::Nfe, Model::Nfce] {
            for class in data::class_trib::all() {
                let admitted = match model {
                    Model::Nfe => class.nfe,
                    Model::Nfce => class.nfce,
                };
                if !admitted || !class.in_force(data) {
                    continue;
                }
                let mut context = context(model, data);
                assert_eq!(context.version, version);
                let item = complete(&mut context, class.codigo);
                let group = match group(&context, &item) {
                    Ok(group) => group,
                    Err(fields) => panic!("{} {model:?} {data}: {fields:?}", class.codigo),
                };
                batch.push((class.codigo.to_owned(), nota(&context, &item, &group)));
            }
        }
        notas += batch.len();
        validate(package, &batch);
    }
    assert!(notas > 400, "{notas}");
}

/// Members that no classification requires.
#[test]
fn optional_members_fit_the_schema() {
    for ((version, data), package) in DAYS.into_iter().zip(PACOTES) {
        let mut batch = Vec::new();
        let mut put = |name: &str, context: &Context, item: &Item| match group(context, item) {
            Ok(group) => batch.push((name.to_owned(), nota(context, item, &group))),
            Err(fields) => panic!("{name} {data}: {fields:?}"),
        };
        let normal = context(Model::Nfe, data);

        let mut donation = item("410003");
        donation.donation = true;
        put("doacao", &normal, &donation);

        let mut government = normal.clone();
        government.gov_purchase = Some(GovPurchase {
            p_redutor: d("12.34"),
        });
        put("governo", &government, &item("000001"));
        put("governo", &government, &item("200034"));

        let mut goods_return = item("000001");
        if version >= Version::E {
            goods_return.cbs.p_dev = Some(d("20"));
        } else {
            goods_return.ibs_uf.v_dev = Some(d("0.10"));
            goods_return.ibs_mun.v_dev = Some(d("0"));
            goods_return.cbs.v_dev = Some(d("0.20"));
        }
        put("devolucao", &normal, &goods_return);

        if version >= Version::E {
            let mut area = item("200023");
            area.zfm_alc = Some(ZfmAlc {
                kind: 2,
                processo: Some("12345678".to_owned()),
            });
            put("area", &normal, &area);
        }
        if version >= Version::F {
            let mut by_value = item("620002");
            let tax = |p_mun: &str| MonoTax {
                default: Some(MonoRate::AdValorem {
                    base: d("1000"),
                    p: d("1.5"),
                    p_mun: d(p_mun),
                }),
                withholding: Some(MonoRate::AdValorem {
                    base: d("100"),
                    p: d("1.5"),
                    p_mun: d(p_mun),
                }),
                ..MonoTax::default()
            };
            by_value.mono = Some(SinglePhase {
                ibs: tax("0.5"),
                cbs: tax("0"),
            });
            put("ad valorem", &normal, &by_value);

            let mut credit = context(Model::Nfe, date!(2027 - 02 - 01));
            credit.reference.cbs = Some(d("8.8"));
            let mut used = item("000001");
            used.used_movable_good = true;
            used.cred_pres = Some(CredPresOperation {
                base: Some(d("10")),
                codigo: "04".to_owned(),
                p_ibs: Some(d("0.1")),
                p_cbs: Some(d("8.8")),
                suspensive: false,
            });
            put("credito", &credit, &used);
        }
        validate(package, &batch);
    }
}

/// Judges notes with `xmllint`, all in one call.
fn validate(package: &str, batch: &[(String, String)]) {
    let Some(schema) = judges::shared(&format!("{package}/nfe_v4.00.xsd")) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(schema);
    for (index, (name, xml)) in batch.iter().enumerate() {
        let arquivo = folder.path().join(format!("{index}-{name}.xml"));
        std::fs::write(&arquivo, xml).expect("a file");
        command.arg(arquivo);
    }
    let Ok(exit) = command.output() else {
        judges::skipped("xmllint is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&exit.stderr);
    assert!(
        exit.status.success(),
        "{package}: {}",
        text.chars().take(4000).collect::<String>()
    );
    assert_eq!(text.matches(" validates").count(), batch.len());
}

/// The least a note has, with one item that carries the group.
fn nota(context: &Context, item: &Item, group: &Group) -> String {
    let (model, tp_imp, ind_final) = match context.model {
        Model::Nfe => (55_u8, '1', '0'),
        Model::Nfce => (65, '4', '1'),
    };
    let chave = chave(context, model);
    let mut ibs_cbs = String::new();
    write_out(&group.element, &mut ibs_cbs);
    let mut total = String::new();
    write_out(&totals([&group.sums]).expect("totals"), &mut total);
    let v_item = v_item(context.data, item.values.v_prod, &group.sums, Decimal::ZERO);
    let kind = match context.purpose {
        Purpose {
            tp_nf_debito: Some(kind),
            ..
        } => format!("<tpNFDebito>0{kind}</tpNFDebito>"),
        Purpose {
            tp_nf_credito: Some(kind),
            ..
        } => {
            format!("<tpNFCredito>0{kind}</tpNFCredito>")
        }
        _ => String::new(),
    };
    let government = context.gov_purchase.map_or(String::new(), |purchase| {
        format!(
            "<gCompraGov><tpEnteGov>1</tpEnteGov><pRedutor>{:.4}</pRedutor>\
             <tpOperGov>1</tpOperGov></gCompraGov>",
            purchase.p_redutor
        )
    });
    let icms_tot: String = [
        "vBC",
        "vICMS",
        "vICMSDeson",
        "vFCP",
        "vBCST",
        "vST",
        "vFCPST",
        "vFCPSTRet",
        "vProd",
        "vFrete",
        "vSeg",
        "vDesc",
        "vII",
        "vIPI",
        "vIPIDevol",
        "vPIS",
        "vCOFINS",
        "vOutro",
        "vNF",
    ]
    .iter()
    .map(|name| format!("<{name}>0.00</{name}>"))
    .collect();
    let v_nf_tot = v_nf_tot(context.version, [v_item]).expect("not zero");
    let id = chave.id();
    format!(
        "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe versao=\"4.00\" Id=\"{id}\">\
         <ide><cUF>35</cUF><cNF>{:08}</cNF><natOp>VENDA</natOp><mod>{model}</mod><serie>1</serie>\
         <nNF>1</nNF><dhEmi>{}T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest>\
         <cMunFG>3550308</cMunFG><tpImp>{tp_imp}</tpImp><tpEmis>1</tpEmis><cDV>{}</cDV>\
         <tpAmb>2</tpAmb><finNFe>{}</finNFe>{kind}<indFinal>{ind_final}</indFinal>\
         <indPres>1</indPres><procEmi>0</procEmi><verProc>1</verProc>{government}</ide>\
         <emit><CNPJ>{}</CNPJ><xNome>EMPRESA</xNome><enderEmit><xLgr>RUA</xLgr>\
         <nro>1</nro><xBairro>CENTRO</xBairro><cMun>3550308</cMun><xMun>SAO PAULO</xMun><UF>SP</UF>\
         <CEP>01001000</CEP></enderEmit><IE>110042490114</IE><CRT>3</CRT></emit>\
         <det nItem=\"1\"><prod><cProd>1</cProd><cEAN>SEM GTIN</cEAN><xProd>ITEM</xProd>\
         <NCM>17019900</NCM><CFOP>5102</CFOP><uCom>UN</uCom><qCom>1.0000</qCom>\
         <vUnCom>1000.00</vUnCom><vProd>1000.00</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib>\
         <qTrib>1.0000</qTrib><vUnTrib>1000.00</vUnTrib><indTot>1</indTot></prod>\
         <imposto><ICMS><ICMS40><orig>0</orig><CST>41</CST></ICMS40></ICMS>{ibs_cbs}</imposto>\
         <vItem>{v_item:.2}</vItem></det>\
         <total><ICMSTot>{icms_tot}</ICMSTot>{total}<vNFTot>{v_nf_tot}</vNFTot></total>\
         <transp><modFrete>9</modFrete></transp>\
         <pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag></infNFe>{}</NFe>",
        chave.c_nf(),
        context.data,
        chave.dv(),
        context.purpose.fin_nfe,
        cnpj(context),
        signature(&id),
    )
}

fn chave(context: &Context, model: u8) -> markup::ids::chave::Chave {
    markup::ids::chave::Parts {
        uf: 35,
        year: u16::try_from(context.data.year()).expect("a year"),
        month: u8::from(context.data.month()),
        documento: cnpj(context).parse().expect("a CNPJ"),
        model,
        serie: 1,
        number: 1,
        tp_emis: 1,
        c_nf: 48_151_623,
    }
    .chave()
    .expect("a key")
}

/// With letters as soon as the layout takes them.
fn cnpj(context: &Context) -> &'static str {
    if context.version == Version::B {
        "11222333000181"
    } else {
        "12ABC34501DE35"
    }
}

/// A signature in shape only.
fn signature(id: &str) -> String {
    const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
    const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    format!(
        "<Signature xmlns=\"{DSIG}\"><SignedInfo><CanonicalizationMethod Algorithm=\"{C14N}\"/>\
         <SignatureMethod Algorithm=\"{DSIG}rsa-sha1\"/><Reference URI=\"#{id}\"><Transforms>\
         <Transform Algorithm=\"{DSIG}enveloped-signature\"/><Transform Algorithm=\"{C14N}\"/>\
         </Transforms><DigestMethod Algorithm=\"{DSIG}sha1\"/>\
         <DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAA=</DigestValue></Reference></SignedInfo>\
         <SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data>\
         <X509Certificate>AAAA</X509Certificate></X509Data></KeyInfo></Signature>"
    )
}

fn write_out(element: &Node, xml: &mut String) {
    let _ = write!(xml, "<{}>", element.name);
    match &element.content {
        ElementContent::Text(text) => xml.push_str(text),
        ElementContent::Children(children) => {
            children.iter().for_each(|child| write_out(child, xml))
        }
    }
    let _ = write!(xml, "</{}>", element.name);
}
