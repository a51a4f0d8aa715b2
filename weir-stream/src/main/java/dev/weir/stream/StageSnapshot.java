package dev.weir.stream;

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
