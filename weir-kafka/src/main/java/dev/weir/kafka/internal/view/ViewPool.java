package dev.weir.kafka.internal.view;

import dev.weir.lean.KeptBatches;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory of a source's elements that are done with, for those to come. Thread-safe. What is never given back is simply
 * not used again.
 */
public final class ViewPool {

    /** A few small batches together, so that small ones cost little each; a larger one has one alone. */
    private static final int FULL_BYTES = 64 * 1024;

    /** One that grew beyond it is left to the collector. */
    private static final int MAX_KEPT_BYTES = 2 * 1024 * 1024;

    /** More than these are unlikely to be needed at once; what they take is bounded by what was in use at once. */
    private static final int MAX_SPARES = 1024;

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final ArrayDeque<KeptBatches> batches = new ArrayDeque<>();
    private final ArrayDeque<Encoded> outputs = new ArrayDeque<>();

    KeptBatches takeBatches() {
        lock.lock();
        try {
            KeptBatches spare = batches.poll();
            return spare == null ? new KeptBatches(FULL_BYTES) : spare;
        } finally {
            lock.unlock();
        }
    }

    void give(KeptBatches done) {
        done.clear();
        if (done.capacityBytes() > MAX_KEPT_BYTES) {
            return;
        }
        lock.lock();
        try {
            if (batches.size() < MAX_SPARES) {
                batches.push(done);
            }
        } finally {
            lock.unlock();
        }
    }

    Encoded takeOutput() {
        lock.lock();
        try {
            Encoded spare = outputs.poll();
            return spare == null ? new Encoded(this) : spare;
        } finally {
            lock.unlock();
        }
    }

    void give(Encoded done) {
        if (done.sizeBytes() > MAX_KEPT_BYTES) {
            return;
        }
        done.clear();
        lock.lock();
        try {
            if (outputs.size() < MAX_SPARES) {
                outputs.push(done);
            }
        } finally {
            lock.unlock();
        }
    }
}
