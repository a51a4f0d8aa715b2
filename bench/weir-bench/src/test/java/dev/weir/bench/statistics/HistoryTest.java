package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.Run;
import dev.weir.bench.statistics.History.Level;
import dev.weir.bench.statistics.History.Series;
import dev.weir.bench.statistics.History.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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

    /**
     * Regression: campaigns of the commands {@code run} and {@code explore} were in the same history as comparisons,
     * and counted as losses.
     */
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

    private static Campaign campaign(int day) {
        return snapshot(day, "p", Map.of()).campaign();
    }

    /** Returns a series of these levels, in days from 0. Each has the given length. */
    private static Series levels(int length, double... values) {
        List<Campaign> campaigns = new ArrayList<>();
        List<Double> figures = new ArrayList<>();
        List<Level> levels = new ArrayList<>();
        for (double value : values) {
            int from = campaigns.size();
            for (int day = from; day < from + length; day++) {
                campaigns.add(campaign(day));
                figures.add(value);
            }
            levels.add(new Level(campaigns.get(from), length, (from + length - 1) * DAY_MILLIS, value));
        }
        History.Key key = key(0, Metric.RATE);
        return new Series(key.point(), key.driver(), key.metric(), true, campaigns, figures, levels, 0);
    }

    private static String lost(Series series, long acceptedDay, double least) {
        Level lost = series.lost(acceptedDay * DAY_MILLIS, least);
        return lost == null ? "nothing" : lost.from().id();
    }

    @Test
    void lost_isTheBestOfTheBetterLevels_andTheEarliestOfEqualOnes() {
        assertThat(lost(levels(3, 1.5, 1.3, 1.0), 0, 0.05)).isEqualTo("day-0");
        assertThat(lost(levels(3, 1.3, 1.5, 1.0), 0, 0.05)).isEqualTo("day-3");
        assertThat(lost(levels(3, 1.2, 1.5, 1.3, 1.5, 1.0), 0, 0.05)).isEqualTo("day-3");
        assertThat(lost(levels(3, 1.5, 1.3, 1.0), 3, 0.05))
                .as("the best is accepted as past")
                .isEqualTo("day-3");
    }

    @Test
    void loss_countsFromTheSmallestOneOn() {
        assertThat(lost(levels(3, 1.5, 1.0), 0, 0.5)).isEqualTo("day-0");
        assertThat(lost(levels(3, 1.5, 1.0), 0, Math.nextUp(0.5))).isEqualTo("nothing");
    }

    /** Up to two campaigns may have started later, but not all of them. */
    @Test
    void levelIsAcceptedAsPast_ifItBeganBefore_andAtMostTwoCampaignsStartedLater() {
        Map<Integer, String> byLength = Map.of(1, "nothing", 2, "nothing", 3, "nothing", 4, "day-0");
        byLength.forEach((length, expected) ->
                assertThat(lost(levels(length, 1.5, 1.0), 1, 0.05)).isEqualTo(expected));
        for (int length = 1; length <= 4; length++) {
            assertThat(lost(levels(length, 1.5, 1.0), 0, 0.05)).isEqualTo("day-0");
        }
    }

    @Test
    void campaigns_areOrderedByTime_andHistoriesByLength() {
        List<Snapshot> snapshots = new ArrayList<>();
        for (int day : List.of(7, 3, 5, 4, 6)) {
            snapshots.add(snapshot(day, day < 5 ? "old" : "new", Map.of(key(0, Metric.RATE), 1.0 + day)));
        }
        List<History> histories = History.of(snapshots);
        assertThat(histories)
                .extracting(history ->
                        history.campaigns().stream().map(Campaign::id).toList())
                .containsExactly(List.of("day-5", "day-6", "day-7"), List.of("day-3", "day-4"));
        assertThat(only(histories.getFirst()).figures()).containsExactly(6.0, 7.0, 8.0);
        assertThat(only(histories.getFirst()).now().value()).isEqualTo(7);
    }

    @Test
    void oldCampaignsOfALongHistory_areIgnored() {
        List<Snapshot> snapshots = new ArrayList<>();
        for (int day = 0; day < History.MAX_CAMPAIGNS + 2; day++) {
            snapshots.add(snapshot(day, "p", Map.of()));
        }
        History history = History.of(snapshots).getFirst();
        assertThat(history.campaigns()).hasSize(History.MAX_CAMPAIGNS);
        assertThat(history.campaigns().getFirst().id()).isEqualTo("day-2");
    }

    // ---- Snapshots -------------------------------------------------------------------------------------------------

    private static Snapshot analysed(int rounds, @Nullable String control, Set<Flag> flags, String... drivers) {
        Campaign campaign = SimulatedDriver.campaign(1, rounds, control, drivers);
        Map<String, Double> nanos = new LinkedHashMap<>();
        for (String driver : drivers) {
            nanos.put(driver, driver.equals("weir") ? 100.0 : 200.0);
        }
        List<Run> runs = new ArrayList<>(
                new SimulatedDriver(1, SimulatedDriver.Luck.NORMAL, 0.01, 0.01).interleaved(campaign, nanos));
        runs.replaceAll(run -> run.driver().equals("weir") ? StatisticsTest.flagged(run, flags) : run);
        return Snapshot.of(Analysis.of(campaign, runs, run -> Map.of()), Set.of(Metric.RATE, Metric.P99, Metric.CPU));
    }

    private static Map<String, History.Reading> byName(Snapshot snapshot) {
        Map<String, History.Reading> readings = new LinkedHashMap<>();
        snapshot.readings()
                .forEach((key, reading) ->
                        readings.put(key.driver() + " " + key.metric().label(), reading));
        return readings;
    }

    @Test
    void snapshot_hasTheRatiosOfAllDriversButTheControl() {
        Snapshot snapshot = analysed(3, "again", Set.of(), "plain", "again", "weir");
        assertThat(snapshot.isRatio()).isTrue();
        Map<String, History.Reading> readings = byName(snapshot);
        assertThat(readings).containsOnlyKeys("plain rate", "plain cpu", "weir rate", "weir cpu");
        assertThat(readings.get("plain rate")).satisfies(of -> {
            assertThat(of.median()).isBetween(4.5e6, 5.5e6);
            assertThat(of).isEqualTo(new History.Reading(of.median(), 1, 1, 1));
        });
        assertThat(readings.get("weir rate")).satisfies(of -> {
            assertThat(of.median()).isBetween(9e6, 11e6);
            assertThat(of.ratio()).isBetween(1.9, 2.1);
            assertThat(of.low()).isBetween(1.5, of.ratio());
            assertThat(of.high()).isBetween(of.ratio(), 2.6);
        });
    }

    @Test
    void snapshotOfOneRound_hasNoIntervals() {
        assertThat(byName(analysed(1, null, Set.of(), "plain", "weir")).get("weir rate"))
                .satisfies(of -> {
                    assertThat(of.ratio()).isBetween(1.8, 2.2);
                    assertThat(of.low()).isNaN();
                    assertThat(of.high()).isNaN();
                });
    }

    @Test
    void snapshotOfABaselineAlone_hasItsMedians() {
        for (Snapshot snapshot :
                List.of(analysed(3, null, Set.of(), "plain"), analysed(3, "again", Set.of(), "plain", "again"))) {
            assertThat(snapshot.isRatio()).isFalse();
            assertThat(byName(snapshot)).containsOnlyKeys("plain rate", "plain cpu");
            assertThat(byName(snapshot).get("plain rate")).satisfies(of -> {
                assertThat(of.median()).isBetween(4.5e6, 5.5e6);
                assertThat(of.ratio()).isNaN();
            });
            assertThat(History.of(List.of(snapshot)).getFirst().series())
                    .extracting(
                            series -> series.driver() + " " + series.metric().label() + " " + series.isRatio())
                    .containsExactlyInAnyOrder("plain rate false", "plain cpu false");
        }
    }

    @Test
    void figuresThatAreBoundsOrOfChangedRuns_areLeftOut() {
        assertThat(byName(analysed(3, null, Set.of(Flag.BROKER_BOUND), "plain", "weir")))
                .containsOnlyKeys("plain rate", "plain cpu", "weir cpu");
        assertThat(byName(analysed(3, null, Set.of(Flag.CHANGED), "plain", "weir")))
                .containsOnlyKeys("plain rate", "plain cpu");
    }

    /** The logarithm of a ratio that is 0 or unknown could not be searched for changes. */
    @Test
    void history_searchesPositiveRatiosOfOtherDriversOnly() {
        Snapshot snapshot = snapshot(
                0, "p", Map.of(key(0, Metric.RATE), 1.5, key(1, Metric.RATE), 0.0, key(2, Metric.RATE), Double.NaN));
        Map<History.Key, History.Reading> readings = new LinkedHashMap<>(snapshot.readings());
        readings.put(
                new History.Key(new Point("p0", "consume", Map.of()), "plain", Metric.RATE),
                new History.Reading(1_000, 1, 1, 1));
        assertThat(History.of(List.of(new Snapshot(snapshot.campaign(), true, readings)))
                        .getFirst()
                        .series())
                .extracting(series -> series.driver() + " " + series.figures())
                .containsExactly("weir [1.5]");
    }
}
