//! Time to parse and to write each message, compared with the same text as an untyped tree of JSON values.
//!
//! `cargo bench --bench messages`

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use noughts_protocol::wire::{Message, Request};
use serde_json::Value;

/// Returns the first message of each kind, from the golden files `PREFIX-KIND.jsonl`.
fn golden_messages(prefix: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocol/golden");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| {
        path.file_name()
            .is_some_and(|name| name.to_str().unwrap().starts_with(prefix))
    });
    paths.sort();
    let first = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        (name.to_owned(), text.lines().next().unwrap().to_owned())
    };
    assert!(!paths.is_empty(), "{} has no {prefix}", folder.display());
    paths.iter().map(first).collect()
}

fn benchmark_group<'a>(
    criterion: &'a mut Criterion,
    name: &str,
    text: &str,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(20);
    let value_tree: Value = serde_json::from_str(text).unwrap();
    group.bench_function("read as a tree", |bench| {
        bench.iter(|| serde_json::from_str::<Value>(black_box(text)).unwrap());
    });
    group.bench_function("write from a tree", |bench| {
        bench.iter(|| black_box(&value_tree).to_string())
    });
    group
}

fn bench_messages(criterion: &mut Criterion) {
    for (name, text) in golden_messages("request-") {
        let request = Request::parse(&text).unwrap();
        let mut group = benchmark_group(criterion, &name, &text);
        group.bench_function("read", |bench| {
            bench.iter(|| Request::parse(black_box(&text)).unwrap())
        });
        group.bench_function("write", |bench| {
            bench.iter(|| black_box(&request).to_json())
        });
        group.finish();
    }
    for (name, text) in golden_messages("message-") {
        let message = Message::parse(&text).unwrap();
        let mut group = benchmark_group(criterion, &name, &text);
        group.bench_function("read", |bench| {
            bench.iter(|| Message::parse(black_box(&text)).unwrap())
        });
        group.bench_function("write", |bench| {
            bench.iter(|| black_box(&message).to_json())
        });
        group.finish();
    }
}

criterion_group!(benches, bench_messages);
criterion_main!(benches);
