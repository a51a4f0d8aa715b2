package dev.weir.stream.internal.operator;

import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The acknowledgement of one element that stands for many: when its last claim ends, one claim of each member ends.
 * Filled by one thread and then published with its element; {@link #ack} and {@link #retain} are thread-safe.
 */
final class JointAck implements AckTarget {

    private AckTarget[] targets;
    private long[] tokens;
    private int size;
    private final AtomicInteger claims = new AtomicInteger(1);

    JointAck(int expectedSize) {
        targets = new AckTarget[expectedSize];
        tokens = new long[expectedSize];
    }

    /** Takes over the claim of a member. */
    void add(AckTarget target, long token) {
        if (size == targets.length) {
            targets = Arrays.copyOf(targets, size * 2);
            tokens = Arrays.copyOf(tokens, size * 2);
        }
        targets[size] = target;
        tokens[size++] = token;
    }

    @Override
    public void ack(long token) {
        if (claims.decrementAndGet() == 0) {
            for (int i = 0; i < size; i++) {
                targets[i].ack(tokens[i]);
            }
        }
    }

    @Override
    public void retain(long token, int more) {
        claims.addAndGet(more);
    }
}
