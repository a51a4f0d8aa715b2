package dev.weir.cli.tune;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.examples.asimov.AsimovLookups;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.Limiter;
import dev.weir.stream.Dispatchers;
import dev.weir.stream.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A version in which two steps wait for a service. Their threads come from a dispatcher in a file; a version with
 * another size overrides the file by the variable of the environment that does so in production.
 *
 * <p>Threads, and sizes, are what the limiter advises.
 */
final class WaitingVersion implements Version {
    private static final long ANSWER_MILLIS = 5;
    private static final int OUTSTANDING_RECORDS = 64;
    private static final String FILE = "dispatchers.properties";
    private static final String DISPATCHER = "lookups";
    private static final String VARIABLES = "WEIR_DISPATCHER_LOOKUPS_";
    private static final String SIZE_VARIABLE = VARIABLES + "SIZE";

    /** More calls at once are no advice to follow, whatever the limiter says. */
    private static final int MOST_THREADS = 128;

    /** In one step: what limits next is not known beyond that. */
    private static final double MOST_GAIN = 8;

    private static final double WORTH_A_STEP = 1.1;
    private static final List<String> STEPS = List.of(AsimovLookups.CUSTOMER, AsimovLookups.CONSENT);

    /** The lever of both steps. */
    private static final String BOTH = "both";

    private final String change;
    private final String lever;
    private final double expectedGain;
    private final Map<String, Integer> lanes;
    private final Map<String, String> environment;
    private final Dispatchers dispatchers;

    private WaitingVersion(
            String change,
            String lever,
            double expectedGain,
            Map<String, Integer> lanes,
            Map<String, String> environment) {
        this.change = change;
        this.lever = lever;
        this.expectedGain = expectedGain;
        this.lanes = Map.copyOf(lanes);
        this.environment = Map.copyOf(environment);
        this.dispatchers = Dispatchers.parse(FILE, text(), environment);
    }

    /**
     * The first one.
     *
     * @param environment of the process: of it what overrides the dispatcher counts
     */
    static Version first(Map<String, String> environment) {
        Map<String, String> ours = environment.entrySet().stream()
                .filter(variable -> variable.getKey().startsWith(VARIABLES))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        String change = "two steps that wait %d ms each for a service, all on one thread".formatted(ANSWER_MILLIS);
        try {
            return new WaitingVersion(change, "", 1, Map.of(), ours);
        } catch (IllegalArgumentException e) { // A variable that does not fit the file.
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        }
    }

    private static String text() {
        try (InputStream file =
                Objects.requireNonNull(WaitingVersion.class.getResourceAsStream(FILE), FILE + " is not in the jar")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String change() {
        return change;
    }

    /** A step, {@link #BOTH}, or the dispatcher. */
    @Override
    public String lever() {
        return lever;
    }

    @Override
    public double expectedGain() {
        return expectedGain;
    }

    @Override
    public Pipeline pipeline(
            ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
        // A batch on one thread takes as many times 10 ms as it has records, and is counted when it is done.
        consumer.maxOutstandingRecords(OUTSTANDING_RECORDS);
        return AsimovLookups.simulated(ANSWER_MILLIS)
                .pipeline(lanes, dispatchers.get(DISPATCHER), consumer.build(), producer.build(), malformed -> {});
    }

    @Override
    public @Nullable Version next(Measurement measured, Set<String> failed) {
        Limiter limiter = measured.limiter();
        return switch (limiter.kind()) {
            case STAGE_WAIT -> STEPS.contains(limiter.name()) ? withLanes(limiter, measured, failed) : null;
            case DISPATCHER ->
                limiter.name().equals(DISPATCHER) && !failed.contains(DISPATCHER)
                        ? withThreads(limiter.expectedGain())
                        : null;
            default -> null;
        };
    }

    private @Nullable Version withLanes(Limiter limiter, Measurement measured, Set<String> failed) {
        String step = limiter.name();
        if (!failed.contains(step) && (limiter.expectedGain() >= WORTH_A_STEP || !lanes.containsKey(step))) {
            return withLanes(step, limiter.expectedGain());
        }
        for (String other : STEPS) {
            if (!failed.contains(other) && !lanes.containsKey(other)) {
                return withLanes(other, limiter.expectedGain());
            }
        }
        // Both are full, so more for one alone would bring nothing.
        double gain = Math.min(MOST_GAIN, measured.processorsAllow());
        boolean both = lanes.keySet().containsAll(STEPS) && !failed.contains(BOTH);
        return both && gain >= WORTH_A_STEP ? withAll(gain) : null;
    }

    private @Nullable Version withAll(double gain) {
        Map<String, Integer> newLanes = new HashMap<>();
        lanes.forEach((step, before) -> newLanes.put(step, raised(before, gain)));
        return withCalls(
                "both with %s at once instead of %s".formatted(ofSteps(newLanes), ofSteps(lanes)),
                BOTH,
                gain,
                newLanes);
    }

    /** As many threads too: more calls at once would only wait for one. None if that would be too many. */
    private @Nullable Version withCalls(String what, String turned, double gain, Map<String, Integer> newLanes) {
        int threads = newLanes.values().stream().mapToInt(Integer::intValue).sum();
        if (threads > MOST_THREADS) {
            return null;
        }
        return threads <= size()
                ? new WaitingVersion(what, turned, gain, newLanes, environment)
                : new WaitingVersion(
                        "%s, and %s=%d".formatted(what, SIZE_VARIABLE, threads),
                        turned,
                        gain,
                        newLanes,
                        withSize(threads));
    }

    private static String ofSteps(Map<String, Integer> lanes) {
        return STEPS.stream()
                .map(step -> String.valueOf(lanes.get(step)))
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    private Map<String, String> withSize(int threads) {
        Map<String, String> newEnvironment = new HashMap<>(environment);
        newEnvironment.put(SIZE_VARIABLE, Integer.toString(threads));
        return newEnvironment;
    }

    private @Nullable Version withLanes(String step, double gain) {
        Integer before = lanes.get(step);
        Map<String, Integer> newLanes = new HashMap<>(lanes);
        int now = raised(before == null ? 1 : before, gain);
        newLanes.put(step, now);
        String what = before == null
                ? "%s on dispatcher %s, %d at once".formatted(step, DISPATCHER, now)
                : "%s with %d at once instead of %d".formatted(step, now, before);
        return withCalls(what, step, gain, newLanes);
    }

    private int size() {
        return dispatchers.get(DISPATCHER).snapshot().size();
    }

    private @Nullable Version withThreads(double gain) {
        int before = size();
        int now = raised(before, gain);
        return gain < WORTH_A_STEP || now > MOST_THREADS
                ? null
                : new WaitingVersion(
                        "%s=%d: %d threads instead of %d".formatted(SIZE_VARIABLE, now, now, before),
                        DISPATCHER,
                        gain,
                        lanes,
                        withSize(now));
    }

    private static int raised(int before, double gain) {
        return Math.max(before + 1, (int) Math.ceil(before * gain));
    }

    @Override
    public void close() {
        dispatchers.close();
    }
}
