//! The text of a PIX QR code: EMV merchant-presented mode as the Banco
//! Central's "Manual do BR Code" (2.0.1) narrows it.

/// Longest merchant name and city (EMV ids 59 and 60).
const NAME_CHARS: usize = 25;
const CITY_CHARS: usize = 15;

/// A dynamic code: the payer's bank fetches the charge from `url`, which has
/// no scheme. The amount is repeated for people; the charge decides.
pub(super) fn dynamic(url: &str, cents: i64, name: &str, city: &str) -> String {
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
fn crc16(bytes: &[u8]) -> u16 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_manual() {
        // Example of a static code in the manual of the Banco Central.
        let code = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304";
        assert_eq!(crc16(code.as_bytes()), 0x1d3d);
        // The check value of the algorithm.
        assert_eq!(crc16(b"123456789"), 0x29b1);
    }

    #[test]
    fn fields_say_their_length() {
        let code = dynamic("psp.test/qr/v2/abc", 30_005, "HUB", "SAO PAULO");
        assert!(
            code.starts_with("00020101021226400014br.gov.bcb.pix2518psp.test/qr/v2/abc5204"),
            "{code}"
        );
        assert!(
            code.contains("5406300.055802BR5903HUB6009SAO PAULO62070503***6304"),
            "{code}"
        );
    }
}
