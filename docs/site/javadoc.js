
// What follows is the site's: checks/site.sh adds it to the script of each module's Javadoc.
(() => {
  const page = document.documentElement;
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") page.dataset.theme = theme;

  const isDark = () =>
    page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

  document.addEventListener("DOMContentLoaded", () => {
    const site = new URL(pathtoroot + "../../../", location);
    const [version, , module] = location.href.slice(site.href.length).split("/");

    const home = document.createElement("a");
    home.href = new URL(`${version}/README.html`, site);
    home.textContent = "Weir";

    const select = document.createElement("select");
    select.setAttribute("aria-label", "Version");
    select.add(new Option(version));
    select.addEventListener("change", () => {
      location = new URL(`${select.value}/api/${module}/index.html`, site);
    });
    const versions = document.createElement("script");
    versions.src = new URL("versions.js", site);
    versions.onload = () => {
      for (const other of window.weirVersions) if (other !== version) select.add(new Option(other));
    };
    document.head.append(versions);

    const toggle = document.createElement("button");
    const name = () => toggle.textContent = isDark() ? "Light" : "Dark";
    name();
    toggle.addEventListener("click", () => {
      page.dataset.theme = isDark() ? "light" : "dark";
      localStorage.setItem("theme", page.dataset.theme);
      name();
    });

    const bar = document.createElement("div");
    bar.className = "site-bar";
    bar.append(home, select, toggle);
    document.querySelector("#navbar-top .nav-content").append(bar);

    // Snippets have a copy button already; older samples get the same.
    for (const sample of document.querySelectorAll("pre:has(> code):not(.snippet)")) {
      const copy = document.createElement("button");
      copy.className = "copy snippet-copy";
      copy.setAttribute("aria-label", "Copy snippet");
      copy.innerHTML = `<span data-copied="Copied!">Copy</span><img src="${pathtoroot}resource-files/copy.svg" alt="">`;
      copy.addEventListener("click", () => copySnippet(copy));
      const container = document.createElement("div");
      container.className = "snippet-container";
      sample.replaceWith(container);
      container.append(copy, sample);
      sample.classList.add("snippet");
    }
  });
})();
