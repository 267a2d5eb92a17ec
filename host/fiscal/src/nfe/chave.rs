//! Access key of 44 positions (MOC 7.0, §5.4; NT 2025.001 for letters in the CNPJ).
