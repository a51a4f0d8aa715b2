package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;

/**
 * The count of elements that a stage has taken and neither handed on nor finished. The stage's meter notes it, which
 * stages of many streams may share. Confined to the stage's thread, or to the lock of its elements.
 */
public final class HeldElements {

    private final StageMeter meter;
    private int now;

    /** Creates a count of none. */
    public HeldElements(StageMeter meter) {
        this.meter = meter;
    }

    /**
     * Says that the stage's code begins to go over the batch, which it holds.
     *
     * @param oneToOne whether it hands on each element that it takes
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void begin(Batch<?> batch, boolean oneToOne, long startNanos) {
        set(batch.size());
        meter.beginPass(batch, oneToOne, startNanos);
    }

    /** Says that it has gone over the batch, or was closed: it holds none. */
    public void end() {
        meter.endPass();
        set(0);
    }

    /** Says that the stage holds {@code elements} from now on. A closed stage holds none. */
    public void set(int elements) {
        if (elements != now) {
            meter.holds(elements - now);
            now = elements;
        }
    }
}
