//! `problem_list.csv` and `metadata/pNNNNN.csv`: what CodeNet says of problems and submissions.
//!
//! Columns are found by name; CR LF, empty dates and blank fields are let be, negative times are no
//! times. A row that cannot be read is told with its line, and costs itself only.

use csv::{ByteRecord, ReaderBuilder};

use super::tree::{is_problem_id, is_submission_id};
use crate::languages::Language;

/// A row of `problem_list.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedProblem {
    pub(super) problem_id: String,
    pub(super) name: String,
    pub(super) platform: String,
    pub(super) time_limit_ms: Option<u64>,
    pub(super) memory_limit_kib: Option<u64>,
}

/// A row of `metadata/pNNNNN.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "an id is called by its row everywhere")]
pub(super) struct Submission {
    pub(super) submission_id: String,
    /// Seconds since 1970.
    pub(super) date: Option<i64>,
    /// As the directory of its file is named.
    pub(super) language: String,
    pub(super) original_language: String,
    pub(super) extension: String,
    pub(super) status: String,
    pub(super) cpu_time_ms: Option<u64>,
    pub(super) memory_kib: Option<u64>,
}

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadRow {
    pub(super) line: u64,
    pub(super) detail: String,
}

/// `Err` inside: one row; outside: the file has no such table.
type Rows<T> = Result<Vec<Result<T, BadRow>>, String>;

pub(super) fn read_problem_list(bytes: &[u8]) -> Rows<ListedProblem> {
    rows(bytes, ["id", "name", "dataset", "time_limit", "memory_limit"], |[id, name, dataset, time, memory]| {
        if !is_problem_id(id) {
            return Err(format!("`{id}` is not a problem id such as p00001"));
        }
        let platform = match dataset.to_ascii_lowercase() {
            platform if ["aizu", "atcoder"].contains(&platform.as_str()) => platform,
            _ => return Err(format!("unknown dataset `{dataset}` (known: AIZU, AtCoder)")),
        };
        Ok(ListedProblem {
            problem_id: id.to_owned(),
            name: name.to_owned(),
            platform,
            time_limit_ms: time.parse().ok(),
            memory_limit_kib: memory.parse().ok(),
        })
    })
}

pub(super) fn read_submissions(problem_id: &str, bytes: &[u8]) -> Rows<Submission> {
    let columns = [
        "submission_id",
        "problem_id",
        "date",
        "language",
        "original_language",
        "filename_ext",
        "status",
        "cpu_time",
        "memory",
    ];
    rows(bytes, columns, |[id, problem, date, language, original_language, extension, status, cpu_time, memory]| {
        if !is_submission_id(id) {
            return Err(format!("`{id}` is not a submission id such as s000000001"));
        }
        if problem != problem_id {
            return Err(format!("`{id}` names the problem `{problem}` in the table of `{problem_id}`"));
        }
        if !extension.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(format!("`{extension}` of `{id}` is not a file extension"));
        }
        Ok(Submission {
            submission_id: id.to_owned(),
            date: parse_date(date)?,
            language: language.to_owned(),
            original_language: original_language.to_owned(),
            extension: extension.to_owned(),
            status: status.to_owned(),
            cpu_time_ms: cpu_time.parse().ok(),
            memory_kib: memory.parse().ok(),
        })
    })
}

/// Some of a table's columns, row by row.
fn rows<const N: usize, T>(bytes: &[u8], columns: [&str; N], read: impl Fn([&str; N]) -> Result<T, String>) -> Rows<T> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(bytes);
    let header = reader.byte_headers().map_err(|error| error.to_string())?.clone();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = header
            .iter()
            .position(|name| name.trim_ascii() == column.as_bytes())
            .ok_or_else(|| format!("there is no column `{column}`"))?;
    }
    let mut found = Vec::new();
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(|error| error.to_string())? {
        let line = record.position().map_or(0, csv::Position::line);
        let row = if record.len() == header.len() {
            fields(&record, places).and_then(&read)
        } else {
            Err(format!("{} fields where the header has {}", record.len(), header.len()))
        };
        found.push(row.map_err(|detail| BadRow { line, detail }));
    }
    Ok(found)
}

fn fields<const N: usize>(record: &ByteRecord, places: [usize; N]) -> Result<[&str; N], String> {
    let mut fields = [""; N];
    for (field, place) in fields.iter_mut().zip(places) {
        let bytes = record[place].trim_ascii();
        *field = std::str::from_utf8(bytes).map_err(|_| format!("field {} is not UTF-8", place + 1))?;
    }
    Ok(fields)
}

/// Blank is no date.
fn parse_date(text: &str) -> Result<Option<i64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("date `{text}` is not in seconds since 1970"))
}

/// Our language of one of CodeNet's. `C++` is a directory's literal name.
pub(super) fn language(name: &str) -> Option<Language> {
    match name {
        "C" => Some(Language::C),
        "C++" => Some(Language::Cpp),
        "Go" => Some(Language::Go),
        "Java" => Some(Language::Java),
        "Python" => Some(Language::Python),
        "Ruby" => Some(Language::Ruby),
        _ => None,
    }
}

/// `YYYY-MM-DDTHH:MM:SS` (UTC) of seconds since 1970.
pub(super) fn iso_date_time(seconds: i64) -> String {
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days of a 400-year era that starts on 1 March, so that the leap day comes last.
    let (era, day_of_era) = ((days + 719_468).div_euclid(146_097), (days + 719_468).rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "submission_id,problem_id,user_id,date,language,original_language,filename_ext,status,cpu_time,memory,code_size,accuracy";

    #[test]
    fn odd_but_real_rows_are_read() {
        let text = format!(
            "{HEADER}\r\ns000000001,p00001,u1,1480319506,C++,C++14 (GCC),cpp,Accepted,60,15496,219,4/4\r\n\
             s000000002,p00001,,,Python,,py,Runtime Error,-1,,,\r\n"
        );
        let rows = read_submissions("p00001", text.as_bytes()).unwrap();
        let [Ok(first), Ok(second)] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((first.date, first.cpu_time_ms, first.memory_kib), (Some(1_480_319_506), Some(60), Some(15_496)));
        assert_eq!(first.original_language, "C++14 (GCC)");
        assert_eq!((second.date, second.cpu_time_ms, second.memory_kib), (None, None, None));
    }

    #[test]
    fn a_bad_row_is_told_with_its_line_and_costs_itself_only() {
        let rows_of = |row: &str| {
            let text = format!("{HEADER}\n{row}\ns000000002,p00001,,,Python,,py,Accepted,,,,\n");
            read_submissions("p00001", text.as_bytes()).unwrap()
        };
        let cases = [
            ("s1,p00001,,,Python", "5 fields where the header has 12"),
            ("../s1,p00001,,,Python,,py,Accepted,,,,", "is not a submission id"),
            ("s1,p00002,,,Python,,py,Accepted,,,,", "names the problem `p00002`"),
            ("s1,p00001,,,Python,,../py,Accepted,,,,", "is not a file extension"),
            ("s1,p00001,,yesterday,Python,,py,Accepted,,,,", "is not in seconds"),
        ];
        for (row, part) in cases {
            let rows = rows_of(row);
            let error = rows[0].clone().unwrap_err();
            assert!(error.line == 2 && error.detail.contains(part), "{error:?}");
            assert!(rows[1].is_ok());
        }
    }

    #[test]
    fn a_problem_list_without_limits_or_names_is_read() {
        let text = "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n\
                    p00001,\"Cubes, and more\",AIZU,1000,131072,,,\np02478,,AIZU,,,,,\np3,x,Moon,,,,,\n";
        let rows = read_problem_list(text.as_bytes()).unwrap();
        assert_eq!(rows[0].as_ref().unwrap().name, "Cubes, and more");
        assert_eq!(rows[1].as_ref().unwrap().time_limit_ms, None);
        assert!(rows[2].as_ref().unwrap_err().detail.contains("unknown dataset `Moon`"));
        assert!(read_problem_list(b"id,name\n").unwrap_err().contains("`dataset`"));
    }

    #[test]
    fn seconds_become_dates_of_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00"),
            (-1, "1969-12-31T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"),
            (1_480_319_506, "2016-11-28T07:51:46"),
            (1_709_251_199, "2024-02-29T23:59:59"),
            (4_107_542_400, "2100-03-01T00:00:00"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(iso_date_time(seconds), expected);
        }
    }
}
