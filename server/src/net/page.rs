//! The browser page: responses with its files, and the resources and the time limit of a connection that loads it.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, HeaderValue, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use noughts_web::{PageFile, find_page_file};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::slots::{HandshakeSlot, Quota, QuotaError, QuotaPermit};
use crate::net::responses::ResponseBody;
use crate::runtime::sync::lock;

/// Path of the service worker, which caches files of the page in the browser.
const SERVICE_WORKER: &str = "/sw.js";
const SERVICE_WORKER_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; connect-src 'self'");
/// End of the path of the worker that runs the engine.
const BOT_WORKER: &str = "/bot/worker.js";

/// Path that browsers request although no page names it.
const FAVICON: &str = "/favicon.ico";

const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

const PERMISSIONS: &str = "camera=(), microphone=(), geolocation=(), payment=()";

/// Returns the response to a request for a file of the page, or `None` if the page has no such file. `host` is the
/// host that the request names.
pub(super) fn respond<B>(
    request: &Request<B>,
    host: Option<&Authority>,
) -> Option<Response<ResponseBody>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let path = request.uri().path();
    if path == FAVICON {
        let mut response = Response::new(ResponseBody::default());
        *response.status_mut() = StatusCode::NO_CONTENT;
        response.headers_mut().insert(CACHE_CONTROL, IMMUTABLE);
        return Some(response);
    }
    find_page_file(path).map(|file| file_response(file, request.headers(), host))
}

fn file_response(
    file: &'static PageFile,
    request: &HeaderMap,
    host: Option<&Authority>,
) -> Response<ResponseBody> {
    let is_gzip = elements(request, &ACCEPT_ENCODING).any(is_gzip_accepted);
    let tag = format!("\"{}{}\"", file.hash, if is_gzip { "-gzip" } else { "" });
    let is_known = elements(request, &IF_NONE_MATCH)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag);
    let body = match (is_known, is_gzip) {
        (true, _) => &[],
        (false, true) => file.gzip,
        (false, false) => file.raw,
    };
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    let headers = response.headers_mut();
    headers.insert(
        CACHE_CONTROL,
        if file.is_immutable {
            IMMUTABLE
        } else {
            REVALIDATE
        },
    );
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("same-origin"),
    );
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    if file.path == "/" {
        insert_document_headers(headers, host);
    } else if file.path == SERVICE_WORKER {
        headers.insert(CONTENT_SECURITY_POLICY, SERVICE_WORKER_POLICY);
    } else if file.path.ends_with(BOT_WORKER)
        && let Ok(policy) = HeaderValue::from_str(&worker_policy(host))
    {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    if is_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn insert_document_headers(headers: &mut HeaderMap, host: Option<&Authority>) {
    if let Ok(policy) = HeaderValue::from_str(&content_security_policy(host)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin"),
    );
    headers.insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
}

/// Returns the policy of the document.
fn content_security_policy(host: Option<&Authority>) -> String {
    let sockets = socket_sources(host);
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'{sockets}; \
         manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types noughts"
    )
}

/// Returns the policy of the worker that runs the engine. A worker has the policy of its own response: only this policy
/// allows WebAssembly.
fn worker_policy(host: Option<&Authority>) -> String {
    let sockets = socket_sources(host);
    format!("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'{sockets}")
}

/// Returns the WebSocket addresses of the page's host as sources. Older versions of Safari do not apply `'self'` to
/// WebSockets.
fn socket_sources(host: Option<&Authority>) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    match host.map(Authority::as_str) {
        // A host may contain a semicolon, which would end the directive.
        Some(host) if host.bytes().all(is_plain) => format!(" ws://{host} wss://{host}"),
        _ => String::new(),
    }
}

/// Returns the elements of all headers of one name, which are lists.
fn elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

fn is_gzip_accepted(element: &str) -> bool {
    let (coding, weight) = element.split_once(';').unwrap_or((element, ""));
    let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
    coding.trim().eq_ignore_ascii_case("gzip")
        && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
}

/// The deadline of a connection and the permit that admits it: a slot for handshakes before its first request, and a
/// permit for page connections while it loads the page.
#[derive(Debug)]
pub(super) struct PageConnection(Mutex<State>);

#[derive(Debug)]
struct State {
    deadline: Instant,
    slot: Option<HandshakeSlot>,
    permit: Option<QuotaPermit>,
}

impl PageConnection {
    /// Creates the state of a connection that must complete its handshake before the `deadline`.
    pub(super) fn new(deadline: Instant) -> Arc<PageConnection> {
        Arc::new(PageConnection(Mutex::new(State {
            deadline,
            slot: None,
            permit: None,
        })))
    }

    /// Keeps the slot of the handshake until the connection loads the page.
    pub(super) fn set_slot(&self, slot: HandshakeSlot) {
        lock(&self.0).slot = Some(slot);
    }

    /// Admits a request for the page: exchanges the slot for a permit, and sets the deadline for the response.
    ///
    /// # Errors
    /// If the client has too many page connections. The slot is kept.
    pub(super) fn on_page_request(
        &self,
        quota: &Arc<Quota>,
        client_prefix: ClientPrefix,
        deadline: Instant,
    ) -> Result<(), QuotaError> {
        let mut state = lock(&self.0);
        if state.permit.is_none() {
            state.permit = Some(quota.try_acquire(client_prefix)?);
        }
        state.deadline = deadline;
        let slot = state.slot.take();
        drop(state);
        drop(slot);
        Ok(())
    }

    /// Runs a future that takes at most `limit`, and postpones the deadline by the time that the future takes.
    pub(super) async fn exclude<F: Future>(&self, limit: Duration, future: F) -> F::Output {
        let began = Instant::now();
        lock(&self.0).deadline += limit;
        let output = future.await;
        lock(&self.0).deadline -= limit.saturating_sub(began.elapsed());
        output
    }

    fn deadline(&self) -> Instant {
        lock(&self.0).deadline
    }

    /// Runs a future until the deadline, which requests for the page postpone.
    pub(super) async fn run<F: Future>(&self, future: F) -> Result<F::Output, Elapsed> {
        let mut future = pin!(future);
        loop {
            let deadline = self.deadline();
            match timeout_at(deadline, &mut future).await {
                Err(elapsed) if self.deadline() == deadline => return Err(elapsed),
                Err(_) => {}
                Ok(output) => return Ok(output),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str, headers: &[(HeaderName, &str)]) -> Option<Response<ResponseBody>> {
        let mut request = Request::new(());
        *request.uri_mut() = path.parse().unwrap();
        for (name, value) in headers {
            request
                .headers_mut()
                .append(name, HeaderValue::from_str(value).unwrap());
        }
        respond(&request, Some(&"play.example.org:7878".parse().unwrap()))
    }

    fn header(response: &Response<ResponseBody>, name: &HeaderName) -> String {
        response
            .headers()
            .get(name)
            .map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_client_gets_the_encoding_that_it_accepts() {
        for (accepted, encoding) in [
            ("gzip", "gzip"),
            ("br, gzip;q=0.5", "gzip"),
            ("deflate,GZIP", "gzip"),
            ("gzip;q=0", ""),
            ("br", ""),
            ("", ""),
        ] {
            let response = get("/", &[(ACCEPT_ENCODING, accepted)]).unwrap();
            assert_eq!(header(&response, &CONTENT_ENCODING), encoding, "{accepted}");
            assert_eq!(header(&response, &VARY), "Accept-Encoding");
        }
    }

    #[test]
    fn a_known_file_is_not_sent_again() {
        let first = get("/", &[]).unwrap();
        assert_eq!(
            (first.status(), header(&first, &CACHE_CONTROL)),
            (StatusCode::OK, "no-cache".to_owned())
        );
        let tag = header(&first, &ETAG);
        for (known, status) in [
            (tag.clone(), StatusCode::NOT_MODIFIED),
            (format!("\"other\", W/{tag}"), StatusCode::NOT_MODIFIED),
            ("*".to_owned(), StatusCode::NOT_MODIFIED),
            ("\"other\"".to_owned(), StatusCode::OK),
        ] {
            let response = get("/", &[(IF_NONE_MATCH, &known)]).unwrap();
            assert_eq!(response.status(), status, "{known}");
            assert_eq!(header(&response, &ETAG), tag);
        }
        // The other encoding is a different representation with a different tag.
        let compressed = get("/", &[(IF_NONE_MATCH, &tag), (ACCEPT_ENCODING, "gzip")]).unwrap();
        assert_eq!(compressed.status(), StatusCode::OK);
    }

    #[test]
    fn files_below_a_hash_never_expire() {
        for file in noughts_web::page_files()
            .iter()
            .filter(|file| file.path.starts_with("/a/"))
        {
            let response = get(file.path, &[]).unwrap();
            assert!(
                header(&response, &CACHE_CONTROL).contains("immutable"),
                "{}",
                file.path
            );
            assert_eq!(header(&response, &X_CONTENT_TYPE_OPTIONS), "nosniff");
        }
        assert!(get("/a/0000000000000000/app.js", &[]).is_none());
        assert!(get("/../Cargo.toml", &[]).is_none());
    }

    #[test]
    fn the_policy_allows_the_own_host_only() {
        let policy = header(&get("/", &[]).unwrap(), &CONTENT_SECURITY_POLICY);
        assert!(
            policy.contains(
                "connect-src 'self' ws://play.example.org:7878 wss://play.example.org:7878;"
            ),
            "{policy}"
        );
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let worker = noughts_web::page_files()
            .iter()
            .find(|file| file.path.ends_with(BOT_WORKER))
            .unwrap();
        let worker_policy = header(&get(worker.path, &[]).unwrap(), &CONTENT_SECURITY_POLICY);
        assert!(
            worker_policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"),
            "{worker_policy}"
        );
        let service_worker = header(&get(SERVICE_WORKER, &[]).unwrap(), &CONTENT_SECURITY_POLICY);
        assert_eq!(service_worker, "default-src 'none'; connect-src 'self'");
        let with_policy = ["/", SERVICE_WORKER, worker.path];
        for file in noughts_web::page_files()
            .iter()
            .filter(|file| !with_policy.contains(&file.path))
        {
            assert_eq!(
                header(&get(file.path, &[]).unwrap(), &CONTENT_SECURITY_POLICY),
                "",
                "{}",
                file.path
            );
        }
        for host in ["evil.example;script-src", "a,b"] {
            let policy = content_security_policy(Some(&host.parse().unwrap()));
            assert!(policy.contains("connect-src 'self';"), "{policy}");
        }
        assert!(content_security_policy(None).contains("connect-src 'self';"));
    }
}
