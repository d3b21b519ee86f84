//! Encodes and decodes rows of (int64, float64, string of 10 bytes) with the RowConverter of arrow-rs, on one thread, and
//! prints the median and the shortest time of a call per row. BenchmarkRows has the same data.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_row::{RowConverter, SortField};
use arrow_schema::DataType;

/// The next random word of SplitMix64.
fn next_word(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn table(n: usize) -> Vec<ArrayRef> {
    let (mut ints, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let mut state = 1;
    for _ in 0..n {
        ints.push(next_word(&mut state) as i64);
        floats.push(next_word(&mut state) as i64 as f64 / i64::MAX as f64);
        let mut w = next_word(&mut state);
        let text: Vec<u8> = (0..10)
            .map(|_| {
                let letter = b'a' + (w % 26) as u8;
                w /= 26;
                letter
            })
            .collect();
        texts.push(String::from_utf8(text).unwrap());
    }
    vec![
        Arc::new(Int64Array::from(ints)),
        Arc::new(Float64Array::from(floats)),
        Arc::new(StringArray::from(texts)),
    ]
}

/// The times of calls that take two seconds in all, sorted.
fn times(mut call: impl FnMut()) -> Vec<Duration> {
    call();
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < Duration::from_secs(2) {
        let before = Instant::now();
        call();
        times.push(before.elapsed());
    }
    times.sort();
    times
}

fn main() {
    for n in [8192, 1_000_000] {
        let columns = table(n);
        let converter = RowConverter::new(vec![
            SortField::new(DataType::Int64),
            SortField::new(DataType::Float64),
            SortField::new(DataType::Utf8),
        ])
        .unwrap();
        let rows = converter.convert_columns(&columns).unwrap();
        let bytes: usize = rows.iter().map(|r| r.as_ref().len()).sum();
        let encode = times(|| {
            black_box(converter.convert_columns(&columns).unwrap());
        });
        let decode = times(|| {
            black_box(converter.convert_rows(&rows).unwrap());
        });
        for (op, times) in [("encode", encode), ("decode", decode)] {
            let per_row = |time: Duration| time.as_nanos() as f64 / n as f64;
            println!(
                "op={op}/rows={n}/threads=1 {:.2} ns/row, {:.2} fastest-ns/row, {} bytes/row",
                per_row(times[times.len() / 2]),
                per_row(times[0]),
                bytes / n
            );
        }
    }
}
