// The part of the page's script that draws the heads view: links between tokens.

// Tokens on two sides, lines between them: a colour for each head, as opaque as the weight. The heaviest 4000 at most.
let links = null;  // sizes
// Pixels for the links and both sides: what the window leaves beside the weights of one token.
const linksRoom = () => document.querySelector("main").clientWidth - (narrow.matches ? 26 : 346);
function layOutLinks(room) {
  const {rows, columns, T, S} = stack, pitch = Math.max(12, Math.min(26, 1600 / Math.max(T, S)));
  const size = Math.max(9, Math.min(14, pitch * 0.72));
  links = {pitch, size,
    left: Math.max(span(rows, size, 170), span([stack.rowName], 12, 170)) + 18,
    right: Math.max(span(columns, size, 170), span([stack.columnName], 12, 170)) + 18,
    strip: Math.min(120, Math.max(24, heads.length * 10))};
  links.between = Math.max(80, Math.min(260, room - links.left - links.right - 2 * links.strip));
}
const linkY = (i, n) => 30 + (i + 0.5 + (Math.max(stack.T, stack.S) - n) / 2) * links.pitch;
// The weight below which links are left out.
function threshold() {
  const limit = 4000, counts = new Uint32Array(1001);
  for (const head of heads) for (const w of head.weights) counts[Math.min(1000, Math.floor(w * 1000))]++;
  let total = 0, bin = 1000;
  for (; bin > 9 && total + counts[bin] <= limit; bin--) total += counts[bin];
  return (bin + 1) / 1000;
}
const linksSize = () => ({width: links.left + links.between + links.right + 2 * links.strip, height: links.pitch * Math.max(stack.T, stack.S) + 40});
function drawLinks() {
  layOutLinks(linksRoom());
  const {width, height} = linksSize(), {least, leftOut} = paintLinks(prepare($("links"), width, height));
  $("linkstitle").textContent = `${named()}: ${stack.rowName} (left) looks at ${stack.columnName} (right)`;
  $("linksnote").textContent = (leftOut ? `${leftOut === 1 ? "1 link" : leftOut + " links"} below ${least.toFixed(3)} not drawn. ` : "") +
    "Point at a token for its links alone; click to pin it.";
}
// Returns the weight below which links are left out, and how many those are.
function paintLinks(g) {
  const {rows, columns, T, S} = stack, {pitch, size, between, left, right, strip} = links;
  const subject = token(), byRow = subject && subject.side === "row", byKey = subject && subject.side === "key";
  const x0 = strip + left, x1 = x0 + between;
  g.textBaseline = "middle"; g.font = "600 " + font(12); g.fillStyle = css("--soft");
  g.textAlign = "right"; g.fillText(elide(stack.rowName, 12, left - 12), x0 - 10, 12);
  g.textAlign = "left"; g.fillText(elide(stack.columnName, 12, right - 12), x1 + 10, 12);
  const each = f => {
    for (let r = byRow ? subject.i : 0; r < (byRow ? subject.i + 1 : T); r++)
      for (let c = byKey ? subject.i : 0; c < (byKey ? subject.i + 1 : S); c++) f(r, c);
  };
  const least = subject ? 0.001 : threshold();
  let leftOut = 0;
  g.lineCap = "butt"; g.lineWidth = Math.max(1, Math.min(3, pitch * 0.7 / heads.length));
  heads.forEach((head, k) => {
    g.strokeStyle = head.color;
    const shift = (k - (heads.length - 1) / 2) * Math.min(2.4, pitch * 0.7 / heads.length);
    each((r, c) => {
      const w = head.weights[r * S + c];
      if (w < least) { leftOut += w > 0; return; }
      g.globalAlpha = Math.min(1, Math.max(0.03, w));
      const y0 = linkY(r, T) + shift, y1 = linkY(c, S) + shift;
      g.beginPath(); g.moveTo(x0, y0); g.bezierCurveTo(x0 + between * 0.4, y0, x0 + between * 0.6, y1, x1, y1); g.stroke();
    });
  });
  // Beside each token of the other side, a box for each head.
  if (subject) heads.forEach((head, k) => {
    const width = strip / heads.length;
    g.fillStyle = head.color;
    each((r, c) => {
      g.globalAlpha = Math.min(1, head.weights[r * S + c]);
      g.fillRect((byRow ? x1 + right : 0) + k * width, linkY(byRow ? c : r, byRow ? S : T) - pitch / 2 + 1, width - 1, pitch - 2);
    });
  });
  g.globalAlpha = 1;
  const label = (text, x, y, room, mine, dim) => {
    g.font = (mine ? "600 " : "") + font(size);
    g.fillStyle = mine ? css(pinned ? "--pin" : "--accent") : dim ? css("--soft") : css("--ink");
    g.fillText(elide(text, size, room), x, y);
  };
  g.textAlign = "right";
  for (let r = 0; r < T; r++) label(rows[r], x0 - 10, linkY(r, T), left - 14, byRow && r === subject.i, byRow || (byKey && weights[r * S + subject.i] < 0.05) || !seen[r]);
  g.textAlign = "left";
  for (let c = 0; c < S; c++) label(columns[c], x1 + 10, linkY(c, S), right - 14, byKey && c === subject.i, byKey || (byRow && weights[subject.i * S + c] < 0.05));
  return {least, leftOut};
}
function linkToken(event) {
  const box = $("links").getBoundingClientRect(), side = event.clientX - box.left < links.strip + links.left + links.between / 2 ? "row" : "key";
  const n = side === "row" ? stack.T : stack.S;
  const i = Math.floor((event.clientY - box.top - 30) / links.pitch - (Math.max(stack.T, stack.S) - n) / 2);
  return i >= 0 && i < n ? {side, i} : null;
}
const sameToken = (a, b) => a === b || (a && b && a.side === b.side && a.i === b.i);
$("links").addEventListener("pointermove", e => { const next = linkToken(e); if (!sameToken(next, point)) { point = next; draw(); } });
$("links").addEventListener("pointerleave", () => { point = null; draw(); });
$("links").addEventListener("click", e => { const next = linkToken(e); if (next) pin(next.side, next.i); });
$("links").addEventListener("keydown", e => {
  const from = token(), n = side => side === "row" ? stack.T : stack.S;
  let next = from || {side: "row", i: -1};
  if (e.key === "ArrowDown" || e.key === "ArrowUp") next = {side: next.side, i: Math.max(0, Math.min(n(next.side) - 1, next.i + (e.key === "ArrowDown" ? 1 : -1)))};
  else if (e.key === "ArrowLeft" || e.key === "ArrowRight") { const side = e.key === "ArrowLeft" ? "row" : "key"; next = {side, i: Math.max(0, Math.min(n(side) - 1, next.i))}; }
  else if ((e.key === "Enter" || e.key === " ") && from) { e.preventDefault(); return pin(from.side, from.i); }
  else if (e.key === "Escape") { pinned = point = null; save(); e.preventDefault(); return draw(); }
  else return;
  e.preventDefault();
  if (pinned) { pinned = next; save(); } else point = next;
  const y = linkY(next.i, n(next.side)), box = $("linksbox");
  box.scrollTop = Math.min(y - 40, Math.max(box.scrollTop, y + 40 - box.clientHeight));
  draw();
});
