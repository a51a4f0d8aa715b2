package dev.weir.console.tune;

import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Searches for better settings of a running pipeline, using only the pipeline's controls. A tuner can be used for one
 * run at a time. {@link #stop} may be called from any thread.
 *
 * <pre>{@code
 * TuneReport report = Tuner.builder().maxLatency(Duration.ofSeconds(1)).build().run(running, System.out::println);
 * report.lasting().forEach(System.out::println);
 * }</pre>
 *
 * <p>Each step changes one control and measures the rate before and after the change. The step is reverted if it brings
 * no gain, or if records begin to fail, become too old, or fill the heap. The pipeline needs a backlog: if it keeps up
 * with everything that arrives, there is no rate to raise. Tuning does not lose or duplicate records. See ADR 242.
 */
public final class Tuner {

    private final Duration window;
    private final @Nullable Duration maxLatency;
    private final int maxSteps;
    private final int maxWorkers;
    private final Set<String> raisedAnyway;
    private final Map<String, Consumer<? super Boolean>> alternatives;

    private volatile boolean stopRequested;

    private Tuner(Builder settings) {
        this.window = settings.window;
        this.maxLatency = settings.maxLatency;
        this.maxSteps = settings.maxSteps;
        this.maxWorkers = settings.maxWorkers;
        this.raisedAnyway = Set.copyOf(settings.raisedAnyway);
        this.alternatives = new LinkedHashMap<>(settings.alternatives);
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Tunes a pipeline in this process, on the calling thread, until no step brings a gain.
     *
     * @param told receives each step when it is complete, on the calling thread
     * @throws InterruptedException if the thread is interrupted; the best settings found so far are then in force
     */
    public TuneReport run(RunningPipeline pipeline, Consumer<? super TuneStep> told) throws InterruptedException {
        Objects.requireNonNull(pipeline, "pipeline");
        Objects.requireNonNull(told, "told");
        try (RunningTarget target = new RunningTarget(pipeline, alternatives)) {
            return search(target, told);
        }
    }

    /**
     * Tunes a pipeline in any process, on the calling thread, until no step brings a gain.
     *
     * @param told receives each step when it is complete, on the calling thread
     * @throws InterruptedException if the thread is interrupted; the best settings found so far are then in force
     * @throws IllegalStateException if this tuner has alternatives, which only a pipeline in this process can use
     */
    public TuneReport run(TuneTarget target, Consumer<? super TuneStep> told) throws InterruptedException {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(told, "told");
        if (!alternatives.isEmpty()) {
            throw new IllegalStateException(
                    "alternatives are for a pipeline of this process: run(RunningPipeline, told)");
        }
        return search(target, told);
    }

    private TuneReport search(TuneTarget target, Consumer<? super TuneStep> told) throws InterruptedException {
        Moves moves = new Moves(raisedAnyway, maxWorkers);
        try {
            return new Search(target, new Guard(maxLatency), window, maxSteps, moves, () -> stopRequested, told).run();
        } finally {
            // Reset at the end of a run, so that a stop before its start is not lost.
            stopRequested = false;
        }
    }

    /**
     * Requests the end of the current run. The run ends soon and keeps the last accepted settings. If no run is in
     * progress, the next run ends as soon as it has started. Later runs are not affected.
     */
    public void stop() {
        stopRequested = true;
    }

    /** Builds a tuner. Not thread-safe. */
    public static final class Builder {

        private static final Duration LEAST_WINDOW = Duration.ofMillis(100);
        private static final Duration MOST_WINDOW = Duration.ofMinutes(1);
        private static final int MOST_STEPS = 1_000;
        private static final int MOST_WORKERS = 100_000;

        private Duration window = Duration.ofSeconds(2);
        private @Nullable Duration maxLatency;
        private int maxSteps = 40;
        private int maxWorkers = 256;
        private final Set<String> raisedAnyway = new HashSet<>();
        private final Map<String, Consumer<? super Boolean>> alternatives = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets the length of a measurement: 100 ms to 1 min. The default is 2 s. If the element count of the measured
         * stage rarely changes, a measurement takes up to eight times as long.
         */
        public Builder window(Duration time) {
            Objects.requireNonNull(time, "window");
            if (time.compareTo(LEAST_WINDOW) < 0 || time.compareTo(MOST_WINDOW) > 0) {
                throw new IllegalArgumentException(
                        "window must be " + LEAST_WINDOW + " to " + MOST_WINDOW + ": window=" + time);
            }
            this.window = time;
            return this;
        }

        /**
         * Sets the maximum age of the oldest record in the pipeline. The default is four times the age before any
         * change, but at least 5 s. If the age was already rising before a change, the default maximum rises with it.
         *
         * @param time more than zero
         */
        public Builder maxLatency(Duration time) {
            Objects.requireNonNull(time, "maxLatency");
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("maxLatency must be more than zero: maxLatency=" + time);
            }
            this.maxLatency = time;
            return this;
        }

        /** Sets the maximum number of steps: 1 to 1,000. The default is 40. */
        public Builder maxSteps(int steps) {
            if (steps < 1 || steps > MOST_STEPS) {
                throw new IllegalArgumentException("maxSteps must be 1 to " + MOST_STEPS + ": maxSteps=" + steps);
            }
            this.maxSteps = steps;
            return this;
        }

        /**
         * Sets the maximum number of workers per stage, and of threads per dispatcher, that the tuner may request: 1 to
         * 100,000. The default is 256. A stage that already has more workers keeps them. Choose a limit that the called
         * services can handle. For example, a database may reject calls from too many clients, and a pipeline without
         * retries fails when its first call is rejected.
         */
        public Builder maxWorkers(int workers) {
            if (workers < 1 || workers > MOST_WORKERS) {
                throw new IllegalArgumentException(
                        "maxWorkers must be 1 to " + MOST_WORKERS + ": maxWorkers=" + workers);
            }
            this.maxWorkers = workers;
            return this;
        }

        /**
         * Allows the tuner to add workers to a stage with a single worker. By default, the tuner does not change such a
         * stage, because more workers could change the order of its elements, or its function might not be thread-safe.
         */
        public Builder raise(String stage) {
            raisedAnyway.add(Objects.requireNonNull(stage, "stage"));
            return this;
        }

        /**
         * Adds alternative code for a stage. The code is tried like any other control, and stays in use if it makes the
         * pipeline faster. The control's key is {@code alternative.STAGE}, with the value 0 or 1.
         *
         * @param stage the stage to which the code belongs. If this stage is the limiter, the code is tried first
         * @param use called on the tuning thread to switch the code. If the argument is true, the stage must use the
         *     alternative code for all following elements; if it is false, the original code. The stage starts with the
         *     original code
         */
        public Builder alternative(String stage, Consumer<? super Boolean> use) {
            alternatives.put(Objects.requireNonNull(stage, "stage"), Objects.requireNonNull(use, "use"));
            return this;
        }

        /** Creates the tuner. */
        public Tuner build() {
            return new Tuner(this);
        }
    }
}
