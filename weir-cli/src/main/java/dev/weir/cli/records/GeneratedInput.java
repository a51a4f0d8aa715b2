package dev.weir.cli.records;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Generated records: {@code record 1}, {@code record 2} and so on, padded to the requested size. Confined to the
 * sending thread.
 */
final class GeneratedInput implements RecordInput {

    static final int DEFAULT_BYTES = 100;

    private final long count;
    private final int valueBytes;
    private final long keys;
    private final long rate;
    private final CountDownLatch stop;
    private final LongSupplier nanoClock;
    private final long startNanos;

    private long made;

    /**
     * Creates an input.
     *
     * @param keys number of different keys, used in turn; 0 for records without a key
     * @param rate records per second; 0 for no limit
     * @param stop ends the wait for a record that is not due yet
     */
    GeneratedInput(long count, int valueBytes, long keys, long rate, CountDownLatch stop, LongSupplier nanoClock) {
        this.count = count;
        this.valueBytes = valueBytes;
        this.keys = keys;
        this.rate = rate;
        this.stop = stop;
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    @Override
    public @Nullable KeyValue next() {
        if (made == count || !awaitTurn()) {
            return null;
        }
        byte[] key = keys == 0 ? null : ("key-" + made % keys).getBytes(StandardCharsets.UTF_8);
        made++;
        return new KeyValue(key, value());
    }

    /** Waits until the next record is due. Returns false if the run was stopped or interrupted first. */
    private boolean awaitTurn() {
        if (rate == 0) {
            return true;
        }
        // In two parts: a large count times a second in nanoseconds overflows a long.
        long dueNanos = TimeUnit.SECONDS.toNanos(made / rate) + TimeUnit.SECONDS.toNanos(1) / rate * (made % rate);
        try {
            return !stop.await(startNanos + dueNanos - nanoClock.getAsLong(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private byte[] value() {
        byte[] text = ("record " + made + " ").getBytes(StandardCharsets.UTF_8);
        byte[] value = Arrays.copyOf(text, valueBytes);
        for (int i = text.length; i < valueBytes; i++) {
            value[i] = (byte) ('a' + (made + i) % 26);
        }
        return value;
    }

    @Override
    public String place(long number) {
        return "record " + number;
    }
}
