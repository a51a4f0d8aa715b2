package dev.weir.bench.workload;

import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Limits;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the search for a point's highest sustainable rate. Immutable.
 *
 * @param members the number of the driver's processes, which are members of one group
 * @param startRate the first rate, in records per second
 * @param warmUpSeconds how long each trial runs before it is judged
 * @param stepSeconds how long a step is judged
 * @param holdSeconds how long the confirming hold is judged
 * @param pauseSeconds how long the members are paused
 * @param recoverySeconds how long a group may take to meet the target again
 * @param lifts maximum number of rates to try above the confirmed rate
 */
public record ExploreSettings(
        LatencyTarget target,
        int members,
        double startRate,
        double maxRate,
        double warmUpSeconds,
        double stepSeconds,
        double holdSeconds,
        double pauseSeconds,
        double recoverySeconds,
        int lifts) {

    private static final String TARGET = "target";
    private static final String SECTION = "explore.";

    static final String START_RATE = SECTION + "startRate";

    /** The estimated time for processes to start and members to join. */
    private static final double STARTING_SECONDS = 5;

    // Scenarios in which a returning member continues from its group's committed offset.
    static final Set<Scenario> COMMITTING = Set.of(Scenario.WORK, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE);

    private static final List<String> NOT_SENT =
            List.of("valueSpread", "valueRandom", "valueSizes", "valueFile", "headers", "transactionRecords");

    static Stream<Key> keys() {
        return Stream.of(
                new Key(
                        TARGET,
                        Key.Type.TARGET,
                        "p99<=100ms",
                        0,
                        0,
                        List.of(),
                        "Latency target of explore: a percentile and its limit; with worst before it, for each"
                                + " partition; with worst consumer, for each process of the group."),
                Key.integer(SECTION + "members", 2, 1, 64, "Processes of a driver, which share one group."),
                Key.integer(START_RATE, 1000, 1, 1_000_000, "The first rate, in records per second."),
                Key.integer(SECTION + "maxRate", 1_000_000, 1, 1_000_000, "The highest rate, in records per second."),
                Key.number(
                        SECTION + "warmUpSeconds",
                        5,
                        0.5,
                        600,
                        "How long a trial of new processes runs before it is judged; later trials, a third of it."),
                Key.number(SECTION + "stepSeconds", 10, 1, 3600, "How long a step is judged."),
                Key.number(SECTION + "holdSeconds", 60, 1, 3600, "How long the confirming hold is judged."),
                Key.number(SECTION + "pauseSeconds", 10, 0.5, 30, "How long all members stop in a pause."),
                Key.number(
                        SECTION + "recoverySeconds",
                        60,
                        2,
                        3600,
                        "How long a system may take to meet the target again after a perturbation."),
                Key.integer(
                        SECTION + "lifts",
                        Limits.LIFTS,
                        0,
                        20,
                        "How many rates above the confirmed one are tried at most."),
                Key.number(SECTION + "maxSeconds", 1800, 10, 864_000, "How long the whole search may take."));
    }

    /** The maximum time for searching all points of a workload. */
    public static double maxSeconds(WorkloadPoint point) {
        return number(point, "maxSeconds");
    }

    /** The latency target of a point. It also applies to runs that do not search for a rate. */
    public static LatencyTarget target(WorkloadPoint point) {
        return LatencyTarget.of(point.text(TARGET));
    }

    /**
     * Returns the settings of a point.
     *
     * @param target replaces the file's target; null to keep it
     * @throws WorkloadException if the point cannot be searched
     */
    public static ExploreSettings of(WorkloadPoint point, @Nullable LatencyTarget target) {
        if (!COMMITTING.contains(point.scenario())) {
            throw new WorkloadException("explore restarts members, which continue where they have committed:"
                    + " scenario must be work, at-least-once or at-most-once: scenario="
                    + point.scenario().label());
        }
        checkSent(point, "explore sends");
        if (point.groups() > 1) {
            throw new WorkloadException(
                    "explore looks for the rate of one group: leave groups out: groups=" + point.groups());
        }
        Combinations.requireTimedPartitions(point);
        if (!(number(point, "startRate") > 0)) {
            throw new WorkloadException("a search begins with a rate above 0: producerRate=" + point.text(START_RATE));
        }
        if (point.isSet("load")) {
            throw new WorkloadException("explore looks for one rate: leave topic.load out");
        }
        if (number(point, "maxRate") < number(point, "startRate")) {
            throw new WorkloadException("explore.maxRate must be at least explore.startRate: explore.maxRate="
                    + number(point, "maxRate") + " explore.startRate=" + number(point, "startRate"));
        }
        return new ExploreSettings(
                target != null ? target : target(point),
                (int) number(point, "members"),
                number(point, "startRate"),
                number(point, "maxRate"),
                number(point, "warmUpSeconds"),
                number(point, "stepSeconds"),
                number(point, "holdSeconds"),
                number(point, "pauseSeconds"),
                number(point, "recoverySeconds"),
                (int) number(point, "lifts"));
    }

    /**
     * Refuses topic settings that the generator does not support, and a slow sink.
     *
     * @param who the beginning of the message
     */
    static void checkSent(WorkloadPoint point, String who) {
        for (String key : NOT_SENT) {
            if (point.isSet(key)) {
                throw new WorkloadException(who + " records as the generator makes them: leave topic." + key
                        + " out: topic." + key + "=" + point.settings().get("topic." + key));
            }
        }
        if (point.hasSlowSink()) {
            throw new WorkloadException(who + " records at a rate that must not be limited:" + " leave options."
                    + PassOptions.SINK_RATE + " out");
        }
    }

    private static double number(WorkloadPoint point, String key) {
        return Double.parseDouble(point.text(SECTION + key));
    }

    /** Returns the approximate minimum time of each kind of trial. */
    public Map<Kind, Double> expectedSeconds() {
        double begun = STARTING_SECONDS + warmUpSeconds;
        return Map.of(
                Kind.STEP, begun + stepSeconds,
                Kind.HOLD, begun + holdSeconds,
                Kind.COLD_START, STARTING_SECONDS + recoverySeconds,
                Kind.RESTART, begun + recoverySeconds,
                Kind.PAUSE, begun + pauseSeconds + recoverySeconds);
    }
}
