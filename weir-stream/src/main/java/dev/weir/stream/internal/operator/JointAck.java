package dev.weir.stream.internal.operator;

import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The acknowledgement of one element that stands for many: when its last claim ends, one claim of each member ends.
 * Filled by one thread and then published with its element; {@link #ack} and {@link #retain} are thread-safe.
 */
public final class JointAck implements AckTarget {

    private AckTarget[] targets;
    private long[] tokens;
    private int size;
    private final AtomicInteger claims = new AtomicInteger(1);

    /** Creates one without members. */
    public JointAck(int expectedSize) {
        targets = new AckTarget[expectedSize];
        tokens = new long[expectedSize];
    }

    /** Takes over the claim of a member; one that nobody waits for takes no room. */
    public void add(AckTarget target, long token) {
        if (target == AckTarget.NONE) {
            return;
        }
        if (size == targets.length) {
            int room = Math.max(8, size * 2);
            targets = Arrays.copyOf(targets, room);
            tokens = Arrays.copyOf(tokens, room);
        }
        targets[size] = target;
        tokens[size++] = token;
    }

    /** What the joint element is to carry: this, or {@link AckTarget#NONE} if nobody waits for any member. */
    public AckTarget asTarget() {
        return size == 0 ? AckTarget.NONE : this;
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
