package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.AgedSendCounts;
import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Elements with records in flight, each identified by a small reusable number. The sender's thread adds an element
 * before it sends the first record, and the producer's thread reports the outcomes. Allocates memory only when more
 * elements are in flight than ever before.
 */
final class ElementsInFlight {

    private static final class Element {
        AckTarget target = AckTarget.NONE;
        long token;

        /** The number of unacknowledged records. Set by the sender's thread, then changed by the producer's thread. */
        int left;

        SendCounts counts = NOT_SENT;
    }

    private static final SendCounts NOT_SENT = new SendCounts();

    private final AgedSendCounts counts = new AgedSendCounts();
    private final ReentrantLock lock = new ReentrantLock();

    /** Grown by the sender's thread. */
    private volatile Element[] all = {};

    // Guarded by the lock
    private int[] free = {};
    private int freeCount;

    /** Adds an element with at least one record. Returns the element's number. */
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
     * Reports the acknowledgement of a record. After the element's last record, acknowledges the element and returns
     * true.
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

    /** Returns the input of an unacknowledged element, such as {@code orders-3@17}; empty if unknown. */
    String placeOf(int number) {
        Element element = all[number];
        return element.target.placeOf(element.token);
    }

    /** Returns the number of elements in flight. May be called from any thread. */
    int count() {
        lock.lock();
        try {
            return all.length - freeCount;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of records in flight or rejected. May be called from any thread. */
    long unanswered() {
        return counts.unanswered();
    }

    long oldestNanos(long nowNanos) {
        return counts.oldestNanos(nowNanos);
    }
}
