package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;

/**
 * The number of elements that a stage has taken and neither emitted nor finished, reported to its meter. Stages of many
 * streams may share the meter. Confined to the stage's thread, or to the lock of its elements.
 */
public final class HeldElements {

    private final StageMeter meter;
    private int now;

    /** Creates a count of zero. */
    public HeldElements(StageMeter meter) {
        this.meter = meter;
    }

    /**
     * Records that the stage holds the batch and begins to process it.
     *
     * @param oneToOne whether it emits one element for each that it takes
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void begin(Batch<?> batch, boolean oneToOne, long startNanos) {
        set(batch.size());
        meter.beginPass(batch, oneToOne, startNanos);
    }

    /** Records the end of the batch, or the close of the stage: it holds no elements. */
    public void end() {
        meter.endPass();
        set(0);
    }

    /** Sets the number of held elements. A closed stage holds none. */
    public void set(int elements) {
        if (elements != now) {
            meter.holds(elements - now);
            now = elements;
        }
    }
}
