package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.deploy.Autoscaling.Load;
import dev.weir.checks.deploy.Autoscaling.Outcome;
import dev.weir.checks.deploy.Autoscaling.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Compares the chart's rule for the number of pods with a rule for plain lag. The page about scaling shows the
 * resulting table.
 */
class AutoscalingTest {

    private static final Path PAGE = Image.ROOT.resolve("docs/benchmarks/scaling.md");

    private static final String HEAD = """
            | load | rule | most lag, s | lag above a minute, s | pod-hours | moves | most pods |
            |---|---|---|---|---|---|---|
            """;

    /** The chart's query, with its default of 30 s. */
    private static final Policy SECONDS =
            look -> look.outputLimits() ? look.pods() : look.pods() * look.busyShare() * (1 + look.lagSeconds() / 30);

    /** The chart's query for share groups. */
    private static final Policy SECONDS_LEFT = look -> {
        double atWork = look.pods() * look.busyShare();
        double rate = Math.max(1, atWork * Autoscaling.POD_RECORDS);
        return atWork * (1 + look.lagRecords() / (30 * rate));
    };

    /** One pod for every 10,000 records of lag, like {@code lagThreshold} of KEDA's scaler for Kafka. */
    private static final Policy RECORDS = look -> look.lagRecords() / (10.0 * Autoscaling.POD_RECORDS);

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private record Case(String title, Load load) {

        private String rows() {
            return row("busy pods and seconds", Autoscaling.run(SECONDS, load))
                    + row("share group: busy pods and seconds left", Autoscaling.run(SECONDS_LEFT, load))
                    + row("records of lag", Autoscaling.run(RECORDS, load));
        }

        private String row(String rule, Outcome outcome) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %,d | %,d | %.1f | %d | %d |\n",
                    title,
                    rule,
                    outcome.maxLagSeconds(),
                    outcome.lateSeconds(),
                    outcome.podHours(),
                    outcome.moves(),
                    outcome.mostPods());
        }
    }

    private static final List<Case> CASES = List.of(
            new Case(
                    "spike of ten times for ten minutes",
                    new Load(7_200, t -> t >= 1_800 && t < 2_400 ? 8_000 : 800, t -> NO_LIMIT)),
            new Case(
                    "from 500/s to 9,500/s in two hours",
                    new Load(7_200, t -> 500 + t * 9_000L / 7_200, t -> NO_LIMIT)),
            new Case(
                    "Black Friday: doors at six, a deal each full hour, the evening",
                    new Load(86_400, AutoscalingTest::blackFriday, t -> NO_LIMIT)),
            new Case(
                    "4,500/s; the output takes 2,000/s for half an hour",
                    new Load(10_800, t -> 4_500, t -> t >= 1_800 && t < 3_600 ? 2_000 : NO_LIMIT)));

    /**
     * Returns the number of records in a second of an invented day. Within five minutes, the rate rises to ten times
     * the night's rate.
     */
    private static long blackFriday(int second) {
        double hour = second / 3_600.0;
        if (hour < 6) {
            return 600;
        }
        double doors = 5_400 * Math.min(1, (hour - 6) * 12) * Math.exp(-Math.max(0, hour - 6 - 1 / 12.0));
        double day = 2_400 * Math.min(1, (hour - 6) / 3);
        double evening = 4_000 * Math.exp(-Math.pow(hour - 20, 2));
        double deal = hour >= 8 && hour < 22 && second % 3_600 < 120 ? 4_000 : 0;
        double goingHome = hour < 22 ? 1 : Math.max(0.2, 1 - (hour - 22) / 2);
        return Math.round((600 + doors + day + evening + deal) * goingHome);
    }

    @Test
    void page_hasWhatTheSimulationSays() throws IOException {
        String table = HEAD + CASES.stream().map(Case::rows).collect(Collectors.joining());
        String page = Files.readString(PAGE);
        int from = page.indexOf(HEAD);
        assertThat(from).isPositive();
        int to = page.indexOf("\n\n", from) + 1;
        if (Boolean.getBoolean("weir.write")) {
            Files.writeString(PAGE, page.substring(0, from) + table + page.substring(to));
        } else {
            assertThat(page.substring(from, to)).isEqualTo(table);
        }
    }

    @Test
    void output_thatLimits_isAnsweredWithNoMorePods() {
        Load load = new Load(7_200, t -> Math.min(3_500, 500 + t), t -> t < 3_600 ? NO_LIMIT : 1_000);
        Outcome seconds = Autoscaling.run(SECONDS, load);
        Outcome records = Autoscaling.run(RECORDS, load);
        assertThat(seconds.mostPods()).isLessThan(Autoscaling.MOST_PODS);
        assertThat(records.mostPods()).isEqualTo(Autoscaling.MOST_PODS);
    }

    @Test
    void shareGroup_isSizedByWhatPodsCanDo_notByWhatComes() {
        Load bursts = new Load(3_600, t -> t % 600 == 15 ? 10_000 : 0, t -> NO_LIMIT);
        assertThat(Autoscaling.run(SECONDS_LEFT, bursts).mostPods()).isEqualTo(1);
        Load steady = new Load(3_600, t -> t % 600 == 15 ? 3_000 : 5, t -> NO_LIMIT);
        assertThat(Autoscaling.run(SECONDS_LEFT, steady).mostPods()).isEqualTo(1);
        Load much = new Load(3_600, t -> 3_500, t -> NO_LIMIT);
        Outcome grown = Autoscaling.run(SECONDS_LEFT, much);
        assertThat(grown.mostPods()).isGreaterThanOrEqualTo(4);
        // Pods added for the backlog are removed again.
        assertThat(grown.podHours()).isBetween(3.5, 7.0);
    }
}
