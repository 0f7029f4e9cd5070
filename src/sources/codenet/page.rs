//! A judge's problem page → its sections as plain text, and its samples.
//!
//! AtCoder and Aizu mark pages up differently, but both head their sections, and the headings'
//! words decide. What stands in a sample section becomes a sample or nothing: none of it reaches
//! the description. Pages in Japanese and pages without the needed sections are refused here.

mod heading;
mod text;

use scraper::{Html, Node, Selector};

use self::{
    heading::{Kind, kind_of},
    text::TextBuilder,
};
use crate::tables::Reason;

/// From this share of kana and kanji among the letters on, a page is Japanese.
const JAPANESE_SHARE: f64 = 0.1;

/// Fewer letters of description than this beside pictures are no description.
const MIN_LETTERS_BESIDE_IMAGES: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) input_format: String,
    pub(super) output_format: String,
    /// Empty where the page states none apart.
    pub(super) constraints: String,
    pub(super) samples: Vec<Sample>,
}

/// An input and its output, each ending its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) input: String,
    pub(super) output: String,
}

impl Page {
    /// The sections under the headings of PROBE's prompts, and the samples behind them.
    pub(super) fn statement(&self) -> String {
        let sections = [
            ("Problem Description:", &self.description),
            ("Input Format:", &self.input_format),
            ("Output Format:", &self.output_format),
            ("Constraints:", &self.constraints),
        ];
        let mut parts: Vec<String> = sections
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(heading, text)| format!("{heading}\n{text}"))
            .collect();
        for (number, sample) in (1..).zip(&self.samples) {
            parts.push(format!("Sample Input {number}:\n{}", sample.input.trim_end()));
            parts.push(format!("Sample Output {number}:\n{}", sample.output.trim_end()));
        }
        parts.join("\n\n")
    }
}

/// Reads a page, or says why it is none for us.
pub(super) fn read(html: &str) -> Result<Page, (Reason, String)> {
    let sections = sections(&Html::parse_document(html));
    if let Some(share) = japanese_share(&sections).filter(|share| *share >= JAPANESE_SHARE) {
        return Err((Reason::NotEnglish, format!("{:.0} % of the letters are Japanese", share * 100.0)));
    }
    let has_images = sections.iter().any(|section| section.has_image);
    let page = assemble(sections);
    if has_images && page.description.chars().filter(|c| c.is_alphabetic()).count() < MIN_LETTERS_BESIDE_IMAGES {
        return Err((Reason::ImagesOnly, "hardly a word stands beside the pictures".to_owned()));
    }
    let needed = [
        ("problem description", &page.description),
        ("input format", &page.input_format),
        ("output format", &page.output_format),
    ];
    let missing: Vec<&str> = needed.iter().filter(|(_, text)| text.is_empty()).map(|(name, _)| *name).collect();
    if missing.is_empty() { Ok(page) } else { Err((Reason::Insufficient, format!("no {}", missing.join(", no ")))) }
}

/// What stands between two headings.
#[derive(Debug, Default)]
struct Section {
    heading: String,
    level: u8,
    text: String,
    /// The text of its `<pre>` blocks, spacing kept.
    blocks: Vec<String>,
    /// Of the text outside of `<pre>`, for telling the language.
    n_japanese: usize,
    n_latin: usize,
    has_image: bool,
}

/// Cuts the page at its headings; what stands before the first has none. Of a page in two languages
/// only the English part is read.
fn sections(html: &Html) -> Vec<Section> {
    let english = Selector::parse(".lang-en").expect("the selector is constant");
    let root = html.select(&english).next().unwrap_or_else(|| html.root_element());
    let mut reader = Reader::default();
    let mut node = *root;
    loop {
        reader.open(node.value());
        if let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        reader.close(node.value());
        while node.id() != root.id() && node.next_sibling().is_none() {
            node = node.parent().expect("the walk stays below its root");
            reader.close(node.value());
        }
        match node.next_sibling() {
            Some(next) if node.id() != root.id() => node = next,
            _ => return reader.finish(),
        }
    }
}

/// Walks a page. No recursion: pages nest as deeply as they like.
#[derive(Debug, Default)]
struct Reader {
    done: Vec<Section>,
    section: Section,
    text: TextBuilder,
    /// Open elements whose content is not shown.
    n_hidden: usize,
    /// The heading being read.
    heading: Option<TextBuilder>,
}

impl Reader {
    fn builder(&mut self) -> &mut TextBuilder {
        self.heading.as_mut().unwrap_or(&mut self.text)
    }

    fn open(&mut self, node: &Node) {
        match node {
            Node::Text(text) if self.n_hidden == 0 => {
                if !self.text.is_preformatted() {
                    self.section.n_japanese += text.chars().filter(|c| is_japanese(*c)).count();
                    self.section.n_latin += text.chars().filter(char::is_ascii_alphabetic).count();
                }
                self.builder().push(text);
            }
            Node::Element(element) => match element.name() {
                "script" | "style" | "noscript" | "head" => self.n_hidden += 1,
                _ if self.n_hidden > 0 => {}
                "img" => self.section.has_image = true,
                name => match heading_level(name) {
                    Some(level) => self.open_heading(level),
                    None => self.builder().open(name),
                },
            },
            _ => {}
        }
    }

    fn close(&mut self, node: &Node) {
        let Node::Element(element) = node else { return };
        match element.name() {
            "script" | "style" | "noscript" | "head" => self.n_hidden -= 1,
            _ if self.n_hidden > 0 => {}
            "pre" => {
                if let Some(block) = self.text.close_preformatted() {
                    self.section.blocks.push(block);
                }
            }
            name if heading_level(name).is_some() => {
                if let Some(heading) = self.heading.take() {
                    self.section.heading = heading.finish();
                }
            }
            name => self.builder().close(name),
        }
    }

    fn open_heading(&mut self, level: u8) {
        self.end_section();
        self.section.level = level;
        self.heading = Some(TextBuilder::default());
    }

    fn end_section(&mut self) {
        let mut section = std::mem::take(&mut self.section);
        section.text = std::mem::take(&mut self.text).finish();
        self.done.push(section);
    }

    fn finish(mut self) -> Vec<Section> {
        self.end_section();
        self.done
    }
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

fn is_japanese(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Japanese letters among all letters, samples left out. `None` for a page without letters.
fn japanese_share(sections: &[Section]) -> Option<f64> {
    let counted = sections.iter().filter(|section| !kind_of(&section.heading).is_sample());
    let (n_japanese, n_latin) =
        counted.fold((0, 0), |(ja, latin), section| (ja + section.n_japanese, latin + section.n_latin));
    let n_letters = n_japanese + n_latin;
    #[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 letters")]
    (n_letters > 0).then(|| n_japanese as f64 / n_letters as f64)
}

/// Puts each section where its heading says.
fn assemble(sections: Vec<Section>) -> Page {
    let mut page = Page::default();
    let mut samples = Samples::default();
    let mut is_below_input = false;
    // The level of a heading such as "Examples", under which "Input" means a sample's.
    let mut samples_level = None;
    for section in sections {
        let mut kind = kind_of(&section.heading);
        if samples_level.is_some_and(|level| section.level > level) {
            kind = kind.below_samples();
        } else {
            samples_level = (kind == Kind::Samples).then_some(section.level);
        }
        match kind {
            Kind::Description => append(&mut page.description, &section.text),
            Kind::InputFormat => append(&mut page.input_format, &section.text),
            Kind::OutputFormat => append(&mut page.output_format, &section.text),
            Kind::Constraints => append(&mut page.constraints, &section.text),
            Kind::SampleInput => samples.input(&section.blocks),
            Kind::SampleOutput => samples.output(&section.blocks),
            Kind::Samples => samples.both(&section.blocks),
            Kind::Dropped => {}
            Kind::Unknown if page.title.is_none() && page.description.is_empty() => {
                page.title = Some(section.heading.clone()).filter(|title| !title.is_empty());
                append(&mut page.description, &section.text);
            }
            Kind::Unknown if is_below_input => {}
            Kind::Notes | Kind::Unknown => append(&mut page.description, &headed(&section)),
        }
        is_below_input |= kind == Kind::InputFormat;
    }
    page.description = without_score(&page.description);
    page.samples = samples.done;
    page
}

fn headed(section: &Section) -> String {
    match (section.heading.is_empty(), section.text.is_empty()) {
        (_, true) => String::new(),
        (true, false) => section.text.clone(),
        (false, false) => format!("{}:\n{}", section.heading.trim_end_matches(':'), section.text),
    }
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// AtCoder's line of points, which is no part of the problem.
fn without_score(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("Score") && first.ends_with("points") => rest.trim_start().to_owned(),
        _ => text.to_owned(),
    }
}

/// Pairs sample inputs with the outputs that follow them.
#[derive(Debug, Default)]
struct Samples {
    input: Option<String>,
    done: Vec<Sample>,
}

impl Samples {
    /// The first block is the sample; what follows explains it.
    fn input(&mut self, blocks: &[String]) {
        self.input = blocks.first().cloned();
    }

    fn output(&mut self, blocks: &[String]) {
        if let (Some(input), Some(output)) = (self.input.take(), blocks.first()) {
            self.done.push(Sample { input: ended(&input), output: ended(output) });
        }
    }

    /// One section that holds both: a pair if it holds two blocks, else there is no telling.
    fn both(&mut self, blocks: &[String]) {
        if let [input, output] = blocks {
            self.done.push(Sample { input: ended(input), output: ended(output) });
        }
    }
}

/// With its last line ended, as in a judge's file; blank lines around it are the page's.
fn ended(block: &str) -> String {
    let text = block.trim_start_matches('\n').trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The statement of a page, or the reason it has none.
    fn check(html: &str, expected: Result<&str, Reason>) {
        let answer = read(html).map(|page| page.statement()).map_err(|(reason, _)| reason);
        assert_eq!(answer.as_deref(), expected.as_ref().map(|text| *text), "{html}");
    }

    const AIZU: &str = "
<H1>Cubes &amp; Co</H1>

<P>
Write a program that computes
the  cube of <var>x</var>, at most 10<SUP>18</SUP>, for the 2<sup>nd</sup> time.
</P>
<script>MathJax.go('日本語')</script>
<H2>Input</H2>
<pre>
x<sub>1</sub> x<sub>2</sub>
  ...
</pre>
<H2>Output</H2>
<p>Print x<sup>n-1</sup>.<br>Then stop.</p>
<h2>Constraints</h2>
<ul>
<li> 1 &le; <var>x</var> &lt; 10<sup>5</sup></li>
<li> <var>x</var> is odd
</ul>
<H2>Sample Input 1</H2>
<pre>

 3  4
5
</pre>
<p>This explains the sample.</p>
<H2>Output for the Sample Input 1</H2>
<PRE>
27
</PRE>
";

    #[test]
    fn an_aizu_page_becomes_four_sections_and_its_samples() {
        check(
            AIZU,
            Ok(
                "Problem Description:\nWrite a program that computes the cube of x, at most 10^18, for the 2nd time.\n\n\
                Input Format:\nx_1 x_2\n  ...\n\n\
                Output Format:\nPrint x^(n-1).\nThen stop.\n\n\
                Constraints:\n- 1 ≤ x < 10^5\n- x is odd\n\n\
                Sample Input 1:\n 3  4\n5\n\nSample Output 1:\n27",
            ),
        );
        let page = read(AIZU).unwrap();
        assert_eq!(page.title.as_deref(), Some("Cubes & Co"));
        assert_eq!(page.samples, [Sample { input: " 3  4\n5\n".to_owned(), output: "27\n".to_owned() }]);
    }

    #[test]
    fn a_bound_with_a_superscript_five_is_a_power_of_ten_and_samples_keep_their_spacing() {
        let html =
            AIZU.replace("10<sup>5</sup>", "10<SUP> 5 </SUP> and 2×10<sup>5</sup>").replace("27\n", "a   b\n\tc\n");
        let page = read(&html).unwrap();
        assert_eq!(page.constraints.lines().next(), Some("- 1 ≤ x < 10^5 and 2×10^5"));
        assert_eq!(page.samples[0].output, "a   b\n\tc\n");
    }

    #[test]
    fn an_atcoder_page_loses_its_score_and_its_explanations() {
        let html = "<span class=\"lang\"><span class=\"lang-ja\"><p>日本語の問題文です</p></span><span class=\"lang-en\">
            <p>Score : <var>100</var> points</p>
            <div class=\"part\"><section><h3>Problem Statement</h3><p>Sum <var>a_1 \\leq 10^{5}</var>.</p></section></div>
            <div class=\"part\"><section><h3>Constraints</h3><ul><li>All are integers.</li></ul></section></div><hr/>
            <div class=\"io-style\"><section><h3>Input</h3><p>From Standard Input:</p><pre><var>a_1</var> <var>b</var>\n</pre>
            </section><section><h3>Output</h3><p>The sum.</p></section></div><hr/>
            <section><h3>Sample Input 1</h3><pre>1 2\n</pre></section>
            <section><h3>Sample Output 1</h3><pre>3\n</pre><p>Since 1 and 2 are 3.</p><pre>1+2</pre></section></span></span>";
        check(
            html,
            Ok("Problem Description:\nSum a_1 \\leq 10^{5}.\n\nInput Format:\nFrom Standard Input:\n\na_1 b\n\n\
                Output Format:\nThe sum.\n\nConstraints:\n- All are integers.\n\n\
                Sample Input 1:\n1 2\n\nSample Output 1:\n3"),
        );
    }

    #[test]
    fn pages_that_cannot_be_used_have_a_reason() {
        check("", Err(Reason::Insufficient));
        check("<h1>Sum</h1><p>Add.</p><h2>Input</h2><p>Two.</p>", Err(Reason::Insufficient));
        check(
            &AIZU.replace("Write", "整数を読み込み、その三乗を出力するプログラムを作成せよ。"),
            Err(Reason::NotEnglish),
        );
        let pictures = "<h1>See</h1><img src=a><h2>Input</h2><p>a</p><h2>Output</h2><p>b</p>";
        check(pictures, Err(Reason::ImagesOnly));
    }

    #[test]
    fn japanese_in_samples_and_scripts_does_not_count() {
        let page =
            read(&AIZU.replace("5\n</pre>", "整数を読み込み出力せよ整数を読み込み出力せよ整数を読み込み\n</pre>"));
        assert!(page.unwrap().samples[0].input.contains("整数"));
    }

    #[test]
    fn inputs_below_examples_are_samples() {
        let html = "<h1>T</h1><p>Words.</p><h2>Input</h2><p>a</p><h2>Output</h2><p>b</p>\
            <h2>Examples</h2><h3>Input</h3><pre>1</pre><h3>Output</h3><pre>2</pre><h2>Note</h2><p>More words.</p>";
        let page = read(html).unwrap();
        assert_eq!(page.samples, [Sample { input: "1\n".to_owned(), output: "2\n".to_owned() }]);
        assert_eq!((page.input_format.as_str(), page.description.as_str()), ("a", "Words.\n\nNote:\nMore words."));
    }

    #[test]
    fn a_page_may_nest_as_deeply_as_it_likes() {
        let html = format!("{}x{}", "<div><sup>".repeat(20_000), "</sup></div>".repeat(20_000));
        check(&html, Err(Reason::Insufficient));
    }

    proptest::proptest! {
        #[test]
        fn tag_soup_is_read_without_a_panic(
            parts in proptest::collection::vec(
                proptest::sample::select(&[
                    "<pre>", "</pre>", "<h2>Input</h2>", "<h1>", "</h1>", "<sup>", "</sup>", "<script>", "</script>",
                    "<table><tr><td>", "</table>", "5", " ", "\n", "<li>", "&le;", "<h2>Sample Input", "日本", "<img>",
                ][..]),
                0..40,
            )
        ) {
            let _ = read(&parts.concat());
        }
    }

    #[test]
    fn all_real_pages_are_sorted_into_readable_japanese_and_insufficient() {
        let Some(shared) = std::env::var_os("COREBUILD_SHARED") else {
            eprintln!("skipped: COREBUILD_SHARED is not set");
            return;
        };
        let path = std::path::Path::new(&shared).join("data/codenet_mini/problem_descriptions_all_3999.tar.gz");
        let file = fs_err::File::open(path).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
        let (mut n_without_sample, mut n_leaks) = (0, 0);
        for entry in archive.entries().unwrap() {
            let mut html = String::new();
            let mut entry = entry.unwrap();
            if !entry.header().entry_type().is_file() {
                continue;
            }
            std::io::Read::read_to_string(&mut entry, &mut html).unwrap();
            let answer = read(&html);
            let outcome = answer.as_ref().map_or_else(|(reason, _)| reason.name(), |_| "readable");
            if let (Err((reason, detail)), Ok(name)) = (&answer, entry.path()) {
                eprintln!("{} {} {detail}", name.display(), reason.name());
            }
            *counts.entry((outcome, html.contains("lang-en"))).or_default() += 1;
            if let Ok(page) = answer {
                n_without_sample += usize::from(page.samples.is_empty());
                let shown = |text: &str| text.lines().count() > 2 && page.description.contains(text.trim());
                n_leaks += usize::from(page.samples.iter().any(|s| shown(&s.input) || shown(&s.output)));
            }
        }
        eprintln!("by (outcome, is AtCoder's): {counts:?}; {n_without_sample} without sample, {n_leaks} leaks");
        assert_eq!(counts.values().sum::<usize>(), 3999);
        assert!(counts[&("readable", true)] > 1450, "{counts:?}");
        assert!(counts[&("readable", false)] > 900, "{counts:?}");
        assert!(n_leaks < 10, "{n_leaks}");
        assert!((1200..1450).contains(&counts[&("not-english", false)]), "{counts:?}");
    }
}
