package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.AgedSendCounts;
import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Elements with records in flight, each identified by a small reusable number. One thread adds an element before it
 * sends the element's first record, and the producer's thread reports the outcomes. Passing the number through the
 * producer makes the added element visible to the producer's thread. Allocates memory only when more elements are in
 * flight than ever before.
 */
final class ElementsInFlight {

    private static final class Element {
        AckTarget target = AckTarget.NONE;
        long token;

        /**
         * The number of unacknowledged records. Set by the adding thread, and changed later only by the producer's
         * thread.
         */
        int left;

        /** The counts that include the element's records as sent. */
        SendCounts counts = NOT_SENT;
    }

    private static final SendCounts NOT_SENT = new SendCounts();

    private final AgedSendCounts counts = new AgedSendCounts();
    private final ReentrantLock lock = new ReentrantLock();

    /** Grown by the adding thread. */
    private volatile Element[] all = {};

    // Guarded by the lock
    private int[] free = {};
    private int freeCount;

    /** Adds an element with the given number of records, at least 1. Returns the element's number. */
    int add(AckTarget target, long token, int records) {
        int number;
        lock.lock();
        try {
            if (freeCount == 0) {
                grow();
            }
            number = free[--freeCount];
        } finally {
            lock.unlock();
        }
        Element element = all[number];
        element.target = target;
        element.token = token;
        element.left = records;
        element.counts = counts.present();
        element.counts.sends(records);
        return number;
    }

    private void grow() {
        int before = all.length;
        Element[] more = Arrays.copyOf(all, Math.max(64, 2 * before));
        free = new int[more.length];
        for (int i = more.length - 1; i >= before; i--) {
            more[i] = new Element();
            free[freeCount++] = i;
        }
        all = more;
    }

    /**
     * Reports that the brokers have one more record of the element. If it was the last one, acknowledges the element
     * and returns true.
     */
    boolean answered(int number) {
        Element element = all[number];
        element.counts.answers();
        if (--element.left > 0) {
            return false;
        }
        AckTarget target = element.target;
        long token = element.token;
        element.target = AckTarget.NONE;
        lock.lock();
        try {
            free[freeCount++] = number;
        } finally {
            lock.unlock();
        }
        target.ack(token);
        return true;
    }

    /** The origin of an unacknowledged element's input, such as {@code orders-3@17}; empty if unknown. */
    String placeOf(int number) {
        Element element = all[number];
        return element.target.placeOf(element.token);
    }

    /** The number of elements in flight. May be called from any thread. */
    int count() {
        lock.lock();
        try {
            return all.length - freeCount;
        } finally {
            lock.unlock();
        }
    }

    /** The number of records in flight or rejected. May be called from any thread. */
    long unanswered() {
        return counts.unanswered();
    }

    /** See {@link AgedSendCounts#oldestNanos}. */
    long oldestNanos(long nowNanos) {
        return counts.oldestNanos(nowNanos);
    }
}
