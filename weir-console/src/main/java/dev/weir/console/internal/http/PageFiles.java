package dev.weir.console.internal.http;

import dev.weir.console.internal.profile.FlamePage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of a page, read once from the class path. Immutable. */
final class PageFiles {

    /** A file and its content type. */
    record PageFile(String type, String content) {}

    private static final String SCRIPT = "text/javascript; charset=utf-8";

    private final Map<String, PageFile> files = new HashMap<>();

    private PageFiles(String page, String style, String... scripts) {
        add("/", page, "text/html; charset=utf-8");
        add("/console.css", "console.css", "text/css; charset=utf-8");
        add("/" + style, style, "text/css; charset=utf-8");
        for (String script : scripts) {
            add("/" + script, script, SCRIPT);
        }
    }

    static PageFiles ofPipeline() {
        return new PageFiles(
                "index.html",
                "profile.css",
                "console.js",
                "feed.js",
                "login.js",
                "graph.js",
                "parts.js",
                "charts.js",
                "threads.js",
                "heap.js",
                "controls.js",
                "profile.js",
                "profiling.js");
    }

    static PageFiles ofRuns() {
        return new PageFiles("runs.html", "runs.css", "runs.js", "feed.js", "login.js", "graph.js");
    }

    static PageFiles ofFleet() {
        return new PageFiles("fleet.html", "fleet.css", "fleet.js", "pipelines.js", "feed.js", "login.js", "graph.js");
    }

    private void add(String path, String name, String type) {
        files.put(path, new PageFile(type, FlamePage.file(name)));
    }

    @Nullable
    PageFile at(String path) {
        return files.get(path);
    }
}
