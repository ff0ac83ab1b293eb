//! Parquet files.

use std::fs;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{failure, folder_with, run, table};

/// The rows of a CSV file with the columns `a`, `b` and `y`, as a Parquet file with another column before them, and the
/// numbers of rows that pandas writes after them.
fn as_parquet(csv: &str) -> Vec<u8> {
    let schema = "message rows { required double id; required double a; required double b; required double y; \
                  required double __index_level_0__; }";
    let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let mut file =
        SerializedFileWriter::new(Vec::new(), Arc::new(parse_message_type(schema).unwrap()), properties).unwrap();
    let rows: Vec<Vec<f64>> =
        csv.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    for rows in rows.chunks(25) {
        let mut group = file.next_row_group().unwrap();
        for column in 0..5 {
            let value = |(place, row): (usize, &Vec<f64>)| match column {
                0 => 7.0,
                4 => place as f64,
                _ => row[column - 1],
            };
            let mut writer = group.next_column().unwrap().unwrap();
            let values: Vec<f64> = rows.iter().enumerate().map(value).collect();
            writer.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
            writer.close().unwrap();
        }
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

#[test]
fn a_parquet_file_gives_the_model_and_the_predictions_of_a_csv_file() {
    let csv = table(60);
    let folder = folder_with(&[("t.csv", csv.as_bytes()), ("t.parquet", &as_parquet(&csv))]);
    for (data, model) in [("t.csv", "csv.srfm"), ("t.parquet --ignore id", "parquet.srfm")] {
        let fit = format!("fit {data} --method harfe --max-features 5 --holdout 0.25 -o {model}");
        let output = run(&folder, &fit);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let [csv, parquet] = ["csv.srfm", "parquet.srfm"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(csv, parquet);
    let [csv, parquet] =
        ["predict csv.srfm t.csv", "predict parquet.srfm t.parquet"].map(|command| run(&folder, command).stdout);
    assert!(!csv.is_empty() && csv == parquet);
}

#[test]
fn damaged_parquet_files_give_one_sentence() {
    let whole = as_parquet(&table(60));
    let mut changed = whole.clone();
    changed[40] ^= 0xff;
    let folder = folder_with(&[("cut.parquet", &whole[..whole.len() - 9]), ("bad.parquet", &changed)]);
    for file in ["cut.parquet", "bad.parquet"] {
        let expected = format!("srfm: {file}: this Parquet file is cut short or damaged; write it again\n");
        assert_eq!(failure(&folder, &format!("fit {file} -o m.srfm")), (1, expected));
    }
    assert!(!folder.path().join("m.srfm").exists());
}
