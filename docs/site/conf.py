"""Settings of Sphinx, which reads the documents where they are. See docs/internals/site.md."""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers import Parser
from sphinx import addnodes

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README", "DESIGN", "CONTRIBUTING", "CHANGELOG"]
FOLDERS = ["docs", "examples", "deploy"]
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def documents():
    """Returns every document, without its ending."""
    found = [ROOT / (name + ".md") for name in DOCUMENTS]
    for folder in FOLDERS:
        found += sorted(file for file in (ROOT / folder).rglob("*.md") if "target" not in file.parts)
    return [file.relative_to(ROOT).as_posix().removesuffix(".md") for file in found]


def linked_files():
    """Returns the source files that documents link to. Each becomes a page of its own."""
    found = set()
    for document in documents():
        for link in LINK.findall(text(document + ".md")):
            file = (ROOT / document).parent.joinpath(link).resolve()
            if file.is_file() and file.suffix in LANGUAGES:
                found.add(file.relative_to(ROOT).as_posix())
    return sorted(found)


def navigation():
    """Yields the captions of the sidebar with their pages: the tables of docs/README.md, then what no table names."""
    yield "Weir", ["docs/README", "DESIGN"]
    for section in re.split(r"^## ", text("docs/README.md"), flags=re.M)[1:]:
        pages = re.findall(r"^\| \[[^\]]*\]\(([^)#]+)\.md\)", section, re.M)
        yield section.splitlines()[0], ["docs/" + page for page in pages]
    for folder in FOLDERS[1:]:
        yield folder.title(), [name for name in documents() if name.startswith(folder + "/")]
    yield "Project", ["CONTRIBUTING", "CHANGELOG"]


def decisions():
    lines = re.findall(r"^- \d+: \[[^\]]*\]\(([^)]+)\.md\)", text("docs/adr/README.md"), re.M)
    return ["docs/adr/" + page for page in lines]


def published_modules():
    for pom in sorted(ROOT.glob("weir-*/pom.xml")):
        content = pom.read_text(encoding="utf-8")
        if "<weir.unpublished>false<" in content:
            description = re.search(r"<description>(.*?)</description>", content, re.S)[1]
            yield pom.parent.name, " ".join(description.split())


def add_navigation(app, doctree):
    """Adds the sidebar's pages to the first document, and the decisions to their index."""
    document = app.env.docname
    if document == root_doc:
        parts = list(navigation())
    elif document == "docs/adr/README":
        parts = [(None, decisions())]
    else:
        return
    section = next(doctree.findall(nodes.section))
    for caption, pages in parts:
        section += addnodes.toctree(
            parent=document, caption=caption, rawcaption=caption, entries=[(None, page) for page in pages],
            includefiles=pages, maxdepth=-1, glob=False, hidden=True, includehidden=True, numbered=0, titlesonly=True)


def describe(app, page, template, context, doctree):
    """Gives each page the description that search engines show: its first paragraph."""
    if doctree is not None and (paragraph := next(doctree.findall(nodes.paragraph), None)):
        words = paragraph.astext().replace("\n", " ")
        words = words if len(words) <= 160 else words[:160].rsplit(" ", 1)[0] + " ..."
        context["metatags"] += f'<meta name="description" content="{app.builder.templates.environment.filters["e"](words)}">'


class SourceParser(Parser):
    """Shows a source file as a page of its own, which stands outside of the navigation."""

    supported = ("source",)

    def parse(self, content, document):
        env = document.settings.env
        path = Path(env.doc2path(env.docname))
        name = path.relative_to(ROOT).as_posix()
        section = nodes.section("", nodes.title(name, name), ids=["source"], names=["source"])
        section += nodes.literal_block(content, content, language=LANGUAGES[path.suffix])
        document += section
        env.metadata[env.docname]["orphan"] = True


def setup(app):
    app.add_source_parser(SourceParser)
    app.connect("doctree-read", add_navigation, priority=400)
    app.connect("html-page-context", describe)


LANGUAGES = {".java": "java", ".xml": "xml", ".yaml": "yaml", ".json": "json", ".proto": "protobuf", ".sh": "bash"}

project = "Weir"
author = "The Weir Authors"
copyright = "The Weir Authors. Apache License, Version 2.0"
release = version = re.search(r"<version>([^<]+)<", text("pom.xml"))[1]

extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "README"
source_suffix = {".md": "markdown"} | dict.fromkeys(LANGUAGES, "source")
include_patterns = [name + ".md" for name in documents()] + linked_files()
exclude_patterns = [".*", "**/target", "target"]
# The documents are written for GitHub: no syntax of MyST, and GitHub's anchors.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
myst_enable_extensions = ["linkify"]
myst_linkify_fuzzy_links = False
myst_heading_anchors = 6
highlight_language = "text"
# Pygments does not know all of Java; it then colours what it can.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Weir"
html_favicon = "_static/icon.svg"
html_logo = "_static/icon.svg"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_additional_pages = {"index": "index.html"}
html_context = {}
if tags.has("javadoc"):  # noqa: F821, Sphinx brings it
    html_additional_pages["api/index"] = "api.html"
    html_context["modules"] = list(published_modules())
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/version.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db8f2", "color-brand-content": "#7db8f2"},
}
if release.endswith("-SNAPSHOT"):
    html_theme_options["announcement"] = f"Not released: {release}"
copybutton_exclude = ".linenos, .gp"
copybutton_prompt_text = "$ "
