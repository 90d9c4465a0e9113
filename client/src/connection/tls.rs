//! Which servers to believe: the platform's authorities, and one that the user names.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

/// The authority that the user named, once for the whole program.
static EXTRA_ROOTS: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();

/// Believes servers whose certificates were signed with this one too (PEM). Said once, before anything
/// connects.
///
/// # Errors
/// When the file cannot be read, or holds no certificate.
pub fn add_trusted_roots(file: &Path) -> io::Result<()> {
    let invalid_data =
        |error| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", file.display()));
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| invalid_data(error.to_string()))?;
    if certificates.is_empty() {
        return Err(invalid_data("no certificate in it".to_owned()));
    }
    EXTRA_ROOTS.set(certificates).map_err(|_| invalid_data("an authority was named before".to_owned()))
}

/// Speaks TLS over a stream to `host`, which has to prove that it is that.
pub(super) async fn connect_tls(stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(config()?).connect(name, stream).await
}

/// Read for each connection: that is rare, and the platform's authorities may change.
fn config() -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    let platform = rustls_native_certs::load_native_certs();
    for error in &platform.errors {
        tracing::debug!(%error, "some of the platform's authorities cannot be read");
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
