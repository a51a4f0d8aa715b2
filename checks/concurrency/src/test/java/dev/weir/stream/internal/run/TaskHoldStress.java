package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A segment (a group of stages with one thread) is cancelled while its thread runs stages of another segment. The
 * interrupt waits until the thread has left these stages.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "0, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "not inside, whether it came in time or not")
@Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt reached the stages of another segment")
@State
public class TaskHoldStress {

    private final AtomicInteger insideInterrupted = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final TaskGroup group = new TaskGroup("stress", escaped -> {});
    private final TaskGroup.Task task = group.new Task("task", new HashSet<>(0), Dispatcher.virtual(), self -> {
        self.hold();
        boolean before = Thread.interrupted();
        TaskShieldStress.linger();
        insideInterrupted.set(!before && Thread.currentThread().isInterrupted() ? 1 : 0);
        self.letGo();
        interrupted.set(self.isInterruptRequested() ? 1 : 0);
    });

    @Actor
    public void thread(II_Result result) {
        task.run();
        result.r1 = insideInterrupted.get();
        result.r2 = interrupted.get();
    }

    @Actor
    public void canceller() {
        task.interruptUnlessHeld(null);
    }

    /** Faulty: checks and interrupts in two steps. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "not inside, whether it came in time or not")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt reached the stages of another segment")
    @State
    public static class Broken {

        private volatile boolean held;
        private volatile boolean interrupted;

        @Actor
        public void thread(II_Result result) {
            TaskShieldStress.linger();
            held = true;
            boolean before = interrupted;
            TaskShieldStress.linger();
            result.r1 = !before && interrupted ? 1 : 0;
            held = false;
            result.r2 = interrupted ? 1 : 0;
        }

        @Actor
        public void canceller() {
            if (!held) {
                TaskShieldStress.linger();
                interrupted = true;
            }
        }
    }
}
