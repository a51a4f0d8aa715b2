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
 * Closes the resources of streams that ended within a run, on separate threads, because elements of these streams may
 * still be in flight downstream. Thread-safe.
 */
final class ResourceClosings {

    private final PipelineRun run;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Set<Closing> open = new HashSet<>();

    ResourceClosings(PipelineRun run) {
        this.run = run;
    }

    /** One resource that is being closed. Thread-safe. */
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
     * Starts to close a resource. The resource has time until the run ends; {@code leftUndone} receives the work that
     * is unfinished then.
     */
    Closing begin(PatientTermination resource, Consumer<String> leftUndone) {
        Closing closing = new Closing(resource, leftUndone);
        lock.lock();
        try {
            // The closing is added before it reads its patience, so that a later reduction of the patience finds it
            // here.
            open.add(closing);
        } finally {
            lock.unlock();
        }
        var ignored = Thread.ofVirtual().name("weir-" + run.name() + "-closing").start(closing::close);
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

    /** Limits the patience of all resources that are being closed. */
    void hurry(Duration patience) {
        open().forEach(closing -> closing.hurry(patience));
    }

    /** Waits until all resources are closed. No more may be added. */
    void await() {
        open().forEach(closing -> closing.done.join());
    }
}
