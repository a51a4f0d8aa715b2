package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.produce.ProducePath;
import dev.weir.metrics.Limiter;
import dev.weir.stream.Pipeline;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/**
 * A version of the application as it is. Immutable.
 *
 * <p>The replacements of the naive steps are prepared; which one comes next, and its gain, is measured: while there are
 * any, the profile decides. After that the limiter does: threads for a step, the lean path, larger batches. Where it
 * is the machine, the Kafka clients' share by the profile says what the lean path would save. What promises little is
 * left out, and so is what has just brought nothing.
 *
 * @param lever the stage that got cheaper code, {@link #THREADS} and the stage that got them, or a {@link Setting}
 * @param naive the steps that are naive
 * @param threaded the stages that have threads of their own; the others share one with those beside them
 * @param settings those that are not the default ones
 */
record ComputingVersion(
        String change, String lever, double expectedGain, Set<Step> naive, Set<String> threaded, Set<Setting> settings)
        implements Version {

    static final String THREADS = "threads of ";

    /** The stages that threads are for. */
    private static final Set<String> PARALLEL = Set.of(Step.JSON.stage, Step.URL.stage, Step.LZ.stage, "encode");

    /**
     * Processor time of the lean path over that of Kafka's clients: reading 1/4, writing 1/3 (docs/benchmarks/lean.md).
     */
    private static final double LEAN_OVER_CLIENTS = 0.3;

    /** A smaller gain is not seen between two runs. */
    private static final double WORTH_A_STEP = 1.03;

    private static final int BATCH_BYTES = 256 * 1024;
    private static final int LINGER_MILLIS = 20;

    /** Of the traffic that costs are measured with. */
    private static final long SEED = 42;

    /**
     * Median size of a page's payload, which is some kilobytes: of less, a broker on the same two processors would be
     * half of the work.
     */
    private static final int MEDIAN_PAYLOAD_CHARS = 3_000;

    /** A setting of a version. */
    enum Setting {
        /** The lean path fetches and produces. */
        LEAN,
        /** The producer waits for large batches. */
        LARGE_BATCHES
    }

    static EventGenerator traffic(long seed) {
        return new EventGenerator(seed, MEDIAN_PAYLOAD_CHARS);
    }

    static ComputingVersion first() {
        return new ComputingVersion(
                "a JSON tree, java.net.URI, LZ-string as in JavaScript, all on one thread",
                "",
                1,
                EnumSet.allOf(Step.class),
                Set.of(),
                Set.of());
    }

    @Override
    public Pipeline pipeline(
            ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
        if (settings.contains(Setting.LEAN)) {
            consumer.fetch(FetchPath.LEAN);
            producer.producePath(ProducePath.LEAN);
        }
        if (settings.contains(Setting.LARGE_BATCHES)) {
            producer.property(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(BATCH_BYTES))
                    .property(ProducerConfig.LINGER_MS_CONFIG, Integer.toString(LINGER_MILLIS));
        }
        Map<String, Integer> threads =
                threaded.stream().collect(Collectors.toMap(stage -> stage, stage -> processors()));
        return AsimovPipeline.of(new MixedSteps(naive), threads, consumer.build(), producer.build(), malformed -> {});
    }

    @Override
    public boolean needsWarmPasses() {
        return true;
    }

    @Override
    public boolean needsShares() {
        return !naive.isEmpty() || !settings.contains(Setting.LEAN);
    }

    /** Cheaper code alone; threads and settings cost something elsewhere. */
    @Override
    public boolean staysWithoutGain() {
        return Stream.of(Step.values()).anyMatch(step -> step.stage.equals(lever));
    }

    @Override
    public @Nullable Version next(Measurement measured, Set<String> failed) {
        return next(measured, failed, step -> StepCosts.todayOverNaive(step, traffic(SEED)));
    }

    /**
     * The same with other costs.
     *
     * @param todayOverNaive what today's step costs over what the naive one does
     */
    @Nullable
    Version next(Measurement measured, Set<String> failed, ToDoubleFunction<Step> todayOverNaive) {
        Step largest = naive.stream()
                .filter(step -> !failed.contains(step.stage))
                .max(Comparator.comparingDouble(step -> share(measured, step)))
                .orElse(null);
        if (largest != null) {
            return cheaper(largest, measured, todayOverNaive.applyAsDouble(largest));
        }
        // Of equals the first: the limiter's own advice.
        return Stream.of(advised(measured.limiter()), cheaperClients(measured))
                .filter(Objects::nonNull)
                .filter(version -> version.expectedGain >= WORTH_A_STEP && !failed.contains(version.lever))
                .max(Comparator.comparingDouble(ComputingVersion::expectedGain))
                .orElse(null);
    }

    private @Nullable ComputingVersion advised(Limiter limiter) {
        return switch (limiter.kind()) {
            case STAGE_CPU -> withThreads(limiter.name(), limiter.expectedGain());
            case SOURCE_FETCH, SOURCE_BROKER -> with(Setting.LEAN, "the lean path", limiter.expectedGain());
            case PRODUCER ->
                with(
                        Setting.LARGE_BATCHES,
                        "batches of up to %d KB that wait %d ms".formatted(BATCH_BYTES / 1024, LINGER_MILLIS),
                        limiter.expectedGain());
            default -> null;
        };
    }

    private @Nullable ComputingVersion cheaperClients(Measurement measured) {
        return !measured.processorsAreFull()
                ? null
                : with(
                        Setting.LEAN,
                        ("the lean path, fetched and produced: no processor is free, and the Kafka clients have"
                                        + " %.0f %% of them by the profile; lean costs about %.0f %% of that")
                                .formatted(100 * measured.clientShare(), 100 * LEAN_OVER_CLIENTS),
                        measured.gainOfCheaperClients(LEAN_OVER_CLIENTS));
    }

    /** Null if it is set already. */
    private @Nullable ComputingVersion with(Setting setting, String what, double gain) {
        if (settings.contains(setting)) {
            return null;
        }
        Set<Setting> more = EnumSet.of(setting);
        more.addAll(settings);
        return new ComputingVersion(what, setting.name(), gain, naive, threaded, more);
    }

    /** Null if it has them, or is none for threads. */
    private @Nullable ComputingVersion withThreads(String stage, double gain) {
        if (threaded.contains(stage) || !PARALLEL.contains(stage)) {
            return null;
        }
        Set<String> more = new HashSet<>(threaded);
        more.add(stage);
        return new ComputingVersion(
                "%s with %d threads of its own, in order".formatted(stage, processors()),
                THREADS + stage,
                gain,
                naive,
                Set.copyOf(more),
                settings);
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    private Version cheaper(Step largest, Measurement measured, double costRatio) {
        Set<Step> left = EnumSet.copyOf(naive);
        left.remove(largest);
        return new ComputingVersion(
                ("%s: %s has %.0f %% of the thread's time by the %s, and alone costs %.0f %% of what it did;"
                                + " no threads yet: cheaper code first")
                        .formatted(
                                largest.change,
                                largest.stage,
                                100 * share(measured, largest),
                                measured.sharesFrom(),
                                100 * costRatio),
                largest.stage,
                measured.gainOfCheaper(largest.stage, costRatio),
                left,
                threaded,
                settings);
    }

    private static double share(Measurement measured, Step step) {
        return measured.shares().getOrDefault(step.stage, 0.0);
    }
}
