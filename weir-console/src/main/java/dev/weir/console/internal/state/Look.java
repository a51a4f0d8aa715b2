package dev.weir.console.internal.state;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.StageTime;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.ThreadActivity;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reading of a pipeline. Immutable.
 *
 * @param number the number of the reading, starting at 1
 * @param pipeline the pipeline's name; empty if no pipeline is shown yet
 * @param running true until the pipeline has ended
 * @param stages the activity of the stages since the previous reading
 * @param writes the topics to which the pipeline has written, sorted
 * @param consumer a dump of the first consumer; null if there is none
 * @param health the health of that consumer; null if there is none
 * @param limiter the pipeline's limiter; null while unknown
 * @param process the process's CPU use, heap and garbage collections; null before the first reading of them
 * @param figures metrics of the pipeline over the last seconds
 * @param step a text that says what the process does until there is a pipeline; null if none was announced
 */
record Look(
        long number,
        Instant at,
        String pipeline,
        boolean running,
        List<StageLook> stages,
        List<DispatcherSnapshot> dispatchers,
        List<ThreadActivity.Counts> threads,
        List<String> writes,
        @Nullable ConsumerDump consumer,
        @Nullable ConsumerHealth health,
        @Nullable Limiter limiter,
        @Nullable ProcessReading process,
        Figures figures,
        @Nullable String step) {

    /**
     * Metrics of the pipeline over the last seconds.
     *
     * @param seconds the number of seconds; 0 before the second reading
     * @param lagFallPerSecond the decrease of the lag in records per second; NaN if unknown
     */
    record Figures(double seconds, double lagFallPerSecond) {

        static final Figures NONE = new Figures(0, Double.NaN);
    }

    /** Returns the state: starting, running or ended. */
    String state() {
        return pipeline.isEmpty() ? "starting" : running ? "running" : "ended";
    }

    /** Returns the state, or {@code no-records-yet} for a running pipeline without records so far. */
    String phase() {
        boolean isEmpty = running
                && stages.stream()
                        .allMatch(stage -> stage.now().elementsIn() == 0
                                && stage.now().elementsOut() == 0
                                && stage.now().depth() == 0);
        return isEmpty ? "no-records-yet" : state();
    }

    /** Returns the consumer's partitions whose lag is known; none if there is no consumer. */
    static List<PartitionDump> known(@Nullable ConsumerDump consumer) {
        return consumer == null
                ? List.of()
                : consumer.partitions().stream()
                        .filter(partition -> partition.lag() >= 0)
                        .toList();
    }

    /**
     * Returns the consumer's lag in records, without partitions of unknown lag. -1 if the lag of all its partitions is
     * unknown, or if there is no consumer.
     */
    static long lagOf(@Nullable ConsumerDump consumer) {
        List<PartitionDump> known = known(consumer);
        return consumer == null || (known.isEmpty() && !consumer.partitions().isEmpty())
                ? -1
                : known.stream().mapToLong(PartitionDump::lag).sum();
    }

    /**
     * The recent activity of a stage. {@code inPerSecond} and {@code outPerSecond} are the rates since the previous
     * reading. Shares and the other rates cover the last {@code recentSeconds} seconds.
     *
     * @param now the stage's counters
     * @param busy the fraction of the stage's thread time spent working, 0 to 1
     * @param up the fraction spent waiting for input
     * @param down the fraction spent waiting for the downstream stage
     * @param recentInPerSecond the input rate over {@code recentSeconds}
     * @param recentOutPerSecond the output rate over {@code recentSeconds}
     * @param nanosPerRecord the thread time per record over {@code recentSeconds}; NaN if there were no records
     * @param recentSeconds the number of seconds covered by the shares
     * @param account the shares of the stage's thread time by name, which add up to 1; empty if only {@code busy},
     *     {@code up} and {@code down} are known
     */
    record StageLook(
            StageSnapshot now,
            double inPerSecond,
            double outPerSecond,
            double busy,
            double up,
            double down,
            double recentInPerSecond,
            double recentOutPerSecond,
            double nanosPerRecord,
            double recentSeconds,
            Map<String, Double> account) {

        /** Returns this reading with newer counters. */
        StageLook with(StageSnapshot later) {
            return new StageLook(
                    later,
                    inPerSecond,
                    outPerSecond,
                    busy,
                    up,
                    down,
                    recentInPerSecond,
                    recentOutPerSecond,
                    nanosPerRecord,
                    recentSeconds,
                    account);
        }

        /**
         * Returns this reading with the shares and rates of {@code time}, from the measurement of the limiter.
         *
         * @param seconds the duration of that measurement
         */
        StageLook judged(StageTime time, double seconds) {
            return new StageLook(
                    now,
                    inPerSecond,
                    outPerSecond,
                    time.working(),
                    time.starved(),
                    time.blocked(),
                    time.inPerSecond(),
                    time.outPerSecond(),
                    time.nanosPerElement(),
                    seconds,
                    time.shares());
        }

        /**
         * Compares a stage's current counters with two earlier readings. Shares cover the time since {@code earlier},
         * current rates the time since {@code before}.
         *
         * @param earlier the counters at an earlier reading; null for the start of the pipeline
         * @param before the counters at the previous reading; null for the start of the pipeline
         */
        static StageLook between(@Nullable StageSnapshot earlier, @Nullable StageSnapshot before, StageSnapshot now) {
            long sinceBefore = now.elapsedNanos() - (before == null ? 0 : before.elapsedNanos());
            long elapsed = now.elapsedNanos() - (earlier == null ? 0 : earlier.elapsedNanos());
            if (sinceBefore <= 0 || elapsed <= 0) {
                return new StageLook(now, 0, 0, 0, 0, 0, 0, 0, Double.NaN, 0, Map.of());
            }
            double seconds = sinceBefore / 1e9;
            double in = now.elementsIn() - (earlier == null ? 0 : earlier.elementsIn());
            double out = now.elementsOut() - (earlier == null ? 0 : earlier.elementsOut());
            double busy = now.busyNanos() - (earlier == null ? 0 : earlier.busyNanos());
            double up = now.blockedUpNanos() - (earlier == null ? 0 : earlier.blockedUpNanos());
            double down = now.blockedDownNanos() - (earlier == null ? 0 : earlier.blockedDownNanos());
            // Several threads' times may add up to more than the interval, and a single thread's times to less.
            double threadNanos = Math.max((double) elapsed, busy + up + down);
            return new StageLook(
                    now,
                    (now.elementsIn() - (before == null ? 0 : before.elementsIn())) / seconds,
                    (now.elementsOut() - (before == null ? 0 : before.elementsOut())) / seconds,
                    share(busy, threadNanos),
                    share(up, threadNanos),
                    share(down, threadNanos),
                    in * 1e9 / elapsed,
                    out * 1e9 / elapsed,
                    // A source counts no input.
                    Math.max(in, out) <= 0 ? Double.NaN : busy / (in > 0 ? in : out),
                    elapsed / 1e9,
                    Map.of());
        }

        /** The number of elements received in the last {@code recentSeconds}. */
        long recentIn() {
            return Math.round(recentInPerSecond * recentSeconds);
        }

        /** The number of elements emitted in the last {@code recentSeconds}. */
        long recentOut() {
            return Math.round(recentOutPerSecond * recentSeconds);
        }

        private static double share(double nanos, double of) {
            return Math.clamp(nanos / of, 0.0, 1.0);
        }
    }
}
