// The part of the page's script that draws the map view: a heat map whose labels stay in sight.

// Sizes of the heat map: fixed by the number of cells. Sentences of up to 150 words keep cells in which every word has
// its label, and scroll below and beside their labels; larger maps shrink, and have a label every few cells.
let cell, size, step, left, flat, top_, wide, high;
function layOutHeat() {
  const longest = Math.max(stack.T, stack.S);
  cell = Math.max(2, Math.floor(Math.min(46, Math.max(560 / longest, Math.min(14, 2100 / longest)))));
  size = Math.max(8, Math.min(13, Math.round(cell * 0.8)));
  step = Math.max(1, Math.ceil(size * 1.1 / cell));
  left = span(stack.rows, size, 150) + 12;
  flat = span(stack.columns, size, 150) <= cell - 4;
  top_ = flat ? size + 10 : span(stack.columns, size, 150) + 12;
  wide = cell * stack.S; high = cell * stack.T;
}
const picture = document.createElement("canvas");  // the cells alone, one pixel each

function paintHeat() {
  const {T, S} = stack;
  picture.width = S; picture.height = T;
  const context = picture.getContext("2d"), image = context.createImageData(S, T);
  const table = Array.from({length: 256}, (_, i) => color(i / 255));
  const empty = hiddenColor();
  for (let r = 0; r < T; r++) for (let c = 0; c < S; c++) {
    const i = r * S + c;
    const p = isHidden(r, c) ? empty : table[Math.round(Math.min(1, weights[i] / most) * 255)];
    image.data.set([p[0], p[1], p[2], 255], i * 4);
  }
  context.putImageData(image, 0, 0);
}

function drawHeat() {
  const subject = token(), row = subject && subject.side === "row" ? subject.i : -1;
  drawCells(prepare($("cells"), wide + 4, high + 4), row);
  drawRows(prepare($("rows"), left, high + 4), row);
  drawColumns(prepare($("columns"), wide + 4, top_));
  $("corner").style.width = left + "px"; $("corner").style.height = top_ + "px";
}

function drawCells(g, row) {
  const {T, S} = stack;
  g.imageSmoothingEnabled = false;
  if (g.vector && T * S <= 20000)  // a picture of boxes, whose edges stay sharp
    for (let r = 0; r < T; r++) for (let c = 0; c < S; c++) {
      g.fillStyle = rgb(isHidden(r, c) ? hiddenColor() : color(weights[r * S + c] / most));
      g.fillRect(c * cell, r * cell, cell, cell);
    }
  else g.drawImage(picture, 0, 0, wide, high);
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
  if (row >= 0) { g.strokeStyle = pinned ? css("--pin") : soft; g.lineWidth = pinned ? 2 : 1; g.strokeRect(0, row * cell - margin, wide, cell + 2 * margin); }
  if (at) { g.strokeStyle = ink; g.lineWidth = 2; g.strokeRect(at.column * cell - margin, at.row * cell - margin, cell + 2 * margin, cell + 2 * margin); }
}

function drawRows(g, row) {
  const {T} = stack;
  g.textBaseline = "middle"; g.textAlign = "right";
  for (let r = 0; r < T; r++) {
    if (r % step && r !== row) continue;
    if (row >= 0 && step > 1 && r !== row && Math.abs(r - row) * cell < size) continue;
    g.font = (r === row ? "600 " : "") + font(size);
    g.fillStyle = r === row && pinned ? css("--pin") : seen[r] ? css("--ink") : css("--soft");
    g.fillText(elide(stack.rows[r], size, left - 10), left - 7, (r + 0.5) * cell);
  }
}

function drawColumns(g) {
  const {S} = stack;
  g.textBaseline = "middle"; g.fillStyle = css("--ink");
  for (let c = 0; c < S; c++) {
    const here = at && c === at.column;
    if (c % step && !here) continue;
    if (at && step > 1 && !here && Math.abs(c - at.column) * cell < size) continue;
    g.font = (here ? "600 " : "") + font(size);
    g.save(); g.translate((c + 0.5) * cell, top_ - 7);
    if (flat) { g.textAlign = "center"; g.textBaseline = "alphabetic"; } else { g.rotate(-Math.PI / 2); g.textAlign = "left"; }
    g.fillText(elide(stack.columns[c], size, flat ? cell : top_ - 10), 0, 0); g.restore();
  }
}

let painted = null;  // what the picture is of: pointing at a cell need not paint it again
function drawMap() {
  if (painted !== weights) { layOutHeat(); paintHeat(); painted = weights; }
  drawHeat();
  $("axes").textContent = `${named()}: ${stack.rowName} (rows), ${stack.columnName} (columns)`;
  $("most").textContent = most.toFixed(2);
  $("hatch").hidden = $("hatchname").hidden = !weights.some(w => w === 0);
  $("ring").hidden = $("ringname").hidden = !chosen;
}

const heat = $("heat"), cells = $("cells"), tip = $("tip");
function cellAt(event) {
  const box = cells.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / cell), row = Math.floor((event.clientY - box.top) / cell);
  return row >= 0 && row < stack.T && column < stack.S ? {row, column: Math.max(0, column)} : null;
}
// The number of the cell under the pointer, beside it.
function showTip(event, on) {
  tip.hidden = !on;
  if (!on) return;
  const w = weights[at.row * stack.S + at.column];
  tip.textContent = `${stack.rows[at.row]} → ${stack.columns[at.column]}  ${isHidden(at.row, at.column) ? "hidden" : number(w)}`;
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
heat.addEventListener("click", e => { const next = cellAt(e); if (next) pin("row", next.row); });
heat.addEventListener("keydown", e => {
  const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[e.key];
  if (move) {
    const from = at || {row: pinned && pinned.side === "row" ? pinned.i : 0, column: 0};
    at = at ? {row: Math.max(0, Math.min(stack.T - 1, from.row + move[0])), column: Math.max(0, Math.min(stack.S - 1, from.column + move[1]))} : from;
    if (pinned) { pinned = {side: "row", i: at.row}; save(); }
    follow();
  } else if ((e.key === "Enter" || e.key === " ") && at) { e.preventDefault(); return pin("row", at.row); }
  else if (e.key === "Escape") { pinned = at = null; save(); }
  else return;
  e.preventDefault(); draw();
});
