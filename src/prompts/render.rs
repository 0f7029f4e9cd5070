//! Compiling and rendering, with errors that name file, line, field and row.

use std::collections::BTreeSet;

use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, syntax::SyntaxConfig};
use serde_json::Value;

use super::{Prompt, front_matter::FrontMatter};
use crate::{
    exit_code::ConfigError,
    llm::{Message, Role},
};

/// The line above the text of a message, and its role.
const MARKERS: [(&str, Role); 3] =
    [("=== system ===", Role::System), ("=== user ===", Role::User), ("=== assistant ===", Role::Assistant)];

/// Makes one template of each message part of `text[body..]`.
pub(super) fn compile(
    file: &str,
    text: &str,
    body: usize,
    front_matter: &FrontMatter,
) -> Result<(Environment<'static>, Vec<Role>), ConfigError> {
    let mut environment = environment();
    let parts = split(file, text, body)?;
    let mut used = BTreeSet::new();
    for (n, (_, source)) in parts.iter().enumerate() {
        environment
            .add_template_owned(part_name(n), source.clone())
            .map_err(|error| ConfigError::new(format!("`{file}` line {}: {}", line(&error), sentence(&error))))?;
        let template = environment.get_template(&part_name(n)).expect("just added");
        used.extend(template.undeclared_variables(false));
    }
    check_declared(file, front_matter, &used)?;
    Ok((environment, parts.into_iter().map(|(role, _)| role).collect()))
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the delimiters are Jinja's own"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(true);
    environment.set_formatter(write_value);
    environment.add_filter("json", to_json);
    environment
}

/// Prints a value as it is; what would print as nothing is an error.
fn write_value(out: &mut Output, state: &mut State, value: &minijinja::Value) -> Result<(), Error> {
    let fault = match value.as_str() {
        Some(text) if text.trim().is_empty() => "is empty",
        _ if value.is_none() => "is null",
        _ => return minijinja::escape_formatter(out, state, value),
    };
    Err(Error::new(ErrorKind::InvalidOperation, fault))
}

/// JSON as serde writes it. Jinja's own `tojson` escapes `<` and `'` for HTML, which a model would
/// take for the text.
fn to_json(value: &minijinja::Value) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// The parts with as many line ends before each as stand before it in the file, so that Jinja counts
/// lines as the file does.
fn split(file: &str, text: &str, body: usize) -> Result<Vec<(Role, String)>, ConfigError> {
    let mut parts: Vec<(Role, String)> = Vec::new();
    let first_line = text[..body].lines().count();
    for (n, line) in text[body..].split_inclusive('\n').enumerate() {
        if let Some((_, role)) = MARKERS.into_iter().find(|(marker, _)| line.trim_end() == *marker) {
            parts.push((role, "\n".repeat(first_line + n + 1)));
        } else if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
        } else if !line.trim().is_empty() {
            let number = first_line + n + 1;
            return Err(ConfigError::new(format!("`{file}` line {number} stands before the first `=== … ===` line")));
        }
    }
    if !parts.iter().any(|(role, _)| *role == Role::User) {
        return Err(ConfigError::new(format!("`{file}` has no `=== user ===` part")));
    }
    Ok(parts)
}

fn check_declared(file: &str, front_matter: &FrontMatter, used: &BTreeSet<String>) -> Result<(), ConfigError> {
    let declared: BTreeSet<String> = front_matter.variables.iter().chain(&front_matter.optional).cloned().collect();
    let list = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let undeclared = list(used.difference(&declared).collect());
    if !undeclared.is_empty() {
        return Err(ConfigError::new(format!("`{file}` uses variables that it does not declare: {undeclared}")));
    }
    let unused = list(declared.difference(used).collect());
    if !unused.is_empty() {
        return Err(ConfigError::new(format!("`{file}` declares variables that it does not use: {unused}")));
    }
    Ok(())
}

pub(super) fn render(prompt: &Prompt, row_id: &str, variables: &Value) -> Result<Vec<Message>, ConfigError> {
    let variables = complete(prompt, row_id, variables)?;
    prompt
        .parts
        .iter()
        .enumerate()
        .map(|(n, role)| Ok(Message { role: *role, content: render_part(prompt, row_id, n, &variables)? }))
        .collect()
}

/// The variables with absent optional ones made null; an error where a required one is missing,
/// before the template gets a chance to loop over nothing.
fn complete(prompt: &Prompt, row_id: &str, variables: &Value) -> Result<Value, ConfigError> {
    let Value::Object(given) = variables else {
        return Err(ConfigError::new(format!("`{}` row `{row_id}`: the variables are not an object", prompt.file)));
    };
    let (required, optional) = (&prompt.front_matter.variables, &prompt.front_matter.optional);
    if let Some(unknown) = given.keys().find(|name| !required.contains(name) && !optional.contains(name)) {
        return Err(ConfigError::new(format!("`{}` row `{row_id}` gives the unknown field `{unknown}`", prompt.file)));
    }
    for name in required {
        let fault = match given.get(name) {
            None => "is absent",
            Some(Value::Null) => "is null",
            Some(value) if is_empty(value) => "is empty",
            Some(_) => continue,
        };
        return Err(fault_at(prompt, first_use(prompt, name), name, row_id, fault));
    }
    let mut complete = given.clone();
    for name in optional {
        let value = complete.entry(name.as_str()).or_insert(Value::Null);
        if is_empty(value) {
            *value = Value::Null;
        }
    }
    Ok(Value::Object(complete))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn render_part(prompt: &Prompt, row_id: &str, n: usize, variables: &Value) -> Result<String, ConfigError> {
    let template = prompt.environment.get_template(&part_name(n)).expect("every part was compiled");
    let text = template.render(minijinja::value::Serde(variables)).map_err(|error| {
        let field = error
            .template_source()
            .zip(error.range())
            .and_then(|(source, range)| source.get(range))
            .map_or("?", |field| field.trim_start_matches("{{").trim_end_matches("}}").trim());
        let fault = match error.kind() {
            ErrorKind::UndefinedError => "is absent".to_owned(),
            _ => error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
        };
        fault_at(prompt, line(&error), field, row_id, &fault)
    })?;
    Ok(text.trim_start_matches('\n').trim_end_matches('\n').to_owned())
}

fn fault_at(prompt: &Prompt, line: usize, field: &str, row_id: &str, fault: &str) -> ConfigError {
    ConfigError::new(format!("`{}` line {line}: field `{field}` of row `{row_id}` {fault}", prompt.file))
        .hint("see the row in the stage's input table")
}

/// The line of the file whose tag uses a variable first.
fn first_use(prompt: &Prompt, name: &str) -> usize {
    let uses = |line: &str| {
        (line.contains("{{") || line.contains("{%"))
            && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    prompt.text.lines().position(uses).map_or(1, |n| n + 1)
}

fn part_name(n: usize) -> String {
    format!("part {n}")
}

fn sentence(error: &Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()))
}

fn line(error: &Error) -> usize {
    error.line().unwrap_or(0)
}
