package dev.weir.console.internal.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of a page, read once from the class path. Immutable. */
final class PageFiles {

    /** A file and its content type. */
    record PageFile(String type, String content) {}

    private static final String FOLDER = "/dev/weir/console/page/";
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
        try (InputStream in = PageFiles.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("the jar of weir-console is not whole: " + FOLDER + name);
            }
            files.put(path, new PageFile(type, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    PageFile at(String path) {
        return files.get(path);
    }
}
