package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the pages are true: tables are complete, named tests exist, and figures match the code. */
class DocumentsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /**
     * Matches {@code `SomeTest.subject_condition*`}, and a following {@code `other_condition_*`}, a method of the same
     * class.
     */
    private static final Pattern TEST_NAME =
            Pattern.compile("`([A-Z]\\w*(?:Test|Stress))(?:\\.(\\w+\\*?))?`((?:, `[a-z]\\w*_\\w*\\*?`)*)");

    private static final Pattern FOLLOWING_NAME = Pattern.compile("`(\\w+\\*?)`");

    /** Matches the simple name of a class, with an optional member or nested class. */
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z][a-z]\\w+)(?:\\.(?!md)\\w+)*(?:\\([^`]*\\))?`");

    private static final Pattern DECLARED =
            Pattern.compile("\\b(?:class|interface|record|enum|@interface) ([A-Z]\\w+)");

    private static final Pattern DECISION =
            Pattern.compile("# (\\d+)\\. ([^\n]+)\n\nStatus: accepted([^\n]*)\\. Date: \\d{4}-\\d\\d-\\d\\d\\.\n");

    /** Matches a link to another decision in a status. */
    private static final Pattern LATER_DECISION = Pattern.compile("\\[(?:ADR )?(\\d+)]\\([^)]*\\)");

    /** The maximum size of a decision, slightly more than 45 lines. */
    private static final long MAX_DECISION_BYTES = 3_400;

    /** Matches a message in {@code troubleshooting.md}. Three dots replace names and numbers. */
    private static final Pattern MESSAGE = Pattern.compile("`([^`]* [^`]*)`");

    private static final Pattern PLACEHOLDER = Pattern.compile("@[A-Z_]+@");

    /** Matches a block of Java code on a page, or a sample in a Javadoc comment. */
    private static final Pattern SAMPLE = Pattern.compile(
            "```java\n(.*?)```|<pre>\\{@code\n(.*?)}</pre>|\\{@snippet :\n(.*?)\n *\\* }\n", Pattern.DOTALL);

    /** Matches calls of Weir's methods that throw a checked exception. */
    private static final Pattern THROWING = Pattern.compile(
            "\\.(await\\(\\)(?!\\s*\\.indefinitely)|drain\\(|runTo\\(|take\\(\\)|poll\\(Duration"
                    + "|expect(Next|End|Failure)\\(|await(Acknowledged|Close|Pull|Stop|Taken|Waiters)\\(|toList\\(\\))|Dispatchers\\.load\\(");

    /** Matches a statement above a table that it has one or two rounds. */
    private static final Pattern FEW_ROUNDS =
            Pattern.compile("\\b(?:one|1|two|2) (?:interleaved )?rounds?\\b", Pattern.CASE_INSENSITIVE);

    @Test
    void samples_thatCallWhatThrows_standInAMethodThatSaysSo() throws IOException {
        List<Path> places = new ArrayList<>(pages());
        places.addAll(sources());
        List<String> incomplete = new ArrayList<>();
        for (Path place : places) {
            Matcher sample = SAMPLE.matcher(Files.readString(place));
            while (sample.find()) {
                String code = sample.group();
                if (THROWING.matcher(code).find() && !code.contains(" throws ")) {
                    incomplete.add(ROOT.relativize(place) + ": " + code);
                }
            }
        }
        assertThat(incomplete).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.find(
                ROOT,
                20,
                (file, attributes) -> file.toString().endsWith(".java")
                        && isSource(file)
                        && file.toString().contains("/src/main/"))) {
            return files.toList();
        }
    }

    @Test
    void tables_ofEachPage_areWhole() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            brokenTables(page, broken);
        }
        assertThat(broken).isEmpty();
    }

    /** Collects tables without a second line of dashes, which pages show as text. */
    private static void brokenTables(Path page, List<String> broken) throws IOException {
        List<String> lines = Files.readAllLines(page);
        boolean code = false;
        int rowOfTable = 0;
        int columns = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            code ^= line.startsWith("```");
            if (code || !line.startsWith("|")) {
                rowOfTable = 0;
                continue;
            }
            int cells = line.strip().split("(?<!\\\\)\\|", -1).length;
            columns = rowOfTable == 0 ? cells : columns;
            rowOfTable++;
            if (cells != columns || (rowOfTable == 2) != line.matches("\\|( ?:?-+:? ?\\|)+\\s*")) {
                broken.add(ROOT.relativize(page) + ":" + (i + 1) + ": " + line);
            }
        }
    }

    @Test
    void tables_haveMoreThanTwoRounds() throws IOException {
        List<String> few = new ArrayList<>();
        for (Path page : pages()) {
            if (!page.startsWith(ROOT.resolve("docs/benchmarks"))) {
                continue;
            }
            String above = "";
            for (String block : Files.readString(page).split("\n\\s*\n", -1)) {
                int table = block.startsWith("|") ? 0 : block.indexOf("\n|") + 1;
                String before = table == 0 ? above : block.substring(0, table);
                if (block.startsWith("|", table) && FEW_ROUNDS.matcher(before).find()) {
                    few.add(ROOT.relativize(page) + ": " + before);
                }
                above = block;
            }
        }
        assertThat(few).isEmpty();
    }

    @Test
    void placeholders_inPages_areFilled() throws IOException {
        List<String> left = new ArrayList<>();
        for (Path page : pages()) {
            PLACEHOLDER
                    .matcher(Files.readString(page))
                    .results()
                    .forEach(match -> left.add(ROOT.relativize(page) + ": " + match.group()));
        }
        assertThat(left).isEmpty();
    }

    @Test
    void classesNamed_inTheTourAndBesideIt_exist() throws IOException {
        Set<String> declared =
                new HashSet<>(Set.of("Error", "LongAdder", "MockConsumer", "KafkaConsumer", "ConsumerRecord"));
        for (String code : sourcesWithTests()) {
            DECLARED.matcher(code).results().forEach(match -> declared.add(match.group(1)));
        }
        List<String> absent = new ArrayList<>();
        for (String page : List.of(
                "DESIGN.md",
                "docs/internals/tour.md",
                "docs/internals/invariants.md",
                "docs/internals/concurrency.md",
                "docs/internals/adding-an-operator.md")) {
            Path path = ROOT.resolve(page);
            CLASS_NAME
                    .matcher(Files.readString(path))
                    .results()
                    .filter(match -> !declared.contains(match.group(1)))
                    .forEach(match -> absent.add(page + ": " + match.group()));
        }
        assertThat(absent).isEmpty();
    }

    private static List<String> sourcesWithTests() throws IOException {
        try (Stream<Path> files =
                Files.find(ROOT, 20, (file, attributes) -> file.toString().endsWith(".java") && isSource(file))) {
            List<String> code = new ArrayList<>();
            for (Path file : files.toList()) {
                code.add(Files.readString(file));
            }
            return code;
        }
    }

    /** The index must list each decision once, with its title and status. A decision must fit on one page. */
    @Test
    void decisions_areInTheIndex_withTitleAndStatus() throws IOException {
        Path folder = ROOT.resolve("docs/adr");
        List<String> expected = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path page : files.filter(file -> !file.endsWith("README.md")).toList()) {
                Matcher head = DECISION.matcher(Files.readString(page));
                assertThat(head.find())
                        .as(page + " begins with number, title, status and date")
                        .isTrue();
                assertThat(Files.size(page)).as(page + " is at most a page").isLessThan(MAX_DECISION_BYTES);
                String later = LATER_DECISION
                        .matcher(head.group(3))
                        .replaceAll("$1")
                        .replace(" and ", ", ")
                        .replace(';', ',');
                expected.add("- " + head.group(1) + ": [" + head.group(2) + "](" + page.getFileName() + ")" + later);
            }
        }
        assertThat(Files.readAllLines(folder.resolve("README.md")).stream().filter(line -> line.matches("- \\d+: .*")))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void messages_inTroubleshooting_areThoseOfTheCode() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path source : sources()) {
            // Leaves out comments, because a message in a comment does not count.
            all.append(Files.readString(source)
                    .replaceAll("(?m)^\\s*(//|/?\\*).*$", "")
                    .replaceAll("\"\\s*(//[^\n]*)?\\s*\\+\\s*\"", ""));
        }
        String code = all.toString();
        List<String> absent = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/guide/troubleshooting.md"))) {
            Matcher message = MESSAGE.matcher(line.startsWith("|") ? line.split("\\|", -1)[1] : "");
            while (message.find()) {
                for (String part : message.group(1).split("\\.\\.\\.", -1)) {
                    if (part.strip().length() > 3 && !code.contains(part.strip())) {
                        absent.add(part.strip() + " in " + message.group());
                    }
                }
            }
        }
        assertThat(absent).isEmpty();
    }

    @Test
    void testsNamed_inPages_exist() throws IOException {
        Map<String, String> tests = tests();
        List<String> absent = new ArrayList<>();
        int found = 0;
        for (Path page : pages()) {
            Matcher name = TEST_NAME.matcher(Files.readString(page));
            while (name.find()) {
                found++;
                String code = tests.get(name.group(1));
                if (code == null || !namedMethods(name).stream().allMatch(method -> has(code, method))) {
                    absent.add(ROOT.relativize(page) + ": " + name.group());
                }
            }
        }
        assertThat(found).isGreaterThan(100);
        assertThat(absent).isEmpty();
    }

    private static List<String> namedMethods(Matcher name) {
        List<String> methods = new ArrayList<>();
        if (name.group(2) != null) {
            methods.add(name.group(2));
        }
        FOLLOWING_NAME.matcher(name.group(3)).results().forEach(next -> methods.add(next.group(1)));
        return methods;
    }

    /**
     * Returns whether the code has a method, a method with a prefix (if the name ends with a star), or a nested class
     * (a jcstress case).
     */
    private static boolean has(String code, String method) {
        String whole = method.endsWith("*") ? method.substring(0, method.length() - 1) : method + "\\b";
        return Pattern.compile("\\b(void|class) " + whole).matcher(code).find();
    }

    @Test
    void eventsOfTheDemo_inPages_areThoseOfTheCode() throws IOException {
        String plan = Files.readString(ROOT.resolve("weir-cli/src/main/java/dev/weir/cli/demo/DemoPlan.java"));
        Matcher constant = Pattern.compile("DEFAULT_RECORDS = (\\w+);").matcher(plan);
        assertThat(constant.find()).isTrue();
        String records = constant.group(1).replace('_', ',');
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("a demo of " + records + " events");
        assertThat(Files.readString(ROOT.resolve("examples/asimov/README.md"))).contains(records + " events");
        assertThat(Files.readString(ROOT.resolve("weir-cli/src/main/java/dev/weir/cli/demo/DemoCommand.java")))
                .contains("Default: " + records);
    }

    /** Two estimates must be the same everywhere: how long the launcher builds, and how long the demo takes. */
    @Test
    void timesOfTheDemo_areTheSameInReadmeLauncherAndHelp() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md")).replaceAll("\\s+", " ");
        Matcher demo = Pattern.compile("ESTIMATE = \"([^\"]+)\"")
                .matcher(Files.readString(ROOT.resolve("weir-cli/src/main/java/dev/weir/cli/demo/DemoCommand.java")));
        assertThat(demo.find()).isTrue();
        assertThat(readme).contains("takes about " + demo.group(1));
        Matcher building =
                Pattern.compile("first use: building, (.*?) \\(").matcher(Files.readString(ROOT.resolve("weir")));
        assertThat(building.find()).isTrue();
        assertThat(readme).contains(building.group(1));
    }

    private static List<Path> pages() throws IOException {
        return SiteDocuments.of(ROOT);
    }

    private static Map<String, String> tests() throws IOException {
        Map<String, String> tests = new HashMap<>();
        try (Stream<Path> files =
                Files.find(ROOT, 20, (file, attributes) -> file.toString().endsWith(".java") && isSource(file))) {
            for (Path file : files.toList()) {
                String name = Objects.requireNonNull(file.getFileName()).toString();
                if (name.endsWith("Test.java") || name.endsWith("Stress.java")) {
                    tests.merge(
                            name.substring(0, name.length() - ".java".length()),
                            Files.readString(file),
                            String::concat);
                }
            }
        }
        return tests;
    }

    private static boolean isSource(Path file) {
        return ROOT.relativize(file).toString().matches("(?!.*\\btarget/).*\\bsrc/.*");
    }
}
