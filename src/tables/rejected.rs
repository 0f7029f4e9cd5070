//! `rejected.jsonl`, beside every stage's tables: which input did not become output, and why.

use serde::{Deserialize, Serialize};

use crate::ids;

/// A row that a stage did not make, so that nothing vanishes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejected {
    /// The key that the row would have had, or the key of the input it came from.
    pub key: String,
    pub reason: Reason,
    pub detail: String,
}

impl Rejected {
    /// Sort order in the file.
    #[must_use]
    pub fn sort_key(&self) -> String {
        ids::join(&[&self.key, self.reason.name()])
    }
}

macro_rules! reasons {
    ($($variant:ident $name:literal $what:literal,)*) => {
        /// Why a row was rejected. The texts are stable: scripts match on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Reason {
            $(#[doc = $what] #[serde(rename = $name)] $variant,)*
        }

        impl Reason {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The kebab-case text that stands in `rejected.jsonl` and receipts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// One sentence for a person.
            #[must_use]
            pub fn describe(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

reasons! {
    // pull
    OutOfWindow "out-of-window" "The problem's date lies outside the release's window.",
    Excluded "excluded" "The problem stands on the exclusion list of `pipeline.toml`.",
    NoTests "no-tests" "The source gives no test for the problem.",
    UndecodableTests "undecodable-tests" "The source's tests do not decode.",
    BadRecord "bad-record" "The record does not fit the source's schema.",
    DuplicateProblem "duplicate-problem" "The source holds the problem's id twice.",
    ImagesOnly "images-only" "The statement rests on pictures.",
    NotEnglish "not-english" "The statement is not in English.",
    Insufficient "insufficient-page" "The page does not hold the sections that a statement needs.",
    NoPage "no-page" "The source has no page for the problem.",
    NotAccepted "not-accepted" "The judge did not accept the submission.",
    UnsupportedLanguage "unsupported-language" "The submission's language is not one of ours.",
    UndecodableSource "undecodable-source" "The submission's text is in no known encoding.",
    EmptySource "empty-source" "The submission is empty.",
    MissingSource "missing-source" "The submission's file is not in the snapshot.",
    OverSampleLimit "over-sample-limit" "Enough references were drawn for the problem and language.",
    ProblemRejected "problem-rejected" "The problem that the row belongs to was rejected.",
    // replies
    NoCodeBlock "no-code-block" "The reply holds no program.",
    EmptyCode "empty-code" "The reply's program is empty.",
    TruncatedReply "truncated-reply" "The reply was cut at the token limit.",
    Refusal "refusal" "The model refused.",
    UnclosedBlock "unclosed-block" "The reply's code block is never closed and its end cannot be told.",
    NotJson "not-json" "The reply holds no JSON value.",
    OffSchema "off-schema" "The reply's JSON does not fit the prompt's reply schema.",
    // rewrite
    LostNumber "lost-number" "The rewrite lost a number of the original's constraints.",
    KeptName "kept-name" "The rewrite keeps a proper name of the original.",
    BadStarterCode "bad-starter-code" "The rewritten starter code does not parse, or its signature changed shape.",
    TestCountChanged "test-count-changed" "The rewrite has another number of tests.",
    TestShapeChanged "test-shape-changed" "A rewritten test has another shape than its original.",
    Unchanged "unchanged" "The rewrite is the original.",
    // abbreviate, negatives, queries
    TooShort "too-short" "The text has too few words.",
    TooLong "too-long" "The text has too many words.",
    TooSimilar "too-similar" "The text is nearly the one it must differ from.",
    MentionsOriginal "mentions-original" "The text speaks of an original problem.",
    LeaksId "leaks-id" "The query contains a problem's id.",
    TitleVerbatim "title-verbatim" "The query is the problem's title.",
    SharesNoWords "shares-no-words" "The query shares no content word with its statement.",
    DuplicateQuery "duplicate-query" "Another problem has the same query.",
    NoPassingSolution "no-passing-solution" "No solution of the problem passed its tests.",
    // tests, execute, references, difficulty
    TooFewTests "too-few-tests" "The problem ends with fewer tests than the minimum.",
    DuplicateTest "duplicate-test" "The test's input equals an earlier one's.",
    ReferencesDisagree "references-disagree" "The references do not agree on the output.",
    TooFewReferences "too-few-references" "Fewer references than the rule needs.",
    NeedsRewrite "needs-rewrite" "The test depends on the story and has no rewritten form.",
    ComplexityOutlier "complexity-outlier" "The program's complexity lies above mean + 3 sigma of its problem and language.",
    FailedTests "failed-tests" "The program fails the tests at hand.",
    Unparsable "unparsable" "The program does not parse, so its metrics are undefined.",
    InternalError "internal-error" "The harness failed, so there is no verdict.",
    // qrels
    NoDocument "no-document" "The row has no text that could be a document.",
    DuplicateDocument "duplicate-document" "Another document has the very same text.",
    ContradictoryLabel "contradictory-label" "The same text would be a positive and a hard negative.",
    NoPositive "no-positive" "The query would have no positive document.",
    NoAnchor "no-anchor" "No passing program is left that is not the anchor of such a query already.",
    NoPartner "no-partner" "No other problem has a text to pair the program with.",
    NamesLanguage "names-language" "The search query names a programming language.",
    OverQueryLimit "over-query-limit" "Enough search queries were drawn for the block.",
    // reviews
    ReviewPending "review-pending" "The stage asks for a review and nobody has decided.",
    ReviewRejected "review-rejected" "A reviewer rejected the row.",
}
