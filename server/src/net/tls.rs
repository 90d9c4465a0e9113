//! The certificate that the server shows, read anew when told to.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tracing::{info, warn};

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds no PEM.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: pem::Error,
    },
    /// Certificate and key do not go together.
    #[error("the certificate cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
}

/// A certificate and its key, from two files.
#[derive(Debug)]
pub struct TlsCertificate {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

impl TlsCertificate {
    /// Reads a chain of certificates and a private key, both in PEM.
    ///
    /// # Errors
    /// When they cannot be read, or do not go together.
    pub fn open(certificate: &Path, key: &Path) -> Result<TlsCertificate, TlsError> {
        let current = RwLock::new(load_config(certificate, key)?);
        Ok(TlsCertificate { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Reads the files again. If they cannot be used, what was in use stays in use.
    pub fn reload(&self) {
        match load_config(&self.certificate, &self.key) {
            Ok(fresh) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
                info!("certificate read again");
            }
            Err(error) => warn!(%error, "the certificate stays as it was"),
        }
    }

    /// What a connection is greeted with.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn load_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let file_error = |path: &Path, error| TlsError::File { path: path.to_owned(), error };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| file_error(key, error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}
