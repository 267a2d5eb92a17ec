//! Secrets in answers that repeat the request.

use authority::transport::mask::Mask;
use flow::contract::{HttpResponse, Named};
use flow::placeholder::Hashes;

struct Plain;

impl Hashes for Plain {
    fn md5_hex(&self, _: &[u8]) -> String {
        "d41d8cd98f00b204".to_owned()
    }

    fn sha1(&self, _: &[u8]) -> Vec<u8> {
        b"twenty bytes of a di".to_vec()
    }
}

fn masked(secrets: &[(&str, &str)], known: &[&str], text: &[u8]) -> String {
    let answer = HttpResponse {
        status: 200,
        headers: vec![Named {
            name: "X-Eco".to_owned(),
            value: String::from_utf8_lossy(text).into_owned(),
        }],
        body: text.to_vec(),
    };
    let masked = Mask::new(secrets, known, &Plain).over(answer);
    let body = String::from_utf8(masked.body).expect("text");
    if text.is_ascii() {
        assert_eq!(masked.headers[0].value, body, "headers as bodies");
    }
    body
}

#[test]
fn a_value_is_masked_in_each_encoding() {
    let secrets = [("usuario", "joao.silva"), ("senha", "a<b&\"ç+1")];
    for (text, shown) in [
        ("senha: a<b&\"ç+1;", "senha: ***;"),
        ("<s>a&lt;b&amp;&quot;ç+1</s>", "<s>***</s>"),
        ("{\"s\":\"a<b&\\\"ç+1\"}", "{\"s\":\"***\"}"),
        ("s=a%3Cb%26%22%C3%A7%2B1&x", "s=***&x"),
        ("s=a%3cb%26%22%c3%a7%2b1&x", "s=***&x"),
        ("YTxiJiLDpysx.", "***."),
        // joao.silva:a<b&"ç+1, as HTTP basic authentication has it.
        ("Basic am9hby5zaWx2YTphPGImIsOnKzE=", "Basic ***"),
        ("digest d41d8cd98f00b204", "digest ***"),
        ("user joao.silva!", "user joao.silva!"),
        ("nothing of it", "nothing of it"),
    ] {
        assert_eq!(masked(&secrets, &[], text.as_bytes()), shown, "{text}");
    }
    // In an answer in ISO-8859-1.
    assert_eq!(masked(&secrets, &[], b"x a<b&\"\xe7+1 y"), "x *** y");
}

#[test]
fn what_is_no_secret_stays() {
    // Passwords that are numbers or words stand in notes as something else.
    for weak in ["12345", "12345678", "contabilidade", "Prestador"] {
        let nota = format!("<Numero>{weak}</Numero><Discriminacao>{weak}</Discriminacao>");
        assert_eq!(masked(&[("senha", weak)], &[], nota.as_bytes()), nota);
    }
    // A user's name is written into notes by cities.
    let nota = "<Emissor>joao.silva1</Emissor>";
    assert_eq!(
        masked(&[("usuario", "joao.silva1")], &[], nota.as_bytes()),
        nota
    );
    // What the adapter knows is no secret to it.
    let known = "11.222.333/0001-81 A";
    assert_eq!(
        masked(&[("token", known)], &[known], known.as_bytes()),
        known
    );
    assert_eq!(
        masked(&[("senha", "segredo!1")], &[], b"<s>segredo!1</s>"),
        "<s>***</s>"
    );
}
