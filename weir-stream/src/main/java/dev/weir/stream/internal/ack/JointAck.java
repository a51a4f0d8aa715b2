package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The acknowledgement of an element that was built from several elements, its members. It holds one pending
 * acknowledgement of each member, and passes its own outcome on to all of them.
 *
 * <p>One thread adds the members before it publishes this object. {@link #ack} and {@link #retain} are thread-safe.
 */
public final class JointAck implements AckTarget {

    private AckTarget[] targets;
    private long[] tokens;
    private int size;
    private volatile boolean forgone;
    private volatile boolean abandoned;
    private final AtomicInteger pending = new AtomicInteger(1);

    public JointAck(int expectedSize) {
        targets = new AckTarget[expectedSize];
        tokens = new long[expectedSize];
    }

    /** Appends {@code value} with an acknowledgement that combines two members. */
    public static void addPair(
            Batch<?> out, Object value, AckTarget first, long firstToken, AckTarget second, long secondToken) {
        if (second == AckTarget.NONE) {
            out.add(value, first, firstToken);
        } else if (first == AckTarget.NONE) {
            out.add(value, second, secondToken);
        } else {
            JointAck both = new JointAck(2);
            both.add(first, firstToken);
            both.add(second, secondToken);
            out.add(value, both, 0);
        }
    }

    /** Takes over a pending acknowledgement of a member. A member without a target is not stored. */
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

    /**
     * Moves the caller's pending acknowledgement to another stream, where the members have different targets.
     *
     * @param exit maps a member's target to its target in the other stream
     * @return the combined element's target in the other stream
     */
    JointAck leave(SubstreamTarget.Exit exit) {
        if (pending.get() == 1 && !abandoned && !forgone) {
            for (int i = 0; i < size; i++) {
                targets[i] = exit.outside(targets[i], tokens[i]);
            }
            return this;
        }
        JointAck own = new JointAck(size);
        for (int i = 0; i < size; i++) {
            targets[i].retain(tokens[i], 1);
            own.add(exit.outside(targets[i], tokens[i]), tokens[i]);
        }
        ack(0);
        return own;
    }

    /** Returns this object, or {@link AckTarget#NONE} if no member has a target. */
    public AckTarget asTarget() {
        return size == 0 ? AckTarget.NONE : this;
    }

    @Override
    public void ack(long token) {
        if (pending.decrementAndGet() == 0) {
            finish();
        }
    }

    @Override
    public void forgo(long token) {
        forgone = true;
        if (pending.decrementAndGet() == 0) {
            finish();
        }
    }

    @Override
    public void abandon(long token) {
        abandoned = true;
        if (pending.decrementAndGet() == 0) {
            finish();
        }
    }

    private void finish() {
        EachAcknowledgement.of(size, this::finish);
    }

    private void finish(int member) {
        if (abandoned) {
            targets[member].abandon(tokens[member]);
        } else if (forgone) {
            targets[member].forgo(tokens[member]);
        } else {
            targets[member].ack(tokens[member]);
        }
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        for (int i = 0; i < size; i++) {
            if (targets[i].standsFor(tokens[i], of, ofToken)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void roots(long token, RootVisitor visitor) {
        for (int i = 0; i < size; i++) {
            targets[i].roots(tokens[i], visitor);
        }
    }

    @Override
    public String placeOf(long token) {
        String first = "";
        int more = 0;
        for (int i = 0; i < size; i++) {
            String place = targets[i].placeOf(tokens[i]);
            if (first.isEmpty()) {
                first = place;
            } else if (!place.isEmpty()) {
                more++;
            }
        }
        return more == 0 ? first : first + " and " + more + " more";
    }

    /**
     * Adds a pending acknowledgement, unless the last pending acknowledgement has already ended. Unlike
     * {@link #retain}, this method may be called by a thread that holds no pending acknowledgement.
     */
    public boolean tryRetain() {
        return pending.getAndUpdate(held -> held == 0 ? 0 : held + 1) != 0;
    }

    @Override
    public void retain(long token, int more) {
        pending.addAndGet(more);
    }
}
