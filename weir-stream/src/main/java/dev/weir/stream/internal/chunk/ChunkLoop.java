package dev.weir.stream.internal.chunk;

import dev.weir.stream.Handler;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

/**
 * Calls the handler for the elements of a chunk. Each handler class gets its own copy of this loop; see
 * {@link SpecialisedLoop}. Stateless.
 */
interface ChunkLoop {

    SpecialisedLoop<ChunkLoop> COPIES = SpecialisedLoop.of(MethodHandles.lookup(), new HandlerLoop());

    <T, R> void run(WorkerBatch<T> work, int from, int to, ParallelMap<T, R> stage, Task self);

    final class HandlerLoop implements ChunkLoop {

        @Override
        public <T, R> void run(WorkerBatch<T> work, int from, int to, ParallelMap<T, R> stage, Task self) {
            Handler<? super T, ? extends R> handler = stage.handler;
            Batch<T> batch = work.batch;
            int i = from;
            try {
                boolean goOn = self.mayGoOn();
                for (; i < to && work.isWanted(i); i++) {
                    if (!goOn || self.isInterruptRequested()) {
                        throw new CancellationException("a worker of mapParallel was cancelled");
                    }
                    T element = batch.get(i);
                    Object result;
                    try {
                        result = notNull(handler.handle(element));
                    } catch (Throwable thrown) {
                        result = stage.supervised.after(thrown, again -> notNull(handler.handle(again)), element);
                        if (result instanceof FailureVerdict verdict) {
                            if (verdict.fails()) {
                                stage.supervised.note(verdict, batch, i);
                                work.fail(i, verdict.failure());
                                break;
                            }
                            verdict.settle(batch.target(i), batch.token(i));
                            work.hasDropped = true;
                        }
                    }
                    batch.set(i, result);
                }
            } catch (InterruptedException interrupted) {
                // Wrap the exception. The downstream thread would take an InterruptedException for its own
                // interruption.
                work.fail(i, new CompletionException(interrupted));
            } catch (Throwable failure) {
                work.fail(i, failure);
            }
        }

        private static <R> R notNull(R result) {
            if (result == null) {
                throw new NullPointerException("the handler of mapParallel returned null");
            }
            return result;
        }
    }
}
