package dev.weir.console.tune;

import dev.weir.metrics.Limiter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A reading of a pipeline for tuning: its progress, health and controls. Immutable. */
public final class TuneReading {

    /**
     * A control and its value.
     *
     * @param dispatcher the dispatcher whose size limits the control; null if unknown, or if the control does not
     *     belong to a stage
     */
    record Control(
            String key,
            long value,
            long min,
            long max,
            @Nullable String dispatcher) {}

    /**
     * The work that a stage has done so far.
     *
     * @param done the number of elements finished
     * @param busyNanos the thread time spent on them
     */
    record Work(long done, long busyNanos) {

        /** Minimum number of elements for a mean time. */
        private static final long ENOUGH = 20;

        /** Returns the time per element since {@code earlier}; NaN if too few were finished. */
        double nanosPerElement(Work earlier) {
            long elements = done - earlier.done;
            return elements < ENOUGH ? Double.NaN : (busyNanos - earlier.busyNanos) / (double) elements;
        }
    }

    private final long atNanos;
    private final boolean running;
    private final Map<String, Long> counts;
    private final Map<String, Work> works;
    private final Map<String, Control> controls;
    private final long failed;
    private final Duration oldest;
    private final double heapShare;
    private final long backlog;
    private final @Nullable Limiter limiter;

    private TuneReading(Builder from) {
        this.atNanos = from.atNanos;
        this.running = from.running;
        this.counts = new LinkedHashMap<>(from.counts);
        this.works = new LinkedHashMap<>(from.works);
        this.controls = new LinkedHashMap<>(from.controls);
        this.failed = from.failed;
        this.oldest = from.oldest;
        this.heapShare = from.heapShare;
        this.backlog = from.backlog;
        this.limiter = from.limiter;
    }

    /**
     * Returns a builder.
     *
     * @param atNanos the time of the reading, from any monotonic clock
     */
    public static Builder builder(long atNanos) {
        return new Builder(atNanos);
    }

    long atNanos() {
        return atNanos;
    }

    boolean isRunning() {
        return running;
    }

    /** The number of elements that each stage has counted, in the order of the stages. */
    Map<String, Long> counts() {
        return counts;
    }

    /** The work of the stages that report it. */
    Map<String, Work> works() {
        return works;
    }

    /** The controls by key, in the order in which they were added. */
    Map<String, Control> controls() {
        return controls;
    }

    long failed() {
        return failed;
    }

    Duration oldest() {
        return oldest;
    }

    double heapShare() {
        return heapShare;
    }

    /** The number of records waiting to be read; -1 if unknown. */
    long backlog() {
        return backlog;
    }

    @Nullable
    Limiter limiter() {
        return limiter;
    }

    @Override
    public String toString() {
        return "counts=" + counts + ", controls=" + controls.values();
    }

    /** Builds a reading. Not thread-safe. */
    public static final class Builder {

        private final long atNanos;
        private final Map<String, Long> counts = new LinkedHashMap<>();
        private final Map<String, Work> works = new LinkedHashMap<>();
        private final Map<String, Control> controls = new LinkedHashMap<>();
        private boolean running = true;
        private long failed;
        private Duration oldest = Duration.ZERO;
        private double heapShare;
        private long backlog = -1;
        private @Nullable Limiter limiter;

        private Builder(long atNanos) {
            this.atNanos = atNanos;
        }

        /** Marks the pipeline as ended. */
        public Builder ended() {
            this.running = false;
            return this;
        }

        /**
         * Adds a stage with the number of elements that it has received and emitted so far. Stages must be added in
         * order, starting with the source.
         */
        public Builder stage(String name, long in, long out) {
            counts.put(Objects.requireNonNull(name, "name"), Math.max(in, out));
            return this;
        }

        /**
         * Adds the work that a stage has done so far. The tuner uses it to detect that a called service is slowing
         * down.
         *
         * @param done the number of elements finished
         * @param busyNanos the thread time spent on them
         */
        public Builder work(String stage, long done, long busyNanos) {
            works.put(Objects.requireNonNull(stage, "stage"), new Work(done, busyNanos));
            return this;
        }

        /**
         * Adds a control whose values are whole numbers.
         *
         * @param dispatcher the name of the dispatcher whose size limits the control; null if unknown or if there is
         *     none
         */
        public Builder control(String key, long value, long min, long max, @Nullable String dispatcher) {
            controls.put(Objects.requireNonNull(key, "key"), new Control(key, value, min, max, dispatcher));
            return this;
        }

        /**
         * Sets the number of failures so far: dead-letter records, failed commits and retried calls. The default is 0.
         */
        public Builder failed(long records) {
            this.failed = records;
            return this;
        }

        /** Sets the age of the oldest record in the pipeline. The default is zero, which means unknown. */
        public Builder oldest(Duration age) {
            this.oldest = Objects.requireNonNull(age, "age");
            return this;
        }

        /**
         * Sets the fraction of the heap in use after the last garbage collection, 0 to 1. The default is 0, which means
         * unknown.
         */
        public Builder heapShare(double share) {
            this.heapShare = share;
            return this;
        }

        /** Sets the number of records waiting to be read. The default is -1, which means unknown. */
        public Builder backlog(long records) {
            this.backlog = records;
            return this;
        }

        /** Sets the pipeline's limiter. The default is null, which means unknown. */
        public Builder limiter(@Nullable Limiter limits) {
            this.limiter = limits;
            return this;
        }

        /** Creates the reading. */
        public TuneReading build() {
            return new TuneReading(this);
        }
    }
}
