package dev.weir.stream.internal.run;

import dev.weir.stream.spi.StageContext.PatientTermination;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Closes the resources of streams that end before the run does. Each resource is closed on its own thread, because it
 * may wait for elements that are still in flight downstream. Thread-safe.
 */
final class ResourceClosings {

    private final PipelineRun run;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Set<Closing> open = new HashSet<>();

    ResourceClosings(PipelineRun run) {
        this.run = run;
    }

    /** A resource being closed. Thread-safe. */
    final class Closing {

        private final PatientTermination resource;
        private final Consumer<String> leftUndone;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private Closing(PatientTermination resource, Consumer<String> leftUndone) {
            this.resource = resource;
            this.leftUndone = leftUndone;
        }

        void hurry(Duration patience) {
            resource.hurry(patience);
        }

        CompletableFuture<Void> done() {
            return done;
        }

        private void close() {
            try {
                leftUndone.accept(resource.close(run.patienceWithin()));
            } catch (Throwable failure) {
                run.fail(failure);
            } finally {
                remove(this);
                done.complete(null);
            }
        }
    }

    /**
     * Starts to close a resource, which may take until the run ends. Afterwards, {@code leftUndone} receives a
     * description of the unfinished work.
     */
    Closing begin(PatientTermination resource, Consumer<String> leftUndone) {
        Closing closing = new Closing(resource, leftUndone);
        lock.lock();
        try {
            // Add the closing before reading its time limit, so that `hurry` cannot miss it.
            open.add(closing);
        } finally {
            lock.unlock();
        }
        try {
            var ignored =
                    Thread.ofVirtual().name("weir-" + run.name() + "-closing").start(closing::close);
        } catch (RuntimeException | Error refused) {
            // Close the resource on this thread, because `await` waits for it.
            run.fail(refused);
            closing.close();
        }
        return closing;
    }

    private void remove(Closing closing) {
        lock.lock();
        try {
            open.remove(closing);
        } finally {
            lock.unlock();
        }
    }

    private List<Closing> open() {
        lock.lock();
        try {
            return List.copyOf(open);
        } finally {
            lock.unlock();
        }
    }

    /** Limits the remaining time for closing the open resources. */
    void hurry(Duration patience) {
        open().forEach(closing -> closing.hurry(patience));
    }

    /** Waits until all resources are closed. {@link #begin} must not be called afterwards. */
    void await() {
        open().forEach(closing -> closing.done.join());
    }
}
