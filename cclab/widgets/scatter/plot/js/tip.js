/** A few words beside a sample. */

export class Tip {
  constructor(layer) {
    this.layer = layer;
    this.box = document.createElement("div");
    this.box.className = "cc-tip";
    this.box.setAttribute("role", "tooltip");
  }

  hide() { this.box.remove(); }

  /** Show HTML beside a pixel, on the side where there is room. */
  show(html, px, py) {
    this.box.innerHTML = html;
    this.layer.append(this.box);
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const right = px + 14 + width < this.layer.clientWidth;
    this.box.style.left = `${right ? px + 14 : Math.max(2, px - 14 - width)}px`;
    this.box.style.top = `${Math.max(2, Math.min(py - height / 2, this.layer.clientHeight - height - 2))}px`;
  }
}
