'use strict';
(() => {
  const byId = id => document.getElementById(id);
  const root = document.documentElement;
  const top = root.dataset.root;

  // The theme: the system's until somebody chooses one.
  const theme = byId('theme');
  const systemDark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : systemDark.matches);
  const showTheme = () => theme.setAttribute('aria-pressed', String(isDark()));
  theme.hidden = false;
  theme.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('weir-theme', root.dataset.theme);
    } catch {
      // Storage is off: the choice holds for this page.
    }
    showTheme();
  });
  systemDark.addEventListener('change', showTheme);
  showTheme();

  // Versions whose folders lie beside this one.
  const versions = byId('version');
  const here = root.dataset.version;
  if (window.weirVersions?.length > 1) {
    versions.replaceChildren(...window.weirVersions.map(name => new Option(name, name, name === here, name === here)));
  } else {
    versions.disabled = true;
  }
  versions.addEventListener('change', () => {
    location.href = top + '../' + versions.value + '/index.html';
  });

  // Code.
  hljs.registerAliases('properties', { languageName: 'ini' });
  for (const code of document.querySelectorAll('pre code[class^="language-"]')) {
    if (hljs.getLanguage(code.className.slice('language-'.length))) {
      hljs.highlightElement(code);
    }
  }

  const outline = document.querySelector('#outline details');
  if (outline && !matchMedia('(min-width: 78rem)').matches) {
    outline.open = false;
  }

  // The navigation is long: show where this page stands in it.
  const listed = document.querySelector('#navigation [aria-current]');
  if (listed) {
    const pane = byId('navigation');
    pane.scrollTop = Math.max(0, listed.offsetTop - pane.clientHeight / 2);
  }

  // Search: the library and the index are loaded when first needed.
  const query = byId('query');
  const found = byId('found');
  const results = byId('results');
  const most = 20;
  let index;

  const load = name => new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = top + 'assets/' + name;
    script.onload = done;
    script.onerror = () => failed(new Error('cannot load ' + script.src));
    document.head.append(script);
  });

  const build = async () => {
    await Promise.all([load('minisearch/minisearch.js'), load('search-index.js')]);
    const made = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      storeFields: ['heading', 'title', 'text', 'url'],
      searchOptions: { boost: { heading: 3, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
    });
    made.addAll(window.weirSearch);
    return made;
  };
  const ready = () => (index ??= build());

  const marked = (text, terms) => {
    const lower = text.toLowerCase();
    const first = Math.min(...terms.map(term => lower.indexOf(term)).filter(at => at >= 0), text.length);
    const from = first === text.length ? 0 : Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 60)) + 1);
    const part = text.slice(from, from + 180);
    const line = document.createElement('span');
    line.className = 'excerpt';
    line.append(from > 0 ? '... ' : '');
    let rest = part;
    while (rest) {
      const hits = terms.map(term => [rest.toLowerCase().indexOf(term), term.length]).filter(hit => hit[0] >= 0);
      if (!hits.length) {
        break;
      }
      const [at, length] = hits.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] > a[1]) ? b : a));
      const mark = document.createElement('mark');
      mark.textContent = rest.slice(at, at + length);
      line.append(rest.slice(0, at), mark);
      rest = rest.slice(at + length);
    }
    line.append(rest, from + 180 < text.length ? ' ...' : '');
    return line;
  };

  const item = result => {
    const link = document.createElement('a');
    link.href = top + result.url;
    const heading = document.createElement('b');
    heading.textContent = result.heading;
    const page = document.createElement('small');
    page.textContent = result.heading === result.title ? '' : ' ' + result.title;
    link.append(heading, page, marked(result.text, result.terms));
    const line = document.createElement('li');
    line.append(link);
    return line;
  };

  const close = () => {
    found.hidden = true;
    results.replaceChildren();
  };

  const search = async () => {
    const words = query.value.trim();
    if (words.length < 2) {
      close();
      return;
    }
    const all = (await ready()).search(words);
    if (words !== query.value.trim()) {
      return;
    }
    results.replaceChildren(...all.slice(0, most).map(item));
    byId('count').textContent = all.length === 0 ? 'Nothing found'
      : all.length > most ? 'The first ' + most + ' of ' + all.length + ' places' : all.length + ' found';
    found.hidden = false;
  };

  byId('search').hidden = false;
  query.addEventListener('focus', ready, { once: true });
  query.addEventListener('input', search);
  byId('search').addEventListener('submit', event => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  results.addEventListener('click', close);
  document.addEventListener('keydown', event => {
    const writing = event.target.closest('input, select, textarea');
    if (event.key === '/' && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
    } else if (event.key === 'Escape' && !found.hidden) {
      close();
      query.focus();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !found.hidden) {
      const stops = [query, ...results.querySelectorAll('a')];
      const at = stops.indexOf(document.activeElement);
      if (at >= 0) {
        event.preventDefault();
        stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))].focus();
      }
    }
  });
})();
