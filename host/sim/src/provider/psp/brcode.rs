//! The text of a PIX QR code: EMV merchant-presented mode as the Banco
//! Central's "Manual do BR Code" (2.0.1) narrows it.

/// Longest merchant name and city (EMV ids 59 and 60).
const NAME_CHARS: usize = 25;
const CITY_CHARS: usize = 15;

/// A dynamic code: the payer's bank fetches the charge from `url`, which has
/// no scheme. The amount is repeated for people; the charge decides.
pub fn dynamic(url: &str, cents: i64, name: &str, city: &str) -> String {
    let account = [field("00", "br.gov.bcb.pix"), field("25", url)].concat();
    let amount = format!("{}.{:02}", cents / 100, cents % 100);
    let short = |text: &str, limit| text.chars().take(limit).collect::<String>();
    let mut code = [
        field("00", "01"),
        // To be paid once.
        field("01", "12"),
        field("26", &account),
        field("52", "0000"),
        field("53", "986"),
        field("54", &amount),
        field("58", "BR"),
        field("59", &short(name, NAME_CHARS)),
        field("60", &short(city, CITY_CHARS)),
        // The txid of a dynamic code is in the charge.
        field("62", &field("05", "***")),
    ]
    .concat();
    // The checksum covers its own id and length.
    code.push_str("6304");
    let sum = crc16(code.as_bytes());
    code.push_str(&format!("{sum:04X}"));
    code
}

fn field(id: &str, value: &str) -> String {
    format!("{id}{:02}{value}", value.len())
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, begun with 0xFFFF.
pub fn crc16(bytes: &[u8]) -> u16 {
    let mut crc = 0xffff_u16;
    for byte in bytes {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            let carry = crc & 0x8000 != 0;
            crc <<= 1;
            if carry {
                crc ^= 0x1021;
            }
        }
    }
    crc
}
