// The last part of the page's script: the weights of one token in a list, and what starts it all.

// The weights of one token beside the picture: what a row looks at, or which rows look at a key.
function drawSide() {
  const subject = token(), said = $("said"), bars = $("bars"), {T, S} = stack;
  $("rowtitle").textContent = pinned ? "Pinned token" : "One token";
  bars.replaceChildren(); said.replaceChildren();
  if (!subject) { said.textContent = "No token is chosen."; return; }
  const byRow = subject.side === "row", texts = byRow ? stack.columns : stack.rows, n = texts.length;
  const place = i => byRow ? subject.i * S + i : i * S + subject.i;
  const hiddenAt = i => byRow ? isHidden(subject.i, i) : isHidden(i, subject.i);
  const strong = text => { const b = document.createElement("b"); b.textContent = text; return b; };
  const name = (byRow ? stack.rows : stack.columns)[subject.i];
  if (byRow && !seen[subject.i]) { said.append(strong(name), ` is hidden: it sees no ${stack.columnName}.`); return; }
  if (view === "map" && byRow && at && at.row === subject.i) said.append(strong(name), " → ", strong(texts[at.column]), ": ", strong(hiddenAt(at.column) ? "hidden" : number(weights[place(at.column)])));
  else if (byRow) said.append(strong(name), ` looks at ${seen[subject.i]} of ${S}`);
  else said.append(strong(name), " is looked at by");
  if (heads.length > 1) said.append(` (mean of ${heads.length} heads)`);
  const limit = 32;
  let order = Array.from({length: n}, (_, i) => i);
  if (n > limit) order = order.sort((a, b) => weights[place(b)] - weights[place(a)] || a - b).slice(0, limit);
  let top = 0, total = 0, shown = 0;
  for (let i = 0; i < n; i++) total += weights[place(i)];
  for (const i of order) top = Math.max(top, weights[place(i)]);
  for (const i of order) {
    const w = weights[place(i)], item = document.createElement("li");
    shown += w;
    item.className = (hiddenAt(i) ? "hidden " : "") + (byRow && chosen && chosen[subject.i] === i ? "chosen" : "");
    for (const [kind, text] of [["name", texts[i]], ["track", ""], ["number", hiddenAt(i) ? "–" : number(w)]]) {
      const part = document.createElement("span");
      part.className = kind; part.textContent = text; if (kind === "name") part.title = text;
      if (kind === "track" && w > 0) for (const head of view === "heads" ? heads : [{weights: null}]) {
        const bar = document.createElement("div"), share = head.weights ? head.weights[place(i)] / heads.length : w;
        bar.className = "bar"; bar.style.width = 100 * share / top + "%"; if (head.color) bar.style.background = head.color;
        part.append(bar);
      }
      item.append(part);
    }
    bars.append(item);
  }
  if (n > limit) {
    const item = document.createElement("li"), text = document.createElement("span");
    text.style.gridColumn = "1 / 4"; text.className = "number";
    text.textContent = `and ${n - limit} more, ${number(Math.max(0, total - shown))} together`;
    item.append(text); bars.append(item);
  }
}

function named() {
  const parts = stack.name ? [stack.name] : [], part = stack.name && stack.name !== "attention";  // of a model with layers
  if (stack.L > 1 || part) parts.push(`layer ${stack.layers[layer]}`);
  if (stack.H > 1 || part) parts.push(heads.length === 1 ? `head ${heads[0].number}` : view === "map" ? `mean of ${heads.length} heads` : `${heads.length} heads`);
  return parts.join(", ") || "attention";
}
let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    if (view === "heads") drawLinks(); else if (view === "model") drawModel(); else drawMap();
    drawSide();
  });
}
const help = {heads: "Heads: click shows or hides one, double click shows it alone. Keyboard: arrows, Enter pins, Esc lets go.",
  map: "Point at a cell to read it. Click a row to pin it, click again or press Esc to let go. Keyboard: arrows, Enter, Esc."};
function show() {
  for (const v in views) $(v + "view").hidden = v !== view;
  $("side").hidden = view === "model";
  $("help").textContent = help[view] || "";
  $("shape").textContent = [stack.L > 1 ? `${stack.L} layers` : "", stack.H > 1 ? `${stack.H} heads` : "", `${stack.T} × ${stack.S}`].filter(Boolean).join(", ");
  for (const ramp of document.querySelectorAll(".ramp")) ramp.style.background = `linear-gradient(90deg, ${Array.from({length: 17}, (_, i) => rgb(color(i / 16))).join(", ")})`;
  read(); drawBar(); save(); draw();
}
$("exact").textContent = data.rounded ? "Weights are rounded: to 0.004 near 1, 0.0004 near 0.01. Fewer layers or heads make an exact page." : "";
addEventListener("hashchange", () => { load(); show(); });
addEventListener("resize", () => { gridOf = null; draw(); });
dark.addEventListener("change", () => { painted = null; show(); });
load();
show();
