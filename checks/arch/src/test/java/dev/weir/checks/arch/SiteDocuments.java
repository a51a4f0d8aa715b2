package dev.weir.checks.arch;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The documents of a project that become pages of its site. Finds dead links and anchors, missing or additional titles,
 * and pages without a link from an index. Confined to one thread.
 */
final class SiteDocuments {

    private static final List<String> AT_THE_TOP = List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md");

    private static final List<String> FOLDERS = List.of("docs", "examples", "deploy");

    private static final String INDEX = "docs/README.md";

    private static final String DECISIONS = "docs/adr/README.md";

    /** Matches a fenced code block, or a code span within a line. */
    private static final Pattern CODE = Pattern.compile("(?m)^( *```)[^\n]*\n.*?^ *```|`[^`\n]+`", Pattern.DOTALL);

    private static final Pattern FENCED = Pattern.compile("(?m)^( *```)[^\n]*\n.*?^ *```", Pattern.DOTALL);

    /** Matches the destination of a link or an image. */
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");

    private static final Pattern EXTERNAL = Pattern.compile("(https?|mailto):.*");

    private static final Pattern HEADING = Pattern.compile("(?m)^(#{1,6}) +(.+?)(?: +#+)?$");

    private static final Pattern ROW = Pattern.compile("(?m)^\\|.*$");

    /** An entry of the index of decisions. */
    private static final Pattern DECISION = Pattern.compile("^- \\d+: .*$", Pattern.MULTILINE);

    private final Path root;
    private final Map<String, String> texts = new TreeMap<>();
    private final Map<String, List<String>> anchors = new HashMap<>();
    private final List<String> faults = new ArrayList<>();

    private SiteDocuments(Path root) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        for (Path document : of(this.root)) {
            texts.put(slashed(this.root.relativize(document)), Files.readString(document));
        }
        texts.forEach((document, text) -> anchors.put(document, anchors(text)));
    }

    /** Returns the documents of a project, by their paths. */
    static List<Path> of(Path root) throws IOException {
        List<Path> documents = new ArrayList<>();
        AT_THE_TOP.stream().map(root::resolve).filter(Files::isRegularFile).forEach(documents::add);
        for (String folder : FOLDERS) {
            if (Files.isDirectory(root.resolve(folder))) {
                try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                    files.filter(file -> file.toString().endsWith(".md")
                                    && !slashed(root.relativize(file)).contains("/target/"))
                            .sorted()
                            .forEach(documents::add);
                }
            }
        }
        return documents;
    }

    /** Returns the faults of all documents, each as {@code file:line: fault}. */
    static List<String> faults(Path root) throws IOException {
        SiteDocuments documents = new SiteDocuments(root);
        documents.texts.forEach((document, text) -> {
            documents.checkTitle(document, text);
            documents.checkLinks(document, text);
        });
        documents.checkNavigation();
        return documents.faults;
    }

    private void checkTitle(String document, String text) {
        long titles =
                headings(text).filter(heading -> heading.group(1).length() == 1).count();
        if (titles != 1) {
            faults.add(document + ":1: a page has one heading of level 1, this one has " + titles);
        }
    }

    private void checkLinks(String document, String text) {
        links(text).forEach(link -> {
            String fault = fault(document, link.group(1));
            if (fault != null) {
                long line = text.substring(0, link.start(1)).lines().count();
                faults.add(document + ":" + line + ": " + link.group(1) + ": " + fault);
            }
        });
    }

    private @Nullable String fault(String document, String destination) {
        if (EXTERNAL.matcher(destination).matches()) {
            return null;
        }
        String[] parts = destination.split("#", 2);
        String file = target(document, parts[0]);
        if (file == null) {
            return "leads nowhere";
        }
        List<String> known = anchors.get(file);
        if (known == null) {
            if (file.endsWith(".md")) {
                return "is not among the documents that become pages";
            }
            return parts.length == 1 ? null : "only documents have headings";
        }
        return parts.length == 1 || known.contains(parts[1]) ? null : "no heading of that name in " + file;
    }

    /** Returns the target file of a link, relative to the project, or null if it does not exist. */
    private @Nullable String target(String document, String path) {
        if (path.isEmpty()) {
            return document;
        }
        try {
            Path whole = root.resolve(document).resolveSibling(path).normalize();
            return whole.startsWith(root) && Files.isRegularFile(whole) ? slashed(root.relativize(whole)) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Checks that one of the two indexes links to each page below {@code docs}. */
    private void checkNavigation() {
        Set<String> named = new HashSet<>(AT_THE_TOP);
        named.add(INDEX);
        for (String index : List.of(INDEX, DECISIONS)) {
            (index.equals(INDEX) ? ROW : DECISION)
                    .matcher(texts.getOrDefault(index, ""))
                    .results()
                    .flatMap(row -> links(row.group()))
                    .forEach(link -> named.add(String.valueOf(target(index, link.group(1)))));
        }
        for (String document : texts.keySet()) {
            if (document.startsWith("docs/") && !named.contains(document)) {
                faults.add(document + ":1: no index names it, neither " + INDEX + " nor in " + DECISIONS);
            }
        }
    }

    /** Returns the anchors of a page as GitHub and the site generate them. */
    private static List<String> anchors(String text) {
        List<String> found = new ArrayList<>();
        headings(text).forEach(heading -> {
            String words = heading.group(2).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
            String anchor = words.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            String unique = anchor;
            for (int i = 1; found.contains(unique); i++) {
                unique = anchor + "-" + i;
            }
            found.add(unique);
        });
        return found;
    }

    private static Stream<MatchResult> headings(String text) {
        return HEADING.matcher(blanked(text, FENCED)).results();
    }

    private static Stream<MatchResult> links(String text) {
        return LINK.matcher(blanked(text, CODE)).results();
    }

    /** Replaces code with as many spaces, which keeps the positions of other text. */
    private static String blanked(String text, Pattern code) {
        return code.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(match.group().replaceAll("[^\n]", " ")));
    }

    private static String slashed(Path path) {
        return path.toString().replace(File.separatorChar, '/');
    }
}
