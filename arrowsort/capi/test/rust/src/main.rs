//! A Rust program with the crate arrow: it sorts and merges record batches through the C library, and reads errors. It
//! prints what went wrong and fails, or nothing.

use std::ffi::{c_char, CStr, CString};
use std::sync::Arc;

use arrow::array::{Array, DictionaryArray, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use arrow::error::ArrowError;
use arrow::ffi::{from_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::{RecordBatchStreamReader, FFI_ArrowArrayStream};
use arrow::record_batch::RecordBatchReader;

#[repr(C)]
struct Key {
    path: *const c_char,
    column: i64,
    descending: i32,
    nulls_first: i32,
}

#[repr(C)]
struct Failure {
    code: i32,
    name: *const c_char,
    message: *mut c_char,
}

#[link(name = "arrowsort")]
extern "C" {
    fn arrowsort_import_stream(stream: *mut FFI_ArrowArrayStream, out: *mut u64, error: *mut Failure) -> i32;
    fn arrowsort_export_stream(data: u64, out: *mut FFI_ArrowArrayStream, error: *mut Failure) -> i32;
    fn arrowsort_export_array(data: u64, out: *mut FFI_ArrowArray, schema: *mut FFI_ArrowSchema, error: *mut Failure)
        -> i32;
    fn arrowsort_sort(data: u64, keys: *const Key, n: i64, options: *const u8, out: *mut u64, error: *mut Failure)
        -> i32;
    fn arrowsort_sort_indices(data: u64, keys: *const Key, n: i64, bits: i32, options: *const u8, out: *mut u64,
        error: *mut Failure) -> i32;
    fn arrowsort_merge_streams(streams: *const *mut FFI_ArrowArrayStream, count: i64, keys: *const Key, n: i64,
        options: *const u8, out: *mut FFI_ArrowArrayStream, error: *mut Failure) -> i32;
    fn arrowsort_data_free(data: u64);
    fn arrowsort_error_free(error: *mut Failure);
    fn arrowsort_allocated() -> i64;
}

/// Calls a function with an error, which becomes that of the result: its name and message.
fn call(function: impl FnOnce(*mut Failure) -> i32) -> Result<(), String> {
    let mut failure = Failure { code: 0, name: std::ptr::null(), message: std::ptr::null_mut() };
    if function(&mut failure) == 0 {
        return Ok(());
    }
    let text = unsafe { (CStr::from_ptr(failure.name), CStr::from_ptr(failure.message)) };
    let text = format!("{}: {}", text.0.to_str().unwrap(), text.1.to_str().unwrap());
    unsafe { arrowsort_error_free(&mut failure) };
    Err(text)
}

struct Data(u64);

impl Drop for Data {
    fn drop(&mut self) {
        unsafe { arrowsort_data_free(self.0) }
    }
}

/// Some batches of numbers, which count up or down, with their words and a dictionary of them.
fn batches(rows: i64, up: bool) -> (Arc<Schema>, Vec<RecordBatch>) {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Arc::new(Schema::new(vec![
        Field::new("number", DataType::Int64, true),
        Field::new("word", DataType::Utf8, true),
        Field::new("kind", dictionary, true),
    ]));
    let numbers: Vec<i64> = if up { (0..rows).collect() } else { (0..rows).rev().collect() };
    let all = numbers.chunks(1000).map(|part| {
        let words: StringArray = part.iter().map(|n| (n % 3 != 0).then(|| n.to_string())).collect();
        let kinds: DictionaryArray<Int32Type> = part.iter().map(|n| ["even", "odd"][(n % 2) as usize]).collect();
        let numbers = Int64Array::from(part.to_vec());
        RecordBatch::try_new(schema.clone(), vec![Arc::new(numbers), Arc::new(words), Arc::new(kinds)]).unwrap()
    });
    (schema.clone(), all.collect())
}

fn stream(rows: i64, up: bool, fails: bool) -> FFI_ArrowArrayStream {
    let (schema, all) = batches(rows, up);
    let last = fails.then(|| Err(ArrowError::ComputeError("the cable was pulled".into())));
    let reader = RecordBatchIterator::new(all.into_iter().map(Ok).chain(last), schema);
    FFI_ArrowArrayStream::new(Box::new(reader) as Box<dyn RecordBatchReader + Send>)
}

/// Requires that row i has the number i / copies.
fn require_rows(out: FFI_ArrowArrayStream, rows: i64, copies: i64) {
    let mut row = 0;
    for batch in RecordBatchStreamReader::try_new(out).unwrap() {
        let batch = batch.unwrap();
        for column in batch.columns() {
            column.to_data().validate_full().unwrap();
        }
        let numbers = batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
        let words = batch.column(1).as_any().downcast_ref::<StringArray>().unwrap();
        let kinds = batch.column(2).as_any().downcast_ref::<DictionaryArray<Int32Type>>().unwrap();
        let kinds = kinds.downcast_dict::<StringArray>().unwrap();
        for (i, kind) in kinds.into_iter().enumerate() {
            let want = row / copies;
            assert_eq!(numbers.value(i), want);
            assert_eq!(words.is_null(i), want % 3 == 0);
            assert!(words.is_null(i) || words.value(i) == want.to_string());
            assert_eq!(kind, Some(["even", "odd"][(want % 2) as usize]));
            row += 1;
        }
    }
    assert_eq!(row, rows);
}

fn main() {
    let path = CString::new("number").unwrap();
    let key = Key { path: path.as_ptr(), column: 0, descending: 0, nulls_first: 0 };
    let nothing = Key { path: c"nothing".as_ptr(), ..key };
    let none = std::ptr::null();
    unsafe {
        let (mut input, mut data, mut sorted) = (stream(10_000, false, false), Data(0), Data(0));
        call(|e| arrowsort_import_stream(&mut input, &mut data.0, e)).unwrap();
        call(|e| arrowsort_sort(data.0, &key, 1, none, &mut sorted.0, e)).unwrap();
        let mut out = FFI_ArrowArrayStream::empty();
        call(|e| arrowsort_export_stream(sorted.0, &mut out, e)).unwrap();
        require_rows(out, 10_000, 1);

        let mut indices = Data(0);
        call(|e| arrowsort_sort_indices(data.0, &key, 1, 64, none, &mut indices.0, e)).unwrap();
        let (mut array, mut schema) = (FFI_ArrowArray::empty(), FFI_ArrowSchema::empty());
        call(|e| arrowsort_export_array(indices.0, &mut array, &mut schema, e)).unwrap();
        let rows = UInt64Array::from(from_ffi(array, &schema).unwrap());
        assert_eq!((rows.value(0), rows.value(9_999)), (9_999, 0));

        let failed = call(|e| arrowsort_sort(data.0, &nothing, 1, none, &mut sorted.0, e)).unwrap_err();
        assert!(failed.starts_with("ErrColumn: "), "{failed}");
        let failed = call(|e| arrowsort_import_stream(&mut stream(10, true, true), &mut data.0, e)).unwrap_err();
        assert!(failed.starts_with("ErrStream: ") && failed.contains("the cable was pulled"), "{failed}");

        let (mut first, mut second) = (stream(5_000, true, false), stream(5_000, true, false));
        let both = [&mut first as *mut _, &mut second as *mut _];
        let mut out = FFI_ArrowArrayStream::empty();
        call(|e| arrowsort_merge_streams(both.as_ptr(), 2, &key, 1, none, &mut out, e)).unwrap();
        require_rows(out, 10_000, 2);
    }
    assert_eq!(unsafe { arrowsort_allocated() }, 0);
}
