package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A growing queue of elements with their pending acknowledgements and a number, the element's mark. Confined to one
 * thread, or guarded by a lock of the stage that uses it.
 */
final class ElementRing<T> {

    // The capacity is a power of two, so a slot's index is the lower bits of the position.
    private @Nullable Object[] values = new Object[16];
    private AckTarget[] targets = new AckTarget[16];
    private long[] tokens = new long[16];
    private long[] marks = new long[16];

    private long first;
    private long end;

    int size() {
        return (int) (end - first);
    }

    boolean isEmpty() {
        return end == first;
    }

    private int slot(long position) {
        return (int) position & (values.length - 1);
    }

    void add(Batch<T> from, int index, long mark) {
        add(from.get(index), from.target(index), from.token(index), mark);
    }

    private void add(T value, AckTarget target, long token, long mark) {
        if (size() == values.length) {
            grow();
        }
        int slot = slot(end++);
        values[slot] = value;
        targets[slot] = target;
        tokens[slot] = token;
        marks[slot] = mark;
    }

    private void grow() {
        int old = values.length;
        int split = slot(first);
        values = Arrays.copyOf(values, old * 2);
        targets = Arrays.copyOf(targets, old * 2);
        tokens = Arrays.copyOf(tokens, old * 2);
        marks = Arrays.copyOf(marks, old * 2);
        // The queue starts at the split and continues at index 0. Move the elements before the split to the new end.
        System.arraycopy(values, 0, values, old, split);
        System.arraycopy(targets, 0, targets, old, split);
        System.arraycopy(tokens, 0, tokens, old, split);
        System.arraycopy(marks, 0, marks, old, split);
        Arrays.fill(values, 0, split, null);
        first = split;
        end = first + old;
    }

    /** Returns the value at {@code offset} from the first element. */
    @SuppressWarnings("unchecked") // only T values are added
    T value(int offset) {
        return (T) Objects.requireNonNull(values[slot(first + offset)]);
    }

    AckTarget target(int offset) {
        return targets[slot(first + offset)];
    }

    long token(int offset) {
        return tokens[slot(first + offset)];
    }

    long firstMark() {
        return marks[slot(first)];
    }

    void moveFirst(Batch<T> to) {
        to.add(value(0), target(0), token(0));
        dropFirst();
    }

    /** Removes and returns the elements that their source no longer owns. The remaining elements keep their order. */
    Batch<T> takeRevoked() {
        Batch<T> revoked = new Batch<>(0);
        for (int left = size(); left > 0; left--) {
            if (target(0).isRevoked(token(0))) {
                moveFirst(revoked);
            } else {
                T value = value(0);
                AckTarget target = target(0);
                long token = token(0);
                long mark = firstMark();
                dropFirst();
                add(value, target, token, mark);
            }
        }
        return revoked;
    }

    /** Removes the first element. The caller then owns its acknowledgement. */
    void dropFirst() {
        values[slot(first++)] = null;
    }

    void ackFirst() {
        AckTarget target = target(0);
        long token = token(0);
        dropFirst();
        target.ack(token);
    }

    void ackLast() {
        int slot = slot(--end);
        values[slot] = null;
        targets[slot].ack(tokens[slot]);
    }

    void abandonAll() {
        EachAcknowledgement.of(size(), i -> {
            AckTarget target = target(0);
            long token = token(0);
            dropFirst();
            target.abandon(token);
        });
    }

    void ackAll() {
        EachAcknowledgement.of(size(), i -> ackFirst());
    }
}
