package dev.weir.checks.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Figures for the testing page, counted in test sources and other pages. Confined to one thread. */
final class TestingFigures {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path INTERNALS = ROOT.resolve("docs/internals");

    /** Split, because this file is searched as well. */
    private static final String LONG = "@Tag(" + '"' + "long" + '"' + ")";

    private static final Pattern TEST =
            Pattern.compile("^ +@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|FuzzTest)\\b", Pattern.MULTILINE);
    private static final Pattern FUZZ = Pattern.compile("^ +@" + "FuzzTest\\b", Pattern.MULTILINE);

    /** The text between two cells of a row. */
    private static final String CELL_END = " | ";

    private static final String SIMULATIONS = "weir-kafka/src/test/java/dev/weir/kafka/internal/";
    private static final String LEAN = "weir-lean/src/test/java/dev/weir/lean/";
    private static final String STREAM = "weir-stream/src/test/java/dev/weir/stream/";

    /** Test sources by path. */
    private final Map<String, String> sources = new TreeMap<>();

    private final Map<String, String> figures = new LinkedHashMap<>();
    private long worldsOfBuild;
    private long worldsOfLongRun;

    private TestingFigures() throws IOException {
        try (Stream<Path> files =
                Files.find(ROOT, 20, (file, attributes) -> file.toString().endsWith(".java") && isTestSource(file))) {
            for (Path file : files.toList()) {
                sources.put(ROOT.relativize(file).toString(), Files.readString(file));
            }
        }
    }

    private static boolean isTestSource(Path file) {
        return ROOT.relativize(file).toString().matches(".*src/(?:test|jcstress)/java/.*");
    }

    /** Counts all figures. Returns the later cells of each row, by its first cell. */
    static Map<String, String> count() throws IOException {
        TestingFigures counted = new TestingFigures();
        counted.tests();
        counted.worlds();
        counted.faults();
        counted.fuzz();
        counted.mutants();
        counted.promises();
        return counted.figures;
    }

    private void tests() {
        long methods =
                sources.values().stream().mapToLong(text -> found(TEST, text)).sum();
        put("test methods, at least", methods / 100 * 100);
        long classes = sources.keySet().stream()
                .filter(path -> path.endsWith("Test.java"))
                .count();
        put("test classes, at least", classes / 50 * 50);
        put(
                "classes with tests against real brokers, at least",
                (inFolder("checks/integration/") + inFolder("checks/pipelines/")) / 10 * 10);
        put(
                "classes with long tests, which the build leaves out",
                sources.values().stream().filter(text -> text.contains(LONG)).count());
        put(
                "jcstress programs",
                sources.values().stream()
                        .filter(text -> text.contains("@" + "JCStressTest"))
                        .count());
    }

    private long inFolder(String folder) {
        return sources.keySet().stream()
                .filter(path -> path.startsWith(folder) && path.endsWith("Test.java"))
                .count();
    }

    // ---- Simulations -----------------------------------------------------------------------------------------------

    private void worlds() {
        world(
                SIMULATIONS + "in/owner/ConsumerSimulationTest",
                text -> Math.ceilDiv(constant(text, "SEEDS"), constant(text, "STEP")),
                text -> number(text, "simulate\\(0, ([\\d_]+), 1\\)"));
        world(
                SIMULATIONS + "in/owner/TransactionSimulationTest",
                text -> constant(text, "SEEDS"),
                text -> number(text, "simulation\\.to\", ([\\d_]+)\\)"));
        someAndMany(LEAN + "share/ShareWorldTest");
        someAndMany(SIMULATIONS + "handler/RetryFlowsWorldTest");
        someAndMany(LEAN + "internal/producer/ProducerWorldTest");
        world(
                LEAN + "ConsumerWorldTest",
                text -> number(text, "LongStream\\.range\\(0, ([\\d_]+)\\) :"),
                text -> constant(text, "MANY"));
        world(STREAM + "RandomPipelinesTest", text -> constant(text, "SEEDS"), text -> constant(text, "ALL"));
        put("worlds, together", worldsOfBuild, worldsOfLongRun);
    }

    private void someAndMany(String path) {
        world(path, text -> constant(text, "SOME"), text -> constant(text, "MANY"));
    }

    private void world(String path, ToLongFunction<String> build, ToLongFunction<String> all) {
        String text = source(path);
        String name = "`" + path.substring(path.lastIndexOf('/') + 1) + "`";
        long some = build.applyAsLong(text);
        long many = all.applyAsLong(text);
        worldsOfBuild += some;
        worldsOfLongRun += many;
        put(name, some, many);
    }

    /** Returns the value of a constant, or its default if a property overrides it. */
    private static long constant(String text, String name) {
        return number(text, "\\b" + name + " = (?:Integer\\.getInteger\\(\"[^\"]*\", )?([\\d_]+)\\)?;");
    }

    private static long number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("nothing matches " + pattern);
        }
        return Long.parseLong(matcher.group(1).replace("_", ""));
    }

    // ---- Faults ----------------------------------------------------------------------------------------------------

    private void faults() throws IOException {
        String plan = ROOT.resolve("weir-testkit/src/main/java/dev/weir/testkit/internal/simulation/Plan.java")
                .toString();
        put(
                "kinds of events that worlds draw",
                constants(source(SIMULATIONS + "in/owner/SimulatedEvent"), "SimulatedEvent")
                        + constants(source(LEAN + "share/SimulatedGroup"), "Trouble")
                        + constants(source(LEAN + "LeanWorld"), "Trouble")
                        + constants(Files.readString(Path.of(plan)), "Kind"));
        Path planted = ROOT.resolve("weir-simulation/src/main/java/dev/weir/simulation/Planted.java");
        put(
                "faults that are planted to see them found",
                constants(Files.readString(planted), "Planted")
                        + constants(source(SIMULATIONS + "in/owner/SimulatedEvent"), "Planted")
                        + constants(source(SIMULATIONS + "in/owner/TransactionFault"), "TransactionFault")
                        + 1); // RetryFlowsWorldTest
        put(
                "former faults that seeds find again when their repair is taken out",
                rows("semantic-breaks.md", "| fault | its repair").size());
    }

    private String source(String path) {
        String text = sources.get(path + ".java");
        if (text == null) {
            throw new AssertionError("no such test source: " + path);
        }
        return text;
    }

    private static long constants(String text, String type) {
        String code = JavaText.withoutComments(text);
        int at = code.indexOf("enum " + type + " {");
        String body = code.substring(code.indexOf('{', at) + 1).replaceAll("\\([^)]*\\)", "");
        return Arrays.stream(body.split("[;}]", 2)[0].split(",", -1))
                .filter(name -> !name.isBlank())
                .count();
    }

    private void fuzz() throws IOException {
        put(
                "parsers that Jazzer fuzzes by coverage",
                sources.values().stream().mapToLong(text -> found(FUZZ, text)).sum());
        put(
                "classes that fuzz from a seed in each build",
                sources.keySet().stream()
                        .filter(path -> path.endsWith("FuzzTest.java") && !path.endsWith("FetchFuzzTest.java"))
                        .count());
        try (Stream<Path> corpus = Files.find(
                ROOT.resolve("weir-lean/src/test/resources"),
                20,
                (file, attributes) ->
                        attributes.isRegularFile() && file.toString().contains("FetchFuzzTestInputs"))) {
            put("inputs in the fuzz corpus, at least", corpus.count() / 10 * 10);
        }
    }

    // ---- Pages -----------------------------------------------------------------------------------------------------

    private void mutants() throws IOException {
        List<List<String>> rooms = rows("mutation.md", "| room | date").stream()
                .filter(cells -> cells.getFirst().endsWith("`"))
                .toList();
        long mutants = sum(rooms, 2);
        long noticed = sum(rooms, 3);
        String script = Files.readString(ROOT.resolve("checks/mutation.sh"));
        Matcher list = Pattern.compile("rooms=\"([^\"]*)\"").matcher(script);
        if (!list.find()) {
            throw new AssertionError("checks/mutation.sh lists no rooms");
        }
        put("rooms of mutation testing; measured", list.group(1).trim().split("\\s+", -1).length, rooms.size());
        put("mutants in the measured rooms; noticed", mutants, noticed);
        figures.put(
                "mutation score of the measured rooms",
                String.format(Locale.ROOT, "%.1f %%", 100.0 * noticed / Math.max(1, mutants)));
        List<List<String>> breaks = rows("semantic-breaks.md", "| room | breaks");
        put("breaks made by hand; noticed", sum(breaks, 1), sum(breaks, 2));
    }

    private void promises() throws IOException {
        List<String> promises = lines("promises.md").stream()
                .filter(line -> line.startsWith("| ") && line.contains("Test"))
                .toList();
        put(
                "promises that once broke; their test not yet seen red",
                promises.size(),
                promises.stream().filter(line -> line.contains("°")).count());
        List<String> invariants = lines("invariants.md").stream()
                .filter(line -> line.matches("\\| \\d+ \\|.*"))
                .toList();
        put(
                "invariants; checked at run time",
                invariants.size(),
                invariants.stream()
                        .filter(line -> line.matches(".*\\| `\\w+` \\|"))
                        .count());
        put("flaky tests on record", rows("flaky-tests.md", "| Test | Seen").size());
    }

    private static List<String> lines(String page) throws IOException {
        return Files.readAllLines(INTERNALS.resolve(page));
    }

    /** Returns the cells of the rows below {@code head}. */
    private static List<List<String>> rows(String page, String head) throws IOException {
        return lines(page).stream()
                .dropWhile(line -> !line.startsWith(head))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|", -1))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private static long sum(List<List<String>> rows, int cell) {
        return rows.stream()
                .mapToLong(cells -> Long.parseLong(cells.get(cell).replace(",", "")))
                .sum();
    }

    private static long found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).count();
    }

    private void put(String what, long... numbers) {
        String cells = String.join(
                CELL_END,
                Arrays.stream(numbers)
                        .mapToObj(number -> String.format(Locale.ROOT, "%,d", number))
                        .toList());
        if (figures.put(what, cells) != null) {
            throw new AssertionError("counted twice: " + what);
        }
    }
}
