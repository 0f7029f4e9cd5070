//! HTML text nodes and tags → plain text: blanks collapse outside of `<pre>`, blocks get lines, and
//! raised and lowered characters stay what they are (`10^5`, not `105`).

#[derive(Debug, Default)]
pub(super) struct TextBuilder {
    text: String,
    /// Where the open `<pre>` begins.
    preformatted_from: Option<usize>,
    /// Where open `<sup>` and `<sub>` begin.
    marks: Vec<usize>,
    has_pending_blank: bool,
}

impl TextBuilder {
    pub(super) fn is_preformatted(&self) -> bool {
        self.preformatted_from.is_some()
    }

    pub(super) fn push(&mut self, text: &str) {
        if self.is_preformatted() {
            self.text.push_str(text);
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                self.has_pending_blank = true;
            } else {
                self.write_blank();
                self.text.push(c);
            }
        }
    }

    pub(super) fn open(&mut self, name: &str) {
        match name {
            "br" if self.is_preformatted() => self.text.push('\n'),
            _ if self.is_preformatted() && !matches!(name, "sup" | "sub") => {}
            "br" => self.end_lines(1),
            "pre" => {
                self.end_lines(2);
                self.preformatted_from = Some(self.text.len());
            }
            "sup" | "sub" => {
                self.write_blank();
                self.marks.push(self.text.len());
            }
            "li" | "dt" | "dd" => {
                self.end_lines(1);
                self.text.push_str("- ");
            }
            "td" | "th" if !self.text.is_empty() && !self.text.ends_with('\n') => {
                self.has_pending_blank = false;
                self.text.push_str(" | ");
            }
            name => self.end_block(name),
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        match name {
            "sup" => self.close_mark('^'),
            "sub" => self.close_mark('_'),
            _ if self.is_preformatted() => {}
            name => self.end_block(name),
        }
    }

    /// Ends a `<pre>` and gives its text.
    pub(super) fn close_preformatted(&mut self) -> Option<String> {
        let block = self.text[self.preformatted_from.take()?..].to_owned();
        self.end_lines(2);
        Some(block)
    }

    pub(super) fn finish(self) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut n_blank = 0;
        for line in self.text.trim().lines().map(str::trim_end) {
            n_blank = if line.is_empty() { n_blank + 1 } else { 0 };
            if n_blank < 2 {
                text.push_str(line);
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn write_blank(&mut self) {
        if std::mem::take(&mut self.has_pending_blank) && !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
            self.text.push(' ');
        }
    }

    fn end_block(&mut self, name: &str) {
        match name {
            "p" | "ul" | "ol" | "dl" | "table" | "section" | "blockquote" | "hr" => self.end_lines(2),
            "div" | "tr" | "center" | "li" | "dt" | "dd" => self.end_lines(1),
            _ => {}
        }
    }

    fn end_lines(&mut self, n_lines: usize) {
        self.has_pending_blank = false;
        if self.text.is_empty() {
            return;
        }
        let n_present = self.text.bytes().rev().take_while(|byte| *byte == b'\n').count();
        self.text.extend(std::iter::repeat_n('\n', n_lines.saturating_sub(n_present)));
    }

    /// `10<sup>5</sup>` → `10^5`, `x<sub>i+1</sub>` → `x_(i+1)`; an ordinal's letters stay as they are.
    fn close_mark(&mut self, mark: char) {
        let Some(start) = self.marks.pop().filter(|start| *start <= self.text.len()) else { return };
        let content = self.text.split_off(start);
        let content = content.trim();
        let is_ordinal = mark == '^' && ["st", "nd", "rd", "th"].contains(&content.to_ascii_lowercase().as_str());
        if content.is_empty() || is_ordinal || content.starts_with(mark) {
            self.text.push_str(content);
        } else if content.chars().all(char::is_alphanumeric) {
            self.text.push(mark);
            self.text.push_str(content);
        } else {
            self.text.extend([mark, '(']);
            self.text.push_str(content);
            self.text.push(')');
        }
    }
}
