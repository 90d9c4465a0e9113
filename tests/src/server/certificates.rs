//! Certificates for servers on this machine.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// Writes a certificate authority (`authority.pem`), and a certificate for localhost with its key (`chain.pem`,
/// `key.pem`).
pub fn write_certificates(folder: &Path) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let new_key = || KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(authority, new_key()).expect("a certificate");
    let key = new_key();
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let parameters = CertificateParams::new(names).expect("valid names");
    let certificate = parameters
        .signed_by(&key, &authority)
        .expect("a certificate");
    fs::write(folder.join("authority.pem"), authority.pem()).expect("a file");
    fs::write(folder.join("key.pem"), key.serialize_pem()).expect("a file");
    fs::write(folder.join("chain.pem"), certificate.pem()).expect("a file");
}
