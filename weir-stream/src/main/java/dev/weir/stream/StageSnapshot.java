package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage at one moment. A stage is busy, waits for the stage above, or waits for the one below: the
 * stage that hardly ever waits is the bottleneck.
 *
 * @param name the stage's name, unique in the pipeline
 * @param parallelism how many threads may work in the stage at once
 * @param elementsIn elements taken
 * @param elementsOut elements handed on
 * @param busyNanos time worked, over all threads of the stage
 * @param blockedUpNanos time without input, over all threads of the stage
 * @param blockedDownNanos time with output that nobody took, over all threads of the stage
 * @param depth elements that wait inside the stage
 * @param elapsedNanos the time since the pipeline started
 */
public record StageSnapshot(
        String name,
        int parallelism,
        long elementsIn,
        long elementsOut,
        long busyNanos,
        long blockedUpNanos,
        long blockedDownNanos,
        int depth,
        long elapsedNanos) {

    /**
     * The threads of one stage at one moment: a sample, where the counters are sums.
     *
     * @param stage the stage's name
     * @param thread the name of the thread that the stage shares with those fused to it; null if it has workers of its
     *     own
     * @param dispatcher the dispatcher of its threads
     * @param atWork threads at work in the stage, or in one of those fused to it; of an asynchronous stage the calls
     *     under way
     * @param waiting those of them that wait for something outside the pipeline: a lock, an answer, time. A platform
     *     thread that waits in a native call counts as computing
     * @param ready elements that further workers could begin at once
     * @param behindKeys elements that wait behind another of their key
     * @param keyName what such elements have in common: {@link Ordering#keyName}
     */
    public record Activity(
            String stage,
            @Nullable String thread,
            DispatcherSnapshot dispatcher,
            int atWork,
            int waiting,
            int ready,
            int behindKeys,
            String keyName) {

        /** Refuses null. */
        public Activity {
            Objects.requireNonNull(stage, "stage");
            Objects.requireNonNull(dispatcher, "dispatcher");
            Objects.requireNonNull(keyName, "keyName");
        }
    }

    /** The share of its thread time that the stage worked, 0 to 1. */
    public double busyShare() {
        return share(busyNanos);
    }

    /** The share of its thread time that the stage waited for input, 0 to 1. */
    public double blockedUpShare() {
        return share(blockedUpNanos);
    }

    /** The share of its thread time that the stage waited for somebody to take its output, 0 to 1. */
    public double blockedDownShare() {
        return share(blockedDownNanos);
    }

    private double share(long nanos) {
        // In doubles: 100,000 lanes overflow a long after a day.
        double total = (double) elapsedNanos * parallelism;
        return total <= 0 ? 0 : Math.min(1, nanos / total);
    }
}
