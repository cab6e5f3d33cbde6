// The part of the page's script that writes SVG: as much of a canvas's context as the views draw with.

const svgText = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
const tidy = x => String(Math.round(x * 100) / 100);
class SvgContext {
  constructor(width, height) {
    Object.assign(this, {width, height, vector: true, out: [], path: "", groups: [0], states: []});
    Object.assign(this, {fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "", textAlign: "left", textBaseline: "alphabetic", lineCap: "butt", imageSmoothingEnabled: true});
  }
  save() {
    const {fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline} = this;
    this.states.push({fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline});
    this.groups.push(0);
  }
  restore() { this.out.push("</g>".repeat(this.groups.pop())); Object.assign(this, this.states.pop()); }
  moved(transform) { this.groups[this.groups.length - 1]++; this.out.push(`<g transform="${transform}">`); }
  translate(x, y) { this.moved(`translate(${tidy(x)} ${tidy(y)})`); }
  rotate(angle) { this.moved(`rotate(${tidy(angle * 180 / Math.PI)})`); }
  get alpha() { return this.globalAlpha < 1 ? ` opacity="${tidy(this.globalAlpha)}"` : ""; }
  box(x, y, w, h, paint) { this.out.push(`<rect x="${tidy(x)}" y="${tidy(y)}" width="${tidy(w)}" height="${tidy(h)}" ${paint}${this.alpha}/>`); }
  fillRect(x, y, w, h) { this.box(x, y, w, h, `fill="${this.fillStyle}"`); }
  strokeRect(x, y, w, h) { this.box(x, y, w, h, `fill="none" stroke="${this.strokeStyle}" stroke-width="${tidy(this.lineWidth)}"`); }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${tidy(x)} ${tidy(y)}`; }
  lineTo(x, y) { this.path += `L${tidy(x)} ${tidy(y)}`; }
  bezierCurveTo(...xy) { this.path += "C" + xy.map(tidy).join(" "); }
  stroke() { if (this.path) this.out.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${tidy(this.lineWidth)}"${this.alpha}/>`); }
  text(text, x, y, paint) {
    const [, style, weight, size] = /^(italic )?(600 )?([\d.]+)px/.exec(this.font) || [, "", "", "12"];
    // Few programs know dominant-baseline: what stands on its middle is moved down instead.
    const down = this.textBaseline === "middle" ? Number(size) * 0.36 : 0;
    const anchor = {right: ' text-anchor="end"', center: ' text-anchor="middle"'}[this.textAlign] || "";
    this.out.push(`<text x="${tidy(x)}" y="${tidy(y + down)}" font-size="${size}"${weight ? ' font-weight="600"' : ""}${style ? ' font-style="italic"' : ""}${anchor} ${paint}${this.alpha}>${svgText(text)}</text>`);
  }
  fillText(text, x, y) { this.text(text, x, y, `fill="${this.fillStyle}"`); }
  strokeText(text, x, y) { this.text(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${tidy(this.lineWidth)}"`); }
  drawImage(image, x, y, w, h) { this.out.push(`<image x="${tidy(x)}" y="${tidy(y)}" width="${tidy(w)}" height="${tidy(h)}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${image.toDataURL()}"/>`); }
  finish() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(this.width)}" height="${Math.ceil(this.height)}" viewBox="0 0 ${Math.ceil(this.width)} ${Math.ceil(this.height)}" font-family="${svgText(fonts.replaceAll('"', "'"))}">\n${this.out.join("\n")}\n</svg>\n`;
  }
}
