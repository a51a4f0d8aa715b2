package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.control.RateControl;

/** The {@link RateControl} of the source that pulls from a buffer. Thread-safe. */
public record BufferRate(String stage, RecordBuffer buffer) implements RateControl {

    @Override
    public double perSecond() {
        return buffer.perSecond();
    }

    @Override
    public void perSecond(long elements) {
        if (elements < 0) {
            throw new IllegalArgumentException(
                    "the rate of source " + stage + " must be at least 1, or 0 for none: perSecond=" + elements);
        }
        buffer.perSecond(elements);
    }

    @Override
    public long waitedNanos() {
        return buffer.waitedNanos();
    }
}
