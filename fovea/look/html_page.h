// The page that to_html fills: @TITLE@ twice, then @DATA@.
#pragma once

#include <string_view>

namespace fovea::look {

// clang-format off
inline constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1b2733; --soft: #5b6875; --line: #e1e4e8;
  --accent: #2b6cb0; --pin: #e8590c; --hidden: #f1f0ee; --hatch: #d3d0ca; --bar: #498ada; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151b; --card: #171e26; --ink: #e6ebf0; --soft: #94a1ad; --line: #2a343f;
    --accent: #8fc0fe; --pin: #ff922b; --hidden: #1b2129; --hatch: #313a44; --bar: #76b2fe; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 20px 24px; background: var(--page); color: var(--ink);
  font: 14px/1.4 system-ui, "Noto Sans", "Noto Sans CJK KR", "DejaVu Sans", NanumGothic, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 20px; margin-bottom: 14px; }
h1 { font-size: 19px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 13px; font-weight: 600; margin: 0 0 8px; color: var(--soft); }
#shape { color: var(--soft); }
#heads { display: flex; flex-wrap: wrap; gap: 4px; border: 0; padding: 0; margin: 0 0 14px; }
#heads label { cursor: pointer; }
#heads input { position: absolute; opacity: 0; }
#heads span { display: inline-block; padding: 3px 11px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); }
#heads input:checked + span { background: var(--accent); border-color: var(--accent); color: var(--card); }
#heads input:focus-visible + span, #heat:focus-visible { outline: 2px solid var(--pin); outline-offset: 2px; }
main { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px; max-width: 100%; }
.scroll { overflow: auto; max-width: 100%; max-height: 84vh; }
canvas { display: block; }
#map { display: flex; gap: 16px; align-items: flex-start; max-width: 100%; }
#map > :first-child { min-width: 0; }
#heat { display: grid; grid-template-columns: auto auto; width: max-content; }
#corner, #columns, #rows { position: sticky; background: var(--card); }
#corner { left: 0; top: 0; z-index: 3; } #columns { top: 0; z-index: 2; } #rows { left: 0; z-index: 1; }
#cells, #links { cursor: crosshair; }
#row { flex: 0 0 300px; position: sticky; top: 14px; max-height: 97vh; overflow: auto; }
@media (max-width: 760px) { #map { flex-direction: column; } #row { flex-basis: auto; width: 100%; position: static; } }
#tip { position: fixed; z-index: 9; padding: 3px 8px; border-radius: 5px; background: var(--ink); color: var(--card); pointer-events: none;
  max-width: 60vw; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#said { min-height: 2.8em; margin: 0 0 8px; overflow-wrap: anywhere; }
#said b { font-variant-numeric: tabular-nums; }
#bars { list-style: none; margin: 0; padding: 0; }
#bars li { display: grid; grid-template-columns: 104px 1fr 44px; gap: 8px; align-items: center; padding: 1px 0; }
#bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
#bars .bar { height: 12px; border-radius: 2px; background: var(--bar); min-width: 1px; }
#bars .number { font-variant-numeric: tabular-nums; color: var(--soft); }
#bars .hidden { opacity: .5; } #bars .chosen .name { color: var(--pin); font-weight: 600; }
#key { display: flex; align-items: center; gap: 8px; margin-top: 10px; color: var(--soft); font-size: 12px; }
#ramp { width: 140px; height: 10px; border-radius: 2px; }
.swatch { width: 12px; height: 12px; margin-left: 10px; background: repeating-linear-gradient(45deg, var(--hatch) 0 1.5px, var(--hidden) 1.5px 5px); }
.ring { width: 11px; height: 11px; margin-left: 10px; border: 2px solid var(--pin); }
.help { color: var(--soft); font-size: 12px; margin: 10px 0 0; }
</style>
</head>
<body>
<header><h1>@TITLE@</h1><span id="shape"></span></header>
<fieldset id="heads" aria-label="Head"></fieldset>
<main>
<div id="map">
<section><h2 id="axes"></h2>
<div class="scroll" id="box"><div id="heat" tabindex="0" role="application" aria-label="Heat map of attention weights; arrow keys move, Enter pins a row"><div id="corner"></div><canvas id="columns"></canvas><canvas id="rows"></canvas><canvas id="cells"></canvas></div></div>
<div id="key"><span>0</span><span id="ramp"></span><span id="most"></span><span class="swatch" id="hatch"></span><span id="hatchname">hidden</span><span class="ring" id="ring"></span><span id="ringname">chosen</span></div>
</section>
<section id="row"><h2 id="rowtitle">One row</h2><p id="said" aria-live="polite"></p><ul id="bars"></ul>
<p class="help">Point at a cell to read it. Click a row to pin it, click again or press Esc to let go. Keyboard: arrows, Enter, Esc.</p></section>
</div>
<section><h2>Links</h2><div class="scroll"><canvas id="links" aria-hidden="true"></canvas></div><p class="help" id="linksnote"></p></section>
</main>
<div id="tip" hidden></div>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const T = data.rows.length, S = data.columns.length, H = data.heads, N = T * S;
const all = new Float32Array(Uint8Array.from(atob(data.weights), c => c.charCodeAt(0)).buffer);
const $ = id => document.getElementById(id);
const mean = new Float32Array(N);
for (let i = 0; i < all.length; i++) mean[i % N] += all[i] / H;
let most = 0;
for (const w of all) if (w > most) most = w;
most = most || 1;

let head = H > 1 ? -1 : 0, weights = mean, chosen = null, oneHot = false, seen = [];
let at = null, pinned = -1;  // at: the cell pointed at, {row, column}

const dark = matchMedia("(prefers-color-scheme: dark)");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function color(share) {
  const x = Math.min(1, Math.max(0, dark.matches ? 1 - share : share)) * (data.scale.length - 1);
  const low = Math.min(Math.floor(x), data.scale.length - 2);
  return data.scale[low].map((a, i) => Math.round(a + (x - low) * (data.scale[low + 1][i] - a)));
}
const rgb = c => `rgb(${c[0]},${c[1]},${c[2]})`;
const number = w => w === 0 ? "0" : w < 0.0005 ? "<.001" : w.toFixed(3);
const short = w => w === 0 ? "0" : w < 0.005 ? "<.01" : w.toFixed(2);
// A weight of 0, unless it only says that another key was chosen.
const isHidden = (r, c) => weights[r * S + c] === 0 && (!oneHot || !seen[r]);

function setHead(h) {
  head = h;
  weights = h < 0 ? mean : all.subarray(h * N, (h + 1) * N);
  chosen = data.chosen.length && h >= 0 ? data.chosen.slice(h * T, (h + 1) * T) : null;
  seen = Array.from({length: T}, (_, r) => { let n = 0; for (let c = 0; c < S; c++) n += weights[r * S + c] !== 0; return n; });
  oneHot = chosen !== null && seen.every(n => n < 2);
  paintHeat(); draw();
}

// A canvas of the given size in CSS pixels, sharp on dense screens as far as browsers allow.
function prepare(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 8000 / Math.max(width, height, 1));
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  canvas.width = Math.ceil(width * ratio); canvas.height = Math.ceil(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
const font = size => `${size}px system-ui, "Noto Sans", "Noto Sans CJK KR", "DejaVu Sans", NanumGothic, sans-serif`;
const ruler = document.createElement("canvas").getContext("2d");
function elide(text, size, room) {
  ruler.font = "600 " + font(size);
  if (ruler.measureText(text).width <= room) return text;
  const characters = Array.from(text);
  while (characters.length && ruler.measureText(characters.join("") + "…").width > room) characters.pop();
  return characters.join("") + "…";
}
const span = (texts, size, room) => { ruler.font = "600 " + font(size); let w = 0; for (const t of texts) w = Math.max(w, ruler.measureText(t).width); return Math.min(w, room); };

// Sizes of the heat map: fixed by the number of cells. Sentences of up to 150 words keep cells in which every word has
// its label, and scroll below and beside their labels; larger maps shrink, and have a label every few cells.
const longest = Math.max(T, S);
const cell = Math.max(2, Math.floor(Math.min(46, Math.max(560 / longest, Math.min(14, 2100 / longest)))));
const size = Math.max(8, Math.min(13, Math.round(cell * 0.8)));
const step = Math.max(1, Math.ceil(size * 1.1 / cell));
const left = span(data.rows, size, 150) + 12;
const flat = span(data.columns, size, 150) <= cell - 4;
const top_ = flat ? size + 10 : span(data.columns, size, 150) + 12;
const wide = cell * S, high = cell * T;
const picture = document.createElement("canvas");  // the cells alone, one pixel each

function paintHeat() {
  picture.width = S; picture.height = T;
  const context = picture.getContext("2d"), image = context.createImageData(S, T);
  const table = Array.from({length: 256}, (_, i) => color(i / 255));
  const hiddenColor = dark.matches ? [27, 33, 41] : [241, 240, 238];
  for (let r = 0; r < T; r++) for (let c = 0; c < S; c++) {
    const i = r * S + c;
    const p = isHidden(r, c) ? hiddenColor : table[Math.round(Math.min(1, weights[i] / most) * 255)];
    image.data.set([p[0], p[1], p[2], 255], i * 4);
  }
  context.putImageData(image, 0, 0);
}

function drawHeat() {
  const row = pinned >= 0 ? pinned : at ? at.row : -1;
  drawCells(prepare($("cells"), wide + 4, high + 4), row);
  drawRows(prepare($("rows"), left, high + 4), row);
  drawColumns(prepare($("columns"), wide + 4, top_));
  $("corner").style.width = left + "px"; $("corner").style.height = top_ + "px";
}

function drawCells(g, row) {
  g.imageSmoothingEnabled = false;
  g.drawImage(picture, 0, 0, wide, high);
  const card = css("--card"), ink = css("--ink"), soft = css("--soft");
  if (cell >= 8) {  // hatching for hidden cells, then lines between cells
    g.strokeStyle = css("--hatch"); g.lineWidth = 1; g.beginPath();
    for (let r = 0; r < T; r++) for (let c = 0; c < S; c++) if (isHidden(r, c)) {
      const x = c * cell, y = r * cell;
      for (let d = cell < 14 ? cell : 6; d < 2 * cell; d += cell < 14 ? cell : 6) {
        g.moveTo(x + Math.max(0, d - cell), y + Math.min(cell, d)); g.lineTo(x + Math.min(cell, d), y + Math.max(0, d - cell));
      }
    }
    g.stroke();
    g.strokeStyle = card; g.beginPath();
    for (let c = 0; c <= S; c++) { g.moveTo(c * cell, 0); g.lineTo(c * cell, high); }
    for (let r = 0; r <= T; r++) { g.moveTo(0, r * cell); g.lineTo(wide, r * cell); }
    g.stroke();
  }
  g.textBaseline = "middle"; g.textAlign = "center";
  for (let r = 0; r < T; r++) {
    if (!seen[r] && cell >= 12 && wide > 60) {
      g.font = "italic " + font(Math.min(12, size)); g.lineWidth = 4;
      g.strokeStyle = css("--hidden"); g.strokeText("hidden", wide / 2, (r + 0.5) * cell);
      g.fillStyle = soft; g.fillText("hidden", wide / 2, (r + 0.5) * cell);
    }
    for (let c = 0; c < S && seen[r]; c++) {
      if (cell >= 28 && !isHidden(r, c)) {
        const w = weights[r * S + c], p = color(w / most);
        g.font = font(11);
        g.fillStyle = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] > 140 ? "#1b2733" : "#fff";
        g.fillText(short(w), (c + 0.5) * cell, (r + 0.5) * cell);
      }
    }
    if (chosen && chosen[r] >= 0) {
      g.strokeStyle = css("--pin"); g.lineWidth = Math.max(1, Math.min(2.5, cell / 10));
      g.strokeRect(chosen[r] * cell + 0.5, r * cell + 0.5, cell - 1, cell - 1);
    }
  }
  const margin = cell < 8 ? 2 : 0;  // around small cells, so that they stay visible
  if (row >= 0) { g.strokeStyle = pinned >= 0 ? css("--pin") : soft; g.lineWidth = pinned >= 0 ? 2 : 1; g.strokeRect(0, row * cell - margin, wide, cell + 2 * margin); }
  if (at) { g.strokeStyle = ink; g.lineWidth = 2; g.strokeRect(at.column * cell - margin, at.row * cell - margin, cell + 2 * margin, cell + 2 * margin); }
}

function drawRows(g, row) {
  g.textBaseline = "middle"; g.textAlign = "right";
  for (let r = 0; r < T; r++) {
    if (r % step && r !== row) continue;
    if (row >= 0 && step > 1 && r !== row && Math.abs(r - row) * cell < size) continue;
    g.font = (r === row ? "600 " : "") + font(size);
    g.fillStyle = r === pinned ? css("--pin") : seen[r] ? css("--ink") : css("--soft");
    g.fillText(elide(data.rows[r], size, left - 10), left - 7, (r + 0.5) * cell);
  }
}

function drawColumns(g) {
  g.textBaseline = "middle"; g.fillStyle = css("--ink");
  for (let c = 0; c < S; c++) {
    const here = at && c === at.column;
    if (c % step && !here) continue;
    if (at && step > 1 && !here && Math.abs(c - at.column) * cell < size) continue;
    g.font = (here ? "600 " : "") + font(size);
    g.save(); g.translate((c + 0.5) * cell, top_ - 7);
    if (flat) { g.textAlign = "center"; g.textBaseline = "alphabetic"; } else { g.rotate(-Math.PI / 2); g.textAlign = "left"; }
    g.fillText(elide(data.columns[c], size, flat ? cell : top_ - 10), 0, 0); g.restore();
  }
}

// Words on two sides, lines between them: the heaviest 3000 at most, or those of one row.
const pitch = Math.max(9, Math.min(26, 1200 / Math.max(T, S)));
const linkSize = Math.max(8, Math.min(13, pitch * 0.72));
const leftNames = Math.max(span(data.rows, linkSize, 150), span([data.rowName], 13, 150)) + 14;
const rightNames = Math.max(span(data.columns, linkSize, 150), span([data.columnName], 13, 150)) + 14, between = 190;
function drawLinks() {
  const height = pitch * Math.max(T, S) + 34;
  const g = prepare($("links"), leftNames + between + rightNames, height);
  const y = (i, n) => 28 + (i + 0.5 + (Math.max(T, S) - n) / 2) * pitch;
  const row = pinned >= 0 ? pinned : at ? at.row : -1;
  g.textBaseline = "middle"; g.font = "600 " + font(12); g.fillStyle = css("--soft");
  g.textAlign = "right"; g.fillText(elide(data.rowName, 12, leftNames - 12), leftNames - 8, 10);
  g.textAlign = "left"; g.fillText(elide(data.columnName, 12, rightNames - 12), leftNames + between + 8, 10);
  let from = 0, until = T, threshold = most * 0.01;
  if (row >= 0) { from = row; until = row + 1; threshold = 0; }
  const limit = 3000;
  if ((until - from) * S > limit) threshold = Math.max(threshold, Float32Array.from(weights.subarray(from * S, until * S)).sort()[(until - from) * S - limit]);
  let left_out = 0;
  g.strokeStyle = css("--bar"); g.lineCap = "round";
  for (let r = from; r < until; r++) for (let c = 0; c < S; c++) {
    const w = weights[r * S + c];
    if (w === 0) continue;
    if (w < threshold) { left_out++; continue; }
    const share = Math.min(1, w / most);
    g.globalAlpha = 0.08 + 0.87 * share; g.lineWidth = 0.5 + 5.5 * share;
    if (chosen && chosen[r] === c) { g.strokeStyle = css("--pin"); g.globalAlpha = Math.max(g.globalAlpha, 0.8); }
    g.beginPath(); g.moveTo(leftNames, y(r, T));
    g.bezierCurveTo(leftNames + between * 0.4, y(r, T), leftNames + between * 0.6, y(c, S), leftNames + between, y(c, S));
    g.stroke();
    if (chosen && chosen[r] === c) g.strokeStyle = css("--bar");
  }
  g.globalAlpha = 1;
  for (let r = 0; r < T; r++) {
    g.font = (r === row ? "600 " : "") + font(linkSize); g.textAlign = "right";
    g.fillStyle = r === pinned ? css("--pin") : row >= 0 && r !== row || !seen[r] ? css("--soft") : css("--ink");
    g.fillText(elide(data.rows[r], linkSize, leftNames - 12), leftNames - 8, y(r, T));
  }
  for (let c = 0; c < S; c++) {
    g.font = font(linkSize); g.textAlign = "left";
    g.fillStyle = row >= 0 && weights[row * S + c] < most * 0.05 ? css("--soft") : css("--ink");
    g.fillText(elide(data.columns[c], linkSize, rightNames - 12), leftNames + between + 8, y(c, S));
  }
  $("linksnote").textContent = left_out ? `Light links that are not drawn: ${left_out}.` : "";
}

function drawRow() {
  const row = pinned >= 0 ? pinned : at ? at.row : -1;
  $("rowtitle").textContent = row < 0 ? "One row" : pinned >= 0 ? "Pinned row" : "Row";
  const said = $("said"), bars = $("bars");
  bars.replaceChildren(); said.replaceChildren();
  if (row < 0) { said.textContent = `No ${data.rowName} is chosen.`; return; }
  const strong = text => { const b = document.createElement("b"); b.textContent = text; return b; };
  if (!seen[row]) said.append(strong(data.rows[row]), " is hidden: it sees no " + data.columnName + ".");
  else if (at && at.row === row) {
    const w = weights[row * S + at.column];
    said.append(strong(data.rows[row]), " → ", strong(data.columns[at.column]), ": ", strong(isHidden(row, at.column) ? "hidden" : number(w)));
  } else said.append(strong(data.rows[row]), ` looks at ${seen[row]} of ${S}`);
  if (!seen[row]) return;
  const limit = 32;
  let order = Array.from({length: S}, (_, c) => c);
  if (S > limit) order = order.sort((a, b) => weights[row * S + b] - weights[row * S + a] || a - b).slice(0, limit);
  let top = 0;
  for (const c of order) top = Math.max(top, weights[row * S + c]);
  let shown = 0, total = 0;
  for (let c = 0; c < S; c++) total += weights[row * S + c];
  for (const c of order) {
    const w = weights[row * S + c], item = document.createElement("li");
    shown += w;
    item.className = (isHidden(row, c) ? "hidden " : "") + (chosen && chosen[row] === c ? "chosen" : "");
    for (const [kind, text] of [["name", data.columns[c]], ["track", ""], ["number", isHidden(row, c) ? "–" : number(w)]]) {
      const part = document.createElement("span");
      part.className = kind; part.textContent = text; if (kind === "name") part.title = text;
      if (kind === "track" && w > 0) { const bar = document.createElement("div"); bar.className = "bar"; bar.style.width = 100 * w / top + "%"; part.append(bar); }
      item.append(part);
    }
    bars.append(item);
  }
  if (S > limit) {
    const item = document.createElement("li"), text = document.createElement("span");
    text.style.gridColumn = "1 / 4"; text.className = "number";
    text.textContent = `and ${S - limit} more, ${number(Math.max(0, total - shown))} together`;
    item.append(text); bars.append(item);
  }
}

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawHeat(); drawLinks(); drawRow(); });
}
function pin(row) { pinned = pinned === row ? -1 : row; draw(); }

const heat = $("heat"), cells = $("cells"), links = $("links"), tip = $("tip");
function cellAt(event) {
  const box = cells.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / cell), row = Math.floor((event.clientY - box.top) / cell);
  return row >= 0 && row < T && column < S ? {row, column: Math.max(0, column)} : null;
}
// The number of the cell under the pointer, beside it.
function showTip(event, on) {
  tip.hidden = !on;
  if (!on) return;
  const w = weights[at.row * S + at.column];
  tip.textContent = `${data.rows[at.row]} → ${data.columns[at.column]}  ${isHidden(at.row, at.column) ? "hidden" : number(w)}`;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 6) + "px";
  tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - 10 - box.height : event.clientY + 18) + "px";
}
// Keeps the cell that the keyboard moved to in sight, beside the labels that stay.
function follow() {
  const box = $("box"), x = at.column * cell, y = at.row * cell;
  box.scrollLeft = Math.min(x, Math.max(box.scrollLeft, x + cell + left - box.clientWidth + 8));
  box.scrollTop = Math.min(y, Math.max(box.scrollTop, y + cell + top_ - box.clientHeight + 8));
}
const same = (a, b) => a === b || a && b && a.row === b.row && a.column === b.column;
heat.addEventListener("pointermove", e => { const next = cellAt(e); if (!same(next, at)) { at = next; draw(); } showTip(e, at && e.target === cells); });
heat.addEventListener("pointerleave", e => { at = null; showTip(e, false); draw(); });
heat.addEventListener("click", e => { const next = cellAt(e); if (next) pin(next.row); });
heat.addEventListener("keydown", e => {
  const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[e.key];
  if (move) {
    const from = at || {row: pinned >= 0 ? pinned : 0, column: 0};
    at = at ? {row: Math.max(0, Math.min(T - 1, from.row + move[0])), column: Math.max(0, Math.min(S - 1, from.column + move[1]))} : from;
    if (pinned >= 0) pinned = at.row;
    follow();
  } else if ((e.key === "Enter" || e.key === " ") && at) { e.preventDefault(); return pin(at.row); }
  else if (e.key === "Escape") { pinned = -1; at = null; }
  else return;
  e.preventDefault(); draw();
});
function linkRow(event) {
  const row = Math.floor((event.clientY - links.getBoundingClientRect().top - 28) / pitch - (Math.max(T, S) - T) / 2);
  return row >= 0 && row < T ? row : -1;
}
links.addEventListener("pointermove", e => { const row = linkRow(e); const next = row < 0 ? null : {row, column: at ? at.column : 0}; if (!same(next, at)) { at = next; draw(); } });
links.addEventListener("pointerleave", () => { at = null; draw(); });
links.addEventListener("click", e => { const row = linkRow(e); if (row >= 0) pin(row); });

if (H > 1) for (let h = -1; h < H; h++) {
  const label = document.createElement("label"), input = document.createElement("input"), name = document.createElement("span");
  input.type = "radio"; input.name = "head"; input.value = h; input.checked = h === head;
  name.textContent = h < 0 ? "mean" : "head " + h;
  input.addEventListener("change", () => setHead(h));
  label.append(input, name); $("heads").append(label);
} else $("heads").remove();

function key() {
  $("ramp").style.background = `linear-gradient(90deg, ${Array.from({length: 17}, (_, i) => rgb(color(i / 16))).join(", ")})`;
  $("most").textContent = most.toFixed(2);
  const hidden = all.some(w => w === 0);
  $("hatch").hidden = $("hatchname").hidden = !hidden;
  $("ring").hidden = $("ringname").hidden = !data.chosen.length;
}
$("shape").textContent = `${T} × ${S}${H > 1 ? `, ${H} heads` : ""}`;
$("axes").textContent = `Heat map: ${data.rowName} (rows), ${data.columnName} (columns)`;
dark.addEventListener("change", () => { key(); paintHeat(); draw(); });
key();
setHead(head);
</script>
</body>
</html>
)html";
// clang-format on

}  // namespace fovea::look
