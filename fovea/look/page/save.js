// The part of the page's script that saves what is shown: the view with its title and its key, as SVG or PNG.

function wrapText(text, size, room) {
  const lines = [];
  ruler.font = "600 " + font(size);
  for (const word of text.split(" ")) {
    const longer = lines.length ? lines[lines.length - 1] + " " + word : word;
    if (lines.length && ruler.measureText(longer).width <= room) lines[lines.length - 1] = longer; else lines.push(word);
  }
  return lines;
}
// "source → target" in one line, or each side from the beginning of a line.
function titleLines(text, size, room) {
  const arrow = text.indexOf(" → "), whole = wrapText(text, size, room);
  return whole.length === 1 || arrow < 0 ? whole : [...wrapText(text.slice(0, arrow), size, room), ...wrapText(text.slice(arrow + 1), size, room)];
}

// What each view shows: its caption, its size, and how it is painted at (0, 0).
const shownViews = {
  heads: () => { layOutLinks(Infinity); return {caption: $("linkstitle").textContent, ...linksSize(), paint: paintLinks}; },
  model: () => ({caption: $("gridtitle").textContent.replace(/ Click.*/, ""), ...gridSize(), paint: paintGrid}),
  map: () => ({caption: $("axes").textContent, width: left + wide + 4, height: top_ + high + 4, paint: paintMap}),
};
function paintMap(g) {
  const subject = token(), row = subject && subject.side === "row" ? subject.i : -1;
  for (const [x, y, paint] of [[left, 0, () => drawColumns(g)], [0, top_, () => drawRows(g, row)], [left, top_, () => drawCells(g, row)]]) {
    g.save(); g.translate(x, y); paint(); g.restore();
  }
}
// Colours and what they mean, from left to right.
function paintKey(g, y) {
  let x = 0;
  const text = t => { g.fillText(t, x, y); ruler.font = g.font; x = Math.round(x + ruler.measureText(t).width + 8); };
  g.font = font(12); g.textAlign = "left"; g.textBaseline = "middle"; g.fillStyle = css("--soft");
  if (view === "heads") {
    text(heads.length > 1 ? "heads" : "head");
    for (const head of heads) { g.fillStyle = head.color; g.fillRect(x, y - 6, 12, 12); x += 17; g.fillStyle = css("--soft"); text(String(head.number)); }
    return;
  }
  text("0");
  for (let i = 0; i < 35; i++) { g.fillStyle = rgb(color(i / 34)); g.fillRect(x + i * 4, y - 5, 4, 10); }
  x += 148; g.fillStyle = css("--soft");
  text((view === "model" ? $("gridmost") : $("most")).textContent);
  if (view !== "map") return;
  if (!$("hatch").hidden) { g.fillStyle = css("--hatch"); g.fillRect(x + 6, y - 6, 12, 12); x += 24; g.fillStyle = css("--soft"); text("hidden"); }
  if (!$("ring").hidden) { g.strokeStyle = css("--pin"); g.lineWidth = 2; g.strokeRect(x + 7, y - 5, 10, 10); x += 24; text("chosen"); }
}

// The whole picture: how large it is, and a function that paints it.
function shownPicture() {
  const margin = 20, main = shownViews[view](), inner = Math.max(main.width, 380);
  const title = titleLines(document.title, 16, inner), caption = wrapText(main.caption, 13, inner);
  const top = margin + title.length * 22 + caption.length * 18 + 8;
  return {width: inner + 2 * margin, height: top + main.height + 42, paint(g) {
    g.fillStyle = css("--card"); g.fillRect(0, 0, inner + 2 * margin, top + main.height + 42);
    g.textAlign = "left"; g.textBaseline = "middle";
    let y = margin - 5;
    g.font = "600 " + font(16); g.fillStyle = css("--ink");
    for (const line of title) g.fillText(line, margin, (y += 22) - 11);
    g.font = "600 " + font(13); g.fillStyle = css("--soft");
    for (const line of caption) g.fillText(line, margin, (y += 18) - 7);
    g.save(); g.translate(margin, top); main.paint(g); g.restore();
    g.save(); g.translate(margin, top + main.height + 20); paintKey(g, 0); g.restore();
  }};
}
function shownSvg() {
  const picture = shownPicture(), g = new SvgContext(picture.width, picture.height);
  picture.paint(g);
  return new Blob([g.finish()], {type: "image/svg+xml"});
}
function shownPng() {
  const picture = shownPicture(), canvas = document.createElement("canvas");
  const scale = Math.min(2, 8000 / Math.max(picture.width, picture.height));
  canvas.width = Math.ceil(picture.width * scale); canvas.height = Math.ceil(picture.height * scale);
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  picture.paint(g);
  return new Promise(done => canvas.toBlob(done, "image/png"));
}
async function saveAs(kind) {
  const blob = await (kind === "svg" ? shownSvg() : shownPng()), link = document.createElement("a");
  draw();  // what was laid out for the picture fits the window again
  const name = view === "model" ? stack.name : named();
  link.href = URL.createObjectURL(blob);
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "-") || "attention"}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
