/** A few words beside a sample: those of Python, or, while these are on their way, its number and its place. */

const PATIENCE_MS = 20; // words that come sooner need no others before them

export class Tip {
  constructor(layer) {
    this.layer = layer;
    this.box = document.createElement("div");
    this.box.className = "cc-tip";
    this.box.setAttribute("role", "tooltip");
    this.timer = 0;
  }

  hide() {
    clearTimeout(this.timer);
    this.box.remove();
  }

  /** Show a sample's number and its place, unless words come soon. */
  expect(index, values, px, py) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const sample = Object.assign(document.createElement("div"), { className: "cc-sample" });
      const head = Object.assign(document.createElement("header"), { textContent: index });
      const place = Object.assign(document.createElement("small"), { textContent: values.join(" · ") });
      sample.append(head, place);
      this.box.dataset.words = "place";
      this.box.replaceChildren(sample);
      this.put(px, py);
    }, PATIENCE_MS);
  }

  /** Show HTML beside a pixel, on the side where there is room. */
  show(html, px, py) {
    clearTimeout(this.timer);
    this.box.dataset.words = "all";
    this.box.innerHTML = html;
    this.put(px, py);
  }

  put(px, py) {
    this.layer.append(this.box);
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const right = px + 14 + width < this.layer.clientWidth;
    this.box.style.left = `${right ? px + 14 : Math.max(2, px - 14 - width)}px`;
    this.box.style.top = `${Math.max(2, Math.min(py - height / 2, this.layer.clientHeight - height - 2))}px`;
  }
}
