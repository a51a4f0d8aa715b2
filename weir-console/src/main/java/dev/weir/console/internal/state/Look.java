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
 * A pipeline at one moment. Immutable.
 *
 * @param number counts the looks, from 1
 * @param pipeline its name; empty before there is one
 * @param running whether it has not ended
 * @param stages what its stages did since the look before
 * @param writes the topics that it has written to, in order
 * @param consumer its first consumer; null if it has none
 * @param health of that consumer
 * @param limiter what holds it down; null while that is not known
 * @param process its processor, heap and collections; null before the first
 * @param figures those of the same seconds as the shares and the limiter
 * @param step what the process does before there is a pipeline; null if it has not said
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
     * @param seconds how many; 0 before the second look
     * @param lagFallPerSecond by how many records the lag fell a second; NaN if not known
     */
    record Figures(double seconds, double lagFallPerSecond) {

        static final Figures NONE = new Figures(0, Double.NaN);
    }

    /** For people and programs: starting, running or ended. */
    String state() {
        return pipeline.isEmpty() ? "starting" : running ? "running" : "ended";
    }

    /** The same, and whether a pipeline that runs has had a record at all. */
    String phase() {
        boolean isEmpty = running
                && stages.stream()
                        .allMatch(stage -> stage.now().elementsIn() == 0
                                && stage.now().elementsOut() == 0
                                && stage.now().depth() == 0);
        return isEmpty ? "no-records-yet" : state();
    }

    /** Records that the consumer knows to wait for it; -1 without a consumer. */
    static long lagOf(@Nullable ConsumerDump consumer) {
        return consumer == null
                ? -1
                : consumer.partitions().stream()
                        .mapToLong(ConsumerDump.PartitionDump::lag)
                        .filter(lag -> lag > 0)
                        .sum();
    }

    /**
     * A stage of late: its rates are those since the look before, its shares those of some seconds.
     *
     * @param now its counters
     * @param busy the share of its thread time that it worked, 0 to 1
     * @param up the share without input
     * @param down the share in which nobody took its output
     * @param recentInPerSecond the rate of those seconds
     * @param recentOutPerSecond the rate of those seconds
     * @param nanosPerRecord the time that one of its threads worked for a record in those seconds; NaN if there was
     *     none
     * @param recentSeconds how many seconds those are
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

        /** The same with the counters of a later moment. */
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

        /** The same with the account that a finding of so many seconds carries. */
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
            // The time of all threads, whose number may have changed; one thread also does other things.
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
                    // A source has no input that it counts.
                    Math.max(in, out) <= 0 ? Double.NaN : busy / (in > 0 ? in : out),
                    elapsed / 1e9,
                    Map.of());
        }

        /** Elements that it took in those seconds. */
        long recentIn() {
            return Math.round(recentInPerSecond * recentSeconds);
        }

        /** Elements that it gave out in those seconds. */
        long recentOut() {
            return Math.round(recentOutPerSecond * recentSeconds);
        }

        private static double share(double nanos, double of) {
            return Math.clamp(nanos / of, 0.0, 1.0);
        }
    }
}
