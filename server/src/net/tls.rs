//! TLS certificate and key of the server, reloadable.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, CertificateError, ServerConfig};
use tracing::{info, warn};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

use crate::runtime::sync::lock::lock;

/// Failure to load a certificate.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or parsed.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: pem::Error,
    },
    /// The certificate is invalid or does not match the key.
    #[error("invalid certificate: {0}")]
    Certificate(#[from] rustls::Error),
}

/// A certificate chain and its private key, loaded from two files.
#[derive(Debug)]
pub struct TlsCertificate {
    certificate: PathBuf,
    key: PathBuf,
    current: Mutex<LoadedCertificate>,
}

/// A loaded certificate chain.
#[derive(Clone, Debug)]
struct LoadedCertificate {
    config: Arc<ServerConfig>,
    /// End of the validity of the first certificate, in seconds since 1970.
    not_after: i64,
}

impl TlsCertificate {
    /// Loads a certificate chain and a private key, both in PEM.
    ///
    /// # Errors
    /// If a file cannot be read, or the key does not match the certificate.
    pub fn open(certificate: &Path, key: &Path) -> Result<TlsCertificate, TlsError> {
        let current = Mutex::new(load(certificate, key)?);
        Ok(TlsCertificate {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current,
        })
    }

    /// Reloads both files. Keeps the current certificate if that fails.
    pub fn reload(&self) {
        match load(&self.certificate, &self.key) {
            Ok(fresh) => {
                *lock(&self.current) = fresh;
                info!("certificate reloaded");
            }
            Err(error) => warn!(%error, "certificate reload failed; keeping the old one"),
        }
    }

    /// Returns an acceptor with the current certificate, for one handshake.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&lock(&self.current).config))
    }

    /// Returns the end of the validity of the current certificate, in seconds since 1970.
    pub(super) fn not_after(&self) -> i64 {
        lock(&self.current).not_after
    }
}

fn load(certificate: &Path, key: &Path) -> Result<LoadedCertificate, TlsError> {
    let file_error = |path: &Path, error| TlsError::File {
        path: path.to_owned(),
        error,
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| file_error(key, error))?;
    let not_after = chain.first().map_or(Ok(i64::MAX), read_not_after)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(LoadedCertificate {
        config: Arc::new(config),
        not_after,
    })
}

fn read_not_after(certificate: &CertificateDer<'_>) -> Result<i64, TlsError> {
    let (_, certificate) = X509Certificate::from_der(certificate)
        .map_err(|_| CertificateError::BadEncoding)
        .map_err(rustls::Error::from)?;
    Ok(certificate.validity().not_after.timestamp())
}
