'use strict';
(() => {
  const chosen = () => data.histories[Number(byId('history').value)];
  const colour = at => (dark.matches ? DARK : LIGHT)[at % LIGHT.length];
  const range = figure => figure.low === null ? '' : ` (${number(figure.low)} – ${number(figure.high)})`;

  /** Draws the chart of a library, with its versions from left to right and a line for each point of the workload. */
  function draw() {
    const place = byId('charts');
    clear(place);
    const history = chosen();
    const metric = history && data.metrics.find(m => m.name === byId('metric').value);
    const isRatio = byId('scale').value === 'ratio';
    const all = metric ? history.series.filter(s => s.metric === metric.name) : [];
    for (const driver of [...new Set(all.map(s => s.driver))]) {
      const lines = all.filter(s => s.driver === driver).map(s => ({ ...s, figures: s.figures.map(f =>
        isRatio ? f : { ...f, ratio: f.median, low: f.lowMedian, high: f.highMedian }).filter(f => f.ratio > 0) })).filter(s => s.figures.length);
      if (!lines.length) continue;
      const versions = history.versions[driver].filter(version => lines.some(s => s.figures.some(f => f.version === version)));
      const unit = isRatio ? `ratio to ${history.baseline}` : metric.unit;
      const values = lines.flatMap(s => s.figures);
      const spread = Math.max(...values.map(f => f.ratio)) > 20 * Math.min(...values.map(f => f.ratio));
      card(place, {
        name: `${history.name}-${driver}-${metric.name}-${isRatio ? 'ratio' : 'measured'}`,
        title: `${driver}: ${metric.title}, ${unit}`, height: heightOf(320, lines.length),
        config: () => ({
          type: 'line',
          plugins: [whiskers(false), names],
          data: { labels: versions, datasets: lines.map((s, at) => ({
            label: s.label, borderColor: colour(at), backgroundColor: colour(at), pointStyle: SHAPES[at % SHAPES.length],
            borderDash: DASHES[Math.floor(at / LIGHT.length) % DASHES.length], borderWidth: 1.5, radius: 5, spanGaps: true,
            data: versions.map(version => {
              const figure = s.figures.find(f => f.version === version);
              return figure ? { x: version, y: figure.ratio, low: figure.low, high: figure.high, figure } : { x: version, y: null, low: null, high: null };
            }),
          })) },
          options: {
            layout: besideLines(lines.length),
            scales: {
              x: axis('version', { offset: true }),
              y: isRatio ? axis(unit, { type: 'logarithmic', ...ratioBounds(values), afterBuildTicks: ratioTicks, ticks: { callback: value => +value.toPrecision(3) } })
                : axis(unit, { type: spread ? 'logarithmic' : 'linear', beginAtZero: true, ticks: { callback: spread ? tensOnly : short } }),
            },
            plugins: { whiskers: { bands: [], isRatio }, legend: legend(), tooltip: { callbacks: { label: item => {
              const figure = item.raw.figure;
              return [`${item.dataset.label}: ${number(figure.ratio)}${range(figure)}`, `${figure.campaigns} campaigns, newest ${figure.newest}`];
            } } } },
          },
        }),
        csv: () => [['point', 'driver', 'version', isRatio ? 'ratio' : metric.unit, 'low', 'high', 'campaigns', 'newest'],
          ...lines.flatMap(s => s.figures.map(f => [s.point, driver, f.version, f.ratio, f.low, f.high, f.campaigns, f.newest]))],
      });
    }
    byId('hint').textContent = !history ? 'No campaign has figures of a named version.'
      : !all.length ? 'No figure of this kind.'
      : isRatio ? 'Geometric means over rounds against the baseline in the same round; over several campaigns of one version their median. Lines span the 95 % intervals of all of them.'
      : 'Medians over rounds; over several campaigns of one version their median. Lines span the lowest and the highest campaign. Absolute figures belong to the machine and its hour.';
  }

  function choose() {
    const history = chosen();
    byId('where').textContent = history ? `${history.campaigns} campaigns · ${history.cores} cores · ${history.processor}` : '';
    byId('scale').parentElement.hidden = !history || !history.isRatio;
    if (history && !history.isRatio) byId('scale').value = 'median';
    draw();
  }

  byId('history').append(...data.histories.map((history, at) =>
    option(at, `${history.name}, ${history.cores} cores, ${history.processor}`)));
  byId('metric').append(...data.metrics.map(metric => option(metric.name, metric.title)));
  byId('history').addEventListener('change', choose);
  for (const id of ['metric', 'scale']) byId(id).addEventListener('change', draw);
  dark.addEventListener('change', draw);
  choose();
})();
