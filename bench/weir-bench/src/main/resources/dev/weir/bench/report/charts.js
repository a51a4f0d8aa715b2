'use strict';
// Shared by all benchmark pages: data, tables and charts. Each page runs its own script after this one.

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
// Colours that can be told apart with every common kind of colour vision, and a shape for each colour.
const LIGHT = ['#0072b2', '#c84e00', '#00805d', '#a8447f', '#7a6100', '#2a8fc7', '#6a3d9a', '#8b1a1a'];
const DARK = ['#5cb8ff', '#ff9351', '#3bd6a5', '#ff9fd3', '#e8c53a', '#a6e1ff', '#bfa0ff', '#ff8f8f'];
const SHAPES = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'rectRounded', 'crossRot', 'cross'];
// After eight drivers, the colours repeat. Lines are then dashed and labelled with names.
const DASHES = [[], [9, 3], [9, 3, 2, 3], [5, 2]];
const dark = matchMedia('(prefers-color-scheme: dark)');
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const MANY = LIGHT.length;

const number = value => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
const short = value => {
  for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
    if (Math.abs(value) >= size) return `${+(value / size).toPrecision(4)}${unit}`;
  }
  return `${+value.toPrecision(4)}`;
};
const tensOnly = value => value.toExponential().startsWith('1e') ? short(value) : '';
const ratio = value => value === null || value === undefined ? '∞' : value < 0.01 ? value.toPrecision(2) : value.toFixed(value < 0.1 ? 3 : value < 100 ? 2 : 0);
const orMore = (figure, text) => figure.bound ? `≥ ${text}` : text;
const range = figure => figure.low === null ? 'one round' : `${ratio(figure.low)} – ${ratio(figure.high)}`;

/** Creates an element. Text is never interpreted as markup. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key === 'colour') made.style.background = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

function fill(table, titles, rows) {
  table.replaceChildren(
    element('thead', {}, element('tr', {}, ...titles.map(title => element('th', { scope: 'col' }, title)))),
    element('tbody', {}, ...rows.map(cells => element('tr', {}, ...cells))));
}
const rowTitle = (...children) => element('th', { scope: 'row' }, ...children);
const cell = (text, attributes) => element('td', attributes, text);
function save(name, url) {
  element('a', { download: name, href: url }).click();
}

function saveCsv(name, rows) {
  const quote = value => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  save(`${name}.csv`, 'data:text/csv;charset=utf-8,' + encodeURIComponent(rows.map(r => r.map(quote).join(',')).join('\n') + '\n'));
}

function savePng(name, title, canvas) {
  const scale = canvas.width / canvas.clientWidth;
  const copy = element('canvas', { width: canvas.width, height: canvas.height + 30 * scale });
  const pen = copy.getContext('2d');
  pen.fillStyle = css('--card');
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.fillStyle = css('--text');
  pen.font = `600 ${14 * scale}px sans-serif`;
  pen.fillText(`${title} · ${data.campaign}`, 10 * scale, 20 * scale);
  pen.drawImage(canvas, 0, 30 * scale);
  save(`${name}.png`, copy.toDataURL('image/png'));
}

/** Adds a chart with its title and exports. csv() returns rows; the first row contains the titles. */
function card(parent, { name, title, height, wide, config, csv }) {
  const canvas = element('canvas', { role: 'img', 'aria-label': title });
  const plot = element('div', { class: 'plot' }, canvas);
  plot.style.height = `${height || 280}px`;
  const file = `${data.name}-${name}`.replace(/[^\w.-]+/g, '_');
  const table = element('table');
  const asTable = element('details', { class: 'figures', ontoggle: () => {
    if (!asTable.open || table.rows.length) return;
    const [titles, ...rows] = csv();
    fill(table, titles, rows.map(row => row.map(value => cell(typeof value === 'number' ? number(value) : String(value ?? '–')))));
  } }, element('summary', {}, 'Table'), element('div', { class: 'scroll' }, table));
  parent.append(element('figure', wide ? { class: 'wide' } : {}, element('figcaption', {}, element('span', {}, title),
    element('button', { type: 'button', 'data-export': 'png', onclick: () => savePng(file, title, canvas) }, 'PNG'),
    element('button', { type: 'button', 'data-export': 'csv', onclick: () => saveCsv(file, csv()) }, 'CSV')), plot, asTable));
  const settings = config();
  settings.options = {
    animation: false, responsive: true, maintainAspectRatio: false, ...settings.options,
  };
  new Chart(canvas, settings);
}

/** Removes all charts from an element. */
function clear(place) {
  place.querySelectorAll('canvas').forEach(canvas => Chart.getChart(canvas)?.destroy());
  place.replaceChildren();
}

function axis(title, more) {
  return {
    title: { display: !!title, text: title, color: css('--dim') },
    grid: { color: css('--grid') }, border: { color: css('--line') },
    ...more, ticks: { color: css('--dim'), maxRotation: 60, ...more?.ticks },
  };
}
const legend = () => ({ labels: { color: css('--text'), usePointStyle: true, boxHeight: 7 }, position: 'bottom' });

/** Space for the names at the ends of the lines, if there are many lines. */
const besideLines = lines => lines > MANY ? { padding: { right: 118 } } : {};
const heightOf = (least, lines) => lines > MANY ? Math.max(least, 90 + 15 * lines) : least;

/** If there are many lines, writes the name of each at its end, in its colour. Names do not overlap. */
const names = {
  id: 'names',
  afterDatasetsDraw(chart) {
    chart.named = [];
    const sets = chart.data.datasets;
    if (sets.length <= MANY) return;
    const { ctx, chartArea: area } = chart;
    const ends = sets.flatMap((set, i) => {
      const points = chart.getDatasetMeta(i).data.filter((_, at) => set.data[at].y !== null && set.data[at].y !== undefined);
      const last = points[points.length - 1];
      return last && chart.isDatasetVisible(i) ? [{ set, x: last.x, from: last.y, y: last.y }] : [];
    }).sort((a, b) => a.y - b.y);
    const step = Math.min(13, (area.bottom - area.top) / Math.max(1, ends.length));
    ends.forEach((end, i) => { end.y = Math.max(end.y, i ? ends[i - 1].y + step : area.top); });
    for (let i = ends.length - 1, below = area.bottom; i >= 0; below = ends[i].y - step, i--) ends[i].y = Math.min(ends[i].y, below);
    ctx.save();
    ctx.font = '11px sans-serif';
    ctx.textBaseline = 'middle';
    for (const end of ends) {
      ctx.strokeStyle = ctx.fillStyle = end.set.borderColor;
      ctx.lineWidth = 0.7;
      ctx.beginPath();
      ctx.moveTo(Math.min(end.x, area.right), end.from);
      ctx.lineTo(area.right + 10, end.y);
      ctx.stroke();
      ctx.fillText(end.set.label, area.right + 13, end.y, 104);
      chart.named.push({ name: end.set.label, y: end.y });
    }
    ctx.restore();
  },
};

/** Draws intervals through the points. Behind ratios, also draws the line of no difference and the band of noise. */
const whiskers = horizontal => ({
  id: 'whiskers',
  beforeDatasetsDraw(chart) {
    chart.clipped = 0;
    const { ctx, chartArea: area, scales } = chart;
    const along = horizontal ? scales.x : scales.y;
    const bands = chart.options.plugins.whiskers.bands;
    ctx.save();
    ctx.fillStyle = css('--band');
    for (const band of bands) {
      const [a, b] = [along.getPixelForValue(band.low), along.getPixelForValue(band.high)];
      const across = horizontal ? scales.y : scales.x;
      const [c, d] = [across.getPixelForValue(band.from), across.getPixelForValue(band.to)];
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      ctx.fillRect(...(horizontal ? [Math.min(a, b), Math.min(c, d), Math.abs(b - a), Math.abs(d - c)]
        : [Math.min(c, d), Math.min(a, b), Math.abs(d - c), Math.abs(b - a)]));
    }
    if (chart.options.plugins.whiskers.isRatio === false) {
      ctx.restore();
      return;
    }
    ctx.strokeStyle = css('--dim');
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    const one = along.getPixelForValue(1);
    ctx.moveTo(horizontal ? one : area.left, horizontal ? area.top : one);
    ctx.lineTo(horizontal ? one : area.right, horizontal ? area.bottom : one);
    ctx.stroke();
    ctx.restore();
  },
  beforeDatasetDraw(chart, { index, meta }) {
    const { ctx, scales, chartArea: area } = chart;
    const along = horizontal ? scales.x : scales.y;
    const set = chart.data.datasets[index];
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    ctx.strokeStyle = set.borderColor;
    ctx.lineWidth = 2;
    set.data.forEach((point, i) => {
      if (point.low === null || point.low === undefined || !meta.data[i]) return;
      const low = along.getPixelForValue(Math.max(point.low, along.min));
      const high = along.getPixelForValue(Math.min(point.high, along.max));
      const at = horizontal ? meta.data[i].y : meta.data[i].x;
      const line = (x1, y1, x2, y2) => { ctx.beginPath(); ctx.moveTo(x1, y1); ctx.lineTo(x2, y2); ctx.stroke(); };
      // An arrow shows that an interval extends beyond the edge.
      const arrow = (end, back) => {
        ctx.beginPath();
        for (const [along, across] of [[end, 0], [end + back, -5], [end + back, 5]]) ctx.lineTo(...(horizontal ? [along, at + across] : [at + across, along]));
        ctx.closePath();
        ctx.fillStyle = set.borderColor;
        ctx.fill();
      };
      const cutLow = point.low < along.min, cutHigh = point.high > along.max;
      chart.clipped = (chart.clipped || 0) + cutLow + cutHigh;
      const inward = horizontal ? 1 : -1;
      if (horizontal) {
        line(low, at, high, at);
        if (!cutLow) line(low, at - 4, low, at + 4);
        if (!cutHigh) line(high, at - 4, high, at + 4);
      } else {
        line(at, low, at, high);
      }
      if (cutLow) arrow(low, 9 * inward);
      if (cutHigh) arrow(high, -9 * inward);
    });
    ctx.restore();
  },
});

function ratioBounds(all) {
  let low = 0.9, high = 1.1;
  for (const figure of all) {
    // An interval of two or three rounds may be extremely wide. It is cut off, so that the others stay readable.
    low = Math.min(low, figure.ratio, Math.max(figure.low ?? figure.ratio, figure.ratio / 4));
    high = Math.max(high, figure.ratio, Math.min(figure.high ?? figure.ratio, figure.ratio * 4));
  }
  const room = Math.pow(high / low, 0.06);
  return { min: low / room, max: high * room };
}

/** Ticks at 1, 2, 5 and their multiples of ten. If the range is small, there are more ticks. */
function ratioTicks(scale) {
  const steps = scale.max / scale.min > 6 ? [1, 2, 5] : scale.max / scale.min > 1.8 ? [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]
    : [1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 6, 7, 7.5, 8, 8.5, 9, 9.5];
  const ticks = [];
  for (let power = -4; power <= 5; power++) {
    for (const step of steps) {
      const value = +(step * 10 ** power).toPrecision(6);
      if (value >= scale.min && value <= scale.max) ticks.push({ value });
    }
  }
  scale.ticks = ticks.length > 1 ? ticks : [{ value: scale.min }, { value: 1 }, { value: scale.max }];
}

function option(value, text) {
  return element('option', { value }, text);
}
