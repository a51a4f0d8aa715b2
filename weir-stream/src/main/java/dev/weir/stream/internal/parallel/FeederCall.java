package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets the feeder of a {@link ParallelStage} wait until another thread wakes it. Guarded by the stage's lock. */
final class FeederCall {

    private final ReentrantLock lock;
    private final Condition called;
    private final Clock clock;
    private final ElementTable<?> table;

    private boolean waiting;
    private boolean forRoom;
    private long awaitedKey = Ordering.NO_KEY;

    FeederCall(ReentrantLock lock, Clock clock, ElementTable<?> table) {
        this.lock = lock;
        this.called = lock.newCondition();
        this.clock = clock;
        this.table = table;
    }

    /**
     * Marks the feeder as waiting. Called before {@link #await}.
     *
     * @param waitsForRoom whether the feeder waits for room for {@code key}
     */
    void begin(boolean waitsForRoom, long key) {
        waiting = true;
        forRoom = waitsForRoom;
        awaitedKey = key;
    }

    void await() throws InterruptedException {
        clock.await(lock, called, Stage.NEVER);
    }

    void end() {
        waiting = false;
        forRoom = false;
    }

    boolean isWaiting() {
        return waiting;
    }

    boolean isForRoom() {
        return forRoom;
    }

    boolean hasRoom() {
        return forRoom && table.hasRoomFor(awaitedKey);
    }

    /** Wakes the feeder if it is waiting for room and there is ample room now. */
    void callIfAmpleRoom() {
        if (forRoom && table.hasAmpleRoomFor(awaitedKey)) {
            call();
        }
    }

    void call() {
        called.signal();
    }
}
