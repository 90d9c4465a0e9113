//! The program `nats-server`: the installed program, or the program of Debian's archive.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Oldest usable version.
const MIN_VERSION: [u32; 3] = [2, 10, 27];

pub(super) fn installed_program() -> PathBuf {
    nats_server_path()
        .expect("a test without a server is skipped")
        .to_owned()
}

/// Returns whether the tests that need NATS servers are skipped: on request, or because no suitable server is installed
/// and none can be downloaded. Prints the reason, even when the test passes.
pub fn skips_nats() -> bool {
    let reason = if std::env::var_os("NOUGHTS_SKIP_NATS").is_some() {
        "NOUGHTS_SKIP_NATS is set"
    } else if nats_server_path().is_none() {
        "there is no nats-server of a suitable version; name one with NOUGHTS_NATS"
    } else {
        return false;
    };
    writeln!(
        std::io::stderr(),
        "a test with NATS servers is skipped: {reason}"
    )
    .expect("stderr is open");
    true
}

/// Returns a suitable `nats-server`: the program that `NOUGHTS_NATS` names, the installed program, or the program of
/// Debian's archive. `None` if the archive cannot be reached.
pub fn nats_server_path() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        if let Some(named) = std::env::var_os("NOUGHTS_NATS") {
            return Some(named.into());
        }
        let target = target_folder();
        let unpacked = target.join("nats-server/usr/sbin/nats-server");
        for program in [Path::new("nats-server"), &unpacked] {
            if is_suitable(program) {
                return Some(program.to_owned());
            }
        }
        if !download("sid", &target.join("nats-server")) {
            return None;
        }
        assert!(
            is_suitable(&unpacked),
            "the downloaded nats-server is too old"
        );
        Some(unpacked)
    });
    found.as_deref()
}

fn target_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    // Tests are in the folder `deps` of their profile, other programs beside it.
    let mut folders = program
        .ancestors()
        .skip(1)
        .filter(|folder| !folder.ends_with("deps"));
    folders.nth(1).expect("in a target folder").to_owned()
}

fn is_suitable(program: &Path) -> bool {
    let Ok(output) = Command::new(program).arg("--version").output() else {
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.trim().rsplit('v').next().unwrap_or_default();
    let parts: Vec<u32> = version
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect();
    parts.as_slice() >= &MIN_VERSION[..]
}

/// Returns the `nats-server` 2.9.10 of Debian 12, which stores messages against the expectation while leaders change.
/// `None` if the archive cannot be reached.
pub fn old_nats_server_path() -> Option<PathBuf> {
    let folder = target_folder().join("old-nats-server");
    let program = folder.join("usr/sbin/nats-server");
    (program.exists() || download("bookworm", &folder)).then_some(program)
}

/// Downloads the package of a release of Debian, and unpacks it. `apt-get` verifies the signature of the release. The
/// package sources and the installed packages of the machine do not change. Returns `false` if the package cannot be
/// downloaded.
fn download(release: &str, folder: &Path) -> bool {
    for name in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(folder.join(name)).expect("a folder for the download");
    }
    let sources = folder.join("sources.list");
    let source = format!("deb http://deb.debian.org/debian {release} main\n");
    std::fs::write(&sources, source).expect("a folder for the download");
    let option = |key: &str, path: &Path| ["-o".to_owned(), format!("{key}={}", path.display())];
    let options = [
        option("Dir::Etc::sourcelist", &sources),
        option("Dir::Etc::sourceparts", Path::new("-")),
        option("Dir::State::lists", &folder.join("lists")),
        option("Dir::Cache", &folder.join("cache")),
    ];
    for arguments in [&["update"][..], &["download", "nats-server"]] {
        let mut command = Command::new("apt-get");
        command.args([
            "--quiet",
            "-o",
            "Acquire::http::Timeout=20",
            "-o",
            "Acquire::Retries=2",
        ]);
        command
            .args(options.iter().flatten())
            .args(arguments)
            .current_dir(folder)
            .stdout(std::io::stderr());
        if !command.status().is_ok_and(|status| status.success()) {
            return false;
        }
    }
    let files = std::fs::read_dir(folder).expect("the folder of the download");
    let mut paths = files.map(|file| file.expect("a file").path());
    let Some(package) =
        paths.find(|path| path.extension().is_some_and(|extension| extension == "deb"))
    else {
        return false;
    };
    let status = Command::new("dpkg")
        .arg("-x")
        .arg(&package)
        .arg(folder)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "dpkg cannot unpack {}",
        package.display()
    );
    true
}
