// A page opened from a disk may not read other pages, which the search would quote.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// "/" leads to the search.
document.addEventListener("keydown", event => {
  const input = document.querySelector(".sidebar-search");
  if (event.key === "/" && input && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    input.focus();
  }
});

// The versions whose folders lie beside this one: versions.js lists them.
document.addEventListener("DOMContentLoaded", () => {
  const select = document.getElementById("version");
  const shown = select.value;
  for (const version of window.weirVersions ?? []) {
    if (version !== shown) select.add(new Option(version));
  }
  select.addEventListener("change", () => {
    const root = new URL(document.documentElement.dataset.content_root, location);
    location = new URL(`../${select.value}/index.html`, root);
  });
});

// What the theme leaves out for those who use a keyboard or a screen reader: samples and tables that scroll can be
// reached, and headings of the navigation have a level.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".highlight pre, .table-wrapper").forEach(box => { box.tabIndex = 0; });
  document.querySelectorAll("[role=heading]").forEach(caption => { caption.ariaLevel = "2"; });
  const labels = {
    ".announcement-content": "State of this version",
    ".sidebar-drawer": "Pages",
    ".toc-drawer": "On this page",
  };
  for (const [part, label] of Object.entries(labels)) document.querySelector(part)?.setAttribute("aria-label", label);
});
