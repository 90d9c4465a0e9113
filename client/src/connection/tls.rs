//! TLS: the handshake, and the trusted certificate authorities, which are the platform's authorities and any that the
//! user adds.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

/// Certificates of the additional authorities, set once for the process.
static EXTRA_ROOTS: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();

/// Trusts the certificate authorities in this PEM file in addition to the platform's authorities. Must be called once,
/// before the first connection.
///
/// # Errors
/// Returns an error if the file cannot be read or contains no certificate, or on a second call.
pub(crate) fn add_trusted_roots(file: &Path) -> io::Result<()> {
    let invalid_data = |error| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{}: {error}", file.display()),
        )
    };
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| invalid_data(error.to_string()))?;
    if certificates.is_empty() {
        return Err(invalid_data("contains no certificate".to_owned()));
    }
    EXTRA_ROOTS
        .set(certificates)
        .map_err(|_| invalid_data("an authority is already set".to_owned()))
}

/// Performs the TLS handshake, and verifies that the certificate is valid for `host`.
pub(super) async fn connect_tls(stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(config()?).connect(name, stream).await
}

/// Reads the certificate authorities for each connection, because connections are rare and the platform's authorities
/// can change.
fn config() -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    let platform = rustls_native_certs::load_native_certs();
    for error in &platform.errors {
        tracing::debug!(%error, "cannot read some platform certificates");
    }
    roots.add_parsable_certificates(platform.certs);
    for certificate in EXTRA_ROOTS.get().into_iter().flatten() {
        roots.add(certificate.clone()).map_err(io::Error::other)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
