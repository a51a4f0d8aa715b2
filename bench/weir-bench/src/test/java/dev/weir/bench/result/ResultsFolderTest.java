package dev.weir.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsFolderTest {

    @TempDir
    Path temp;

    @Test
    void placeThatCanHoldNoCampaign_isRefusedBeforehand() throws Exception {
        ResultsFolder.requireNew(temp.resolve("to/come"));
        assertThat(temp.resolve("to")).doesNotExist();
        Path file = Files.writeString(temp.resolve("file"), "");
        assertThatThrownBy(() -> ResultsFolder.requireNew(file)).hasMessageContaining(file + " is not a folder");
        assertThatThrownBy(() -> ResultsFolder.requireNew(file.resolve("below/it")))
                .hasMessageContaining(file + " is not a folder");
        ResultsFolder.create(temp, campaign());
        assertThatThrownBy(() -> ResultsFolder.requireNew(temp)).hasMessageContaining("holds a campaign already");
    }

    @Test
    void append_thenOpen_givesTheSame() {
        ResultsFolder folder = ResultsFolder.create(temp, campaign());
        folder.append(run("plain", 0, 1), List.of(histogram(LatencyTags.RESPONSE, 5_000)));
        folder.append(run("weir", 0, 0), List.of());

        ResultsFolder again = ResultsFolder.open(temp);

        assertThat(again.campaign()).isEqualTo(campaign());
        assertThat(again.runs()).containsExactly(run("weir", 0, 0), run("plain", 0, 1));
        List<Histogram> latencies = again.latencyIntervals(new Run.Key("p1", "plain", 0));
        assertThat(latencies).hasSize(1);
        assertThat(latencies.getFirst()).isEqualTo(histogram(LatencyTags.RESPONSE, 5_000));
        assertThat(latencies.getFirst().getTag()).isEqualTo("response");
        assertThat(latencies.getFirst().getStartTimeStamp()).isEqualTo(1_000);
        assertThat(again.latencyIntervals(new Run.Key("p1", "weir", 0))).isEmpty();
    }

    @Test
    void open_afterAnInterruptedAppend_keepsWhatIsWholeAndOverwritesTheRest() throws Exception {
        ResultsFolder folder = ResultsFolder.create(temp, campaign());
        folder.append(run("plain", 0, 0), List.of());
        byte[] whole = Files.readAllBytes(temp.resolve("runs.jsonl"));
        Files.write(
                temp.resolve("runs.jsonl"),
                "{\"point\":\"p1\",\"driver\":\"we".getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.APPEND);

        ResultsFolder resumed = ResultsFolder.open(temp);
        assertThat(resumed.runs()).containsExactly(run("plain", 0, 0));
        assertThat(resumed.isDone(new Run.Key("p1", "plain", 0))).isTrue();
        assertThat(resumed.isDone(new Run.Key("p1", "weir", 0))).isFalse();
        assertThat(Files.size(temp.resolve("runs.jsonl"))).isGreaterThan(whole.length);

        resumed.append(run("weir", 0, 1), List.of());
        assertThat(ResultsFolder.open(temp).runs()).containsExactly(run("plain", 0, 0), run("weir", 0, 1));
    }

    @Test
    void append_aRunThatHadFailed_replacesIt() {
        ResultsFolder folder = ResultsFolder.create(temp, campaign());
        Run failed = Run.failed("p1", "weir", 0, 0, 1, 0, 10, "sasl.password=open sesame refused");
        folder.append(failed, List.of());
        assertThat(folder.isDone(failed.key())).isFalse();
        assertThat(failed.failure()).doesNotContain("sesame");

        folder.append(run("weir", 0, 3), List.of());
        assertThat(ResultsFolder.open(temp).runs()).containsExactly(run("weir", 0, 3));
        assertThat(folder.isDone(failed.key())).isTrue();
    }

    @Test
    void open_aLineThatIsNoRun_namesFileAndLineAndTheWayOut() throws Exception {
        ResultsFolder.create(temp, campaign()).append(run("plain", 0, 0), List.of());
        Files.writeString(temp.resolve("runs.jsonl"), "nonsense\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> ResultsFolder.open(temp))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("runs.jsonl")
                .hasMessageContaining("line 2: delete it");
    }

    @Test
    void create_whereACampaignIs_isRefused() {
        ResultsFolder.create(temp, campaign());
        assertThatThrownBy(() -> ResultsFolder.create(temp, campaign())).hasMessageContaining("resume it");
        assertThatThrownBy(() -> ResultsFolder.open(temp.resolve("none"))).hasMessageContaining("no campaign.json");
    }

    @Test
    void append_aRunOfAnotherCampaign_isRefused() {
        ResultsFolder folder = ResultsFolder.create(temp, campaign());
        assertThatThrownBy(() -> folder.append(run("pekko", 0, 0), List.of())).hasMessageContaining("driver=pekko");
    }

    @Test
    void create_withSecretsInSettings_writesNone() throws Exception {
        Campaign campaign = new Campaign(
                "c",
                "c",
                "baseline: plain\nsasl.jaas.config: x required password=\"hunter2\";\n",
                "plain",
                null,
                1,
                1,
                List.of(new Driver("plain", "1", Map.of("ssl.keystore.password", "hunter2", "group.id", "g"))),
                List.of(),
                campaign().environment());
        ResultsFolder.create(temp, campaign);
        assertThat(temp.resolve("campaign.json"))
                .content()
                .doesNotContain("hunter2")
                .contains("group.id", "baseline");
    }

    static Campaign campaign() {
        return new Campaign(
                "c1",
                "plain-consumer",
                "scenario: plain-consumer\n",
                "plain",
                null,
                3,
                42,
                List.of(
                        new Driver("plain", "4.4.0", Map.of("fetch.min.bytes", "1")),
                        new Driver("weir", "0.1.0", Map.of())),
                List.of(new Point("p1", "plain-consumer", Map.of("partitions", "6"))),
                new Environment("Temurin 25", "Linux", "x", 2, 1L << 34, Map.of("kafka", "4.4.0"), Map.of(), "abc", 7));
    }

    static Run run(String driver, int round, int order) {
        return new Run(
                "p1",
                driver,
                round,
                order,
                9,
                1_000,
                3_000,
                1,
                List.of(
                        new Interval(0, 1_000, 10, 1_000, 5, 6, 0, 100, -1, -1, -1),
                        new Interval(1_000, 1_000, 20, 2_000, 5, 6, 0, 0, -1, -1, -1)),
                new Totals(20, 2_000, 1_000_000_000, 5, 6, 0, 3, 9, Map.of("fetches", 3.5, "odd", Double.NaN)),
                new Ledger(20, 20, 0, 0, 0),
                Set.of(Flag.NOT_STEADY),
                null);
    }

    private static Histogram histogram(String tag, long value) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(value, 10);
        histogram.setTag(tag);
        histogram.setStartTimeStamp(1_000);
        histogram.setEndTimeStamp(2_000);
        return histogram;
    }
}
