//! The files of `server/deploy` agree with the program, and the subcommands for packages and containers work.
//! `server/deploy/try-package` tries the packages themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::{CommandFactory, Parser};
use noughts_server::ServerConfig;
use noughts_tests::program::{self, binary_path};
use noughts_tests::server::{ServerProcess, TestServiceManager};
use serde_json::Value;

fn server_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../server")
}

fn deploy_file(name: &str) -> String {
    let path = server_folder().join("deploy").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the values of a key of a unit, in order.
fn values<'t>(unit: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    unit.lines()
        .filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Parses a server command line as the program does.
fn parse(arguments: &[&str]) -> ServerConfig {
    let words = [&["noughts-server"], arguments].concat();
    ServerConfig::try_parse_from(words).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// Checks that the server reads this variable, and accepts the value.
fn check_variable(name: &str, value: &str) {
    if ["RUST_LOG", "NOUGHTS_SERVER_ARGS"].contains(&name) {
        return;
    }
    let command = ServerConfig::command();
    let flag = command
        .get_arguments()
        .find(|argument| argument.get_env().is_some_and(|variable| variable == name))
        .and_then(|argument| argument.get_long())
        .unwrap_or_else(|| panic!("no flag reads {name}"));
    let other_half: &[&str] = match flag {
        "tls-cert" => &["--tls-key", "k"],
        "cluster-listen" | "cluster-creds" | "cluster-ca" => &["--cluster", "nats://a"],
        "tls-key" => &["--tls-cert", "c"],
        _ => &[],
    };
    parse(&[&[&format!("--{flag}")[..], value], other_half].concat());
}

fn check_variables<'t>(assignments: impl Iterator<Item = &'t str>) -> BTreeSet<&'t str> {
    assignments
        .map(|assignment| {
            let (name, value) = assignment
                .split_once('=')
                .unwrap_or_else(|| panic!("{assignment}"));
            check_variable(name, value);
            name
        })
        .collect()
}

async fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(binary_path("noughts-server"));
    command
        .args(arguments)
        .env_remove("NOUGHTS_LISTEN")
        .env_remove("NOUGHTS_ADMIN_LISTENER");
    program::output(command).await
}

#[test]
fn the_units_agree_with_the_flags() {
    let service = deploy_file("systemd/noughts-server.service");
    let command_line: Vec<&str> = values(&service, "ExecStart")
        .flat_map(str::split_whitespace)
        .collect();
    assert_eq!(command_line[0], "/usr/bin/noughts-server");
    // Variables are left out, because systemd replaces each with the words of its value.
    let flags: Vec<&str> = command_line[1..]
        .iter()
        .copied()
        .filter(|word| !word.starts_with('$'))
        .collect();
    assert!(parse(&flags).command.is_none());
    let set = check_variables(values(&service, "Environment").flat_map(str::split_whitespace));
    assert!(
        set.contains("NOUGHTS_DATA") && set.contains("NOUGHTS_ADMIN_LISTENER"),
        "{set:?}"
    );

    let defaults = deploy_file("debian/default");
    let assignments = defaults.lines().map(|line| line.trim_start_matches('#'));
    let set =
        check_variables(assignments.filter(|line| !line.starts_with(' ') && line.contains('=')));
    assert!(
        set.contains("NOUGHTS_SERVER_ARGS") && set.contains("NOUGHTS_TLS_KEY"),
        "{set:?}"
    );

    // The socket unit passes the listener that the flag would open.
    let socket = deploy_file("systemd/noughts-server.socket");
    let port = parse(&[]).listen.port().to_string();
    assert_eq!(values(&socket, "ListenStream").collect::<Vec<_>>(), [port]);
    assert!(values(&service, "Requires").eq(["noughts-server.socket"]));
    let user = values(&service, "User").next().expect("a user");
    assert!(deploy_file("systemd/noughts-server.conf").starts_with(&format!("u {user} ")));
}

#[test]
fn the_files_for_a_cluster_agree_with_the_flags() {
    let defaults = deploy_file("cluster/noughts-node.default");
    let assignments = defaults
        .lines()
        .filter(|line| !line.starts_with('#') && line.contains('='));
    let set = check_variables(assignments);
    assert!(set.contains("NOUGHTS_CLUSTER_CREDS"), "{set:?}");
    let further = values(&defaults, "NOUGHTS_SERVER_ARGS")
        .next()
        .expect("further flags");
    let further = further.trim_matches('"').split_whitespace();
    let [node, archive] =
        ["node", "archive"].map(|name| deploy_file(&format!("cluster/noughts-{name}.service")));
    for unit in [&node, &archive] {
        assert!(values(unit, "EnvironmentFile").eq(["/etc/default/noughts-node"]));
        let words = values(unit, "ExecStart")
            .flat_map(str::split_whitespace)
            .skip(1);
        let mut words: Vec<&str> = words.filter(|word| !word.starts_with('$')).collect();
        words.extend(["--cluster", "nats://a"]);
        if unit == &node {
            words.extend(further.clone());
        }
        parse(&words);
    }
    let set = check_variables(values(&node, "Environment").flat_map(str::split_whitespace));
    assert!(
        set.contains("NOUGHTS_LISTEN") && !set.contains("NOUGHTS_DATA"),
        "{set:?}"
    );
    let port = parse(&[]).listen.port();
    let balancer = deploy_file("cluster/haproxy.cfg");
    let servers = balancer
        .lines()
        .filter(|line| line.trim().starts_with("server "));
    let count = servers
        .map(|line| assert!(line.ends_with(&format!(":{port}")), "{line}"))
        .count();
    assert_eq!(count, 6, "three nodes, ready or not");
}

#[test]
fn the_container_file_agrees_with_the_flags() {
    let file = deploy_file("Containerfile");
    let instruction = |name: &str| {
        let line = file
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}"))
    };
    let set = check_variables(instruction("ENV").split_whitespace());
    assert!(
        set.contains("NOUGHTS_LISTEN") && set.contains("NOUGHTS_DATA"),
        "{set:?}"
    );
    for instruction in [instruction("ENTRYPOINT"), instruction("HEALTHCHECK")] {
        let words = &instruction[instruction.find('[').expect("the form with an array")..];
        let words: Vec<&str> = serde_json::from_str(words).expect("an array of words");
        assert_eq!(words[0], "/noughts-server");
        parse(&words[1..]);
    }
}

#[test]
fn the_packages_name_existing_files() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--locked",
        "--offline",
    ]);
    let output = cargo
        .current_dir(server_folder())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON of cargo");
    let build_script = deploy_file("package");
    for name in ["noughts-server", "noughts"] {
        let packages = metadata["packages"].as_array().expect("packages");
        let package = packages
            .iter()
            .find(|package| package["name"] == name)
            .expect("a package");
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().expect("a folder");
        let deb = &package["metadata"]["deb"];
        assert!(
            folder
                .join(deb["license-file"][0].as_str().expect("a path"))
                .exists()
        );
        for asset in deb["assets"].as_array().expect("assets") {
            let source = asset[0].as_str().expect("a path");
            if let Some(generated) = source.strip_prefix("../target/deploy/") {
                let pattern = format!("\"$out/{}\"", generated.replace(name, "$program"));
                assert!(
                    build_script.contains(&pattern),
                    "nothing generates {generated}"
                );
            } else {
                assert!(
                    source.starts_with("target/release/") || folder.join(source).exists(),
                    "{source}"
                );
            }
        }
    }
    for script in ["package", "try-package", "debian/postinst"] {
        let path = server_folder().join("deploy").join(script);
        assert!(
            Command::new("bash")
                .arg("-n")
                .arg(path)
                .status()
                .expect("bash")
                .success(),
            "{script}"
        );
    }
}

#[tokio::test]
async fn manual_page_and_completions_list_all_flags() {
    let help = run(&["--help"]).await;
    let help = String::from_utf8(help.stdout).expect("text");
    let flags: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--"))
        .filter_map(|line| line.split([' ', '=']).next())
        .collect();
    assert!(flags.len() > 20, "{flags:?}");
    for arguments in [
        &["man"][..],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
    ] {
        let output = run(arguments).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8(output.stdout)
            .expect("text")
            .replace("\\-", "-");
        for flag in &flags {
            assert!(text.contains(flag), "{arguments:?} lacks --{flag}");
        }
    }
}

#[tokio::test]
async fn health_tells_a_running_server_from_none() {
    let server = ServerProcess::start(&["--admin-listener", "127.0.0.1:0"]);
    let metrics_url = server.metrics_url.clone().expect("an admin listener");
    let admin = metrics_url
        .trim_start_matches("http://")
        .trim_end_matches("/metrics");
    for address in [&server.address().to_string(), admin] {
        let output = run(&["health", address]).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(
            run(&["--listen", address, "health"]).await.status.code(),
            Some(0),
            "{address}"
        );
    }
    let address = server.address().to_string();
    server.kill();
    let output = run(&["health", &address]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("no response from"),
        "{output:?}"
    );
    // A listener without a server takes the connection, and does not respond.
    let manager = TestServiceManager::default();
    assert_eq!(
        run(&["health", &manager.address().to_string()])
            .await
            .status
            .code(),
        Some(1)
    );
}
