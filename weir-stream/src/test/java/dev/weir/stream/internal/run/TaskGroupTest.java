package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Dispatcher;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TaskGroupTest {

    private final List<Throwable> escaped = new CopyOnWriteArrayList<>();
    private final TaskGroup group = new TaskGroup("test", escaped::add);

    @Test
    void interrupt_twice_reachesTheBodyOnce() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Boolean> cleaningUp = new CompletableFuture<>();
        CountDownLatch secondInterruptSent = new CountDownLatch(1);
        CompletableFuture<Boolean> interruptedAgain = new CompletableFuture<>();
        TaskGroup.Task task = group.fork(Dispatcher.virtual(), "body", self -> {
            try {
                started.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                cleaningUp.complete(true);
                try {
                    secondInterruptSent.await();
                    interruptedAgain.complete(false);
                } catch (InterruptedException again) {
                    interruptedAgain.complete(true);
                }
            }
        });
        started.await();
        task.interrupt();
        assertThat(cleaningUp.get()).isTrue();
        task.interrupt();
        group.cancel();
        secondInterruptSent.countDown();
        assertThat(interruptedAgain.get()).isFalse();
        group.await();
    }

    @Test
    void mayGoOn_clearsAnInterruptThatUserCodeLeft_andSaysNoAfterARealOne() throws Exception {
        CompletableFuture<Boolean> afterItsOwn = new CompletableFuture<>();
        CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
        CompletableFuture<Boolean> afterCancel = new CompletableFuture<>();
        CountDownLatch cancelled = new CountDownLatch(1);
        group.fork(Dispatcher.virtual(), "body", self -> {
            Thread.currentThread().interrupt();
            afterItsOwn.complete(self.mayGoOn());
            stillInterrupted.complete(Thread.currentThread().isInterrupted());
            while (cancelled.getCount() > 0) {
                Thread.onSpinWait();
            }
            afterCancel.complete(self.mayGoOn());
        });
        assertThat(afterItsOwn.get()).isTrue();
        assertThat(stillInterrupted.get()).isFalse();
        group.cancel();
        cancelled.countDown();
        assertThat(afterCancel.get()).isFalse();
        group.await();
    }

    @Test
    void interrupt_afterShield_doesNotReachTheThread() throws Exception {
        CountDownLatch shielded = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<String> cleaning = new CompletableFuture<>();
        TaskGroup.Task task = group.fork(Dispatcher.virtual(), "body", self -> {
            self.shield();
            shielded.countDown();
            try {
                interrupted.await();
                cleaning.complete("done");
            } catch (InterruptedException e) {
                cleaning.complete("interrupted");
            }
        });
        shielded.await();
        task.interrupt();
        interrupted.countDown();
        assertThat(cleaning.get()).isEqualTo("done");
        group.await();
    }

    @Test
    void cancel_beforeItsTurnOnABusyPool_runsTheBodyOnceOnAThreadOfItsOwn() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        try (Dispatcher pool = Dispatcher.single("busy")) {
            CompletableFuture<Object> firstDone = new CompletableFuture<>();
            pool.execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    firstDone.completeExceptionally(e);
                }
            });
            group.fork(pool, "queued", self -> {
                runs.incrementAndGet();
                told.complete(
                        self.isInterruptRequested() && Thread.currentThread().isVirtual());
            });
            group.cancel();
            group.await();
            assertThat(told.get()).isTrue();
            busy.countDown();
            pool.execute(() -> firstDone.complete("the queue is empty"));
            assertThat(firstDone.get()).isEqualTo("the queue is empty");
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void fork_afterCancel_startsInterrupted() throws Exception {
        group.cancel();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        try (Dispatcher pool = Dispatcher.single("late")) {
            group.fork(
                    pool,
                    "late",
                    self -> interrupted.complete(self.isInterruptRequested()
                            && Thread.currentThread().isInterrupted()));
            assertThat(interrupted.get()).isTrue();
            group.await();
        }
    }

    @Test
    void body_thatThrows_isReportedAndEnds() throws Exception {
        Error planted = new AssertionError("planted");
        group.fork(Dispatcher.virtual(), "body", self -> {
            throw planted;
        });
        group.await();
        assertThat(escaped).containsExactly(planted);
        assertThat(group.names()).isEmpty();
    }

    /** Regression: the group never became empty. */
    @Test
    void fork_interruptedAsSoonAsItIsAMember_leavesTheGroupEmpty() throws Exception {
        try (Dispatcher pool = Dispatcher.single("busy")) {
            for (int round = 0; round < 200; round++) {
                CompletableFuture<Boolean> ends = new CompletableFuture<>();
                var members = new HashSet<TaskGroup.Task>() {
                    @Override
                    public boolean add(TaskGroup.Task task) {
                        boolean added = super.add(task);
                        task.interrupt();
                        ends.join();
                        return added;
                    }

                    @Override
                    public boolean remove(Object task) {
                        return ends.complete(true);
                    }
                };
                group.fork(pool, "body", members, self -> {});
            }
            group.await();
        }
        assertThat(escaped).isEmpty();
    }

    /**
     * The interrupt arrives before the dispatcher's refusal. Regression: the task was reported as a failure while it
     * was still cleaning up.
     */
    @Test
    void fork_interruptedBeforeItIsRefused_isInTheGroupUntilItHasCleanedUp() throws Exception {
        Dispatcher closed = Dispatcher.single("closed");
        closed.close();
        CountDownLatch mayEnd = new CountDownLatch(1);
        var members = new HashSet<TaskGroup.Task>() {
            @Override
            public boolean add(TaskGroup.Task task) {
                boolean added = super.add(task);
                task.interrupt();
                return added;
            }

            @Override
            public boolean remove(Object task) {
                if (Thread.currentThread().isVirtual()) {
                    await(mayEnd);
                }
                return super.remove(task);
            }
        };
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        group.fork(closed, "body", members, self -> interrupted.complete(self.isInterruptRequested()));
        assertThat(interrupted.get()).isTrue();
        assertThat(group.isEmpty()).isFalse();
        mayEnd.countDown();
        group.await();
        assertThat(escaped).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
