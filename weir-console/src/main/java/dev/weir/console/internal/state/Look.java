package dev.weir.console.internal.state;

import dev.weir.kafka.ConsumerDump;
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
 * @param number number of the reading, from 1
 * @param pipeline its name; empty before there is one
 * @param running whether it has not ended
 * @param stages activity of its stages since the previous reading
 * @param writes the topics that it has written to, in order
 * @param consumer its first consumer; null if it has none
 * @param health of that consumer
 * @param limiter its limiter; null while unknown
 * @param process its processor, heap and collections; null before the first
 * @param figures figures of the same seconds as the shares and the limiter
 * @param step activity of the process before there is a pipeline; null if not announced
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
     * The pipeline's figures over the last seconds.
     *
     * @param seconds number of seconds; 0 before the second reading
     * @param lagFallPerSecond decrease of the lag in records per second; NaN if unknown
     */
    record Figures(double seconds, double lagFallPerSecond) {

        static final Figures NONE = new Figures(0, Double.NaN);
    }

    /** The state as text: starting, running or ended. */
    String state() {
        return pipeline.isEmpty() ? "starting" : running ? "running" : "ended";
    }

    /** The state, which also tells whether a running pipeline has had a record. */
    String phase() {
        boolean isEmpty = running
                && stages.stream()
                        .allMatch(stage -> stage.now().elementsIn() == 0
                                && stage.now().elementsOut() == 0
                                && stage.now().depth() == 0);
        return isEmpty ? "no-records-yet" : state();
    }

    /** The consumer's known lag in records; -1 without a consumer. */
    static long lagOf(@Nullable ConsumerDump consumer) {
        return consumer == null
                ? -1
                : consumer.partitions().stream()
                        .mapToLong(ConsumerDump.PartitionDump::lag)
                        .filter(lag -> lag > 0)
                        .sum();
    }

    /**
     * The recent activity of a stage: rates since the previous reading, shares over some seconds.
     *
     * @param now its counters
     * @param busy part of its thread time spent working, 0 to 1
     * @param up part spent waiting for input
     * @param down part spent waiting for the stage below
     * @param recentInPerSecond the rate of those seconds
     * @param recentOutPerSecond the rate of those seconds
     * @param nanosPerRecord thread time per record in those seconds; NaN without records
     * @param recentSeconds number of those seconds
     * @param account the shares of its thread time by name, which add up to 1; empty if only the three above are known
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

        /** This reading with later counters. */
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

        /** This reading with the stage time of a finding over that many seconds. */
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
         * Reading of a stage from its counters now, at the previous reading and at an earlier one.
         *
         * @param earlier null for the pipeline's start
         * @param before null for the pipeline's start
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
            // The time of all threads, whose number may have changed; a single thread also does other work.
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

        /** Elements that it took in those seconds. */
        long recentIn() {
            return Math.round(recentInPerSecond * recentSeconds);
        }

        /** Elements that it emitted in those seconds. */
        long recentOut() {
            return Math.round(recentOutPerSecond * recentSeconds);
        }

        private static double share(double nanos, double of) {
            return Math.clamp(nanos / of, 0.0, 1.0);
        }
    }
}
