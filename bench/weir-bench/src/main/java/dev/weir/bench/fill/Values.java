package dev.weir.bench.fill;

import dev.weir.bench.workload.ValueSizes;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.RecordLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Generates the values of a topic, reproducibly. Confined to one thread. */
public final class Values {
    private final int meanBytes;
    private final boolean spreads;
    private final ValueSizes sizes;
    private final @Nullable ValueFile file;
    private final double randomShare;
    private final byte[] pattern; // content common to all values, truncated to each value's length
    private final SplittableRandom random = new SplittableRandom(2);

    /**
     * Creates the values of a topic.
     *
     * @param spreads whether lengths are uniformly distributed around the mean
     * @param randomShare fraction of random bytes in a value, not counting its record numbers; all other bytes are the
     *     same in all values
     */
    Values(int meanBytes, boolean spreads, double randomShare) {
        this(meanBytes, spreads, randomShare, new ValueSizes(List.of()), null);
    }

    private Values(int meanBytes, boolean spreads, double randomShare, ValueSizes sizes, @Nullable ValueFile file) {
        this.meanBytes = meanBytes;
        this.spreads = spreads;
        this.randomShare = randomShare;
        this.sizes = sizes;
        this.file = file;
        int longest = sizes.sizes().stream()
                .mapToInt(ValueSizes.Size::bytes)
                .max()
                .orElse(spreads ? 2 * meanBytes : meanBytes);
        this.pattern = new byte[longest];
        new Random(1).nextBytes(pattern);
        ByteBuffer.wrap(pattern).putLong(Long.BYTES, 0);
    }

    /**
     * Creates the values that a workload requests.
     *
     * @param file the content of {@link WorkloadPoint#valueFile}; null to generate values
     */
    public static Values of(WorkloadPoint point, @Nullable ValueFile file) {
        return new Values(point.valueBytes(), point.spreadsValueBytes(), point.randomShare(), point.valueSizes(), file);
    }

    /** Returns the value of the record with this number in its partition. */
    public byte[] next(long number) {
        if (file != null) {
            byte[] value = file.next(number);
            ByteBuffer.wrap(value).putLong(0, number);
            return value;
        }
        int length = nextLength();
        byte[] value = Arrays.copyOf(pattern, length);
        ByteBuffer bytes = ByteBuffer.wrap(value);
        bytes.putLong(0, number);
        bytes.position(length - (int) ((length - RecordLayout.MIN_VALUE_BYTES) * randomShare));
        while (bytes.remaining() >= Long.BYTES) {
            bytes.putLong(random.nextLong());
        }
        while (bytes.hasRemaining()) {
            bytes.put((byte) random.nextInt());
        }
        return value;
    }

    private int nextLength() {
        if (!sizes.sizes().isEmpty()) {
            return sizes.bytes(random.nextDouble());
        }
        int variable = meanBytes - RecordLayout.MIN_VALUE_BYTES;
        return spreads ? RecordLayout.MIN_VALUE_BYTES + random.nextInt(2 * variable + 1) : meanBytes;
    }
}
