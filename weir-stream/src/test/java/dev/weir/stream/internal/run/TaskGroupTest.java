package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.steering.ThreadWait;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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

    /** Runs {@code body} in a task of the group. */
    private void inATask(Consumer<TaskGroup.Task> body) throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        group.fork(Dispatcher.virtual(), "body", self -> {
            try {
                body.accept(self);
                done.complete(true);
            } catch (Throwable failed) {
                done.completeExceptionally(failed);
            }
        });
        assertThat(done.get()).isTrue();
    }

    @Test
    void failure_ofATask_isTheFirstOne_beforeAnyInterrupt() throws Exception {
        IllegalStateException first = new IllegalStateException("first");
        inATask(self -> {
            assertThat(TaskGroup.currentFailure()).isNull();
            TaskGroup.noteFailure(first);
            TaskGroup.noteFailure(new IllegalStateException("second"));
            assertThat(TaskGroup.currentFailure() == first).isTrue();
        });
        inATask(self -> {
            self.interrupt();
            TaskGroup.noteFailure(first);
            assertThat(TaskGroup.currentFailure() == null).isTrue();
        });
        TaskGroup.noteFailure(first);
        assertThat(TaskGroup.currentFailure()).isNull();
    }

    /** A downstream task that has failed cancels the upstream tasks with its failure. */
    @Test
    void interrupt_withAReason_isTheFailureOfTheTask() throws Exception {
        IllegalStateException below = new IllegalStateException("below");
        inATask(self -> {
            self.hold();
            self.interruptUnlessHeld(below);
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();
            self.letGo();
            assertThat(TaskGroup.isCurrentInterrupted()).isTrue();
            assertThat(TaskGroup.currentFailure()).isSameAs(below);
            self.interruptUnlessHeld(null);
            assertThat(TaskGroup.currentFailure() == below).isTrue();
        });
    }

    @Test
    void currentTask_isThatOfItsBody() throws Exception {
        assertThat(TaskGroup.current()).isNull();
        assertThat(TaskGroup.currentGroup()).isNull();
        assertThat(TaskGroup.currentHabit()).isNull();
        assertThat(TaskGroup.isCurrentTask() || TaskGroup.isCurrentInterrupted() || group.isCurrentMember())
                .isFalse();
        TaskGroup other = new TaskGroup("other", escaped::add);
        inATask(self -> {
            assertThat(TaskGroup.current()).isSameAs(self);
            assertThat(TaskGroup.currentGroup()).isSameAs(group);
            assertThat(TaskGroup.currentHabit()).isNotNull().isSameAs(TaskGroup.currentHabit());
            assertThat(TaskGroup.isCurrentTask()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();
            assertThat(group.isCurrentMember() && !other.isCurrentMember()).isTrue();
        });
    }

    /** A pool's thread runs tasks of several groups, one after the other. */
    @Test
    void threadOfAPool_afterATask_isNoTaskAndKeepsItsName() throws Exception {
        try (Dispatcher pool = Dispatcher.single("pool")) {
            CompletableFuture<String> before = new CompletableFuture<>();
            pool.execute(() -> before.complete(Thread.currentThread().getName()));
            String name = before.get();
            CompletableFuture<String> during = new CompletableFuture<>();
            group.fork(pool, "body", self -> {
                Thread.currentThread().interrupt();
                during.complete(Thread.currentThread().getName());
            });
            assertThat(during.get()).isEqualTo(name);
            CompletableFuture<Boolean> after = new CompletableFuture<>();
            pool.execute(() -> after.complete(
                    TaskGroup.isCurrentTask() || Thread.currentThread().isInterrupted()));
            assertThat(after.get()).isFalse();
        }
        inATask(self -> assertThat(Thread.currentThread().getName()).isEqualTo("weir-test-body"));
    }

    @Test
    void wakePauses_wakesThePausesThatHaveNotEnded() {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        Runnable wakeFirst = first::incrementAndGet;
        Runnable wakeSecond = second::incrementAndGet;
        group.beginPause(wakeFirst);
        group.beginPause(wakeSecond);
        group.wakePauses();
        group.endPause(wakeFirst);
        group.wakePauses();
        assertThat(first).hasValue(1);
        assertThat(second).hasValue(2);
    }

    /** Plants failures such as the error of a JVM that can start no more threads. */
    @Test
    void fork_thatThrows_leavesTheGroupEmpty() {
        Throwable[] planted = {new OutOfMemoryError("planted"), new IllegalArgumentException("planted")};
        for (Throwable each : planted) {
            var members = new HashSet<TaskGroup.Task>() {
                @Override
                public boolean add(TaskGroup.Task task) {
                    boolean ignored = super.add(task);
                    throw FailureTransfer.rethrow(each);
                }
            };
            AtomicInteger runs = new AtomicInteger();
            assertThatThrownBy(() -> group.fork(Dispatcher.virtual(), "body", members, self -> runs.incrementAndGet()))
                    .satisfies(thrown -> assertThat(thrown instanceof Error ? thrown : thrown.getCause())
                            .isSameAs(each));
            assertThat(members).isEmpty();
            assertThat(group.isEmpty()).isTrue();
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void group_isAtRest_ifEachTaskWaitsAndNotBriefly() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(2);
        TaskGroup.Task task = group.fork(Dispatcher.virtual(), "b", self -> {
            begun.countDown();
            await(end);
        });
        group.fork(Dispatcher.virtual(), "a", self -> {
            begun.countDown();
            await(end);
        });
        begun.await();
        assertThat(group.names()).containsExactly("weir-test-a", "weir-test-b");
        assertThat(group.threads()).containsOnlyKeys("virtual");
        assertThat(group.threads().get("virtual")).hasSize(2);
        assertThat(task.hasBegun()).isTrue();
        assertThat(group.isAtRest(thread -> true)).isTrue();
        assertThat(group.isAtRest(thread -> false)).isFalse();
        task.waitsBriefly(true);
        assertThat(group.isAtRest(thread -> true)).isFalse();
        task.waitsBriefly(false);
        assertThat(group.isAtRest(thread -> true)).isTrue();
        end.countDown();
        group.await();
        assertThat(group.isEmpty()).isTrue();
        assertThat(group.threads()).isEmpty();
        assertThat(task.hasBegun()).isFalse();
    }

    @Test
    void task_thatIsQueued_isNeitherAtRestNorWaiting() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        try (Dispatcher pool = Dispatcher.single("busy")) {
            pool.execute(() -> await(busy));
            TaskGroup.Task task = group.fork(pool, "queued", self -> {});
            assertThat(task.hasBegun()).isFalse();
            assertThat(task.isThreadWaiting()).isFalse();
            assertThat(task.threadWait()).isEqualTo(ThreadWait.NONE);
            assertThat(task.lockWaitedFor()).isNull();
            assertThat(group.isAtRest(thread -> true)).isFalse();
            assertThat(group.threads()).isEmpty();
            busy.countDown();
            group.await();
        }
    }

    @Test
    void lockWaitedFor_isTheLockOrAnyMonitor_butNoEvent() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Object monitor = new Object();
        CountDownLatch event = new CountDownLatch(1);
        TaskGroup.Task[] tasks = new TaskGroup.Task[4];
        lock.lock();
        try {
            synchronized (monitor) {
                tasks[0] = group.fork(Dispatcher.virtual(), "lock", self -> lockAndUnlock(lock));
                tasks[1] = group.fork(Dispatcher.virtual(), "lock", self -> lockAndUnlock(lock));
                tasks[2] = group.fork(Dispatcher.virtual(), "monitor", self -> {
                    synchronized (monitor) {
                        event.countDown();
                    }
                });
                tasks[3] = group.fork(Dispatcher.virtual(), "event", self -> await(event));
                for (TaskGroup.Task task : tasks) {
                    while (!task.isThreadWaiting()) {
                        Thread.onSpinWait();
                    }
                }
                assertThat(tasks[0].lockWaitedFor()).isNotNull().isSameAs(tasks[1].lockWaitedFor());
                assertThat(tasks[2].lockWaitedFor()).isEqualTo(Thread.State.BLOCKED);
                assertThat(tasks[3].lockWaitedFor()).isNull();
                assertThat(tasks[2].threadWait()).isEqualTo(ThreadWait.LOCK);
            }
        } finally {
            lock.unlock();
        }
        group.await();
    }

    @SuppressWarnings("LockNotBeforeTry") // nothing happens in between
    private static void lockAndUnlock(ReentrantLock lock) {
        lock.lock();
        lock.unlock();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
