package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Point;
import dev.weir.bench.statistics.History.Series;
import dev.weir.bench.statistics.History.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static final double NOISE = 0.01;
    private static final long DAY_MILLIS = 86_400_000;

    private static Snapshot snapshot(int day, String processor, Map<History.Key, Double> figures) {
        return snapshot(day, processor, Map.of(), figures);
    }

    private static Snapshot snapshot(
            int day, String processor, Map<String, String> settings, Map<History.Key, Double> figures) {
        Environment environment =
                new Environment("", "", processor, 2, 1, Map.of(), settings, "c" + day, day * DAY_MILLIS);
        return new Snapshot(
                new Campaign(
                        "day-" + day,
                        "plain-consumer",
                        "",
                        "plain",
                        null,
                        1,
                        1,
                        List.of(new Driver("plain", "1", Map.of())),
                        List.of(),
                        environment),
                true,
                readings(figures));
    }

    private static Map<History.Key, History.Reading> readings(Map<History.Key, Double> ratios) {
        Map<History.Key, History.Reading> readings = new LinkedHashMap<>();
        ratios.forEach(
                (key, ratio) -> readings.put(key, new History.Reading(1000 * ratio, ratio, 0.9 * ratio, 1.1 * ratio)));
        return readings;
    }

    private static History.Key key(int point, Metric metric) {
        return new History.Key(new Point("p" + point, "consume", Map.of()), "weir", metric);
    }

    /** Regression: a run, and a search for the highest rate, counted as losses of the comparisons of a workload. */
    @Test
    void campaignsOfDifferentCommands_areDifferentHistories() {
        Snapshot run = snapshot(0, "p", Map.of(key(0, Metric.RATE), 1.0));
        Snapshot explored = new Snapshot(run.campaign().asExplored(), true, run.readings());
        Campaign of = run.campaign();
        Campaign compared = new Campaign(
                "c", of.name(), of.workload(), of.baseline(), null, 10, 1, of.drivers(), of.points(), of.environment());
        assertThat(History.of(List.of(run, explored, new Snapshot(compared, true, run.readings()))))
                .hasSize(3);
    }

    /** Returns a history of one figure with ten days at each level. */
    private static History history(Metric metric, double... levels) {
        Random random = new Random(5);
        List<Snapshot> snapshots = new ArrayList<>();
        for (int day = 0; day < 10 * levels.length; day++) {
            double figure = levels[day / 10] * Math.exp(NOISE * random.nextGaussian());
            snapshots.add(snapshot(day, "p", Map.of(key(0, metric), figure)));
        }
        return History.of(snapshots).getFirst();
    }

    private static Series only(History history) {
        return history.series().getFirst();
    }

    @Test
    void rateThatFell_isLost_untilItIsAccepted() {
        Series series = only(history(Metric.RATE, 1.5, 1.3));
        assertThat(series.levels()).hasSize(2);
        assertThat(series.now().from().id()).isEqualTo("day-10");
        assertThat(series.lost(Long.MIN_VALUE, 0.05))
                .satisfies(level -> assertThat(level.from().id()).isEqualTo("day-0"));
        assertThat(series.lost(10 * DAY_MILLIS, 0.05))
                .as("accepted from day 10 on")
                .isNull();
        assertThat(series.lost(8 * DAY_MILLIS, 0.05))
                .as("the begin was found two days too late: what was accepted stays so")
                .isNull();
        assertThat(series.lost(7 * DAY_MILLIS, 0.05)).as("three days before it").isNotNull();
        assertThat(series.lost(Long.MIN_VALUE, 0.2)).as("15 % less").isNull();
    }

    @Test
    void costThatRose_isLost_andAGainIsNot() {
        assertThat(only(history(Metric.CPU, 0.5, 0.6)).lost(Long.MIN_VALUE, 0.05))
                .isNotNull();
        assertThat(only(history(Metric.CPU, 0.5, 0.4)).lost(Long.MIN_VALUE, 0.05))
                .isNull();
        assertThat(only(history(Metric.RATE, 1.5, 1.9)).lost(Long.MIN_VALUE, 0.05))
                .isNull();
    }

    @Test
    void figureThatStays_isNotLost_evenIfTheSmallestLossCounts() {
        assertThat(only(history(Metric.RATE, 1.5)).lost(Long.MIN_VALUE, 0)).isNull();
        assertThat(only(history(Metric.CPU, 0.6, 0.5)).lost(Long.MIN_VALUE, 0)).isNull();
        assertThat(only(history(Metric.CPU, 0.5, 0.6)).lost(Long.MIN_VALUE, 0)).isNotNull();
    }

    /** The figure is better than at the start, but worse than in between. */
    @Test
    void gainThatWasLostAgain_isTold_andAFaultThatWasMendedIsNot() {
        Series lost = only(history(Metric.RATE, 1.0, 1.5, 1.2));
        assertThat(lost.lost(Long.MIN_VALUE, 0.05))
                .satisfies(level -> assertThat(level.from().id()).isEqualTo("day-10"));
        assertThat(only(history(Metric.RATE, 1.5, 1.2, 1.5)).lost(Long.MIN_VALUE, 0.05))
                .isNull();
    }

    @Test
    void otherMachines_haveHistoriesOfTheirOwn() {
        List<Snapshot> snapshots = new ArrayList<>();
        for (int day = 0; day < 20; day++) {
            snapshots.add(snapshot(day, day < 12 ? "slow" : "fast", Map.of(key(0, Metric.RATE), day < 12 ? 1.0 : 2.0)));
        }
        List<History> histories = History.of(snapshots);
        assertThat(histories)
                .hasSize(2)
                .allSatisfy(history -> assertThat(only(history).levels()).hasSize(1));
        assertThat(histories.getFirst().campaigns()).hasSize(12);
    }

    @Test
    void otherClusters_andMachinesOfWorkers_haveHistoriesOfTheirOwn() {
        for (String setting : List.of(Campaign.CLUSTER_ID, Campaign.WORKERS)) {
            List<Snapshot> snapshots = new ArrayList<>();
            for (int day = 0; day < 20; day++) {
                double figure = day % 2 == 0 ? 1.0 : 2.0;
                Map<String, String> settings = day % 2 == 0 ? Map.of() : Map.of(setting, "elsewhere");
                snapshots.add(snapshot(day, "p", settings, Map.of(key(0, Metric.RATE), figure)));
            }
            assertThat(History.of(snapshots)).as(setting).hasSize(2);
        }
    }

    /** Measurements and simulations share a default folder. */
    @Test
    void simulatedCampaigns_areInNoHistory() {
        List<Snapshot> snapshots = new ArrayList<>();
        for (int day = 0; day < 20; day++) {
            Map<String, String> settings = day < 12 ? Map.of() : Map.of(Campaign.SIMULATED, "a model");
            snapshots.add(snapshot(day, "p", settings, Map.of(key(0, Metric.RATE), day < 12 ? 2.0 : 1.0)));
        }
        assertThat(History.of(snapshots)).singleElement().satisfies(history -> {
            assertThat(history.campaigns()).hasSize(12);
            assertThat(only(history).levels()).hasSize(1);
        });
    }

    /** Checks twenty figures at a time. Only few of the histories without a change may report one. */
    @Test
    void manyFiguresWithoutAChange_areRarelySaidToHaveOne() {
        int told = 0;
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Snapshot> snapshots = new ArrayList<>();
            for (int day = 0; day < 25; day++) {
                Map<History.Key, Double> figures = new LinkedHashMap<>();
                for (int point = 0; point < 20; point++) {
                    figures.put(key(point, Metric.RATE), Math.exp(NOISE * random.nextGaussian()));
                }
                snapshots.add(snapshot(day, "p", figures));
            }
            told += History.of(snapshots).getFirst().series().stream()
                            .anyMatch(series -> series.levels().size() > 1)
                    ? 1
                    : 0;
        }
        // 5 % of 200 is 10, and 19 is three standard deviations more.
        assertThat(told).isLessThanOrEqualTo(19);
    }

    @Test
    void lookAfterEachOfFortyCampaigns_rarelyEverRaisesAFalseAlarm() {
        int alarms = 0;
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<Snapshot> snapshots = new ArrayList<>();
            boolean alarm = false;
            for (int day = 0; day < 40; day++) {
                snapshots.add(snapshot(day, "p", Map.of(key(0, Metric.RATE), Math.exp(0.05 * random.nextGaussian()))));
                alarm |= only(History.of(snapshots).getFirst()).lost(Long.MIN_VALUE, Analysis.MARGIN) != null;
            }
            alarms += alarm ? 1 : 0;
        }
        assertThat(alarms).isLessThanOrEqualTo(12);
    }
}
