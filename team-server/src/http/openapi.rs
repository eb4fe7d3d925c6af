//! The server's description of itself: made from the types it sends and the problems it knows.

use std::collections::BTreeMap;

use team_sync::wire::{
    Capabilities, PATH, Problem, Put, PutDone, SecretFound, Snapshot, Tombstone,
};
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Schema,
    Type,
};
use utoipa::{Modify, OpenApi};

use super::problem::{self, Call, ProblemKind};
use super::{get, metrics, past, put};
use crate::store::Revision;

/// The OpenAPI description of the server, as JSON with a line end.
///
/// The committed `openapi.json` is this text; a test compares them.
///
/// ```
/// let text = memstrata_server::openapi();
/// assert!(text.contains("/api/claude_code/team_memory/history"));
/// ```
///
/// # Panics
///
/// Never: all names are text.
pub fn openapi() -> String {
    let mut text = Document::openapi()
        .to_pretty_json()
        .expect("JSON because all names are text and all values are of this program");
    text.push('\n');
    text
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "memstrata team memory",
        version = "1",
        description = "Keeps the memories of a team. docs/PROTOCOL.md says what clients may rely on.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        get::get,
        put::put,
        put::patch,
        past::history,
        past::blob,
        past::restore,
        super::health,
        super::ready,
        metrics::show
    ),
    components(schemas(
        Capabilities, Problem, Put, PutDone, Revision, SecretFound, Snapshot, Tombstone, past::History, past::Wish
    )),
    modifiers(&Required, &Problems, &Bearer)
)]
struct Document;

/// What is always sent. The types can be read without it, as a peer may leave out anything.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Snapshot", &["repo", "version", "updated_at", "checksums"]),
    ("PutDone", &["version", "checksums"]),
    ("Problem", &["type", "title", "status", "detail", "code"]),
    ("Capabilities", &["features"]),
];

struct Required;

impl Modify for Required {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let Some(components) = &mut document.components else {
            return;
        };
        for (name, fields) in REQUIRED {
            if let Some(RefOr::T(Schema::Object(schema))) = components.schemas.get_mut(*name) {
                schema.required = fields.iter().map(|&field| field.to_owned()).collect();
            }
        }
    }
}

/// The answers that refuse, from the one list of them.
struct Problems;

impl Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        if let Some(components) = &mut document.components
            && let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem")
        {
            let codes = problem::ALL.iter().map(|kind| kind.code.to_owned());
            let schema = ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(
                    "A stable name. Clients take one they do not know by its status.",
                ))
                .enum_values(Some(codes));
            problem.properties.insert("code".into(), schema.into());
        }
        for (path, item) in &mut document.paths.paths {
            let operations = [
                (&mut item.get, get_call(path)),
                (&mut item.put, Some(Call::Put)),
                (&mut item.patch, Some(Call::Put)),
                (&mut item.post, Some(Call::Restore)),
            ];
            for (operation, call) in operations {
                if let (Some(operation), Some(call)) = (operation, call) {
                    add_problems(operation, call);
                }
            }
        }
    }
}

/// Which call a `GET` of this path is; `None` for those that are not about memories.
fn get_call(path: &str) -> Option<Call> {
    match path.strip_prefix(PATH)? {
        "" => Some(Call::Get),
        "/history" => Some(Call::History),
        _ => Some(Call::Blob),
    }
}

fn add_problems(operation: &mut Operation, call: Call) {
    let mut by_status: BTreeMap<u16, Vec<&ProblemKind>> = BTreeMap::new();
    for kind in problem::ALL
        .iter()
        .filter(|kind| kind.calls.contains(&call))
    {
        by_status.entry(kind.status).or_default().push(kind);
    }
    for (status, kinds) in by_status {
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_string(), RefOr::T(refusal(status, &kinds)));
    }
}

fn refusal(status: u16, kinds: &[&ProblemKind]) -> Response {
    let lines = kinds
        .iter()
        .map(|kind| format!("`{}`: {}", kind.code, kind.meaning));
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
    let mut response = ResponseBuilder::new()
        .description(lines.collect::<Vec<_>>().join("\n"))
        .content("application/problem+json", body.build());
    let header = |kind, text: &str| {
        let schema = ObjectBuilder::new().schema_type(kind);
        HeaderBuilder::new()
            .schema(Some(schema))
            .description(Some(text))
            .build()
    };
    if matches!(status, 429 | 503) {
        response = response.header("Retry-After", header(Type::Integer, "Seconds to wait."));
    }
    if status == 412 {
        response = response.header("ETag", header(Type::String, "The state now."));
    }
    response.build()
}

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token of `memstrata-server token add`."));
        if let Some(components) = &mut document.components {
            components.add_security_scheme("bearer", SecurityScheme::Http(scheme.build()));
        }
        for (path, item) in &mut document.paths.paths {
            let open = !path.starts_with(PATH);
            let operations = [
                &mut item.get,
                &mut item.put,
                &mut item.patch,
                &mut item.post,
            ];
            for operation in operations.into_iter().flatten() {
                let none: Option<Vec<SecurityRequirement>> = None;
                let bearer = SecurityRequirement::new("bearer", Vec::<String>::new());
                operation.security = if open { none } else { Some(vec![bearer]) };
            }
        }
    }
}
