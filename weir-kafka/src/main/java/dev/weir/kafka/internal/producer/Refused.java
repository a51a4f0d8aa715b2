package dev.weir.kafka.internal.producer;

import dev.weir.stream.spi.AckTarget;

/** Takes the elements whose records cannot be written. Confined to the segment's thread, but for {@link #takes}. */
public interface Refused<T> {

    /** Returns whether it is for a refusal like that; the run fails with others. Any thread. */
    boolean takes(Exception refusal);

    /** Takes an element, and its claim. */
    void add(T element, Exception refusal, AckTarget target, long token);

    /** Returns when all that was added before is written somewhere and acknowledged, if that is this one's to do. */
    void settle() throws InterruptedException;
}
