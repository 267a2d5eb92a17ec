//! A DNS server on this machine that knows a few made-up domains: no test asks
//! the real network. One for all tests of a process; a name decides the answer.

use std::net::{SocketAddr, UdpSocket};
use std::sync::OnceLock;

const A: u16 = 1;
const MX: u16 = 15;
const NO_ERROR: u8 = 0;
const SERVER_FAILURE: u8 = 2;
const NO_SUCH_NAME: u8 = 3;

/// Has no server of its own for mail, only an address.
pub const ADDRESS_ONLY: &str = "so-endereco.com.br";
/// Says that it takes no mail (RFC 7505).
pub const NO_MAIL: &str = "nao-recebe.com.br";
/// Exists, with neither a server for mail nor an address.
pub const EMPTY: &str = "vazio.com.br";
/// Nobody can tell: the server answers that it failed.
pub const BROKEN: &str = "quebrado.com.br";
/// Have a server for mail.
const WITH_MAIL: [&str; 6] = [
    "10minutemail.com",
    "empresa.com.br",
    "gmail.com",
    "mailinator.com",
    "padaria.com.br",
    "xn--padaria-aa-w6a7e.com.br",
];

/// Where it answers; it is started by the first who asks.
///
/// # Panics
/// There is no port.
pub fn address() -> SocketAddr {
    static STARTED: OnceLock<SocketAddr> = OnceLock::new();
    *STARTED.get_or_init(|| {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("an address");
        std::thread::spawn(move || serve(&socket));
        address
    })
}

fn serve(socket: &UdpSocket) {
    let mut buffer = [0; 1_500];
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        if let Some(answer) = answer(&buffer[..length]) {
            // Whoever asked may be gone.
            drop(socket.send_to(&answer, from));
        }
    }
}

/// The answer to a query with one question (RFC 1035 §4.1); none to anything else.
fn answer(query: &[u8]) -> Option<Vec<u8>> {
    let (name, end) = name(query.get(12..)?)?;
    let question = query.get(12..12 + end + 4)?;
    let kind = u16::from_be_bytes(question.get(end..end + 2)?.try_into().ok()?);
    let (code, data) = known(&name, kind);
    let mut answer = query.get(..2)?.to_vec();
    // A response, recursion asked for and there; one question.
    answer.extend([
        0x81,
        0x80 | code,
        0,
        1,
        0,
        u8::from(data.is_some()),
        0,
        0,
        0,
        0,
    ]);
    answer.extend(question);
    if let Some(data) = data {
        // The name of the question, its kind, class IN, a minute.
        answer.extend([0xc0, 12]);
        answer.extend(kind.to_be_bytes());
        answer.extend([0, 1, 0, 0, 0, 60]);
        answer.extend(u16::try_from(data.len()).ok()?.to_be_bytes());
        answer.extend(data);
    }
    Some(answer)
}

/// What is known of a name: a code, and the data of a record.
fn known(name: &str, kind: u16) -> (u8, Option<Vec<u8>>) {
    match (name, kind) {
        (BROKEN, _) => (SERVER_FAILURE, None),
        // Preference 0, the root.
        (NO_MAIL, MX) => (NO_ERROR, Some(vec![0, 0, 0])),
        (ADDRESS_ONLY, A) => (NO_ERROR, Some(vec![192, 0, 2, 1])),
        (ADDRESS_ONLY | NO_MAIL | EMPTY, _) => (NO_ERROR, None),
        (name, MX) if WITH_MAIL.contains(&name) => {
            // Preference 10, the host mx of the name of the question.
            (NO_ERROR, Some(vec![0, 10, 2, b'm', b'x', 0xc0, 12]))
        }
        (name, _) if WITH_MAIL.contains(&name) => (NO_ERROR, None),
        _ => (NO_SUCH_NAME, None),
    }
}

/// The name at the beginning of a question, and how many bytes it takes.
fn name(question: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut at = 0;
    loop {
        let length = usize::from(*question.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        let label = question.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).to_lowercase());
        at += length;
    }
}
