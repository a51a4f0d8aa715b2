package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Ledger;
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
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsHistoryTest {

    private static final Point POINT = new Point("p", "consume", Map.of());

    @TempDir
    private Path temp;

    private final Random random = new Random(3);

    /**
     * Stores {@code count} campaigns in which weir has {@code weir} times the rate of plain. The machine's speed
     * varies.
     */
    private void campaigns(int from, int count, double weir) {
        for (int day = from; day < from + count; day++) {
            ResultsFolder folder = ResultsFolder.create(
                    temp.resolve("day-" + day),
                    new Campaign(
                            "day-" + day,
                            "daily",
                            "",
                            "plain",
                            null,
                            3,
                            1,
                            Stream.of("plain", "weir")
                                    .map(driver -> new Driver(driver, "1", Map.of()))
                                    .toList(),
                            List.of(POINT),
                            new Environment("", "", "some", 2, 1, Map.of(), Map.of(), "commit" + day, day)));
            for (int round = 0; round < 3; round++) {
                double mood = Math.exp(0.2 * random.nextGaussian());
                append(folder, "plain", round, mood);
                append(folder, "weir", round, mood * weir * Math.exp(0.02 * random.nextGaussian()));
            }
        }
    }

    private static void append(ResultsFolder folder, String driver, int round, double factor) {
        long records = (long) (1_000_000 * factor);
        folder.append(
                new Run(
                        "p",
                        driver,
                        round,
                        folder.runs().size(),
                        1,
                        1,
                        2,
                        0,
                        List.of(),
                        new Totals(records, records * 100, 1_000_000_000, -1, -1, 1, 1, -1, Map.of()),
                        new Ledger(records, records, 0, 0, 0),
                        Set.of(),
                        null),
                List.of());
    }

    private List<JsonNode> lines(int exitCode, String... more) throws IOException {
        CommandHarness harness = new CommandHarness();
        List<String> args = new ArrayList<>(List.of("bench", "results", "history", temp.toString(), "--json"));
        args.addAll(List.of(more));
        assertThat(harness.run(args.toArray(String[]::new))).as(harness.err()).isEqualTo(exitCode);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : harness.out().lines().toList()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void rateThatFell_isAnAlarm_withItsCampaignAndCommit_untilItIsAccepted() throws IOException {
        campaigns(1, 10, 1.5);
        campaigns(11, 5, 1.3);
        JsonNode series = lines(ExitCode.GATE_NOT_MET).getFirst();
        assertThat(series.path("driver").asText()).isEqualTo("weir");
        assertThat(series.path("metric").asText()).isEqualTo("rate");
        assertThat(series.path("alarm").asBoolean()).isTrue();
        assertThat(series.path("change").asDouble()).isBetween(-0.16, -0.1);
        assertThat(series.path("levels").get(1).path("from").asText()).isEqualTo("day-11");
        assertThat(series.path("levels").get(1).path("commit").asText()).isEqualTo("commit11");
        assertThat(lines(ExitCode.DONE, "--accept", "day-11")
                        .getLast()
                        .path("alarms")
                        .asInt())
                .isZero();
        assertThat(lines(ExitCode.DONE, "--least", "20")
                        .getLast()
                        .path("passed")
                        .asBoolean())
                .isTrue();

        CommandHarness people = new CommandHarness();
        assertThat(people.run("bench", "results", "history", temp.toString())).isEqualTo(ExitCode.GATE_NOT_MET);
        assertThat(people.out())
                .contains("daily on 2 cores, some: 15 campaigns, 1 figures, 1 of them changed")
                .contains("from day-11 (commit commit11)", "ALARM: -1");
    }

    @Test
    void figuresThatStay_orAreTooFew_areNoAlarm() throws IOException {
        campaigns(1, 5, 1.5);
        CommandHarness few = new CommandHarness();
        assertThat(few.run("bench", "results", "history", temp.toString())).isEqualTo(ExitCode.DONE);
        assertThat(few.out()).contains("it takes 12 campaigns to see a change");
        assertThat(lines(ExitCode.DONE).getLast().path("passed").isNull()).isTrue();
        campaigns(6, 10, 1.5);
        List<JsonNode> enough = lines(ExitCode.DONE);
        assertThat(enough.getFirst().path("levels")).hasSize(1);
        assertThat(enough.getLast().path("passed").asBoolean()).isTrue();
    }

    @Test
    void campaignWithADamagedHistogram_isToldAndLeftOut() throws IOException {
        campaigns(1, 15, 1.5);
        Path damaged = Files.createDirectories(temp.resolve("day-3").resolve("latency"))
                .resolve("p_plain_0.hlog");
        Files.writeString(damaged, "0.0,1.0,9.9,HISTFAAAnonsense\n");
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("bench", "results", "history", temp.toString())).isEqualTo(ExitCode.DONE);
        assertThat(harness.err()).contains("p_plain_0.hlog", "delete it to continue without");
        assertThat(harness.out()).contains("14 campaigns");
    }

    @Test
    void wrongOptions_areNamed() {
        campaigns(1, 1, 1.5);
        for (List<String> wrong : List.of(
                List.of("--metrics", "speed", "no metric speed; there are rate, cpu"),
                List.of("--accept", "day-9", "no campaign day-9 in"),
                List.of("--name", "hourly", "no campaign of workload hourly in"),
                List.of("--least=-1", "--json", "--least must be 0 or more"))) {
            CommandHarness harness = new CommandHarness();
            assertThat(harness.run("bench", "results", "history", temp.toString(), wrong.get(0), wrong.get(1)))
                    .isEqualTo(ExitCode.WRONG_USAGE);
            assertThat(harness.err()).contains(wrong.get(2));
        }
    }

    @Test
    void folderThatIsNotThere_isNamed() {
        CommandHarness harness = new CommandHarness();
        String folder = temp.resolve("elsewhere").toString();
        assertThat(harness.run("bench", "results", "history", folder)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("there is no folder " + folder);
    }

    /** Stores a campaign of three versions of one library and one of another, at two sizes. */
    private void versionCampaign(int day, String weir, String commit, Map<String, Double> rates) {
        List<Driver> drivers = List.of(
                new Driver("plain@2.3.1", "kafka-clients-2.3.1, kafka-clients-2.3.1", Map.of()),
                new Driver("plain@2.10.0", "kafka-clients-2.10.0, kafka-clients-2.10.0", Map.of()),
                new Driver("plain", "kafka-clients-4.4.0, kafka-clients-4.4.0", Map.of()),
                new Driver("weir", weir + ", kafka-clients-4.4.0", Map.of()));
        ResultsFolder folder = ResultsFolder.create(
                temp.resolve("day-" + day),
                new Campaign(
                        "day-" + day,
                        "releases",
                        "",
                        "plain@2.3.1",
                        null,
                        3,
                        1,
                        drivers,
                        List.of(POINT),
                        new Environment("", "", "some", 2, 1, Map.of(), Map.of(), commit, day)));
        for (int round = 0; round < 3; round++) {
            double mood = Math.exp(0.2 * random.nextGaussian());
            for (Driver driver : drivers) {
                append(folder, driver.name(), round, mood * rates.getOrDefault(driver.name(), 1.0));
            }
        }
    }

    private static List<String> versions(JsonNode line) {
        List<String> versions = new ArrayList<>();
        line.path("figures")
                .forEach(figure -> versions.add(figure.path("version").asText()));
        return versions;
    }

    @Test
    void versions_ofARivalAndOfOurReleases_areInTheirOrder_withRatiosAndMedians() throws IOException {
        versionCampaign(1, "weir-kafka (this checkout)", "v0.10.0", Map.of("plain", 3.0, "weir", 5.0));
        versionCampaign(2, "weir-kafka (this checkout)", "abc123def456", Map.of("plain", 3.0, "weir", 6.0));
        versionCampaign(3, "weir-kafka-0.9.0", "unknown", Map.of("plain", 3.0, "weir", 4.0));
        versionCampaign(4, "weir-kafka (this checkout)", "abc123def456", Map.of("plain", 3.0, "weir", 6.0));
        List<JsonNode> lines = lines(ExitCode.DONE, "--versions", "--metrics", "rate");
        assertThat(lines).hasSize(2);
        JsonNode plain = lines.getFirst();
        assertThat(plain.path("driver").asText()).isEqualTo("plain");
        assertThat(versions(plain)).containsExactly("2.3.1", "2.10.0", "4.4.0");
        assertThat(plain.path("figures").get(0).path("ratio").asDouble()).isEqualTo(1);
        assertThat(plain.path("figures").get(2).path("ratio").asDouble()).isBetween(2.9, 3.1);
        assertThat(plain.path("figures").get(2).path("campaigns").asInt()).isEqualTo(4);
        JsonNode weir = lines.getLast();
        assertThat(versions(weir)).containsExactly("0.9.0", "0.10.0", "abc123def456");
        assertThat(weir.path("figures").get(2).path("campaigns").asInt()).isEqualTo(2);
        assertThat(weir.path("figures").get(2).path("newest").asText()).isEqualTo("day-4");
        assertThat(weir.path("figures").get(0).path("ratio").asDouble()).isBetween(3.9, 4.1);
        assertThat(weir.path("figures").get(0).path("median").asDouble()).isPositive();

        CommandHarness people = new CommandHarness();
        assertThat(people.run("bench", "results", "history", temp.toString(), "--versions", "--metrics", "rate"))
                .isEqualTo(ExitCode.DONE);
        assertThat(people.out())
                .contains("releases on 2 cores, some: 4 campaigns")
                .contains("plain: rate in records/s, and its ratio to plain@2.3.1")
                .containsSubsequence(
                        "    2.3.1 ", "    2.10.0", "    4.4.0 ", "    0.9.0 ", "    0.10.0 ", "    abc123def456");
    }

    @Test
    void htmlPage_isWritten_andAFolderThatIsNotThere_isNamed() throws IOException {
        versionCampaign(1, "weir-kafka-0.1.0", "v0.1.0", Map.of());
        Path page = temp.resolve("versions.html");
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("bench", "results", "history", temp.toString(), "--html", page.toString()))
                .isEqualTo(ExitCode.DONE);
        assertThat(harness.err()).contains("page: " + page);
        assertThat(Files.readString(page)).contains("\"2.10.0\"").doesNotContain("src=", "/*DATA*/");

        CommandHarness wrong = new CommandHarness();
        Path nowhere = temp.resolve("nowhere").resolve("versions.html");
        assertThat(wrong.run("bench", "results", "history", temp.toString(), "--html", nowhere.toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(wrong.err()).contains("cannot write " + nowhere, "Name another file with --html");
    }
}
