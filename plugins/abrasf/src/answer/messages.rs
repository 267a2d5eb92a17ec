//! The city's messages, and what they mean.

use sdk::Mensagem;
use sdk::soap::Fault;
use sdk::xml::Element;

/// Most messages kept of one answer.
const MAX_MENSAGENS: usize = 100;

/// What a list of messages says about the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classe {
    /// Received, no result yet.
    Pendente,
    /// This RPS was informed before.
    Duplicado,
    /// The city does not know the RPS, the batch or the note.
    NaoEncontrado,
    /// It is cancelled already.
    JaCancelada,
    /// Certificate, user or password.
    Credencial,
    /// An explicit no.
    Recusa,
}

/// Messages of an element; alerts are only those below
/// `ListaMensagemAlertaRetorno`.
pub fn colher(root: &Element) -> (Vec<Mensagem>, Vec<Mensagem>) {
    let mut erros = Vec::new();
    let mut alertas = Vec::new();
    descer(root, false, &mut erros, &mut alertas);
    (erros, alertas)
}

fn descer(element: &Element, alerta: bool, erros: &mut Vec<Mensagem>, alertas: &mut Vec<Mensagem>) {
    // The depth is bounded by the reader.
    for child in element.children() {
        let alerta = alerta || child.name() == "ListaMensagemAlertaRetorno";
        if child.name() == "MensagemRetorno" {
            let lista = if alerta { &mut *alertas } else { &mut *erros };
            if let Some(mensagem) = ler(child)
                && lista.len() < MAX_MENSAGENS
            {
                lista.push(mensagem);
            }
        } else {
            descer(child, alerta, erros, alertas);
        }
    }
}

fn ler(element: &Element) -> Option<Mensagem> {
    let codigo = element.text_at("Codigo").unwrap_or_default();
    let texto = element.text_at("Mensagem").unwrap_or_default();
    if codigo.is_empty() && texto.is_empty() {
        return None;
    }
    Some(Mensagem {
        correcao: element.text_at("Correcao").map(str::to_owned),
        ..Mensagem::new(codigo, texto)
    })
}

/// What the messages say together. Codes differ between systems (E10 is a
/// duplicate in the model's table and "not sent" in one old system), so the
/// text decides and the code of the model's table helps.
pub fn classificar(mensagens: &[Mensagem]) -> Classe {
    let tem = |classe| mensagens.iter().any(|m| de_uma(m) == classe);
    for classe in [
        Classe::Pendente,
        Classe::Duplicado,
        Classe::JaCancelada,
        Classe::Credencial,
    ] {
        if tem(classe) {
            return classe;
        }
    }
    // Not found only when nothing else was said.
    let so_nao_encontrado =
        !mensagens.is_empty() && mensagens.iter().all(|m| de_uma(m) == Classe::NaoEncontrado);
    if so_nao_encontrado {
        Classe::NaoEncontrado
    } else {
        Classe::Recusa
    }
}

fn de_uma(mensagem: &Mensagem) -> Classe {
    let texto = simplificar(&mensagem.texto);
    if contem(
        &texto,
        &[
            "ainda nao foi processad",
            "em processamento",
            "aguardando processamento",
            "sendo processad",
            "fila de processamento",
        ],
    ) {
        return Classe::Pendente;
    }
    // About the note to be replaced, not about this one.
    if contem(&texto, &["substituid"]) {
        return Classe::Recusa;
    }
    if nao_encontrada(&texto) {
        return Classe::NaoEncontrado;
    }
    if duplicada(&texto) {
        return Classe::Duplicado;
    }
    if contem(
        &texto,
        &[
            "ja esta cancelad",
            "ja se encontra cancelad",
            "ja cancelad",
            "ja foi cancelad",
        ],
    ) {
        return Classe::JaCancelada;
    }
    if credencial(&texto) {
        return Classe::Credencial;
    }
    // Table of the model (ABRASF 1.00 and 2.0x, annex of errors and alerts).
    match mensagem.codigo.trim() {
        "E92" => Classe::Pendente,
        "E10" => Classe::Duplicado,
        "E4" | "E86" | "E87" | "E89" | "E91" | "E78" => Classe::NaoEncontrado,
        "E79" => Classe::JaCancelada,
        "E138" | "E157" => Classe::Credencial,
        _ => Classe::Recusa,
    }
}

fn contem(texto: &str, partes: &[&str]) -> bool {
    partes.iter().any(|parte| texto.contains(parte))
}

/// There is no such RPS, note, batch or protocol.
fn nao_encontrada(texto: &str) -> bool {
    contem(texto, &["rps"])
        && contem(
            texto,
            &[
                "nao foi enviado",
                "inexistente",
                "nao encontrado",
                "nao existe",
                "nao localizado",
            ],
        )
        || contem(texto, &["nfs-e", "nfse", "nota"])
            && contem(
                texto,
                &[
                    "inexistente",
                    "nao encontrad",
                    "nao localizad",
                    "nao existe",
                ],
            )
        || contem(texto, &["protocolo", "lote"])
            && contem(texto, &["inexistente", "nao encontrado", "nao localizado"])
        || contem(
            texto,
            &[
                "nenhuma nota",
                "nenhum registro",
                "nenhuma nfs",
                "nenhum rps",
            ],
        )
}

/// The RPS or the batch came before.
fn duplicada(texto: &str) -> bool {
    contem(texto, &["rps", "lote"])
        && contem(
            texto,
            &[
                "ja informado",
                "ja foi informado",
                "ja existe",
                "ja enviado",
                "ja foi enviado",
                "ja convertido",
                "ja foi convertido",
                "ja utilizado",
                "ja foi utilizado",
                "ja emitid",
                "ja foi emitid",
                "ja processado",
                "ja cadastrado",
                "duplicad",
            ],
        )
}

/// The text is about a refused login or certificate.
fn credencial(texto: &str) -> bool {
    contem(
        texto,
        &["senha", "usuario", "login", "certificado", "credencia"],
    ) && contem(
        texto,
        &[
            "invalid",
            "incorret",
            "nao autorizad",
            "nao esta autorizad",
            "expirad",
            "vencid",
            "revogad",
            "negad",
            "nao confere",
            "bloquead",
            "nao informad",
        ],
    )
}

/// What a SOAP fault says: `Recusa` and `Credencial` are certain, None is not
/// known.
pub fn fault(fault: &Fault) -> Option<Classe> {
    let texto = simplificar(&format!("{} {}", fault.text, fault.detail));
    if credencial(&texto) {
        return Some(Classe::Credencial);
    }
    // SOAP 1.1 §4.4.1 and 1.2 §5.4.6: the sender's message is wrong, it was
    // not processed. Dotted codes refine the first part.
    let codigo = fault.code.rsplit(':').next().unwrap_or_default();
    let codigo = codigo.split('.').next().unwrap_or_default();
    let do_cliente = ["Client", "Sender", "VersionMismatch", "MustUnderstand"]
        .iter()
        .any(|nome| codigo.eq_ignore_ascii_case(nome));
    do_cliente.then_some(Classe::Recusa)
}

/// Lower case, without accents, white space in one.
pub fn simplificar(texto: &str) -> String {
    let mut saida = String::with_capacity(texto.len());
    for c in texto.chars().flat_map(char::to_lowercase) {
        let c = match c {
            'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
            'é' | 'ê' | 'è' => 'e',
            'í' | 'ì' => 'i',
            'ó' | 'ô' | 'õ' | 'ò' | 'ö' => 'o',
            'ú' | 'ü' | 'ù' => 'u',
            'ç' => 'c',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c != ' ' || !saida.ends_with(' ') {
            saida.push(c);
        }
    }
    saida
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classe(codigo: &str, texto: &str) -> Classe {
        classificar(&[Mensagem::new(codigo, texto)])
    }

    #[test]
    fn the_text_says_what_the_code_may_not() {
        for (codigo, texto, esperada) in [
            ("E10", "RPS já informado.", Classe::Duplicado),
            ("E160", "RPS ja informado.", Classe::Duplicado),
            (
                "E10",
                "Esse RPS não foi enviado para a nossa base de dados.",
                Classe::NaoEncontrado,
            ),
            ("E123", "RPS inexistente", Classe::NaoEncontrado),
            (
                "E92",
                "Esse RPS foi enviado para a nossa base de dados, mas ainda não foi processado",
                Classe::Pendente,
            ),
            ("E001", "Lote em processamento", Classe::Pendente),
            (
                "E86",
                "Número do protocolo de recebimento do lote inexistente na base de dados",
                Classe::NaoEncontrado,
            ),
            ("E79", "Essa NFS-e já está cancelada", Classe::JaCancelada),
            (
                "E301",
                "NFSe ja se encontra cancelada.",
                Classe::JaCancelada,
            ),
            (
                "E157",
                "Usuário não está autorizado a utilizar esse serviço para esse contribuinte.",
                Classe::Credencial,
            ),
            ("X1", "Usuário ou senha inválidos", Classe::Credencial),
            (
                "E43",
                "Inscrição Municipal do prestador não encontrada na base de dados do município.",
                Classe::Recusa,
            ),
            (
                "E5",
                "O número da NFS-E substituída informado não existe na base de dados do município.",
                Classe::Recusa,
            ),
            (
                "E76",
                "O número do RPS substituído informado não existe na base de dados",
                Classe::Recusa,
            ),
            (
                "E160",
                "Arquivo enviado fora da estrutura do arquivo XML de entrada.",
                Classe::Recusa,
            ),
            ("E324", "Assinatura do RPS inválida.", Classe::Recusa),
            ("", "", Classe::Recusa),
        ] {
            assert_eq!(classe(codigo, texto), esperada, "{codigo} {texto}");
        }
    }

    #[test]
    fn one_refusal_is_enough_against_not_found() {
        let lista = [Mensagem::new("E4", ""), Mensagem::new("E43", "x")];
        assert_eq!(classificar(&lista), Classe::Recusa);
        assert_eq!(classificar(&[]), Classe::Recusa);
    }
}
