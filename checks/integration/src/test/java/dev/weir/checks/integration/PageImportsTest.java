package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Checks that each page with Java samples has one line with all their imports. The samples' sources must compile with
 * this line.
 */
class PageImportsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path OWN = ROOT.resolve("checks/integration/src/test/java");

    private static final Pattern LINE = Pattern.compile("^Imports on this page: `([^`]+)`$", Pattern.MULTILINE);
    private static final Pattern WHITESPACE = Pattern.compile("\\s+");
    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("^import ((?:static )?[\\w.]+)\\.(\\w+);", Pattern.MULTILINE);

    /** A page, and the sources that contain its samples word for word. */
    private record Page(Path file, String imports, Map<Path, String> sources) {}

    private static List<Page> pages() throws IOException {
        Map<Path, String> code = new TreeMap<>();
        try (Stream<Path> files = Files.find(
                ROOT,
                20,
                (file, attributes) -> file.toString().endsWith(".java")
                        && !file.toString().contains("/target/")
                        && !file.toString().contains("/main/java/dev/weir/"))) {
            for (Path file : files.toList()) {
                code.put(file, withoutSpace(Files.readString(file)));
            }
        }
        List<Page> pages = new ArrayList<>();
        try (Stream<Path> files = Files.find(
                ROOT.resolve("docs"), 3, (file, attributes) -> file.toString().endsWith(".md"))) {
            for (Path file : files.sorted().toList()) {
                Map<Path, String> sources = new TreeMap<>();
                for (String sample : samples(Files.readString(file))) {
                    String bare = withoutSpace(sample);
                    code.forEach((source, text) -> {
                        if (text.contains(bare)) {
                            sources.merge(source, sample, String::concat);
                        }
                    });
                }
                pages.add(new Page(file, imports(Files.readString(file)), sources));
            }
        }
        return pages;
    }

    private static List<String> samples(String page) {
        return SAMPLE.matcher(page)
                .results()
                .map(match -> match.group(1))
                .filter(sample -> !sample.startsWith("import ") && !sample.contains("\nimport "))
                .toList();
    }

    private static String imports(String page) {
        return LINE.matcher(page).results().map(line -> line.group(1)).collect(Collectors.joining(" "));
    }

    private static String withoutSpace(String code) {
        return WHITESPACE.matcher(code).replaceAll("");
    }

    private static boolean covers(String imports, MatchResult wanted) {
        return Stream.of(wanted.group(2), "*")
                .anyMatch(name -> imports.contains("import " + wanted.group(1) + "." + name + ";"));
    }

    private static boolean isNamed(String name, String sample) {
        String code = sample.replaceAll("//[^\n]*|\"[^\"\n]*\"", "");
        return Pattern.compile("(?<![\\w.])" + name + "\\b").matcher(code).find();
    }

    @Test
    void importsOfEachPage_nameWhatItsSamplesUse() throws IOException {
        Set<String> missing = new TreeSet<>();
        int found = 0;
        for (Page page : pages()) {
            for (Map.Entry<Path, String> source : page.sources().entrySet()) {
                String imports = Files.readString(source.getKey()) + ofItsPackage(source.getKey());
                for (MatchResult each : IMPORT.matcher(imports).results().toList()) {
                    boolean isOurs = each.group(1).matches("dev\\.weir\\.(checks|examples)\\b.*");
                    if (!isOurs && isNamed(each.group(2), source.getValue())) {
                        found++;
                        if (!covers(page.imports(), each)) {
                            missing.add(ROOT.relativize(page.file()) + ": " + each.group());
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(100);
    }

    /** Returns imports for public types of the source's own package. */
    private static String ofItsPackage(Path source) throws IOException {
        String path = source.toString();
        int start = path.indexOf("/src/") + "/src/".length();
        String main = path.substring(0, start) + path.substring(start).replaceFirst("^test/", "main/");
        Path folder = Path.of(main).resolveSibling("");
        if (!Files.isDirectory(folder)) {
            return "";
        }
        String name = folder.toString().replaceFirst(".*/src/main/java/", "").replace('/', '.');
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".java") && !file.endsWith("-info.java"))
                    .map(file -> "import " + name + "." + file.replace(".java", ";\n"))
                    .collect(Collectors.joining("", "\n", ""));
        }
    }

    @Test
    void importsOfEachPage_compileWithItsSamples() throws IOException {
        List<String> failures = new ArrayList<>();
        int compiled = 0;
        // One manager, so that the index of each jar is read once.
        try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            for (Page page : pages()) {
                for (Path source : page.sources().keySet()) {
                    if (source.startsWith(OWN) && !page.imports().isEmpty()) {
                        compiled++;
                        compile(page, source, files, failures);
                    }
                }
            }
        }
        assertThat(failures).isEmpty();
        assertThat(compiled).isGreaterThan(8);
    }

    private static void compile(Page page, Path source, StandardJavaFileManager files, List<String> failures)
            throws IOException {
        String code = IMPORT.matcher(Files.readString(source))
                .replaceAll(each -> covers(page.imports(), each) ? "" : each.group())
                .replaceFirst("(?m)^(package [\\w.]+;)", "$1 " + page.imports().replace("$", "\\$"));
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///" + OWN.relativize(source)), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return code;
                    }
                };
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        // Stops after type analysis, so nothing is written.
        boolean isGood = compiler.getTask(
                        null,
                        files,
                        complaints,
                        List.of(
                                "-proc:none",
                                "-nowarn",
                                "--should-stop=ifNoError=FLOW",
                                "-cp",
                                System.getProperty("java.class.path")),
                        null,
                        List.of(file))
                .call();
        if (!isGood) {
            failures.add(ROOT.relativize(page.file()) + ": " + complaints.getDiagnostics());
        }
    }
}
