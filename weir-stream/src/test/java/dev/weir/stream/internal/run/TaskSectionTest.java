package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Dispatcher;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests on the test's own thread, where a section belongs to no task, and on the thread of a task. */
class TaskSectionTest {

    private final TaskSection section = new TaskSection();
    private final TaskSection other = new TaskSection();

    @AfterEach
    void clearInterrupt() {
        boolean ignored = Thread.interrupted();
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    @Test
    void section_thatIsNotInterrupted_canBeEnteredAgain() {
        assertThat(section.enter()).isTrue();
        assertThat(section.exit()).isFalse();
        assertThat(section.enter()).isTrue();
        assertThat(section.exit()).isFalse();
        assertThat(isInterrupted()).isFalse();
    }

    @Test
    void interrupt_reachesTheThreadInsideOnly() {
        assertThat(section.enter()).isTrue();
        section.interrupt();
        assertThat(isInterrupted()).isTrue();
        assertThat(section.exit()).isTrue();
        assertThat(isInterrupted()).isFalse();
        section.interrupt();
        assertThat(isInterrupted()).isFalse();
        assertThat(section.enter()).isFalse();
    }

    @Test
    void interrupt_outside_isForTheNextEntry() {
        assertThat(section.enter()).isTrue();
        assertThat(section.exit()).isFalse();
        section.interrupt();
        assertThat(isInterrupted()).isFalse();
        assertThat(section.enter()).isFalse();
        assertThat(isInterrupted()).isFalse();
    }

    @Test
    void interrupt_twice_countsOnce() {
        assertThat(section.enter()).isTrue();
        section.interrupt();
        assertThat(Thread.interrupted()).isTrue();
        section.interrupt();
        assertThat(isInterrupted()).isFalse();
        assertThat(section.exit()).isTrue();
    }

    private static void inATask(TaskGroup group, Runnable body) throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        group.fork(Dispatcher.virtual(), "body", self -> {
            try {
                body.run();
                done.complete(true);
            } catch (Throwable failed) {
                done.completeExceptionally(failed);
            }
        });
        assertThat(done.get()).isTrue();
        group.await();
    }

    private final TaskGroup group = new TaskGroup("test", escaped -> {});

    @Test
    void task_isInterrupted_fromTheInterruptUntilTheExit() throws Exception {
        inATask(group, () -> {
            assertThat(section.enter()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();
            section.interrupt();
            section.interrupt();
            // Code in the section may swallow the interrupt.
            assertThat(Thread.interrupted()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isTrue();
            assertThat(section.exit()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();
            assertThat(isInterrupted()).isFalse();
        });
    }

    @Test
    void exit_afterAnInterruptOfTheTaskToo_leavesItInterrupted() throws Exception {
        inATask(group, () -> {
            assertThat(section.enter()).isTrue();
            section.interrupt();
            group.cancel();
            assertThat(section.exit()).isTrue();
            assertThat(isInterrupted()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isTrue();
        });
    }

    /** Given one section around another. */
    @Test
    void exit_leavesTheInterruptOfTheSectionAround() throws Exception {
        inATask(group, () -> {
            assertThat(other.enter()).isTrue();
            assertThat(section.enter()).isTrue();
            section.interrupt();
            assertThat(section.exit()).isTrue();
            assertThat(isInterrupted()).isFalse();
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();

            TaskSection next = new TaskSection();
            assertThat(next.enter()).isTrue();
            other.interrupt();
            next.interrupt();
            assertThat(next.exit()).isTrue();
            assertThat(isInterrupted()).isTrue();
            assertThat(TaskGroup.isCurrentInterrupted()).isTrue();
            assertThat(other.exit()).isTrue();
            assertThat(isInterrupted()).isFalse();
            assertThat(TaskGroup.isCurrentInterrupted()).isFalse();
        });
    }
}
