package dev.weir.bench.run;

import dev.weir.driver.Pass;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;

/** Makes the values of a topic, the same ones each time. Confined to one thread. */
final class Values {
    private final int meanBytes;
    private final boolean spreads;
    private final double randomShare;
    private final byte[] pattern; // what all values share, as long as the longest of them
    private final SplittableRandom random = new SplittableRandom(2);

    /**
     * Values of a topic.
     *
     * @param spreads whether lengths are drawn evenly around the mean, from the least that a value may have on
     * @param randomShare how much of a value is its own, behind its numbers; the rest is the same in all of them
     */
    Values(int meanBytes, boolean spreads, double randomShare) {
        this.meanBytes = meanBytes;
        this.spreads = spreads;
        this.randomShare = randomShare;
        this.pattern = new byte[spreads ? 2 * meanBytes : meanBytes];
        new Random(1).nextBytes(pattern);
        ByteBuffer.wrap(pattern).putLong(Long.BYTES, 0);
    }

    /** The value of that number in its partition. */
    byte[] next(long number) {
        int variable = meanBytes - Pass.MIN_VALUE_BYTES;
        int length = spreads ? Pass.MIN_VALUE_BYTES + random.nextInt(2 * variable + 1) : meanBytes;
        byte[] value = Arrays.copyOf(pattern, length);
        ByteBuffer bytes = ByteBuffer.wrap(value);
        bytes.putLong(0, number);
        bytes.position(length - (int) ((length - Pass.MIN_VALUE_BYTES) * randomShare));
        while (bytes.remaining() >= Long.BYTES) {
            bytes.putLong(random.nextLong());
        }
        while (bytes.hasRemaining()) {
            bytes.put((byte) random.nextInt());
        }
        return value;
    }
}
