package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchResultsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Speed of the machine in each round. */
    private static final double[] MACHINE = {1.0, 0.9, 1.05, 0.97, 1.02};

    /** Random differences between drivers in a round. */
    private static final double[] LUCK = {0.01, -0.02, 0.0, 0.02, -0.01};

    @TempDir
    private Path temp;

    private final CommandHarness harness = new CommandHarness();

    /** Stores a campaign in which weir has these multiples of plain's rate, one per point. */
    private String campaign(String name, int rounds, double noise, double... weir) {
        ResultsFolder folder = empty(name, rounds, weir.length, Map.of());
        for (int point = 0; point < weir.length; point++) {
            for (int round = 0; round < rounds; round++) {
                append(folder, point, "plain", round, 1);
                append(folder, point, "plain-again", round, noise + LUCK[round]);
                append(folder, point, "weir", round, weir[point] + LUCK[(round + 1) % LUCK.length]);
            }
        }
        return folder.path().toString();
    }

    /** Stores a campaign without runs. */
    private ResultsFolder empty(String name, int rounds, int count, Map<String, String> settings) {
        List<Point> points = Stream.iterate(0, i -> i < count, i -> i + 1)
                .map(i -> new Point("p" + i, "plain-consumer", Map.of()))
                .toList();
        List<Driver> drivers = Stream.of("plain", "plain-again", "weir")
                .map(driver -> new Driver(driver, "1", Map.of()))
                .toList();
        return ResultsFolder.create(
                temp.resolve(name),
                new Campaign(
                        name,
                        name,
                        "",
                        "plain",
                        "plain-again",
                        rounds,
                        1,
                        drivers,
                        points,
                        new Environment("", "", "", 2, 1, Map.of(), settings, "abc", 1)));
    }

    private static void append(ResultsFolder folder, int point, String driver, int round, double factor) {
        long records = (long) (1_000_000 * MACHINE[round] * factor);
        Totals totals = new Totals(records, records * 100, 1_000_000_000, 1, 1, 1, 1, 1, Map.of());
        folder.append(
                new Run(
                        "p" + point,
                        driver,
                        round,
                        folder.runs().size(),
                        1,
                        1,
                        2,
                        0,
                        List.of(),
                        totals,
                        new Ledger(records, records, 0, 0, 0),
                        Set.of(),
                        null),
                List.of());
    }

    private List<JsonNode> lines(int exitCode, String... args) throws IOException {
        assertThat(harness.run(args)).as(harness.err()).isEqualTo(exitCode);
        return harness.out().lines().map(BenchResultsTest::json).toList();
    }

    private static JsonNode json(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new AssertionError(line, e);
        }
    }

    @Test
    void list_namesEachCampaign() throws IOException {
        String one = campaign("one", 2, 1, 1.5);
        String two = campaign("two", 5, 1, 1.5, 2);
        List<JsonNode> all = lines(ExitCode.DONE, "bench", "results", "list", temp.toString(), "--json");
        assertThat(all).extracting(line -> line.path("run").asText()).containsExactly(one, two);
        assertThat(all.get(1).path("runsDone").asInt()).isEqualTo(30);
        assertThat(all.get(1).path("complete").asBoolean()).isTrue();
    }

    /** An adaptive campaign leaves out points. Its summary counts only the chosen points. */
    @Test
    void list_ofAnAdaptiveCampaign_plansTheRunsOfItsChosenPoints() throws IOException {
        ResultsFolder adaptive = empty("adaptive", 2, 3, Map.of(Campaign.DESIGN, "adaptive"));
        for (String driver : List.of("plain", "plain-again", "weir")) {
            for (int point : List.of(0, 2)) {
                append(adaptive, point, driver, 0, 1);
                append(adaptive, point, driver, 1, 1);
            }
        }
        empty("begun", 2, 3, Map.of(Campaign.DESIGN, "adaptive"));
        List<JsonNode> all = lines(ExitCode.DONE, "bench", "results", "list", temp.toString(), "--json");
        assertThat(all)
                .extracting(
                        line -> line.path("runsDone").asInt(),
                        line -> line.path("runsPlanned").asInt(),
                        line -> line.path("complete").asBoolean())
                .containsExactly(tuple(12, 12, true), tuple(0, 18, false));
        String begun = temp.resolve("begun").toString();
        JsonNode summary = lines(ExitCode.DONE, "bench", "results", "show", begun, "--json")
                .getLast();
        assertThat(summary.path("runsPlanned").asInt()).isEqualTo(18);
        assertThat(summary.path("complete").asBoolean()).isFalse();
    }

    @Test
    void show_printsTheTables_andWritesNothing() {
        String run = campaign("shown", 3, 1, 1.5);
        assertThat(harness.run("bench", "results", "show", run)).isEqualTo(ExitCode.DONE);
        assertThat(harness.out()).contains("shown: ratios to plain", "weir");
        assertThat(Path.of(run).resolve("report.html")).doesNotExist();
    }

    @Test
    void gate_isJudgedByTheLowerEnd_atEachPoint() throws IOException {
        String run = campaign("gated", 5, 1, 2.0, 1.5);
        List<JsonNode> met =
                lines(ExitCode.DONE, "bench", "results", "gate", run, "weir rate >= 1.3 of plain", "--json");
        JsonNode whole = met.getLast();
        assertThat(whole.path("type").asText()).isEqualTo("gate");
        assertThat(whole.path("passed").asBoolean()).isTrue();
        assertThat(whole.path("point").asText()).as("the worst").isEqualTo("p1");
        assertThat(whole.path("low").asDouble()).isBetween(1.3, 1.5);
        assertThat(whole.path("ratio").asDouble()).isBetween(1.45, 1.55);
    }

    @Test
    void gate_thatTheRatioMeetsAndTheIntervalDoesNot_isNotMet() throws IOException {
        String run = campaign("narrow", 5, 1, 1.5);
        List<JsonNode> lines =
                lines(ExitCode.GATE_NOT_MET, "bench", "results", "gate", run, "weir rate >= 1.495 of plain", "--json");
        assertThat(lines.getLast().path("ratio").asDouble()).isGreaterThan(1.495);
        assertThat(lines.getLast().path("passed").asBoolean()).isFalse();
    }

    @Test
    void gate_ofTwoRounds_isNotMet() throws IOException {
        String run = campaign("few", 2, 1, 1.5);
        assertThat(lines(ExitCode.GATE_NOT_MET, "bench", "results", "gate", run, "weir rate >= 0.5 of plain", "--json")
                        .getLast()
                        .path("why")
                        .asText())
                .contains("2 rounds", "it takes 3");
    }

    @Test
    void gate_withoutAnInterval_printsNoFigures() {
        String one = campaign("one", 1, 1, 1.5);
        assertThat(harness.run("bench", "results", "gate", one, "weir rate >= 0.5 of plain"))
                .isEqualTo(ExitCode.GATE_NOT_MET);
        assertThat(harness.out())
                .isEqualTo("plain-consumer: NOT MET: 1 rounds have figures that may be quoted of both, it takes 3\n");
        String none = empty("none", 3, 1, Map.of()).path().toString();
        CommandHarness empty = new CommandHarness();
        assertThat(empty.run("bench", "results", "gate", none, "weir rate >= 0.5 of plain"))
                .isEqualTo(ExitCode.GATE_NOT_MET);
        assertThat(empty.out()).isEqualTo("plain-consumer: NOT MET: 0 of 3 runs of weir are done\n");
    }

    @Test
    void gate_isNotMetByTheRunsThatAreLeft_whenOthersFailed() throws IOException {
        String run = campaign("failed", 5, 1, 2.0);
        ResultsFolder folder = ResultsFolder.open(Path.of(run));
        folder.append(Run.failed("p0", "weir", 3, 99, 1, 1, 2, "it lost records"), List.of());
        assertThat(lines(ExitCode.GATE_NOT_MET, "bench", "results", "gate", run, "weir rate >= 1.3 of plain", "--json")
                        .getLast()
                        .path("why")
                        .asText())
                .isEqualTo("1 runs of weir failed or broke its guarantee");
    }

    /** A run whose rate was reduced midway would look slow, and a run whose rate was raised would look fast. */
    @Test
    void runThatWasChanged_isNamed_andComparedWithNone() throws IOException {
        String before = campaign("unchanged", 5, 1, 2.0);
        String run = campaign("changed", 5, 1, 2.0);
        ResultsFolder folder = ResultsFolder.open(Path.of(run));
        Totals totals = new Totals(9_000_000, 9_000_000, 1_000_000_000, 1, 1, 1, 1, 1, Map.of());
        folder.append(
                new Run(
                        "p0",
                        "weir",
                        3,
                        99,
                        1,
                        1,
                        2,
                        0,
                        List.of(),
                        totals,
                        new Ledger(9, 9, 0, 0, 0),
                        Set.of(Flag.CHANGED),
                        null,
                        List.of(new TimelineEntry(1_500, new Order.Drain(), 20, Map.of("drain", "nothing is left"))),
                        List.of(
                                new Phase(0, 1_500, "start", 5_000, 2, 4, 7_000, 6_900, 4_600, 4, 9, 100),
                                new Phase(
                                        1_500,
                                        3_000,
                                        "drain true",
                                        5_000,
                                        2,
                                        4,
                                        7_000,
                                        7_100,
                                        4_733,
                                        4,
                                        Double.NaN,
                                        0)),
                        List.of(new Disturbance("kill 1", 2_000, 2_000, Double.NaN, 1_234, 812, 7, 0))),
                List.of());
        assertThat(harness.run("bench", "results", "show", run)).isEqualTo(ExitCode.DONE);
        assertThat(harness.out())
                .contains("weir: changed while it ran in 1 of 5 runs, not quoted", "weir, round 4, phase by phase")
                .contains("drain true")
                .contains("weir, round 4, what it recovered from", "not in time", "1,234", "kill 1")
                .doesNotContain("9,000,000");
        CommandHarness gate = new CommandHarness();
        assertThat(gate.run("bench", "results", "gate", run, "weir rate >= 1.3 of plain"))
                .isEqualTo(ExitCode.GATE_NOT_MET);
        assertThat(gate.out())
                .contains("runs of weir were changed while they ran, so they are like no others: p0_weir_3");
        CommandHarness diff = new CommandHarness();
        assertThat(diff.run("bench", "results", "diff", before, run)).isEqualTo(ExitCode.FAILED);
        assertThat(diff.err()).contains("runs of changed were changed while they ran", "p0_weir_3");
    }

    @Test
    void list_goesOnAfterAFolderThatCannotBeRead() throws IOException {
        String good = campaign("good", 2, 1, 1.5);
        Files.writeString(Files.createDirectories(temp.resolve("broken")).resolve("campaign.json"), "{");
        assertThat(lines(ExitCode.DONE, "bench", "results", "list", temp.toString(), "--json"))
                .extracting(line -> line.path("run").asText())
                .containsExactly(good);
        assertThat(harness.err()).contains("cannot read", "broken");
    }

    @Test
    void ruleThatIsNone_isWrongUsage_andADriverThatIsNotThereIsNamed() {
        String run = campaign("rules", 3, 1, 1.5);
        assertThat(harness.run("bench", "results", "gate", run, "weir > plain")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("'weir rate >= 1.3 of plain'");
        CommandHarness other = new CommandHarness();
        assertThat(other.run("bench", "results", "gate", run, "weir speed >= 1 of plain"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(other.err()).contains("no metric speed; there are rate, cpu");
        CommandHarness self = new CommandHarness();
        assertThat(self.run("bench", "results", "gate", run, "weir rate >= 0.9 of weir"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(self.err()).contains("a rule compares two drivers: 'weir rate >= 0.9 of weir' names one");
        CommandHarness third = new CommandHarness();
        assertThat(third.run("bench", "results", "gate", run, "pekko rate >= 1 of plain"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(third.err()).contains("no driver pekko in the campaign; there are plain, plain-again, weir");
    }

    @Test
    void diff_claimsWhatIntervalsShow_whereTheNoiseIsAlike() throws IOException {
        String before = campaign("before", 5, 1, 1.5, 2.0);
        String after = campaign("after", 5, 1, 1.8, 2.0);
        List<JsonNode> all = lines(ExitCode.DONE, "bench", "results", "diff", before, after, "--json");
        assertThat(all)
                .filteredOn(line -> line.path("metric").asText().equals("rate"))
                .extracting(
                        line -> line.path("point").asText(),
                        line -> line.path("verdict").asText())
                .containsExactly(tuple("p0", "higher"), tuple("p1", "no-difference"));
    }

    @Test
    void diff_ofCampaignsWithDifferentNoise_claimsNothing() throws IOException {
        String before = campaign("quiet", 5, 1, 1.5);
        String after = campaign("loud", 5, 1.4, 1.8);
        assertThat(lines(ExitCode.DONE, "bench", "results", "diff", before, after, "--json"))
                .filteredOn(line -> line.path("metric").asText().equals("rate"))
                .singleElement()
                .satisfies(line -> assertThat(line.path("verdict").asText()).isEqualTo("not-comparable"));
    }

    @Test
    void archive_holdsRunsAndThePage() throws IOException {
        String run = campaign("packed", 3, 1, 1.5);
        assertThat(harness.run("bench", "results", "archive", run)).isEqualTo(ExitCode.DONE);
        try (ZipFile zip = new ZipFile(run + ".zip")) {
            assertThat(zip.stream().map(Object::toString))
                    .contains("packed/campaign.json", "packed/runs.jsonl", "packed/report.html");
        }
    }

    @Test
    void report_whosePageCannotBeWritten_printsItsLines() throws IOException {
        String run = campaign("blocked", 3, 1, 1.5);
        Files.createDirectories(Path.of(run).resolve("report.html").resolve("in-the-way"));
        List<JsonNode> all = lines(ExitCode.FAILED, "bench", "report", run, "--json");
        assertThat(all)
                .extracting(line -> line.path("type").asText())
                .containsExactly("result", "result", "result", "summary", "");
        assertThat(all.getLast().path("error").asText()).isEqualTo("a report could not be written");
        assertThat(harness.err()).contains("'weir bench report " + run + "' makes the report of them");
    }

    /** A table of several workloads may end before its first campaign starts. */
    @Test
    void folderOfCampaigns_noneOfThemBegun_isNamed() throws IOException {
        Files.writeString(temp.resolve("first.workload.yaml"), "");
        for (List<String> command :
                List.of(List.of("report"), List.of("results", "show"), List.of("results", "explain"))) {
            CommandHarness told = new CommandHarness();
            List<String> args = new ArrayList<>(List.of("bench"));
            args.addAll(command);
            args.add(temp.toString());
            assertThat(told.run(args.toArray(String[]::new)))
                    .as(command.toString())
                    .isEqualTo(ExitCode.FAILED);
            assertThat(told.err()).contains(temp + " has no results: none of its campaigns has started");
        }
    }

    @Test
    void folderThatIsNone_isNamed() {
        assertThat(harness.run(
                        "bench", "results", "show", temp.resolve("nowhere").toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("nowhere is not a results folder");
    }
}
