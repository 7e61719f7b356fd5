// XState: one machine per declared machine, one actor per instance; a wildcard catches what the state does not know.
//
//     node peer_xstate.mjs tables.json avatar.jsonl FOLDER    node_modules lies in FOLDER

import { createReadStream, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.argv[4] + "/"));
const { createActor, createMachine } = require("xstate");

const tables = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const began = performance.now();
const beganCpu = process.cpuUsage();

let wasIllegal = false;
const noteIllegal = () => {
  wasIllegal = true;
};

const machines = {};
for (const [name, table] of Object.entries(tables)) {
  const states = Object.fromEntries(
    table.states.map((state) => [state, { on: { "*": { actions: noteIllegal } } }]),
  );
  for (const [source, event, target] of table.moves) {
    states[source].on[event] = source === target ? { actions: [] } : { target };
  }
  machines[name] = createMachine({ id: name, initial: table.initial, states });
}

const actors = new Map();
const illegal = new Set();
for await (const text of createInterface({ input: createReadStream(process.argv[3]), crlfDelay: Infinity })) {
  const line = JSON.parse(text);
  if (line.machine === undefined) continue;
  const key = tables[line.machine].keys[0];
  const instance = `${line.session} ${line.machine} ${key === undefined ? "" : line[key]}`;
  let actor = actors.get(instance);
  if (actor === undefined) {
    actor = createActor(machines[line.machine]);
    actor.start();
    actors.set(instance, actor);
  }
  wasIllegal = false;
  actor.send({ type: line.event });
  if (wasIllegal) illegal.add(instance);
}

const cpu = process.cpuUsage(beganCpu);
console.log(
  JSON.stringify({
    illegal: illegal.size,
    seconds: (performance.now() - began) / 1000,
    cpu_seconds: (cpu.user + cpu.system) / 1e6,
  }),
);
