package dev.weir.stream.internal.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class HeadSignalTest {

    private final ReentrantLock lock = new ReentrantLock();

    @Test
    void later_whileSomethingIsDone_signals() throws Exception {
        Object done = new Object();
        HeadSignal signal = new HeadSignal(lock, () -> done);
        assertThat(isSignalledLater(signal)).isTrue();
        assertThat(isSignalledLater(signal)).as("once more").isTrue();
    }

    @SuppressWarnings("WaitNotInLoop") // the test checks whether it is signalled at all
    private boolean isSignalledLater(HeadSignal signal) throws InterruptedException {
        lock.lock();
        try {
            signal.later();
            return signal.condition().await(30, TimeUnit.SECONDS);
        } finally {
            lock.unlock();
        }
    }

    @Test
    void looks_whenNobodyComes_end() {
        Object done = new Object();
        WeakReference<HeadSignal> signal = new WeakReference<>(lookingAt(done));
        while (!signal.refersTo(null)) {
            System.gc();
        }
    }

    private HeadSignal lookingAt(Object done) {
        HeadSignal signal = new HeadSignal(lock, () -> done);
        lock.lock();
        try {
            signal.later();
        } finally {
            lock.unlock();
        }
        return signal;
    }
}
