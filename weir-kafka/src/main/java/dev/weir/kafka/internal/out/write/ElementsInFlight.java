package dev.weir.kafka.internal.out.write;

import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Elements whose records are in flight, by a small number that is used again. One thread adds, before it sends the
 * first record; the producer's thread answers, and sees what was added because the producer hands the number over.
 * Allocates nothing once there were as many at once.
 */
final class ElementsInFlight {

    private static final class Element {
        AckTarget target = AckTarget.NONE;
        long token;

        /** Answers to come. Of the adding thread, then of the producer's. */
        int left;
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Grown by the adding thread. */
    private volatile Element[] all = {};

    // Under the lock.
    private int[] free = {};
    private int freeCount;

    /** Adds one with that many records, at least 1; returns its number. */
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

    /** The brokers have one more of its records; acknowledges the element, and returns true, if it was the last. */
    boolean answered(int number) {
        Element element = all[number];
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

    /** The origin of an element that is not answered yet; empty if nobody knows. */
    String placeOf(int number) {
        Element element = all[number];
        return element.target.placeOf(element.token);
    }

    /** The number of elements that are in flight. Any thread. */
    int count() {
        lock.lock();
        try {
            return all.length - freeCount;
        } finally {
            lock.unlock();
        }
    }

    /** The number of their records with no answer, or with one that refuses them; as of about now. Any thread. */
    long unanswered() {
        long sum = 0;
        for (Element element : all) {
            sum += element.left;
        }
        return sum;
    }
}
