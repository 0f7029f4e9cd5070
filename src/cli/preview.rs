//! `corebuild preview STAGE`: the prompts of real rows, their size and price, and, when told to call,
//! what comes back and what is read out of it.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    exit_code::{ExitCode, Incomplete},
    languages::Language,
    llm::{Llm, Reply, Request, spending, tokens},
    pipeline::Stage,
    prompts::{Prompt, ReplyFormat},
    reply::Reject,
    stages::{self, Context},
};

pub(super) fn run(ctx: &Context, stage: Stage, n: usize, call: bool, json: bool) -> Result<ExitCode> {
    let Some(mut requests) = stages::requests(ctx, stage)? else {
        let error = Incomplete::new(format!("`{}` has no rows to show yet", stage.name()));
        return Err(error.hint(format!("corebuild cut {}, or name a stage that asks models", ctx.config.name)).into());
    };
    requests.truncate(n);
    let replies =
        if call { ask(ctx, stage, &requests)?.into_iter().map(Some).collect() } else { vec![None; requests.len()] };
    let mut shown = Vec::new();
    for (request, reply) in requests.iter().zip(&replies) {
        shown.push(show(ctx, request, reply.as_ref())?);
    }
    ctx.console.data(&if json { serde_json::to_string(&json!({"rows": shown}))? } else { text(&shown) });
    Ok(ExitCode::Done)
}

/// Through the journal: what is asked here is not asked again by the stage.
fn ask(ctx: &Context, stage: Stage, requests: &[Request]) -> Result<Vec<Reply>> {
    let mut models: Vec<&str> = requests.iter().map(|request| request.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let providers = (ctx.open_providers)(ctx.config, &models)?;
    let llm = Llm::open(&ctx.store.llm_journal_dir(), stage.name(), providers, ctx.interrupted)?;
    llm.complete_all(requests, ctx.n_workers, &|| ())
}

fn show(ctx: &Context, request: &Request, reply: Option<&Reply>) -> Result<Value> {
    let price = ctx.config.model(&request.model).price.as_ref();
    let n_tokens = tokens::input_tokens(request);
    let mut row = json!({"row_id": request.row_id, "model": request.model, "prompt": request.prompt,
        "key": request.key(), "messages": request.messages, "sampling": request.sampling, "input_tokens": n_tokens,
        "dollars_at_most": price.map(|price| price.at_most(request, false))});
    if let Some(reply) = reply {
        let parsed = match parsed(ctx, reply)? {
            Ok(value) => value,
            Err(Reject { reason, detail }) => json!({"rejected": reason.name(), "detail": detail}),
        };
        row["reply"] = json!({"text": reply.text, "finish_reason": reply.finish_reason, "usage": reply.usage,
            "dollars": spending::cost(price, reply), "parsed": parsed});
    }
    Ok(row)
}

fn parsed(ctx: &Context, reply: &Reply) -> Result<Result<Value, Reject>> {
    let request = &reply.request;
    let prompt = Prompt::load(&ctx.store.root, &request.stage, &request.prompt)?;
    Ok(match prompt.reply {
        ReplyFormat::Json => reply.json(prompt.reply_schema()?),
        ReplyFormat::Text => reply.plain_text().map(Value::from),
        ReplyFormat::Code => {
            // A solution's id names its language between underscores.
            let names = |language: &Language| request.row_id.contains(&format!("_{}_", language.name()));
            let language = Language::ALL.into_iter().find(names).unwrap_or(Language::Python);
            reply.code(language).map(Value::from)
        }
    })
}

fn text(shown: &[Value]) -> String {
    let mut text = String::new();
    for row in shown {
        let field = |name: &str| row[name].as_str().unwrap_or_default();
        let price = row["dollars_at_most"].as_f64().map_or(String::new(), |dollars| format!(", ${dollars:.4} at most"));
        let _ = writeln!(
            text,
            "━━ {} · model {} · prompt {} · {} tokens in{price}\n   key {}\n   {}",
            field("row_id"),
            field("model"),
            field("prompt"),
            row["input_tokens"],
            field("key"),
            row["sampling"]
        );
        for message in row["messages"].as_array().into_iter().flatten() {
            let part = |name: &str| message[name].as_str().unwrap_or_default();
            let _ = writeln!(text, "── {}\n{}", part("role"), part("content"));
        }
        if !row["reply"].is_null() {
            let reply = &row["reply"];
            let _ =
                writeln!(text, "── reply ({})\n{}", reply["finish_reason"], reply["text"].as_str().unwrap_or_default());
            let parsed = reply["parsed"].as_str().map_or_else(|| format!("{:#}", reply["parsed"]), str::to_owned);
            let _ = writeln!(text, "── read as\n{parsed}");
        }
    }
    text.trim_end().to_owned()
}
