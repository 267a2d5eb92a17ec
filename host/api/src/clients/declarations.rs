//! Types of the client in JavaScript, for programs in TypeScript.

use super::model::Model;
use super::typescript::{answer_of, item_of, parameters_of, query_of, types_of_document};
use std::fmt::Write as _;

/// What every client has, whatever the operations.
const RUNTIME: &str = include_str!("runtime.d.ts");

/// The whole file.
pub fn declarations(model: &Model) -> String {
    let mut out = RUNTIME.to_owned();
    types_of_document(&mut out, model);
    out.push_str("\n/** Todas as operações. */\nexport declare class Hub extends Base {\n");
    for op in &model.ops {
        let name = op.name();
        let parameters = parameters_of(op, &name, &query_of(op));
        let parameters = parameters.iter().map(|(name, kind, optional)| {
            let mark = if *optional { "?" } else { "" };
            format!("{name}{mark}: {kind}")
        });
        let _infallible = writeln!(
            out,
            "  /** {} {}: {} */\n  {name}({}): Promise<{}>;",
            op.method,
            op.path,
            op.summary.replace("*/", "* /"),
            parameters.collect::<Vec<_>>().join(", "),
            answer_of(op),
        );
        if op.paged() {
            let _infallible = writeln!(
                out,
                "  /** Todos os itens, página por página. */\n  {name}_todos(consulta?: {}, opcoes?: Opcoes): AsyncGenerator<{}>;",
                query_of(op),
                item_of(op),
            );
        }
    }
    out.push_str("}\n");
    out
}
