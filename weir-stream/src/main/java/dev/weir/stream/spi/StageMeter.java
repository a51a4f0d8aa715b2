package dev.weir.stream.spi;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of one stage: elements in and out, time busy, time blocked on the stage above and on the one below.
 * Thread-safe. Stages write it once per batch, so it costs nothing per element.
 */
public final class StageMeter {

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final LongAdder blockedUpNanos;
    private final LongAdder blockedDownNanos;

    /** Creates a meter that blocks on its own: a stage with threads of its own. */
    public StageMeter() {
        this(new LongAdder(), new LongAdder());
    }

    /** Creates the meter of a fused stage, which is blocked whenever its segment is. */
    private StageMeter(LongAdder blockedUpNanos, LongAdder blockedDownNanos) {
        this.blockedUpNanos = blockedUpNanos;
        this.blockedDownNanos = blockedDownNanos;
    }

    /** A meter with counts of its own that shares this one's blocked times: another stage of the same segment. */
    public StageMeter sameSegment() {
        return new StageMeter(blockedUpNanos, blockedDownNanos);
    }

    /** Counts a batch worked on since {@code startNanos}. */
    public void worked(int in, int out, long startNanos) {
        elementsIn.add(in);
        elementsOut.add(out);
        busyNanos.add(System.nanoTime() - startNanos);
    }

    public void in(int elements) {
        elementsIn.add(elements);
    }

    public void out(int elements) {
        elementsOut.add(elements);
    }

    public void busy(long nanos) {
        busyNanos.add(nanos);
    }

    /** Adds time in which the stage had nothing to do because nothing came. */
    public void blockedUp(long nanos) {
        blockedUpNanos.add(nanos);
    }

    /** Adds time in which the stage could not go on because nobody took. */
    public void blockedDown(long nanos) {
        blockedDownNanos.add(nanos);
    }

    public long elementsIn() {
        return elementsIn.sum();
    }

    public long elementsOut() {
        return elementsOut.sum();
    }

    public long busyNanos() {
        return busyNanos.sum();
    }

    public long blockedUpNanos() {
        return blockedUpNanos.sum();
    }

    public long blockedDownNanos() {
        return blockedDownNanos.sum();
    }
}
