package dev.weir.stream.internal.run;

import dev.weir.stream.spi.StageMeter;

/**
 * How many elements a stage has taken and neither handed on nor finished, noted in its meter, which stages of many streams may
 * share. Confined to the stage's thread.
 */
public final class Inside {

    private final StageMeter meter;
    private int now;

    /** Creates a count of none. */
    public Inside(StageMeter meter) {
        this.meter = meter;
    }

    /** There are {@code elements} from now on. A stage that is closed has none. */
    public void set(int elements) {
        if (elements != now) {
            meter.holds(elements - now);
            now = elements;
        }
    }
}
