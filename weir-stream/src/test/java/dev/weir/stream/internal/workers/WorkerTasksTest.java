package dev.weir.stream.internal.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.TaskGroup;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WorkerTasksTest {

    /** Regression: a retry called the user's function after the stream had ended. */
    @Test
    void fork_afterTheCancellation_mayNotGoOn() throws Exception {
        WorkerTasks tasks = new WorkerTasks(new TaskGroup("test", failure -> {}), Dispatcher.virtual(), "stage");
        tasks.cancel();
        for (int i = 0; i < 2_000; i++) {
            CompletableFuture<Boolean> mayGoOn = new CompletableFuture<>();
            tasks.fork(self -> mayGoOn.complete(self.mayGoOn()));
            assertThat(mayGoOn.get()).as("worker %d", i).isFalse();
        }
    }
}
