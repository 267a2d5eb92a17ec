//! The checksum of a code.

/// CRC-16/CCITT-FALSE (also IBM-3740): polynomial 0x1021, begins with 0xFFFF, no
/// reflection, nothing added at the end. Of a BR Code it is taken over everything
/// up to and with the `6304` before the checksum (EMV QRCPS).
pub fn crc16(text: &str) -> u16 {
    text.bytes().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 {
                shifted
            } else {
                shifted ^ 0x1021
            }
        })
    })
}
