//! QR code of the NFC-e, versions 2 and 3 (NT 2025.001 and manual of the DANFE NFC-e).
