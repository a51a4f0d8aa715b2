package dev.weir.console.internal.state;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.metrics.Limiter;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.ThreadActivity;
import java.time.Instant;
import java.util.List;
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
        @Nullable String step) {

    /** For people and programs: starting, running or ended. */
    String state() {
        return pipeline.isEmpty() ? "starting" : running ? "running" : "ended";
    }

    /**
     * A stage of late: its rates are those since the look before, its shares those of some seconds.
     *
     * @param now its counters
     * @param busy the share of its thread time that it worked, 0 to 1
     * @param up the share without input
     * @param down the share in which nobody took its output
     */
    record StageLook(StageSnapshot now, double inPerSecond, double outPerSecond, double busy, double up, double down) {

        /**
         * By what its counters were at an earlier look, at the one before, and are now.
         *
         * @param earlier null for the pipeline's start
         * @param before null for the pipeline's start
         */
        static StageLook between(@Nullable StageSnapshot earlier, @Nullable StageSnapshot before, StageSnapshot now) {
            long sinceBefore = now.elapsedNanos() - (before == null ? 0 : before.elapsedNanos());
            long elapsed = now.elapsedNanos() - (earlier == null ? 0 : earlier.elapsedNanos());
            if (sinceBefore <= 0 || elapsed <= 0) {
                return new StageLook(now, 0, 0, 0, 0, 0);
            }
            double seconds = sinceBefore / 1e9;
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
                    share(down, threadNanos));
        }

        private static double share(double nanos, double of) {
            return Math.clamp(nanos / of, 0.0, 1.0);
        }
    }
}
