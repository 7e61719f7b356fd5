"use strict";
// Filters the findings, and draws one timeline at a time from the JSON in the page. Text is only ever set as text.
(() => {
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const page = JSON.parse($("page-data").textContent);

  function make(name, attributes = {}, text) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function draw(parent, name, attributes = {}, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  // --- filters -------------------------------------------------------------------------------------

  function filterFindings() {
    const form = $("filters");
    if (!form) return;
    form.hidden = false;
    const examples = [...document.querySelectorAll(".example")];
    const textOf = (each) => [each.closest(".group").querySelector("h3"), each.closest(".cause").querySelector("summary"), each].map((part) => part.textContent.toLowerCase()).join(" ");
    const texts = new Map();
    const apply = () => {
      const wanted = Object.fromEntries(new FormData(form));
      const text = (wanted.text || "").trim().toLowerCase();
      let shown = 0;
      if (text && !texts.size) for (const each of examples) texts.set(each, textOf(each));
      for (const each of examples) {
        const fits = ["name", "machine", "owner", "session", "log"].every((key) => !wanted[key] || each.dataset[key] === wanted[key]);
        each.hidden = !(fits && (!text || texts.get(each).includes(text)));
        if (!each.hidden) shown += 1;
      }
      for (const cause of document.querySelectorAll(".cause")) {
        cause.hidden = !cause.querySelector(".example:not([hidden])");
        if (!cause.hidden && shown < examples.length) cause.open = true;
      }
      for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector(".cause:not([hidden])");
      $("shown").textContent = shown === examples.length ? "" : `${shown} of ${examples.length} examples`;
    };
    form.addEventListener("input", apply);
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  // --- words ---------------------------------------------------------------------------------------

  function length(us) {
    const sign = us < 0 ? "-" : "";
    us = Math.abs(us);
    if (us === 0) return "0s";
    const short = (value) => String(Number(value.toFixed(3)));
    if (us < 1e3) return `${sign}${short(us)}us`;
    if (us < 1e6) return `${sign}${short(us / 1e3)}ms`;
    if (us < 60e6) return `${sign}${short(us / 1e6)}s`;
    const seconds = us / 1e6, minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
    const rest = Number((seconds - minutes * 60).toFixed(3));
    return sign + (days ? `${days}d` : "") + (hours % 24 ? `${hours % 24}h` : "") + (minutes % 60 ? `${minutes % 60}m` : "") + (rest ? `${rest}s` : "");
  }
  // Names stand in backticks.
  function words(element, text) {
    let at = 0;
    for (const found of text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs)) {
      const inside = /^ .*`.* $/s.test(found[2]) ? found[2].slice(1, -1) : found[2];
      element.append(text.slice(at, found.index), make("code", {}, inside));
      at = found.index + found[0].length;
    }
    element.append(text.slice(at));
    return element;
  }
  const offset = (line, at) => (line.time ? `+${length(at)}` : `record ${at + 1}`);
  const clock = (line, at) => (line.epoch === null ? "" : new Date((line.epoch + at) / 1e3).toISOString().replace("T", " "));
  const cut = (text, pixels, perCharacter = 6.7) => {
    const room = Math.floor(pixels / perCharacter);
    return text.length <= room ? text : room < 3 ? "" : `${text.slice(0, room - 1)}…`;
  };
  // Of a mark: place, line, item, other log, event, source, target, owner, lanes, text, takers if not all are shown.
  const takers = (mark) => (mark[10].length ? mark[10] : mark[8].map((lane) => line.lanes[lane].title)).join(", ");
  const stateWords = (span) => span[2].join(" or ");

  // --- a session as it was before it was packed: see reports/html_pack.py ---------------------------

  function unpack(packed) {
    const known = [], last = new Map(), exact = (at) => Math.round(at * 1e3) / 1e3;
    const textOf = (row) => {
      if (!Array.isArray(row)) return row;
      const pieces = page.shared.forms[row[0]];
      let text = pieces[0], place = 1, same = 0;
      for (let each = 1; each < pieces.length; each += 1) {
        const before = last.get(pieces[each - 1]) || "";
        let value = before;
        if (same) same -= 1;
        else if (place < row.length) {
          const code = row[place];
          place += 1;
          if (typeof code === "string") {
            value = before.slice(0, parseInt(code[0], 36)) + code.slice(1);
            known.push(value);
          } else if (code < 0) same = -code - 1;
          else value = known[code];
        }
        last.set(pieces[each - 1], value);
        text += value + pieces[each];
      }
      return text;
    };
    const spansOf = (numbers) => {
      const spans = [];
      for (let each = 0, at = 0, row = 0; each < numbers.length; each += 4) {
        const begin = exact(at + numbers[each]), [states, kind, index, cause, event, open] = page.shared.stays[numbers[each + 3]];
        at = exact(begin + numbers[each + 1]);
        row += numbers[each + 2];
        spans.push([begin, at, states, kind, index, cause, event, row, open]);
      }
      return spans;
    };
    const marks = [];
    for (let each = 0, at = 0, row = 0, text = null; each < packed.marks.length; each += 5) {
      at = exact(at + packed.marks[each]);
      row += packed.marks[each + 1];
      const [item, other, event, source, target, owner] = page.shared.happenings[packed.marks[each + 2]];
      const who = packed.marks[each + 3], [lanes, takers] = Array.isArray(who) ? who : [[who], []];
      if (packed.marks[each + 4] !== 0) text = textOf(packed.marks[each + 4]);
      marks.push([at, row, item, other, event, source, target, owner, lanes, text, takers]);
    }
    return {
      ...packed, marks,
      lanes: packed.lanes.map(([title, of, spans]) => {
        const [machine, owners] = page.shared.owned[of];
        return { title, machine, owners, spans: spansOf(spans) };
      }),
      flags: packed.flags.map((flag) => ({ ...flag, spec: page.shared.declarations[flag.spec] })),
    };
  }

  // --- shapes of owners: a colour and a form for each ----------------------------------------------

  const SHAPES = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", "M-4.5-4.5h9v9h-9z", "M0-6L5.6 4.5H-5.6z", "M0-6.2L6.2 0L0 6.2L-6.2 0z",
    "M0 6L5.6-4.5H-5.6z", "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z", "M-3-5.5h6l3 5.5l-3 5.5h-6l-3-5.5z", "M-6-3.5h12v7h-12z"];
  const ownerNumber = (name) => page.owners.indexOf(name);
  const ownerShape = (name) => SHAPES[ownerNumber(name) < 0 ? 0 : ownerNumber(name) % SHAPES.length];
  const ownerClass = (name) => (ownerNumber(name) < 0 ? "" : ` owner-${ownerNumber(name)}`);

  function legend(line) {
    const used = new Set(line.marks.map((mark) => mark[7]).filter((owner) => owner));
    const place = $("legend");
    place.replaceChildren();
    for (const owner of [...page.owners.filter((each) => used.has(each)), ...[...used].filter((each) => ownerNumber(each) < 0)]) {
      const item = make("span");
      const icon = draw(item, "svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" });
      draw(icon, "path", { d: ownerShape(owner), class: `shape${ownerClass(owner)}` });
      item.append(`event by ${owner}`);
      place.append(item);
    }
    const item = make("span");
    const icon = draw(item, "svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true", class: "chart" });
    draw(draw(icon, "g", { class: "flag" }), "path", { d: "M-6-7h12v9l-6 5l-6-5z" });
    item.append("finding");
    place.append(item);
    place.hidden = false;
  }

  // --- the timeline --------------------------------------------------------------------------------

  const HEAD = 50, BAR = 22, STRIP = 17, GAP = 8, PIN = 21;
  let line = null;      // the timeline that is shown
  let number = -1;
  let view = { from: 0, to: 1 };
  let items = [];       // marks and flags, as the keys step through them
  let selected = null;  // {kind, index, span}
  let box = { left: 0, width: 0, lane: 0 };

  // Opens a session, with one of its findings selected (null: with none), and draws it once.
  function open(wanted, flag) {
    load(wanted);
    if (flag !== null && line.flags.length) select({ kind: "flag", index: flag });
    else render();
  }

  function load(wanted) {
    if (wanted === number) return;
    number = wanted;
    line = unpack(JSON.parse($(`timeline-${wanted}`).textContent));
    $("session").value = String(wanted);
    selected = null;
    items = [
      ...line.marks.map((mark, index) => ({ kind: "mark", index, at: mark[0] })),
      ...line.flags.map((flag, index) => ({ kind: "flag", index, at: flag.at })),
    ].sort((a, b) => a.at - b.at || (a.kind === b.kind ? a.index - b.index : a.kind === "mark" ? -1 : 1));
    const chart = $("chart");
    chart.hidden = false;
    chart.setAttribute("aria-label", `Timeline of session ${line.session}: ${line.lanes.length} instances, ${line.records} records, ${line.flags.length} findings`);
    for (const id of ["keys", "records", "detail"]) $(id).hidden = false;
    $("chooser").hidden = false;
    const shown = new Set(line.marks.map((mark) => `${mark[3]}:${mark[1]}:${mark[2]}`)).size;
    const notes = [];
    if (line.cuts.length) notes.push(`${shown} of ${line.records} records are shown: those nearest to what was found. The others are in the hatched stretches.`);
    if (line.hidden) notes.push(`${line.hidden} more instances are not shown.`);
    if (line.clocks) notes.push("This session has several clocks, and how far they are apart is not known: the axis counts records.");
    else if (!line.time) notes.push("This log has no times: the axis counts records.");
    $("cut").hidden = !notes.length;
    $("cut").textContent = notes.join(" ");
    legend(line);
    view = whole();
    fillRecords();
  }

  function whole() {
    const pad = Math.max((line.end || 1) * 0.02, 1e-3);
    return { from: -pad, to: (line.end || 1) + pad };
  }
  function fit() { view = whole(); render(); }

  function x(at) { return box.left + ((at - view.from) / (view.to - view.from)) * box.width; }

  function ticks() {
    const span = view.to - view.from, rough = span / Math.max(2, box.width / 95);
    let step;
    if (!line.time) step = Math.max(1, nice(rough));
    else if (rough < 1e6) step = nice(rough);
    else step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].map((s) => s * 1e6).find((s) => s >= rough) || nice(rough / 864e8) * 864e8;
    const found = [];
    for (let at = Math.ceil(Math.max(view.from, 0) / step) * step; at <= view.to && found.length < 60; at += step) found.push(at);
    return found;
  }
  function nice(value) {
    const ten = 10 ** Math.floor(Math.log10(value)), part = value / ten;
    return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * ten;
  }

  function surface(width, height) {
    const svg = document.createElementNS(SVG, "svg");
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" })) svg.setAttribute(key, value);
    return svg;
  }

  const widthOf = (chart) => Math.max(280, chart.clientWidth);

  function render() {
    const chart = $("chart"), width = widthOf(chart), scrolled = chart.scrollTop;
    const wide = width >= 640;
    const titles = line.lanes.map((lane) => lane.title);
    if (line.marks.some((mark) => !mark[8].length)) titles.push("other events");
    box = { left: wide ? 170 : 8, width: 0, lane: BAR + STRIP + GAP + (wide ? 0 : 16), wide, whole: width };
    box.width = width - box.left - 14;
    const height = titles.length * box.lane + 6;

    const head = surface(width, HEAD);
    head.classList.add("head");
    draw(head, "rect", { width, height: HEAD, class: "labels" });
    draw(head, "path", { d: `M0 ${HEAD - 0.5}H${width}`, class: "tick" });
    const body = surface(width, height);
    const defs = draw(body, "defs");
    const hatch = draw(defs, "pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    draw(hatch, "rect", { width: 7, height: 7, class: "hatch-ground" });
    draw(hatch, "path", { d: "M0 0v7", class: "hatch-line" });
    const clip = draw(defs, "clipPath", { id: "inside" });
    draw(clip, "rect", { x: box.left - 8, y: 0, width: box.width + 22, height: Math.max(height, HEAD) });

    titles.forEach((_, index) => {
      const about = selected && selected.kind === "flag" && line.flags[selected.index].lane === index;
      draw(body, "rect", { x: 0, y: laneTop(index) - 3, width, height: box.lane, class: `lane-ground ${about ? "current" : index % 2 ? "odd" : ""}` });
    });
    const inside = draw(body, "g", { "clip-path": "url(#inside)" }), above = draw(head, "g", { "clip-path": "url(#inside)" });
    for (const at of ticks()) {
      draw(inside, "path", { d: `M${x(at)} 0V${height}`, class: "tick" });
      draw(above, "path", { d: `M${x(at)} ${HEAD - 14}V${HEAD}`, class: "tick" });
      draw(above, "text", { x: x(at) + 3, y: HEAD - 4, class: "tick-label" }, offset(line, at));
    }
    for (const [begin, end, count] of line.cuts) {
      const group = draw(inside, "g", { class: "cut" });
      const from = x(begin), to = Math.max(x(end), from + 4);
      draw(group, "rect", { x: from, y: 0, width: to - from, height });
      if (to - from > 60) draw(group, "text", { x: (Math.max(from, box.left) + Math.min(to, box.left + box.width)) / 2, y: 12 }, cut(`${count} records not shown`, to - from));
    }
    line.lanes.forEach((lane, index) => lane.spans.forEach((span, place) => drawSpan(inside, lane, index, span, place)));
    drawFlags(above, inside, height);
    drawMarks(inside);
    titles.forEach((title, index) => {
      const owners = index < line.lanes.length ? line.lanes[index].owners.join(", ") : "";
      if (wide) {
        draw(body, "text", { x: 10, y: laneTop(index) + 15, class: "lane-title" }, cut(title, box.left - 18, 7.2));
        if (owners) draw(body, "text", { x: 10, y: laneTop(index) + 30, class: "lane-owner" }, cut(`owned by ${owners}`, box.left - 18, 6));
      } else draw(body, "text", { x: 8, y: laneTop(index) + 11, class: "lane-title" }, cut(title + (owners ? `, owned by ${owners}` : ""), width - 16));
    });
    if (wide) draw(head, "text", { x: 10, y: 20, class: "lane-owner" }, "findings");
    if (wide) draw(head, "text", { x: 10, y: HEAD - 4, class: "tick-label" }, line.time ? `from ${line.begin.replace("T", " ").slice(0, 19)}` : "records");
    chart.replaceChildren(head, body);
    chart.scrollTop = scrolled;
  }

  const laneTop = (index) => index * box.lane + 3;
  const barTop = (index) => laneTop(index) + (box.wide ? 0 : 16);

  function drawSpan(parent, lane, index, span, place) {
    const [begin, end, , kind, order] = span;
    if (end < view.from || begin > view.to) return;
    const from = Math.max(x(begin), box.left - 20), to = Math.min(Math.max(x(end), x(begin) + 2.5), box.left + box.width + 30);
    const tint = kind === "state" ? `tint-${order % 6}` : kind;
    const isSelected = selected && selected.kind === "span" && selected.index === index && selected.span === place;
    const group = draw(parent, "g", { class: `span ${tint}${isSelected ? " selected" : ""}`, "data-kind": "span", "data-index": index, "data-span": place });
    draw(group, "rect", { x: from, y: barTop(index), width: to - from, height: BAR, rx: 3 });
    const start = Math.max(from, box.left) + 5, room = Math.min(to, box.left + box.width) - start - 4;
    const words = stateWords(span) + (kind === "failure" ? " !" : "");
    const text = cut(words, room);
    if (text) draw(group, "text", { x: start, y: barTop(index) + 15 }, text);
  }

  function drawMarks(parent) {
    const free = new Map();
    const y = (index) => barTop(index) + BAR + 9;
    const witnesses = selected && selected.kind === "flag" ? new Set([...line.flags[selected.index].lines, line.flags[selected.index].line]) : new Set();
    const points = [];
    line.marks.forEach((mark, index) => {
      if (mark[0] < view.from || mark[0] > view.to) return;
      for (const lane of mark[8].length ? mark[8] : [line.lanes.length]) points.push({ mark, index, lane, at: x(mark[0]) });
    });
    points.forEach((point, place) => {
      const { mark, index, lane, at } = point;
      const next = points.find((other, later) => later > place && other.lane === lane);
      const room = (next ? next.at : box.left + box.width) - at - 22;
      const isSelected = selected && selected.kind === "mark" && selected.index === index;
      draw(parent, "path", {
        d: ownerShape(mark[7]), transform: `translate(${at} ${y(lane)})`, "data-kind": "mark", "data-index": index,
        class: `mark${ownerClass(mark[7])}${isSelected ? " selected" : ""}${witnesses.has(mark[1]) ? " witness" : ""}`,
      });
      const text = cut(mark[4] || (mark[6] ? `to ${mark[6]}` : ""), room, 6.3);
      if (text && at >= (free.get(lane) || 0)) {
        draw(parent, "text", { x: at + 9.5, y: y(lane) + 4, class: "mark-label" }, text);
        free.set(lane, at + 9.5 + text.length * 6.3);
      }
    });
  }

  function drawFlags(above, inside, height) {
    const shown = line.flags.map((flag, index) => ({ flag, index, at: x(flag.at), pin: 0 }))
      .filter(({ flag }) => flag.at >= view.from && flag.at - (line.time ? flag.waited : 0) <= view.to).sort((a, b) => a.at - b.at);
    shown.forEach((each, place) => { each.pin = Math.max(each.at, place ? shown[place - 1].pin + PIN : 0); });
    let free = box.left + box.width + 6;  // pins of equal times stand side by side, and not beyond the end
    for (const each of [...shown].reverse()) { each.pin = Math.max(box.left, Math.min(each.pin, free)); free = each.pin - (shown.length * PIN > box.width ? 2 : PIN); }
    shown.forEach(({ flag, index, at, pin }, place) => {
      const isSelected = selected && selected.kind === "flag" && selected.index === index;
      draw(above, "path", { d: `M${pin} 24L${at} ${HEAD - 14}V${HEAD}`, class: "flag-line" });
      draw(inside, "path", { d: `M${at} 0V${height}`, class: "flag-line" });
      if (flag.waited && line.time) {
        const from = x(flag.at - flag.waited);
        if (flag.lane !== null) draw(inside, "path", { d: `M${from} ${barTop(flag.lane) + BAR + 1.5}H${at}`, class: "wait" });
        else draw(above, "path", { d: `M${from} ${HEAD - 15}H${at}`, class: "wait" });
      }
      const group = draw(above, "g", { class: `flag ${flag.severity}${isSelected ? " selected" : ""}`, transform: `translate(${pin} 15)`, "data-kind": "flag", "data-index": index });
      draw(group, "path", { d: "M-9-12h18v16l-9 9l-9-9z" });
      draw(group, "text", { y: 2 }, String(index + 1));
      const words = flag.name + (flag.about ? ` ${flag.about}` : ""), needed = words.length * 7 + 26;
      const next = place + 1 < shown.length ? shown[place + 1].pin - 10 : box.left + box.width, before = place ? shown[place - 1].pin + 10 : box.left;
      if (next - pin > needed) draw(above, "text", { x: pin + 13, y: 18, class: "flag-label" }, words);
      else if (pin - before > needed && (!place || shown[place - 1].pin + 2 * needed < pin)) draw(above, "text", { x: pin - 13, y: 18, class: "flag-label", "text-anchor": "end" }, words);
    });
  }

  const buttonOf = (flag) => `.show[data-timeline="${number}"][data-flag="${flag}"]`;

  // --- what is selected ----------------------------------------------------------------------------

  function select(item, how = {}) {
    selected = item;
    const at = item.kind === "mark" ? line.marks[item.index][0] : item.kind === "flag" ? line.flags[item.index].at : null;
    if (at !== null && (at < view.from || at > view.to)) {
      const half = (view.to - view.from) / 2;
      view = { from: at - half, to: at + half };
    }
    render();
    showLane(item);
    showDetail();
    markRow(how.scrollRow !== false);
    for (const each of document.querySelectorAll(".example.current")) each.classList.remove("current");
    if (item.kind === "flag") {
      const button = document.querySelector(buttonOf(item.index));
      if (button) button.closest(".example").classList.add("current");
    }
  }

  function showLane(item) {
    const lane = item.kind === "flag" ? line.flags[item.index].lane : item.kind === "mark" ? line.marks[item.index][8][0] : item.index;
    const chart = $("chart"), room = chart.clientHeight - HEAD;
    if (lane === null || lane === undefined) return;
    if (laneTop(lane) < chart.scrollTop || laneTop(lane) + box.lane > chart.scrollTop + room) chart.scrollTop = laneTop(lane) - room / 2;
  }

  function step(by) {
    const place = selected ? items.findIndex((each) => each.kind === selected.kind && each.index === selected.index) : -1;
    const next = place < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, place + by));
    if (items[next]) select(items[next]);
  }

  function zoom(factor, around) {
    const middle = around === undefined ? centre() : around, least = line.time ? 1 : 0.5;
    const whole = (line.end || 1) * 1.2, span = Math.min(Math.max((view.to - view.from) * factor, least), whole);
    const share = (middle - view.from) / (view.to - view.from);
    view = { from: middle - share * span, to: middle + (1 - share) * span };
    render();
  }
  function centre() {
    const at = selected && selected.kind === "mark" ? line.marks[selected.index][0] : selected && selected.kind === "flag" ? line.flags[selected.index].at : null;
    return at !== null && at >= view.from && at <= view.to ? at : (view.from + view.to) / 2;
  }
  function pan(by) { view = { from: view.from + by, to: view.to + by }; render(); }

  function fact(list, kind, text) {
    if (text === null || text === undefined || text === "") return;
    const row = make("div");
    row.append(make("dt", {}, kind), words(make("dd"), text));
    list.append(row);
  }
  function record(parent, text, why) {
    if (text === null) parent.append(make("p", { class: "quiet" }, why));
    else parent.append(make("p", { class: "record" }, text));
  }
  function declaration(parent, found) {
    if (found) parent.append(make("pre", { class: "spec" }, found[1] + (found[0] ? `   // ${found[0]}` : "")));
  }
  const machineOf = (lane) => page.machines[lane.machine] || { states: {}, transitions: [] };

  function showDetail() {
    const place = $("detail"), facts = make("dl", { class: "facts" });
    place.replaceChildren();
    place.classList.toggle("flagged", selected.kind === "flag");
    if (selected.kind === "flag") {
      const flag = line.flags[selected.index];
      const head = make("h3");
      head.append(make("span", { class: `chip ${flag.severity}` }, `${selected.index + 1} ${flag.severity}`), " ", words(make("span"), flag.message));
      fact(facts, "when", `${[offset(line, flag.at), clock(line, flag.at)].filter(Boolean).join(" ")}${flag.waited ? `, after waiting for ${length(flag.waited)}` : ""}`);
      const isTold = document.querySelector(buttonOf(selected.index)) !== null;
      for (const [kind, text] of flag.facts) if (!isTold || ["allowed", "help", "says", "group", "param", "require", "meaning"].includes(kind)) fact(facts, kind, text);
      place.append(head, facts);
      if (flag.spec.length && !isTold) place.append(make("pre", { class: "spec" }, flag.spec.map(([row, text]) => `${row} ${text}`).join("\n")));
      place.append(make("p", { class: "quiet" }, `Record, line ${flag.line}:`));
      record(place, flag.mark === null ? null : line.marks[flag.mark][9], flag.mark === null ? "It is not among the records shown." : "It may hold what must not be shown.");
    } else if (selected.kind === "mark") {
      const mark = line.marks[selected.index];
      place.append(make("h3", {}, mark[4] || (mark[6] ? `step to ${mark[6]}` : "a record without a known event")));
      fact(facts, "when", `${offset(line, mark[0])} ${clock(line, mark[0])}`);
      fact(facts, "taken by", takers(mark) || "no instance");
      fact(facts, "states", [mark[5] && `from ${mark[5]}`, mark[6] && `to ${mark[6]}`].filter((each) => each).join(" "));
      fact(facts, "owner", mark[7]);
      for (const flag of line.flags.filter((each) => each.mark !== null && line.marks[each.mark][1] === mark[1])) fact(facts, "finding", flag.message);
      place.append(facts);
      const rows = mark[8].flatMap((lane) => machineOf(line.lanes[lane]).transitions).filter((row) => row[0].includes(mark[4]));
      for (const row of (rows.filter((each) => each[1].includes(mark[5])).length ? rows.filter((each) => each[1].includes(mark[5])) : rows).slice(0, 3)) declaration(place, [row[2], row[3]]);
      place.append(make("p", { class: "quiet" }, `Record, line ${mark[1]}${mark[2] ? `, item ${mark[2]}` : ""}${mark[3] ? ` of ${mark[3]}` : ""}:`));
      record(place, mark[9], "It cannot be shown.");
    } else {
      const lane = line.lanes[selected.index], span = lane.spans[selected.span];
      const causes = { began: "the instance began in it", event: span[6] ? `entered on ${span[6]}` : "entered", clock: "the clock moved it there", reaction: `another instance moved${span[6] ? ` on ${span[6]}` : ""}, and it followed`, unseen: "the recording need not show what happened" };
      place.append(make("h3", {}, `${lane.title} in ${stateWords(span)}`));
      fact(facts, "from", `${offset(line, span[0])} ${clock(line, span[0])}`);
      fact(facts, span[8] ? "at least" : "to", `${offset(line, span[1])} ${clock(line, span[1])}`);
      if (line.time) fact(facts, "for", length(span[1] - span[0]));
      fact(facts, "why", `${causes[span[5]]} (line ${span[7]})`);
      place.append(facts);
      declaration(place, machineOf(lane).states[span[2][0]]);
    }
  }

  // --- the records as a table ----------------------------------------------------------------------

  function fillRecords() {
    const rows = $("rows");
    rows.replaceChildren();
    $("time-head").textContent = line.time ? "time" : "record";
    const flags = new Map();
    line.flags.forEach((flag, index) => { if (flag.mark !== null) flags.set(flag.mark, [...(flags.get(flag.mark) || []), index]); });
    const waiting = [...line.cuts];
    const skip = (cutOff) => {
      const row = make("tr", { class: "cut" });
      row.append(make("td", { colspan: 6 }, `${cutOff[2]} records are not shown`));
      rows.append(row);
    };
    let before = -1;
    line.marks.forEach((mark, index) => {
      while (waiting.length && waiting[0][1] <= mark[0] && waiting[0][0] >= before) skip(waiting.shift());
      before = mark[0];
      const row = make("tr", { "data-mark": index, class: flags.has(index) ? "found" : null });
      const cell = make("td");
      cell.append(make("button", { type: "button", "data-kind": "mark", "data-index": index }, mark[4] || (mark[6] ? `(to ${mark[6]})` : "(record)")));
      for (const flag of flags.get(index) || []) cell.append(" ", make("button", { type: "button", class: "flagged", "data-kind": "flag", "data-index": flag }, `⚑${flag + 1} ${line.flags[flag].name}`));
      row.append(make("td", { class: "number" }, mark[1]), make("td", { class: "number" }, line.time ? offset(line, mark[0]) : mark[0] + 1), cell,
        make("td", {}, takers(mark)),
        make("td", {}, mark[5] || mark[6] ? `${mark[5] || ""} → ${mark[6] || ""}` : ""), make("td", {}, mark[7] || ""));
      rows.append(row);
    });
    waiting.forEach(skip);
  }

  function markRow(scroll) {
    const rows = $("rows");
    for (const each of rows.querySelectorAll("[aria-current], .witness")) { each.removeAttribute("aria-current"); each.classList.remove("witness"); }
    const mark = selected.kind === "mark" ? selected.index : selected.kind === "flag" ? line.flags[selected.index].mark : null;
    if (selected.kind === "flag") line.marks.forEach((each, index) => {
      if (line.flags[selected.index].lines.includes(each[1])) rows.querySelector(`[data-mark="${index}"]`).classList.add("witness");
    });
    const row = mark === null ? null : rows.querySelector(`[data-mark="${mark}"]`);
    if (!row) return;
    row.setAttribute("aria-current", "true");
    const area = rows.closest(".scroll");
    if (scroll) area.scrollTop = row.offsetTop - area.clientHeight / 2;
  }

  // --- hands ---------------------------------------------------------------------------------------

  function itemAt(target) {
    const element = target.closest("[data-kind]");
    if (!element) return null;
    return { kind: element.dataset.kind, index: Number(element.dataset.index), span: Number(element.dataset.span) };
  }

  function tipFor(item) {
    if (item.kind === "flag") return `${line.flags[item.index].severity}: ${line.flags[item.index].message}\n${offset(line, line.flags[item.index].at)}`;
    if (item.kind === "mark") {
      const mark = line.marks[item.index];
      return `${mark[4] || "record"}${mark[7] ? ` by ${mark[7]}` : ""}${mark[6] ? `\n${mark[5] || "?"} → ${mark[6]}` : ""}\n${offset(line, mark[0])}, line ${mark[1]}`;
    }
    const span = line.lanes[item.index].spans[item.span];
    return `${line.lanes[item.index].title}: ${stateWords(span)}\n${offset(line, span[0])} to ${offset(line, span[1])}${line.time ? ` (${length(span[1] - span[0])})` : ""}`;
  }

  function follow(chart) {
    const tip = $("tip");
    let drag = null;
    chart.addEventListener("pointerdown", (event) => { if (event.button === 0) drag = { x: event.clientX, from: view.from, to: view.to, moved: false }; });
    chart.addEventListener("pointermove", (event) => {
      if (drag) {
        const by = event.clientX - drag.x;
        if (!drag.moved && Math.abs(by) < 4) return;
        if (!drag.moved) chart.setPointerCapture(event.pointerId);
        drag.moved = true;
        const shift = -(by / box.width) * (drag.to - drag.from);
        view = { from: drag.from + shift, to: drag.to + shift };
        tip.hidden = true;
        render();
        return;
      }
      const item = itemAt(event.target);
      tip.hidden = !item;
      if (!item) return;
      tip.textContent = tipFor(item);
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
      tip.style.top = `${event.clientY + 18 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18}px`;
    });
    chart.addEventListener("pointerup", (event) => {
      const wasDrag = drag && drag.moved;
      drag = null;
      const item = wasDrag ? null : itemAt(event.target);
      if (item) select(item);
    });
    chart.addEventListener("pointercancel", () => { drag = null; });
    chart.addEventListener("pointerleave", () => { tip.hidden = true; });
    chart.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      const at = view.from + ((event.clientX - chart.getBoundingClientRect().left - box.left) / box.width) * (view.to - view.from);
      if (event.ctrlKey || event.metaKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
      else pan((event.deltaX / box.width) * (view.to - view.from));
    }, { passive: false });
    chart.addEventListener("dblclick", (event) => {
      zoom(0.4, view.from + ((event.clientX - chart.getBoundingClientRect().left - box.left) / box.width) * (view.to - view.from));
    });
    chart.addEventListener("keydown", (event) => {
      const moves = (view.to - view.from) * 0.2;
      const keys = {
        ArrowRight: () => (event.shiftKey ? pan(moves) : step(1)), ArrowLeft: () => (event.shiftKey ? pan(-moves) : step(-1)),
        Home: () => step(-items.length), End: () => step(items.length),
        "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: fit,
      };
      if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  /** Says of a picture that there is more of it at the side; its width is known also while it is not laid out. */
  function tellWidth(picture) {
    const said = picture.previousElementSibling, whole = picture.querySelector("svg").width.baseVal.value;
    new ResizeObserver(() => { said.hidden = !picture.clientWidth || whole <= picture.clientWidth; }).observe(picture);
  }

  function begin() {
    filterFindings();
    document.querySelectorAll(".picture").forEach(tellWidth);
    if (!$("chart")) return;
    follow($("chart"));
    $("session").addEventListener("change", (event) => open(Number(event.target.value), 0));
    $("zoom-in").addEventListener("click", () => zoom(0.6));
    $("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
    $("zoom-fit").addEventListener("click", fit);
    $("previous").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $("rows").addEventListener("click", (event) => { const item = itemAt(event.target); if (item) select(item, { scrollRow: false }); });
    for (const button of document.querySelectorAll(".show")) button.addEventListener("click", () => {
      open(Number(button.dataset.timeline), Number(button.dataset.flag));
      $("timelines").scrollIntoView({ block: "nearest" });
      $("chart").focus({ preventScroll: true });
    });
    const first = document.querySelector(".show");
    open(first ? Number(first.dataset.timeline) : 0, first ? Number(first.dataset.flag) : 0);
    let waiting = 0;
    const redraw = () => { if (widthOf($("chart")) !== box.whole) render(); };
    new ResizeObserver(() => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redraw); }).observe($("timelines"));
  }
  begin();
})();
