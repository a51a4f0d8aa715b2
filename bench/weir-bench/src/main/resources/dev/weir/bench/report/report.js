'use strict';
(() => {
  const percent = `${Math.round(data.confidence * 100)} %`;
  const rivals = data.drivers.map(d => d.name).filter(name => name !== data.baseline);
  const colour = driver => driver === data.baseline ? css('--text') : driver === data.control ? css('--dim')
    : (dark.matches ? DARK : LIGHT)[coloured.indexOf(driver) % LIGHT.length];
  const coloured = rivals.filter(name => name !== data.control);
  const turn = driver => Math.max(0, Math.floor(coloured.indexOf(driver) / LIGHT.length));
  // If a colour is used again, it has another shape.
  const shape = driver => SHAPES[(data.drivers.findIndex(d => d.name === driver) + 3 * turn(driver)) % SHAPES.length];
  const dash = driver => DASHES[turn(driver) % DASHES.length];
  const swatch = driver => element('span', { class: 'swatch', colour: colour(driver) });

  /** The style of a driver's line. If there are many lines, each has only a few markers. */
  const line = (driver, lines) => ({
    label: driver, borderColor: colour(driver), backgroundColor: colour(driver), pointStyle: shape(driver), borderDash: dash(driver),
    ...(lines > MANY ? { pointRadius: at => (at.dataIndex + coloured.indexOf(driver)) % 7 === 0 ? 3 : 0 } : {}),
  });

  // --- ratios ---

  function drawRatios() {
    const place = byId('ratios');
    clear(place);
    const metric = data.metrics.find(m => m.name === byId('metric').value);
    byId('compare-hint').textContent = metric
      ? `${metric.title} divided by that of ${data.baseline} in the same round, ${percent} intervals over rounds; ${metric.higherIsBetter ? 'higher' : 'lower'} is better.`
        + ' An arrow: the interval goes on beyond the edge.'
        + (data.control ? ' Shaded: as far as the baseline and itself came apart (A/A).' : ' No A/A run: the noise floor is unknown.')
      : 'Nothing to compare yet.';
    if (!metric) return;
    const figures = data.points.flatMap((point, index) => point.drivers
      .filter(d => d.metrics[metric.name]?.ratio > 0)
      .map(d => ({ ...d.metrics[metric.name], driver: d.driver, point, index })));
    const rows = data.points.length <= 3;
    const lanes = rivals.length + 1;
    const across = figure => rows ? figure.index * lanes + rivals.indexOf(figure.driver)
      : figure.index + (rivals.indexOf(figure.driver) - (rivals.length - 1) / 2) * 0.7 / Math.max(1, rivals.length);
    const bands = data.points.flatMap((point, index) => point.noise[metric.name] ? [{
      low: 1 / point.noise[metric.name], high: point.noise[metric.name],
      from: rows ? index * lanes - 0.5 : index - 0.5, to: rows ? index * lanes + rivals.length - 0.5 : index + 0.5,
    }] : []);
    const along = axis(`${metric.title} / ${data.baseline}`, {
      type: 'logarithmic', ...ratioBounds(figures), afterBuildTicks: ratioTicks,
      ticks: { callback: value => +value.toPrecision(3), autoSkip: true, maxRotation: 0 },
    });
    const label = value => {
      const point = data.points[Math.floor(value / lanes)];
      const driver = rivals[value % lanes];
      if (!point || !driver) return '';
      const bound = point.drivers.find(d => d.driver === driver)?.metrics[metric.name]?.bound ? ' (or more)' : '';
      return (data.points.length > 1 ? `${driver} · ${point.label}` : driver) + bound;
    };
    const other = rows
      ? axis('', { min: -0.6, max: data.points.length * lanes - 1.4, reverse: true, grid: { display: false },
        afterBuildTicks: scale => { scale.ticks = Array.from({ length: data.points.length * lanes - 1 }, (_, value) => ({ value })); },
        ticks: { callback: label, color: css('--text'), autoSkip: false } })
      : axis('', { min: -0.6, max: data.points.length - 0.4,
        afterBuildTicks: scale => { scale.ticks = data.points.map((_, value) => ({ value })); },
        ticks: { callback: value => data.points[value]?.label ?? '', autoSkip: true } });
    card(place, {
      name: `ratios-${metric.name}`, title: `${metric.title}, ratio to ${data.baseline}`, wide: true,
      height: rows ? 90 + 30 * data.points.length * lanes : 420,
      config: () => ({
        type: 'scatter',
        data: { datasets: rivals.map(driver => ({
          label: driver === data.control ? `${driver} (A/A)` : driver, borderColor: colour(driver), backgroundColor: colour(driver),
          pointStyle: shape(driver), radius: rows ? 6 : 4, hoverRadius: 8, clip: false,
          data: figures.filter(f => f.driver === driver).map(f => rows
            ? { x: f.ratio, y: across(f), low: f.low, high: f.high, f } : { x: across(f), y: f.ratio, low: f.low, high: f.high, f }),
        })) },
        plugins: [whiskers(rows)],
        options: {
          scales: rows ? { x: along, y: other } : { x: other, y: along },
          plugins: {
            whiskers: { bands }, legend: rows ? { display: false } : legend(),
            tooltip: { callbacks: { label: item => {
              const f = item.raw.f;
              return [`${f.driver} at ${f.point.label}`, `ratio ${orMore(f, ratio(f.ratio))} (${range(f)}), ${f.rounds} rounds`, f.words,
                ...(f.bound ? [`a bound, not quoted; limit: ${f.limit}`] : [])];
            } } },
          },
        },
      }),
      csv: () => [['point', 'dimensions', 'driver', 'ratio', 'low', 'high', 'rounds', 'verdict', 'limit'],
        ...figures.map(f => [f.point.id, f.point.label, f.driver, f.ratio, f.low, f.high, f.rounds, f.verdict, f.limit])],
    });
    drawMatrix(metric);
  }

  const MARKS = { better: '▲', worse: '▼', same: '≈', unclear: '·', 'not-measured': '–' };

  function drawMatrix(metric) {
    fill(byId('matrix'), ['point', ...data.drivers.map(d => d.name)], data.points.map(point => [
      rowTitle(data.points.length > 1 ? element('a', { href: '#point-title', onclick: () => choose(data.points.indexOf(point)) }, point.label) : point.label),
      ...point.drivers.map(d => {
        const figure = d.metrics[metric.name];
        if (!figure) return cell(d.runs ? 'not quoted' : '–');
        if (!figure.verdict) return cell(`${orMore(figure, number(figure.median))} ${metric.unit}`);
        // The control is the baseline itself. A difference means that the measurement is unreliable.
        const off = d.driver === data.control && (figure.verdict === 'better' || figure.verdict === 'worse');
        const made = cell(`${off ? '≠' : MARKS[figure.verdict]} ${orMore(figure, ratio(figure.ratio))}`,
          { class: off ? '' : figure.verdict, title: (off ? 'the baseline differs from itself: distrust this point' : figure.words) + (figure.bound ? `; a bound, limit: ${figure.limit}` : '') });
        made.append(element('small', {}, range(figure)), element('small', { class: 'words' }, off ? 'differs from itself' : figure.words));
        return made;
      })]));
  }

  // --- one point ---

  let chosen = 0;

  function choose(index) {
    chosen = Math.max(0, Math.min(data.points.length - 1, index));
    byId('point').value = String(chosen);
    byId('previous').disabled = chosen === 0;
    byId('next').disabled = chosen === data.points.length - 1;
    drawPoint();
  }

  function drawPoint() {
    const point = data.points[chosen];
    if (!point) return;
    drawDrivers(point);
    drawNotes(point);
    clear(byId('latency'));
    drawRounds(point);
    drawCurves(point);
    drawSeries(point);
  }

  function drawDrivers(point) {
    const metrics = data.metrics.filter(m => point.drivers.some(d => d.metrics[m.name]));
    const partitions = point.drivers.some(d => d.worstPartitionP99Millis !== null);
    const consumers = point.drivers.some(d => d.worstConsumerP99Millis !== null);
    fill(byId('drivers'),
      ['driver', 'quoted', 'held back by', 'records', ...metrics.flatMap(m => [`${m.title}, ${m.unit}`]), ...(partitions ? ['worst partition p99, ms'] : []), ...(consumers ? ['worst consumer p99, ms'] : [])],
      point.drivers.map(d => [
        rowTitle(swatch(d.driver), d.driver + (d.driver === data.control ? ' (A/A)' : '')),
        cell(`${d.quoted} of ${d.runs}`),
        limiterCell(d),
        ledgerCell(d.ledger),
        ...metrics.map(m => {
          const figure = d.metrics[m.name];
          if (!figure) return cell('–');
          const made = cell(orMore(figure, number(figure.median)), figure.verdict ? { class: figure.verdict, title: figure.words } : {});
          if (figure.verdict) made.append(element('small', {}, `× ${orMore(figure, ratio(figure.ratio))} (${range(figure)})`), element('small', { class: 'words' }, figure.words));
          return made;
        }),
        ...(partitions ? [cell(number(d.worstPartitionP99Millis))] : []),
        ...(consumers ? [cell(number(d.worstConsumerP99Millis))] : []),
      ]));
    // One row per figure, because there may be twenty figures.
    const others = [...new Set(point.drivers.flatMap(d => Object.keys(d.others)))];
    byId('more').hidden = !others.length;
    fill(byId('others'), ['median of the runs', ...point.drivers.map(d => d.driver)],
      others.map(name => [rowTitle(name), ...point.drivers.map(d => cell(number(d.others[name])))]));
  }

  /** What limited the driver, and the evidence, which the reader can unfold. */
  function limiterCell(d) {
    if (!d.evidence.length) return cell('–');
    return element('td', { class: 'left' }, element('details', {}, element('summary', {}, d.limiter ? d.limiter.name : 'nobody else'),
      element('p', {}, d.explanation), ...(d.limiter ? [element('p', {}, `To do: ${d.limiter.advice}`)] : []),
      element('ul', {}, ...d.evidence.map(text => element('li', {}, text)))));
  }

  function ledgerCell(ledger) {
    const faults = [['lost', 'lost'], ['duplicates', 'double'], ['outOfOrder', 'out of order']].filter(([name]) => ledger[name] > 0);
    const retried = ledger.retried > 0 ? `, ${number(ledger.retried)} calls repeated` : '';
    const again = ledger.redelivered > 0 ? `, ${number(ledger.redelivered)} redelivered` : '';
    if (!faults.length) return cell(ledger.expected ? `each once${retried}${again}` : '–');
    const of = (what, several) => (several || []).flatMap((one, i) => faults.filter(([name]) => one[name] > 0)
      .map(([name, text]) => `${what} ${i + 1}: ${number(one[name])} ${text}`));
    const texts = [...faults.map(([name, text]) => `${number(ledger[name])} ${text}`), ...of('group', ledger.groups), ...of('topic', ledger.topics)];
    return element('td', { class: 'worse' }, ...texts.map(text => element('div', {}, text)));
  }

  function drawNotes(point) {
    const notes = point.drivers.flatMap(d => d.rounds.flatMap(run => [
      ...(run.failure ? [`${d.driver}, round ${run.round + 1} failed: ${run.failure}`] : []),
      ...(run.flags.length ? [`${d.driver}, round ${run.round + 1}: ${run.flags.join(', ')}${run.quoted ? '' : ' (not quoted)'}`] : []),
    ]));
    const control = point.drivers.find(d => d.driver === data.control)?.metrics.rate;
    if (control && (control.verdict === 'better' || control.verdict === 'worse')) {
      notes.unshift(`The baseline differs from itself here (${range(control)}): distrust this point.`);
    }
    for (const d of point.drivers.filter(d => d.metrics.rate?.bound)) {
      notes.unshift(`${d.driver}: its rate is a bound (limit: ${d.metrics.rate.limit}) and not quoted; CPU and bytes are its own.`);
    }
    byId('notes').replaceChildren(...notes.slice(0, 4).map(text => element('p', { class: 'warn' }, text)));
    if (notes.length > 4) {
      byId('notes').append(element('details', {}, element('summary', {}, `${notes.length - 4} more notes`),
        ...notes.slice(4).map(text => element('p', { class: 'warn' }, text))));
    }
  }

  const spreadsWide = values => Math.max(...values) > 20 * Math.min(...values.filter(v => v > 0));

  function drawRounds(point) {
    const runs = point.drivers.flatMap(d => d.rounds.filter(r => r.recordsPerSecond > 0).map(r => ({ ...r, driver: d.driver })));
    if (!runs.length) return;
    const wide = spreadsWide(runs.map(r => r.recordsPerSecond));
    card(byId('latency'), {
      name: 'rounds', title: 'Rate by round: how the machine drifted. Hollow: not quoted', height: heightOf(280, point.drivers.length),
      config: () => ({
        type: 'line',
        plugins: [names],
        data: { datasets: point.drivers.map(d => {
          const own = runs.filter(r => r.driver === d.driver).sort((a, b) => a.round - b.round);
          return {
            ...line(d.driver, 0), borderWidth: 1.5, radius: own.map(r => r.quoted ? 4 : 6),
            pointBackgroundColor: own.map(r => r.quoted ? colour(d.driver) : css('--card')), pointBorderWidth: own.map(r => r.quoted ? 1 : 2),
            // The line connects only results that may be quoted.
            segment: { borderColor: at => own[at.p0DataIndex].quoted && own[at.p1DataIndex].quoted ? undefined : 'transparent' },
            data: own.map(r => ({ x: r.round + 1, y: r.recordsPerSecond })),
          };
        }) },
        options: {
          layout: besideLines(point.drivers.length),
          scales: {
            x: axis('round', { type: 'linear', min: 0.7, max: data.rounds + 0.3, ticks: { stepSize: 1, callback: v => Number.isInteger(v) ? v : '' } }),
            y: axis('records/s', { type: wide ? 'logarithmic' : 'linear', beginAtZero: true, ticks: { callback: wide ? tensOnly : short } }),
          }, plugins: { legend: legend() },
        },
      }),
      csv: () => [['driver', 'round', 'order', 'recordsPerSecond', 'quoted'],
        ...runs.map(r => [r.driver, r.round + 1, r.order, r.recordsPerSecond, r.quoted])],
    });
  }

  const CURVES = {
    response: 'Latency from planned sending', service: 'Latency from actual sending: hides waiting',
    lateness: 'How late the generator sent: not to be seen in the others',
  };

  function drawCurves(point) {
    const taken = option => point.drivers.some(d => d.curves[option.value]);
    const options = [...byId('from').options];
    options.forEach(option => { option.hidden = !taken(option); });
    const of = options.find(option => option.selected && taken(option))?.value ?? 'response';
    byId('from').value = of;
    const curves = point.drivers.filter(d => d.curves[of]).map(d => ({ driver: d.driver, curve: d.curves[of] }));
    byId('from-choice').hidden = options.filter(taken).length < 2;
    if (!curves.length) return;
    card(byId('latency'), {
      name: `latency-${of}`, title: CURVES[of], height: heightOf(280, curves.length),
      config: () => ({
        type: 'line',
        plugins: [names],
        data: { datasets: curves.map(c => ({
          radius: 0, ...line(c.driver, curves.length), hitRadius: 6, borderWidth: 2,
          data: c.curve.filter(([p, ms]) => p < 100 && ms > 0).map(([p, ms]) => ({ x: 100 / (100 - p), y: ms })),
        })) },
        options: {
          layout: besideLines(curves.length),
          interaction: { mode: 'nearest', intersect: false },
          scales: {
            x: axis('percentile', { type: 'logarithmic', min: 1,
              afterBuildTicks: scale => { scale.ticks = [1, 2, 4, 10, 100, 1e3, 1e4, 1e5, 1e6].filter(v => v <= scale.max).map(value => ({ value })); },
              ticks: { callback: v => v === 1 ? '0' : `${+(100 - 100 / v).toFixed(5)}`, maxRotation: 0 } }),
            y: axis('ms', { type: 'logarithmic', ticks: { callback: tensOnly } }),
          },
          plugins: { legend: legend(), tooltip: { callbacks: {
            title: items => `percentile ${+(100 - 100 / items[0].parsed.x).toPrecision(6)}`, label: item => `${item.dataset.label}: ${number(item.parsed.y)} ms`,
          } } },
        },
      }),
      csv: () => [['driver', 'from', 'percentile', 'millis'], ...curves.flatMap(c => c.curve.map(([p, ms]) => [c.driver, of, p, ms]))],
    });
  }

  const SERIES = [
    ['rate', 'Rate', 'records/s'], ['p50', 'Latency p50 from planned sending', 'ms'], ['p99', 'Latency p99 from planned sending', 'ms'],
    ['longest', 'Longest latency from planned sending', 'ms'], ['lag', 'Lag', 'records'], ['cores', 'CPU of the driver', 'cores'],
    ['allocated', 'Allocation', 'MB/s'], ['gc', 'Garbage collection', 'ms/s'], ['heap', 'Heap', 'MB'],
    ['direct', 'Memory outside the heap', 'MB'], ['brokerCores', 'CPU of the brokers', 'cores'],
  ];

  /** Returns the key, title and unit of a figure of clients, brokers or the machine, whose name ends with its unit. */
  function figure(name) {
    const [, title, unit] = /^(.*?) ?(ms|MB\/s|\/s|%)?$/.exec(name);
    return [name, title[0].toUpperCase() + title.slice(1), unit || ''];
  }

  function drawSeries(point) {
    const place = byId('series');
    clear(place);
    const round = Number(byId('round').value);
    const runs = point.drivers.flatMap(d => d.rounds.filter(r => r.round === round && r.series.seconds).map(r => ({ ...r, driver: d.driver })));
    const taken = [...new Set(runs.flatMap(run => run.figures || []))].sort();
    for (const [key, title, unit] of [...SERIES, ...taken.map(figure)]) {
      const isFigure = taken.includes(key);
      const lines = runs.filter(run => run.series[key]);
      const values = lines.flatMap(run => run.series[key]).filter(v => v !== null);
      if (!values.length || (key !== 'rate' && values.every(v => v === 0))) continue;
      const wide = unit === 'ms' ? spreadsWide(values) : key === 'rate' && spreadsWide(lines.map(run => Math.max(...run.series[key])));
      card(place, {
        name: `${point.id}-round${round + 1}-${key.replace(/[^A-Za-z0-9]+/g, '-')}`,
        title: unit ? `${title}, ${unit}` : title, height: heightOf(240, lines.length),
        config: () => ({
          type: 'line',
          plugins: [marks(lines), names],
          data: { datasets: lines.map(run => ({
            // A single point is drawn as a marker. A line skips seconds that have too few records for a percentile.
            borderWidth: 1.6, radius: run.series[key].filter(v => v !== null).length < 2 ? 3 : 0, hitRadius: 6,
            spanGaps: unit === 'ms' || isFigure, // These figures are measured once per second.
            ...line(run.driver, lines.length),
            segment: { borderDash: at => at.p1DataIndex < run.warmUp ? [1, 4] : undefined },
            data: run.series.seconds.map((x, i) => ({ x, y: run.series[key][i] })),
          })) },
          options: {
            layout: besideLines(lines.length),
            interaction: { mode: 'nearest', axis: 'x', intersect: false },
            scales: {
              x: axis('seconds', { type: 'linear', min: 0 }),
              y: axis('', { type: wide ? 'logarithmic' : 'linear', beginAtZero: true, ticks: { callback: wide ? tensOnly : short } }),
            }, plugins: { legend: legend() },
          },
        }),
        csv: () => [['driver', 'round', 'seconds', `${key} (${unit})`, 'measured'],
          ...lines.flatMap(run => run.series.seconds.map((x, i) => [run.driver, round + 1, x, run.series[key][i], i >= run.warmUp]))],
      });
    }
    if (!runs.length) place.append(element('p', { class: 'hint' }, 'No run of this round is finished.'));
    drawPhases(runs.filter(run => run.phases));
    drawDisturbances(runs.filter(run => (run.disturbances || []).length));
  }

  /** Draws a line in the driver's colour where a run was changed, and a band from each fault to its recovery. */
  function marks(runs) {
    return {
      id: 'marks',
      afterDatasetsDraw(chart) {
        const { ctx, chartArea: area, scales: { x } } = chart;
        ctx.save();
        ctx.lineWidth = 1;
        ctx.setLineDash([2, 3]);
        for (const run of runs) {
          ctx.strokeStyle = colour(run.driver);
          ctx.fillStyle = colour(run.driver);
          ctx.globalAlpha = 0.12;
          for (const d of run.disturbances || []) {
            const edge = at => Math.min(area.right, Math.max(area.left, x.getPixelForValue(at / 1000)));
            const from = edge(d.fromMillis);
            ctx.fillRect(from, area.top, Math.max(1, edge(d.toMillis + (d.recoveryMillis || 0)) - from), area.bottom - area.top);
          }
          ctx.globalAlpha = 1;
          for (const phase of (run.phases || []).slice(1)) {
            const at = x.getPixelForValue(phase.fromMillis / 1000);
            if (at < area.left || at > area.right) continue;
            ctx.beginPath();
            ctx.moveTo(at, area.top);
            ctx.lineTo(at, area.bottom);
            ctx.stroke();
          }
        }
        ctx.restore();
      },
    };
  }

  function drawDisturbances(runs) {
    byId('disturbances-part').hidden = !runs.length;
    fill(byId('disturbances'),
      ['driver', 'after', 'from s', 'to s', 'recovered after s', 'late', 'latest ms', 'again', 'lost'],
      runs.flatMap(run => run.disturbances.map(d => [rowTitle(swatch(run.driver), run.driver), cell(d.order),
        ...[d.fromMillis, d.toMillis].map(millis => cell((millis / 1000).toFixed(1))),
        cell(d.recovered ? (d.recoveryMillis / 1000).toFixed(1) : 'not before the next order'),
        ...[d.late, d.longestMillis, d.again, d.lost].map(value => cell(number(value)))])));
  }

  function drawPhases(runs) {
    byId('phases-part').hidden = !runs.length;
    fill(byId('phases'),
      ['driver', 'from s', 'to s', 'begun by', 'planned/s', 'work ms', 'consumers', 'sent', 'handled/s', 'p50 ms', 'p99 ms', 'lag at the end', 'what is seen'],
      runs.flatMap(run => run.phases.map(p => [rowTitle(swatch(run.driver), run.driver),
        ...[p.fromMillis, p.toMillis].map(millis => cell((millis / 1000).toFixed(1))), cell(p.begunBy),
        ...[p.producerRate, p.workMillis, p.consumers, p.sent, p.recordsPerSecond, p.p50Millis, p.p99Millis, p.lagRecords]
          .map(value => cell(number(value))), cell(p.caption || '', { class: 'words' })])));
  }

  // --- the rest of the page ---

  function drawFacts() {
    const e = data.environment;
    document.title = `${data.name} · Weir benchmark`;
    byId('title').textContent = data.name;
    byId('where').textContent = `${data.campaign} · ${new Date(e.startedAtMillis).toISOString().slice(0, 16).replace('T', ' ')} UTC · ${e.cores} cores, `
      + `${Math.round(e.memoryBytes / 2 ** 30)} GB · ${e.processor} · ${e.jvm} · commit ${e.commit}`;
    const state = byId('state');
    state.textContent = `${data.runsDone} of ${data.runsPlanned} runs`
      + (data.runsDone + data.runsFailed < data.runsPlanned ? ': the campaign is not finished' : '') + (data.runsFailed ? `, ${data.runsFailed} failed` : '')
      + (data.runsNotQuoted ? `, ${data.runsNotQuoted} not quoted` : '');
    state.className = data.complete && !data.runsFailed && !data.runsNotQuoted ? 'hint' : 'warn';
    byId('how').replaceChildren(...[
      `Each driver ran ${data.rounds} times at each point, each time in a fresh process; one run of each makes a round, in random order (seed ${data.seed}).`,
      `A ratio is the geometric mean over rounds of the driver's figure by that of ${data.baseline} in the same round, so what the machine did to both cancels; `
        + `its ${percent} interval is Student's t on the logarithms. Absolute figures are medians and belong to this machine and hour.`,
      `Better or worse is said only with ${data.minRounds} rounds or more, where the interval excludes 1 after correction for the number of comparisons`
        + (data.control ? ` and the ratio is beyond what the baseline shows against itself (${data.control}).` : '; there was no A/A run.')
        + ` Same: the whole interval is within ${data.margin * 100} % of 1.`,
      'A run whose generator was the bottleneck, whose broker held the baseline back, or that lost or doubled records against its guarantee, is not quoted. '
        + 'A rate at which brokers held a driver back is given as a bound (≥) and not quoted; what a record costs it is. '
        + 'A percentile is shown only with ten samples beyond it.',
    ].map(text => element('p', {}, text)));
    const pairs = (table, entries) => fill(table, ['name', 'value'], entries.map(([name, value]) => [rowTitle(name), cell(String(value))]));
    pairs(byId('environment'), [['virtual machine', e.jvm], ['operating system', e.os], ['processor', e.processor],
      ...Object.entries(e.versions), ...Object.entries(e.settings)]);
    byId('settings').replaceChildren(...data.drivers.flatMap(d => {
      const table = element('table');
      pairs(table, [['version', d.version], ...Object.entries(d.settings)]);
      return [element('h3', {}, d.name), table];
    }));
    byId('workload').textContent = data.workload;
  }

  function start() {
    drawFacts();
    byId('metric').append(...data.metrics
      .filter(m => data.points.some(p => p.drivers.some(d => d.metrics[m.name]?.verdict)))
      .map(m => option(m.name, m.title)));
    byId('metric').parentElement.hidden = !byId('metric').options.length;
    const judgedBy = data.points[0]?.judgedBy;
    if ([...byId('metric').options].some(o => o.value === judgedBy)) byId('metric').value = judgedBy;
    byId('point').append(...data.points.map((p, i) => option(i, p.label)));
    byId('round').append(...Array.from({ length: data.rounds }, (_, i) => option(i, i + 1)));
    for (const id of ['point-choice', 'previous', 'next']) byId(id).hidden = data.points.length < 2;
    byId('metric').addEventListener('change', drawRatios);
    byId('point').addEventListener('change', () => choose(Number(byId('point').value)));
    byId('previous').addEventListener('click', () => choose(chosen - 1));
    byId('next').addEventListener('click', () => choose(chosen + 1));
    byId('round').addEventListener('change', drawPoint);
    byId('from').addEventListener('change', drawPoint);
    dark.addEventListener('change', () => { drawRatios(); drawPoint(); });
    drawRatios();
    choose(0);
  }

  start();
})();
