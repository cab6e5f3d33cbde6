// The first part of the page's script: the weights, colours and text that all views draw.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 760px)");  // as in style.css: everything in one column

// Weights are little-endian f32, or, in a large page, bytes b for (b / 255)^2.
function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
for (const stack of data.stacks) {
  const bytes = bytesOf(stack.weights);
  stack.raw = data.rounded ? bytes : new Float32Array(bytes.buffer);
  stack.weights = null;
  stack.T = stack.rows.length; stack.S = stack.columns.length; stack.N = stack.T * stack.S;
  stack.L = stack.layers.length; stack.H = stack.heads.length;
}
const square = Float32Array.from({length: 256}, (_, b) => (b / 255) ** 2);
function headWeights(stack, layer, head) {
  const from = (layer * stack.H + head) * stack.N, part = stack.raw.subarray(from, from + stack.N);
  if (!data.rounded) return part;
  const out = new Float32Array(part.length);
  for (let i = 0; i < part.length; i++) out[i] = square[part[i]];
  return out;
}
const largest = weights => { let most = 0; for (const w of weights) if (w > most) most = w; return most; };

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function color(share) {
  const x = Math.min(1, Math.max(0, dark.matches ? 1 - share : share)) * (data.scale.length - 1);
  const low = Math.min(Math.floor(x), data.scale.length - 2);
  return data.scale[low].map((a, i) => Math.round(a + (x - low) * (data.scale[low + 1][i] - a)));
}
const rgb = c => `rgb(${c[0]},${c[1]},${c[2]})`;
const headColor = h => data.colors[h % data.colors.length];
const number = w => w === 0 ? "0" : w < 0.0005 ? "<.001" : w.toFixed(3);
const short = w => w === 0 ? "0" : w < 0.005 ? "<.01" : w.toFixed(2);
const hiddenColor = () => dark.matches ? [27, 33, 41] : [241, 240, 238];

// A canvas of the given size in CSS pixels, sharp on dense screens as far as browsers allow.
function prepare(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 8000 / Math.max(width, height, 1));
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  canvas.width = Math.ceil(width * ratio); canvas.height = Math.ceil(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
const fonts = 'system-ui, "Noto Sans", "Noto Sans CJK KR", "DejaVu Sans", NanumGothic, sans-serif';
const font = size => `${size}px ${fonts}`;
const ruler = document.createElement("canvas").getContext("2d");
function elide(text, size, room) {
  ruler.font = "600 " + font(size);
  if (ruler.measureText(text).width <= room) return text;
  const mark = text.length > 5 && text.endsWith("<unk>") ? "<unk>" : "";  // what is cut of an unknown token is its text
  const characters = Array.from(text.slice(0, text.length - mark.length));
  while (characters.length && ruler.measureText(characters.join("") + "…" + mark).width > room) characters.pop();
  return characters.join("") + "…" + mark;
}
const span = (texts, size, room) => { ruler.font = "600 " + font(size); let w = 0; for (const t of texts) w = Math.max(w, ruler.measureText(t).width); return Math.min(w, room); };
