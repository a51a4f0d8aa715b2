package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;

/**
 * Counts the elements that a stage has received but neither emitted nor finished. Reports changes to the stage's meter.
 * Confined to the stage's thread, or guarded by the lock that guards the held elements.
 */
public final class HeldElements {

    private final StageMeter meter;
    private int now;

    public HeldElements(StageMeter meter) {
        this.meter = meter;
    }

    /**
     * Called when the stage starts to process a batch.
     *
     * @param oneToOne whether the stage emits one element for each element that it receives
     * @param startNanos the current time of {@link System#nanoTime}
     */
    public void begin(Batch<?> batch, boolean oneToOne, long startNanos) {
        set(batch.size());
        meter.beginPass(batch, oneToOne, startNanos);
    }

    /** Called when the batch is done or the stage was closed. */
    public void end() {
        meter.endPass();
        set(0);
    }

    /** Sets the number of held elements. It must be 0 when the stage is closed. */
    public void set(int elements) {
        if (elements != now) {
            meter.holds(elements - now);
            now = elements;
        }
    }
}
