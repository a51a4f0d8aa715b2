package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A task ends while it is interrupted. Its thread takes other work, and must not see the interrupt. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the thread is clean, the body ran once")
@Outcome(expect = Expect.FORBIDDEN, desc = "an interrupt reached the thread after its task")
@State
public class TaskShieldStress {

    private final AtomicInteger runs = new AtomicInteger();
    private final TaskGroup group = new TaskGroup("stress", escaped -> {});
    private final TaskGroup.Task task = group.new Task("task", new HashSet<>(0), Dispatcher.virtual(), self -> {
        linger();
        runs.incrementAndGet();
    });

    /** Waits briefly, so that the other actor acts at the same time more often. */
    static void linger() {
        for (int i = 0; i < 10; i++) {
            Thread.onSpinWait();
        }
    }

    /** The interrupt may also arrive after the last check. The thread's next call then sees it. */
    @Actor
    public void thread(II_Result result) {
        boolean before = Thread.interrupted();
        task.run();
        result.r1 = before || Thread.interrupted() ? 1 : 0;
        result.r2 = runs.get();
    }

    @Actor
    public void canceller() {
        task.interrupt();
    }

    /** Faulty: ends and interrupts without a lock. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the thread is clean, the body ran once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an interrupt reached the thread after its task")
    @State
    public static class Broken {

        private volatile @Nullable Thread running;

        @Actor
        public void thread(II_Result result) {
            boolean before = Thread.interrupted();
            running = Thread.currentThread();
            result.r2 = 1;
            linger();
            running = null;
            boolean ignored = Thread.interrupted();
            result.r1 = before || Thread.interrupted() ? 1 : 0;
        }

        @Actor
        public void canceller() {
            Thread current = running;
            if (current != null) {
                linger();
                current.interrupt();
            }
        }
    }

    /**
     * A pool starts a queued task while a cancellation gives the task its own thread. Exactly one thread runs the task.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "never or twice")
    @State
    public static class Start {

        private final AtomicInteger runs = new AtomicInteger();
        private final TaskGroup group = new TaskGroup("stress", escaped -> {});
        private final TaskGroup.Task task =
                group.new Task("task", new HashSet<>(0), Dispatcher.virtual(), self -> runs.incrementAndGet());

        @Actor
        public void pool() {
            task.run();
        }

        @Actor
        public void rescuer() {
            task.run();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = runs.get();
        }
    }
}
