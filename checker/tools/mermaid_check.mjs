// Asks Mermaid's own parser about diagrams. Used by checker/tests/graph/test_mermaid.py.
//
//   npm install --prefix DIR mermaid@11 jsdom@26        (jsdom 27 and later need Node 22)
//   node checker/tools/mermaid_check.mjs DIR FILE...
//
// Prints one JSON object a file and line: {"file", "ok", "error", "states", "relations"}, where relations are
// [from, to, label] as the parser saw them. Exits 1 when a file is not accepted.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const require = createRequire(pathToFileURL(resolve(folder, "package.json")));
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("<!DOCTYPE html><body></body>");
globalThis.window = window;
globalThis.document = window.document;
const entry = resolve(folder, "node_modules/mermaid/dist/mermaid.core.mjs");
const { default: mermaid } = await import(pathToFileURL(entry));

let status = 0;
for (const file of files) {
  const text = readFileSync(file, "utf8");
  try {
    await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const { nodes, edges } = db.getData();
    const states = nodes.map((node) => node.id);
    const relations = edges.map((edge) => [edge.start, edge.end, edge.label ?? ""]);
    console.log(JSON.stringify({ file, ok: true, error: null, states, relations }));
  } catch (error) {
    status = 1;
    console.log(JSON.stringify({ file, ok: false, error: String(error), states: [], relations: [] }));
  }
}
process.exit(status);
