// Runs before the page is drawn, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('weir-theme');
  if (chosen === 'dark' || chosen === 'light') {
    document.documentElement.dataset.theme = chosen;
  }
} catch {
  // Storage is off: the system's preference holds.
}
