/** What lies below and above the samples: axes, outlines, links; centres, rings, the query, the selection under way. */
import { MARGIN, ticks } from "./viewport.js";

export const TOKENS = ["line", "line-strong", "text", "text2", "text3", "ink", "surface", "focus", "bad", "shade"];
const CANNOT = 1;
const VIOLATED = 2;

function clip(context, viewport) {
  context.beginPath();
  context.rect(MARGIN.left, MARGIN.top, viewport.width, viewport.height);
  context.clip();
}

function drawAxes(context, viewport, scene, colors) {
  const { extent: [left, right, low, high], labels: [xLabel, yLabel] } = scene;
  const bottom = MARGIN.top + viewport.height;
  const end = MARGIN.left + viewport.width;
  const toX = (unit) => left + unit * (right - left);
  const toY = (unit) => low + unit * (high - low);
  context.strokeStyle = colors.line;
  context.fillStyle = colors.text3;
  context.lineWidth = 1;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.beginPath();
  context.moveTo(MARGIN.left + 0.5, MARGIN.top);
  context.lineTo(MARGIN.left + 0.5, bottom + 0.5);
  context.lineTo(end, bottom + 0.5);
  for (const { value, text } of ticks(toX(viewport.x0), toX(viewport.x1), viewport.width, 100)) {
    const px = Math.round(viewport.pixelX((value - left) / (right - left))) + 0.5;
    context.moveTo(px, bottom);
    context.lineTo(px, bottom + 6);
    context.fillText(text, px, bottom + 9);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { value, text } of ticks(toY(viewport.y0), toY(viewport.y1), viewport.height, 60)) {
    const py = Math.round(viewport.pixelY((value - low) / (high - low))) + 0.5;
    context.moveTo(MARGIN.left, py);
    context.lineTo(MARGIN.left - 6, py);
    context.fillText(text, MARGIN.left - 9, py);
  }
  context.stroke();
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(xLabel, MARGIN.left + viewport.width / 2, bottom + 36);
  context.save();
  context.translate(11, MARGIN.top + viewport.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(yLabel, 0, 0);
  context.restore();
}

function drawOutlines(context, viewport, outlines, colors) {
  for (const { polygon } of outlines) {
    context.beginPath();
    polygon.forEach(([x, y]) => context.lineTo(viewport.pixelX(x), viewport.pixelY(y)));
    context.closePath();
    context.fillStyle = colors.shade;
    context.fill();
    context.strokeStyle = colors.text2;
    context.lineWidth = 1.2;
    context.stroke();
  }
}

function drawOutlineNames(context, viewport, outlines, colors, font) {
  context.font = `600 12px ${font}`;
  context.fillStyle = colors.text2;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { name, anchor: [x, y] } of outlines) {
    context.fillText(name, viewport.pixelX(x) + 6, Math.max(MARGIN.top + 7, viewport.pixelY(y) - 4));
  }
}

function drawLinks(context, viewport, scene, colors) {
  const { xy, linkPairs, linkStyle, linkOpacity, linkWidth } = scene;
  for (let k = 0; k < linkStyle.length; k++) {
    const [i, j] = [linkPairs[2 * k], linkPairs[2 * k + 1]];
    context.beginPath();
    context.moveTo(viewport.pixelX(xy[2 * i]), viewport.pixelY(xy[2 * i + 1]));
    context.lineTo(viewport.pixelX(xy[2 * j]), viewport.pixelY(xy[2 * j + 1]));
    context.setLineDash(linkStyle[k] & CANNOT ? DASH : []);
    context.strokeStyle = linkStyle[k] & VIOLATED ? colors.bad : colors.text3;
    context.lineWidth = linkWidth[k];
    context.globalAlpha = linkOpacity[k] / 255;
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** A plus with a rim of the surface's colour, so that it is seen among samples. */
function drawCross(context, px, py, colors) {
  for (const [color, width, arm] of [[colors.surface, 6.5, 7.5], [colors.ink, 3.5, 6]]) {
    context.beginPath();
    context.moveTo(px - arm, py);
    context.lineTo(px + arm, py);
    context.moveTo(px, py - arm);
    context.lineTo(px, py + arm);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }
}

function drawCenters(context, viewport, scene, colors) {
  context.globalAlpha = 0.35;
  for (let k = 0; k < scene.ghosts.length; k += 2) {
    drawCross(context, viewport.pixelX(scene.ghosts[k]), viewport.pixelY(scene.ghosts[k + 1]), colors);
  }
  context.globalAlpha = 1;
  for (let k = 0; k < scene.centers.length; k += 2) {
    drawCross(context, viewport.pixelX(scene.centers[k]), viewport.pixelY(scene.centers[k + 1]), colors);
  }
}

function drawRings(context, viewport, scene, colors, radius) {
  context.strokeStyle = colors.text;
  context.lineWidth = 1.6;
  for (const i of scene.rings) {
    context.beginPath();
    context.arc(viewport.pixelX(scene.xy[2 * i]), viewport.pixelY(scene.xy[2 * i + 1]), radius + 3.5, 0, 2 * Math.PI);
    context.stroke();
  }
}

function drawQuery(context, viewport, scene, colors, font) {
  const places = scene.query.map((i) => [viewport.pixelX(scene.xy[2 * i]), viewport.pixelY(scene.xy[2 * i + 1])]);
  context.strokeStyle = context.fillStyle = colors.focus;
  if (places.length === 2) {
    context.beginPath();
    places.forEach((place) => context.lineTo(...place));
    context.lineWidth = 1.5;
    context.setLineDash([2, 10]);
    context.stroke();
    context.setLineDash([]);
  }
  context.font = `600 12px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  places.forEach(([px, py], k) => {
    context.beginPath();
    context.arc(px, py, 8.5, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.stroke();
    context.fillText(places.length > 3 ? k + 1 : "abc"[k], px, py - 14);
  });
}

export function drawBelow(context, viewport, scene, colors, font) {
  context.font = `11px ${font}`;
  drawAxes(context, viewport, scene, colors);
  context.save();
  clip(context, viewport);
  drawOutlines(context, viewport, scene.outlines, colors);
  drawLinks(context, viewport, scene, colors);
  context.restore();
}

export function drawAbove(context, viewport, scene, colors, font, radius) {
  context.save();
  clip(context, viewport);
  drawRings(context, viewport, scene, colors, radius);
  drawOutlineNames(context, viewport, scene.outlines, colors, font);
  drawQuery(context, viewport, scene, colors, font);
  drawCenters(context, viewport, scene, colors);
  context.restore();
}

export function drawSketch(context, polygon, colors) {
  context.beginPath();
  polygon.forEach((corner) => context.lineTo(...corner));
  context.closePath();
  context.globalAlpha = 0.07;
  context.fillStyle = colors.focus;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colors.focus;
  context.lineWidth = 1.5;
  context.stroke();
}
